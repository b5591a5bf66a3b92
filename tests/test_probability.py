import math
from dataclasses import dataclass

import numpy as np
import pytest

import isogloss.probability as probability
import oracle
from isogloss.hubness import CSLS, InvertedSoftmax, NearestNeighbour
from isogloss.kernels import SoftMaximum
from isogloss.probability import Fold, learn, log_likelihood

CORRECTIONS = {"inverted_softmax": InvertedSoftmax(), "csls": CSLS(k=5), "none": NearestNeighbour()}
PRIOR_MEAN, PRIOR_PRECISION = [math.log(30), 0.5, 0.0], [1.0, 4.0, 1.0]


def aligned(seed, n, d, noise):
    """A made-up pair of languages in the space of the paper's map."""
    X, Y = oracle.random_pair(seed, n, d, d, noise)
    U, _, Vt = oracle.svd(oracle.cross_moment(X, Y))
    return (X @ Vt.T).astype(np.float32), (Y @ U).astype(np.float32)


def make_fold(seed=0, n=150, q=40, d=10, noise=0.8, several=True):
    """Queries among the sources, with one right answer or two, and weighted candidates."""
    rng = np.random.default_rng(seed)
    X, Y = aligned(seed, n, d, noise)
    golds = [np.array([j, q + j] if several and j % 3 == 0 else [j]) for j in range(q)]
    return Fold(
        X=X,
        Q=X[:q],
        Y=Y,
        golds=golds,
        log_weight=np.where(np.arange(n) < 2 * q, 0.0, 0.7),
        frequency=rng.normal(size=n),
    )


def plain(fold):
    """The fold without weights, where the paper's equations hold to the letter."""
    zero = np.zeros(len(fold.Y))
    return Fold(fold.X, fold.Q, fold.Y, fold.golds, zero, zero)


def dense_objective(theta, folds, kind):
    """Mean ln P of the words less the prior, by the definition, in float64."""
    beta, strength, gamma = math.exp(theta[0]), theta[1], theta[2]
    total = 0.0
    for fold in folds:
        Q, Y, X = (V.astype(float) for V in (fold.Q, fold.Y, fold.X))
        S_sources = Y @ X.T
        if kind == "inverted_softmax":
            H = beta * oracle.hub_number(S_sources, beta) - np.log(len(X))
        elif kind == "csls":
            H = beta * oracle.csls_mean(S_sources, 5) / 2
        else:
            H = np.zeros(len(Y))
        L = beta * Q @ Y.T + fold.log_weight - strength * H + gamma * fold.frequency
        log_p = L - np.log(np.exp(L).sum(axis=1, keepdims=True))
        total += sum(log_p[j, gold].mean() for j, gold in enumerate(fold.golds))
    words = sum(len(fold.Q) for fold in folds)
    away = np.asarray(theta) - PRIOR_MEAN
    return (total - 0.5 * np.sum(PRIOR_PRECISION * away**2)) / words


def code_objective(theta, folds, kind):
    correction = CORRECTIONS[kind]
    parts = [
        probability._fold_point(
            np.asarray(theta),
            fold,
            correction.penalty(fold.Y, fold.X, math.exp(theta[0]), derivatives=True),
            None,
        )
        for fold in folds
    ]
    return probability._with_prior(np.asarray(theta), parts, sum(len(f.Q) for f in folds))


def gradient_of(function, theta, h=1e-5):
    steps = h * np.eye(len(theta))
    return np.array([(function(theta + s) - function(theta - s)) / (2 * h) for s in steps])


@pytest.mark.parametrize("kind", CORRECTIONS)
@pytest.mark.parametrize("theta", [(1.0, 0.3, 0.2), (3.2, 0.9, -0.4), (4.5, 0.0, 0.0)])
def test_the_derivatives_are_those_of_the_definition(kind, theta):
    folds = [make_fold(0), make_fold(1, n=90, q=25)]
    theta = np.array(theta)
    at = code_objective(theta, folds, kind)
    assert at.value == pytest.approx(dense_objective(theta, folds, kind), abs=1e-5)
    g = gradient_of(lambda t: dense_objective(t, folds, kind), theta)
    H = gradient_of(
        lambda t: gradient_of(lambda u: dense_objective(u, folds, kind), t, 1e-4), theta, 1e-4
    )
    np.testing.assert_allclose(at.gradient, g, rtol=1e-4, atol=2e-5)
    np.testing.assert_allclose(at.hessian, H, rtol=1e-3, atol=2e-4)
    np.testing.assert_allclose(at.fisher, at.fisher.T, atol=1e-6)
    assert np.linalg.eigvalsh(at.fisher)[0] > 0


def best_of(function, low, high):
    """The argmax of a function of one peak, by golden section."""
    golden = (math.sqrt(5) - 1) / 2
    while high - low > 1e-7:
        a, b = high - golden * (high - low), low + golden * (high - low)
        if function(a) < function(b):
            low = a
        else:
            high = b
    return (low + high) / 2


@pytest.mark.parametrize("noise", [1.0, 1.6, 2.4])
def test_the_learnt_beta_is_the_argmax_of_eq_7(noise):
    fold = plain(make_fold(3, n=400, q=400, d=16, noise=noise, several=False))
    learnt = learn([fold], InvertedSoftmax(), strength=1.0)
    S = fold.Y.astype(float) @ fold.X.astype(float).T
    answers = np.arange(400)

    def eq_7(log_beta):
        P, _ = oracle.inverted_softmax(S, S, math.exp(log_beta))
        return oracle.log_likelihood(P, answers, answers)

    with_prior = best_of(lambda t: eq_7(t) - 0.5 * (t - math.log(30)) ** 2, 0, 6.5)
    assert learnt.beta == pytest.approx(math.exp(with_prior), rel=0.02)
    best = best_of(eq_7, 0, 6.5)
    assert learnt.beta == pytest.approx(math.exp(best), rel=0.05)
    assert eq_7(math.log(learnt.beta)) > eq_7(best) - 0.1  # ln P of all 400 words together
    assert learnt.strength == 1.0
    assert learnt.words == 400
    assert 1 <= learnt.steps <= 10
    assert learnt.note == ""


@pytest.mark.parametrize("kind", CORRECTIONS)
def test_nothing_beside_what_was_learnt_is_more_probable(kind):
    folds = [make_fold(4, noise=1.2), make_fold(5, noise=1.2)]
    learnt = learn(folds, CORRECTIONS[kind])
    # The third number is learnt too and then dropped: here it is the best for the other two.
    here = [math.log(learnt.beta), learnt.strength]

    def best_gamma(two):
        gamma = best_of(lambda g: dense_objective([*two, g], folds, kind), -5, 5)
        return dense_objective([*two, gamma], folds, kind)

    value = best_gamma(here)
    assert learnt.log_likelihood == pytest.approx(value, abs=1e-4)
    for step in ((0.05, 0), (-0.05, 0), (0, 0.05), (0, -0.05)):
        two = np.add(here, step)
        if 0 <= two[1] <= 1:
            assert best_gamma(two) <= value + 2e-5


@dataclass(frozen=True)
class Times:
    """Another correction's number, so many times: λ should be 1 / so many."""

    factor: float
    depends_on_beta = True

    def penalty(self, Y, X, beta, *, derivatives=False, executor=None, progress=None):
        h = InvertedSoftmax().penalty(Y, X, beta, derivatives=derivatives)
        return SoftMaximum(*(self.factor * part for part in (h.value, h.mean, h.variance)))

    def sources(self, n_sources, n_targets, d, seed):
        return np.arange(n_sources)


@pytest.mark.parametrize(("factor", "expected"), [(0.2, 1.0), (-1.0, 0.0)])
def test_strength_stays_between_0_and_1(factor, expected):
    learnt = learn([make_fold(n=300, q=150, noise=1.2, several=False)], Times(factor))
    assert learnt.strength == expected
    assert 1 < learnt.beta < probability.BETA_MAX


@pytest.mark.parametrize("seed", range(4))
def test_strength_lies_between_0_and_1(seed):
    assert 0 <= learn([make_fold(seed, noise=1.0)], InvertedSoftmax()).strength <= 1


def test_a_beta_that_runs_away_is_stopped_and_said():
    """Each target has a twin so near that only a huge β tells them apart, and rightly so."""
    X = oracle.random_rows(0, 1000, 8)
    twins = oracle.unit_rows(X + 3e-2 * np.random.default_rng(0).normal(size=X.shape))
    Y = np.concatenate([X, twins]).astype(np.float32)
    X = X.astype(np.float32)
    zero = np.zeros(2000)
    fold = Fold(X, X, Y, [np.array([j]) for j in range(1000)], zero, zero)
    learnt = learn([fold], NearestNeighbour(), strength=0.0)
    assert learnt.beta == pytest.approx(probability.BETA_MAX)
    assert "ran away" in learnt.note
    assert math.isfinite(learnt.log_likelihood)
    for log_p in log_likelihood(fold, NearestNeighbour(), learnt.beta, learnt.strength):
        assert np.isfinite(log_p).all()


def test_few_words_are_said():
    learnt = learn([make_fold(q=10)], InvertedSoftmax())
    assert "few words to learn from (10)" in learnt.note
    assert learn([make_fold(n=200, q=60)], InvertedSoftmax()).note == ""


def test_what_is_given_is_held():
    folds = [make_fold()]
    held = learn(folds, InvertedSoftmax(), beta=12.5)
    assert held.beta == pytest.approx(12.5, rel=1e-12)
    assert 0 <= held.strength <= 1
    assert learn(folds, InvertedSoftmax(), strength=0.25).strength == 0.25
    both = learn(folds, InvertedSoftmax(), beta=12.5, strength=0.25)
    assert (both.beta, both.strength) == (pytest.approx(12.5), 0.25)
    assert (both.steps, both.note) == (0, "")


def test_no_word_to_learn_from_gives_the_defaults():
    learnt = learn([], InvertedSoftmax())
    assert (learnt.beta, learnt.strength, learnt.words) == (pytest.approx(30), 0.5, 0)
    assert "no word" in learnt.note


@pytest.mark.parametrize("beta", [0.5, 30, 300])
def test_log_likelihood_is_ln_p_of_eq_6(beta):
    fold = plain(make_fold())
    S = fold.Y.astype(float) @ fold.Q.astype(float).T
    P, _ = oracle.inverted_softmax(S, fold.Y.astype(float) @ fold.X.astype(float).T, beta)
    found = log_likelihood(fold, InvertedSoftmax(), beta, 1.0)
    for j, (gold, log_p) in enumerate(zip(fold.golds, found, strict=True)):
        np.testing.assert_allclose(log_p, np.log(P[gold, j]), rtol=1e-5, atol=1e-6 * beta)
    P = oracle.softmax(S, beta)
    found = log_likelihood(fold, InvertedSoftmax(), beta, 0.0)
    for j, (gold, log_p) in enumerate(zip(fold.golds, found, strict=True)):
        np.testing.assert_allclose(log_p, np.log(P[gold, j]), rtol=1e-5, atol=1e-6 * beta)


def test_progress_is_told():
    told = []
    learnt = learn(
        [make_fold()], InvertedSoftmax(), progress=lambda done, total: told.append((done, total))
    )
    assert told == [(k, None) for k in range(1, learnt.steps + 1)]
