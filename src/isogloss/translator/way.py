"""One direction while it is being fitted."""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.engine import Progress
from isogloss.probability import Fold, Learnt, learn, log_likelihood
from isogloss.recipes import Recipe
from isogloss.translator.folds import Held, Pairs, hold_out, make_folds

Array = npt.NDArray[Any]

WORDS = 2000
"""So many words are enough to learn two numbers from: their error is then below a percent."""
CHECKED_SOURCES = 5000
"""So many of the hub number's sources serve the held-out probabilities that `check` shows."""


@dataclass(frozen=True, eq=False)
class Way:
    """One direction: its pairs, its held-out words, and the sources of its hub numbers.

    Attributes
    ----------
    recipe : Recipe
    pairs : Pairs
        Seen from the language that is asked.
    sources : int64 array, (m,)
    held : list of Held
    seed : int
    """

    recipe: Recipe
    pairs: Pairs
    sources: npt.NDArray[np.int64]
    held: list[Held]
    seed: int

    def temperatures(
        self,
        folds: Sequence[Fold],
        executor: Executor,
        progress: Progress | None = None,
    ) -> Learnt:
        """β and λ as the recipe wants them."""
        beta, strength = self.recipe.beta, self.recipe.strength
        return learn(
            folds,
            self.recipe.correction,
            beta=None if beta == "learnt" else float(beta),
            strength=None if strength == "learnt" else float(strength),
            executor=executor,
            progress=progress,
        )

    def learn(
        self,
        n_components: int | None,
        executor: Executor,
        progress: Progress | None,
    ) -> Learnt:
        """β and λ of this direction, eq. (7)."""
        folds = make_folds(
            self.pairs,
            self.held,
            self.sources,
            n_components=n_components,
            max_words=WORDS,
            seed=self.seed,
        )
        return self.temperatures(folds, executor, progress)

    def held_out(self, n_components: int | None, learnt: Learnt, executor: Executor) -> Array:
        """ln P of each pair under a map without its source word, over sampled candidates."""
        out: Array = np.full(len(self.pairs.source), np.nan)
        if len(np.unique(self.pairs.source)) < 2:
            return out  # nothing is left to fit a map on without the one word
        held = self.held
        if not self.recipe.held_out:
            held = hold_out(self.pairs, self.recipe.mapping, held_out=True, seed=self.seed)
        folds = make_folds(
            self.pairs,
            held,
            self.sources[:CHECKED_SOURCES],
            n_components=n_components,
            max_words=None,
            seed=self.seed,
        )
        for part, fold in zip(held, folds, strict=True):
            answers = log_likelihood(
                fold, self.recipe.correction, learnt.beta, learnt.strength, executor=executor
            )
            order = np.argsort(self.pairs.source[part.pairs], kind="stable")
            out[part.pairs[order]] = np.concatenate(answers)
        return np.minimum(out, 0.0)


def make_way(recipe: Recipe, pairs: Pairs, seed: int) -> Way:
    """One direction of a fit, with its words split into folds."""
    n, d = pairs.Y.shape
    sources = recipe.correction.sources(len(pairs.X), n, d, seed)
    held = hold_out(pairs, recipe.mapping, held_out=recipe.held_out, seed=seed)
    return Way(recipe, pairs, sources, held, seed)
