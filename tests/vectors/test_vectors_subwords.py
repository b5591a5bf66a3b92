import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.vectors.subwords import FastTextSubwords, ngram_buckets


def fnv(raw):
    h = 2166136261
    for byte in raw:
        h ^= byte if byte < 128 else byte | 0xFFFFFF00
        h = h * 16777619 & 0xFFFFFFFF
    return h


def literal(word, minn, maxn, bucket):
    """fastText's Dictionary::computeSubwords, character by character."""
    if word == b"</s>":
        return []
    word = b"<" + word + b">"
    found = []
    for i in range(len(word)):
        if word[i] & 0xC0 == 0x80:
            continue
        j, n, ngram = i, 1, b""
        while j < len(word) and n <= maxn:
            ngram += word[j : j + 1]
            j += 1
            while j < len(word) and word[j] & 0xC0 == 0x80:
                ngram += word[j : j + 1]
                j += 1
            if n >= minn and not (n == 1 and (i == 0 or j == len(word))):
                found.append(fnv(ngram) % bucket)
            n += 1
    return found


def test_known_hashes_of_fnv_1a():
    assert fnv(b"") == 0x811C9DC5
    assert fnv(b"a") == 0xE40C292C
    assert fnv(b"foobar") == 0xBF9CF968
    # Above 127 fastText departs from FNV-1a, and models have been trained so.
    assert fnv(b"\xff") == (0x811C9DC5 ^ 0xFFFFFFFF) * 16777619 % 2**32


anything = st.one_of(
    st.text(max_size=8).map(lambda s: s.encode("utf-8", "ignore")), st.binary(max_size=8)
)


@given(st.lists(anything, max_size=5), st.integers(1, 4), st.integers(0, 6), st.integers(1, 10**6))
def test_agrees_with_the_literal_loop(words, minn, maxn, bucket):
    words = [*words, b"</s>"]
    ids, counts = ngram_buckets(words, minn, maxn, bucket)
    ends = np.cumsum(counts)
    got = [sorted(ids[e - c : e].tolist()) for e, c in zip(ends, counts, strict=True)]
    assert got == [sorted(literal(word, minn, maxn, bucket)) for word in words]


def test_no_words_and_no_buckets():
    for words, bucket in (([], 5), ([b"a"], 0)):
        ids, counts = ngram_buckets(words, 3, 6, bucket)
        assert len(ids) == 0
        assert counts.tolist() == [0] * len(words)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_row_is_the_mean(dtype):
    B = np.random.default_rng(0).normal(size=(50, 4)).astype(dtype)
    subwords = FastTextSubwords(B, 3, 5)
    word = "naïve".encode()
    expected = B[literal(word, 3, 5, 50)].astype(np.float64).mean(0)
    row = subwords.row(word)
    assert row.dtype == np.float32
    assert np.allclose(row, expected, atol=1e-3 if dtype == np.float16 else 1e-6)
    assert subwords.row(b"</s>").tolist() == [0] * 4
