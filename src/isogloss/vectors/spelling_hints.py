"""Known words that are spelt nearly like an unknown one."""

from dataclasses import dataclass
from typing import Any
from weakref import ref

import numpy as np
import numpy.typing as npt

from isogloss.vectors.words import Words

_LIMIT = 200_000
"""Only so many words are looked at, the most frequent ones."""


@dataclass(frozen=True, eq=False)
class _SameLength:
    """Lower-cased words of one length: their positions, and letter j of each in row j."""

    positions: npt.NDArray[np.int64]
    letters: npt.NDArray[np.uint32]


_Arranged = dict[int, _SameLength]
# Unknown words come many at a time, and to arrange a vocabulary takes longer than to search it.
# One vocabulary is kept, and not for longer than the words themselves live.
_last: list[tuple[Any, _Arranged]] = []


def close_words(words: Words, word: str, n: int = 3) -> list[str]:
    """The words of a vocabulary that a misspelt word may have been meant for.

    Near are words that one edit or a few (a letter added, left out, exchanged, or two
    neighbours swapped) turn into the given one; a third of its letters at most, and three.
    Upper and lower case are the same.

    Parameters
    ----------
    words : Words
        The first 200,000 are looked at.
    word : str
    n : int
        How many, at most.

    Returns
    -------
    list of str
        The nearest first; among equally near ones, in the order of the vocabulary.
    """
    wanted = word.lower()
    most = min(3, max(1, len(wanted) // 3))
    if n < 1 or not wanted:
        return []
    arranged = _arranged(words)
    lengths = range(max(1, len(wanted) - most), len(wanted) + most + 1)
    near = [arranged[length] for length in lengths if length in arranged]
    if not near:
        return []
    query = [ord(c) for c in wanted]
    distances = np.concatenate([_edits(query, part.letters) for part in near])
    positions = np.concatenate([part.positions for part in near])
    ranked = np.lexsort((positions, distances))
    ranked = ranked[distances[ranked] <= most]
    hints = dict.fromkeys(words[i] for i in positions[ranked[: n + 1]].tolist())
    return [hint for hint in hints if hint != word][:n]


def _arranged(words: Words) -> _Arranged:
    """The words to look at by their length; those of the vocabulary asked last are kept."""
    for known, arranged in _last[:]:
        if known() is words:
            return arranged
    arranged = _arrange(words)
    _last[:] = [(ref(words, _forget), arranged)]
    return arranged


def _forget(gone: Any) -> None:
    _last[:] = [kept for kept in _last if kept[0] is not gone]


def _arrange(words: Words) -> _Arranged:
    lowered = list(map(str.lower, words[:_LIMIT]))
    if not lowered:
        return {}
    lengths = np.fromiter(map(len, lowered), dtype=np.int64, count=len(lowered))
    order = np.argsort(lengths, kind="stable")
    different, starts = np.unique(lengths[order], return_index=True)
    parts = np.split(order, starts[1:])
    return {
        length: _SameLength(part, _letters([lowered[i] for i in part.tolist()], length))
        for length, part in zip(different.tolist(), parts, strict=True)
        if length
    }


def _letters(words: list[str], length: int) -> npt.NDArray[np.uint32]:
    text = "".join(words).encode("utf-32-le", "surrogatepass")
    return np.ascontiguousarray(np.frombuffer(text, dtype="<u4").reshape(-1, length).T)


def _edits(query: list[int], letters: npt.NDArray[np.uint32]) -> npt.NDArray[np.int16]:
    """The edits from one word to each of the others, all reckoned side by side.

    Optimal string alignment: Levenshtein's table, with swapped neighbours as one edit. All
    words' tables are filled together, letter by letter.
    """
    shape = (len(query) + 1, letters.shape[1])
    before = np.zeros(shape, dtype=np.int16)
    above = np.repeat(np.arange(shape[0], dtype=np.int16)[:, None], shape[1], axis=1)
    for j in range(len(letters)):
        here = np.empty_like(above)
        here[0] = j + 1
        for i, letter in enumerate(query):
            np.minimum(above[i + 1], here[i], out=here[i + 1])
            here[i + 1] += 1
            np.minimum(here[i + 1], above[i] + (letters[j] != letter), out=here[i + 1])
            if i and j:
                swapped = (letters[j] == query[i - 1]) & (letters[j - 1] == letter)
                np.minimum(here[i + 1], before[i - 1] + 1, out=here[i + 1], where=swapped)
        before, above = above, here
    last: npt.NDArray[np.int16] = above[-1]
    return last
