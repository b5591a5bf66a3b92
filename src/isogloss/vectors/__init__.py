"""X and Y: words and their vectors, read from any of the usual files.

Examples
--------
>>> import isogloss.vectors as iv
>>> en = iv.read("wiki.en.vec", limit=200_000)  # doctest: +SKIP
>>> en["cat"]  # doctest: +SKIP
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from isogloss.engine import Progress
from isogloss.errors import IsoglossError
from isogloss.vectors.cache import Cache, CacheEntry
from isogloss.vectors.convert import convert
from isogloss.vectors.fasttext import read_fasttext
from isogloss.vectors.model import Vectors
from isogloss.vectors.npy import read_npy
from isogloss.vectors.options import Dtype, OnError, ReadOptions
from isogloss.vectors.read import Reader, read_with
from isogloss.vectors.report import ReadReport
from isogloss.vectors.safetensors_file import read_safetensors
from isogloss.vectors.safetensors_map import open_tensors, read_metadata, write_tensors
from isogloss.vectors.store import open_store, read_store, write_store
from isogloss.vectors.subwords import FastTextSubwords
from isogloss.vectors.text import read_text
from isogloss.vectors.unit import unit_rows
from isogloss.vectors.word2vec_binary import read_word2vec_binary
from isogloss.vectors.words import Words
from isogloss.vectors.write import (
    Writer,
    format_by_suffix,
    write_safetensors,
    write_word2vec,
    write_word2vec_binary,
)

__all__ = [
    "Cache",
    "CacheEntry",
    "FastTextSubwords",
    "ReadReport",
    "Vectors",
    "Words",
    "as_vectors",
    "open_store",
    "open_tensors",
    "read",
    "read_metadata",
    "unit_rows",
    "write",
    "write_store",
    "write_tensors",
]


def read(
    path: Path | str,
    *,
    limit: int | None = None,
    dtype: Dtype | None = None,
    on_error: OnError = "raise",
    words: Path | str | None = None,
    format: str | Reader | None = None,
    cache: bool | Cache = True,
    progress: Progress | None = None,
) -> Vectors:
    """Read word vectors; the format is told by what is in the file.

    Known are word2vec (text and binary), GloVe, fastText (`.vec` and `.bin`), `.npy` and
    `.safetensors` with the words beside them, and isogloss' own stores. Text and binary files
    may be compressed (gz, bz2, xz); the second time they open in milliseconds, from a copy.

    Parameters
    ----------
    path : path
    limit : int, optional
        Only the first so many rows of the file. Duplicates among them are dropped, so that
        fewer may remain.
    dtype : {"float32", "float16"}, optional
        By default float32, and for files that are memory-mapped the type they have; another
        one makes a copy of those in memory.
    on_error : {"raise", "skip"}
        Whether malformed rows raise, or are left out and counted in the report.
    words : path, optional
        The words of a `.npy` or `.safetensors` file, one a line; by default `name.words.txt`,
        `name.txt` or `name.vocab` beside it.
    format : str or callable, optional
        The name of the format, or a reader of one's own: (Path, ReadOptions) → Vectors.
    cache : bool or Cache
        Where copies of slow files are kept; False keeps none.
    progress : callable, optional
        Called with (bytes done, bytes in all).

    Returns
    -------
    Vectors
        n × d, in the order of the file; `report` holds what was found on reading.

    Raises
    ------
    FormatError
        Where the file is missing, of another kind, cut off or malformed.
    """
    options = ReadOptions(limit, dtype, on_error, None if words is None else Path(words), progress)
    kept = Cache() if cache is True else cache or None
    return read_with(READERS, Path(path), options, form=format, cache=kept)


def write(
    path: Path | str,
    vectors: Any,
    *,
    format: str | Writer | None = None,
    progress: Progress | None = None,
) -> None:
    """Write word vectors for other programmes, whole or not at all.

    Parameters
    ----------
    path : path
        `.vec` and `.txt` are word2vec's text, `.bin` its binary format (all three may end in
        `.gz`, `.bz2` or `.xz`), `.safetensors` a tensor with the words beside it.
    vectors : Vectors, or what `as_vectors` takes
    format : {"word2vec", "word2vec-binary", "safetensors"} or callable, optional
        By default told by the path's ending.
    progress : callable, optional
        Called with (bytes done, bytes in all).

    Raises
    ------
    FormatError
        Where a word cannot be held by the format: a newline in any, a space in binary.
    """
    path = Path(path)
    form = format_by_suffix(path) if format is None else format
    if isinstance(form, str) and form not in WRITERS:
        raise IsoglossError(f"got format={form!r}, expected one of {', '.join(WRITERS)}")
    writer = WRITERS[form] if isinstance(form, str) else form
    writer(path, as_vectors(vectors), progress)


def as_vectors(source: Any) -> Vectors:
    """Make `Vectors` of whatever holds words and their vectors.

    Parameters
    ----------
    source : Vectors, gensim KeyedVectors, (words, n × d array) or path
        An array of float16 or float32 is not copied.

    Returns
    -------
    Vectors

    Raises
    ------
    IsoglossError
        Where words and rows are not equally many, or a number is NaN or infinite.
    """
    return convert(source, read)


READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "text": read_text,
        "word2vec-binary": read_word2vec_binary,
        "fasttext": read_fasttext,
        "npy": read_npy,
        "safetensors": read_safetensors,
        "store": read_store,
    }
)

WRITERS: Mapping[str, Writer] = MappingProxyType(
    {
        "word2vec": write_word2vec,
        "word2vec-binary": write_word2vec_binary,
        "safetensors": write_safetensors,
    }
)
