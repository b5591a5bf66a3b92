import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import IsoglossError
from isogloss.vectors import Words
from isogloss.vectors import words as module

some = st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), max_size=30)


@given(some)
def test_words_are_the_sequence_they_were_made_of(items):
    words = Words.of(items)
    assert list(words) == items
    assert words[:] == items
    assert len(words) == len(items)
    assert [words[i] for i in range(-len(items), len(items))] == items * 2
    assert words[::-2] == items[::-2]
    assert words[1:5] == items[1:5]


@given(some, some)
def test_look_up_agrees_with_a_dictionary_whose_first_wins(items, asked):
    words = Words.of(items)
    first = {word: i for i, word in reversed(list(enumerate(items)))}
    for word in items + asked:
        assert words.get(word) == first.get(word)
        assert (word in words) == (word in first)
    assert words.indices(items + asked).tolist() == [first.get(w, -1) for w in items + asked]
    later = sorted(set(range(len(items))) - set(first.values()))
    assert words.repeats().tolist() == later


def test_equal_hashes_are_told_apart(monkeypatch):
    monkeypatch.setattr(module, "crc32", lambda raw: len(raw))
    items = ["b", "a", "c", "a", "dd", "b", "ee"]
    words = Words.of(items)
    assert [words.get(w) for w in ["a", "b", "c", "dd", "ee", "x", "xx"]] == [
        1, 0, 2, 4, 6, None, None,
    ]  # fmt: skip
    assert words.repeats().tolist() == [3, 5]


@given(st.lists(st.binary(max_size=5), max_size=20))
def test_any_bytes_come_back(raw):
    words = Words.of_bytes(raw)
    assert [w.encode("utf-8", "surrogateescape") for w in words] == raw
    assert list(words.raw_all()) == raw
    assert [words.get(w) is not None for w in words] == [True] * len(raw)

    def invalid(word):
        try:
            word.decode()
        except UnicodeDecodeError:
            return True
        return False

    assert words.invalid_utf8() == sum(map(invalid, raw))


def test_invalid_utf8_cut_so_that_the_whole_is_valid():
    assert Words.of_bytes([b"a\xc3", b"\xa9"]).invalid_utf8() == 2
    assert Words.of_bytes(["é".encode(), b"", b"x"]).invalid_utf8() == 0


def test_default_index_and_contains():
    words = Words.of(["a", "b"])
    assert words.get("z", 7) == 7
    assert words.index("b") == 1
    with pytest.raises(ValueError, match="'z'"):
        words.index("z")
    with pytest.raises(ValueError):
        words.index("b", 0, 1)
    assert 3 not in words
    assert "\ud800" not in words
    with pytest.raises(IndexError, match="5"):
        words[5]


def test_words_of_words_is_itself_and_equality():
    words = Words.of(["a", "bc"])
    assert Words.of(words) is words
    assert words == Words.of(["a", "bc"])
    assert words != Words.of(["ab", "c"])
    assert words != ["a", "bc"]
    assert copy.deepcopy(words) == words
    assert "'bc'" in repr(words)
    with pytest.raises(TypeError):
        hash(words)


@pytest.mark.parametrize("wrong", ["abc", b"abc", [1, 2], ["a", None], ["\ud800"]])
def test_what_are_no_words_is_refused(wrong):
    with pytest.raises(IsoglossError, match="got"):
        Words.of(wrong)


def test_numpy_integers_index():
    words = Words.of(["a", "b"])
    assert words[np.int64(1)] == "b"
    assert len(Words.of([])) == 0
    assert Words.of([]).get("a") is None
