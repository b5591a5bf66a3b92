"""One side of the matched pairs: which rows of the vectors they stand for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.vectors.unit import unit_rows


@dataclass(frozen=True, eq=False)
class Terms:
    """The entries of one side of a dictionary as rows of a vocabulary.

    Attributes
    ----------
    ids : int64 array, (n,)
        Entry k is word `ids[k]`; -1 where it is composed of several.
    composed : mapping from int to tuple of int
        The words of entry k, for each k with `ids[k] == -1`.
    """

    ids: npt.NDArray[np.int64]
    composed: Mapping[int, tuple[int, ...]]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def plain(self) -> npt.NDArray[np.bool_]:
        """Which entries are one word of the vocabulary, (n,)."""
        return self.ids >= 0

    def rows(
        self, V: npt.NDArray[Any], which: npt.NDArray[Any] | None = None
    ) -> npt.NDArray[np.float32]:
        """The entries' rows; a composed one's is the sum of its words' rows, of length one.

        Parameters
        ----------
        V : float32 array, (N, d)
            The unit rows of the whole vocabulary.
        which : int or bool array, optional
            Only these entries, (m,) of them; by default all n.

        Returns
        -------
        float32 array, (m, d)
            A new array.
        """
        at = np.arange(len(self)) if which is None else np.arange(len(self))[which]
        ids = self.ids[at]
        out = V[np.maximum(ids, 0)].astype(np.float32, copy=False)
        several = np.flatnonzero(ids < 0)
        for i, k in zip(several.tolist(), at[several].tolist(), strict=True):
            out[i] = V[list(self.composed[k])].sum(axis=0, dtype=np.float32)
        if len(several):
            out[several] = unit_rows(out[several])
        return out
