"""Finding entries of a dictionary in a vocabulary: in other cases, joined, or word by word."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isogloss.dictionary.terms import Terms
from isogloss.vectors.words import Words

_CASES: tuple[Callable[[str], str], ...] = (str, str.lower, str.capitalize, str.upper)


@dataclass(frozen=True, eq=False)
class Found:
    """Where the n entries of one side stand in its vocabulary of N words.

    Attributes
    ----------
    keys : int64 array, (n,)
        The word, or N + j for the j-th composition, or -1.
    by_case : bool array, (n,)
        Whether it took another case than the entry's own.
    compositions : tuple of tuple of int
        The words of each composition; they are all different.
    n_words : int
        N.
    """

    keys: npt.NDArray[np.int64]
    by_case: npt.NDArray[np.bool_]
    compositions: tuple[tuple[int, ...], ...]
    n_words: int

    def terms(self, which: npt.NDArray[np.int64]) -> Terms:
        """These entries, all of them found, as terms."""
        keys = self.keys[which]
        several = np.flatnonzero(keys >= self.n_words).tolist()
        composed = {k: self.compositions[int(keys[k]) - self.n_words] for k in several}
        return Terms(np.where(keys < self.n_words, keys, -1), composed)


def look_up(entries: Sequence[str], words: Words) -> Found:
    """Find each entry as it stands, in other cases, joined by `_`, or composed of its words."""
    numbers: dict[str, int] = {}
    which = np.array([numbers.setdefault(e, len(numbers)) for e in entries], dtype=np.int64)
    unique = list(numbers)
    ids, by_case = _in_any_case(unique, words)
    open_ = [k for k in np.flatnonzero(ids < 0).tolist() if " " in unique[k]]
    split = [[word for word in unique[k].split(" ") if word] for k in open_]
    ids[open_], by_case[open_] = _in_any_case(["_".join(parts) for parts in split], words)
    numbered: dict[tuple[int, ...], int] = {}
    for k, (parts, cased) in zip(open_, _parts(split, words), strict=True):
        if ids[k] < 0 and parts and min(parts) >= 0:
            ids[k] = len(words) + numbered.setdefault(parts, len(numbered))
            by_case[k] = cased
    return Found(ids[which], by_case[which], tuple(numbered), len(words))


def _parts(split: list[list[str]], words: Words) -> Iterator[tuple[tuple[int, ...], bool]]:
    """The words of each entry, and whether any was found only in another case."""
    ids, by_case = _in_any_case([word for parts in split for word in parts], words)
    end = 0
    for parts in split:
        start, end = end, end + len(parts)
        yield tuple(ids[start:end].tolist()), bool(by_case[start:end].any())


def _in_any_case(
    entries: list[str], words: Words
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """The entries' positions, -1 where unknown, and which were found only in another case."""
    ids = np.full(len(entries), -1, dtype=np.int64)
    by_case = np.zeros(len(entries), dtype=np.bool_)
    for change in _CASES:
        missing = np.flatnonzero(ids < 0)
        ids[missing] = words.indices(change(entries[k]) for k in missing.tolist())
        if change is not str:
            by_case[missing] = ids[missing] >= 0
    return ids, by_case
