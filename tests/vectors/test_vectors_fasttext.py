import gzip
import struct

import numpy as np
import pytest
from test_vectors_subwords import literal

from isogloss.errors import FormatError
from isogloss.vectors import Cache
from isogloss.vectors import read as read_cached

WORDS = ["</s>", "the", "naïve", "日本語", "x"]
D, BUCKET, MINN, MAXN = 4, 30, 3, 5
M = np.random.default_rng(3).normal(size=(len(WORDS) + BUCKET, D)).astype("<f4")


def read(path, **kwargs):
    return read_cached(path, cache=False, **kwargs)


def model(version=12, quantised=0, pruned=-1, labels=(), kind=2, M=M, words=WORDS, n=None):
    """A model by the format's definition: FastText::saveModel."""
    out = struct.pack("<2i", 793712314, version)
    out += struct.pack("<12id", D, 5, 5, 5, 5, 1, 1, kind, BUCKET, MINN, MAXN, 100, 1e-4)
    size = len(words) + len(labels)
    out += struct.pack("<3i2q", size, len(words) if n is None else n, len(labels), 999, pruned)
    for kind_of, entries in ((0, words), (1, labels)):
        for entry in entries:
            out += entry.encode() + b"\0" + struct.pack("<qb", 17, kind_of)
    out += struct.pack("<b2q", quantised, *M.shape) + M.tobytes()
    return out + struct.pack("<b2q", 0, 1, D) + bytes(4 * D)


def expected(i, word):
    rows = [M[i], *(M[len(WORDS) + h] for h in literal(word.encode(), MINN, MAXN, BUCKET))]
    return np.mean(np.array(rows, dtype=np.float64), axis=0)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_vectors_of_words(save, pack):
    vectors = read(save("m.bin", pack(model(labels=["__label__a"]))))
    assert list(vectors.words) == WORDS
    for i, word in enumerate(WORDS):
        assert np.allclose(vectors[word], expected(i, word), atol=1e-6)
    assert np.array_equal(vectors["</s>"], M[0])
    assert vectors.report.format == "fasttext"


def test_vectors_of_unknown_words(save):
    vectors = read(save("m.bin", model()))
    rows = M[len(WORDS) + np.array(literal("thé".encode(), MINN, MAXN, BUCKET))]
    assert np.allclose(vectors.row("thé"), rows.mean(0), atol=1e-6)
    assert "thé" not in vectors
    with pytest.raises(KeyError):
        vectors["thé"]


def test_the_copy_in_the_cache_knows_unknown_words_too(save, tmp_path):
    path = save("m.bin", model())
    cache = Cache(tmp_path / "cache")
    cold, warm = (read_cached(path, cache=cache) for _ in range(2))
    assert len(cache.entries()) == 1
    assert np.array_equal(cold.row("thé"), warm.row("thé"))
    assert np.array_equal(cold.vectors, read(path).vectors)


def test_limit_progress_and_float16(save):
    told = []
    vectors = read(
        save("m.bin", model()), limit=2, dtype="float16", progress=lambda *p: told.append(p)
    )
    assert list(vectors.words) == WORDS[:2]
    assert vectors.vectors.dtype == np.float16
    assert told == [(2 * D * 4, 2 * D * 4)]


def test_supervised_models_of_version_11_have_no_ngrams(save):
    vectors = read(save("m.bin", model(version=11, kind=3)))
    assert np.array_equal(vectors.vectors, M[: len(WORDS)])


def test_a_dictionary_longer_than_a_chunk(save):
    words = [f"word{i}" for i in range(60_000)]
    big = np.ones((len(words) + BUCKET, D), "<f4")
    vectors = read(save("m.bin", model(words=words, M=big)))
    assert list(vectors.words) == words


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (model(version=13), "version 13, expected 11 or 12"),
        (model(quantised=1), "a quantised fastText model"),
        (model(pruned=5), "a pruned fastText model"),
        (model(M=M[:-1]), r"input matrix of 34 × 4, expected 35 × 4"),
        (model(n=7), "got 5 words in the dictionary, expected 7"),
        (model()[:-200], "the file is cut off"),
        (model()[:100], "the file is cut off"),
        (model()[:30], "the file is cut off"),
    ],
)
def test_models_that_cannot_be_read(save, content, part):
    path = save("m.bin", content)
    with pytest.raises(FormatError, match=part) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))


def test_nan_is_named(save):
    W = M.copy()
    W[4] = np.nan
    path = save("m.bin", model(M=W))
    with pytest.raises(FormatError, match="word 5: got nan as number 1 of the word 'x'"):
        read(path)
    assert list(read(path, on_error="skip").words) == WORDS[:4]
