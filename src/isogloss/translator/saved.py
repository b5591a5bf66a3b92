"""A fitted model as a folder: typed JSON and safetensors, opened memory-mapped."""

import math
import os
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from isogloss.errors import FormatError, ModelError
from isogloss.mapping import Space
from isogloss.translator.model import Direction, LearntInfo, Model, ModelInfo
from isogloss.vectors import Vectors, open_store, open_tensors, write_tensors
from isogloss.vectors.atomic import refuse_foreign, replacing, replacing_folder
from isogloss.vectors.store import fill_store
from isogloss.vectors.words import printable

SCHEMA = 1
MODEL_FILE, ARRAYS_FILE = "model.json", "model.safetensors"
_FORMAT = "isogloss-model"
_SPACE = ("source_map", "target_map", "singular_values", "source_mean", "target_mean")


class _Version(msgspec.Struct):
    """What every version of `model.json` has."""

    format: str
    schema: int
    isogloss: str = "?"


class _Saved(msgspec.Struct, kw_only=True):
    """The whole of `model.json`."""

    format: str
    schema: int
    isogloss: str
    symmetric: bool
    files: dict[str, str]
    model: ModelInfo


def place_for(folder: Path | str) -> Path:
    """Where a model is to be saved; an error where it cannot be, before anything is fitted.

    What a symbolic link points to is replaced, and not the link.
    """
    folder = Path(folder).resolve()
    if folder == Path.cwd():
        raise ModelError(f"{folder}: got the current folder, expected another; name one in it")
    refuse_foreign(folder, MODEL_FILE)
    standing = next(parent for parent in folder.parents if parent.exists())
    if not os.access(standing, os.W_OK):
        raise ModelError(f"{folder}: got a place in {standing}, which is not writable")
    return folder


def save_model(model: Model, folder: Path | str, *, version: str) -> None:
    """Write a model, whole or not at all.

    Parameters
    ----------
    model : Model
    folder : path
        A new folder, an empty one or a model, which is then replaced.
    version : str
        The version of isogloss that writes.
    """
    folder = place_for(folder)
    symmetric = model.backward.X is model.forward.Y
    arrays: dict[str, npt.NDArray[Any]] = {"pairs": model.pairs, "held_out": model.held_out}
    spaces = {"forward": model.forward_space}
    if not symmetric:
        spaces["backward"] = model.backward_space
    for name, space in spaces.items():
        for part in _SPACE:
            if getattr(space, part) is not None:
                arrays[f"{name}.{part}"] = getattr(space, part)
    arrays["forward.penalty"] = model.forward.penalty
    arrays["backward.penalty"] = model.backward.penalty
    stores = {
        "source": Vectors(model.source_words, model.forward.X),
        "target": Vectors(model.target_words, model.forward.Y),
    }
    if not symmetric:
        stores["target.backward"] = Vectors(model.target_words, model.backward.X)
        stores["source.backward"] = Vectors(model.source_words, model.backward.Y)
    with replacing_folder(folder, MODEL_FILE) as temporary:
        for name, vectors in stores.items():
            (temporary / name).mkdir()
            fill_store(temporary / name, vectors)
        checksum = write_tensors(temporary / ARRAYS_FILE, arrays)
        saved = _Saved(
            format=_FORMAT,
            schema=SCHEMA,
            isogloss=version,
            symmetric=symmetric,
            files={ARRAYS_FILE: checksum},
            model=_readable(model.info),
        )
        with replacing(temporary / MODEL_FILE) as file:
            text = msgspec.json.encode(saved, enc_hook=_plain)
            file.write(msgspec.json.format(text))


def load_model(folder: Path | str) -> Model:
    """Open a model, memory-mapped.

    Parameters
    ----------
    folder : path

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        Where it is no model, one of a newer version, or damaged.
    """
    folder = Path(folder)
    saved = _description(folder)
    try:
        arrays = open_tensors(folder / ARRAYS_FILE)
        source, target = open_store(folder / "source"), open_store(folder / "target")
        if saved.symmetric:
            back_X, back_Y = target.vectors, source.vectors
        else:
            back_X = open_store(folder / "target.backward").vectors
            back_Y = open_store(folder / "source.backward").vectors
        space = _space(arrays, "forward")
        back = space.swapped if saved.symmetric else _space(arrays, "backward")
        info = saved.model
        forward, backward = (
            Direction(X, Y, arrays[f"{name}.penalty"], _beta(learnt), learnt.strength)
            for X, Y, name, learnt in (
                (source.vectors, target.vectors, "forward", info.forward),
                (back_X, back_Y, "backward", info.backward),
            )
        )
        pairs, held_out = arrays["pairs"], arrays["held_out"]
    except (
        FormatError,
        FileNotFoundError,
        NotADirectoryError,
        IsADirectoryError,
        KeyError,
    ) as error:
        raise ModelError(f"{folder}: the model is damaged, fit it again: {error}") from None
    for way, name in ((forward, "forward"), (backward, "backward")):
        if len(way.penalty) != len(way.Y) or way.X.shape[1] != way.Y.shape[1]:
            raise ModelError(
                f"{folder}: got {len(way.penalty):,} hub numbers and rows of shapes "
                f"{way.X.shape} and {way.Y.shape} for the {name} direction, which do not belong "
                "together; the model is damaged, fit it again"
            )
    return Model(source.words, target.words, space, back, forward, backward, pairs, held_out, info)


def _description(folder: Path) -> _Saved:
    path = folder / MODEL_FILE
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise ModelError(
            f"{folder}: got no {MODEL_FILE} in it, expected a folder that `isogloss fit -o` made; "
            "check the path"
        ) from None
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        version = msgspec.json.decode(text, type=_Version)
        if version.format != _FORMAT:
            raise ModelError(f"{path}: got the format {version.format!r}, expected {_FORMAT!r}")
        if version.schema > SCHEMA:
            raise ModelError(
                f"{folder}: got a model of version {version.schema}, made by isogloss "
                f"{version.isogloss}; this one reads up to version {SCHEMA}: install a newer one"
            )
        return msgspec.json.decode(text, type=_Saved)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ModelError(
            f"{path}: got something else than a model's description ({error}); fit it again"
        ) from None


def _space(arrays: dict[str, npt.NDArray[Any]], name: str) -> Space:
    found = {part: arrays.get(f"{name}.{part}") for part in _SPACE}
    for needed in _SPACE[:2]:
        if found[needed] is None:
            raise KeyError(f"{name}.{needed}")
    return Space(**found)  # type: ignore[arg-type]


def _beta(learnt: LearntInfo) -> float:
    return math.inf if learnt.beta is None else learnt.beta


def _readable(info: ModelInfo) -> ModelInfo:
    """Paths whose bytes are not UTF-8 have U+FFFD there, as JSON cannot hold them."""
    replace = msgspec.structs.replace
    source, target = (replace(x, path=_utf8(x.path)) for x in (info.source, info.target))
    return replace(info, source=source, target=target, dictionary=_utf8(info.dictionary))


def _utf8(path: str | None) -> str | None:
    return path and printable(path)


def _plain(value: Any) -> Any:
    """A setting that was given as one of numpy's numbers."""
    if isinstance(value, np.generic):
        return value.item()
    raise NotImplementedError
