"""Training words as they look when they are held out of the map."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.engine import Progress
from isogloss.mapping import Mapping, Moments, Space
from isogloss.probability import Fold

Array = npt.NDArray[Any]

MANY_WORDS = 2000
CANDIDATES = 4000
"""Targets drawn beside the right answers; each stands for its share of the vocabulary."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """A dictionary as arrays, seen from the language that is asked.

    Attributes
    ----------
    X, Y : float32 array, (n_x, d_x) and (n_y, d_y)
        Unit rows of the whole vocabularies.
    source, target : int64 array, (n,)
        The pairs that are one word on either side.
    moments : Moments
        Of all pairs, the composed ones too.
    """

    X: Array
    Y: Array
    source: npt.NDArray[np.int64]
    target: npt.NDArray[np.int64]
    moments: Moments

    @property
    def swapped(self) -> "Pairs":
        """The same dictionary asked the other way."""
        return Pairs(self.Y, self.X, self.target, self.source, self.moments.swapped)


@dataclass(frozen=True, eq=False)
class Held:
    """The words of one fold: a map without them, and the positions of their pairs."""

    space: Space
    pairs: npt.NDArray[np.int64]


def take(X: Array, sources: npt.NDArray[np.int64]) -> Array:
    """The rows of the sampled sources; X itself, and no copy of it, where they are all."""
    return X if len(sources) == len(X) else X[sources]


def hold_out(pairs: Pairs, mapping: Mapping, *, held_out: bool, seed: int) -> list[Held]:
    """Split the words into folds; a fold's map is fitted on the total's moments less its own.

    Folds are by source word, so that no word's second translation gives it away. From 2,000
    words on there are two folds, which costs least; below, five, so that the maps stay good.
    """
    words, word = np.unique(pairs.source, return_inverse=True)
    if not held_out or len(words) < 2:
        return [Held(mapping.fit(pairs.moments), np.arange(len(word)))]
    n_folds = 2 if len(words) >= MANY_WORDS else min(5, len(words))
    fold = (np.random.default_rng(seed).permutation(len(words)) % n_folds)[word]
    held = []
    for f in range(n_folds):
        at = np.flatnonzero(fold == f)
        own = Moments.of(pairs.X[pairs.source[at]], pairs.Y[pairs.target[at]])
        held.append(Held(mapping.fit(pairs.moments - own), at))
    return held


def make_folds(
    pairs: Pairs,
    held: Sequence[Held],
    sources: npt.NDArray[np.int64],
    *,
    n_components: int | None,
    max_words: int | None,
    seed: int,
    candidates: int = CANDIDATES,
) -> list[Fold]:
    """What `learn` needs of each fold: rows in the fold's space, right answers, other targets.

    Parameters
    ----------
    pairs : Pairs
    held : sequence of Held
    sources : int64 array, (m,)
        The source words that hub numbers are made of.
    n_components : int, optional
    max_words : int, optional
        At most so many words in all, drawn at random.
    seed : int
    candidates : int
        How many targets are drawn beside the right answers.

    Returns
    -------
    list of Fold
    """
    rng = np.random.default_rng(seed)
    n = len(pairs.Y)
    rank = np.log(np.arange(n) + 10.0)
    rank -= rank.mean()
    folds = []
    for part in held:
        at = part.pairs
        words = np.unique(pairs.source[at])
        if max_words is not None and len(words) > max_words // len(held):
            words = np.sort(rng.choice(words, max(1, max_words // len(held)), replace=False))
            at = at[np.isin(pairs.source[at], words)]
        answers, place = np.unique(pairs.target[at], return_inverse=True)
        others = np.setdiff1d(np.arange(n), answers, assume_unique=True)
        share = max(len(others) / candidates, 1.0)
        if share > 1:
            others = np.sort(rng.choice(others, candidates, replace=False))
        chosen = np.concatenate([answers, others])
        word_of = np.searchsorted(words, pairs.source[at])
        order = np.argsort(word_of, kind="stable")
        ends = np.cumsum(np.bincount(word_of, minlength=len(words)))[:-1]
        # A map that was fitted on few pairs may have fewer directions than the whole one.
        most = part.space.n_components
        space = part.space.truncated(most if n_components is None else min(most, n_components))
        folds.append(
            Fold(
                X=space.project(take(pairs.X, sources), "source"),
                Q=space.project(pairs.X[words], "source"),
                Y=space.project(pairs.Y[chosen], "target"),
                golds=np.split(place[order], ends),
                log_weight=np.repeat([0.0, np.log(share)], [len(answers), len(others)]),
                frequency=rank[chosen],
            )
        )
    return folds


def choose_components(
    both: Sequence[tuple[Pairs, Sequence[Held], npt.NDArray[np.int64]]],
    fit: Callable[[Sequence[Fold]], float],
    *,
    seed: int,
    progress: Progress | None = None,
) -> int:
    """The number of directions under which the words are most probable in both directions.

    Parameters
    ----------
    both : sequence of (Pairs, folds, sources)
        One for each direction.
    fit : callable
        The log-likelihood of folds once their temperatures are learnt.
    seed : int
    progress : callable, optional

    Returns
    -------
    int
    """
    full = both[0][1][0].space.n_components
    tried = sorted({max(1, round(full * share / 10)) for share in range(3, 11)})
    scores = []
    for done, r in enumerate(tried, 1):
        total = 0.0
        for pairs, held, sources in both:
            few = make_folds(
                pairs,
                held,
                sources[:5000],
                n_components=r,
                max_words=1000,
                seed=seed,
                candidates=CANDIDATES // 2,
            )
            total += fit(few)
        scores.append(total)
        if progress is not None:
            progress(done, len(tried))
    return tried[int(np.argmax(scores))]
