"""The words of formats whose rows have none: a file of one word a line."""

from pathlib import Path

from isogloss.errors import FormatError
from isogloss.vectors.source import open_source
from isogloss.vectors.words import Words

_ENDINGS = (".words.txt", ".txt", ".vocab")


def words_beside(path: Path, words: Path | None) -> Path:
    """The words' file: the one given, or one of the same name beside the vectors."""
    if words is not None:
        if not words.is_file():
            raise FormatError(f"{words}: got no such file, expected one word a line; check words=")
        return words
    candidates = [path.with_name(path.stem + ending) for ending in _ENDINGS]
    for candidate in candidates:
        if candidate.is_file() and candidate != path:
            return candidate
    raise FormatError(
        f"{path}: got rows and no words, expected one of "
        f"{', '.join(c.name for c in candidates)} beside it; write it or pass words="
    )


def read_words(path: Path, rows: int, limit: int | None = None) -> Words:
    """Read words, split at newlines alone, and hold them to the number of rows.

    Parameters
    ----------
    path : Path
    rows : int
        How many words there have to be.
    limit : int or None
        Only the first so many are returned.
    """
    with open_source(path) as source:
        lines = source.read().split(b"\n")
    if not lines[-1]:
        lines.pop()
    if lines and all(line.endswith(b"\r") for line in lines):
        lines = [line[:-1] for line in lines]
    if len(lines) != rows:
        raise FormatError(
            f"{path}: got {len(lines):,} words for {rows:,} rows, expected as many; "
            "pass the words of these very vectors as words="
        )
    return Words.of_bytes(lines[:limit])
