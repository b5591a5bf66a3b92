"""Pairs of words and their translations."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from isogloss.dictionary.match import Matched, match
from isogloss.dictionary.pairs_file import OnError, read_pairs
from isogloss.errors import DictionaryError
from isogloss.vectors.words import Words


@dataclass(frozen=True, repr=False)
class WordPairs:
    """A dictionary: pairs of a source word and one of its translations.

    Make one with `WordPairs.read`, `WordPairs.of` or `identical_strings`.

    Attributes
    ----------
    pairs : tuple of (str, str)
        As listed, in the order of the file; a word with several translations has several pairs.
    path : str or None
        The file; None for pairs that were made in memory.
    skipped : int
        Malformed lines that ``on_error="skip"`` dropped.
    """

    pairs: tuple[tuple[str, str], ...]
    path: str | None = None
    skipped: int = 0

    @classmethod
    def read(
        cls, path: Path | str, *, reverse: bool = False, on_error: OnError = "raise"
    ) -> "WordPairs":
        """Read a dictionary from text: on each line a word and its translations.

        A line with a tab in it is split at tabs only, so that entries may hold spaces; any
        other line is split at spaces. The first field is the source, and every further one a
        translation. The file may be compressed (gz, bz2, xz).

        Parameters
        ----------
        path : path
        reverse : bool
            Whether the file lists the target language first.
        on_error : {"raise", "skip"}
            Whether a line without a translation raises, or is left out and counted.

        Returns
        -------
        WordPairs

        Raises
        ------
        FormatError
            Where the file is missing, or a line malformed.
        DictionaryError
            Where the file holds no pair.
        """
        pairs, skipped = read_pairs(Path(path), on_error)
        listed = cls(tuple(pairs), str(path), skipped)
        return listed.reversed() if reverse else listed

    @classmethod
    def of(cls, pairs: "Iterable[tuple[str, str]] | WordPairs") -> "WordPairs":
        """The dictionary of these pairs, in this order.

        Parameters
        ----------
        pairs : iterable of (str, str)
            A `WordPairs` is returned as it is.

        Returns
        -------
        WordPairs
        """
        if isinstance(pairs, WordPairs):
            return pairs
        listed = []
        for number, pair in enumerate(pairs, 1):
            if not _is_pair(pair):
                raise DictionaryError(
                    f"got {pair!r} as pair {number}, expected a source word and a target word; "
                    "pass tuples of two strings, of a dict its items()"
                )
            listed.append((pair[0], pair[1]))
        return cls(tuple(listed))

    def reversed(self) -> "WordPairs":
        """The same pairs, from the target language to the source language."""
        return WordPairs(tuple((t, s) for s, t in self.pairs), self.path, self.skipped)

    def match(self, source: Words, target: Words) -> Matched:
        """Look the pairs up in two vocabularies; the same as `match(pairs, source, target)`."""
        return match(self, source, target)

    def __len__(self) -> int:
        return len(self.pairs)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.pairs)

    def __repr__(self) -> str:
        shown = ", ".join(f"{s} → {t}" for s, t in self.pairs[:3])
        return f"WordPairs({len(self):,}: {shown}{', …' if len(self) > 3 else ''})"


def _is_pair(pair: object) -> bool:
    return (
        isinstance(pair, tuple | list)
        and len(pair) == 2
        and all(isinstance(word, str) and word for word in pair)
    )
