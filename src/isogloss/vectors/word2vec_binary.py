"""word2vec's binary format: a header in text, then a word, a space and d little-endian floats."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from isogloss.errors import FormatError
from isogloss.vectors.gather import Block, Faults, check_promise, finish, gather
from isogloss.vectors.layout import header
from isogloss.vectors.model import Vectors
from isogloss.vectors.options import ReadOptions
from isogloss.vectors.report import ReadReport, shown
from isogloss.vectors.source import Readable, compression, open_source, read_exactly, read_head
from isogloss.vectors.words import decode

_CHUNK = 1 << 22
_LONGEST = 1 << 16


def read_word2vec_binary(path: Path, options: ReadOptions) -> Vectors:
    """Read word2vec's binary format, with or without a newline after each row."""
    found = header(read_head(path, 64))
    if found is None or not found[1]:
        raise FormatError(
            f"{path}:1: got no header of two numbers, expected word2vec binary; "
            "check that this is the right file"
        )
    promised, d, start = found
    faults = Faults(path, options.on_error)
    dtype = options.dtype or "float32"
    wanted = promised if options.limit is None else min(promised, options.limit)
    # A header may promise anything: no more room than the file could fill.
    room = path.stat().st_size // (4 * d) if compression(path) is None else 1 << 16
    with open_source(path, options.progress, hashed=options.limit is None) as source:
        read_exactly(source, start)
        finite = (
            faults.finite(block, dtype, ", row {}") for block in _blocks(source, d, wanted, path)
        )
        words, V = gather(finite, d, min(room, wanted), dtype)
        checksum = source.checksum()
    check_promise(path, promised, len(words) + faults.skipped, options.limit, faults)
    report = ReadReport(
        path=shown(path),
        format="word2vec-binary",
        promised=promised,
        rows=len(words),
        checksum=checksum,
    )
    return finish(words, V, report, faults)


def _blocks(source: Readable, d: int, wanted: int, path: Path) -> Iterator[Block]:
    """Rows in blocks, until so many are read or the file ends."""
    buffer, number = b"", 1
    size = max(_CHUNK, 8 * d)
    while number <= wanted:
        chunk = read_exactly(source, size)
        buffer += chunk
        words: list[bytes] = []
        floats: list[bytes] = []
        at = 0
        while number + len(words) <= wanted:
            space = buffer.find(b" ", at)
            end = space + 1 + 4 * d
            if space < 0 or end > len(buffer):
                break
            word = buffer[at:space].lstrip(b"\n")
            if not word or b"\n" in word:
                raise FormatError(
                    f"{path}, row {number + len(words)}: got {decode(word[:40])!r} as a word, "
                    f"expected a word, a space and {d} floats; the rows before may be damaged"
                )
            words.append(word)
            floats.append(buffer[space + 1 : end])
            at = end
        buffer = buffer[at:]
        if number + len(words) <= wanted and len(buffer) > _LONGEST + 4 * d:
            raise FormatError(
                f"{path}, row {number + len(words)}: got no end of the word within {_LONGEST:,} "
                f"bytes, expected a word, a space and {d} floats; check that this is the right file"
            )
        if words:
            V = np.frombuffer(b"".join(floats), dtype="<f4").reshape(-1, d)
            yield Block(words, V, list(range(number, number + len(words))))
            number += len(words)
        if len(chunk) < size:
            return
