from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from isogloss.engine import blocks, fold, threads
from isogloss.mapping import CCA, LeastSquares, Moments, Orthogonal

quiet = settings(deadline=None, database=None, max_examples=60)
PARTS = ("n", "x", "y", "xx", "yy", "yx")
MAPS = [Orthogonal(), Orthogonal(center=True), LeastSquares(), CCA()]


def same(a, b, atol=1e-12):
    for name in PARTS:
        expected = getattr(b, name)
        np.testing.assert_allclose(
            getattr(a, name), expected, atol=atol * (1 + np.abs(expected).max()), err_msg=name
        )


@st.composite
def aligned(draw, least=0):
    n, d_x, d_y = draw(st.integers(least, 40)), draw(st.integers(1, 6)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    return rng.normal(size=(n, d_x)), rng.normal(size=(n, d_y)) + 1


@quiet
@given(aligned())
def test_moments_are_the_sums_they_say(rows):
    X, Y = rows
    moments = Moments.of(X, Y)
    assert moments.n == len(X)
    np.testing.assert_allclose(moments.x, X.sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(moments.y, Y.sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(moments.xx, oracle.cross_moment(X, X), atol=1e-12)
    np.testing.assert_allclose(moments.yy, oracle.cross_moment(Y, Y), atol=1e-12)
    np.testing.assert_allclose(moments.yx, oracle.cross_moment(X, Y), atol=1e-12)
    assert moments.yx.shape == (Y.shape[1], X.shape[1])


@quiet
@given(aligned(), st.lists(st.integers(0, 40), max_size=5))
def test_moments_add_over_any_split(rows, cuts):
    X, Y = rows
    edges = [0, *sorted(min(cut, len(X)) for cut in cuts), len(X)]
    parts = [Moments.of(X[a:b], Y[a:b]) for a, b in pairwise(edges)]
    whole = Moments.of(X, Y)
    same(Moments.total(parts), whole)
    same(Moments.total(iter(reversed(parts))), whole)
    left = Moments.total(parts[:1]) + Moments.total(parts)
    same(left - parts[0], whole)


@quiet
@given(aligned(1), st.data())
def test_moments_less_a_fold_are_those_without_it(rows, data):
    X, Y = rows
    fold_of = np.array(data.draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X))))
    same(
        Moments.of(X, Y) - Moments.of(X[fold_of], Y[fold_of]), Moments.of(X[~fold_of], Y[~fold_of])
    )


@quiet
@given(aligned(), st.data())
def test_a_weight_is_how_often_a_pair_counts(rows, data):
    X, Y = rows
    times = np.array(data.draw(st.lists(st.integers(0, 4), min_size=len(X), max_size=len(X))), int)
    weighted = Moments.of(X, Y, times)
    same(weighted, Moments.of(np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0)))
    same(Moments.of(X, Y, 0.5 * times), weighted * 0.5)
    same(weighted + weighted, weighted * 2)


@quiet
@given(aligned(1))
def test_centred_moments_are_those_of_centred_rows(rows):
    X, Y = rows
    moments = Moments.of(X, Y)
    np.testing.assert_allclose(moments.means[0], X.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(moments.means[1], Y.mean(axis=0), atol=1e-12)
    same(moments.centred, Moments.of(X - X.mean(axis=0), Y - Y.mean(axis=0)), atol=1e-11)


@quiet
@given(aligned())
def test_swapped_moments_are_those_of_swapped_rows(rows):
    X, Y = rows
    same(Moments.of(X, Y).swapped, Moments.of(Y, X))
    same(Moments.of(X, Y).swapped.swapped, Moments.of(X, Y))


def test_moments_of_no_pair_are_zero():
    none = Moments.of(np.zeros((0, 3)), np.zeros((0, 2)))
    assert none.n == 0
    assert not any(np.any(getattr(none, name)) for name in PARTS)
    assert not any(mean.any() for mean in none.means)
    some = Moments.of(np.ones((4, 3)), np.ones((4, 2)))
    same(none + some, some)
    same(some - some, none)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_moments_are_summed_in_float64(dtype):
    X, Y = (V.astype(dtype) for V in oracle.random_pair(0, 5000, 20, 10))
    moments = Moments.of(X, Y)
    assert all(getattr(moments, name).dtype == np.float64 for name in PARTS[1:])
    same(moments, Moments.of(X.astype(float), Y.astype(float)))
    np.testing.assert_allclose(moments.yx, oracle.cross_moment(X, Y), atol=1e-10)


@pytest.mark.parametrize("mapping", MAPS, ids=str)
@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_blocks_of_any_size_give_the_same_map(mapping, size):
    X, Y = oracle.random_pair(3, 400, 12, 10)
    whole = mapping.fit(Moments.of(X, Y))

    def step(rows):
        return Moments.of(X[rows], Y[rows])

    with threads(2) as pool:
        parts = fold(step, blocks(400, size), Moments.__add__, executor=pool)
    space = mapping.fit(parts)
    S, expected = (s.project(Y, "target") @ s.project(X, "source").T for s in (space, whole))
    np.testing.assert_allclose(S, expected, atol=1e-6)
    np.testing.assert_allclose(space.matrix, whole.matrix, atol=1e-9 * np.abs(whole.matrix).max())


@pytest.mark.parametrize("mapping", MAPS, ids=str)
def test_a_map_without_a_fold_comes_from_subtraction(mapping):
    X, Y, dictionaries = oracle.real_rows(3000, 5000)
    j, i = np.array(dictionaries["train"]).T
    X, Y = oracle.unit_rows(X[j]), oracle.unit_rows(Y[i])
    rest = np.arange(len(X)) % 5 != 0
    less = mapping.fit(Moments.of(X, Y) - Moments.of(X[~rest], Y[~rest]))
    direct = mapping.fit(Moments.of(X[rest], Y[rest]))
    S, expected = (
        s.project(Y[~rest], "target") @ s.project(X[~rest], "source").T for s in (less, direct)
    )
    np.testing.assert_allclose(S, expected, atol=1e-5)


@pytest.mark.parametrize("mapping", MAPS, ids=str)
def test_weighing_all_pairs_alike_changes_no_map(mapping):
    X, Y = oracle.random_pair(4, 300, 8, 8)
    moments = Moments.of(X, Y)
    S, expected = (
        s.project(Y, "target") @ s.project(X, "source").T
        for s in (mapping.fit(moments * 1e-3), mapping.fit(moments))
    )
    np.testing.assert_allclose(S, expected, atol=1e-6)
