"""From whatever holds words and their vectors to `Vectors`."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from isogloss.errors import IsoglossError
from isogloss.vectors.gather import check_finite, finish
from isogloss.vectors.mapped import as_float
from isogloss.vectors.model import Vectors
from isogloss.vectors.report import ReadReport
from isogloss.vectors.words import Words


def convert(source: Any, read: Callable[[Path], Vectors]) -> Vectors:
    """Make `Vectors` of an object; `read` opens paths."""
    if isinstance(source, Vectors):
        return source
    if isinstance(source, str | os.PathLike):
        return read(Path(source))
    if hasattr(source, "vectors") and hasattr(source, "index_to_key"):
        return _join(source.index_to_key, source.vectors, type(source).__name__)
    if isinstance(source, tuple) and len(source) == 2:
        return _join(*source, "words and vectors")
    raise IsoglossError(
        f"got {type(source).__name__}, expected Vectors, a gensim KeyedVectors, a pair (words, "
        "array) or a path; pass one of these"
    )


def _join(keys: Any, array: Any, name: str) -> Vectors:
    V = np.asarray(array)
    if V.ndim != 2:
        raise IsoglossError(f"{name}: got an array of shape {V.shape}, expected n × d; reshape it")
    words = Words.of(keys)
    V = as_float(V, name)
    if len(words) != len(V):
        raise IsoglossError(
            f"{name}: got {len(words):,} words for {len(V):,} rows, expected as many; pass the "
            "words of these rows, in their order"
        )
    check_finite(words, V, name)
    # The caller's array is only looked at: a view that may not be written to.
    V = V.view()
    V.flags.writeable = False
    vectors = finish(words, V, ReadReport(path=name, rows=len(words)))
    report = msgspec.structs.replace(vectors.report, path=None)
    return Vectors(vectors.words, vectors.vectors, report)
