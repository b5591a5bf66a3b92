"""Looking the pairs of a dictionary up in two vocabularies."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import numpy.typing as npt

from isogloss.dictionary.lookup import Found, look_up
from isogloss.dictionary.report import PairsReport
from isogloss.dictionary.terms import Terms
from isogloss.errors import DictionaryError
from isogloss.vectors.words import Words

if TYPE_CHECKING:
    from isogloss.dictionary.pairs import WordPairs


@dataclass(frozen=True, eq=False)
class Matched:
    """The pairs of a dictionary that two vocabularies hold.

    Attributes
    ----------
    source, target : Terms
        The two sides of the n used pairs.
    positions : int64 array, (n,)
        Where the used pairs stand among all listed ones, rising.
    report : PairsReport
        What became of the others.
    """

    source: Terms
    target: Terms
    positions: npt.NDArray[np.int64]
    report: PairsReport

    def __len__(self) -> int:
        return len(self.positions)


def match(pairs: "WordPairs", source: Words, target: Words) -> Matched:
    """Look the pairs of a dictionary up in two vocabularies.

    A word is looked up as it stands, then in lower case, Capitalised and in UPPER CASE. An
    entry of several words is also looked up joined by `_`; where the vocabulary has only its
    words, it is composed of them.

    Parameters
    ----------
    pairs : WordPairs
    source, target : Words

    Returns
    -------
    Matched
        Pairs with both sides found; those that come to the same words are used once.

    Raises
    ------
    DictionaryError
        Where no pair has both sides in the vocabularies, or far more have them the other way
        round.
    """
    sources = [s for s, _ in pairs.pairs]
    targets = [t for _, t in pairs.pairs]
    matched = _join(look_up(sources, source), look_up(targets, target), pairs.skipped)
    report = matched.report
    if 2 * (report.used + report.duplicates) < report.listed:
        swapped = _join(look_up(targets, source), look_up(sources, target), 0)
        report = msgspec.structs.replace(report, used_reversed=len(swapped))
        matched = Matched(matched.source, matched.target, matched.positions, report)
    where = "" if pairs.path is None else f"{pairs.path}: "
    if not len(matched):
        raise DictionaryError(where + _nothing(sources, targets, source, target, report))
    if report.looks_reversed:
        raise DictionaryError(where + report.reversed_hint())
    return matched


def _join(source: Found, target: Found, skipped: int) -> Matched:
    """The pairs found on both sides, the first of those that are the same."""
    s, t = source.keys, target.keys
    found = np.flatnonzero((s >= 0) & (t >= 0))
    width = int(t.max(initial=0)) + 1
    _, first = np.unique(s[found] * width + t[found], return_index=True)
    used = found[np.sort(first)]
    sides = source.terms(used), target.terms(used)
    report = PairsReport(
        listed=len(s),
        used=len(used),
        source_missing=int(((s < 0) & (t >= 0)).sum()),
        target_missing=int(((s >= 0) & (t < 0)).sum()),
        both_missing=int(((s < 0) & (t < 0)).sum()),
        duplicates=len(found) - len(used),
        composed=int((~(sides[0].plain & sides[1].plain)).sum()),
        by_case=int((source.by_case | target.by_case)[used].sum()),
        skipped=skipped,
    )
    return Matched(*sides, positions=used, report=report)


def _nothing(
    sources: Sequence[str],
    targets: Sequence[str],
    source: Words,
    target: Words,
    report: PairsReport,
) -> str:
    """The message where no pair was found."""
    if not sources:
        return "got a dictionary without pairs, expected some; add pairs"
    advice = "check that languages, spelling and accents are the same"
    if report.looks_reversed:
        advice = report.reversed_hint()
    return (
        f"got no pair with both sides in the vocabularies, among {report.listed:,}: "
        f"the dictionary goes from {_some(sources)} to {_some(targets)}, "
        f"the vectors from {_some(source[:3])} to {_some(target[:3])}; {advice}"
    )


def _some(words: Sequence[str]) -> str:
    return ", ".join(map(repr, islice(dict.fromkeys(words), 3))) or "nothing"
