"""Which source words a hub number is made of."""

from numbers import Integral
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from isogloss.errors import IsoglossError

AFFORDABLE = 2.5e13
"""Floating-point operations that one pass may take: some two minutes on two cores."""

Samples = int | Literal["auto", "all"]


def choose_sources(
    n_sources: int, n_targets: int, d: int, n_samples: Samples, *, random: bool, seed: int
) -> npt.NDArray[np.int64]:
    """The positions of the sampled source words, rising.

    Parameters
    ----------
    n_sources, n_targets, d : int
        The size of the pass of all targets × all sources.
    n_samples : int, "all" or "auto"
        "auto" is all of them where `AFFORDABLE` allows, else as many as it does.
    random : bool
        Drawn at random, as the paper does, instead of the first and so most frequent.
    seed : int

    Returns
    -------
    int64 array
    """
    if n_samples == "all":
        n = n_sources
    elif n_samples == "auto":
        n = min(n_sources, max(1, int(AFFORDABLE / (2.0 * max(n_targets, 1) * max(d, 1)))))
    elif isinstance(n_samples, Integral) and not isinstance(n_samples, bool) and n_samples >= 1:
        n = min(int(n_samples), n_sources)
    else:
        raise IsoglossError(f'got n_samples={n_samples!r}, expected a number, "all" or "auto"')
    if random and n < n_sources:
        chosen: Any = np.random.default_rng(seed).choice(n_sources, n, replace=False)
        return np.sort(chosen)
    return np.arange(n)
