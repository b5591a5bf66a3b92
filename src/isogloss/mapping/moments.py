"""Second moments of a dictionary: all that a linear map needs, however many pairs there are."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Float = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over aligned rows x, y; they add over blocks and subtract over folds, exactly enough.

    Attributes
    ----------
    n : float
        The number of pairs, or the sum of their weights.
    x, y : float64 array, (d_x,) and (d_y,)
        Σ x and Σ y.
    xx, yy, yx : float64 array, (d_x, d_x), (d_y, d_y), (d_y, d_x)
        X_DᵀX_D, Y_DᵀY_D and M = Y_DᵀX_D of eq. (2).
    """

    n: float
    x: Float
    y: Float
    xx: Float
    yy: Float
    yx: Float

    @classmethod
    def of(cls, X_D: Array, Y_D: Array, weights: Array | None = None) -> "Moments":
        """The moments of aligned rows.

        Parameters
        ----------
        X_D, Y_D : array, (n, d_x) and (n, d_y)
        weights : array, (n,), optional
            How often each pair counts; by default once.
        """
        X, Y = X_D.astype(np.float64), Y_D.astype(np.float64)
        w = np.ones(len(X)) if weights is None else np.asarray(weights, np.float64)
        WX, WY = X * w[:, None], Y * w[:, None]
        return cls(float(w.sum()), WX.sum(axis=0), WY.sum(axis=0), X.T @ WX, Y.T @ WY, Y.T @ WX)

    @classmethod
    def total(cls, parts: "Iterable[Moments]") -> "Moments":
        """The sum of moments; at least one."""
        first, *rest = parts
        for part in rest:
            first = first + part
        return first

    def __add__(self, other: "Moments") -> "Moments":
        return self._with(other, 1.0)

    def __sub__(self, other: "Moments") -> "Moments":
        return self._with(other, -1.0)

    def __mul__(self, weight: float) -> "Moments":
        w = float(weight)
        return Moments(*(w * part for part in self._parts()))

    def _parts(self) -> "tuple[Any, ...]":
        return self.n, self.x, self.y, self.xx, self.yy, self.yx

    def _with(self, other: "Moments", sign: float) -> "Moments":
        return Moments(*(a + sign * b for a, b in zip(self._parts(), other._parts(), strict=True)))

    @property
    def swapped(self) -> "Moments":
        """The moments with source and target exchanged."""
        return Moments(self.n, self.y, self.x, self.yy, self.xx, self.yx.T)

    @property
    def means(self) -> tuple[Float, Float]:
        """The mean rows of the two sides."""
        n = max(self.n, 1e-300)
        return self.x / n, self.y / n

    @property
    def centred(self) -> "Moments":
        """The moments of the rows less their means."""
        mx, my = self.means
        return Moments(
            self.n,
            np.zeros_like(self.x),
            np.zeros_like(self.y),
            self.xx - np.outer(mx, self.x),
            self.yy - np.outer(my, self.y),
            self.yx - np.outer(my, self.x),
        )
