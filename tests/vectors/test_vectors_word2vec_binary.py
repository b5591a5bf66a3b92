import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import FormatError
from isogloss.vectors import read as read_cached
from isogloss.vectors import word2vec_binary

V = np.random.default_rng(0).normal(size=(5, 3)).astype("<f4")
WORDS = ["a", "b\u00a0c", "é", "\u3000", "e"]


def read(path, **kwargs):
    return read_cached(path, cache=False, **kwargs)


def body(newline, V=V, words=WORDS):
    rows = [w.encode() + b" " + v.tobytes() + newline for w, v in zip(words, V, strict=True)]
    return b"".join(rows)


@pytest.mark.parametrize("newline", [b"", b"\n"])
def test_with_and_without_newlines(save, newline):
    vectors = read(save("v.bin", b"5 3\n" + body(newline)))
    assert list(vectors.words) == WORDS
    assert np.array_equal(vectors.vectors, V)
    assert vectors.report.format == "word2vec-binary"
    assert vectors.report.checksum.startswith("sha256:")


@given(st.integers(8, 40))
def test_chunks_may_end_anywhere(size):
    raw = body(b"\n")

    class Short:
        at = 0

        def read(self, n):
            self.at += n
            return raw[self.at - n : self.at]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word2vec_binary, "_CHUNK", size)
        blocks = list(word2vec_binary._blocks(Short(), 3, 5, "x"))
    assert [w.decode() for b in blocks for w in b.words] == WORDS
    assert np.array_equal(np.concatenate([b.vectors for b in blocks]), V)
    assert [i for b in blocks for i in b.where] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("drop", [1, 12, 14, 20])
def test_truncated(save, drop):
    left = 5 - 1 - (drop > 14)
    path = save("v.bin", b"5 3\n" + body(b"")[:-drop])
    with pytest.raises(FormatError, match=f"promised 5 rows, and the file ends after {left};"):
        read(path)
    assert len(read(path, on_error="skip")) == left


def test_a_header_that_promises_the_sky(save):
    path = save("v.bin", b"1000000000000 3\n" + body(b""))
    with pytest.raises(FormatError, match=r"promised 1,000,000,000,000 rows.*ends after 5"):
        read(path)


def test_nan_is_named_or_skipped(save):
    W = V.copy()
    W[1, 2] = np.nan
    path = save("v.bin", b"5 3\n" + body(b"", W))
    with pytest.raises(FormatError, match=r"row 2: got nan as number 3 of the word 'b\\xa0c'"):
        read(path)
    vectors = read(path, on_error="skip")
    assert len(vectors) == 4
    assert vectors.report.skipped == 1


def test_limit_and_float16(save):
    vectors = read(save("v.bin", b"5 3\n" + body(b"\n")), limit=2, dtype="float16")
    assert np.array_equal(vectors.vectors, V[:2].astype(np.float16))


def test_damage_in_the_middle(save):
    raw = body(b"")
    path = save("v.bin", b"5 3\n" + raw[:14] + b"q\nr " + raw[14:])
    with pytest.raises(FormatError, match=r"row 2: got 'q\\nr' as a word"):
        read(path)


def test_a_word_without_end(save):
    path = save("v.bin", b"5 3\n" + body(b"")[:14] + b"x" * 100_000)
    with pytest.raises(FormatError, match=r"row 2: got no end of the word"):
        read(path)


def test_no_header(save):
    with pytest.raises(FormatError, match="got no header of two numbers"):
        read(save("v.bin", b"hello"), format="word2vec-binary")
