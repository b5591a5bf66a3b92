"""How S is cut up, and how near scores are ties."""

ROWS, TILE = 256, 2048
"""A tile of S is so large that exp, sums and selection find it in the cache."""

ROUNDING = 2.0**-18
"""Well above the error of a float32 product of unit rows; what is nearer is scored again."""

RESOLUTION = 2.0**-24
"""Scores closer than this are ties."""
