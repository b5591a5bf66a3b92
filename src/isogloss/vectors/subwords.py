"""The n-gram rows of a fastText model, which give a vector to any word."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

_FNV_START = np.uint32(2166136261)
_FNV_PRIME = np.uint32(16777619)
END_OF_SENTENCE = b"</s>"


@dataclass(frozen=True, eq=False)
class FastTextSubwords:
    """fastText's bucket rows and how words are cut into n-grams.

    Attributes
    ----------
    buckets : float array, (bucket count, d)
        One row a bucket of hashed n-grams; may be memory-mapped.
    minn, maxn : int
        The shortest and the longest n-gram, in characters.
    """

    buckets: npt.NDArray[Any]
    minn: int
    maxn: int

    def row(self, word: bytes) -> npt.NDArray[np.float32]:
        """The vector of an unknown word: the mean of the rows of its n-grams.

        Parameters
        ----------
        word : bytes
            The word in UTF-8.

        Returns
        -------
        float32 array, (d,)
            Zeros where the word has no n-grams, as in fastText.
        """
        ids, _ = ngram_buckets([word], self.minn, self.maxn, len(self.buckets))
        if not len(ids):
            return np.zeros(self.buckets.shape[1], dtype=np.float32)
        total: npt.NDArray[np.float32] = self.buckets[ids].sum(axis=0, dtype=np.float32)
        return total / np.float32(len(ids))


def ngram_buckets(
    words: Sequence[bytes], minn: int, maxn: int, bucket: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The buckets of the n-grams of `<word>`, for many words at once.

    FNV-1a is a running hash, so the n-grams that start at a character are hashed together,
    one character longer at each step, over all characters of all words.

    Returns
    -------
    ids : int64 array, (number of n-grams,)
        Word by word.
    counts : int64 array, (number of words,)
        How many n-grams each word has.
    """
    counts = np.zeros(len(words), dtype=np.int64)
    # The end of a sentence is a mark, not a word: fastText cuts it into nothing.
    text = [b"" if word == END_OF_SENTENCE else b"<" + word + b">" for word in words]
    raw = np.frombuffer(b"".join(text), dtype=np.uint8)
    if bucket < 1 or maxn < 1 or not len(raw):
        return np.zeros(0, dtype=np.int64), counts
    # fastText hashes signed chars, so that bytes above 127 turn on the upper 24 bits.
    signed = raw.view(np.int8).astype(np.int32).view(np.uint32)
    owner = np.repeat(np.arange(len(words)), [len(t) for t in text])
    lead = np.flatnonzero((raw & 0xC0) != 0x80)
    # The character that starts at lead[c] ends at stop[c], within its word.
    stop = np.append(lead[1:], len(raw))
    length = stop - lead
    of = owner[lead]
    c = np.arange(len(lead))
    h = np.full(len(lead), _FNV_START, dtype=np.uint32)
    starts, hashes = [], []
    for n in range(1, maxn + 1):
        last = c + n - 1
        keep = last < len(lead)
        keep[keep] = of[last[keep]] == of[c[keep]]
        c, h, last = c[keep], h[keep], last[keep]
        if not len(c):
            break
        for k in range(int(length[last].max())):
            more = k < length[last]
            h[more] = (h[more] ^ signed[lead[last[more]] + k]) * _FNV_PRIME
        if n >= minn:
            edge = (c == 0) | (of[c] != of[c - 1]) | (stop[last] == len(raw))
            inner = last + 1 < len(lead)
            edge[inner] |= of[last[inner] + 1] != of[c[inner]]
            chosen = ~edge if n == 1 else np.ones(len(c), dtype=bool)
            starts.append(c[chosen])
            hashes.append(h[chosen])
    if not starts:
        return np.zeros(0, dtype=np.int64), counts
    at, found = np.concatenate(starts), np.concatenate(hashes)
    by_word = np.argsort(at, kind="stable")
    at, found = at[by_word], found[by_word]
    counts += np.bincount(of[at], minlength=len(words))
    # fastText keeps the remainder in an int32; with fewer than 2³¹ buckets that changes nothing.
    return (found % np.uint32(bucket)).astype(np.int64), counts
