"""safetensors files, memory-mapped on reading and streamed on writing.

safetensors' own numpy reader copies every tensor and its writer makes a second copy in memory;
the format is small enough to be done here without either.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from isogloss.engine import Progress
from isogloss.errors import FormatError
from isogloss.vectors.atomic import replacing

_DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "|u1",
    "BOOL": "|b1",
}
_NAMES = {np.dtype(code): name for name, code in _DTYPES.items()}
_MAX_HEADER = 100_000_000
_BLOCK = 1 << 24


class _Tensor(msgspec.Struct):
    """One tensor as the header has it."""

    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def open_tensors(path: Path | str) -> dict[str, npt.NDArray[Any]]:
    """The tensors of a safetensors file, memory-mapped and read-only.

    Parameters
    ----------
    path : path

    Returns
    -------
    dict of str to array

    Raises
    ------
    FormatError
        Where the header is damaged, or the file shorter than its header says.
    """
    path = Path(path)
    tensors, _, start = _header(path)
    data = np.memmap(path, dtype=np.uint8, mode="r").view(np.ndarray)[start:]
    found = {}
    for name, tensor in tensors.items():
        a, b = tensor.data_offsets
        if tensor.dtype not in _DTYPES:
            raise FormatError(
                f"{path}: got the tensor {name!r} of type {tensor.dtype}, expected one of "
                f"{', '.join(_DTYPES)}; convert it"
            )
        dtype = np.dtype(_DTYPES[tensor.dtype])
        count = 1
        for size in tensor.shape:
            count *= size
        if min(tensor.shape, default=0) < 0 or b - a != count * dtype.itemsize or a < 0:
            raise FormatError(
                f"{path}: got {b - a:,} bytes for the tensor {name!r} of shape {tensor.shape}, "
                f"expected {count * dtype.itemsize:,}; the file is damaged, make it again"
            )
        if b > len(data):
            raise FormatError(
                f"{path}: got {len(data):,} bytes of tensors, expected {b:,} at least for "
                f"{name!r}; the file is cut off, copy or download it again"
            )
        found[name] = data[a:b].view(dtype).reshape(tensor.shape)
    return found


def read_metadata(path: Path | str) -> dict[str, str]:
    """The metadata of a safetensors file: strings by name."""
    return _header(Path(path))[1]


def write_tensors(
    path: Path | str,
    tensors: Mapping[str, npt.NDArray[Any]],
    metadata: Mapping[str, str] | None = None,
    *,
    progress: Progress | None = None,
) -> str:
    """Write a safetensors file, whole or not at all.

    Parameters
    ----------
    path : path
    tensors : mapping of str to array
    metadata : mapping of str to str, optional
    progress : callable, optional
        Called with (bytes written, bytes in all).

    Returns
    -------
    str
        The checksum of the file, ``"sha256:…"``.
    """
    path = Path(path)
    arrays = {name: np.asarray(array) for name, array in tensors.items()}
    arrays = {
        name: array.astype(array.dtype.newbyteorder("<"), copy=False)
        for name, array in arrays.items()
    }
    for name, array in arrays.items():
        if array.dtype not in _NAMES:
            raise FormatError(
                f"{path}: got the tensor {name!r} of type {array.dtype}, expected one of "
                f"{', '.join(d.name for d in _NAMES)}; convert it"
            )
    # The widest first, so that every tensor is aligned; there may be no gaps.
    names = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    end = 0
    for name in names:
        start, end = end, end + arrays[name].nbytes
        header[name] = _Tensor(_NAMES[arrays[name].dtype], list(arrays[name].shape), (start, end))
    text = msgspec.json.encode(header)
    text += b" " * (-(8 + len(text)) % 64)
    sha256 = hashlib.sha256()
    done = 0
    with replacing(path) as file:
        for part in (len(text).to_bytes(8, "little"), text):
            file.write(part)
            sha256.update(part)
        for name in names:
            array = arrays[name]
            rows = array.reshape(len(array) if array.ndim else 1, -1) if array.size else array[:0]
            step = max(1, _BLOCK // max(1, array.nbytes // max(1, len(rows))))
            for a in range(0, len(rows), step):
                block = np.ascontiguousarray(rows[a : a + step]).view(np.uint8).data
                file.write(block)
                sha256.update(block)
                done += block.nbytes
                if progress is not None:
                    progress(done, end)
    return f"sha256:{sha256.hexdigest()}"


def _header(path: Path) -> tuple[dict[str, _Tensor], dict[str, str], int]:
    """The tensors and the metadata by the header, and where the data starts."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, _MAX_HEADER):
            raise FormatError(
                f"{path}: got {size:,} bytes and a header of {length:,}, expected a whole "
                "safetensors file; copy or download it again"
            )
        text = file.read(length)
    try:
        raw = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        metadata = msgspec.json.decode(raw.pop("__metadata__", b"{}"), type=dict[str, str])
        tensors = {name: msgspec.json.decode(part, type=_Tensor) for name, part in raw.items()}
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FormatError(
            f"{path}: got a header that is not safetensors' ({error}), expected JSON of its "
            "tensors; the file is damaged, make or download it again"
        ) from None
    return tensors, metadata, 8 + length
