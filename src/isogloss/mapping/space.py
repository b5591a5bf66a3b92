"""The shared space: what a fitted map is, and how rows are brought into it."""

from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from isogloss.engine import blocks
from isogloss.errors import IsoglossError
from isogloss.mapping.moments import Moments
from isogloss.vectors.unit import unit_rows

Array = npt.NDArray[Any]
Side = Literal["source", "target"]
_BLOCK = 4096


@dataclass(frozen=True, eq=False)
class Space:
    """A map of two languages into one space, where cosines compare their words.

    Attributes
    ----------
    source_map : float64 array, (d_x, r)
        V of eq. (2), or another map's matrix for the source.
    target_map : float64 array, (d_y, r)
        U of eq. (2), or another map's matrix for the target.
    singular_values : float64 array, (r,), or None
        Σ of eq. (2), falling; None where the directions have no order to drop them by.
    source_mean, target_mean : float64 array, (d_x,) and (d_y,), or None
        Subtracted from unit rows before the map.
    """

    source_map: Array
    target_map: Array
    singular_values: Array | None = None
    source_mean: Array | None = None
    target_mean: Array | None = None

    @property
    def n_components(self) -> int:
        """The number of directions kept, r."""
        return int(self.source_map.shape[1])

    @property
    def matrix(self) -> Array:
        """O = U Vᵀ of eq. (3), (d_y, d_x): it takes source rows into the target's space."""
        return self.target_map @ self.source_map.T

    @property
    def swapped(self) -> "Space":
        """The same space with source and target exchanged."""
        return Space(
            self.target_map,
            self.source_map,
            self.singular_values,
            self.target_mean,
            self.source_mean,
        )

    def truncated(self, n_components: int | None) -> "Space":
        """The space with only its first directions."""
        if n_components is None or n_components == self.n_components:
            return self
        if self.singular_values is None:
            raise IsoglossError(
                f"got n_components={n_components} for a map whose directions have no order, "
                "expected none; use the orthogonal map or CCA to drop dimensions"
            )
        if not 1 <= n_components <= self.n_components:
            raise IsoglossError(
                f"got n_components={n_components}, expected 1 to {self.n_components}: "
                "no more than the vectors have and the dictionary's pairs span"
            )
        r = n_components
        return replace(
            self,
            source_map=self.source_map[:, :r],
            target_map=self.target_map[:, :r],
            singular_values=self.singular_values[:r],
        )

    def project(self, rows: Array, side: Side) -> npt.NDArray[np.float32]:
        """Bring rows of one language into the shared space, unit again afterwards.

        Parameters
        ----------
        rows : array, (n, d)
            Rows of one side's own space, of any length; rows of zeros stay zeros.
        side : {"source", "target"}

        Returns
        -------
        float32 array, (n, r)
        """
        W = self.source_map if side == "source" else self.target_map
        mean = self.source_mean if side == "source" else self.target_mean
        if rows.ndim != 2 or rows.shape[1] != len(W):
            raise IsoglossError(
                f"got rows of shape {rows.shape} for the {side} side, expected (n, {len(W)}); "
                "pass vectors of the same model as those it was fitted on"
            )
        W = W.astype(np.float32)
        out = np.empty((len(rows), W.shape[1]), np.float32)
        for block in blocks(len(rows), _BLOCK):
            R = unit_rows(rows[block])
            if mean is not None:
                R -= np.where(R.any(axis=1, keepdims=True), mean.astype(np.float32), 0)
            out[block] = unit_rows(R @ W)
        return out


class Mapping(Protocol):
    """How a map is learnt from a dictionary's moments.

    Attributes
    ----------
    symmetric : bool
        Whether one map serves both directions; otherwise it is fitted once for each.
    """

    @property
    def symmetric(self) -> bool:
        """Whether one map serves both directions."""
        ...

    def fit(self, moments: Moments) -> Space:
        """The map, with all its directions."""
        ...
