"""A vocabulary that opens in milliseconds: no dictionary is built, the arrays are searched."""

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar, overload
from zlib import crc32

import numpy as np
import numpy.typing as npt

from isogloss.errors import IsoglossError

Default = TypeVar("Default")
_CHUNK = 1 << 14


def encode(word: str) -> bytes:
    """The bytes of a word; words that came from invalid UTF-8 give the same bytes back."""
    return word.encode("utf-8", "surrogateescape")


def decode(raw: bytes) -> str:
    """The word of some bytes; invalid UTF-8 is kept as lone surrogates."""
    return raw.decode("utf-8", "surrogateescape")


def printable(text: str) -> str:
    """Text that UTF-8 can hold: bytes that were not valid become U+FFFD."""
    return encode(text).decode("utf-8", "replace")


@dataclass(frozen=True, eq=False, repr=False)
class Words(Sequence[str]):
    """An immutable sequence of words with a look-up from word to position.

    Where a word occurs twice, the look-up finds the first. Make one with `Words.of`.

    Attributes
    ----------
    blob : uint8 array, (bytes,)
        All words in UTF-8, one after another, without separators.
    offsets : int64 array, (n + 1,)
        Word i is `blob[offsets[i]:offsets[i + 1]]`.
    hashes : uint32 array, (n,)
        The CRC-32 of each word, sorted.
    order : int32 array, (n,)
        The position of the word that each hash belongs to, rising among equal hashes.
    """

    blob: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.int64]
    hashes: npt.NDArray[np.uint32]
    order: npt.NDArray[np.int32]

    @classmethod
    def of(cls, words: Iterable[str]) -> "Words":
        """The vocabulary of these words, in this order.

        Parameters
        ----------
        words : iterable of str
            The words; a `Words` is returned as it is.

        Returns
        -------
        Words
        """
        if isinstance(words, Words):
            return words
        if isinstance(words, str | bytes):
            raise IsoglossError(f"got one {type(words).__name__}, expected a sequence of words")
        try:
            return cls.of_bytes(map(encode, words))
        except UnicodeEncodeError as error:
            raise IsoglossError(
                f"got the word {error.object!r} with a lone surrogate, expected text that UTF-8 "
                "can hold; mend the word"
            ) from None
        except (AttributeError, TypeError) as error:
            raise IsoglossError(f"got words that are not all str ({error}); pass strings") from None

    @classmethod
    def of_bytes(cls, words: Iterable[bytes]) -> "Words":
        """The vocabulary of these words, each already UTF-8."""
        blob = WordBlob()
        blob.extend(words)
        return blob.words()

    def raw(self, i: int) -> bytes:
        """The bytes of word i; i must lie in 0 … n - 1."""
        return self.blob[self.offsets[i] : self.offsets[i + 1]].tobytes()

    def raw_all(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """The bytes of the words from start to stop, in order, read in chunks."""
        stop = len(self) if stop is None else stop
        for first in range(start, stop, _CHUNK):
            bounds = self.offsets[first : min(first + _CHUNK, stop) + 1].tolist()
            text = self.blob[bounds[0] : bounds[-1]].tobytes()
            base = bounds[0]
            yield from (text[a - base : b - base] for a, b in pairwise(bounds))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[str]:
        return map(decode, self.raw_all())

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        n = len(self)
        if isinstance(index, slice):
            start, stop, step = index.indices(n)
            if step == 1:
                return [decode(raw) for raw in self.raw_all(start, max(start, stop))]
            return [decode(self.raw(i)) for i in range(start, stop, step)]
        i = operator.index(index)
        if not -n <= i < n:
            raise IndexError(f"got word number {i}, expected one below {n}")
        return decode(self.raw(i % n))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Words):
            return NotImplemented
        return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.blob, other.blob)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:3]))
        return f"Words({len(self):,}: {shown}{', …' if len(self) > 3 else ''})"

    @overload
    def get(self, word: str) -> int | None: ...
    @overload
    def get(self, word: str, default: Default) -> int | Default: ...
    def get(self, word: str, default: Any = None) -> Any:
        """The position of a word, or the default where the vocabulary has no such word."""
        i = int(self.indices((word,))[0])
        return default if i < 0 else i

    def indices(self, words: Iterable[str]) -> npt.NDArray[np.int64]:
        """The positions of many words at once.

        Parameters
        ----------
        words : iterable of str

        Returns
        -------
        int64 array, (number of words,)
            -1 where the vocabulary has no such word.
        """
        keys = [_key(word) for word in words]
        wanted = np.fromiter(map(crc32, keys), dtype=np.uint32, count=len(keys))
        first = np.searchsorted(self.hashes, wanted, side="left").tolist()
        last = np.searchsorted(self.hashes, wanted, side="right").tolist()
        found = np.full(len(keys), -1, dtype=np.int64)
        for at, (key, a, b) in enumerate(zip(keys, first, last, strict=True)):
            for i in self.order[a:b].tolist():
                if self.raw(i) == key:
                    found[at] = i
                    break
        return found

    def index(self, word: str, start: int = 0, stop: int | None = None) -> int:
        """The position of a word; ValueError where the vocabulary has no such word."""
        i = self.get(word)
        if i is None or not start <= i < (len(self) if stop is None else stop):
            raise ValueError(f"the vocabulary has no word {word!r}")
        return i

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.get(word) is not None

    def repeats(self) -> npt.NDArray[np.int64]:
        """The positions of the words that occurred before, rising."""
        same = np.flatnonzero(self.hashes[1:] == self.hashes[:-1])
        later: list[int] = []
        seen: set[bytes] = set()
        previous = -2
        for at in same.tolist():
            if at != previous + 1:
                seen = {self.raw(int(self.order[at]))}
            i = int(self.order[at + 1])
            word = self.raw(i)
            if word in seen:
                later.append(i)
            seen.add(word)
            previous = at
        return np.array(sorted(later), dtype=np.int64)

    def invalid_utf8(self) -> int:
        """The number of words whose bytes are not valid UTF-8."""
        starts = self.offsets[:-1][np.diff(self.offsets) > 0]
        if not np.any((self.blob[starts] & 0xC0) == 0x80):
            try:
                # Valid as a whole and cut at no continuation byte: valid word by word.
                str(self.blob.data, "utf-8")
                return 0
            except UnicodeDecodeError:
                pass
        return sum(any("\udc80" <= c <= "\udcff" for c in word) for word in self)


def _key(word: str) -> bytes:
    """The bytes to look for; a word that UTF-8 cannot hold becomes bytes that no word has."""
    try:
        return encode(word)
    except UnicodeEncodeError:
        return word.encode("utf-8", "surrogatepass") + b"\xff\xff"


@dataclass
class WordBlob:
    """Words being gathered: their bytes, lengths and hashes, without an object for each."""

    blob: bytearray = field(default_factory=bytearray)
    lengths: list[npt.NDArray[np.int64]] = field(default_factory=list)
    hashes: list[npt.NDArray[np.uint32]] = field(default_factory=list)

    def extend(self, words: Iterable[bytes]) -> None:
        """Add words at the end."""
        batch: list[bytes] = []
        for word in words:
            batch.append(word)
            if len(batch) == _CHUNK:
                self._add(batch)
                batch = []
        self._add(batch)

    def _add(self, batch: list[bytes]) -> None:
        self.blob += b"".join(batch)
        self.lengths.append(np.fromiter(map(len, batch), dtype=np.int64, count=len(batch)))
        self.hashes.append(np.fromiter(map(crc32, batch), dtype=np.uint32, count=len(batch)))

    def words(self) -> Words:
        """The vocabulary of what was gathered."""
        lengths = np.concatenate([np.zeros(1, dtype=np.int64), *self.lengths])
        hashes = np.concatenate([np.zeros(0, dtype=np.uint32), *self.hashes])
        order = np.argsort(hashes, kind="stable")
        return Words(
            blob=np.frombuffer(bytes(self.blob), dtype=np.uint8),
            offsets=np.cumsum(lengths),
            hashes=hashes[order],
            order=order.astype(np.int32),
        )


@dataclass(frozen=True, repr=False)
class Positions(Mapping[str, int]):
    """A vocabulary seen as a mapping from word to position: gensim's `key_to_index`."""

    words: Words

    def __getitem__(self, word: str) -> int:
        i = self.words.get(word)
        if i is None:
            raise KeyError(word)
        return i

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.words
