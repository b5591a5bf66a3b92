"""Means under P(i | j), for the Newton steps."""

from concurrent.futures import Executor
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.engine import blocks, stream
from isogloss.kernels.tiles import ROWS, TILE

Array = npt.NDArray[Any]


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
    """Moments under P(i | j) ∝ exp(β q_j·y_i + b_i), for Q (m × d), Y (n × d).

    G (n × p) and F (n × f) are the targets' numbers to take the means of."""
    parts = list(
        stream(
            lambda rows: _softmax_moments_block(Q[rows], Y, beta, b, G, F),
            blocks(len(Q), ROWS) or [slice(0, 0)],
            executor=executor,
        )
    )
    return SoftmaxMoments(
        *(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(SoftmaxMoments))
    )


def _softmax_moments_block(
    Q: Array, Y: Array, beta: float, b: Array, G: Array, F: Array
) -> SoftmaxMoments:
    Q = np.asarray(Q, np.float32)
    m, p, f = len(Q), G.shape[1], F.shape[1]
    top = np.full(m, -np.inf)
    total = np.zeros((m, 3 + p + f))
    ones = np.ones((len(Y), 1))
    right = np.concatenate([ones, G, F], axis=1).astype(np.float32)
    for tile in blocks(len(Y), TILE):
        S = Q @ np.asarray(Y[tile], np.float32).T
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
