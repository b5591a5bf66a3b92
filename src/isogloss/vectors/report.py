"""What a reader saw in a file."""

from pathlib import Path

import msgspec

from isogloss.vectors.words import printable


class ReadReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was found on reading, so that nothing is dropped in silence.

    Attributes
    ----------
    path : str or None
        The file; None for vectors that were made in memory.
    format : str
        The format's name, for instance ``"text"``; ``"memory"`` for vectors made in memory.
    promised : int or None
        How many rows the header promised, where there is one.
    rows : int
        How many rows were read, before duplicates were dropped.
    duplicates : int
        Later rows of words that had occurred before; they are dropped.
    skipped : int
        Malformed rows that ``on_error="skip"`` dropped.
    invalid_utf8 : int
        Words that are not valid UTF-8; they are kept, byte by byte.
    zero_rows : int
        Rows of zeros; they are kept.
    checksum : str
        ``"sha256:…"`` of the whole file, or ``"sampled-sha256:…"`` of its size and its first,
        middle and last MiB where the whole was not read; empty in memory.
    messages : tuple of str
        The first few messages about the above.
    """

    path: str | None = None
    format: str = "memory"
    promised: int | None = None
    rows: int = 0
    duplicates: int = 0
    skipped: int = 0
    invalid_utf8: int = 0
    zero_rows: int = 0
    checksum: str = ""
    messages: tuple[str, ...] = ()


def shown(path: Path) -> str:
    """The whole path as text that UTF-8 can hold; bytes of its name that are not become U+FFFD."""
    return printable(str(path.resolve()))
