"""One way in for all formats: detect, look into the cache, read, leave a copy."""

from collections.abc import Callable, Mapping
from pathlib import Path

from isogloss.errors import FormatError, IsoglossError
from isogloss.vectors.cache import Cache
from isogloss.vectors.detect import detect
from isogloss.vectors.model import Vectors
from isogloss.vectors.options import ReadOptions
from isogloss.vectors.source import compression

Reader = Callable[[Path, ReadOptions], Vectors]
MAPPED = frozenset({"npy", "safetensors", "store"})
"""Formats that are memory-mapped as they are: nothing is gained by caching them."""


def read_with(
    readers: Mapping[str, Reader],
    path: Path,
    options: ReadOptions,
    *,
    form: str | Reader | None = None,
    cache: Cache | None = None,
) -> Vectors:
    """Read a file with the reader of its format, or with one that is passed in."""
    if options.limit is not None and options.limit < 1:
        raise IsoglossError(f"got limit={options.limit}, expected 1 or more; None reads all")
    if options.dtype not in (None, "float32", "float16"):
        raise IsoglossError(f"got dtype={options.dtype!r}, expected 'float32' or 'float16'")
    if options.on_error not in ("raise", "skip"):
        raise IsoglossError(f"got on_error={options.on_error!r}, expected 'raise' or 'skip'")
    if isinstance(form, str) and form not in readers:
        raise IsoglossError(f"got format={form!r}, expected one of {', '.join(readers)}")
    found = detect(path) if form is None or not path.exists() else form
    if not isinstance(found, str):
        return found(path, options)
    if found in MAPPED:
        kind = None if found == "store" else compression(path)
        if kind is not None:
            raise FormatError(
                f"{path}: got a .{found} compressed by {kind}, expected it as it is, to be "
                "memory-mapped; decompress it"
            )
        return readers[found](path, options)
    if cache is None:
        return readers[found](path, options)
    key = cache.key(path, found, options)
    vectors = cache.get(key)
    if vectors is None:
        vectors = cache.put(key, readers[found](path, options))
    return vectors
