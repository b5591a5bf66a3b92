import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.vectors import FastTextSubwords, ReadReport, Vectors, Words

V = np.arange(6, dtype=np.float32).reshape(3, 2)


def make():
    return Vectors(Words.of(["a", "b", "c"]), V.copy())


def test_gensims_names():
    vectors = make()
    assert vectors.vector_size == 2
    assert list(vectors.index_to_key) == ["a", "b", "c"]
    assert dict(vectors.key_to_index) == {"a": 0, "b": 1, "c": 2}
    assert vectors.key_to_index["c"] == 2
    assert "d" not in vectors.key_to_index
    assert len(vectors) == len(vectors.key_to_index) == 3
    assert "b" in vectors
    assert vectors["b"].tolist() == [2, 3]
    for look in (vectors.__getitem__, vectors.row, vectors.key_to_index.__getitem__):
        with pytest.raises(KeyError, match="d"):
            look("d")
    assert "3 × 2 float32" in repr(vectors)
    assert vectors.report == ReadReport()


def test_vectors_are_read_only_and_not_copied():
    array = V.copy()
    vectors = Vectors(Words.of(["a", "b", "c"]), array)
    assert np.shares_memory(array, vectors.vectors)
    with pytest.raises(ValueError, match="read-only"):
        vectors.vectors[0] = 1
    array[0] = 5  # The caller's own array stays its own.
    assert vectors["a"][0] == 5


@pytest.mark.parametrize("array", [V[0], V.astype(int), V.astype(np.float64), V[None]])
def test_other_arrays_are_refused(array):
    with pytest.raises(IsoglossError, match="expected n × d of float16"):
        Vectors(Words.of(["a", "b", "c"]), array)


def test_words_and_rows_must_be_equally_many():
    with pytest.raises(IsoglossError, match="got 1 words for 3 rows"):
        Vectors(Words.of(["a"]), V)


def test_row_of_an_unknown_word_with_subwords():
    subwords = FastTextSubwords(np.ones((4, 2), np.float32), 2, 3)
    vectors = Vectors(Words.of(["a", "b", "c"]), V, subwords=subwords)
    assert vectors.row("xyz").tolist() == [1, 1]
    assert vectors.row("b").tolist() == [2, 3]
    assert "xyz" not in vectors
