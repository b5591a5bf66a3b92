"""The heavy blocked kernels: top-k, log-sum-exp and ranks of S, never the whole S.

All of them take rows that lie in one space, S = A Bᵀ, and go through it in tiles that fit the
cache. They trust their arguments: shapes and types were checked at the boundary.
"""

from isogloss.kernels.ranks import ranks
from isogloss.kernels.soft_maximum import HOTTEST, SoftMaximum, soft_maximum
from isogloss.kernels.softmax_moments import SoftmaxMoments, softmax_moments
from isogloss.kernels.tiles import RESOLUTION, ROWS, TILE
from isogloss.kernels.top_k import Best, top_k

__all__ = [
    "HOTTEST",
    "RESOLUTION",
    "ROWS",
    "TILE",
    "Best",
    "SoftMaximum",
    "SoftmaxMoments",
    "ranks",
    "soft_maximum",
    "softmax_moments",
    "top_k",
]
