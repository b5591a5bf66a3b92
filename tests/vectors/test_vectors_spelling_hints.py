import gc
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.vectors import spelling_hints
from isogloss.vectors.spelling_hints import close_words
from isogloss.vectors.words import Words

word = st.text("abcAè", min_size=1, max_size=7)


def distance(a, b):
    """Optimal string alignment, by its definition."""
    table = {(i, 0): i for i in range(len(a) + 1)} | {(0, j): j for j in range(len(b) + 1)}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            table[i, j] = min(
                table[i - 1, j] + 1,
                table[i, j - 1] + 1,
                table[i - 1, j - 1] + (a[i - 1] != b[j - 1]),
            )
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                table[i, j] = min(table[i, j], table[i - 2, j - 2] + 1)
    return table[len(a), len(b)]


@given(st.lists(word, max_size=20, unique=True), word, st.integers(0, 4))
def test_hints_are_the_nearest_words_then_the_most_frequent(items, asked, n):
    most = min(3, max(1, len(asked) // 3))
    near = [(distance(asked.lower(), w.lower()), i) for i, w in enumerate(items) if w != asked]
    expected = [items[i] for d, i in sorted(near) if d <= most][:n]
    assert close_words(Words.of(items), asked, n) == expected


@pytest.mark.parametrize(
    ("asked", "hints"),
    [
        ("Lodnon", ["london"]),
        ("governement", ["government"]),
        ("teh", ["the", "ten"]),
        ("RADIO", ["radio"]),
        ("caf", ["café"]),
        ("zzzzzz", []),
        ("", []),
        ("x" * 10_000, []),
    ],
)
def test_misspelt_words_are_recognised(asked, hints):
    words = Words.of(["the", "government", "ten", "london", "radio", "café", ""])
    assert close_words(words, asked) == hints


def test_odd_vocabularies_are_no_trouble():
    bad = b"caf\xe9".decode("utf-8", "surrogateescape")
    assert close_words(Words.of([]), "a") == []
    assert close_words(Words.of([bad, "cat\x00"]), "cafe") == [bad]
    assert close_words(Words.of(["cat", "cat"]), "cta") == ["cat"]
    assert close_words(Words.of(["cat", "cab"]), "cat", n=5) == ["cab"]


def test_only_the_most_frequent_words_are_looked_at(monkeypatch):
    monkeypatch.setattr(spelling_hints, "_LIMIT", 2)
    assert close_words(Words.of(["dog", "cab", "car"]), "cat") == ["cab"]


def test_vocabularies_asked_in_turn_are_not_mixed_up():
    one, other = Words.of(["cat", "dog"]), Words.of(["cab", "fog"])
    for _ in range(2):
        assert close_words(one, "cax") == ["cat"]
        assert close_words(other, "cax") == ["cab"]
    del other
    gc.collect()
    assert spelling_hints._last == []  # nothing is kept of words that are gone
    assert close_words(Words.of(["car"]), "cax") == ["car"]


def test_a_vocabulary_is_arranged_once(monkeypatch):
    words = Words.of(["cat", "dog"])
    assert close_words(words, "cax") == ["cat"]
    monkeypatch.setattr(spelling_hints, "_arrange", None)
    assert close_words(words, "dgo") == ["dog"]


def test_large_vocabularies_are_quick():
    words = Words.of(f"word{i}" for i in range(200_000))
    start = time.perf_counter()
    assert close_words(words, "wrod99999", 1) == ["word99999"]
    assert time.perf_counter() - start < 3  # about 0.3 on an idle machine
