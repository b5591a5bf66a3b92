import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from isogloss.hubness import CSLS
from isogloss.kernels import top_k

quiet = settings(deadline=None, database=None, max_examples=60)
CLOSE = 1e-5


@quiet
@given(st.integers(0, 2**16), st.integers(1, 30), st.integers(1, 30), st.integers(1, 40))
def test_the_penalty_is_half_the_mean_of_the_k_largest(seed, n_x, n_y, k):
    """Of all of them, where there are fewer than k."""
    X, Y = oracle.random_rows(seed, n_x, 6), oracle.random_rows(seed, n_y, 6)
    h = CSLS(k=k).penalty(Y, X, 1.0).value
    np.testing.assert_allclose(h, oracle.csls_mean(Y @ X.T, k) / 2, atol=CLOSE, rtol=0)
    if k == 1:
        np.testing.assert_allclose(2 * h, oracle.hub_number_limit(Y @ X.T), atol=CLOSE, rtol=0)
    if k >= n_x:
        np.testing.assert_allclose(2 * h, (Y @ X.T).mean(axis=1), atol=CLOSE, rtol=0)


@pytest.mark.parametrize("kind", ["random", "real"])
def test_it_ranks_as_the_definition_does(kind):
    """2 S_ij - r_T(j) - r_S(i), halved and without what one query has in common."""
    if kind == "random":
        X, Y = oracle.random_rows(2, 500, 40), oracle.random_rows(2, 3000, 40)
    else:
        X, Y, dictionaries = oracle.real_rows(3000, 5000)
        X, Y = oracle.unit_rows(X), oracle.unit_rows(Y)
        j, i = np.array(dictionaries["train"]).T
        U, _, Vt = oracle.svd(oracle.cross_moment(X[j], Y[i]))
        X, Y = X[:500] @ Vt.T, Y @ U
    S = Y @ X.T
    scores = oracle.csls(S[:, :60], S, 10).T / 2
    best = top_k(X[:60], Y, -CSLS().penalty(Y, X, 1.0).value, 10)
    found = np.take_along_axis(scores, best.ids, 1)
    np.testing.assert_allclose(found, -np.sort(-scores, axis=1)[:, :10], atol=CLOSE, rtol=0)
    differences = best.scores.astype(float) - best.scores[:, :1]
    np.testing.assert_allclose(differences, found - found[:, :1], atol=CLOSE, rtol=0)


def test_beta_and_derivatives_change_nothing():
    X, Y = oracle.random_rows(3, 50, 8), oracle.random_rows(3, 70, 8)
    h = CSLS().penalty(Y, X, 1.0)
    same = CSLS().penalty(Y, X, np.inf, derivatives=True)
    np.testing.assert_array_equal(h.value, same.value)
    np.testing.assert_array_equal(same.mean, same.value)
    assert not same.variance.any()


def test_zero_rows_have_no_hubness():
    X, Y = oracle.random_rows(3, 50, 8), oracle.random_rows(3, 70, 8)
    Y[3] = 0
    assert CSLS().penalty(Y, X, 1.0).value[3] == 0
    assert not CSLS().penalty(Y, np.zeros((5, 8)), 1.0).value.any()
