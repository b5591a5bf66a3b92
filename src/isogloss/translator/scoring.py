"""How well a model translates a list of words whose translations are known."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.dictionary import WordPairs
from isogloss.dictionary.lookup import look_up
from isogloss.engine import threads
from isogloss.evaluation import Report, build_report
from isogloss.translator.model import Model

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Scored:
    """The ranks behind a report.

    Attributes
    ----------
    queries : tuple of str
        The listed words, in the order of the list.
    ranks : int64 array, (n,)
        The rank, from 1, of each query's best listed translation; 0 where it is not covered.
    report : Report
    """

    queries: tuple[str, ...]
    ranks: npt.NDArray[np.int64]
    report: Report


def score(model: Model, pairs: WordPairs, *, reverse: bool = False, seed: int = 0) -> Scored:
    """Rank every listed word's translations among the whole vocabulary; any listed one counts."""
    pairs.match(model.source_words, model.target_words)  # An error where none is covered.
    asked, answering, way = model.direction(reverse)
    listed: dict[str, list[str]] = {}
    for word, translation in (pairs.reversed() if reverse else pairs).pairs:
        listed.setdefault(word, []).append(translation)
    queries = tuple(listed)
    found = look_up(queries, asked)
    answers = look_up([t for golds in listed.values() for t in golds], answering).keys
    answers = np.where(answers < len(answering), answers, -1)
    ends = np.cumsum([len(golds) for golds in listed.values()])[:-1]
    golds = [np.unique(part[part >= 0]) for part in np.split(answers, ends)]
    covered = np.array(
        [key >= 0 and len(g) > 0 for key, g in zip(found.keys, golds, strict=True)], dtype=bool
    )
    ranks = np.zeros(len(queries), np.int64)
    at = np.flatnonzero(covered)
    with threads() as executor:
        ranks[at] = way.retriever.ranks(
            found.terms(at).rows(way.X), [golds[k] for k in at], executor=executor
        )
    trained = model.pairs[:, ::-1] if reverse else model.pairs
    report = build_report(
        ranks,
        np.where(found.keys < len(asked), found.keys, -1),
        np.isin(found.keys, trained[:, 0]) & (found.keys >= 0),
        np.array([np.isin(g, trained[:, 1]).any() for g in golds], dtype=bool),
        seed=seed,
    )
    return Scored(queries, ranks, report)
