"""Conneau et al.'s correction (2018): cross-domain similarity local scaling."""

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from isogloss.engine import Progress
from isogloss.hubness.sources import Samples, choose_sources
from isogloss.kernels import SoftMaximum, top_k

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class CSLS:
    """h_i = ½ · the mean of the k largest S_in.

    Parameters
    ----------
    k : int
    n_samples : int, "all" or "auto"
        How many source words are looked at, the most frequent first.
    """

    k: int = 10
    n_samples: Samples = "auto"
    depends_on_beta: ClassVar[bool] = False

    def penalty(
        self,
        Y: Array,
        X: Array,
        beta: float,
        *,
        derivatives: bool = False,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> SoftMaximum:
        """h_i of each row of Y (n × d) over the rows of X (m × d)."""
        best = top_k(Y, X, None, self.k, executor=executor, progress=progress)
        h = 0.5 * best.cosines.mean(axis=1, dtype=np.float64)
        return SoftMaximum(h, h, np.zeros(len(h)))

    def sources(self, n_sources: int, n_targets: int, d: int, seed: int) -> Array:
        """All source words, or the most frequent where that is too many."""
        return choose_sources(n_sources, n_targets, d, self.n_samples, random=False, seed=seed)
