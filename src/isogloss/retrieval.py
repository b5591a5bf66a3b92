"""Rows of one language in, the best rows of the other out, with probabilities."""

import math
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.engine import Progress
from isogloss.index import Builder, Exact, Index
from isogloss.kernels import HOTTEST, RESOLUTION, ranks, soft_maximum

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Found:
    """The best targets of each query, in the order (score, cosine, id).

    Attributes
    ----------
    ids : int64 array, (m, k)
    scores : float array, (m, k)
        S_ij - λ h_i.
    cosines : float array, (m, k)
        S_ij.
    log_probabilities : float64 array, (m, k)
        ln P(i | j) of eq. (6), over all targets.
    """

    ids: npt.NDArray[np.int64]
    scores: Array
    cosines: Array
    log_probabilities: npt.NDArray[np.float64]

    @property
    def probabilities(self) -> Array:
        """P(i | j)."""
        return np.exp(self.log_probabilities)


@dataclass(frozen=True, eq=False)
class Retriever:
    """Ranks target rows for query rows of the same space.

    Parameters
    ----------
    Y : array, (n, r)
        Target rows.
    penalty : float64 array, (n,)
        h_i of each target.
    beta, strength : float
        β and λ.
    build : Builder
        Makes the index.
    """

    Y: Array
    penalty: Array
    beta: float
    strength: float
    build: Builder = Exact

    @cached_property
    def bias(self) -> Array:
        """-λ h_i, (n,)."""
        return -self.strength * np.asarray(self.penalty, np.float64)

    @cached_property
    def index(self) -> Index:
        """The index of the target rows."""
        return self.build(self.Y, self.bias)

    def search(
        self,
        Q: Array,
        topn: int,
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Found:
        """The best targets of each row of Q (m × r).

        Parameters
        ----------
        Q : array, (m, r)
        topn : int
        executor, progress
            As everywhere.

        Returns
        -------
        Found
        """
        best = self.index.search(Q, topn, executor=executor, progress=progress)
        if self.beta > HOTTEST:
            log_p = self._limit(Q, best.scores, executor)
        else:
            log_p = self.beta * best.scores - self.log_alpha(Q, executor)
        return Found(best.ids, best.scores, best.cosines, np.minimum(log_p, 0.0))

    def _limit(self, Q: Array, scores: Array, executor: Executor | None = None) -> Array:
        """ln P of scores, (m, k), as β → ∞: all of it to the best target, or shared by its ties.

        Ties are looked for among the 256 best.
        """
        first = self.index.search(Q, 256, executor=executor).scores
        lowest = first[:, :1] - RESOLUTION
        ties = (first >= lowest).sum(axis=1, keepdims=True)
        return np.where(scores >= lowest, -np.log(ties), -np.inf)

    def log_alpha(self, Q: Array, executor: Executor | None = None) -> Array:
        """ln α_j of eq. (6), (m, 1): what makes the probabilities over all targets sum to one."""
        total = soft_maximum(Q, self.Y, self.beta, bias=self.bias, executor=executor)
        return (self.beta * total.value + math.log(len(self.Y)))[:, None]

    def log_probability(self, Q: Array, targets: Array) -> Array:
        """ln P(i | j) of given pairs: row j of Q (m × r) with target `targets[j]`."""
        S = np.einsum("ij,ij->i", Q, self.Y[targets], dtype=np.float64)
        scores = S + self.bias[targets]
        if self.beta > HOTTEST:
            return self._limit(Q, scores[:, None])[:, 0]
        log_p: Array = self.beta * scores - self.log_alpha(Q)[:, 0]
        return np.minimum(log_p, 0.0)

    def ranks(
        self,
        Q: Array,
        golds: list[Array],
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> npt.NDArray[np.int64]:
        """The rank, from 1, of each query's best right answer among all targets."""
        return ranks(Q, self.Y, self.bias, golds, executor=executor, progress=progress)
