"""Words and their vectors."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.errors import IsoglossError
from isogloss.vectors.report import ReadReport
from isogloss.vectors.subwords import FastTextSubwords
from isogloss.vectors.words import Positions, Words, encode

Rows = npt.NDArray[Any]
"""An n × d array of float16 or float32."""


@dataclass(frozen=True, eq=False, repr=False)
class Vectors:
    """Words and their vectors, row by row; it answers to gensim's names too.

    Attributes
    ----------
    words : Words
        The n words, the most frequent first where the file has them so.
    vectors : float16 or float32 array, (n, d)
        Read-only, and often memory-mapped: copy it before changing it.
    report : ReadReport
        What the reader found.
    subwords : FastTextSubwords or None
        The n-gram rows of a fastText `.bin`, which give rows to unknown words.
    """

    words: Words
    vectors: Rows
    report: ReadReport = field(default_factory=ReadReport)
    subwords: FastTextSubwords | None = None

    def __post_init__(self) -> None:
        V = self.vectors
        if V.ndim != 2 or V.dtype not in (np.dtype("<f2"), np.dtype("<f4")):
            raise IsoglossError(
                f"got an array of shape {V.shape} and type {V.dtype}, expected n × d of float16 "
                "or float32; as_vectors converts other types"
            )
        if len(self.words) != len(V):
            raise IsoglossError(
                f"got {len(self.words):,} words for {len(V):,} rows, expected as many; "
                "pass the words of these rows, in their order"
            )
        V = V.view(np.ndarray)
        V.flags.writeable = False
        object.__setattr__(self, "vectors", V)

    @property
    def index_to_key(self) -> Words:
        """The words, by gensim's name."""
        return self.words

    @property
    def key_to_index(self) -> Mapping[str, int]:
        """The mapping from word to row, by gensim's name."""
        return Positions(self.words)

    @property
    def vector_size(self) -> int:
        """The number of dimensions, by gensim's name."""
        return int(self.vectors.shape[1])

    def row(self, word: str) -> Rows:
        """The vector of a word, made of its n-grams where it is unknown and they were kept.

        Parameters
        ----------
        word : str

        Returns
        -------
        float array, (d,)

        Raises
        ------
        KeyError
            Where the word is unknown and no subwords were kept.
        """
        if word in self.words:
            return self[word]
        if self.subwords is None:
            raise KeyError(word)
        return self.subwords.row(encode(word))

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __getitem__(self, word: str) -> Rows:
        i = self.words.get(word)
        if i is None:
            raise KeyError(word)
        row: Rows = self.vectors[i]
        return row

    def __repr__(self) -> str:
        n, d = self.vectors.shape
        return f"Vectors({n:,} × {d} {self.vectors.dtype.name}: {self.words!r})"
