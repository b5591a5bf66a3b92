"""The heavy blocked kernels: top-k, log-sum-exp and ranks of S, never the whole S.

All of them take rows that lie in one space, S = A Bᵀ, and go through it in tiles that fit the
cache. They trust their arguments: shapes and types were checked at the boundary.
"""

from concurrent.futures import Executor
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.engine import Progress, blocks, stream

Array = npt.NDArray[Any]

ROWS, TILE = 256, 2048
RESOLUTION = 2.0**-20
"""Scores closer than this are ties; a float32 product of unit rows is good to a tenth of it."""


@dataclass(frozen=True)
class Best:
    """The k best targets of each query, in the order (score, cosine, id).

    Attributes
    ----------
    ids : int64 array, (m, k)
    scores : float32 array, (m, k)
        Inner product + bias.
    cosines : float32 array, (m, k)
        The inner product alone.
    """

    ids: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float32]
    cosines: npt.NDArray[np.float32]


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
    b = np.zeros(len(Y), np.float32) if bias is None else bias.astype(np.float32)
    parts = list(
        stream(
            lambda rows: _top_k_block(Q[rows], Y, b, k),
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


def _top_k_block(Q: Array, Y: Array, bias: Array, k: int) -> Best:
    m = len(Q)
    Q = np.asarray(Q, np.float32)
    worst = np.full(m, -np.inf, np.float32)  # the k-th best score so far, less the resolution
    row = np.empty(0, np.int64)
    ids = np.empty(0, np.int64)
    score = cosine = np.empty(0, np.float32)
    for tile in blocks(len(Y), TILE):
        S = Q @ np.asarray(Y[tile], np.float32).T
        V = S + bias[tile]
        if V.shape[1] > k and np.isneginf(worst[0] if m else 0):
            kth = np.partition(V, V.shape[1] - k, axis=1)[:, V.shape[1] - k]
            worst = np.maximum(worst, kth - RESOLUTION)
        r, c = np.nonzero(worst[:, None] <= V)
        if len(r) == 0:
            continue
        row, ids = np.concatenate([row, r]), np.concatenate([ids, c + tile.start])
        score = np.concatenate([score, V[r, c]])
        cosine = np.concatenate([cosine, S[r, c]])
        order = np.lexsort((ids, -cosine, -np.rint(score / RESOLUTION), row))
        place = np.arange(len(order)) - np.searchsorted(row[order], row[order], side="left")
        kept = order[place < k]
        row, ids, score, cosine = row[kept], ids[kept], score[kept], cosine[kept]
        full = place[place < k] == k - 1
        worst[row[full]] = score[full] - RESOLUTION
    shape = (m, k)
    return Best(ids.reshape(shape), score.reshape(shape), cosine.reshape(shape))


@dataclass(frozen=True)
class SoftMaximum:
    """(1/β) ln mean_n exp(β S_in) per row i, with the softmax's mean and variance of S_in.

    Attributes
    ----------
    value : float64 array, (n,)
        Between the mean of S_in (β → 0) and its maximum (β → ∞).
    mean, variance : float64 array, (n,)
        The first two derivatives of ln mean exp(β S_in) by β; empty where not asked for.
    """

    value: npt.NDArray[np.float64]
    mean: npt.NDArray[np.float64]
    variance: npt.NDArray[np.float64]


def soft_maximum(
    Y: Array,
    X: Array,
    beta: float,
    *,
    bias: Array | None = None,
    derivatives: bool = False,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> SoftMaximum:
    """(1/β) ln mean_n exp(β (y_i·x_n + bias_n)) of each row y_i of Y (n × d), over X (m × d).

    The mean instead of the sum of eq. (6) shifts every i by the same (ln m)/β, which changes
    neither ranking nor probability, and keeps the value within the range of S for every β.
    """
    b = None if bias is None else bias.astype(np.float32)
    parts = list(
        stream(
            lambda rows: _soft_maximum_block(Y[rows], X, beta, b, derivatives),
            blocks(len(Y), ROWS) or [slice(0, 0)],
            executor=executor,
            progress=progress,
        )
    )
    return SoftMaximum(*(np.concatenate([p[i] for p in parts]) for i in range(3)))


def _soft_maximum_block(
    Y: Array, X: Array, beta: float, bias: Array | None, derivatives: bool
) -> tuple[Array, Array, Array]:
    Y = np.asarray(Y, np.float32)
    n = len(Y)
    top = np.full(n, -np.inf)
    sums = np.zeros((3, n))  # of exp(β(S - top)) times 1, S - top, (S - top)²
    hot = np.isinf(beta)
    for tile in blocks(len(X), TILE):
        S = Y @ np.asarray(X[tile], np.float32).T
        if bias is not None:
            S += bias[tile]
        new = np.maximum(top, S.max(axis=1))
        if hot:
            top = new
            continue
        shift = np.where(np.isinf(top), 0.0, top - new)
        top = new
        S -= top.astype(np.float32)[:, None]
        # Below β = 1, exp is so near to 1 that its digits beyond float32 are the answer.
        E = np.exp(S * np.float32(beta)) if beta >= 1 else np.expm1(S.astype(float) * beta) + 1
        scale = np.exp(beta * shift)
        old = sums * scale
        if derivatives:
            ES = E * S
            old[2] += shift * (2 * old[1] + shift * old[0])
            old[1] += shift * old[0]
            old[1] += ES.sum(axis=1)
            old[2] += np.einsum("ij,ij->i", ES, S)
        old[0] += E.sum(axis=1)
        sums = old
    if hot:
        return top, top if derivatives else np.empty(0), np.zeros(n if derivatives else 0)
    value = top + np.log(sums[0] / len(X)) / beta
    if not derivatives:
        return value, np.empty(0), np.empty(0)
    mean = sums[1] / sums[0]
    return value, top + mean, np.maximum(sums[2] / sums[0] - mean**2, 0)


@dataclass(frozen=True)
class SoftmaxMoments:
    """What the Newton steps need of P(i | j) ∝ exp(β S_ij + b_i), per query j.

    Attributes
    ----------
    log_normaliser : float64 array, (m,)
    S, SS : float64 array, (m,)
        Means of S_ij and its square under P.
    G : float64 array, (m, p)
        Means of the targets' numbers.
    SF : float64 array, (m, f)
        Means of S_ij times the targets' numbers.
    """

    log_normaliser: npt.NDArray[np.float64]
    S: npt.NDArray[np.float64]
    SS: npt.NDArray[np.float64]
    G: npt.NDArray[np.float64]
    SF: npt.NDArray[np.float64]


def softmax_moments(
    Q: Array,
    Y: Array,
    beta: float,
    b: Array,
    G: Array,
    F: Array,
    *,
    executor: Executor | None = None,
) -> SoftmaxMoments:
    """Moments under P(i | j) ∝ exp(β q_j·y_i + b_i), for Q (m × d), Y (n × d), G (n × p)."""
    parts = list(
        stream(
            lambda rows: _softmax_moments_block(Q[rows], Y, beta, b, G, F),
            blocks(len(Q), ROWS),
            executor=executor,
        )
    )
    return SoftmaxMoments(
        *(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(SoftmaxMoments))
    )


def _softmax_moments_block(
    Q: Array, Y: Array, beta: float, b: Array, G: Array, F: Array
) -> SoftmaxMoments:
    m, p, f = len(Q), G.shape[1], F.shape[1]
    top = np.full(m, -np.inf)
    total = np.zeros((m, 3 + p + f))
    ones = np.ones((len(Y), 1))
    right = np.concatenate([ones, G, F], axis=1).astype(np.float32)
    for tile in blocks(len(Y), TILE):
        S = Q @ Y[tile].T
        L = beta * S + b[tile].astype(np.float32)
        new = np.maximum(top, L.max(axis=1))
        total *= np.exp(np.where(np.isinf(top), 0.0, top - new))[:, None]
        top = new
        L -= top.astype(np.float32)[:, None]
        P = np.exp(L, out=L)
        total[:, : 1 + p] += P @ right[tile, : 1 + p]
        P *= S
        total[:, 1 + p] += P.sum(axis=1)
        total[:, 2 + p] += np.einsum("ij,ij->i", P, S)
        total[:, 3 + p :] += P @ right[tile, 1 + p :]
    Z = total[:, :1]
    E = total / Z
    return SoftmaxMoments(
        top + np.log(Z[:, 0]), E[:, 1 + p], E[:, 2 + p], E[:, 1 : 1 + p], E[:, 3 + p :]
    )


def ranks(
    Q: Array,
    Y: Array,
    bias: Array | None,
    golds: list[Array],
    *,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> npt.NDArray[np.int64]:
    """The 1-based rank of each query's best gold target, in the order (score, cosine, id)."""
    b = np.zeros(len(Y), np.float32) if bias is None else bias.astype(np.float32)
    parts = stream(
        lambda rows: _ranks_block(Q[rows], Y, b, golds[rows]),
        blocks(len(Q), ROWS),
        executor=executor,
        progress=progress,
    )
    return np.concatenate([np.empty(0, np.int64), *parts])


def _ranks_block(Q: Array, Y: Array, bias: Array, golds: list[Array]) -> Array:
    Q = np.asarray(Q, np.float32)
    key, cosine, at = np.empty((3, len(Q)))
    for j, gold in enumerate(golds):
        c = np.asarray(Y[gold], np.float32) @ Q[j]
        v = np.rint((c + bias[gold]) / RESOLUTION)
        best = np.lexsort((gold, -c, -v))[0]
        key[j], cosine[j], at[j] = v[best], c[best], gold[best]
    row = np.repeat(np.arange(len(golds)), [len(g) for g in golds])
    gold = np.concatenate(golds)
    rank = np.ones(len(Q), np.int64)
    for tile in blocks(len(Y), TILE):
        S = Q @ np.asarray(Y[tile], np.float32).T
        V = np.rint((S + bias[tile]) / np.float32(RESOLUTION))
        # The answers themselves never count: rounding could put one before itself.
        here = (gold >= tile.start) & (gold < tile.stop)
        V[row[here], gold[here] - tile.start] = -np.inf
        rank += (key[:, None] < V).sum(axis=1)
        r, c = np.nonzero(key[:, None] == V)
        first = (S[r, c] > cosine[r]) | ((S[r, c] == cosine[r]) & (c + tile.start < at[r]))
        rank += np.bincount(r[first], minlength=len(Q))
    return rank
