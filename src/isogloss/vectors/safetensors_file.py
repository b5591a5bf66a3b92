"""Vectors in a `.safetensors` file, with the words in a file beside it."""

from pathlib import Path

from isogloss.errors import FormatError
from isogloss.vectors.mapped import with_words
from isogloss.vectors.model import Vectors
from isogloss.vectors.options import ReadOptions
from isogloss.vectors.safetensors_map import open_tensors


def read_safetensors(path: Path, options: ReadOptions) -> Vectors:
    """Map the tensor "vectors", or the only one of two dimensions, into memory."""
    tensors = open_tensors(path)
    flat = {name: V for name, V in tensors.items() if V.ndim == 2 and V.dtype.kind == "f"}
    if "vectors" not in flat and len(flat) != 1:
        raise FormatError(
            f"{path}: got the tensors {', '.join(map(repr, tensors)) or 'none'}, expected one "
            'named "vectors", or only one of two dimensions; save the vectors alone'
        )
    V = flat["vectors"] if "vectors" in flat else next(iter(flat.values()))
    return with_words(path, "safetensors", V, options)
