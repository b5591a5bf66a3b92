"""Copies of slow files, in the native store's form, so that the next read is instant."""

import contextlib
import dataclasses
import hashlib
import logging
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from isogloss.errors import IsoglossError
from isogloss.vectors.atomic import TEMPORARY, folder_beside
from isogloss.vectors.model import Vectors
from isogloss.vectors.options import ReadOptions
from isogloss.vectors.source import full_checksum, sampled_checksum
from isogloss.vectors.store import SCHEMA, fill_store, open_store, store_info

logger = logging.getLogger(__name__)
_USED = "used"
_STALE_SECONDS = 24 * 3600
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def default_folder() -> Path:
    """Where copies are kept: `$ISOGLOSS_HOME`/vectors, or in the platform's folder for caches."""
    home = os.environ.get("ISOGLOSS_HOME")
    if home:
        return Path(home) / "vectors"
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "isogloss" / "vectors"


def default_size() -> int:
    """How much is kept: `$ISOGLOSS_CACHE_SIZE`, such as "500MB", or 20 GB."""
    text = os.environ.get("ISOGLOSS_CACHE_SIZE", "20GB")
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)I?B?\s*", text.upper())
    if not match:
        raise IsoglossError(
            f"got ISOGLOSS_CACHE_SIZE={text!r}, expected a size such as 20GB or 500MB; mend it"
        )
    return int(float(match[1]) * _UNITS[match[2]])


@dataclass(frozen=True)
class CacheEntry:
    """One copy.

    Attributes
    ----------
    key : str
    source : str or None
        The file it is a copy of.
    bytes : int
    used : float
        When it was last used, in seconds since 1970.
    """

    key: str
    source: str | None
    bytes: int
    used: float


@dataclass(frozen=True)
class Cache:
    """A folder of copies; the least recently used go where there are too many.

    Attributes
    ----------
    folder : Path
        By default `$ISOGLOSS_HOME`/vectors, or in the platform's folder for caches.
    max_bytes : int
        By default `$ISOGLOSS_CACHE_SIZE`, or 20 GB.
    """

    folder: Path = field(default_factory=default_folder)
    max_bytes: int = field(default_factory=default_size)

    def key(self, path: Path, form: str, options: ReadOptions) -> str:
        """The name of a copy: it changes with the file and with how it is read."""
        path = path.resolve()
        stat = path.stat()
        parts = (
            (str(path), stat.st_size, stat.st_mtime_ns, stat.st_ino, sampled_checksum(path)),
            (form, options.limit, options.dtype or "float32", options.on_error, SCHEMA),
        )
        return hashlib.sha256(repr(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]

    def get(self, key: str) -> Vectors | None:
        """The copy of this name, if there is one; a damaged one is thrown away."""
        entry = self.folder / key
        try:
            if not entry.is_dir():
                return None
            vectors = open_store(entry)
        except (IsoglossError, OSError, ValueError) as error:
            logger.warning("%s: a damaged copy is thrown away: %s", entry, error)
            shutil.rmtree(entry, ignore_errors=True)
            return None
        with contextlib.suppress(OSError):
            (entry / _USED).touch()
        for message in vectors.report.messages:
            logger.warning("%s", message)
        return vectors

    def put(self, key: str, vectors: Vectors) -> Vectors:
        """Leave a copy and return it, memory-mapped; where that fails, return what was given.

        Of two processes that write the same copy at once, the second discards its own.
        """
        entry = self.folder / key
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with folder_beside(entry) as temporary:
                # The whole path, so that `verify` finds the file from any folder.
                path = vectors.report.path
                report = replace(vectors.report, path=path and str(Path(path).absolute()))
                fill_store(temporary, dataclasses.replace(vectors, report=report))
                (temporary / _USED).touch()
                with contextlib.suppress(FileExistsError):
                    _rename(temporary, entry)
            self.trim(keep=key)
            return open_store(entry)
        except (IsoglossError, OSError) as error:
            logger.warning("%s: no copy is kept for the next time: %s", self.folder, error)
            return vectors

    def entries(self) -> list[CacheEntry]:
        """The copies, the most recently used first."""
        found = []
        for entry in self._folders():
            # Another process may be throwing it away.
            with contextlib.suppress(OSError):
                size = sum(file.stat().st_size for file in entry.iterdir())
                used = entry / _USED
                when = (used if used.exists() else entry).stat().st_mtime
                source = None
                with contextlib.suppress(IsoglossError):
                    source = store_info(entry).report.path
                found.append(CacheEntry(entry.name, source, size, when))
        return sorted(found, key=lambda e: e.used, reverse=True)

    def clear(self) -> int:
        """Throw all copies away; returns the bytes that were freed."""
        freed = 0
        for entry in self.entries():
            shutil.rmtree(self.folder / entry.key, ignore_errors=True)
            freed += entry.bytes
        self._sweep(0)
        return freed

    def trim(self, *, keep: str | None = None) -> list[CacheEntry]:
        """Throw the least recently used copies away until the rest fits; returns those gone.

        Parameters
        ----------
        keep : str, optional
            The key of a copy that stays in any case.
        """
        self._sweep(_STALE_SECONDS)
        entries = self.entries()
        total, gone = sum(entry.bytes for entry in entries), []
        for entry in reversed(entries):
            if total <= self.max_bytes:
                break
            if entry.key != keep:
                shutil.rmtree(self.folder / entry.key, ignore_errors=True)
                total -= entry.bytes
                gone.append(entry)
        return gone

    def verify(self) -> list[str]:
        """Hash all copies and the files they are of; returns what differs, in words."""
        return [problem for entry in self._folders() for problem in _problems(entry)]

    def _folders(self) -> list[Path]:
        if not self.folder.is_dir():
            return []
        return [p for p in sorted(self.folder.iterdir()) if re.fullmatch("[0-9a-f]{32}", p.name)]

    def _sweep(self, seconds: float) -> None:
        """Throw away what writers that were stopped have left behind."""
        for path in self.folder.glob(f".*{TEMPORARY}*"):
            with contextlib.suppress(OSError):
                if time.time() - path.stat().st_mtime >= seconds:
                    shutil.rmtree(path, ignore_errors=True)


def _rename(temporary: Path, entry: Path) -> None:
    """Rename a folder unless there is one of that name already."""
    try:
        temporary.rename(entry)
    except OSError:
        if entry.is_dir():
            raise FileExistsError(entry) from None
        raise


def _problems(entry: Path) -> Iterator[str]:
    try:
        store = store_info(entry)
        for name, checksum in store.files.items():
            if full_checksum(entry / name) != checksum:
                yield f"{entry / name}: its bytes have changed since it was written"
        path, expected = store.report.path, store.report.checksum
        if path is not None and Path(path).is_file():
            whole = expected.startswith("sha256:")
            if (full_checksum if whole else sampled_checksum)(Path(path)) != expected:
                yield f"{path}: the file has changed since it was copied to {entry.name}"
    except (IsoglossError, OSError) as error:
        yield f"{entry}: {error}"
