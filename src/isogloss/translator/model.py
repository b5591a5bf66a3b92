"""What a fitted translator holds: everything that is saved, and nothing else."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import msgspec
import numpy as np
import numpy.typing as npt

from isogloss.dictionary.report import PairsReport
from isogloss.mapping import Space
from isogloss.retrieval import Retriever
from isogloss.vectors import Words

Array = npt.NDArray[Any]
DirectionName = Literal["forward", "backward"]


class InputInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Where one language's vectors came from."""

    path: str | None
    format: str
    checksum: str
    words: int
    vector_size: int


class LearntInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What was learnt for one direction; β is None where it is infinite."""

    beta: float | None
    strength: float
    log_likelihood: float | None
    words: int
    steps: int
    sources: int
    note: str = ""


class ModelInfo(msgspec.Struct, frozen=True, kw_only=True):
    """How a model was made and what was learnt: the text of `model.json`.

    The dictionary's checksum is that of its pairs, as tab-separated lines.
    """

    recipe: str
    settings: dict[str, Any]
    seed: int
    source: InputInfo
    target: InputInfo
    dictionary: str | None
    dictionary_checksum: str
    pairs: PairsReport
    n_components: int
    cosine_before: float | None
    cosine_after: float
    forward: LearntInfo
    backward: LearntInfo


@dataclass(frozen=True, eq=False)
class Direction:
    """One direction of a fitted model: rows that are asked, rows that answer.

    Attributes
    ----------
    X : array, (n_x, r)
        Unit rows of the language asked, in the shared space.
    Y : array, (n_y, r)
        Unit rows of the language that answers.
    penalty : float64 array, (n_y,)
        h_i of each target.
    beta, strength : float
        β and λ.
    """

    X: Array
    Y: Array
    penalty: Array
    beta: float
    strength: float

    @cached_property
    def retriever(self) -> Retriever:
        """Ranks the target words."""
        return Retriever(self.Y, self.penalty, self.beta, self.strength)


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted translator.

    Attributes
    ----------
    source_words, target_words : Words
    forward_space, backward_space : Space
        From source to target, and the reverse one seen from the target; for a map that serves
        both directions the second is the first with its sides exchanged.
    forward, backward : Direction
    pairs : int64 array, (n, 2)
        The training pairs: positions of source and target words, -1 for composed entries.
    held_out : float64 array, (n,)
        ln P of each pair under a map that was fitted without its source word; nan if unknown.
    info : ModelInfo
    """

    source_words: Words
    target_words: Words
    forward_space: Space
    backward_space: Space
    forward: Direction
    backward: Direction
    pairs: npt.NDArray[np.int64]
    held_out: npt.NDArray[np.float64]
    info: ModelInfo

    def direction(self, reverse: bool) -> tuple[Words, Words, Direction]:
        """The words that are asked, the words that answer, and what ranks them."""
        if reverse:
            return self.target_words, self.source_words, self.backward
        return self.source_words, self.target_words, self.forward
