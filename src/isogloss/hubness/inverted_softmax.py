"""The paper's correction, eq. (6): normalise over source words."""

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy.typing as npt

from isogloss.engine import Progress
from isogloss.hubness.sources import Samples, choose_sources
from isogloss.kernels import SoftMaximum, soft_maximum

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class InvertedSoftmax:
    """h_i = (1/β) ln mean_n exp(β S_in), and max_n S_in where β is infinite.

    Parameters
    ----------
    n_samples : int, "all" or "auto"
        How many source words the mean runs over; "auto" is all where that is affordable.
    random : bool
        Whether a sample is drawn at random (the paper) or is the most frequent words.
    """

    n_samples: Samples = "auto"
    random: bool = False
    depends_on_beta: ClassVar[bool] = True

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
        return soft_maximum(
            Y, X, beta, derivatives=derivatives, executor=executor, progress=progress
        )

    def sources(self, n_sources: int, n_targets: int, d: int, seed: int) -> Array:
        """The sampled source words."""
        return choose_sources(
            n_sources, n_targets, d, self.n_samples, random=self.random, seed=seed
        )
