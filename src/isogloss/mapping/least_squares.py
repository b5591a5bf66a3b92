"""Mikolov's map (2013): least squares, the baseline of the paper's section 3."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isogloss.mapping.inverse_root import whitening
from isogloss.mapping.moments import Moments
from isogloss.mapping.space import Space


@dataclass(frozen=True)
class LeastSquares:
    """min over W of Σ ‖y - W x‖²: W = Y_DᵀX_D (X_DᵀX_D)⁻¹, another W for each direction."""

    symmetric: ClassVar[bool] = False

    def fit(self, moments: Moments) -> Space:
        """W and the identity, (d_x, d_y) and (d_y, d_y).

        Parameters
        ----------
        moments : Moments

        Returns
        -------
        Space
            Its directions have no order, so none can be dropped.
        """
        R = whitening(moments.xx, moments.xx)
        W = (moments.yx @ R) @ R.T
        return Space(W.T, np.eye(len(moments.y)))
