"""Every target is looked at."""

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from isogloss.engine import Progress
from isogloss.kernels import Best, top_k

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Exact:
    """The exact top-k.

    Parameters
    ----------
    Y : array, (n, r)
    bias : array, (n,), or None
    """

    Y: Array
    bias: Array | None

    def search(
        self,
        Q: Array,
        topn: int,
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Best:
        """The best targets of each row of Q (m × r), in the order (score, cosine, id)."""
        return top_k(Q, self.Y, self.bias, topn, executor=executor, progress=progress)
