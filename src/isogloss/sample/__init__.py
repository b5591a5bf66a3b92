"""A small English–Italian sample: vectors of the most frequent words, and a dictionary."""

from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

import numpy as np

from isogloss.dictionary import WordPairs
from isogloss.vectors import Vectors, Words, open_tensors

__all__ = ["Sample", "sample"]


class Sample(NamedTuple):
    """What `sample` returns: two languages, pairs to learn from, pairs held out."""

    source: Vectors
    target: Vectors
    train: WordPairs
    test: WordPairs


def sample() -> Sample:
    """The English–Italian sample that ships with isogloss.

    Returns
    -------
    Sample
        English and Italian vectors (5,000 × 300 each), 1,447 training pairs, 419 test pairs.
    """
    with as_file(files("isogloss.sample")) as folder:
        return Sample(
            _language(folder, "en"),
            _language(folder, "it"),
            WordPairs.read(folder / "en-it.train.txt"),
            WordPairs.read(folder / "en-it.test.txt"),
        )


def _language(folder: Path, name: str) -> Vectors:
    tensors = open_tensors(folder / f"{name}.safetensors")
    words = (folder / f"{name}.words.txt").read_text(encoding="utf-8").split("\n")[:-1]
    V = tensors["vectors"].astype(np.float32) * tensors["scale"][:, None]
    return Vectors(Words.of(words), V)
