"""How the rows of a text file are laid out: its header, if any, and its dimensions."""

import re
from collections import Counter
from dataclasses import dataclass

_HEADER = re.compile(rb"[ \t]*(\d{1,18})[ \t]+(\d{1,18})[ \t]*\r?")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf|infinity)", re.I)
_BOM = b"\xef\xbb\xbf"
_LOOK = 64


@dataclass(frozen=True)
class Layout:
    """Where the rows start, how long they are and how many the header promises.

    Attributes
    ----------
    start : int
        The byte at which the first row starts.
    d : int
    promised : int or None
        The number of rows by the header; None where there is no header.
    lie : int or None
        The numbers that rows really hold, where the header plainly says otherwise.
    """

    start: int
    d: int
    promised: int | None = None
    lie: int | None = None


def header(head: bytes) -> tuple[int, int, int] | None:
    """The promised rows and dimensions and the header's length, if the first line is one."""
    skip = len(_BOM) if head.startswith(_BOM) else 0
    line, newline, _ = head[skip:].partition(b"\n")
    match = _HEADER.fullmatch(line)
    if not match or not newline:
        return None
    return int(match[1]), int(match[2]), skip + len(line) + 1


def text_layout(head: bytes) -> Layout | None:
    """The layout of a text file, from its first MiB; None if it doesn't hold vectors in text.

    A first line of two integers may be a header or the row of a vector of one dimension: the
    second line decides. Without a header the dimensions are those of most of the first lines,
    since words may be numbers themselves, or have spaces, and lines may be damaged.
    """
    start = len(_BOM) if head.startswith(_BOM) else 0
    lines = head[start:].split(b"\n")
    if len(lines) > 1 and len(head) >= 1 << 20:
        lines.pop()  # It may be cut.
    rows = [_fields(line) for line in lines[:_LOOK]]
    found = header(head)
    if found is not None:
        n, d, start_of_rows = found
        runs = [_run(row) for row in rows[1:] if row]
        counts = [len(row) for row in rows[1:] if row]
        if not runs:
            return Layout(start_of_rows, d, n) if d else None
        usual = _usual(runs)
        if d and max(runs) >= d:
            # Words may end in numbers, but not all of them in equally many.
            surplus = len(runs) >= 4 and min(runs) == usual > d and len(set(counts)) == 1
            return Layout(start_of_rows, d, n, lie=usual if surplus else None)
        if usual > 1 or (d != 1 and counts[0] != 2):
            return Layout(start_of_rows, d, n, lie=usual) if usual else None
    runs = [_run(row) for row in rows if row]
    d = _usual(runs) if runs else 0
    return Layout(start, d) if d else None


def _usual(runs: list[int]) -> int:
    """The most frequent count, the smallest of those where several are."""
    return min(Counter(runs).items(), key=lambda item: (-item[1], item[0]))[0]


def _fields(line: bytes) -> list[bytes]:
    return [field for field in re.split(rb"[ \t]+", line.removesuffix(b"\r")) if field]


def _run(row: list[bytes]) -> int:
    """How many numbers end a row, its first field being part of a word in any case."""
    run = 0
    while run < len(row) - 1 and _NUMBER.fullmatch(row[-1 - run]):
        run += 1
    return run
