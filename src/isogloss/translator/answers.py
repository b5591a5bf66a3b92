"""Words in, translations with probabilities out."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from isogloss.dictionary.lookup import look_up
from isogloss.engine import Stages, blocks, stage, threads
from isogloss.errors import IsoglossError
from isogloss.retrieval import Found
from isogloss.translator.model import Model
from isogloss.vectors import Words
from isogloss.vectors.spelling_hints import close_words

Array = npt.NDArray[Any]
_BLOCK = 1024


class Translation(msgspec.Struct, frozen=True):
    """One translation: its probability, eq. (6), its corrected score and its cosine."""

    word: str
    probability: float
    score: float
    cosine: float


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The translations of one word, the best first.

    Attributes
    ----------
    query : str
        The word as it was asked.
    translations : tuple of Translation
        Empty for an unknown word.
    found_as : str or None
        The vocabulary's word, where it is another than the query.
    error : str or None
        Why there is no translation.
    suggestions : tuple of str
        The nearest spellings of an unknown word.
    """

    query: str
    translations: tuple[Translation, ...] = ()
    found_as: str | None = None
    error: str | None = None
    suggestions: tuple[str, ...] = ()


def translate(
    model: Model, words: Sequence[str], topn: int, *, reverse: bool = False
) -> list[Answer]:
    """The best translations of each word, in the order asked."""
    if topn < 1:
        raise IsoglossError(f"got topn={topn}, expected 1 or more")
    asked, answering, way = model.direction(reverse)
    found = look_up(words, asked)
    known = np.flatnonzero(found.keys >= 0)
    with threads() as executor:
        best = way.retriever.search(found.terms(known).rows(way.X), topn, executor=executor)
    row_of = dict(zip(known.tolist(), range(len(known)), strict=True))
    answers = []
    for k, word in enumerate(words):
        if k not in row_of:
            hints = tuple(close_words(asked, word))
            answers.append(Answer(word, error="unknown word", suggestions=hints))
            continue
        key = int(found.keys[k])
        if key < len(asked):
            found_as = asked[key]
        else:
            parts = found.compositions[key - len(asked)]
            found_as = " + ".join(asked[i] for i in parts)
        answers.append(
            Answer(
                word,
                tuple(_translations(best, row_of[k], answering)),
                found_as=None if found_as == word else found_as,
            )
        )
    return answers


def lexicon(
    model: Model,
    *,
    topn: int = 1,
    reverse: bool = False,
    min_probability: float = 0.0,
    mutual: bool = False,
    limit: int | None = None,
    progress: Stages | None = None,
) -> Iterator[Answer]:
    """The translations of every word, as `Translator.lexicon` has them."""
    if topn < 1:
        raise IsoglossError(f"got topn={topn}, expected 1 or more")
    asked, answering, way = model.direction(reverse)
    n = len(asked) if limit is None else min(limit, len(asked))
    with threads() as executor:
        returns = None
        if mutual:
            back = model.direction(not reverse)[2]
            tell = stage(progress, "the way back")
            best = back.retriever.index.search(back.X, 1, executor=executor, progress=tell)
            returns = best.ids[:, 0]
        tell = stage(progress, "translating")
        for block in blocks(n, _BLOCK):
            found = way.retriever.search(np.asarray(way.X[block]), topn, executor=executor)
            for at, word in enumerate(asked[block]):
                kept = [
                    translation
                    for i, translation in zip(
                        found.ids[at], _translations(found, at, answering), strict=True
                    )
                    if translation.probability >= min_probability
                    and (returns is None or returns[i] == block.start + at)
                ]
                if kept:
                    yield Answer(word, tuple(kept))
            if tell is not None:
                tell(block.stop, n)


def _translations(found: Found, at: int, answering: Words) -> Iterator[Translation]:
    for i, log_p, score, cosine in zip(
        found.ids[at].tolist(),
        found.log_probabilities[at].tolist(),
        found.scores[at].tolist(),
        found.cosines[at].tolist(),
        strict=True,
    ):
        yield Translation(answering[i], float(np.exp(log_p)), score, cosine)
