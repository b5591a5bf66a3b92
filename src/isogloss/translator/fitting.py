"""The stages of a fit, in the order of the paper."""

import logging
import math
from concurrent.futures import Executor
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.dictionary import WordPairs
from isogloss.engine import Progress, Stages, stage, threads
from isogloss.errors import DictionaryError, IsoglossError
from isogloss.mapping import Moments, Space
from isogloss.probability import Learnt
from isogloss.recipes import Recipe
from isogloss.translator.folds import Pairs, choose_components, take
from isogloss.translator.model import Direction, InputInfo, LearntInfo, Model, ModelInfo
from isogloss.translator.way import Way, make_way
from isogloss.vectors import Vectors, unit_rows

Array = npt.NDArray[Any]
_log = logging.getLogger(__name__)


def fit_model(
    recipe: Recipe,
    source: Vectors,
    target: Vectors,
    dictionary: WordPairs,
    *,
    seed: int = 0,
    progress: Stages | None = None,
) -> Model:
    """Fit the map, learn the temperatures, and give every target its hub number.

    Parameters
    ----------
    recipe : Recipe
    source, target : Vectors
    dictionary : WordPairs
    seed : int
    progress : callable, optional

    Returns
    -------
    Model
    """
    matched = dictionary.match(source.words, target.words)
    X, Y = unit_rows(source.vectors), unit_rows(target.vectors)
    X_D, Y_D = matched.source.rows(X), matched.target.rows(Y)
    if not (X_D.any() and Y_D.any()):
        raise DictionaryError(
            "got only rows of zeros for the dictionary's words on one side, expected vectors; "
            "look at the vectors' file"
        )
    plain = matched.source.plain & matched.target.plain
    tell, names = partial(stage, progress), ("forward", "backward")
    with threads() as executor:
        moments = Moments.of(X_D, Y_D)
        ask = Pairs(X, Y, matched.source.ids[plain], matched.target.ids[plain], moments)
        ways = make_way(recipe, ask, seed), make_way(recipe, ask.swapped, seed)
        r = _components(recipe, ways, seed, executor, tell("dimensions"))
        space = recipe.mapping.fit(moments).truncated(r)
        if space.n_components == 0:
            raise DictionaryError(
                "got a dictionary whose pairs all have the same vectors, expected different ones: "
                "no direction is left to learn; add pairs"
            )
        if recipe.mapping.symmetric:
            back = space.swapped
        else:
            back = recipe.mapping.fit(moments.swapped).truncated(r)
        learnt = [
            way.learn(r, executor, tell(f"temperatures {name}"))
            for way, name in zip(ways, names, strict=True)
        ]
        rows = _rows(X, Y, space, back, recipe.mapping.symmetric)
        forward, backward = (
            _direction(way, *rows[at], learnt[at], executor, tell(f"hub numbers {name}"))
            for at, (way, name) in enumerate(zip(ways, names, strict=True))
        )
        held_out = np.full(len(matched), np.nan)
        held_out[plain] = ways[0].held_out(r, learnt[0], executor)
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
        dictionary=dictionary.path,
        dictionary_checksum=_checksum(dictionary),
        pairs=matched.report,
        n_components=space.n_components,
        cosine_before=before,
        cosine_after=float(after.mean()),
        forward=_learnt(learnt[0], len(ways[0].sources), "source to target"),
        backward=_learnt(learnt[1], len(ways[1].sources), "target to source"),
    )
    return Model(
        source.words,
        target.words,
        space,
        back,
        forward,
        backward,
        pairs=np.stack([matched.source.ids, matched.target.ids], axis=1),
        held_out=held_out,
        info=info,
    )


def _direction(
    way: Way, X: Array, Y: Array, learnt: Learnt, executor: Executor, progress: Progress | None
) -> Direction:
    """One direction with its hub numbers, h_i of every target."""
    h = way.recipe.correction.penalty(
        Y, take(X, way.sources), learnt.beta, executor=executor, progress=progress
    )
    return Direction(X, Y, h.value, learnt.beta, learnt.strength)


def _components(
    recipe: Recipe, ways: tuple[Way, Way], seed: int, executor: Executor, progress: Progress | None
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
        lambda folds: ways[0].temperatures(folds, executor).log_likelihood,
        seed=seed,
        progress=progress,
    )


def _rows(
    X: Array, Y: Array, space: Space, back: Space, symmetric: bool
) -> list[tuple[Array, Array]]:
    """The rows asked and the rows that answer, for both directions."""
    ours, theirs = space.project(X, "source"), space.project(Y, "target")
    if symmetric:
        return [(ours, theirs), (theirs, ours)]
    return [(ours, theirs), (back.project(Y, "source"), back.project(X, "target"))]


def _settings(recipe: Recipe) -> dict[str, Any]:
    return {
        "mapping": repr(recipe.mapping),
        "correction": repr(recipe.correction),
        "strength": recipe.strength,
        "beta": recipe.beta,
        "n_components": recipe.n_components,
        "held_out": recipe.held_out,
    }


def _checksum(pairs: WordPairs) -> str:
    text = "".join(f"{source}\t{target}\n" for source, target in pairs)
    return f"sha256:{sha256(text.encode('utf-8', 'surrogateescape')).hexdigest()}"


def _input(vectors: Vectors) -> InputInfo:
    report = vectors.report
    return InputInfo(
        path=report.path,
        format=report.format,
        checksum=report.checksum,
        words=len(vectors),
        vector_size=vectors.vector_size,
    )


def _learnt(learnt: Learnt, sources: int, direction: str) -> LearntInfo:
    if learnt.note:
        _log.warning("%s: %s", direction, learnt.note)
    return LearntInfo(
        beta=None if math.isinf(learnt.beta) else learnt.beta,
        strength=learnt.strength,
        log_likelihood=None if math.isnan(learnt.log_likelihood) else learnt.log_likelihood,
        words=learnt.words,
        steps=learnt.steps,
        sources=sources,
        note=learnt.note,
    )
