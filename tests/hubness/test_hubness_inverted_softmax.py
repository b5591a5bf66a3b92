import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from isogloss.engine import threads
from isogloss.errors import IsoglossError
from isogloss.hubness import CSLS, InvertedSoftmax, NearestNeighbour, correction
from isogloss.kernels import top_k

quiet = settings(deadline=None, database=None, max_examples=60)
CLOSE = 1e-5
KINDS = ["random", "real"]


def pair(kind, n_x=500, n_y=3000):
    """Source and target rows in one space, float32, and their S in float64."""
    if kind == "random":
        X, Y = oracle.random_rows(2, n_x, 40), oracle.random_rows(2, n_y, 40)
    else:
        X, Y, dictionaries = oracle.real_rows(3000, 5000)
        X, Y = oracle.unit_rows(X), oracle.unit_rows(Y)
        j, i = np.array(dictionaries["train"]).T
        U, _, Vt = oracle.svd(oracle.cross_moment(X[j], Y[i]))
        X, Y = X[:n_x] @ Vt.T, Y[:n_y] @ U
    X, Y = X.astype(np.float32), Y.astype(np.float32)
    return X, Y, Y.astype(float) @ X.astype(float).T


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beta", [1e-3, 1, 30, 300, np.inf])
def test_the_penalty_is_the_papers_up_to_a_constant(kind, beta):
    X, Y, S = pair(kind)
    h = InvertedSoftmax().penalty(Y, X, beta)
    if np.isinf(beta):
        expected = oracle.hub_number_limit(S)
    else:
        expected = oracle.hub_number(S, beta) - np.log(len(X)) / beta
    np.testing.assert_allclose(h.value, expected, atol=CLOSE, rtol=0)
    assert h.value.dtype == np.float64


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beta", [1, 30, 300])
def test_the_penalty_ranks_as_the_probability_does(kind, beta):
    """Eq. (6): for one query α_j moves no target, and neither does the mean for the sum."""
    X, Y, S = pair(kind)
    sources, queries = X[::2], X[:50]
    P, _ = oracle.inverted_softmax(S[:, :50], S[:, ::2], beta)
    np.testing.assert_allclose(P.sum(axis=0), 1)
    best = top_k(queries, Y, -InvertedSoftmax().penalty(Y, sources, beta).value, 10)
    scores = np.log(P.T) / beta
    found = np.take_along_axis(scores, best.ids, 1)
    np.testing.assert_allclose(found, -np.sort(-scores, axis=1)[:, :10], atol=CLOSE, rtol=0)
    differences = best.scores.astype(float) - best.scores[:, :1]
    np.testing.assert_allclose(differences, found - found[:, :1], atol=CLOSE, rtol=0)


@quiet
@given(st.integers(0, 2**16), st.integers(1, 20), st.integers(1, 20), st.floats(-3, 2.3), st.data())
def test_the_softmax_of_eq_5_ranks_as_nearest_neighbour(seed, n_x, n_y, log_beta, data):
    X, Y = oracle.random_rows(seed, n_x, 5), oracle.random_rows(seed, n_y, 5)
    S = Y @ X.T
    P = oracle.softmax(S, 10.0**log_beta)
    np.testing.assert_allclose(P.sum(axis=0), 1)
    zero = NearestNeighbour().penalty(Y, X, 10.0**log_beta)
    assert not zero.value.any()
    best = top_k(X, Y, -zero.value, 1)
    j = data.draw(st.integers(0, n_x - 1))
    assert S[best.ids[j, 0], j] == pytest.approx(S[:, j].max(), abs=1e-6)
    assert S[oracle.nearest_neighbour(P)[j], j] == pytest.approx(S[:, j].max(), abs=1e-6)


def test_a_hub_is_no_longer_chosen():
    """The target in the middle is nearest to all; each of the others to its own source only."""
    X = np.eye(4, dtype=np.float32)
    Y = oracle.unit_rows(np.concatenate([np.ones((1, 4)), 0.45 * np.eye(4) - 0.35]))
    S = Y @ X.T
    assert list(oracle.nearest_neighbour(S)) == [0, 0, 0, 0]
    for beta in (20, 1000, np.inf):
        h = InvertedSoftmax().penalty(Y, X, beta).value
        assert list(top_k(X, Y[1:], -h[1:], 1).ids[:, 0]) == [0, 1, 2, 3]
        assert h[0] == h.max()


@pytest.mark.parametrize("method", [InvertedSoftmax(), CSLS(k=7), NearestNeighbour()], ids=str)
@pytest.mark.parametrize("beta", [0.5, 20, 200])
def test_mean_and_variance_are_the_derivatives_of_beta_h(method, beta):
    X, Y, _ = pair("random", 100, 200)
    e = 0.05 * beta

    def beta_h(b):
        return b * method.penalty(Y, X, b).value

    got = method.penalty(Y, X, beta, derivatives=True)
    first = (beta_h(beta + e) - beta_h(beta - e)) / (2 * e)
    second = (beta_h(beta + e) - 2 * beta_h(beta) + beta_h(beta - e)) / e**2
    np.testing.assert_allclose(got.mean, first, atol=1e-4, rtol=1e-3)
    np.testing.assert_allclose(got.variance, second, atol=1e-4 + 4e-7 * beta / e**2, rtol=0.01)


@pytest.mark.parametrize("method", [InvertedSoftmax(), CSLS(), NearestNeighbour()], ids=str)
def test_every_correction_gives_one_number_a_target(method):
    X, Y, _ = pair("random", 60, 700)
    with threads(2) as pool:
        for rows in (Y, Y[:1], Y[:0], Y.astype(np.float16)):
            h = method.penalty(rows, X, 10.0, derivatives=True)
            again = method.penalty(rows, X, 10.0, derivatives=True, executor=pool)
            for name in ("value", "mean", "variance"):
                part = getattr(h, name)
                assert part.shape == (len(rows),)
                assert part.dtype == np.float64
                np.testing.assert_allclose(getattr(again, name), part, atol=1e-6)
            assert (h.variance >= 0).all()


def test_which_corrections_change_with_beta():
    X, Y, _ = pair("random", 60, 70)
    for method in (InvertedSoftmax(), CSLS(), NearestNeighbour()):
        a, b = (method.penalty(Y, X, beta).value for beta in (5.0, 50.0))
        assert method.depends_on_beta == (not np.array_equal(a, b))


def test_a_name_or_a_correction():
    kinds = {
        "nearest_neighbour": NearestNeighbour,
        "inverted_softmax": InvertedSoftmax,
        "csls": CSLS,
    }
    for name, kind in kinds.items():
        assert isinstance(correction(name), kind)
    own = CSLS(k=3)
    assert correction(own) is own
    with pytest.raises(IsoglossError, match="'cslss', expected one of"):
        correction("cslss")
