"""Faruqui and Dyer's map (2014): canonical correlation, the baseline of the paper's section 3."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.mapping.inverse_root import whitening
from isogloss.mapping.moments import Moments
from isogloss.mapping.space import Space


@dataclass(frozen=True)
class CCA:
    """Centre, whiten each side, then the paper's own rotation: exact, from moments alone."""

    symmetric: ClassVar[bool] = True

    def fit(self, moments: Moments) -> Space:
        """With X_D = Q Σ_X V_Xᵀ and Y_D = R Σ_Y V_Yᵀ centred: the SVD of RᵀQ.

        Parameters
        ----------
        moments : Moments

        Returns
        -------
        Space
            Its singular values are the canonical correlations, falling.
        """
        c = moments.centred
        A, B = whitening(c.xx, moments.xx), whitening(c.yy, moments.yy)
        U, s, Vt = np.linalg.svd(B.T @ c.yx @ A, full_matrices=False)
        return Space(A @ Vt.T, B @ U, s, *moments.means)
