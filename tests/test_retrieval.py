import math

import numpy as np
import pytest

import oracle
from isogloss.engine import threads
from isogloss.hubness import InvertedSoftmax
from isogloss.retrieval import Retriever

BETAS = [1e-3, 0.1, 1, 10, 30, 100, 300]


def rows(seed=0, n=300, d=12):
    """A made-up pair of languages in the space of the paper's map."""
    X, Y = oracle.random_pair(seed, n, d, d, noise=0.8)
    U, _, Vt = oracle.svd(oracle.cross_moment(X, Y))
    return (X @ Vt.T).astype(np.float32), (Y @ U).astype(np.float32)


def exactness(beta):
    """A cosine in float32 is good to some 3e-7, and β multiplies what is missing."""
    return max(1e-5, 3e-7 * beta)


def retriever(Y, sources, beta, strength):
    return Retriever(Y, InvertedSoftmax().penalty(Y, sources, beta).value, beta, strength)


def whole(found, n):
    """P of all n targets, in the order of the vocabulary: queries × targets."""
    P = np.zeros((len(found.ids), n))
    np.put_along_axis(P, found.ids, found.probabilities, 1)
    return P


@pytest.mark.parametrize("beta", [*BETAS, 1000, math.inf])
@pytest.mark.parametrize("strength", [0.0, 0.4, 1.0])
def test_probabilities_over_all_targets_sum_to_one(beta, strength):
    X, Y = rows()
    found = retriever(Y, X[::2], beta, strength).search(X[:40], len(Y))
    P = found.probabilities
    assert np.isfinite(found.scores).all()
    assert ((P >= 0) & (P <= 1)).all()
    np.testing.assert_allclose(P.sum(axis=1), 1, atol=0 if math.isinf(beta) else exactness(beta))


@pytest.mark.parametrize("beta", BETAS)
def test_probability_is_eq_6_with_its_alpha(beta):
    X, Y = rows()
    S = Y.astype(float) @ X.astype(float).T
    sources = np.arange(0, 300, 2)
    P, alpha = oracle.inverted_softmax(S[:, :40], S[:, sources], beta)
    way = retriever(Y, X[sources], beta, 1.0)
    found = whole(way.search(X[:40], len(Y)), len(Y))
    np.testing.assert_allclose(found, P.T, atol=exactness(beta))
    # The library takes the mean over sources where eq. (6) has the sum: ln α moves by ln n.
    log_alpha = way.log_alpha(X[:40])[:, 0] - math.log(len(sources))
    np.testing.assert_allclose(log_alpha, np.log(alpha), atol=1e-6 * max(beta, 10))


@pytest.mark.parametrize("beta", BETAS)
def test_strength_leads_from_the_softmax_to_its_inverse(beta):
    X, Y = rows(1)
    S = Y.astype(float) @ X.astype(float).T
    none = whole(retriever(Y, X, beta, 0.0).search(X, len(Y)), len(Y))
    np.testing.assert_allclose(none, oracle.softmax(S, beta).T, atol=exactness(beta))
    weight = np.exp(beta * S).sum(axis=1, keepdims=True)
    half = np.exp(beta * S) / np.sqrt(weight)
    found = whole(retriever(Y, X, beta, 0.5).search(X, len(Y)), len(Y))
    np.testing.assert_allclose(found, (half / half.sum(axis=0)).T, atol=exactness(beta))


def coarse(seed, n, d):
    """Rows whose inner products are exact in float32, so that ties are ties."""
    return np.random.default_rng(seed).integers(-2, 3, size=(n, d)).astype(np.float32) / 8


@pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
def test_at_infinite_beta_ties_are_ordered_by_cosine_and_then_id(strength):
    """Queries are among the sources, so that many targets score nought together."""
    X, Y = coarse(0, 60, 4), coarse(1, 200, 4)
    S = Y.astype(float) @ X.astype(float).T
    way = retriever(Y, X, math.inf, strength)
    np.testing.assert_array_equal(way.penalty, oracle.hub_number_limit(S))
    found = way.search(X, 200)
    scores = S - strength * oracle.hub_number_limit(S)[:, None]
    assert (np.sort(scores, axis=0)[-2] == scores.max(axis=0)).sum() > 10
    for j in range(60):
        order = oracle.ranking(scores[:, j], S[:, j])
        assert found.ids[j].tolist() == order
        np.testing.assert_array_equal(found.scores[j], scores[order, j])
        np.testing.assert_array_equal(found.cosines[j], S[order, j])
        tied = scores[order, j] == scores[:, j].max()
        np.testing.assert_allclose(found.probabilities[j], tied / tied.sum())


@pytest.mark.parametrize("beta", [5.0, math.inf])
def test_ranks_are_places_in_the_search(beta):
    X, Y = coarse(2, 50, 4), coarse(3, 120, 4)
    way = retriever(Y, X, beta, 1.0)
    golds = [np.unique(np.random.default_rng(j).integers(0, 120, 1 + j % 3)) for j in range(50)]
    found = way.search(X, 120)
    expected = [oracle.gold_rank(found.ids[j], golds[j]) for j in range(50)]
    with threads() as executor:
        np.testing.assert_array_equal(way.ranks(X, golds, executor=executor), expected)


@pytest.mark.parametrize("beta", [1.0, 30.0, 300.0])
def test_the_probability_of_given_pairs_is_that_of_the_search(beta):
    X, Y = rows(2)
    way = retriever(Y, X, beta, 0.7)
    P = whole(way.search(X[:50], len(Y)), len(Y))
    targets = np.random.default_rng(0).integers(0, len(Y), 50)
    given = np.exp(way.log_probability(X[:50], targets))
    np.testing.assert_allclose(given, P[np.arange(50), targets], atol=exactness(beta))


def test_few_targets_and_no_queries():
    X, Y = rows(n=5)
    way = retriever(Y, X, 10.0, 1.0)
    assert way.search(X, 100).ids.shape == (5, 5)
    none = way.search(X[:0], 3)
    assert none.ids.shape == none.probabilities.shape == (0, 3)
    assert way.ranks(X[:0], []).shape == (0,)


def test_workers_change_nothing_and_progress_is_told():
    X, Y = rows(3, n=700)
    way = retriever(Y, X, 20.0, 1.0)
    told = []
    way.search(X, 5, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]
    found = []
    for n in (1, 3):
        with threads(n) as executor:
            found.append(way.search(X, 5, executor=executor))
    for one, other in zip(vars(found[0]).values(), vars(found[1]).values(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_at_infinite_beta_probability_does_not_change_with_topn():
    X, Y = coarse(0, 60, 4), coarse(1, 200, 4)
    way = retriever(Y, X, math.inf, 1.0)
    one, all_ = way.search(X, 1), way.search(X, 200)
    np.testing.assert_allclose(one.probabilities, all_.probabilities[:, :1])


@pytest.mark.filterwarnings("ignore:invalid value")
def test_at_infinite_beta_given_pairs_have_a_probability():
    X, Y = coarse(0, 60, 4), coarse(1, 200, 4)
    way = retriever(Y, X, math.inf, 1.0)
    best = way.search(X, 1).ids[:, 0]
    assert (np.exp(way.log_probability(X, best)) > 0).all()


@pytest.mark.parametrize("beta", [1e4, 9e4, 1e6, 1e9, 1e30])
def test_probabilities_sum_to_one_however_large_beta_is(beta):
    Y = oracle.random_rows(3, 400, 30).astype(np.float32)
    Q = oracle.random_rows(4, 50, 30).astype(np.float32)
    retriever = Retriever(Y, np.zeros(400), beta, 0.0)
    total = retriever.search(Q, 400).probabilities.sum(axis=1)
    np.testing.assert_allclose(total, 1, atol=0.02)
