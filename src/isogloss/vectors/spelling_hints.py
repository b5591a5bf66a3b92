"""Known words that are spelt nearly like an unknown one."""

import numpy as np
import numpy.typing as npt

from isogloss.vectors.words import Words

_LIMIT = 200_000
"""Only so many words are looked at, the most frequent ones."""


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
    known = words[:_LIMIT]
    lowered = list(map(str.lower, known))
    lengths = np.fromiter(map(len, lowered), dtype=np.int64, count=len(lowered))
    near = np.flatnonzero((np.abs(lengths - len(wanted)) <= most) & (lengths > 0))
    distances = _edits(wanted, [lowered[i] for i in near.tolist()], lengths[near])
    ranked = np.argsort(distances, kind="stable")
    ranked = ranked[distances[ranked] <= most]
    hints = dict.fromkeys(known[i] for i in near[ranked[: n + 1]].tolist())
    return [hint for hint in hints if hint != word][:n]


def _edits(wanted: str, others: list[str], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The edits from one word to each of the others, all reckoned side by side.

    Optimal string alignment: Levenshtein's table, with swapped neighbours as one edit. All
    words' tables are filled together, letter by letter.
    """
    width = int(lengths.max(initial=0))
    letters = _letters(others, lengths, width)
    query = [ord(c) for c in wanted]
    shape = (len(query) + 1, len(others))
    result = np.full(len(others), len(query), dtype=np.int64)
    before = np.zeros(shape, dtype=np.int16)
    above = np.repeat(np.arange(shape[0], dtype=np.int16)[:, None], shape[1], axis=1)
    for j in range(width):
        here = np.empty_like(above)
        here[0] = j + 1
        for i, letter in enumerate(query):
            np.minimum(above[i + 1], here[i], out=here[i + 1])
            here[i + 1] += 1
            np.minimum(here[i + 1], above[i] + (letters[j] != letter), out=here[i + 1])
            if i and j:
                swapped = (letters[j] == query[i - 1]) & (letters[j - 1] == letter)
                np.minimum(here[i + 1], before[i - 1] + 1, out=here[i + 1], where=swapped)
        ended = lengths == j + 1
        result[ended] = here[-1][ended]
        before, above = above, here
    return result


def _letters(
    others: list[str], lengths: npt.NDArray[np.int64], width: int
) -> npt.NDArray[np.uint32]:
    """Letter j of each word in row j, zeros after the last."""
    grid = np.zeros((len(others), width), dtype=np.uint32)
    text = "".join(others).encode("utf-32-le", "surrogatepass")
    grid[np.arange(width) < lengths[:, None]] = np.frombuffer(text, dtype="<u4")
    return np.ascontiguousarray(grid.T)
