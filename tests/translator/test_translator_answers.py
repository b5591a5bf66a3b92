import numpy as np
import pytest

import oracle
from isogloss.errors import IsoglossError
from isogloss.hubness import InvertedSoftmax
from isogloss.translator import Translator
from isogloss.vectors import Vectors, Words


@pytest.fixture(scope="module")
def named(small):
    """The small world with words of several kinds among its names."""
    words = list(small.source.words)
    for i, word in enumerate(["Rome", "new_york", "UNESCO", "ice", "cream", "Ice", "z\xa0z", "z"]):
        words[200 + i] = word
    source = Vectors(Words.of(words), small.source.vectors)
    return Translator("isf").fit(source, small.target, small.train)


def dense_probabilities(model, reverse=False):
    """Eq. (6) with a strength, from the model's own rows and numbers, queries × targets."""
    way = model.model_.direction(reverse)[2]
    S = np.asarray(way.Y, float) @ np.asarray(way.X, float).T
    L = way.beta * (S - way.strength * way.penalty[:, None])
    P = np.exp(L - L.max(axis=0))
    return (P / P.sum(axis=0)).T, S.T


@pytest.mark.parametrize("reverse", [False, True])
def test_both_directions_answer_with_eq_6(small, model, reverse):
    P, S = dense_probabilities(model, reverse)
    asked, answering = small.source.words, small.target.words
    if reverse:
        asked, answering = answering, asked
    assert 0 < model.info.forward.strength < 1
    for j, answer in enumerate(model.translate(list(asked), topn=240, reverse=reverse)):
        assert (answer.query, answer.error, answer.found_as) == (asked[j], None, None)
        at = [answering.get(t.word) for t in answer.translations]
        assert sorted(at) == list(range(240))
        np.testing.assert_allclose([t.probability for t in answer.translations], P[j, at], 1e-4)
        np.testing.assert_allclose([t.cosine for t in answer.translations], S[j, at], atol=1e-6)
        assert (np.diff([t.score for t in answer.translations]) <= 3e-6).all()


def test_a_single_word_and_none(model):
    assert [a.query for a in model.translate("s1")] == ["s1"]
    assert len(model.translate("s1", topn=3)[0].translations) == 3
    assert model.translate([]) == []
    assert len(model.translate("s1", topn=1000)[0].translations) == 240
    for topn in (0, -1):
        with pytest.raises(IsoglossError, match=f"got topn={topn}, expected 1 or more"):
            model.translate("s1", topn=topn)
        with pytest.raises(IsoglossError, match=f"got topn={topn}, expected 1 or more"):
            list(model.lexicon(topn=topn))


def test_unknown_words_are_told_and_the_others_answered(model):
    asked = ["s1", "s1x", "nothing like it", "", "caf\udcff", "s1"]
    answers = model.translate(asked)
    assert [a.query for a in answers] == asked
    assert [a.error for a in answers] == [None, *["unknown word"] * 4, None]
    assert answers[1].suggestions[0] in ("s1", "s10", "s11")
    assert answers[1].translations == ()
    assert answers[2].suggestions == ()
    assert answers[0] == answers[5]
    assert all(a.error for a in model.translate(["x", "y"]))


@pytest.mark.parametrize(
    ("query", "found_as"),
    [
        ("Rome", None),
        ("rome", "Rome"),
        ("ROME", "Rome"),
        ("unesco", "UNESCO"),
        ("S7", "s7"),
        ("new york", "new_york"),
        ("ice", None),
        ("Ice", None),
        ("ICE", "ice"),
        ("ice cream", "ice + cream"),
        ("ice  cream ", "ice + cream"),
        ("ICE Cream", "ice + cream"),
        ("z\xa0z", None),
    ],
)
def test_a_word_is_found_in_other_cases_and_of_several_words(named, query, found_as):
    answer = named.translate(query)[0]
    assert answer.found_as == found_as
    assert answer.query == query
    if found_as is not None and "+" not in found_as:
        assert answer.translations == named.translate(found_as)[0].translations


def test_several_words_are_the_sum_of_their_rows(named):
    answer = named.translate("ice cream Rome", topn=5)[0]
    way = named.model_.forward
    at = [named.model_.source_words.get(word) for word in ("ice", "cream", "Rome")]
    q = oracle.unit_rows(np.asarray(way.X, float)[at].sum(axis=0, keepdims=True))[0]
    scores = way.Y @ q - way.strength * way.penalty
    best = np.argsort(-scores, kind="stable")[:5]
    assert [t.word for t in answer.translations] == [f"t{i}" for i in best]
    np.testing.assert_allclose([t.score for t in answer.translations], scores[best], atol=1e-6)
    assert named.translate("ice unknown_word")[0].error == "unknown word"


def brute_force_lexicon(model, small, reverse, mutual, topn, minimum):
    P, _ = dense_probabilities(model, reverse)
    back, _ = dense_probabilities(model, not reverse)
    asked, answering = small.source.words, small.target.words
    if reverse:
        asked, answering = answering, asked
    expected = {}
    for j in range(240):
        best = np.argsort(-P[j], kind="stable")[:topn]
        kept = [i for i in best if P[j, i] >= minimum and (not mutual or back[i].argmax() == j)]
        if kept:
            expected[asked[j]] = [answering[i] for i in kept]
    return expected


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("mutual", [False, True])
@pytest.mark.parametrize("topn", [1, 3])
@pytest.mark.parametrize("minimum", [0.0, 0.6])
@pytest.mark.parametrize("name", ["model", "asymmetric"])
def test_the_lexicon_by_brute_force(request, small, reverse, mutual, topn, minimum, name):
    model = request.getfixturevalue(name)
    expected = brute_force_lexicon(model, small, reverse, mutual, topn, minimum)
    asked = small.target.words if reverse else small.source.words
    found = list(model.lexicon(topn=topn, reverse=reverse, min_probability=minimum, mutual=mutual))
    assert {a.query: [t.word for t in a.translations] for a in found} == expected
    assert [a.query for a in found] == [word for word in asked if word in expected]
    if mutual:
        words = [t.word for a in found for t in a.translations]
        assert len(words) == len(set(words))


@pytest.mark.parametrize("reverse", [False, True])
def test_a_mutual_lexicon_of_several_blocks(small, model, monkeypatch, reverse):
    monkeypatch.setattr("isogloss.translator.answers._BLOCK", 64)
    expected = brute_force_lexicon(model, small, reverse, True, 3, 0.0)
    found = list(model.lexicon(topn=3, reverse=reverse, mutual=True))
    assert {a.query: [t.word for t in a.translations] for a in found} == expected
    assert len(expected) > 128


@pytest.mark.parametrize("reverse", [False, True])
def test_hub_numbers_are_those_of_the_sampled_sources(small, reverse):
    model = Translator("isf", n_samples=50, random_state=3).fit(*small.three)
    correction = InvertedSoftmax(50, random=True)
    assert model.info.settings["correction"] == repr(correction)
    way = model.model_.direction(reverse)[2]
    sources = correction.sources(240, 240, 12, 3)
    assert len(set(sources.tolist()) - set(range(50))) > 10
    S = np.asarray(way.Y, float) @ np.asarray(way.X, float)[sources].T
    expected = oracle.hub_number(S, way.beta) - np.log(50) / way.beta
    np.testing.assert_allclose(way.penalty, expected, atol=1e-6, rtol=0)


def test_the_lexicon_is_what_translate_says_word_by_word(small, model):
    for reverse, words in ((False, small.source.words), (True, small.target.words)):
        found = list(model.lexicon(topn=4, reverse=reverse))
        said = model.translate(list(words), topn=4, reverse=reverse)
        assert [a.query for a in found] == [a.query for a in said]
        for one, other in zip(found, said, strict=True):
            assert [t.word for t in one.translations] == [t.word for t in other.translations]
            np.testing.assert_allclose(
                [t.probability for t in one.translations],
                [t.probability for t in other.translations],
                atol=1e-5,
            )


def test_the_lexicon_of_the_first_words(model):
    assert [a.query for a in model.lexicon(limit=3)] == ["s0", "s1", "s2"]
    assert len(list(model.lexicon(limit=1000))) == 240
    told = []
    list(model.lexicon(mutual=True, progress=lambda *what: told.append(what)))
    assert list(dict.fromkeys(stage for stage, _, _ in told)) == ["the way back", "translating"]
    assert told[-1] == ("translating", 240, 240)
