"""The estimator: fit, translate, transform, evaluate, save, load.

Examples
--------
>>> import isogloss as iso
>>> en, it, train, test = iso.sample()
>>> model = iso.Translator().fit(en, it, train)
>>> [t.word for t in model.translate(["january"], topn=1)[0].translations]
['gennaio']
"""

from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.dictionary import WordPairs
from isogloss.engine import Stages
from isogloss.errors import IsoglossError, ModelError
from isogloss.evaluation import Report
from isogloss.mapping import Side, Space
from isogloss.recipes import Recipe, recipe
from isogloss.translator.answers import Answer, Translation, lexicon, translate
from isogloss.translator.checking import Doubt, check
from isogloss.translator.fitting import fit_model
from isogloss.translator.model import Model, ModelInfo
from isogloss.translator.saved import load_model, save_model
from isogloss.translator.scoring import Scored, score
from isogloss.vectors import Vectors, as_vectors

__all__ = ["Answer", "Doubt", "Scored", "Translation", "Translator", "__version__", "load"]

try:
    __version__ = version("isogloss")
except PackageNotFoundError:  # run from a folder, without an installation
    __version__ = "0+unknown"


class Translator:
    """Two languages on one map.

    Parameters
    ----------
    recipe : str or Recipe
        ``"best"`` (the default), ``"paper"``, ``"isf"``, ``"nn"``, ``"csls"``, ``"mikolov"``,
        ``"faruqui"``, or one of your own.
    random_state : int
        The seed of everything that is drawn.
    **overrides
        Settings of the recipe to replace: ``mapping``, ``correction``, ``strength``, ``beta``,
        ``n_components``, ``held_out``, ``n_samples``, ``k``, ``center``.

    Attributes
    ----------
    model_ : Model
        Everything that was learnt, once fitted.
    """

    def __init__(
        self, recipe: str | Recipe = "best", *, random_state: int = 0, **overrides: Any
    ) -> None:
        self.recipe = recipe
        self.random_state = random_state
        self.overrides = overrides
        self.model_: Model

    def fit(
        self, source: Any, target: Any, dictionary: Any, *, progress: Stages | None = None
    ) -> "Translator":
        """Learn the map from a dictionary, then β and λ and the hub numbers, both ways.

        Parameters
        ----------
        source, target : Vectors, gensim KeyedVectors, (words, array) or path
            Vectors of (n_x, d_x) and (n_y, d_y); the sizes may differ.
        dictionary : WordPairs, path, or iterable of (str, str)
        progress : callable, optional
            Called with (stage, done, in all or None).

        Returns
        -------
        Translator
            Itself.

        Raises
        ------
        DictionaryError
            Where no pair of the dictionary is in both vocabularies.
        """
        chosen = recipe(self.recipe, **self.overrides)
        seed = self.random_state
        if not isinstance(seed, int | np.integer) or seed < 0:
            raise IsoglossError(f"got random_state={seed!r}, expected a whole number from 0")
        x, y = as_vectors(source), as_vectors(target)
        self.model_ = fit_model(chosen, x, y, _pairs(dictionary), seed=int(seed), progress=progress)
        return self

    @property
    def fitted(self) -> Model:
        """What was learnt; an error where nothing was yet."""
        if not hasattr(self, "model_"):
            raise ModelError("got a translator that is not fitted; call fit or load first")
        return self.model_

    @property
    def info(self) -> ModelInfo:
        """How the model was made and what was learnt, as plain data."""
        return self.fitted.info

    @property
    def space(self) -> Space:
        """The map from source to target, eq. (2) and (3)."""
        return self.fitted.forward_space

    def translate(
        self, words: str | Iterable[str], topn: int = 5, *, reverse: bool = False
    ) -> list[Answer]:
        """The best translations of words, with the probabilities of eq. (6).

        Parameters
        ----------
        words : iterable of str
            Or a single word. One that the vocabulary lacks is looked up in lower case,
            Capitalised and in UPPER CASE; one of several words as the sum of them.
        topn : int
        reverse : bool
            From target to source.

        Returns
        -------
        list of Answer
            One for each word; that of an unknown word has an `error` and `suggestions`.
        """
        asked = [words] if isinstance(words, str) else list(words)
        return translate(self.fitted, asked, topn, reverse=reverse)

    def lexicon(
        self,
        *,
        topn: int = 1,
        reverse: bool = False,
        min_probability: float = 0.0,
        mutual: bool = False,
        limit: int | None = None,
        progress: Stages | None = None,
    ) -> Iterator[Answer]:
        """The translations of every word, block by block.

        Parameters
        ----------
        topn : int
        reverse : bool
            From target to source.
        min_probability : float
            Leave out translations below it.
        mutual : bool
            Leave out translations whose own best translation is another word.
        limit : int, optional
            Only the first so many words.
        progress : callable, optional

        Yields
        ------
        Answer
            One for each word that has a translation left, in the order of the vocabulary.
        """
        return lexicon(
            self.fitted,
            topn=topn,
            reverse=reverse,
            min_probability=min_probability,
            mutual=mutual,
            limit=limit,
            progress=progress,
        )

    def transform(self, vectors: Any, side: Side = "source") -> Any:
        """Bring vectors that were never seen into the shared space.

        Parameters
        ----------
        vectors : array of (n, d), or Vectors, KeyedVectors, (words, array) or path
        side : {"source", "target"}
            Which language's model they come from.

        Returns
        -------
        float32 array of (n, r), or Vectors
            Unit rows; an array for an array, `Vectors` with the same words for the others.
        """
        if side not in ("source", "target"):
            raise IsoglossError(f'got side={side!r}, expected "source" or "target"')
        if isinstance(vectors, np.ndarray):
            rows = vectors[None, :] if vectors.ndim == 1 else vectors
            return self.space.project(rows, side)
        x = as_vectors(vectors)
        return Vectors(x.words, self.space.project(x.vectors, side))

    def aligned(self) -> tuple[Vectors, Vectors]:
        """Both languages in the shared space."""
        model = self.fitted
        return (
            Vectors(model.source_words, model.forward.X),
            Vectors(model.target_words, model.forward.Y),
        )

    def evaluate(self, dictionary: Any, *, reverse: bool = False) -> Report:
        """Precision at 1, 5 and 10 and mean reciprocal rank on words with known translations.

        Parameters
        ----------
        dictionary : WordPairs, path, or iterable of (str, str)
            Source words first, in both directions.
        reverse : bool
            From target to source.

        Returns
        -------
        Report
            Over covered and over listed words, and those not seen in training.
        """
        return self.score(dictionary, reverse=reverse).report

    def score(self, dictionary: Any, *, reverse: bool = False) -> Scored:
        """As `evaluate`, with every word's rank, for paired tests."""
        return score(self.fitted, _pairs(dictionary), reverse=reverse)

    def check(self, dictionary: Any) -> list[Doubt]:
        """The pairs of a dictionary, the least probable first.

        Parameters
        ----------
        dictionary : WordPairs, path, or iterable of (str, str)

        Returns
        -------
        list of Doubt
            Pairs that were trained on with their probability while held out.
        """
        return check(self.fitted, _pairs(dictionary))

    def save(self, folder: Path | str) -> None:
        """Write the model as a folder, whole or not at all.

        Parameters
        ----------
        folder : path
            A new one, or a model to replace.
        """
        save_model(self.fitted, folder, version=__version__)

    def __repr__(self) -> str:
        if not hasattr(self, "model_"):
            return f"Translator(recipe={self.recipe!r}), not fitted"
        info = self.info
        return (
            f"Translator(recipe={info.recipe!r}): {info.source.words:,} → {info.target.words:,} "
            f"words, {info.pairs.used:,} pairs, {info.n_components} dimensions"
        )


def load(folder: Path | str) -> Translator:
    """Open a saved model, memory-mapped.

    Parameters
    ----------
    folder : path

    Returns
    -------
    Translator
    """
    model = load_model(folder)
    translator = Translator(model.info.recipe, random_state=model.info.seed)
    translator.model_ = model
    return translator


def _pairs(dictionary: Any) -> WordPairs:
    if isinstance(dictionary, WordPairs):
        return dictionary
    if isinstance(dictionary, str | Path):
        return WordPairs.read(dictionary)
    return WordPairs.of(dictionary)
