"""Writing vectors in the formats of other programmes."""

import bz2
import contextlib
import gzip
import lzma
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, cast

import numpy as np

from isogloss.engine import Progress
from isogloss.errors import FormatError
from isogloss.vectors.atomic import replacing
from isogloss.vectors.model import Rows, Vectors
from isogloss.vectors.safetensors_map import write_tensors

_BLOCK = 1024
Writer = Callable[[Path, Vectors, Progress | None], None]
SUFFIXES = {
    ".vec": "word2vec",
    ".txt": "word2vec",
    ".bin": "word2vec-binary",
    ".safetensors": "safetensors",
}
_NAMES = {9: "a tab", 10: "a newline", 13: "a carriage return", 32: "a space"}
_COMPRESSED = (".gz", ".bz2", ".xz")


def format_by_suffix(path: Path) -> str:
    """The name of the format that a file's name asks for."""
    inner = path.with_suffix("") if path.suffix in _COMPRESSED else path
    if inner.suffix not in SUFFIXES:
        raise FormatError(
            f"{path}: got the ending {inner.suffix!r}, expected one of {', '.join(SUFFIXES)}; "
            "choose one or pass format="
        )
    return SUFFIXES[inner.suffix]


def write_word2vec(path: Path, vectors: Vectors, progress: Progress | None = None) -> None:
    """Write word2vec's text; nine digits give every float32 back exactly.

    Words may have spaces inside, which isogloss reads back; a newline, a space at the end or
    an empty word is refused.
    """
    _check_words(path, vectors, b"\n", b" \t", empty=False)
    d = vectors.vector_size
    form = " ".join(["%.9g"] * d) + "\n"

    def lines(words: list[bytes], V: Rows) -> bytes:
        rows = V.astype(np.float32, copy=False).tolist()
        text = "".join([form % tuple(row) for row in rows])
        if np.any(np.signbit(V) & (V == 0)):
            # Readers that take -0 for a whole number lose its sign.
            text = re.sub(r"(?<![^ \n])-0(?=[ \n])", "-0.0", text)
        numbers = text.encode().splitlines()
        return b"".join([b"%b %b\n" % pair for pair in zip(words, numbers, strict=True)])

    _write_rows(path, vectors, lines, progress)


def write_word2vec_binary(path: Path, vectors: Vectors, progress: Progress | None = None) -> None:
    """Write word2vec's binary format, with a newline after each row as word2vec itself does.

    A space ends the word in this format, so words with a space or a newline are refused.
    """
    _check_words(path, vectors, b" \n", b"", empty=False)

    def rows(words: list[bytes], V: Rows) -> bytes:
        numbers = (row.tobytes() for row in V.astype("<f4", copy=False))
        return b"".join([b"%b %b\n" % pair for pair in zip(words, numbers, strict=True)])

    _write_rows(path, vectors, rows, progress)


def write_safetensors(path: Path, vectors: Vectors, progress: Progress | None = None) -> None:
    """Write the tensor "vectors", and the words beside it, one a line in `name.words.txt`."""
    if path.suffix in _COMPRESSED:
        raise FormatError(
            f"{path}: got a name that asks for compression, expected .safetensors, which is "
            f"memory-mapped; drop {path.suffix}"
        )
    _check_words(path, vectors, b"\n", b"\r", empty=True)
    words_path = path.with_name(f"{path.stem}.words.txt")
    with replacing(words_path) as file:
        file.writelines(word + b"\n" for word in vectors.words.raw_all())
    write_tensors(path, {"vectors": vectors.vectors}, progress=progress)


def _write_rows(
    path: Path,
    vectors: Vectors,
    form: Callable[[list[bytes], Rows], bytes],
    progress: Progress | None,
) -> None:
    """The header, then block by block what `form` makes of words and rows."""
    V = vectors.vectors
    n, d = V.shape
    total = V.nbytes
    with replacing(path) as file, _compressing(file, path.suffix) as out:
        out.write(b"%d %d\n" % (n, d))
        for a in range(0, n, _BLOCK):
            b = min(a + _BLOCK, n)
            out.write(form(list(vectors.words.raw_all(a, b)), V[a:b]))
            if progress is not None:
                progress(total * b // n, total)


@contextlib.contextmanager
def _compressing(file: IO[bytes], suffix: str) -> Iterator[IO[bytes]]:
    """The file, or one that compresses into it by the name's ending."""
    if suffix == ".gz":
        # No name and no time, so that the same vectors give the same bytes.
        with gzip.GzipFile("", "wb", 6, file, mtime=0) as out:
            yield cast(IO[bytes], out)
    elif suffix == ".bz2":
        with bz2.BZ2File(file, "wb") as out:
            yield cast(IO[bytes], out)
    elif suffix == ".xz":
        with lzma.LZMAFile(file, "wb") as out:
            yield cast(IO[bytes], out)
    else:
        yield file


def _check_words(path: Path, vectors: Vectors, banned: bytes, ends: bytes, *, empty: bool) -> None:
    """Refuse words that the format can't give back."""
    words, blob = vectors.words, vectors.words.blob
    size = np.diff(words.offsets)
    at = np.flatnonzero(np.isin(blob, np.frombuffer(banned, dtype=np.uint8)))[:1]
    bad = np.searchsorted(words.offsets, at, side="right") - 1
    why = " or ".join(_NAMES[byte] for byte in banned)
    if not len(bad) and ends:
        last = blob[words.offsets[1:][size > 0] - 1]
        found = np.isin(last, np.frombuffer(ends, dtype=np.uint8))
        bad = np.flatnonzero(size > 0)[found]
        why = " or ".join(_NAMES[byte] for byte in ends) + " at its end"
    if not len(bad) and not empty:
        bad, why = np.flatnonzero(size == 0), "nothing in it"
    if len(bad):
        raise FormatError(
            f"{path}: got the word {words[int(bad[0])]!r} with {why}, which this format cannot "
            "hold; write a store (write_store), or change the word"
        )
