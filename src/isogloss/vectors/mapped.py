"""Vectors whose rows and words lie in two files: `.npy` and `.safetensors`, memory-mapped."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.errors import FormatError, IsoglossError
from isogloss.vectors.gather import check_finite, finish
from isogloss.vectors.model import Vectors
from isogloss.vectors.options import ReadOptions
from isogloss.vectors.report import ReadReport, shown
from isogloss.vectors.source import sampled_checksum
from isogloss.vectors.words_file import read_words, words_beside


def with_words(path: Path, name: str, V: npt.NDArray[Any], options: ReadOptions) -> Vectors:
    """Join a memory-mapped array with the words beside it.

    Parameters
    ----------
    path : Path
        Where the array is from.
    name : str
        The name of the format.
    V : array, (n, d)
    options : ReadOptions
    """
    if V.ndim != 2 or not V.shape[1]:
        raise FormatError(
            f"{path}: got an array of shape {V.shape}, expected n × d; save one row a word"
        )
    n = len(V)
    words = read_words(words_beside(path, options.words), n, options.limit)
    V = as_float(V[: options.limit], str(path), options.dtype)
    try:
        check_finite(words, V, str(path))
    except IsoglossError as error:
        raise FormatError(str(error)) from None
    report = ReadReport(
        path=shown(path), format=name, rows=len(words), checksum=sampled_checksum(path)
    )
    return finish(words, V, report)


def as_float(V: npt.NDArray[Any], name: str, dtype: str | None = None) -> npt.NDArray[Any]:
    """The array as rows of float16 or float32, copied only where it isn't that already."""
    if V.dtype.kind != "f":
        raise FormatError(
            f"{name}: got numbers of type {V.dtype}, expected float16 or float32; convert them"
        )
    if dtype is None:
        dtype = "<f2" if V.dtype.itemsize == 2 else "<f4"
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(V, dtype=np.dtype(dtype))
