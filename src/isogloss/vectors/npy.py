"""NumPy's `.npy`, with the words in a file beside it."""

from pathlib import Path

import numpy as np

from isogloss.errors import FormatError
from isogloss.vectors.mapped import with_words
from isogloss.vectors.model import Vectors
from isogloss.vectors.options import ReadOptions


def read_npy(path: Path, options: ReadOptions) -> Vectors:
    """Map a `.npy` file into memory; its words lie one a line in a file beside it."""
    try:
        V = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise FormatError(
            f"{path}: got a file that numpy cannot map ({error}), expected a whole .npy of "
            "float16 or float32; save it again"
        ) from None
    return with_words(path, "npy", V, options)
