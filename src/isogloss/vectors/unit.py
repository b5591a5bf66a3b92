"""Rows of length one."""

from typing import Any

import numpy as np
import numpy.typing as npt

_BLOCK = 4096


def unit_rows(V: npt.NDArray[Any], dtype: npt.DTypeLike = np.float32) -> npt.NDArray[Any]:
    """The rows divided by their lengths; rows of zeros stay zeros.

    Parameters
    ----------
    V : float array, (n, d)
    dtype : float type
        The type of the result.

    Returns
    -------
    array, (n, d)
        A new array.
    """
    out = np.empty(V.shape, dtype=dtype)
    for a in range(0, len(V), _BLOCK):
        B = V[a : a + _BLOCK].astype(np.float32 if V.dtype.itemsize <= 4 else np.float64)
        # Scaled by a power of two, which changes no digit, squares neither overflow nor vanish.
        peak = np.abs(B).max(axis=1, initial=0, keepdims=True)
        B = np.ldexp(B, -np.frexp(peak)[1])
        norm = np.sqrt(np.einsum("ij,ij->i", B, B))[:, None]
        norm[norm == 0] = 1
        np.divide(B, norm, out=out[a : a + _BLOCK], casting="same_kind")
    return out
