import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.vectors import Vectors, Words, as_vectors

V = np.arange(6, dtype=np.float32).reshape(3, 2)


class KeyedVectors:
    """Looks like gensim's."""

    def __init__(self, words, vectors):
        self.index_to_key = words
        self.vectors = vectors


def test_vectors_pass_through():
    vectors = Vectors(Words.of("abc"[i] for i in range(3)), V)
    assert as_vectors(vectors) is vectors


@pytest.mark.parametrize("make", [KeyedVectors, lambda w, v: (w, v)])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_gensim_and_pairs_are_not_copied(make, dtype):
    array = V.astype(dtype)
    vectors = as_vectors(make(["a", "b", "c"], array))
    assert list(vectors.words) == ["a", "b", "c"]
    assert np.shares_memory(vectors.vectors, array)
    assert array.flags.writeable
    assert vectors.report.path is None
    assert (vectors.report.rows, vectors.report.zero_rows) == (3, 0)


def test_doubles_are_narrowed_and_duplicates_dropped():
    vectors = as_vectors((["a", "b", "a"], V.astype(np.float64)))
    assert vectors.vectors.dtype == np.float32
    assert np.array_equal(vectors.vectors, V[:2])
    assert vectors.report.duplicates == 1
    assert as_vectors((Words.of(["a", "b", "a"]), V)).vectors.tolist() == V[:2].tolist()


def test_paths_are_read(save):
    path = save("v.vec", "a 1 2\nb 3 4\n")
    assert as_vectors(path)["b"].tolist() == as_vectors(str(path))["b"].tolist() == [3, 4]


@pytest.mark.parametrize(
    ("source", "part"),
    [
        (3, "got int, expected Vectors, a gensim KeyedVectors"),
        (None, "got NoneType"),
        ([1, 2], "got list"),
        ((["a"], V), "KeyedVectors|words and vectors: got 1 words for 3 rows"),
        ((["a", "b", "c"], V[0]), "expected n × d"),
        ((["a", "b", "c"], V.astype(int)), "got numbers of type int64"),
        (("abc", V), "got one str"),
        (([], V[:0]), "got no vectors"),
        (KeyedVectors(["a", "b", "c"], np.where(V == 3, np.nan, V)), "got nan in row 1 .*'b'"),
    ],
)
def test_what_cannot_be_vectors(source, part):
    with pytest.raises(IsoglossError, match=part):
        as_vectors(source)
