"""A dictionary's own pairs, the doubtful ones first."""

from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from isogloss.dictionary import WordPairs
from isogloss.engine import threads
from isogloss.translator.model import Model

Array = npt.NDArray[Any]


class Doubt(msgspec.Struct, frozen=True):
    """One pair of a dictionary and what the model thinks of it.

    Attributes
    ----------
    source, target : str
        The pair as listed.
    probability : float
        P(target | source).
    held_out : bool
        Whether the pair was trained on, and its probability is that under a map fitted without
        it, over a sample of the targets; otherwise it is the model's own.
    best : str
        The model's best translation of the source word.
    best_probability : float
    """

    source: str
    target: str
    probability: float
    held_out: bool
    best: str
    best_probability: float


def check(model: Model, pairs: WordPairs) -> list[Doubt]:
    """The pairs that both vocabularies hold, rising by probability."""
    matched = pairs.match(model.source_words, model.target_words)
    plain = np.flatnonzero(matched.source.plain & matched.target.plain)
    ids = np.stack([matched.source.ids[plain], matched.target.ids[plain]], axis=1)
    known = dict(zip(map(tuple, model.pairs.tolist()), model.held_out.tolist(), strict=True))
    log_p = np.array([known.get(tuple(pair), np.nan) for pair in ids.tolist()])
    trained = np.isfinite(log_p)
    words, at = np.unique(ids[:, 0], return_inverse=True)
    Q = np.asarray(model.forward.X[words])
    with threads() as executor:
        best = model.forward.retriever.search(Q, 1, executor=executor)
    others = np.flatnonzero(~trained)
    if len(others):
        log_p[others] = model.forward.retriever.log_probability(Q[at[others]], ids[others, 1])
    order = np.argsort(log_p, kind="stable")
    listed = [pairs.pairs[k] for k in matched.positions[plain].tolist()]
    return [
        Doubt(
            source=listed[k][0],
            target=listed[k][1],
            probability=float(np.exp(log_p[k])),
            held_out=bool(trained[k]),
            best=model.target_words[int(best.ids[at[k], 0])],
            best_probability=float(best.probabilities[at[k], 0]),
        )
        for k in order.tolist()
    ]
