"""What an index is: the top-k of inner product + one number per target."""

from concurrent.futures import Executor
from typing import Any, Protocol

import numpy.typing as npt

from isogloss.engine import Progress
from isogloss.kernels import Best

Array = npt.NDArray[Any]


class Index(Protocol):
    """Finds the targets i with the largest q·y_i + b_i."""

    def search(
        self,
        Q: Array,
        topn: int,
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Best:
        """The best targets of each row of Q (m × r)."""
        ...


class Builder(Protocol):
    """Makes an index of target rows and their numbers."""

    def __call__(self, Y: Array, bias: Array | None) -> Index:
        """An index of the rows of Y (n × r)."""
        ...
