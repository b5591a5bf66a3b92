"""From blocks of rows to vectors: the array grows, duplicates go, the report is written."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from isogloss.errors import FormatError, IsoglossError
from isogloss.vectors.model import Rows, Vectors
from isogloss.vectors.options import OnError
from isogloss.vectors.report import ReadReport
from isogloss.vectors.words import WordBlob, Words, decode

logger = logging.getLogger(__name__)
_FIRST = 4096
_SHOWN = 5


class Block(NamedTuple):
    """Some rows: their words, the numbers and, for messages, where each stands."""

    words: list[bytes]
    vectors: Rows
    where: list[int]


@dataclass
class Faults:
    """Malformed rows: the first raises, or all are counted and the first few kept."""

    path: Path
    on_error: OnError
    skipped: int = 0
    messages: list[str] = field(default_factory=list)

    def add(self, message: str) -> None:
        """Raise, or count one row that is left out."""
        if self.on_error == "raise":
            raise FormatError(f"{message}; mend it, or pass on_error='skip' to leave such rows out")
        self.skipped += 1
        self.note(message)

    def note(self, message: str) -> None:
        """Keep a message, if it is one of the first few."""
        if len(self.messages) < _SHOWN:
            self.messages.append(message)

    def finite(self, block: Block, dtype: npt.DTypeLike, row_name: str) -> Block:
        """The block in another type, without the rows that have a number it can't hold."""
        with np.errstate(over="ignore"):
            V = block.vectors.astype(dtype, copy=False)
        good = np.isfinite(V).all(axis=1)
        if good.all():
            return block._replace(vectors=V)
        for i in np.flatnonzero(~good).tolist():
            j = int(np.flatnonzero(~np.isfinite(V[i]))[0])
            self.add(
                f"{self.path}{row_name.format(block.where[i])}: got {block.vectors[i, j]} as "
                f"number {j + 1} of the word {decode(block.words[i])!r}, expected finite numbers "
                f"that {V.dtype.name} can hold"
            )
        keep = np.flatnonzero(good).tolist()
        return Block([block.words[i] for i in keep], V[good], [block.where[i] for i in keep])


def gather(blocks: Iterable[Block], d: int, expected: int, dtype: str) -> tuple[Words, Rows]:
    """Put blocks of rows together.

    Parameters
    ----------
    blocks : iterable of Block
    d : int
    expected : int
        How many rows are likely to come; the array grows where it was too few.
    dtype : str

    Returns
    -------
    words : Words
    vectors : array, (n, d)
    """
    blob, n = WordBlob(), 0
    V: Rows = np.empty((max(expected, 1), d), dtype=dtype)
    for block in blocks:
        blob.extend(block.words)
        end = n + len(block.words)
        if end > len(V):
            # In place where the system can: two copies of a big array may not fit.
            V.resize((max(end, _FIRST, len(V) * 3 // 2), d), refcheck=False)
        V[n:end] = block.vectors
        n = end
    V.resize((n, d), refcheck=False)
    return blob.words(), V


def finish(
    words: Words, V: Rows, report: ReadReport, faults: Faults | None = None, **more: Any
) -> Vectors:
    """Drop the later rows of duplicates, complete the report and log what it says."""
    path = report.path
    if not len(words):
        raise FormatError(f"{path}: got no vectors, expected at least one row; check the file")
    repeats = words.repeats()
    messages = faults.messages[:] if faults else []
    if len(repeats):
        keep = np.delete(np.arange(len(words)), repeats)
        messages.append(
            f"{path}: {len(repeats):,} rows of words that had occurred before are left out, "
            f"the first of {words[int(repeats[0])]!r}"
        )
        words = Words.of_bytes([words.raw(i) for i in keep.tolist()])
        V = _compact(V, keep)
    invalid = words.invalid_utf8()
    if invalid:
        messages.append(f"{path}: {invalid:,} words are not valid UTF-8; their bytes are kept")
    report = msgspec.structs.replace(
        report,
        duplicates=len(repeats),
        skipped=faults.skipped if faults else 0,
        invalid_utf8=invalid,
        zero_rows=count_zero_rows(V),
        messages=tuple(messages),
    )
    for message in messages:
        logger.warning("%s", message)
    return Vectors(words, V, report, **more)


def check_promise(
    path: Path, promised: int | None, found: int, limit: int | None, faults: Faults
) -> None:
    """Hold the header to the number of rows that it promised."""
    if promised is None or found >= (promised if limit is None else min(promised, limit)):
        if promised is not None and limit is None and found > promised:
            faults.note(
                f"{path}: got {found:,} rows, expected the {promised:,} that the header promised; "
                "all are read"
            )
        return
    message = (
        f"{path}: got a header that promised {promised:,} rows, and the file ends after {found:,}"
    )
    if faults.on_error == "raise":
        raise FormatError(
            f"{message}; copy or download it again, or pass on_error='skip' to take what there is"
        )
    faults.note(message)


def _compact(V: Rows, keep: npt.NDArray[np.int64]) -> Rows:
    """The rows to keep, moved up in place if the array may be written to."""
    if not V.flags.writeable:
        return V[keep]
    for a in range(0, len(keep), _FIRST):
        # Rows only move up, so none is overwritten before it was read.
        b = min(a + _FIRST, len(keep))
        V[a:b] = V[keep[a:b]]
    return V[: len(keep)]


def count_zero_rows(V: Rows) -> int:
    """How many rows are zeros throughout."""
    return sum(
        int(np.count_nonzero(~V[a : a + _FIRST].any(axis=1))) for a in range(0, len(V), _FIRST)
    )


def check_finite(words: Words, V: Rows, name: str) -> None:
    """Refuse vectors that hold NaN or infinity, naming the word and the row."""
    for a in range(0, len(V), _FIRST):
        bad = ~np.isfinite(V[a : a + _FIRST])
        if bad.any():
            i, j = (int(x) for x in np.argwhere(bad)[0])
            raise IsoglossError(
                f"{name}: got {V[a + i, j]} in row {a + i} (the word {words[a + i]!r}), "
                "expected finite numbers; mend or drop the row"
            )
