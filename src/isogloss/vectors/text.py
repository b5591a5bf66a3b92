"""word2vec's text and GloVe's: a word, then its numbers, on each line."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from isogloss.errors import FormatError
from isogloss.vectors.gather import Block, Faults, check_promise, finish, gather
from isogloss.vectors.layout import Layout, text_layout
from isogloss.vectors.model import Rows, Vectors
from isogloss.vectors.options import ReadOptions
from isogloss.vectors.report import ReadReport, shown
from isogloss.vectors.source import Source, compression, open_source, read_exactly, read_head
from isogloss.vectors.words import decode

_CHUNK = 1 << 21
_LONGEST = 1 << 26
# JSON's grammar for numbers is strict and its decoder much quicker than strtod.
_numbers = msgspec.json.Decoder(list[float])


def read_text(path: Path, options: ReadOptions) -> Vectors:
    """Read word vectors in text, with word2vec's header or, as GloVe has them, without.

    Lines and fields are split at the bytes newline, space and tab alone; the last d fields are
    the numbers and all before them is the word. Blank lines are passed over.
    """
    layout = text_layout(read_head(path))
    if layout is None:
        raise FormatError(
            f"{path}:1: got no line of a word and its numbers, expected word vectors in text; "
            "check that this is the right file"
        )
    d, promised = layout.d, layout.promised
    if layout.lie is not None:
        raise FormatError(
            f"{path}:1: got a header that promises {d} dimensions and rows of {layout.lie} "
            "numbers, expected as many; mend the header"
        )
    faults = Faults(path, options.on_error)
    dtype = options.dtype or "float32"
    with open_source(path, options.progress, hashed=options.limit is None) as source:
        read_exactly(source, layout.start)
        lines = _lines(source, 1 + (promised is not None))
        parsed = _blocks(path, lines, layout, options.limit, faults)
        finite = (faults.finite(block, dtype, ":{}") for block in parsed)
        words, V = gather(finite, d, _expected(path, layout, options.limit), dtype)
        checksum = source.checksum()
    check_promise(path, promised, len(words) + faults.skipped, options.limit, faults)
    report = ReadReport(
        path=shown(path), format="text", promised=promised, rows=len(words), checksum=checksum
    )
    return finish(words, V, report, faults)


def _expected(path: Path, layout: Layout, limit: int | None) -> int:
    """How many rows to make room for: never more than the file could hold, if that is known."""
    packed = compression(path) is not None
    most = 1 << 16 if packed else path.stat().st_size // (2 * layout.d + 1) + 1
    return min(x for x in (most, layout.promised, limit) if x is not None)


def _lines(source: Source, number: int) -> Iterator[tuple[int, list[bytes], bool]]:
    """Chunks of lines, with the number of the first and whether the last one may be cut."""
    tail = b""
    while chunk := source.read(_CHUNK):
        lines = (tail + chunk).split(b"\n")
        tail = lines.pop()
        if len(tail) > _LONGEST:
            raise FormatError(
                f"{source.path}:{number + len(lines)}: got a line of more than {_LONGEST:,} bytes, "
                "expected a word and its numbers; check that this is the right file"
            )
        if lines:
            yield number, lines, False
        number += len(lines)
    if tail:
        yield number, [tail], True


def _blocks(
    path: Path,
    chunks: Iterator[tuple[int, list[bytes], bool]],
    layout: Layout,
    limit: int | None,
    faults: Faults,
) -> Iterator[Block]:
    """Lines parsed into blocks of rows; malformed ones are reported."""
    d, seen = layout.d, 0
    for first, lines, cut in chunks:
        words: list[bytes] = []
        numbers: list[bytes] = []
        where: list[int] = []
        for at, line in enumerate(lines, first):
            if limit is not None and seen == limit:
                break
            row = _split(line, d)
            if row is None:
                if not line.strip(b" \t\r"):
                    continue
                if cut and layout.promised and faults.on_error == "raise":
                    check_promise(path, layout.promised, seen, limit, faults)
                faults.add(f"{path}:{at}: {_what(line, d)}")
            else:
                words.append(row[0])
                numbers.append(row[1])
                where.append(at)
            seen += 1
        if words:
            yield _parse(Block(words, np.empty((0, d)), where), numbers, d, path, faults)
        if limit is not None and seen == limit:
            return


def _split(line: bytes, d: int) -> tuple[bytes, bytes] | None:
    """The word of a line and its d numbers, single spaces between them; None if malformed."""
    line = line.rstrip(b" \t\r")
    if line.count(b" ") == d and b"\t" not in line and b"  " not in line:
        word, _, numbers = line.partition(b" ")
        return (word, numbers) if word else None
    fields = line.replace(b"\t", b" ").split(b" ")
    kept: list[bytes] = []
    at = len(fields)
    while at > 0 and len(kept) < d:
        at -= 1
        if fields[at]:
            kept.append(fields[at])
    word = line[: sum(map(len, fields[:at])) + max(at - 1, 0)].rstrip(b" \t")
    return (word, b" ".join(reversed(kept))) if word else None


def _parse(block: Block, numbers: list[bytes], d: int, path: Path, faults: Faults) -> Block:
    """The numbers of many rows at once; one by one where something is wrong with any of them."""
    try:
        flat = np.array(_numbers.decode(b"[" + b",".join(numbers).replace(b" ", b",") + b"]"))
        if flat.size == d * len(numbers):
            return block._replace(vectors=_narrow(flat.reshape(-1, d)))
    except msgspec.MsgspecError:
        pass
    rows, keep = [], []
    for i, text in enumerate(numbers):
        try:
            rows.append([_number(field) for field in text.split(b" ")])
            keep.append(i)
        except ValueError as error:
            faults.add(
                f"{path}:{block.where[i]}: got {error} among the numbers of the word "
                f"{decode(block.words[i])!r}, expected {d} numbers"
            )
    return Block(
        [block.words[i] for i in keep],
        _narrow(np.array(rows, dtype=np.float64).reshape(-1, d)),
        [block.where[i] for i in keep],
    )


def _narrow(V: Rows) -> Rows:
    with np.errstate(over="ignore"):
        return V.astype(np.float32)


def _number(field: bytes) -> float:
    """A number that JSON's grammar may not know, such as +1 or .5; Python's 1_000 is none."""
    try:
        if b"_" in field:
            raise ValueError
        return float(field)
    except ValueError:
        raise ValueError(repr(decode(field[:40]))) from None


def _what(line: bytes, d: int) -> str:
    """What is wrong with a line that has no word, or too few numbers."""
    fields = line.replace(b"\t", b" ").rstrip(b" \r").split(b" ")
    named = [field for field in fields if field]
    if not fields[0] and len(named) == d:
        return f"got {d} fields and no word before them, expected a word and {d} numbers"
    return f"got {len(named) - 1} numbers after the word {decode(named[0][:40])!r}, expected {d}"
