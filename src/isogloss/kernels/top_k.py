"""The k best targets of each query."""

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.engine import Progress, blocks, stream
from isogloss.kernels.tiles import RESOLUTION, ROUNDING, ROWS, TILE

Array = npt.NDArray[Any]

SPARE = 16
"""So many more are kept until the end, where they are scored again, exactly, and ordered."""


@dataclass(frozen=True)
class Best:
    """The k best targets of each query, in the order (score, cosine, id).

    Attributes
    ----------
    ids : int64 array, (m, k)
    scores : float64 array, (m, k)
        Inner product + bias.
    cosines : float64 array, (m, k)
        The inner product alone.
    """

    ids: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    cosines: npt.NDArray[np.float64]


def top_k(
    Q: Array,
    Y: Array,
    bias: Array | None,
    k: int,
    *,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Best:
    """The k largest q·y_i + bias_i of each row q of Q (m × d), over the rows of Y (n × d)."""
    k = min(k, len(Y))
    b = np.zeros(len(Y)) if bias is None else bias
    parts = list(
        stream(
            lambda rows: _block(Q[rows], Y, b, k),
            blocks(len(Q), ROWS) or [slice(0, 0)],
            executor=executor,
            progress=progress,
        )
    )
    return Best(
        np.concatenate([p.ids for p in parts]),
        np.concatenate([p.scores for p in parts]),
        np.concatenate([p.cosines for p in parts]),
    )


def _block(Q: Array, Y: Array, bias: Array, k: int) -> Best:
    Q = np.asarray(Q, np.float32)
    m, kept = len(Q), min(k + SPARE, len(Y))
    enter = np.full(m, -np.inf, np.float32)  # what a score must reach to be kept
    row, ids = np.empty(0, np.int64), np.empty(0, np.int64)
    score = cosine = np.empty(0, np.float32)
    for tile in blocks(len(Y), TILE):
        b = bias[tile].astype(np.float32)
        S = Q @ np.asarray(Y[tile], np.float32).T
        S += b
        if tile.start == 0 and S.shape[1] > kept:
            enter = np.partition(S, S.shape[1] - kept, axis=1)[:, S.shape[1] - kept] - ROUNDING
        r, c = np.nonzero(enter[:, None] <= S)
        if len(r) == 0:
            continue
        row, ids = np.concatenate([row, r]), np.concatenate([ids, c + tile.start])
        score = np.concatenate([score, S[r, c]])
        cosine = np.concatenate([cosine, S[r, c] - b[c]])
        # More targets may tie, at β = ∞ above all, than there is room for: cosines decide already.
        first = _first(row, np.lexsort((ids, -cosine, -np.rint(score / ROUNDING), row)), kept)
        row, ids, score, cosine = row[first], ids[first], score[first], cosine[first]
        ends = np.flatnonzero(np.diff(row, append=m))
        full = np.bincount(row, minlength=m)[row[ends]] == kept
        enter[row[ends[full]]] = score[ends[full]] - ROUNDING
    return _ordered(Q, Y, bias, row, ids, (m, k))


def _ordered(
    Q: Array, Y: Array, bias: Array, row: Array, ids: Array, shape: tuple[int, int]
) -> Best:
    """The kept targets, scored pair by pair, so that equal rows score equally wherever they stood.

    Among those whose scores follow each other closer than the resolution, the larger cosine comes
    first, then the smaller id.
    """
    cosine = np.einsum("ij,ij->i", Q[row], Y[ids], dtype=np.float64)
    score = cosine + bias[ids]
    order = np.lexsort((ids, -score, row))
    row, ids, cosine, score = row[order], ids[order], cosine[order], score[order]
    apart = (np.diff(row, prepend=-1) != 0) | (np.diff(score, prepend=np.inf) < -RESOLUTION)
    kept = _first(row, np.lexsort((ids, -cosine, np.cumsum(apart), row)), shape[1])
    return Best(ids[kept].reshape(shape), score[kept].reshape(shape), cosine[kept].reshape(shape))


def _first(row: Array, order: Array, k: int) -> Array:
    """The first k of each row, where `order` sorts by row first."""
    place = np.arange(len(order)) - np.searchsorted(row[order], row[order], side="left")
    return order[place < k]
