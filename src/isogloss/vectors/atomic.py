"""Files and folders that are written whole or not at all."""

import contextlib
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from isogloss.errors import IsoglossError

TEMPORARY = ".tmp-"


def temporary_beside(path: Path) -> Path:
    """A fresh hidden name in the same folder, on the same disk."""
    return path.with_name(f".{path.name[:80]}{TEMPORARY}{uuid.uuid4().hex[:12]}")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to that takes the place of `path` once all went well."""
    temporary = temporary_beside(path)
    try:
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        _name(error, temporary, path)
        raise


@contextlib.contextmanager
def folder_beside(path: Path) -> Iterator[Path]:
    """A temporary folder beside `path`, gone at the end unless it was renamed."""
    temporary = temporary_beside(path)
    try:
        temporary.mkdir(parents=True)
        yield temporary
    except OSError as error:
        _name(error, temporary, path)
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _name(error: BaseException, temporary: Path, path: Path) -> None:
    """Let an error of the system name what the caller asked for, not our name for it."""
    if isinstance(error, OSError) and str(error.filename or temporary).startswith(str(temporary)):
        error.filename = str(path)


@contextlib.contextmanager
def replacing_folder(folder: Path, marker: str) -> Iterator[Path]:
    """A folder to fill that takes the place of `folder` once all went well.

    Only a folder that holds `marker`, or nothing, is replaced.
    """
    refuse_foreign(folder, marker)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder_beside(folder) as temporary:
        yield temporary
        old = temporary_beside(folder)
        if folder.exists():
            folder.rename(old)
        try:
            temporary.rename(folder)
        except BaseException:
            if old.exists():
                old.rename(folder)
            raise
        shutil.rmtree(old, ignore_errors=True)


def refuse_foreign(folder: Path, marker: str) -> None:
    """An error where a folder holds something else than what is to be replaced."""
    if folder.exists() and not (folder / marker).is_file() and not _is_empty(folder):
        raise IsoglossError(
            f"{folder}: got something that isogloss did not make there ({marker} is not in it), "
            "expected a new name or a folder to replace; choose another name"
        )


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())
