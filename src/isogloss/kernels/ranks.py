"""The rank of the right answers among all targets."""

from concurrent.futures import Executor
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.engine import Progress, blocks, stream
from isogloss.kernels.tiles import RESOLUTION, ROUNDING, ROWS, TILE

Array = npt.NDArray[Any]


def ranks(
    Q: Array,
    Y: Array,
    bias: Array | None,
    golds: list[Array],
    *,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> npt.NDArray[np.int64]:
    """The 1-based rank of each query's best gold target, in the order (score, cosine, id).

    The other golds of a query never count against its best one.
    """
    b = np.zeros(len(Y)) if bias is None else bias
    parts = stream(
        lambda rows: _block(Q[rows], Y, b, golds[rows]),
        blocks(len(Q), ROWS),
        executor=executor,
        progress=progress,
    )
    return np.concatenate([np.empty(0, np.int64), *parts])


def _block(Q: Array, Y: Array, bias: Array, golds: list[Array]) -> Array:
    Q = np.asarray(Q, np.float32)
    row = np.repeat(np.arange(len(golds)), [len(g) for g in golds])
    gold = np.concatenate(golds)
    cosine = np.einsum("ij,ij->i", Q[row], Y[gold], dtype=np.float64)
    score = cosine + bias[gold]
    best = np.lexsort((gold, -cosine, -score, row))
    best = best[np.unique(row[best], return_index=True)[1]]
    rank = np.ones(len(Q), np.int64)
    low = (score[best] - 2 * ROUNDING).astype(np.float32)[:, None]
    high = (score[best] + 2 * ROUNDING).astype(np.float32)[:, None]
    for tile in blocks(len(Y), TILE):
        S = Q @ np.asarray(Y[tile], np.float32).T
        S += bias[tile].astype(np.float32)
        here = (gold >= tile.start) & (gold < tile.stop)
        S[row[here], gold[here] - tile.start] = -np.inf
        rank += (high < S).sum(axis=1)
        # So near to the answer that the product's rounding could decide: pair by pair.
        r, i = np.nonzero((low <= S) & (high >= S))
        i += tile.start
        c = np.einsum("ij,ij->i", Q[r], Y[i], dtype=np.float64)
        ahead = c + bias[i] - score[best][r]
        own = cosine[best][r]
        tied = (c > own) | ((c == own) & (i < gold[best][r]))
        before = (ahead > RESOLUTION) | ((ahead >= -RESOLUTION) & tied)
        rank += np.bincount(r[before], minlength=len(Q))
    return rank
