"""The kernels against dense sums and full sorts.

Where ties matter the rows hold eighths, whose products float32 holds without rounding, so that
ties are exact and the order is known to the last id.
"""

import sys
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import oracle
from isogloss.engine import threads
from isogloss.kernels import ranks, soft_maximum, softmax_moments, top_k

quiet = settings(deadline=None, database=None, max_examples=80)
CLOSE = 1e-5
tiles = st.tuples(st.integers(1, 5), st.integers(1, 7))
betas = st.floats(-3, 4).map(lambda x: 10.0**x)
KINDS = ["random", "real"]


@contextmanager
def tiled(rows_and_tile):
    """Blocks so small that little data has many of them."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("top_k", "soft_maximum", "softmax_moments", "ranks"):
            # The front's functions have the names of their modules.
            module = sys.modules[f"isogloss.kernels.{name}"]
            patch.setattr(module, "ROWS", rows_and_tile[0])
            patch.setattr(module, "TILE", rows_and_tile[1])
        yield


def eighths(n, d, most=4):
    """Small multiples of 1/8, with many ties among their products."""
    whole = hnp.arrays(np.int64, st.tuples(n, d), elements=st.integers(-most, most))
    return whole.map(lambda A: A.astype(np.float32) / 8)


@st.composite
def exact(draw, min_queries=0):
    """Queries, targets and a bias whose scores float32 holds exactly."""
    d = draw(st.integers(1, 4))
    Q = draw(eighths(st.integers(min_queries, 9), st.just(d)))
    Y = draw(eighths(st.integers(1, 25), st.just(d)))
    whole = hnp.arrays(np.int64, len(Y), elements=st.integers(-8, 8))
    bias = draw(st.none() | whole.map(lambda b: b / 64))
    return Q, Y, bias


@st.composite
def crowds(draw, d=None):
    """Unit rows of two sides, in float64."""
    seed, d = draw(st.integers(0, 2**16)), d or draw(st.integers(2, 8))
    X = oracle.random_rows(seed, draw(st.integers(1, 30)), d)
    return X, oracle.random_rows(seed, draw(st.integers(1, 30)), d)


def pair(kind):
    """Source and target rows, unit, in float32, and their S in float64: targets × sources."""
    if kind == "random":
        X, Y = oracle.random_rows(1, 700, 60), oracle.random_rows(1, 5000, 60)
    else:
        X, Y, dictionaries = oracle.real_rows(700, 5000)
        X, Y = oracle.unit_rows(X), oracle.unit_rows(Y)
        j, i = np.array(dictionaries["train"]).T
        U, _, Vt = oracle.svd(oracle.cross_moment(X[j], Y[i]))
        X, Y = X @ Vt.T, Y @ U
    X, Y = X.astype(np.float32), Y.astype(np.float32)
    return X, Y, Y.astype(float) @ X.astype(float).T


def same_bits(a, b):
    for name in vars(a):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


# top_k


@quiet
@given(exact(), st.integers(1, 30), tiles)
def test_top_k_is_the_head_of_the_full_sort(rows, k, sizes):
    Q, Y, bias = rows
    with tiled(sizes):
        best = top_k(Q, Y, bias, k)
    C = Q @ Y.T
    V = C + (0 if bias is None else bias)
    ids = [oracle.ranking(v, c)[:k] for v, c in zip(V, C, strict=True)]
    ids = np.array(ids, int).reshape(len(Q), min(k, len(Y)))
    np.testing.assert_array_equal(best.ids, ids)
    np.testing.assert_array_equal(best.scores, np.take_along_axis(V, ids, 1))
    np.testing.assert_array_equal(best.cosines, np.take_along_axis(C, ids, 1))
    assert (best.ids.dtype, best.scores.dtype, best.cosines.dtype) == ("i8", "f8", "f8")


@quiet
@given(exact(), st.integers(1, 12), st.integers(0, 25), tiles)
def test_top_k_of_a_union_is_the_merge_of_the_top_ks(rows, k, cut, sizes):
    Q, Y, bias = rows
    bias = np.zeros(len(Y)) if bias is None else bias
    with tiled(sizes):
        whole = top_k(Q, Y, bias, k)
        a, b = top_k(Q, Y[:cut], bias[:cut], k), top_k(Q, Y[cut:], bias[cut:], k)
    for j in range(len(Q)):
        both = [*zip(-a.scores[j], -a.cosines[j], a.ids[j], strict=True)]
        both += [*zip(-b.scores[j], -b.cosines[j], b.ids[j] + cut, strict=True)]
        assert [i for _, _, i in sorted(both)[:k]] == list(whole.ids[j])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 10, 2500])
@pytest.mark.parametrize("biased", [False, True])
def test_top_k_on_whole_rows(kind, k, biased):
    X, Y, S = pair(kind)
    bias = -oracle.hub_number(S, 30) if biased else None
    best = top_k(X, Y, bias, k)
    V = S.T + (0 if bias is None else bias)
    np.testing.assert_allclose(best.scores, -np.sort(-V, axis=1)[:, :k], atol=CLOSE, rtol=0)
    at_ids = np.take_along_axis(V, best.ids, 1)
    np.testing.assert_allclose(best.scores, at_ids, atol=CLOSE, rtol=0)
    at_ids = np.take_along_axis(S.T, best.ids, 1)
    np.testing.assert_allclose(best.cosines, at_ids, atol=CLOSE, rtol=0)
    assert all(len(set(row)) == k for row in best.ids)
    # Where the oracle sees no near tie the targets are the same too.
    order = np.argsort(-V, axis=1)[:, : k + 1]
    gap = np.diff(-np.take_along_axis(V, order, 1), axis=1)
    clear = (gap > CLOSE).all(axis=1)
    assert clear.any() or k == 2500
    np.testing.assert_array_equal(best.ids[clear], order[clear][:, :k])


@pytest.mark.parametrize("kind", KINDS)
def test_at_infinite_beta_ties_go_by_cosine(kind):
    """S_ij - max_n S_in is zero for every target whose nearest source the query is."""
    X, Y, S = pair(kind)
    best = top_k(X, Y, -soft_maximum(Y, X, np.inf).value, 10)
    V = S - oracle.hub_number_limit(S)[:, None]
    clear = tied = 0
    for j in range(len(X)):
        # Sources so near to the largest that float32 cannot tell would blur which are tied.
        if ((V[:, j] > -CLOSE) & (V[:, j] < 0)).any():
            continue
        order = oracle.ranking(V[:, j], S[:, j])[:10]
        order = order[: (V[:, j] == 0).sum()]
        cosines = S[order, j]
        if len(order) > 1 and np.diff(-cosines).min() < 1e-6:
            continue
        assert list(best.ids[j, : len(order)]) == order
        clear += 1
        tied += len(order) > 1
    assert clear > len(X) / 2
    assert tied > 50


def test_duplicate_targets_stand_in_the_order_of_their_ids():
    X, Y, _ = pair("random")
    thrice = np.concatenate([Y[:1000], Y[:1000], Y[:1000]])
    best = top_k(X, thrice, None, 30)
    for row in best.ids:
        np.testing.assert_array_equal(row.reshape(-1, 3), row[::3, None] + [0, 1000, 2000])


@pytest.mark.parametrize("sizes", [(1, 7), (2, 50), (256, 2048)])
def test_more_targets_tie_for_the_last_place_than_are_kept(sizes):
    rng = np.random.default_rng(0)
    Y = rng.integers(0, 20, size=(3000, 1)).astype(np.float32) / 64
    bias = -Y[:, 0].astype(float)
    bias[[5, 2700, 1400]] += 0.25  # three are better; all others score nothing
    Q = np.ones((3, 1), np.float32)
    with tiled(sizes):
        best = top_k(Q, Y, bias, 10)
    expected = oracle.ranking(Y[:, 0] + bias, Y[:, 0])[:10]
    assert {5, 2700, 1400} == set(expected[:3])
    np.testing.assert_array_equal(best.ids, [expected] * 3)


def test_top_k_with_zeros():
    X, Y, _ = pair("random")
    Q, Y = X[:3].copy(), Y[:50].copy()
    Q[1] = 0
    Y[7] = 0
    best = top_k(Q, Y, None, 50)
    np.testing.assert_array_equal(best.ids[1], np.arange(50))
    assert not best.scores[1].any()
    for j in (0, 2):
        assert best.cosines[j][list(best.ids[j]).index(7)] == 0


def test_top_k_of_none():
    X, Y, _ = pair("random")
    none = top_k(X[:0], Y, None, 5)
    assert none.ids.shape == none.scores.shape == none.cosines.shape == (0, 5)
    empty = top_k(X[:3], Y[:0], None, 5)
    assert empty.ids.shape == empty.scores.shape == empty.cosines.shape == (3, 0)


def test_one_query_is_as_among_many():
    X, Y, S = pair("random")
    many = top_k(X, Y, None, 10)
    for j in range(5):
        one = top_k(X[j : j + 1], Y, None, 10)
        np.testing.assert_allclose(one.scores[0], many.scores[j], atol=1e-6, rtol=0)
        np.testing.assert_allclose(one.scores[0], -np.sort(-S[:, j])[:10], atol=CLOSE, rtol=0)


# The softmax's maximum


@quiet
@given(crowds(), betas.filter(lambda beta: beta < 500), tiles)
def test_soft_maximum_is_the_hub_number_less_a_constant(rows, beta, sizes):
    X, Y = rows
    S = Y @ X.T
    with tiled(sizes):
        value = soft_maximum(Y, X, beta).value
    expected = oracle.hub_number(S, beta) - np.log(len(X)) / beta
    np.testing.assert_allclose(value, expected, atol=CLOSE, rtol=0)


@quiet
@given(crowds(), betas | st.just(np.inf), tiles, st.booleans())
def test_soft_maximum_lies_between_mean_and_maximum(rows, beta, sizes, biased):
    X, Y = rows
    bias = np.linspace(-1, 1, len(X)) if biased else None
    S = Y @ X.T + (bias if biased else 0)
    with tiled(sizes):
        value = soft_maximum(Y, X, beta, bias=bias).value
    assert np.isfinite(value).all()
    assert (value >= S.mean(axis=1) - CLOSE).all()
    assert (value <= S.max(axis=1) + CLOSE).all()


@quiet
@given(crowds(), betas, betas | st.just(np.inf), tiles)
def test_soft_maximum_rises_with_beta(rows, low, high, sizes):
    low, high = sorted((low, high))
    X, Y = rows
    with tiled(sizes):
        assert (soft_maximum(Y, X, low).value <= soft_maximum(Y, X, high).value + 1e-6).all()


@quiet
@given(crowds(), tiles)
def test_soft_maximum_ends_at_the_maximum(rows, sizes):
    X, Y = rows
    S = Y @ X.T
    with tiled(sizes):
        limit = soft_maximum(Y, X, np.inf, derivatives=True)
        late = soft_maximum(Y, X, 1e7, derivatives=True)
    expected = oracle.hub_number_limit(S)
    for part in (limit.value, limit.mean, late.value):
        np.testing.assert_allclose(part, expected, atol=CLOSE, rtol=0)
    assert not limit.variance.any()
    assert np.isfinite(late.mean).all()
    assert np.isfinite(late.variance).all()


@quiet
@given(crowds(), tiles, st.sampled_from([1e-3, 1e-6, 1e-9]))
def test_soft_maximum_begins_with_the_mean(rows, sizes, beta):
    X, Y = rows
    mean = (Y @ X.T).mean(axis=1)
    with tiled(sizes):
        value = soft_maximum(Y, X, beta).value
    # The first term left out is β/2 times a variance, at most 1.
    np.testing.assert_allclose(value, mean, atol=beta / 2 + 1e-6, rtol=0)


@pytest.mark.parametrize("kind", KINDS)
def test_at_small_beta_the_ranking_is_that_of_the_mean(kind):
    X, Y, S = pair(kind)
    mean = S.mean(axis=1)
    order = np.argsort(mean)
    clear = np.concatenate([[True], np.diff(mean[order]) > 3e-7])
    apart = order[clear]  # each is more than rounding above the one before
    value = soft_maximum(Y, X, 1e-6).value
    assert len(apart) > 1000
    assert np.abs(value - mean).max() < 1e-6
    assert (np.diff(value[apart]) > 0).mean() > 0.999


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beta", [1e-3, 0.5, 1, 10, 30, 100, 400])
def test_soft_maximum_on_whole_rows(kind, beta):
    X, Y, S = pair(kind)
    fast = soft_maximum(Y, X, beta, derivatives=True)
    P = oracle.softmax(S.T, beta).T
    mean = (P * S).sum(axis=1)
    variance = (P * (S - mean[:, None]) ** 2).sum(axis=1)
    expected = oracle.hub_number(S, beta) - np.log(len(X)) / beta
    np.testing.assert_allclose(fast.value, expected, atol=CLOSE, rtol=0)
    np.testing.assert_allclose(fast.mean, mean, atol=CLOSE, rtol=0)
    np.testing.assert_allclose(fast.variance, variance, atol=1e-6, rtol=1e-3)


@quiet
@given(crowds(), st.floats(-1, 2.3).map(lambda x: 10.0**x), tiles, st.booleans())
def test_derivatives_are_those_of_finite_differences(rows, beta, sizes, biased):
    X, Y = rows
    bias = np.linspace(-0.5, 0.5, len(X)) if biased else np.zeros(len(X))
    S = Y @ X.T + bias

    def log_mean(b):
        return b * oracle.hub_number(S, b) - np.log(len(X))

    with tiled(sizes):
        fast = soft_maximum(Y, X, beta, bias=bias, derivatives=True)
    e = 1e-3 * beta
    first = (log_mean(beta + e) - log_mean(beta - e)) / (2 * e)
    second = (log_mean(beta + e) - 2 * log_mean(beta) + log_mean(beta - e)) / e**2
    np.testing.assert_allclose(fast.mean, first, atol=2 * CLOSE, rtol=0)
    slack = 1e-5 + 1e-15 * beta / e**2
    np.testing.assert_allclose(fast.variance, second, atol=slack, rtol=1e-3)


def test_derivatives_only_where_asked_for():
    X, Y, _ = pair("random")
    without, with_them = soft_maximum(Y, X, 20), soft_maximum(Y, X, 20, derivatives=True)
    assert without.mean.size == without.variance.size == 0
    np.testing.assert_array_equal(without.value, with_them.value)
    for beta in (5, np.inf):
        none = soft_maximum(Y[:0], X, beta, derivatives=True)
        assert none.value.shape == none.mean.shape == none.variance.shape == (0,)


@pytest.mark.parametrize("beta", [88, 89, 1e3, 1e6, 1e12, 1e30, 1e38])
def test_soft_maximum_does_not_overflow(beta):
    X, Y, S = pair("random")
    X, Y, S = X[:300], Y[:300], S[:300, :300]
    for far in (X, -X):
        fast = soft_maximum(Y, far, beta, derivatives=True)
        top = (Y.astype(float) @ far.T.astype(float)).max(axis=1)
        assert np.isfinite(fast.variance).all()
        assert (fast.variance >= 0).all()
        assert (fast.mean <= top + CLOSE).all()
        assert (fast.value <= top + CLOSE).all()
        assert (fast.value >= top - np.log(300) / beta - CLOSE).all()


@pytest.mark.parametrize("beta", [1e39, 1e300])
def test_soft_maximum_does_not_overflow_where_beta_is_beyond_float32(beta):
    """β is a float64, and one that large is as good as infinite."""
    X, Y, S = pair("random")
    value = soft_maximum(Y[:20], X[:20], beta).value
    np.testing.assert_allclose(value, S[:20, :20].max(axis=1), atol=CLOSE, rtol=0)


def test_soft_maximum_with_zeros():
    X, Y, _ = pair("random")
    Y = Y[:5].copy()
    Y[2] = 0
    for beta in (1e-3, 1, 50, np.inf):
        fast = soft_maximum(Y, X, beta, derivatives=True)
        assert fast.value[2] == pytest.approx(0, abs=1e-9)
        assert fast.mean[2] == fast.variance[2] == 0
        np.testing.assert_allclose(soft_maximum(Y, X[:1] * 0, beta).value, 0, atol=1e-9)


def test_soft_maximum_over_one_source_is_its_similarity():
    X, Y, S = pair("random")
    for beta in (1e-3, 1, 50, np.inf):
        fast = soft_maximum(Y, X[:1], beta, derivatives=True)
        np.testing.assert_allclose(fast.value, S[:, 0], atol=1e-6, rtol=0)
        np.testing.assert_allclose(fast.mean, S[:, 0], atol=1e-6, rtol=0)
        assert not fast.variance.any()


# What the Newton steps need


@st.composite
def numbered(draw):
    """Rows of two sides with a bias and numbers for each target."""
    X, Y = draw(crowds())
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    p, f = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    bias = rng.normal(size=len(Y)) * draw(st.sampled_from([0, 1, 20]))
    return X, Y, bias, rng.normal(size=(len(Y), p)), rng.normal(size=(len(Y), f))


def dense_moments(Q, Y, beta, b, G, F):
    S = Q @ Y.T
    L = beta * S + b
    top = L.max(axis=1, keepdims=True)
    log_normaliser = np.log(np.exp(L - top).sum(axis=1)) + top[:, 0]
    P = np.exp(L - log_normaliser[:, None])
    return {
        "log_normaliser": log_normaliser,
        "S": (P * S).sum(axis=1),
        "SS": (P * S**2).sum(axis=1),
        "G": P @ G,
        "SF": (P * S) @ F,
    }


@quiet
@given(numbered(), st.floats(-3, 2.5).map(lambda x: 10.0**x), tiles)
def test_softmax_moments_are_the_dense_sums(rows, beta, sizes):
    Q, Y, *numbers = rows
    Q, Y = Q.astype(np.float32), Y.astype(np.float32)
    with tiled(sizes):
        fast = softmax_moments(Q, Y, beta, *numbers)
    for name, dense in dense_moments(Q.astype(float), Y.astype(float), beta, *numbers).items():
        assert getattr(fast, name).shape == dense.shape
        # An error of 1e-7 in S is one of β times that in ln P.
        atol = 3e-7 * (10 + beta + np.abs(numbers[0]).max())
        np.testing.assert_allclose(getattr(fast, name), dense, atol=atol, rtol=1e-5, err_msg=name)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beta", [0.1, 30, 300])
def test_softmax_moments_on_whole_rows(kind, beta):
    X, Y, S = pair(kind)
    rng = np.random.default_rng(0)
    numbers = -beta * oracle.hub_number(S, beta), *rng.random((2, len(Y), 2))
    fast = softmax_moments(X, Y, beta, *numbers)
    dense = dense_moments(X.astype(float), Y.astype(float), beta, *numbers)
    for name, expected in dense.items():
        atol = CLOSE * max(beta, 1)
        np.testing.assert_allclose(getattr(fast, name), expected, atol=atol, rtol=0, err_msg=name)


def test_softmax_moments_do_not_overflow():
    X, Y, S = pair("random")
    G = np.ones((len(Y), 1))
    for beta, b in ((1e-3, 0.0), (1e5, 0.0), (30, 1e4), (30, -1e4)):
        fast = softmax_moments(X, Y, beta, np.full(len(Y), b), G, G)
        for part in vars(fast).values():
            assert np.isfinite(part).all()
        np.testing.assert_allclose(fast.G, 1, atol=1e-5)
        np.testing.assert_allclose(fast.SF[:, 0], fast.S, atol=1e-5)
        np.testing.assert_allclose(
            fast.log_normaliser / beta,
            S.max(axis=0) + b / beta,
            atol=np.log(len(Y)) / beta + 1e-6 * (1 + abs(b)),
        )


def test_softmax_moments_of_no_query():
    X, Y, _ = pair("random")
    fast = softmax_moments(X[:0], Y, 10.0, np.zeros(len(Y)), np.ones((len(Y), 2)), Y[:, :1])
    shapes = {name: part.shape for name, part in vars(fast).items()}
    assert shapes == {"log_normaliser": (0,), "S": (0,), "SS": (0,), "G": (0, 2), "SF": (0, 1)}


def test_softmax_moments_of_one_query():
    X, Y, _ = pair("random")
    numbers = np.linspace(-1, 1, len(Y)), Y[:, :2].astype(float), Y[:, 3:4].astype(float)
    one, many = (softmax_moments(Q, Y, 30.0, *numbers) for Q in (X[4:5], X))
    for name in vars(one):
        expected = getattr(many, name)[4:5]
        np.testing.assert_allclose(getattr(one, name), expected, atol=CLOSE, rtol=0)


# Ranks


@quiet
@given(exact(), st.randoms(use_true_random=False), tiles)
def test_ranks_are_the_places_in_the_full_sort(rows, random, sizes):
    Q, Y, bias = rows
    golds = [np.array(random.sample(range(len(Y)), random.randint(1, min(4, len(Y))))) for _ in Q]
    with tiled(sizes):
        fast = ranks(Q, Y, bias, golds)
        places = top_k(Q, Y, bias, len(Y)).ids
    C = Q @ Y.T
    V = C + (0 if bias is None else bias)
    orders = [oracle.ranking(v, c) for v, c in zip(V, C, strict=True)]
    for found in (orders, places):
        assert list(fast) == [oracle.gold_rank(o, g) for o, g in zip(found, golds, strict=True)]
    assert fast.dtype == np.int64
    for k in (1, 5, 10):
        if len(Q):
            precision = (fast <= k).mean()
            assert precision == pytest.approx(oracle.precision_at(orders, golds, k))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("biased", [False, True])
def test_ranks_on_whole_rows(kind, biased):
    X, Y, S = pair(kind)
    bias = -oracle.hub_number(S, 30) if biased else None
    V = S.T + (0 if bias is None else bias)
    rng = np.random.default_rng(5)
    golds = [rng.choice(len(Y), rng.integers(1, 5), replace=False) for _ in X]
    fast = ranks(X, Y, bias, golds)
    best = np.array([v[g].max() for v, g in zip(V, golds, strict=True)])[:, None]
    # Rounding may move an answer past those that are as good to 1e-6, and past no others.
    low = 1 + (best + 2e-6 < V).sum(axis=1)
    high = 1 + (best - 2e-6 < V).sum(axis=1)
    assert (low <= fast).all()
    assert (fast <= high).all()
    assert (fast == 1 + (best < V).sum(axis=1)).mean() > 0.9


def test_ranks_at_infinite_beta_are_the_places_of_top_k():
    X, Y, S = pair("random")
    bias = -soft_maximum(Y, X, np.inf).value
    golds = [np.array([i]) for i in S[:, :200].argmax(axis=0)]
    places = top_k(X[:200], Y, bias, len(Y)).ids
    expected = [oracle.gold_rank(row, gold) for row, gold in zip(places, golds, strict=True)]
    assert list(ranks(X[:200], Y, bias, golds)) == expected


@pytest.mark.parametrize("copy", [0, 1, 2])
def test_duplicate_targets_rank_in_the_order_of_their_ids(copy):
    X, Y, S = pair("random")
    thrice = np.concatenate([Y[:1000], Y[:1000], Y[:1000]])
    golds = [np.array([i + 1000 * copy]) for i in S[:1000].argmax(axis=0)]
    assert set(ranks(X, thrice, None, golds)) == {copy + 1}


def test_ranks_of_the_first_and_the_last():
    X, Y, S = pair("random")
    first, last = S.argmax(axis=0), S.argmin(axis=0)
    assert set(ranks(X, Y, None, [np.array([i]) for i in first])) == {1}
    assert set(ranks(X, Y, None, [np.array([i]) for i in last])) == {len(Y)}
    assert set(ranks(X, Y, None, [np.array(ends) for ends in zip(last, first, strict=True)])) == {1}


def test_ranks_of_none_and_of_zeros():
    X, Y, _ = pair("random")
    assert ranks(X[:0], Y, None, []).shape == (0,)
    golds = [np.array([7]), np.array([3, 0]), np.array([1999])]
    assert list(ranks(np.zeros_like(X[:3]), Y[:2000], None, golds)) == [8, 1, 2000]


# The same for all


def kernels_of(Q, Y, **more):
    bias = np.linspace(-0.1, 0.1, len(Y))
    golds = [np.array([j, 3 * j]) for j in range(len(Q))]
    return [
        top_k(Q, Y, bias, 10, **more),
        soft_maximum(Y, Q, 0.5, derivatives=True, **more),
        soft_maximum(Y, Q, 30, derivatives=True, **more),
        soft_maximum(Y, Q, np.inf, derivatives=True, **more),
        {"ranks": ranks(Q, Y, bias, golds, **more)},
    ]


def moments_of(Q, Y, **more):
    b, G = np.linspace(-1, 1, len(Y)), np.linspace(0, 1, 2 * len(Y)).reshape(-1, 2)
    return softmax_moments(Q, Y, 30.0, b, G, G, **more)


def same(these, those):
    for a, b in zip(these, those, strict=True):
        if isinstance(a, dict):
            np.testing.assert_array_equal(a["ranks"], b["ranks"])
        else:
            same_bits(a, b)


@pytest.mark.parametrize("kind", KINDS)
def test_any_number_of_threads_gives_the_same_bits(kind):
    X, Y, _ = pair(kind)
    with threads(1):
        here = [*kernels_of(X, Y), moments_of(X, Y)]
    for n in (1, 2, 3):
        with threads(n) as pool:
            same([*kernels_of(X, Y, executor=pool), moments_of(X, Y, executor=pool)], here)


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_other_types_are_read_as_float32(dtype):
    X, Y, _ = pair("random")
    X, Y = X.astype(np.float16), Y.astype(np.float16)
    as_float32 = kernels_of(X.astype(np.float32), Y.astype(np.float32))
    same(kernels_of(X.astype(dtype), Y.astype(dtype)), as_float32)


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_softmax_moments_read_other_types_as_float32(dtype):
    X, Y, _ = pair("random")
    X, Y = X[:100].astype(np.float16), Y[:1000].astype(np.float16)
    fast = moments_of(X.astype(dtype), Y.astype(dtype))
    expected = moments_of(X.astype(np.float32), Y.astype(np.float32))
    for name in vars(fast):
        a, b = getattr(fast, name), getattr(expected, name)
        np.testing.assert_allclose(a, b, atol=30 * CLOSE, rtol=0, err_msg=name)


def test_progress_goes_to_the_end():
    X, Y, _ = pair("random")
    for kernel in (
        lambda said: top_k(X, Y, None, 3, progress=said),
        lambda said: soft_maximum(Y, X, 30, progress=said),
        lambda said: ranks(X, Y, None, [np.array([0])] * len(X), progress=said),
    ):
        said = []
        kernel(lambda done, n, said=said: said.append((done, n)))
        assert said == [(i, said[-1][1]) for i in range(1, said[-1][1] + 1)]


@quiet
@given(crowds(), st.floats(0, 2).map(lambda x: 10.0**x), tiles)
def test_the_probability_of_eq_6_out_of_the_kernels(rows, beta, sizes):
    """ln P = β S_ij - β h_i - ln α_j, where h is a soft maximum and α a softmax's normaliser."""
    X, Y = rows
    assume(len(X) > 1)
    sources = X[::2]
    P, alpha = oracle.inverted_softmax(Y @ X.T, Y @ sources.T, beta)
    with tiled(sizes):
        b = -beta * soft_maximum(Y, sources, beta).value - np.log(len(sources))
        nothing = np.zeros((len(Y), 0))
        Q, T = X.astype(np.float32), Y.astype(np.float32)
        log_alpha = softmax_moments(Q, T, beta, b, nothing, nothing).log_normaliser
    log_p = beta * (Y @ X.T) + b[:, None] - log_alpha
    np.testing.assert_allclose(log_alpha / beta, np.log(alpha) / beta, atol=CLOSE, rtol=0)
    np.testing.assert_allclose(log_p / beta, np.log(P) / beta, atol=CLOSE, rtol=0)
    n = min(len(X), len(Y))
    likelihood = log_p[range(n), range(n)].sum()
    expected = oracle.log_likelihood(P, range(n), range(n))
    assert likelihood / beta / n == pytest.approx(expected / beta / n, abs=CLOSE)
