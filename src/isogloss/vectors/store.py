"""The native store: a folder that opens memory-mapped in milliseconds."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from isogloss.engine import Progress
from isogloss.errors import FormatError, IsoglossError
from isogloss.vectors.atomic import replacing, replacing_folder
from isogloss.vectors.detect import STORE_FILE
from isogloss.vectors.gather import check_finite
from isogloss.vectors.model import Vectors
from isogloss.vectors.options import ReadOptions
from isogloss.vectors.report import ReadReport
from isogloss.vectors.safetensors_map import open_tensors, write_tensors
from isogloss.vectors.subwords import FastTextSubwords
from isogloss.vectors.words import Words

SCHEMA = 1
_FORMAT = "isogloss-vectors"
_VECTORS, _WORDS, _SUBWORDS = "vectors.safetensors", "words.safetensors", "subwords.safetensors"


class SubwordsInfo(msgspec.Struct, frozen=True):
    """How words are cut into n-grams."""

    minn: int
    maxn: int


class StoreInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What `store.json` holds."""

    format: str
    schema: int
    n: int
    d: int
    dtype: str
    report: ReadReport
    files: dict[str, str]
    subwords: SubwordsInfo | None = None


class _Schema(msgspec.Struct):
    """What every version of `store.json` has."""

    format: str
    schema: int


def write_store(folder: Path | str, vectors: Vectors, *, progress: Progress | None = None) -> None:
    """Write vectors as a store: a folder that opens in milliseconds, whole or not at all.

    Parameters
    ----------
    folder : path
        A new folder, an empty one or a store, which is then replaced.
    vectors : Vectors
    progress : callable, optional
        Called with (bytes written, bytes in all).
    """
    with replacing_folder(Path(folder), STORE_FILE) as temporary:
        fill_store(temporary, vectors, progress=progress)


def fill_store(folder: Path, vectors: Vectors, *, progress: Progress | None = None) -> None:
    """Write the files of a store into an empty folder."""
    V, words, subwords = vectors.vectors, vectors.words, vectors.subwords
    n, d = V.shape
    files = {
        _VECTORS: write_tensors(folder / _VECTORS, {"vectors": V}, progress=progress),
        _WORDS: write_tensors(
            folder / _WORDS,
            {
                "blob": words.blob,
                "offsets": words.offsets,
                "hashes": words.hashes,
                "order": words.order,
            },
        ),
    }
    info = None
    if subwords is not None:
        files[_SUBWORDS] = write_tensors(folder / _SUBWORDS, {"buckets": subwords.buckets})
        info = SubwordsInfo(subwords.minn, subwords.maxn)
    store = StoreInfo(
        format=_FORMAT,
        schema=SCHEMA,
        n=n,
        d=d,
        dtype=V.dtype.name,
        report=vectors.report,
        files=files,
        subwords=info,
    )
    with replacing(folder / STORE_FILE) as file:
        file.write(msgspec.json.format(msgspec.json.encode(store)))


def open_store(folder: Path | str) -> Vectors:
    """Open a store, memory-mapped.

    Parameters
    ----------
    folder : path

    Returns
    -------
    Vectors

    Raises
    ------
    FormatError
        Where it is not a store, of a newer version, or damaged.
    """
    folder = Path(folder)
    store = store_info(folder)
    V = _tensors(folder / _VECTORS, ("vectors",))[0]
    blob, offsets, hashes, order = _tensors(folder / _WORDS, ("blob", "offsets", "hashes", "order"))
    n = store.n
    shapes = (V.shape, V.dtype.name, offsets.shape, hashes.shape, order.shape)
    expected = ((n, store.d), store.dtype, (n + 1,), (n,), (n,))
    if shapes != expected or int(offsets[-1]) != len(blob):
        raise FormatError(
            f"{folder}: got arrays of {shapes} and {len(blob):,} bytes of words, expected "
            f"{expected}; the store is damaged, make it again"
        )
    words = Words(blob, offsets, hashes, order)
    subwords = None
    if store.subwords is not None:
        (buckets,) = _tensors(folder / _SUBWORDS, ("buckets",))
        subwords = FastTextSubwords(buckets, store.subwords.minn, store.subwords.maxn)
    return Vectors(words, V, store.report, subwords)


def read_store(path: Path, options: ReadOptions) -> Vectors:
    """Open a store as `read` does: only so many rows, or in another type, where asked for."""
    vectors = open_store(path)
    V, words = vectors.vectors, vectors.words
    if options.limit is not None and options.limit < len(words):
        V, words = V[: options.limit], Words.of_bytes(words.raw_all(0, options.limit))
    if options.dtype is not None and V.dtype != np.dtype(options.dtype):
        with np.errstate(over="ignore"):
            V = V.astype(options.dtype)
        try:
            check_finite(words, V, f"{path} as {options.dtype}")
        except IsoglossError as error:
            raise FormatError(str(error)) from None
    return Vectors(words, V, vectors.report, vectors.subwords)


def store_info(folder: Path) -> StoreInfo:
    """What a store says of itself."""
    path = folder / STORE_FILE
    try:
        text = path.read_bytes()
        version = msgspec.json.decode(text, type=_Schema)
        if version.format != _FORMAT:
            raise FormatError(
                f"{path}: got the format {version.format!r}, expected {_FORMAT!r}; "
                "this is no store of vectors"
            )
        if version.schema > SCHEMA:
            raise FormatError(
                f"{folder}: got a store of version {version.schema}, expected {SCHEMA} at most; "
                "install a newer isogloss"
            )
        return msgspec.json.decode(text, type=StoreInfo)
    except FileNotFoundError:
        raise FormatError(
            f"{folder}: got no {STORE_FILE} in it, expected a store; check the path"
        ) from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FormatError(
            f"{path}: got something else than a store's description ({error}); make it again"
        ) from None


def _tensors(path: Path, names: tuple[str, ...]) -> list[npt.NDArray[Any]]:
    if not path.is_file():
        raise FormatError(f"{path}: got no such file, expected it in the store; make it again")
    tensors = open_tensors(path)
    missing = [name for name in names if name not in tensors]
    if missing:
        raise FormatError(
            f"{path}: got no tensor {missing[0]!r}, expected {', '.join(names)}; make it again"
        )
    return [tensors[name] for name in names]
