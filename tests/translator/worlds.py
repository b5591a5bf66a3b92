"""Small made-up languages: the target's rows are the source's, turned and disturbed."""

from dataclasses import dataclass

import numpy as np

import oracle
from isogloss.dictionary import WordPairs
from isogloss.vectors import Vectors, Words


@dataclass(frozen=True)
class World:
    """Row i of the one language translates row i of the other; the last are held out."""

    source: Vectors
    target: Vectors
    train: WordPairs
    test: WordPairs

    @property
    def rows(self):
        """X and Y, unit rows in float64."""
        return oracle.unit_rows(self.source.vectors), oracle.unit_rows(self.target.vectors)

    @property
    def three(self):
        return self.source, self.target, self.train


def world(n=240, d_x=12, d_y=12, n_train=160, noise=0.7, seed=0):
    X, Y = oracle.random_pair(seed, n, d_x, d_y, noise=noise)
    pairs = [(f"s{i}", f"t{i}") for i in range(n)]
    sides = (
        Vectors(Words.of(words), V.astype(np.float32))
        for words, V in zip(zip(*pairs, strict=True), (X, Y), strict=True)
    )
    return World(*sides, WordPairs.of(pairs[:n_train]), WordPairs.of(pairs[n_train:]))


def write_text(path, vectors):
    """A file of vectors in word2vec's text form, the words' own bytes kept."""
    n, d = vectors.vectors.shape
    lines = [f"{n} {d}"]
    lines += [
        " ".join([word, *map(repr, row.tolist())])
        for word, row in zip(vectors.words, vectors.vectors, strict=True)
    ]
    path.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
    return path


def write_pairs(path, pairs):
    path.write_text("".join(f"{s}\t{t}\n" for s, t in pairs), "utf-8")
    return path
