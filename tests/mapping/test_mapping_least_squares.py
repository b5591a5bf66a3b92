import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from isogloss.mapping import LeastSquares, Moments

quiet = settings(deadline=None, database=None, max_examples=60)
CLOSE = 1e-5


def similarity(space, X, Y):
    return space.project(Y, "target").astype(float) @ space.project(X, "source").T


@quiet
@given(st.integers(0, 2**16), st.integers(1, 8), st.integers(1, 8), st.integers(20, 60))
def test_the_map_is_that_of_lstsq_on_the_rows(seed, d_x, d_y, n):
    X, Y = oracle.random_pair(seed, n, d_x, d_y)
    space = LeastSquares().fit(Moments.of(X, Y))
    W = oracle.least_squares(X, Y)
    assert space.matrix.shape == (d_y, d_x)
    np.testing.assert_allclose(space.matrix, W, atol=1e-7 * np.abs(W).max())
    expected = oracle.mapped_similarity(W, X, Y)
    np.testing.assert_allclose(similarity(space, X, Y), expected, atol=CLOSE)


@pytest.mark.parametrize(("d_x", "d_y"), [(12, 12), (12, 5), (5, 12)])
@pytest.mark.parametrize("n", [1, 3])
def test_fewer_pairs_than_dimensions_give_the_smallest_map(n, d_x, d_y):
    X, Y = oracle.random_pair(1, 100, d_x, d_y)
    space = LeastSquares().fit(Moments.of(X[:n], Y[:n]))
    W = oracle.least_squares(X[:n], Y[:n])
    np.testing.assert_allclose(space.matrix, W, atol=1e-6)
    np.testing.assert_allclose(X[:n] @ space.matrix.T, Y[:n], atol=1e-6)
    expected = oracle.mapped_similarity(W, X, Y)
    np.testing.assert_allclose(similarity(space, X, Y), expected, atol=CLOSE)


def test_identical_pairs_are_as_one():
    X, Y = oracle.random_pair(2, 1, 6, 6)
    seven = Moments.of(np.repeat(X, 7, axis=0), np.repeat(Y, 7, axis=0))
    space = LeastSquares().fit(seven)
    np.testing.assert_allclose(space.matrix, np.outer(Y[0], X[0]), atol=1e-10)
    assert similarity(space, X, Y) == pytest.approx(1, abs=1e-6)


def test_similarities_on_real_rows():
    X, Y, dictionaries = oracle.real_rows(3000, 5000)
    j, i = np.array(dictionaries["train"]).T
    X_D, Y_D = oracle.unit_rows(X)[j], oracle.unit_rows(Y)[i]
    space = LeastSquares().fit(Moments.of(X_D, Y_D))
    W = oracle.least_squares(X_D, Y_D)
    np.testing.assert_allclose(space.matrix, W, atol=1e-6 * np.abs(W).max())
    expected = oracle.mapped_similarity(W, oracle.unit_rows(X), oracle.unit_rows(Y))
    np.testing.assert_allclose(similarity(space, X, Y), expected, atol=CLOSE)


def test_each_direction_has_its_own_map():
    X, Y = oracle.random_pair(3, 200, 9, 9)
    assert not LeastSquares().symmetric
    there, back = LeastSquares().fit(Moments.of(X, Y)), LeastSquares().fit(Moments.of(Y, X))
    np.testing.assert_allclose(back.matrix, oracle.least_squares(Y, X), atol=1e-9)
    assert np.abs(similarity(there, X, Y) - similarity(back, Y, X).T).max() > 0.01


def test_nothing_else_has_smaller_squares():
    X, Y = oracle.random_pair(4, 200, 9, 7)
    W = LeastSquares().fit(Moments.of(X, Y)).matrix
    least = ((Y - X @ W.T) ** 2).sum()
    rng = np.random.default_rng(4)
    for _ in range(20):
        assert ((Y - X @ (W + 1e-3 * rng.normal(size=W.shape)).T) ** 2).sum() > least
