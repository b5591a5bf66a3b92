"""The stages of a fit, in the order of the paper."""

import logging
import math
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.dictionary import Matched
from isogloss.engine import threads
from isogloss.errors import DictionaryError, IsoglossError
from isogloss.mapping import Moments, Space
from isogloss.probability import Fold, Learnt, learn, log_likelihood
from isogloss.recipes import Recipe
from isogloss.translator.folds import Held, Pairs, choose_components, hold_out, make_folds
from isogloss.translator.model import Direction, InputInfo, LearntInfo, Model, ModelInfo
from isogloss.vectors import Vectors, unit_rows

Array = npt.NDArray[Any]
Progress = Callable[[str, int, int | None], None]
"""Told the stage, how much of it is done, and how much there is in all."""

WORDS = 2000
"""So many words are enough to learn two numbers from: their error is then below a percent."""
_log = logging.getLogger(__name__)


def fit_model(
    recipe: Recipe,
    source: Vectors,
    target: Vectors,
    matched: Matched,
    *,
    seed: int = 0,
    dictionary: str | None = None,
    progress: Progress | None = None,
) -> Model:
    """Fit the map, learn the temperatures, and give every target its hub number.

    Parameters
    ----------
    recipe : Recipe
    source, target : Vectors
    matched : Matched
        The dictionary's pairs, found in the vocabularies.
    seed : int
    dictionary : str, optional
        Where the pairs came from.
    progress : callable, optional

    Returns
    -------
    Model
    """
    X, Y = unit_rows(source.vectors), unit_rows(target.vectors)
    X_D, Y_D = matched.source.rows(X), matched.target.rows(Y)
    if not (X_D.any() and Y_D.any()):
        raise DictionaryError(
            "got only rows of zeros for the dictionary's words on one side, expected vectors; "
            "look at the vectors' file"
        )
    moments = Moments.of(X_D, Y_D)
    plain = matched.source.plain & matched.target.plain
    ask = Pairs(X, Y, matched.source.ids[plain], matched.target.ids[plain], moments)
    tell = partial(_tell, progress)
    with threads() as executor:
        forward = _Way(recipe, ask, seed)
        backward = _Way(recipe, ask.swapped, seed)
        r = _components(recipe, (forward, backward), seed, executor, tell("dimensions"))
        space = recipe.mapping.fit(moments).truncated(r)
        if recipe.mapping.symmetric:
            back = space.swapped
        else:
            back = recipe.mapping.fit(moments.swapped).truncated(r)
        learnt = [
            way.learn(r, executor, tell(f"temperatures {name}"))
            for way, name in ((forward, "forward"), (backward, "backward"))
        ]
        rows = _rows(X, Y, space, back, recipe.mapping.symmetric)
        directions = [
            Direction(
                *rows[at],
                recipe.correction.penalty(
                    rows[at][1],
                    rows[at][0][way.sources],
                    learnt[at].beta,
                    executor=executor,
                    progress=tell(f"hub numbers {name}"),
                ).value,
                learnt[at].beta,
                learnt[at].strength,
            )
            for at, (way, name) in enumerate(((forward, "forward"), (backward, "backward")))
        ]
        held_out = np.full(len(matched), np.nan)
        held_out[plain] = forward.held_out(r, learnt[0], executor)
    before = None
    if X.shape[1] == Y.shape[1]:
        before = float(np.einsum("ij,ij->i", X_D, Y_D).mean())
    after = np.einsum("ij,ij->i", space.project(X_D, "source"), space.project(Y_D, "target"))
    info = ModelInfo(
        recipe=recipe.name,
        settings=_settings(recipe),
        seed=seed,
        source=_input(source),
        target=_input(target),
        dictionary=dictionary,
        pairs=matched.report,
        n_components=space.n_components,
        cosine_before=before,
        cosine_after=float(after.mean()),
        forward=_learnt(learnt[0], len(forward.sources)),
        backward=_learnt(learnt[1], len(backward.sources)),
    )
    return Model(
        source.words,
        target.words,
        space,
        back,
        directions[0],
        directions[1],
        pairs=np.stack([matched.source.ids, matched.target.ids], axis=1),
        held_out=held_out,
        info=info,
    )


class _Way:
    """One direction while it is being fitted: its held-out words and its sampled sources."""

    def __init__(self, recipe: Recipe, pairs: Pairs, seed: int) -> None:
        self.recipe, self.pairs, self.seed = recipe, pairs, seed
        n, d = pairs.Y.shape
        self.sources = recipe.correction.sources(len(pairs.X), n, d, seed)
        self.held: list[Held] = hold_out(pairs, recipe.mapping, held_out=recipe.held_out, seed=seed)

    def temperatures(self, folds: list[Fold], executor: Executor, tell: Any = None) -> Learnt:
        beta, strength = self.recipe.beta, self.recipe.strength
        return learn(
            folds,
            self.recipe.correction,
            beta=None if beta == "learnt" else float(beta),
            strength=None if strength == "learnt" else float(strength),
            executor=executor,
            progress=tell,
        )

    def learn(self, r: int | None, executor: Executor, tell: Any) -> Learnt:
        folds = make_folds(
            self.pairs, self.held, self.sources, n_components=r, max_words=WORDS, seed=self.seed
        )
        return self.temperatures(folds, executor, tell)

    def held_out(self, r: int | None, learnt: Learnt, executor: Executor) -> Array:
        """ln P of each pair under a map without its source word, over sampled candidates."""
        held = self.held
        if not self.recipe.held_out:
            held = hold_out(self.pairs, self.recipe.mapping, held_out=True, seed=self.seed)
        out = np.full(len(self.pairs.source), np.nan)
        folds = make_folds(
            self.pairs,
            held,
            self.sources[:5000],
            n_components=r,
            max_words=None,
            seed=self.seed,
        )
        for part, fold in zip(held, folds, strict=True):
            answers = log_likelihood(
                fold,
                self.recipe.correction,
                learnt.beta,
                learnt.strength,
                executor=executor,
            )
            order = np.argsort(self.pairs.source[part.pairs], kind="stable")
            out[part.pairs[order]] = np.concatenate(answers)
        held_out: Array = np.minimum(out, 0.0)
        return held_out


def _components(
    recipe: Recipe, ways: tuple[_Way, _Way], seed: int, executor: Executor, tell: Any
) -> int | None:
    if recipe.n_components != "learnt":
        return recipe.n_components
    if ways[0].held[0].space.singular_values is None:
        raise IsoglossError(
            'got n_components="learnt" for a map whose directions have no order, expected none; '
            "use the orthogonal map or CCA to drop dimensions"
        )
    return choose_components(
        [(way.pairs, way.held, way.sources) for way in ways],
        recipe.correction,
        lambda folds: ways[0].temperatures(list(folds), executor).log_likelihood,
        seed=seed,
        progress=tell,
    )


def _rows(
    X: Array, Y: Array, space: Space, back: Space, symmetric: bool
) -> list[tuple[Array, Array]]:
    """The rows asked and the rows that answer, for both directions."""
    ours, theirs = space.project(X, "source"), space.project(Y, "target")
    if symmetric:
        return [(ours, theirs), (theirs, ours)]
    return [(ours, theirs), (back.project(Y, "source"), back.project(X, "target"))]


def _tell(progress: Progress | None, stage: str) -> Callable[[int, int | None], None] | None:
    return None if progress is None else partial(progress, stage)


def _settings(recipe: Recipe) -> dict[str, Any]:
    return {
        "mapping": repr(recipe.mapping),
        "correction": repr(recipe.correction),
        "strength": recipe.strength,
        "beta": recipe.beta,
        "n_components": recipe.n_components,
        "held_out": recipe.held_out,
    }


def _input(vectors: Vectors) -> InputInfo:
    report = vectors.report
    return InputInfo(
        path=report.path,
        format=report.format,
        checksum=report.checksum,
        words=len(vectors),
        vector_size=vectors.vector_size,
    )


def _learnt(learnt: Learnt, sources: int) -> LearntInfo:
    if learnt.note:
        _log.warning("%s", learnt.note)
    return LearntInfo(
        beta=None if math.isinf(learnt.beta) else learnt.beta,
        strength=learnt.strength,
        log_likelihood=None if math.isnan(learnt.log_likelihood) else learnt.log_likelihood,
        words=learnt.words,
        steps=learnt.steps,
        sources=sources,
        note=learnt.note,
    )
