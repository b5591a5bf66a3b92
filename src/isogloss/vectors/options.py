"""What a caller asks of a reader."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from isogloss.engine import Progress

Dtype = Literal["float32", "float16"]
OnError = Literal["raise", "skip"]


@dataclass(frozen=True)
class ReadOptions:
    """The arguments of `read` that every reader gets.

    Attributes
    ----------
    limit : int or None
        Only the first so many rows of the file.
    dtype : str or None
        None keeps the type of files that are memory-mapped, and is float32 for the others.
    on_error : str
        Whether malformed rows raise or are skipped and counted.
    words : Path or None
        The words of a `.npy` or `.safetensors` file.
    progress : callable or None
        Called with (bytes done, bytes in all).
    """

    limit: int | None = None
    dtype: Dtype | None = None
    on_error: OnError = "raise"
    words: Path | None = None
    progress: Progress | None = None
