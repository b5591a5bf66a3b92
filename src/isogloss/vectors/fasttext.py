"""fastText's `.bin` models: words and the rows of their n-grams."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.engine import Progress
from isogloss.errors import FormatError
from isogloss.vectors.detect import FASTTEXT_MAGIC
from isogloss.vectors.gather import Block, Faults, finish, gather
from isogloss.vectors.model import Rows, Vectors
from isogloss.vectors.options import ReadOptions
from isogloss.vectors.report import ReadReport, shown
from isogloss.vectors.source import compression, open_source, sampled_checksum
from isogloss.vectors.subwords import FastTextSubwords, ngram_buckets

_BLOCK = 1024
_ARGS = struct.Struct("<12id")
_COUNTS = struct.Struct("<3i2q")
_SUPERVISED = 3


class _Cursor:
    """A place in a file's bytes; going past the end is a FormatError."""

    def __init__(self, path: Path, data: npt.NDArray[np.uint8]):
        self.path, self.data, self.at = path, data, 0

    def take(self, size: int) -> bytes:
        if self.at + size > len(self.data):
            raise FormatError(
                f"{self.path}: got {len(self.data):,} bytes, expected {self.at + size:,} at "
                "least for this fastText model; the file is cut off, copy or download it again"
            )
        self.at += size
        return self.data[self.at - size : self.at].tobytes()

    def unpack(self, form: struct.Struct) -> tuple[Any, ...]:
        return form.unpack(self.take(form.size))


def read_fasttext(path: Path, options: ReadOptions) -> Vectors:
    """Read a fastText model: each word's vector is the mean of its own row and its n-grams'.

    The rows of the n-grams stay in the file, memory-mapped, so that unknown words get vectors
    too (`Vectors.row`). Quantised models (`.ftz`) are refused.
    """
    cursor = _Cursor(path, _bytes(path))
    magic, version = cursor.take(4), cursor.unpack(struct.Struct("<i"))[0]
    if magic != FASTTEXT_MAGIC or version not in (11, 12):
        raise FormatError(
            f"{path}: got a fastText model of version {version}, expected 11 or 12; "
            "save it again with a fastText of today"
        )
    d, _, _, _, _, _, _, model, bucket, minn, maxn, _, _ = cursor.unpack(_ARGS)
    if version == 11 and model == _SUPERVISED:
        maxn = 0  # As fastText itself reads models of that version.
    words = _dictionary(cursor)
    (quantised,) = cursor.take(1)
    if quantised:
        raise FormatError(
            f"{path}: got a quantised fastText model, expected a whole one; use the .bin it was "
            "made from"
        )
    m, width = cursor.unpack(struct.Struct("<2q"))
    if width != d or m != len(words) + bucket:
        raise FormatError(
            f"{path}: got an input matrix of {m:,} × {width}, expected {len(words) + bucket:,} × "
            f"{d} for {len(words):,} words and {bucket:,} buckets; the file is damaged"
        )
    start, size = cursor.at, 4 * m * d
    if start + size > len(cursor.data):
        cursor.take(size)
    M = cursor.data[start : start + size].view("<f4").reshape(m, d)
    dtype = options.dtype or "float32"
    faults = Faults(path, options.on_error)
    subwords = FastTextSubwords(M[len(words) :], minn, maxn)
    parsed = _blocks(M, words[: options.limit], len(words), subwords, options.progress)
    finite = (faults.finite(block, dtype, ", word {}") for block in parsed)
    kept, V = gather(finite, d, len(words[: options.limit]), dtype)
    report = ReadReport(
        path=shown(path), format="fasttext", rows=len(kept), checksum=sampled_checksum(path)
    )
    return finish(kept, V, report, faults, subwords=subwords)


def _bytes(path: Path) -> npt.NDArray[np.uint8]:
    """The file's bytes: mapped, or in memory where it is compressed."""
    if compression(path) is None:
        return np.memmap(path, dtype=np.uint8, mode="r").view(np.ndarray)
    with open_source(path) as source:
        return np.frombuffer(source.read(), dtype=np.uint8)


def _dictionary(cursor: _Cursor) -> list[bytes]:
    """The words of the dictionary, labels left out."""
    size, n_words, _, _, pruned = cursor.unpack(_COUNTS)
    if pruned > 0:
        raise FormatError(
            f"{cursor.path}: got a pruned fastText model, expected a whole one; use the .bin it "
            "was made from"
        )
    words: list[bytes] = []
    # A word, a zero byte, its count in 8 bytes and its kind in one.
    text, base, at = b"", cursor.at, 0
    for _ in range(size):
        end = text.find(b"\0", at)
        while end < 0 or end + 10 > len(text):
            more = cursor.data[base + len(text) : base + len(text) + (1 << 20)].tobytes()
            if not more:
                cursor.take(len(cursor.data))
            text, base, at = text[at:] + more, base + at, 0
            end = text.find(b"\0", at)
        if text[end + 9] == 0:
            words.append(text[at:end])
        at = end + 10
    cursor.at = base + at
    if len(words) != n_words:
        raise FormatError(
            f"{cursor.path}: got {len(words):,} words in the dictionary, expected {n_words:,}; "
            "the file is damaged, copy or download it again"
        )
    return words


def _blocks(
    M: Rows, words: list[bytes], n: int, subwords: FastTextSubwords, progress: Progress | None
) -> Iterator[Block]:
    """The words' vectors in blocks."""
    for a in range(0, len(words), _BLOCK):
        block = words[a : a + _BLOCK]
        k = len(block)
        ids, counts = ngram_buckets(block, subwords.minn, subwords.maxn, len(subwords.buckets))
        # Each word's own row stands before its n-grams'.
        own = np.cumsum(np.append(0, counts[:-1]))
        rows = np.insert(ids + n, own, np.arange(a, a + k))
        V = np.add.reduceat(M[rows], own + np.arange(k), axis=0)
        V /= (counts + 1).astype(np.float32)[:, None]
        yield Block(block, V, list(range(a + 1, a + k + 1)))
        if progress is not None:
            progress(4 * M.shape[1] * (a + k), 4 * M.shape[1] * len(words))
