import doctest
import hashlib
from dataclasses import dataclass

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import isogloss
import isogloss.engine
import isogloss.translator
from isogloss.dictionary import WordPairs
from isogloss.errors import DictionaryError, IsoglossError, ModelError
from isogloss.recipes import RECIPES
from isogloss.sample import sample
from isogloss.translator import Translator
from isogloss.translator.saved import ARRAYS_FILE
from isogloss.vectors import Vectors
from translator.worlds import world, write_pairs, write_text


def digest(model, folder):
    model.save(folder)
    return hashlib.sha256((folder / ARRAYS_FILE).read_bytes()).hexdigest()


def answers(model, words, **options):
    return [
        [(t.word, t.probability) for t in answer.translations]
        for answer in model.translate(words, **options)
    ]


def same(ours, theirs, atol=1e-5):
    """The same words with probabilities that agree; equal probabilities may change places."""
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose([p for _, p in one], [p for _, p in other], atol=atol)
        assert one[0][0] == other[0][0]


@pytest.mark.parametrize("name", ["best", "csls", "nn", "faruqui", "mikolov"])
def test_the_reverse_is_the_model_fitted_the_other_way_round(small, name):
    model = Translator(name).fit(*small.three)
    turned = Translator(name).fit(small.target, small.source, small.train.reversed())
    words = list(small.target.words)
    same(answers(model, words, reverse=True), answers(turned, words), atol=2e-3)
    ours = model.score(small.test, reverse=True)
    theirs = turned.score(small.test.reversed())
    assert ours.queries == theirs.queries
    np.testing.assert_array_equal(ours.ranks, theirs.ranks)
    assert ours.report == theirs.report
    assert model.info.backward.beta == pytest.approx(turned.info.forward.beta, rel=1e-3)


@pytest.mark.parametrize("name", RECIPES)
def test_rows_brought_anew_are_the_stored_ones(unequal, name):
    model = Translator(name).fit(*unequal.three)
    for side, vectors, stored in zip(
        ("source", "target"), (unequal.source, unequal.target), model.aligned(), strict=True
    ):
        moved = model.transform(vectors, side)
        assert list(moved.words) == list(vectors.words) == list(stored.words)
        np.testing.assert_allclose(moved.vectors, stored.vectors, atol=1e-6)
        array = model.transform(vectors.vectors[:7] * np.float32(3), side)
        assert isinstance(array, np.ndarray)
        np.testing.assert_allclose(array, stored.vectors[:7], atol=1e-6)
        one = model.transform(vectors.vectors[3], side)
        np.testing.assert_allclose(one, stored.vectors[3:4], atol=1e-6)
        np.testing.assert_allclose(np.linalg.norm(stored.vectors, axis=1), 1, atol=1e-6)


def test_rows_of_another_size_or_side_are_refused(unequal):
    model = Translator("nn").fit(*unequal.three)
    with pytest.raises(IsoglossError, match=r"got rows of shape \(240, 9\).*expected \(n, 14\)"):
        model.transform(unequal.target)
    with pytest.raises(IsoglossError, match="got side='src'"):
        model.transform(unequal.source, "src")
    with pytest.raises(IsoglossError, match="got list"):
        model.transform([[1.0] * 14])


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    small = world(n=300, d_x=16, d_y=16)
    fits = {
        seed: [
            digest(
                Translator("paper", n_samples=100, random_state=seed).fit(*small.three),
                tmp_path / f"{seed}-{k}",
            )
            for k in range(2)
        ]
        for seed in (0, np.int64(1))
    }
    assert fits[0][0] == fits[0][1]
    assert fits[1][0] == fits[1][1]
    assert fits[0][0] != fits[1][0]


@pytest.mark.parametrize("name", ["best", "csls"])
def test_the_number_of_workers_changes_nothing(tmp_path, monkeypatch, name):
    small = world(n=900, d_x=16, d_y=16, n_train=600)
    digests = set()
    for n in (1, 2, 5):
        monkeypatch.setattr(isogloss.engine, "cores", lambda n=n: n)
        digests.add(digest(Translator(name).fit(*small.three), tmp_path / str(n)))
    assert len(digests) == 1


def test_the_number_of_blas_threads_changes_nothing(tmp_path):
    en, it, train, _ = sample()
    sides = [(v.words[:1500], v.vectors[:1500]) for v in (en, it)]
    digests = set()
    for n in (1, 2):
        with threadpool_limits(n, "blas"):
            digests.add(digest(Translator("nn").fit(*sides, train), tmp_path / str(n)))
    assert len(digests) == 1


@dataclass
class KeyedVectors:
    """What gensim's class of this name is to us."""

    index_to_key: list
    vectors: np.ndarray


def test_whatever_holds_vectors_is_taken(small, model, tmp_path):
    def like_gensim(v):
        return KeyedVectors(list(v.words), np.array(v.vectors))

    def as_tuple(v):
        return list(v.words), np.array(v.vectors, np.float64)

    def as_path(v):
        return write_text(tmp_path / f"{v.words[0]}.vec", v)

    words = list(small.source.words[:40])
    expected = answers(model, words)
    for form in (like_gensim, as_tuple, as_path):
        pairs = write_pairs(tmp_path / "pairs.txt", small.train)
        other = Translator().fit(form(small.source), form(small.target), pairs)
        same(answers(other, words), expected)
        moved = other.transform(form(small.source))
        assert isinstance(moved, Vectors)
        np.testing.assert_allclose(moved.vectors, model.aligned()[0].vectors, atol=1e-6)
    assert other.info.source.path == str(tmp_path / "s0.vec")
    assert other.info.dictionary == str(pairs)


def test_pairs_are_taken_from_any_iterable(small, model):
    other = Translator().fit(small.source, small.target, iter(small.train.pairs))
    assert other.info.forward == model.info.forward
    assert other.info.pairs.used == 160


def test_a_translator_that_is_not_fitted_says_so(tmp_path):
    fresh = Translator("isf")
    assert repr(fresh) == "Translator(recipe='isf'), not fitted"
    for call in (
        lambda: fresh.translate("a"),
        lambda: fresh.info,
        lambda: fresh.lexicon(),
        lambda: fresh.save(tmp_path / "m"),
        lambda: fresh.evaluate([("a", "b")]),
        lambda: fresh.transform(np.ones((1, 3))),
    ):
        with pytest.raises(ModelError, match="not fitted; call fit or load first"):
            call()
    assert not any(tmp_path.iterdir())


def test_nothing_to_learn_from_is_said(small):
    with pytest.raises(DictionaryError, match=r"no pair with both sides.*'x', 'z' to 'y', 'w'"):
        Translator().fit(small.source, small.target, [("x", "y"), ("z", "w")])
    with pytest.raises(DictionaryError, match="without pairs"):
        Translator().fit(small.source, small.target, [])
    with pytest.raises(DictionaryError, match=r"the other way round.*160 of 160.*--reverse"):
        Translator().fit(small.source, small.target, small.train.reversed())
    zero = Vectors(small.source.words, np.zeros((240, 12), np.float32))
    with pytest.raises(DictionaryError, match="only rows of zeros"):
        Translator().fit(zero, small.target, small.train)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_a_handful_of_pairs_is_enough_to_go_on(small, n):
    for name in RECIPES:
        if name == "faruqui" and n == 1:  # nothing is left of a single pair less its mean
            with pytest.raises(DictionaryError, match="no direction is left to learn"):
                Translator(name).fit(small.source, small.target, small.train.pairs[:1])
            continue
        model = Translator(name).fit(
            small.source, small.target, WordPairs.of(small.train.pairs[:n])
        )
        translations = model.translate("s0", topn=240)[0].translations
        assert sum(t.probability for t in translations) == pytest.approx(1, abs=1e-4)
        assert all(np.isfinite(t.score) for t in translations)
        assert f"few words to learn from ({n})" in model.info.forward.note


def test_progress_is_told_stage_by_stage(small):
    told = []
    Translator("paper").fit(*small.three, progress=lambda *what: told.append(what))
    stages = list(dict.fromkeys(stage for stage, _, _ in told))
    assert stages == [
        "dimensions",
        "temperatures forward",
        "temperatures backward",
        "hub numbers forward",
        "hub numbers backward",
    ]
    for stage in stages:
        done = [d for s, d, _ in told if s == stage]
        assert done == sorted(done)
    assert all(total is None or done <= total for _, done, total in told)


def test_the_sample_is_translated():
    en, it, train, test = sample()
    model = Translator("isf").fit(en, it, train)
    assert model.evaluate(test).precision.covered["1"] > 0.7
    assert [a.translations[0].word for a in model.translate(["january", "mother"])] == [
        "gennaio",
        "madre",
    ]
    assert model.translate("gennaio", reverse=True)[0].translations[0].word == "january"


@pytest.mark.parametrize("module", [isogloss, isogloss.translator], ids=lambda m: m.__name__)
def test_the_examples_of_the_documentation_hold(module, monkeypatch):
    en, it, train, test = sample()
    few = [(v.words[:2500], v.vectors[:2500]) for v in (en, it)]
    monkeypatch.setattr(isogloss, "sample", lambda: (*few, train, test))
    result = doctest.testmod(module)
    assert result.attempted > 3
    assert result.failed == 0
