from dataclasses import FrozenInstanceError, dataclass, replace

import numpy as np
import pytest

import oracle
from isogloss.errors import IsoglossError
from isogloss.hubness import CSLS, InvertedSoftmax, NearestNeighbour
from isogloss.mapping import CCA, LeastSquares, Orthogonal, Space
from isogloss.recipes import RECIPES, Recipe, recipe
from isogloss.translator import Translator
from translator.worlds import world


@pytest.fixture(scope="module")
def easy():
    return world()


@pytest.fixture(scope="module")
def unequal():
    return world(d_x=14, d_y=9, noise=0.4)


def precision(model, pairs, reverse=False):
    return model.evaluate(pairs, reverse=reverse).precision.covered["1"]


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("sizes", ["easy", "unequal"])
def test_every_recipe_beats_chance_both_ways(name, sizes, request):
    small = request.getfixturevalue(sizes)
    model = Translator(name).fit(*small.three)
    for reverse in (False, True):
        assert precision(model, small.test, reverse) > 20 / 240
    assert model.info.recipe == name
    assert model.info.settings["mapping"] == repr(RECIPES[name].mapping)
    assert "not fitted" not in repr(model)


def test_the_names_are_what_the_paper_calls_so():
    assert recipe("paper").correction == InvertedSoftmax(n_samples=1500, random=True)
    assert recipe("paper").strength == recipe("isf").strength == 1.0
    assert recipe("paper").n_components == "learnt"
    assert not recipe("paper").held_out
    assert recipe("nn").strength == recipe("mikolov").strength == recipe("faruqui").strength == 0
    assert isinstance(recipe("mikolov").mapping, LeastSquares)
    assert isinstance(recipe("faruqui").mapping, CCA)
    assert recipe("csls").correction == CSLS(k=10)
    assert all(recipe(name).name == name for name in RECIPES)


def test_the_paper_drops_directions_that_hold_only_noise():
    """Twelve directions are shared, and as many more of either side are its own."""
    rng = np.random.default_rng(0)
    small = world(n=400, d_x=12, d_y=12, n_train=300, noise=0.3)
    noise = (0.6 * rng.normal(size=(400, 12)) / np.sqrt(12) for _ in range(2))
    sides = (
        (side.words, np.concatenate([side.vectors, N], axis=1).astype(np.float32))
        for side, N in zip((small.source, small.target), noise, strict=True)
    )
    model = Translator("paper").fit(*sides, small.train)
    assert 8 <= model.info.n_components <= 17
    assert model.space.n_components == model.info.n_components
    assert precision(model, small.test) > 0.9


def test_dropped_directions_are_the_last(easy):
    whole, part = (Translator("isf", n_components=r).fit(*easy.three) for r in (12, 7))
    X, Y = easy.rows
    U, _, Vt = oracle.svd(oracle.cross_moment(X[:160], Y[:160]))
    S = oracle.shared_similarity(U, Vt, X, Y, 7)
    ours = part.aligned()
    np.testing.assert_allclose(ours[1].vectors @ ours[0].vectors.T, S, atol=1e-5)
    assert part.info.n_components == 7
    assert part.transform(easy.source).vector_size == 7
    assert whole.info.n_components == 12


@pytest.mark.parametrize(("n_samples", "expected"), [("auto", 240), ("all", 240), (50, 50)])
def test_so_many_sources_make_the_hub_numbers(easy, n_samples, expected):
    for name in ("best", "isf", "csls"):
        model = Translator(name, n_samples=n_samples).fit(*easy.three)
        assert model.info.forward.sources == model.info.backward.sources == expected
    assert Translator("isf").fit(*easy.three).info.forward.sources == 240  # 1500 are too many


def test_settings_are_replaced():
    changed = recipe("best", n_samples=7, center=True, strength=0.5, beta=20, n_components=3)
    assert changed.correction == InvertedSoftmax(n_samples=7)
    assert changed.mapping == Orthogonal(center=True)
    assert (changed.strength, changed.beta, changed.n_components) == (0.5, 20, 3)
    assert changed.name == "best, changed"
    assert recipe("csls", k=3).correction == CSLS(k=3)
    assert recipe("best", mapping="cca", correction="csls", k=4) == replace(
        RECIPES["best"], mapping=CCA(), correction=CSLS(k=4), name="best, changed"
    )
    assert recipe("best", beta=None, k=None) == recipe("best")
    assert RECIPES["best"].name == "custom"  # what is named is a copy
    with pytest.raises(FrozenInstanceError):
        changed.strength = 1.0


BAD = [
    ("bset", {}, "got recipe 'bset', expected one of best, paper"),
    ("best", {"bata": 3}, "got the setting 'bata', which recipe 'best' does not have"),
    ("nn", {"n_samples": 3}, "'n_samples', which recipe 'nn' does not have"),
    ("mikolov", {"center": True}, "'center'"),
    ("best", {"mapping": "ortogonal"}, "got mapping 'ortogonal', expected one of"),
    ("best", {"correction": "scls"}, "got correction 'scls', expected one of"),
    ("best", {"beta": -1}, "got beta=-1, expected a number above 0"),
    ("best", {"beta": float("nan")}, "got beta=nan"),
    ("best", {"beta": "learned"}, "got beta='learned'"),
    ("best", {"strength": 1.5}, "got strength=1.5, expected 0 to 1"),
    ("best", {"strength": "all"}, "got strength='all'"),
    ("best", {"n_components": 0}, "got n_components=0, expected a number from 1"),
    ("best", {"n_components": 2.5}, "got n_components=2.5"),
]


@pytest.mark.parametrize(("name", "overrides", "message"), BAD)
def test_bad_settings_are_refused(name, overrides, message):
    with pytest.raises(IsoglossError, match=message):
        recipe(name, **overrides)


LATER = [
    ("best", {"n_samples": 0}, "got n_samples=0"),
    ("best", {"n_samples": "some"}, "got n_samples='some'"),
    ("best", {"n_components": 13}, "got n_components=13, expected 1 to 12"),
    ("mikolov", {"n_components": 5}, "no order"),
    ("mikolov", {"n_components": "learnt"}, "no order"),
    ("best", {"random_state": -1}, "got random_state=-1, expected a whole number from 0"),
    ("best", {"random_state": None}, "got random_state=None"),
]


@pytest.mark.parametrize(("name", "overrides", "message"), LATER)
def test_settings_that_do_not_fit_the_vectors_are_refused(easy, name, overrides, message):
    with pytest.raises(IsoglossError, match=message):
        Translator(name, **overrides).fit(*easy.three)


@dataclass(frozen=True)
class Mirror:
    """A map of one's own: Procrustes, found with another routine."""

    symmetric = True

    def fit(self, moments):
        w, V = np.linalg.eigh(moments.yx.T @ moments.yx)
        W = moments.yx @ (V / np.sqrt(w)) @ V.T
        return Space(np.eye(len(W)), W)


def test_objects_do_as_names_do(easy):
    named = Translator("isf").fit(*easy.three)
    own = Recipe(Orthogonal(), InvertedSoftmax(n_samples=1500, random=True), 1.0, held_out=False)
    made = Translator(own).fit(*easy.three)
    assert made.info.recipe == "custom"
    assert made.info.forward == named.info.forward
    np.testing.assert_array_equal(made.model_.forward.penalty, named.model_.forward.penalty)
    mirrored = Translator("isf", mapping=Mirror(), correction=InvertedSoftmax()).fit(*easy.three)
    np.testing.assert_allclose(mirrored.space.matrix, named.space.matrix, atol=1e-10)
    assert mirrored.info.forward.beta == pytest.approx(named.info.forward.beta, rel=1e-3)
    plain = Translator("best", correction=NearestNeighbour(), strength=0.0).fit(*easy.three)
    nearest = Translator("nn").fit(*easy.three)
    assert precision(plain, easy.test) == precision(nearest, easy.test)


@pytest.mark.parametrize("name", ["nn", "isf", "csls", "mikolov", "faruqui"])
def test_recipes_rank_as_the_equations_do(easy, name):
    X, Y = easy.rows
    X_D, Y_D = X[:160], Y[:160]
    if name == "mikolov":
        S = oracle.mapped_similarity(oracle.least_squares(X_D, Y_D), X, Y)
    elif name == "faruqui":
        A, B, _ = oracle.cca(X_D, Y_D, X, Y)
        S = oracle.unit_rows(B) @ oracle.unit_rows(A).T
    else:
        U, _, Vt = oracle.svd(oracle.cross_moment(X_D, Y_D))
        S = oracle.shared_similarity(U, Vt, X, Y)
    model = Translator(name, **({"n_samples": "all"} if name == "isf" else {})).fit(*easy.three)
    scores = S
    if name == "isf":
        scores = S - oracle.hub_number(S, model.info.forward.beta)[:, None]
    elif name == "csls":
        scores = oracle.csls(S, S, 10)
    answers = model.translate(list(easy.source.words), topn=1)
    best = [int(answer.translations[0].word[1:]) for answer in answers]
    shown = scores[best, np.arange(240)]
    np.testing.assert_allclose(shown, scores.max(axis=0), atol=1e-5)
    cosines = [answer.translations[0].cosine for answer in answers]
    np.testing.assert_allclose(cosines, S[best, np.arange(240)], atol=1e-5)


def test_an_infinite_beta_fits(easy):
    model = Translator("isf", beta=float("inf")).fit(*easy.three)
    assert model.info.forward.beta is None
    assert precision(model, easy.test) > 20 / 240


def test_a_recipe_of_ones_own_is_checked():
    with pytest.raises(IsoglossError, match="got strength=5"):
        recipe(Recipe(Orthogonal(), InvertedSoftmax(), 5.0))
