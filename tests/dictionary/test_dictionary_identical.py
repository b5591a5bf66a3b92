from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.dictionary import WordPairs, identical_strings
from isogloss.errors import DictionaryError, IsoglossError
from isogloss.vectors.model import Vectors
from isogloss.vectors.words import Words

vocabulary_ = st.lists(st.text("abè", min_size=1, max_size=2), max_size=12)


@given(vocabulary_, vocabulary_, st.integers(1, 2))
def test_they_are_the_common_words_in_source_order(source, target, min_length):
    common = [w for w in dict.fromkeys(source) if w in target and len(w) >= min_length]
    sides = Words.of(source), Words.of(target)
    if not common:
        with pytest.raises(DictionaryError, match="in both vocabularies"):
            identical_strings(*sides, min_length=min_length)
        return
    pairs = identical_strings(*sides, min_length=min_length)
    assert pairs == WordPairs(tuple((w, w) for w in common))


def test_vectors_are_taken_too():
    words = Words.of(["a", "b c", b"\xe9".decode("utf-8", "surrogateescape")])
    vectors = Vectors(words, np.ones((3, 2), dtype=np.float32))
    pairs = identical_strings(vectors, SimpleNamespace(words=words))
    assert [s for s, _ in pairs] == list(words)
    assert pairs.match(words, words).source.ids.tolist() == [0, 1, 2]
    with pytest.raises(IsoglossError, match="got list, expected Words or Vectors"):
        identical_strings(["a"], words)


def test_nothing_in_common_shows_both_vocabularies():
    with pytest.raises(DictionaryError, match=r"'cat' ….*'кот' ….*scripts"):
        identical_strings(Words.of(["cat"]), Words.of(["кот"]))
    with pytest.raises(DictionaryError, match=r"of 2 characters or more.*'a' …"):
        identical_strings(Words.of(["a"]), Words.of(["a"]), min_length=2)


@pytest.mark.parametrize(
    ("source", "target", "count"),
    [("en-it/en", "en-it/it", 13_906), ("en-fr/en", "en-fr/fr", 2_920)],
)
def test_real_vocabularies(vocabulary, source, target, count):
    X, Y = vocabulary(source), vocabulary(target)
    pairs = identical_strings(X, Y)
    assert len(pairs) == count
    assert len(pairs.match(X, Y)) == count


@pytest.mark.parametrize(
    ("name", "sides", "used"),
    [
        ("en-it/dinu.train.txt", ("en-it/en", "en-it/it"), 4_927),
        ("en-fr/muse.train.txt", ("en-fr/en", "en-fr/fr"), 8_403),
    ],
)
def test_real_dictionaries_match_as_others_count_them(vocabulary, name, sides, used):
    X, Y = map(vocabulary, sides)
    pairs = WordPairs.read(vocabulary.folder / name)
    assert pairs.match(X, Y).report.used == used
    assert pairs.reversed().match(Y, X).report.used == used
