"""The paper's map: orthogonal Procrustes, eq. (1) to (4)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.mapping.moments import Moments
from isogloss.mapping.space import Space


@dataclass(frozen=True)
class Orthogonal:
    """max over O of Σ yᵀ O x with OᵀO = I: O = U Vᵀ of M = Y_DᵀX_D = U Σ Vᵀ.

    Parameters
    ----------
    center : bool
        Subtract the dictionary's mean rows first; they are kept with the map.
    """

    center: bool = False
    symmetric: ClassVar[bool] = True

    def fit(self, moments: Moments) -> Space:
        """Eq. (2): one SVD of a d × d matrix, whatever the number of pairs.

        Parameters
        ----------
        moments : Moments
            Of unit rows.

        Returns
        -------
        Space
            With min(d_x, d_y) directions, their singular values falling.
        """
        M = moments.centred.yx if self.center else moments.yx
        U, s, Vt = np.linalg.svd(M, full_matrices=False)
        source_mean, target_mean = moments.means if self.center else (None, None)
        return Space(Vt.T, U, s, source_mean, target_mean)
