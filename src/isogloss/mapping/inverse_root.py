"""The inverse square root of a covariance, safe where it has no full rank."""

from typing import Any

import numpy as np
import numpy.typing as npt

FLOOR, NOISE = 1e-10, 1e-13


def whitening(C: npt.NDArray[Any], uncentred: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """V Λ^-½ of C = V Λ Vᵀ, (d, rank): rows times it have the identity for their covariance.

    Directions whose eigenvalue is below 10⁻¹⁰ of the largest are left out, and those below the
    rounding errors that centring leaves of the uncentred moments.
    """
    w, V = np.linalg.eigh((C + C.T) / 2)
    kept = (w > FLOOR * w[-1]) & (w > NOISE * np.trace(uncentred))
    out: npt.NDArray[np.float64] = (V[:, kept] * w[kept] ** -0.5)[:, ::-1]
    return out
