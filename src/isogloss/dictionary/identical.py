"""A dictionary without one: the strings that both languages have."""

from typing import Protocol

from isogloss.dictionary.pairs import WordPairs
from isogloss.errors import DictionaryError, IsoglossError
from isogloss.vectors.words import Words, decode


class HasWords(Protocol):
    """Something with a vocabulary, such as `Vectors`."""

    @property
    def words(self) -> Words:
        """The vocabulary."""
        ...


def identical_strings(
    source: Words | HasWords, target: Words | HasWords, *, min_length: int = 1
) -> WordPairs:
    """Pair every string that both vocabularies have with itself.

    Parameters
    ----------
    source, target : Words or Vectors
    min_length : int
        Only strings of so many characters or more.

    Returns
    -------
    WordPairs
        In the order of the source vocabulary.

    Raises
    ------
    DictionaryError
        Where the vocabularies have no string in common.
    """
    X, Y = _words(source), _words(target)
    common = set(Y.raw_all())
    pairs = []
    for raw in X.raw_all():
        if raw in common:
            common.remove(raw)
            word = decode(raw)
            if len(word) >= min_length:
                pairs.append((word, word))
    if not pairs:
        long = f" of {min_length} characters or more" if min_length > 1 else ""
        raise DictionaryError(
            f"got no string{long} in both vocabularies, {_start(X)} and {_start(Y)}, expected "
            "some; languages in two scripts need a dictionary of word pairs"
        )
    return WordPairs(tuple(pairs))


def _words(side: Words | HasWords) -> Words:
    words = side if isinstance(side, Words) else getattr(side, "words", None)
    if not isinstance(words, Words):
        raise IsoglossError(
            f"got {type(side).__name__}, expected Words or Vectors; pass what isogloss.read gives"
        )
    return words


def _start(words: Words) -> str:
    return f"{', '.join(map(repr, words[:3]))} …" if len(words) else "an empty one"
