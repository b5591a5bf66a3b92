"""What a hub correction is: one number per target."""

from concurrent.futures import Executor
from typing import Any, Protocol

import numpy.typing as npt

from isogloss.engine import Progress
from isogloss.kernels import SoftMaximum

Array = npt.NDArray[Any]


class Correction(Protocol):
    """h_i, one number per target, subtracted (times the strength λ) from S_ij."""

    @property
    def depends_on_beta(self) -> bool:
        """Whether the number changes with β."""
        ...

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
        """h_i of each row of Y (n × d), over the rows of X (m × d), both in the shared space.

        Returns
        -------
        SoftMaximum
            Its value is h; its mean and variance are the first two derivatives of β·h by β.
        """
        ...

    def sources(self, n_sources: int, n_targets: int, d: int, seed: int) -> Array:
        """Which of the source words the number is made of, rising."""
        ...
