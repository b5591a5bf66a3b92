"""The bytes of a file: decompressed, hashed and counted as they pass."""

import bz2
import contextlib
import gzip
import hashlib
import io
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Protocol, cast

from isogloss.engine import Progress
from isogloss.errors import FormatError

_MAGIC = {b"\x1f\x8b": "gz", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz"}
_MIB = 1 << 20


class Readable(Protocol):
    """Something to read bytes from."""

    def read(self, size: int = -1, /) -> bytes:
        """At most so many bytes; none at the end."""
        ...


class _Watched(io.RawIOBase):
    """A file that hashes what is read from it and tells how far it is."""

    def __init__(self, file: IO[bytes], total: int, progress: Progress | None, hashed: bool):
        self.file, self.total, self.progress = file, total, progress
        self.sha256 = hashlib.sha256() if hashed else None
        self.done = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        count = cast(io.RawIOBase, self.file).readinto(view) or 0
        if self.sha256 is not None:
            self.sha256.update(view[:count])
        self.done += count
        if self.progress is not None:
            self.progress(self.done, self.total)
        return count


class Source:
    """An open file as its decompressed bytes; an error in the compression is a FormatError."""

    def __init__(self, path: Path, stream: Readable, raw: _Watched):
        self.path, self._stream, self._raw = path, stream, raw

    def read(self, size: int = -1, /) -> bytes:
        """At most so many decompressed bytes; none at the end."""
        with _decompression_errors(self.path):
            return self._stream.read(size)

    def checksum(self) -> str:
        """The checksum of the file; of the whole, if it was opened so."""
        if self._raw.sha256 is None:
            return sampled_checksum(self.path)
        while self._raw.read(_MIB):
            pass
        return f"sha256:{self._raw.sha256.hexdigest()}"


@contextlib.contextmanager
def open_source(
    path: Path, progress: Progress | None = None, *, hashed: bool = False
) -> Iterator[Source]:
    """Open a file, compressed (gz, bz2, xz) or not, for reading from its beginning.

    Parameters
    ----------
    path : Path
    progress : callable, optional
        Told about the bytes of the file itself, before decompression.
    hashed : bool
        Whether to hash all of the file as it is read.
    """
    kind = compression(path)
    with path.open("rb", buffering=0) as file:
        raw = _Watched(cast(IO[bytes], file), path.stat().st_size, progress, hashed)
        buffered = io.BufferedReader(raw, _MIB)
        stream: Readable = buffered
        if kind == "gz":
            stream = gzip.GzipFile(fileobj=buffered, mode="rb")
        elif kind == "bz2":
            stream = bz2.BZ2File(buffered)
        elif kind == "xz":
            stream = lzma.LZMAFile(buffered)  # noqa: SIM115
        yield Source(path, stream, raw)


def compression(path: Path) -> str | None:
    """How a file is compressed, told by its first bytes: "gz", "bz2", "xz" or None."""
    with path.open("rb") as file:
        start = file.read(6)
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)


def read_head(path: Path, size: int = _MIB) -> bytes:
    """The first decompressed bytes of a file, as many as asked for or as there are."""
    with open_source(path) as source:
        return read_exactly(source, size)


def read_exactly(source: Readable, size: int) -> bytes:
    """So many bytes, fewer only at the end of the file."""
    parts: list[bytes] = []
    missing = size
    while missing > 0 and (part := source.read(min(missing, 64 * _MIB))):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts) if len(parts) != 1 else parts[0]


def sampled_checksum(path: Path) -> str:
    """A checksum of a file's size and of its first, middle and last MiB."""
    size = path.stat().st_size
    sha256 = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        for start in sorted({0, max(0, size // 2 - _MIB // 2), max(0, size - _MIB)}):
            file.seek(start)
            sha256.update(file.read(_MIB))
    return f"sampled-sha256:{sha256.hexdigest()}"


def full_checksum(path: Path) -> str:
    """A checksum of the whole of a file."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


@contextlib.contextmanager
def _decompression_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except EOFError:
        raise FormatError(
            f"{path}: got a compressed file that ends in the middle, expected all of it; "
            "copy or download it again"
        ) from None
    except (zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise FormatError(
            f"{path}: got damaged compressed data ({error}), expected a whole file; "
            "copy or download it again"
        ) from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise FormatError(
            f"{path}: got damaged compressed data ({error}), expected a whole file; "
            "copy or download it again"
        ) from None
