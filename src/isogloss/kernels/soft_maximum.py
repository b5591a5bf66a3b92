"""The log-sum-exp of S along its rows, and its first two derivatives."""

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.engine import Progress, blocks, stream
from isogloss.kernels.tiles import ROWS, TILE
from isogloss.kernels.top_k import top_k

Array = npt.NDArray[Any]

HOTTEST = 1e5
"""A β beyond this is infinite: the rounding of a float32 product, 10⁻⁷ times β, would decide."""


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
    if beta > HOTTEST:
        top = top_k(Y, X, bias, 1, executor=executor, progress=progress).scores[:, 0]
        return SoftMaximum(top, top, np.zeros(len(top)))
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
    for tile in blocks(len(X), TILE):
        S = Y @ np.asarray(X[tile], np.float32).T
        if bias is not None:
            S += bias[tile]
        new = np.maximum(top, S.max(axis=1))
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
    value = top + np.log(sums[0] / len(X)) / beta
    if not derivatives:
        return value, np.empty(0), np.empty(0)
    mean = sums[1] / sums[0]
    return value, top + mean, np.maximum(sums[2] / sums[0] - mean**2, 0)
