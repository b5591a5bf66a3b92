"""The inverse square root of a covariance, safe where it has no full rank."""

from typing import Any

import numpy as np
import numpy.typing as npt

FLOOR = 1e-10
"""Eigenvalues below this share of the largest are noise: their directions are left out."""


def whitening(C: npt.NDArray[Any], power: float = -0.5) -> npt.NDArray[np.float64]:
    """V Λ^power of C = V Λ Vᵀ, (d, rank): C^power in the basis of the eigenvectors."""
    w, V = np.linalg.eigh((C + C.T) / 2)
    kept = w > FLOOR * max(w[-1], 1e-300)
    out: npt.NDArray[np.float64] = (V[:, kept] * w[kept] ** power)[:, ::-1]
    return out
