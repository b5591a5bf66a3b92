"""P(i | j) of eq. (6), and how its inverse temperature β and strength λ are learnt by eq. (7).

    ln P(i | j) = β S_ij - λ H_i(β) - ln α_j,     H_i(β) = β h_i = ln mean_n exp(β S_in)

λ = 1 is the inverted softmax, λ = 0 the ordinary softmax, eq. (5). The log-likelihood of a
dictionary's words is maximised by Newton steps with exact derivatives, in ln β and λ together;
H_i moves with β, and its derivatives are the mean and the variance of S_in under the softmax
over sources.
"""

import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from isogloss.engine import Progress
from isogloss.hubness import Correction
from isogloss.kernels import SoftMaximum, softmax_moments

Array = npt.NDArray[Any]

BETA, STRENGTH, BETA_MAX = 30.0, 0.5, 1000.0
_PRIOR_MEAN = np.array([math.log(BETA), STRENGTH, 0.0])
_PRIOR_PRECISION = np.array([1.0, 4.0, 1.0])
"""Worth a word or two: it decides only where a dictionary has next to nothing to say."""
_ENOUGH = 3e-4
"""A Newton step that gains less log-probability per word is the last."""


@dataclass(frozen=True, eq=False)
class Fold:
    """Words to learn from, in the space of a map that was fitted without them.

    Attributes
    ----------
    X : float32 array, (m, r)
        The source words that hub numbers are made of.
    Q : float32 array, (q, r)
        The words asked for.
    Y : float32 array, (c, r)
        The candidates: the right answers and a sample of all other targets.
    golds : sequence of q int arrays
        Which candidates are right.
    log_weight : float64 array, (c,)
        ln of how many targets each candidate stands for.
    frequency : float64 array, (c,)
        A number that rises as words get rarer; it is learnt beside β and λ and then dropped, since
        a dictionary's words are more frequent than those that will be asked for.
    """

    X: Array
    Q: Array
    Y: Array
    golds: Sequence[Array]
    log_weight: Array
    frequency: Array


@dataclass(frozen=True)
class Learnt:
    """What was learnt for one direction.

    Attributes
    ----------
    beta, strength : float
        β and λ.
    log_likelihood : float
        Mean ln P of the words learnt from; nan where nothing was learnt.
    words : int
        How many words that were.
    steps : int
        Newton steps taken.
    note : str
        What the user should know, or nothing.
    """

    beta: float
    strength: float
    log_likelihood: float = math.nan
    words: int = 0
    steps: int = 0
    note: str = ""


def learn(
    folds: Sequence[Fold],
    correction: Correction,
    *,
    beta: float | None = None,
    strength: float | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Learnt:
    """The β and λ under which a dictionary's words are most probable, eq. (7).

    Parameters
    ----------
    folds : sequence of Fold
    correction : Correction
    beta, strength : float, optional
        Held where given, learnt where not.
    executor, progress
        As everywhere.

    Returns
    -------
    Learnt
    """
    words = sum(len(fold.Q) for fold in folds)
    free = np.array([beta is None, strength is None, strength is None])
    theta = _PRIOR_MEAN.copy()
    theta[0] = theta[0] if beta is None else math.log(min(beta, BETA_MAX))
    theta[1] = theta[1] if strength is None else strength
    if words == 0 or not free.any():
        note = "" if not free.any() else "no word to learn from: β and λ are defaults"
        return Learnt(beta or math.exp(theta[0]), float(theta[1]), words=words, note=note)

    fixed = None
    if not correction.depends_on_beta:
        fixed = [correction.penalty(f.Y, f.X, 1.0, executor=executor) for f in folds]

    def evaluate(theta: Array) -> "_Point":
        parts = [
            _fold_point(
                theta,
                fold,
                fixed[at]
                if fixed is not None
                else correction.penalty(
                    fold.Y, fold.X, math.exp(theta[0]), derivatives=True, executor=executor
                ),
                executor,
            )
            for at, fold in enumerate(folds)
        ]
        return _with_prior(theta, parts, words)

    here = evaluate(theta)
    value, steps, taken = here.value, 0, 1.0
    for steps in range(1, 21):
        if progress is not None:
            progress(steps, None)
        step, gain = _newton_step(theta, here, free)
        if gain < _ENOUGH:
            theta, value = _inside(theta + step), here.value + gain / 2
            break
        for shrink in (1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125):
            there = evaluate(_inside(theta + shrink * step))
            taken = shrink
            if there.value > here.value:
                break
        else:
            break
        theta, here = _inside(theta + taken * step), there
        value = here.value
        if theta[0] >= math.log(BETA_MAX):
            break
    note = _note(theta, words) if beta is None else ""
    return Learnt(beta or math.exp(theta[0]), float(theta[1]), float(value), words, steps, note)


def log_likelihood(
    fold: Fold,
    correction: Correction,
    beta: float,
    strength: float,
    *,
    executor: Executor | None = None,
) -> list[Array]:
    """ln P of every right answer of every word of a fold, at a given β (1,000 at most) and λ."""
    beta = min(beta, BETA_MAX)
    H = beta * correction.penalty(fold.Y, fold.X, beta, executor=executor).value
    b = fold.log_weight - strength * H
    none = np.empty((len(fold.Y), 0))
    Z = softmax_moments(fold.Q, fold.Y, beta, b, none, none, executor=executor).log_normaliser
    return [
        beta * (fold.Y[g] @ q).astype(np.float64) + b[g] - z
        for q, g, z in zip(fold.Q, fold.golds, Z, strict=True)
    ]


@dataclass(frozen=True)
class _Point:
    """The objective with its gradient, Hessian and Fisher information, in (ln β, λ, γ)."""

    value: float
    gradient: Array
    hessian: Array
    fisher: Array


def _fold_point(
    theta: Array, fold: Fold, hub: SoftMaximum, executor: Executor | None
) -> tuple[float, Array, Array, Array]:
    """Sums over a fold's words, in (β, λ, γ)."""
    beta, strength, gamma = math.exp(theta[0]), theta[1], theta[2]
    H, H1, H2 = beta * hub.value, hub.mean, hub.variance
    # The gradient of ln P before normalising is (S_ij + a_i, -H_i, r_i) with a = -λ H'.
    numbers = np.stack([-strength * H1, -H, fold.frequency], axis=1)
    pairs = np.einsum("ia,ib->iab", numbers, numbers).reshape(-1, 9)
    curves = np.stack([-strength * H2, -H1], axis=1)
    b = fold.log_weight - strength * H + gamma * fold.frequency
    G = np.concatenate([numbers, pairs, curves], axis=1)
    at = softmax_moments(fold.Q, fold.Y, beta, b, G, numbers, executor=executor)

    count = np.array([len(g) for g in fold.golds])
    word = np.repeat(np.arange(len(count)), count)
    gold = np.concatenate(list(fold.golds))
    weight = 1.0 / count[word]
    S = np.einsum("ij,ij->i", fold.Q[word], fold.Y[gold]).astype(np.float64)
    value = float(np.sum(weight * (beta * S + b[gold] - at.log_normaliser[word])))

    mean = at.G[:, :3] + np.stack([at.S, 0 * at.S, 0 * at.S], axis=1)
    second = at.G[:, 3:12].reshape(-1, 3, 3).copy()
    second[:, 0, :] += at.SF
    second[:, :, 0] += at.SF
    second[:, 0, 0] += at.SS
    fisher = second.sum(axis=0) - mean.T @ mean
    phi = numbers[gold]
    phi[:, 0] += S
    gradient = (weight[:, None] * (phi - mean[word])).sum(axis=0)
    bend = (weight[:, None] * (curves[gold] - at.G[word, 12:14])).sum(axis=0)
    hessian = -fisher + np.array([[bend[0], bend[1], 0], [bend[1], 0, 0], [0, 0, 0]])
    return value, gradient, hessian, fisher


def _with_prior(
    theta: Array, parts: Sequence[tuple[float, Array, Array, Array]], words: int
) -> _Point:
    """The mean over words, in (ln β, λ, γ), with the prior."""
    value, gradient, hessian, fisher = (sum(column) / words for column in zip(*parts, strict=True))
    J = np.diag([math.exp(theta[0]), 1.0, 1.0])
    hessian = J @ hessian @ J
    hessian[0, 0] += gradient[0] * J[0, 0]
    P = _PRIOR_PRECISION / words
    away = theta - _PRIOR_MEAN
    return _Point(
        float(value - 0.5 * np.sum(P * away**2)),
        J @ gradient - P * away,
        hessian - np.diag(P),
        J @ fisher @ J + np.diag(P),
    )


def _newton_step(theta: Array, at: _Point, free: Array) -> tuple[Array, float]:
    """The step and the log-probability per word that it promises."""
    outward = (theta <= [-np.inf, 0, -np.inf]) & (at.gradient < 0)
    outward |= (theta >= [np.inf, 1, np.inf]) & (at.gradient > 0)
    at_work = free & ~outward
    step = np.zeros(3)
    if not at_work.any():
        return step, 0.0
    g = at.gradient[at_work]
    curvature = -at.hessian[np.ix_(at_work, at_work)]
    if np.linalg.eigvalsh(curvature)[0] <= 1e-9:
        # Away from the summit the function need not be concave; the Fisher information is.
        curvature = at.fisher[np.ix_(at_work, at_work)]
    step[at_work] = np.linalg.solve(curvature, g)
    step *= min(1.0, 0.7 / max(abs(step[0]), 1e-12), 0.7 / max(abs(step[1]), 1e-12))
    return step, float(at.gradient @ step)


def _inside(theta: Array) -> Array:
    return np.array([min(theta[0], math.log(BETA_MAX)), min(max(theta[1], 0.0), 1.0), theta[2]])


def _note(theta: Array, words: int) -> str:
    if theta[0] >= math.log(BETA_MAX):
        return (
            f"β ran away and was stopped at {BETA_MAX:g}: the pairs are told apart so well that "
            "probabilities are near 0 or 1"
        )
    if words < 50:
        return f"few words to learn from ({words}): take the probabilities with care"
    return ""
