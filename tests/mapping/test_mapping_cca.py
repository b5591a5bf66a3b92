import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from isogloss.mapping import CCA, Moments

quiet = settings(deadline=None, database=None, max_examples=60)
CLOSE = 1e-5


def similarity(space, X, Y):
    return space.project(Y, "target").astype(float) @ space.project(X, "source").T


def literal(X_D, Y_D, X, Y):
    A, B, s = oracle.cca(X_D, Y_D, X, Y)
    return oracle.unit_rows(B) @ oracle.unit_rows(A).T, s


@quiet
@given(st.integers(0, 2**16), st.integers(2, 8), st.integers(2, 8), st.integers(30, 80))
def test_moments_give_the_cosines_of_the_literal_procedure(seed, d_x, d_y, n):
    X, Y = oracle.random_pair(seed, n + 20, d_x, d_y)
    S, s = literal(X[:n], Y[:n], X, Y)
    space = CCA().fit(Moments.of(X[:n], Y[:n]))
    np.testing.assert_allclose(space.singular_values, s, atol=1e-7)
    # A word at the mean has no direction that rounding would leave alone.
    away = np.linalg.norm(X - X[:n].mean(axis=0), axis=1) > 0.01
    far = np.linalg.norm(Y - Y[:n].mean(axis=0), axis=1) > 0.01
    np.testing.assert_allclose(similarity(space, X[away], Y[far]), S[far][:, away], atol=CLOSE)


def test_moments_give_the_cosines_of_the_literal_procedure_on_real_rows():
    X, Y, dictionaries = oracle.real_rows(3000, 5000)
    j, i = np.array(dictionaries["train"]).T
    X_D, Y_D = oracle.unit_rows(X)[j], oracle.unit_rows(Y)[i]
    S, s = literal(X_D, Y_D, oracle.unit_rows(X), oracle.unit_rows(Y))
    space = CCA().fit(Moments.of(X_D, Y_D))
    np.testing.assert_allclose(similarity(space, X, Y), S, atol=CLOSE)
    np.testing.assert_allclose(space.singular_values, s, atol=1e-9)


def test_singular_values_are_the_canonical_correlations():
    X, Y = oracle.random_pair(1, 400, 10, 6)
    space = CCA().fit(Moments.of(X, Y))
    A, B = (X - X.mean(axis=0)) @ space.source_map, (Y - Y.mean(axis=0)) @ space.target_map
    np.testing.assert_allclose(A.T @ A, np.eye(6), atol=1e-9)
    np.testing.assert_allclose(B.T @ B, np.eye(6), atol=1e-9)
    np.testing.assert_allclose(A.T @ B, np.diag(space.singular_values), atol=1e-9)
    assert (np.diff(space.singular_values) <= 0).all()
    assert space.singular_values[0] <= 1 + 1e-9


@pytest.mark.parametrize(("d_x", "d_y"), [(12, 12), (12, 8), (8, 12)])
@pytest.mark.parametrize("n", [3, 7])
def test_fewer_pairs_than_dimensions(n, d_x, d_y):
    """n pairs leave n - 1 directions once centred, and agree perfectly on each."""
    X, Y = oracle.random_pair(2, 100, d_x, d_y)
    S, s = literal(X[:n], Y[:n], X, Y)
    space = CCA().fit(Moments.of(X[:n], Y[:n]))
    assert space.n_components == n - 1
    np.testing.assert_allclose(space.singular_values, s, atol=1e-7)
    np.testing.assert_allclose(space.singular_values, 1, atol=1e-7)
    np.testing.assert_allclose(similarity(space, X, Y), S, atol=CLOSE)


@pytest.mark.parametrize("gone", ["source", "target", "both"])
def test_rows_that_fill_a_subspace_only(gone):
    X, Y = oracle.random_pair(3, 300, 10, 10)
    flat = np.linalg.qr(np.random.default_rng(3).normal(size=(10, 4)))[0]
    if gone != "target":
        X = oracle.unit_rows(X @ flat @ flat.T)
    if gone != "source":
        Y = oracle.unit_rows(Y @ flat @ flat.T)
    S, s = literal(X[:200], Y[:200], X, Y)
    space = CCA().fit(Moments.of(X[:200], Y[:200]))
    assert space.n_components == len(s) == 4
    np.testing.assert_allclose(similarity(space, X, Y), S, atol=CLOSE)


@pytest.mark.parametrize("times", [1, 3, 7, 100])
def test_one_pair_alone_tells_nothing(times):
    """Centred, it is zero: no direction is left, and none may be made of rounding."""
    X, Y = oracle.random_pair(6, 20, 8, 8)
    one = Moments.of(np.repeat(X[:1], times, axis=0), np.repeat(Y[:1], times, axis=0))
    space = CCA().fit(one)
    assert space.n_components == 0
    for side, rows in (("source", X), ("target", Y)):
        assert space.project(rows, side).shape == (20, 0)


def test_one_map_serves_both_directions():
    X, Y = oracle.random_pair(8, 300, 10, 7)
    assert CCA().symmetric
    S = similarity(CCA().fit(Moments.of(X, Y)), X, Y)
    np.testing.assert_allclose(similarity(CCA().fit(Moments.of(Y, X)), Y, X), S.T, atol=1e-6)


def test_the_cosines_do_not_depend_on_the_axes():
    """A turn of either side's axes leaves unit rows unit, and CCA's cosines as they were."""
    X, Y = oracle.random_pair(9, 300, 10, 10)
    turn = np.linalg.qr(np.random.default_rng(9).normal(size=(10, 10)))[0]
    S = similarity(CCA().fit(Moments.of(X, Y)), X, Y)
    turned = similarity(CCA().fit(Moments.of(X @ turn, Y)), X @ turn, Y)
    np.testing.assert_allclose(turned, S, atol=CLOSE)


def test_dropping_dimensions_keeps_the_first_correlations():
    X, Y = oracle.random_pair(10, 300, 10, 10)
    A, B, s = oracle.cca(X, Y, X, Y)
    space = CCA().fit(Moments.of(X, Y)).truncated(4)
    np.testing.assert_allclose(space.singular_values, s[:4], atol=1e-9)
    expected = oracle.unit_rows(B[:, :4]) @ oracle.unit_rows(A[:, :4]).T
    np.testing.assert_allclose(similarity(space, X, Y), expected, atol=CLOSE)
