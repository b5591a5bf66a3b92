import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.dictionary import PairsReport, WordPairs, match
from isogloss.errors import DictionaryError
from isogloss.vectors.words import Words

letters = st.text("aAbB _ß", min_size=1, max_size=3)
vocabulary = st.lists(letters, min_size=1, max_size=12, unique=True)


def matched(pairs, source, target):
    return WordPairs.of(pairs).match(Words.of(source), Words.of(target))


def spelling(terms, words):
    return [words[i] for i in terms.ids]


@pytest.mark.parametrize(
    ("entry", "words", "found"),
    [
        ("Cat", ["CAT", "cat", "Cat"], "Cat"),
        ("cAT", ["CAT", "Cat", "cat"], "cat"),
        ("cAT", ["CAT", "Cat"], "Cat"),
        ("cat", ["CAT"], "CAT"),
        ("New York", ["New_York", "New York"], "New York"),
        ("New York", ["new_york", "New_York"], "New_York"),
        ("New York", ["new", "york", "new_york"], "new_york"),
    ],
)
def test_an_entry_is_found_as_it_stands_before_other_cases(entry, words, found):
    result = matched([(entry, "x")], words, ["x"])
    assert spelling(result.source, words) == [found]
    assert result.source.plain.all()
    assert not result.source.composed
    assert result.report.by_case == (found.replace("_", " ") != entry)
    back = matched([("x", entry)], ["x"], words)
    assert spelling(back.target, words) == [found]


def test_an_entry_of_several_words_is_composed_of_them():
    words = ["of", "house", "Lords", "x"]
    pairs = [("x", "x"), ("House of lords", "x"), ("house of  lords", "x"), ("house of cards", "x")]
    result = matched(pairs, words, ["x"])
    assert result.source.ids.tolist() == [3, -1]
    assert result.source.composed == {1: (1, 0, 2)}
    assert result.source.plain.tolist() == [True, False]
    assert result.positions.tolist() == [0, 1]
    assert result.report == PairsReport(
        listed=4, used=2, duplicates=1, source_missing=1, composed=1, by_case=1
    )


def test_rows_are_those_of_the_vocabulary_or_their_unit_sum():
    rng = np.random.default_rng(0)
    V = rng.normal(size=(4, 5)).astype(np.float32)
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    V[3] = -V[2]
    pairs = [("b", "x"), ("a b", "x"), ("c d", "x"), ("c", "x"), ("b a", "x")]
    terms = matched(pairs, ["a", "b", "c", "d"], ["x"]).source
    rows = terms.rows(V)
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows[[0, 3]], V[[1, 2]])
    total = V[0] + V[1]
    np.testing.assert_allclose(rows[1], total / np.linalg.norm(total), rtol=1e-5)
    np.testing.assert_array_equal(rows[2], 0)
    which = np.array([4, 0, 1, -2, 4])
    np.testing.assert_array_equal(terms.rows(V, which), rows[which])
    np.testing.assert_array_equal(terms.rows(V, which > 3), rows[which > 3])
    assert terms.rows(V, np.zeros(0, dtype=np.int64)).shape == (0, 5)
    rows[:] = 7
    assert not (V == 7).any()


def test_everything_is_counted():
    pairs = [("a", "x"), ("A", "X"), ("a", "y"), ("q", "x"), ("a", "q"), ("q", "q"), ("a", "x")]
    result = match(WordPairs(tuple(pairs), skipped=2), Words.of(["a"]), Words.of(["x", "y"]))
    assert result.positions.tolist() == [0, 2]
    assert result.target.ids.tolist() == [0, 1]
    assert len(result) == len(result.source) == len(result.target) == 2
    assert result.report == PairsReport(
        listed=7,
        used=2,
        source_missing=1,
        target_missing=1,
        both_missing=1,
        duplicates=2,
        skipped=2,
    )
    described = result.report.describe()
    for part in ("2 of 7 pairs used", "1 without both", "2 listed before", "2 malformed"):
        assert part in described
    assert "\n" not in described
    assert PairsReport(listed=1, used=1).describe() == "1 of 1 pairs used"


def oracle(entry, words):
    """The rule, literally: a word, several words, or None."""

    def find(word):
        for change in (str, str.lower, str.capitalize, str.upper):
            if change(word) in words:
                return (words.index(change(word)),)
        return None

    parts = [word for word in entry.split(" ") if word]
    found = find(entry) or (find("_".join(parts)) if " " in entry else None)
    if found or " " not in entry or not parts:
        return found
    each = [find(part) for part in parts]
    return tuple(i for (i,) in each) if all(each) else None


@given(st.lists(st.tuples(letters, letters), min_size=1, max_size=12), vocabulary, vocabulary)
def test_matching_agrees_with_the_rule(pairs, source, target):
    used, seen = [], set()
    for position, (s, t) in enumerate(pairs):
        key = oracle(s, source), oracle(t, target)
        if None not in key and key not in seen:
            seen.add(key)
            used.append((position, *key))
    if not used:
        with pytest.raises(DictionaryError, match="no pair"):
            matched(pairs, source, target)
        return
    result = matched(pairs, source, target)
    for side, at in ((result.source, 1), (result.target, 2)):
        keys = [side.composed.get(k, (i,)) for k, i in enumerate(side.ids.tolist())]
        assert keys == [entry[at] for entry in used]
        assert set(side.composed) == set(np.flatnonzero(~side.plain).tolist())
    assert result.positions.tolist() == [position for position, *_ in used]
    r = result.report
    missing = r.source_missing + r.target_missing + r.both_missing
    assert r.used + r.duplicates + missing == r.listed == len(pairs)


def test_nothing_in_common_is_told_with_examples():
    pairs = WordPairs((("cat", "gatto"), ("cat", "micio"), ("dog", "cane")), path="d.txt")
    with pytest.raises(DictionaryError) as error:
        match(pairs, Words.of(["eins", "zwei"]), Words.of([]))
    message = str(error.value)
    for part in (
        "d.txt: got no pair",
        "'cat', 'dog' to 'gatto', 'micio', 'cane'",
        "'eins', 'zwei' to nothing",
        "check",
    ):
        assert part in message
    assert "reverse" not in message
    with pytest.raises(DictionaryError, match="without pairs"):
        matched([], ["a"], ["b"])


def test_a_dictionary_the_other_way_round_is_told():
    en, it = [f"en{i}" for i in range(10)], [f"it{i}" for i in range(10)]
    pairs = list(zip(en, it, strict=True))
    advice = r"other way round: 10 of 10 pairs match in reverse, 0 as they.*--reverse.*reversed\(\)"
    with pytest.raises(DictionaryError, match=advice):
        matched(pairs, it, en)
    with pytest.raises(DictionaryError, match="11 of 11 pairs match in reverse, 1 as they stand"):
        matched([*pairs, ("radio", "radio")], [*it, "radio"], [*en, "radio"])
    assert not matched(pairs, en, it).report.looks_reversed
    assert not matched(pairs, en[:2], it).report.looks_reversed


def test_words_of_invalid_utf8_are_found():
    word = b"caf\xe9".decode("utf-8", "surrogateescape")
    assert matched([(word, "x")], [word], ["x"]).source.ids.tolist() == [0]


def test_many_pairs_are_quick():
    words = Words.of(f"Word{i}" for i in range(50_000))
    pairs = WordPairs.of((f"word{i}", f"WORD{i} x") for i in range(50_000))
    others = Words.of([*words, "x"])
    start = time.perf_counter()
    result = match(pairs, words, others)
    assert time.perf_counter() - start < 5  # about 0.5 on an idle machine
    assert result.report.used == result.report.composed == result.report.by_case == 50_000
