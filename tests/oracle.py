"""The paper's equations, dense, literal and slow, in float64: what the fast code is held to.

Smith, Turban, Hamblin and Hammerla, "Offline bilingual word vectors, orthogonal transformations
and the inverted softmax", ICLR 2017. As there, X and Y hold the source's and the target's rows,
X_D and Y_D the dictionary's, and S_ij compares target i with source j: S is targets × sources.
Nothing here imports the library.
"""

import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

RANK = 1e-10
"""Singular values below this share of the largest are rounding: the matrix has less rank."""


def unit_rows(V):
    """Section 1: "all rows are normalised to unit length"; a row of zeros has no direction."""
    V = np.asarray(V, np.float64)
    length = np.sqrt((V**2).sum(axis=1, keepdims=True))
    return V / np.where(length == 0, 1, length)


def cross_moment(X_D, Y_D):
    """Eq. (2): M = Y_Dᵀ X_D."""
    return np.asarray(Y_D, np.float64).T @ np.asarray(X_D, np.float64)


def svd(M):
    """Eq. (2): M = U Σ Vᵀ, with min(d_x, d_y) directions."""
    return np.linalg.svd(M, full_matrices=False)


def orthogonal_map(M):
    """Eq. (3): O = U Vᵀ."""
    U, _, Vt = svd(M)
    return U @ Vt


def fit_of(W, X_D, Y_D):
    """The objective of eq. (1): Σ_i y_iᵀ W x_i."""
    return sum(y @ W @ x for x, y in zip(X_D, Y_D, strict=True))


def shared_similarity(U, Vt, X, Y, k=None):
    """Eq. (4): S_ij = (Uᵀ y_i) · (Vᵀ x_j) over the first k directions, unit again after that."""
    return unit_rows(Y @ U[:, :k]) @ unit_rows(X @ Vt[:k].T).T


def mapped_similarity(W, X, Y):
    """Section 2: S = Y W Xᵀ as cosines, for any W from source to target."""
    return unit_rows(Y) @ unit_rows(X @ W.T).T


def least_squares(X_D, Y_D):
    """Section 3, Mikolov 2013: min over W of Σ ‖y_i - W x_i‖², on the rows themselves."""
    return np.linalg.lstsq(X_D, Y_D, rcond=RANK)[0].T


def cca(X_D, Y_D, X, Y):
    """Section 3, Faruqui and Dyer 2014: the whole vocabularies in CCA's space, and Σ'.

    X_D' = Q Σ_X V_Xᵀ and Y_D' = R Σ_Y V_Yᵀ of the centred rows, QᵀR = U' Σ' V'ᵀ; then
    X' V_X Σ_X⁻¹ U' and Y' V_Y Σ_Y⁻¹ V', centred with the dictionary's means.
    """
    mean_x, mean_y = np.mean(X_D, axis=0), np.mean(Y_D, axis=0)
    Q, s_x, Vt_x = _svd_of_full_rank(X_D - mean_x)
    R, s_y, Vt_y = _svd_of_full_rank(Y_D - mean_y)
    U, s, Vt = np.linalg.svd(Q.T @ R, full_matrices=False)
    return (X - mean_x) @ (Vt_x.T / s_x) @ U, (Y - mean_y) @ (Vt_y.T / s_y) @ Vt.T, s


def _svd_of_full_rank(A):
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    kept = s > RANK * s[0]
    return U[:, kept], s[kept], Vt[kept]


def nearest_neighbour(S):
    """Section 4: for each source word j the target with the largest S_ij."""
    return S.argmax(axis=0)


def softmax(S, beta):
    """Eq. (5): P_ij = e^{β S_ij} / Σ_m e^{β S_mj}."""
    E = np.exp(beta * S)
    return E / E.sum(axis=0)


def inverted_softmax(S, S_sources, beta):
    """Eq. (6): P_ij = e^{β S_ij} / (α_j Σ_n e^{β S_in}), α_j such that Σ_i P_ij = 1.

    The sum over n runs over the columns of S_sources, the sampled source words.
    """
    P = np.exp(beta * S) / np.exp(beta * S_sources).sum(axis=1, keepdims=True)
    alpha = P.sum(axis=0)
    return P / alpha, alpha


def hub_number(S_sources, beta):
    """Section 4: h_i = (1/β) ln Σ_n e^{β S_in}."""
    return np.log(np.exp(beta * S_sources).sum(axis=1)) / beta


def hub_number_limit(S_sources):
    """Section 4: h_i as β → ∞, max_n S_in."""
    return S_sources.max(axis=1)


def log_likelihood(P, targets, sources):
    """Eq. (7): Σ ln P_ij over the pairs (i, j) of the dictionary."""
    return sum(np.log(P[i, j]) for i, j in zip(targets, sources, strict=True))


def csls(S, S_sources, k):
    """Conneau et al. 2018: 2 S_ij - r_T(j) - r_S(i), means of the k largest of each."""
    r_target = np.sort(S, axis=0)[::-1][:k].mean(axis=0)
    return 2 * S - r_target - csls_mean(S_sources, k)[:, None]


def csls_mean(S_sources, k):
    """Conneau et al. 2018: r_S(i), the mean of the k largest S_in."""
    return np.sort(S_sources, axis=1)[:, ::-1][:, :k].mean(axis=1)


def ranking(scores, cosines):
    """All targets of one query in the order (score, cosine, id), the best first."""
    return sorted(range(len(scores)), key=lambda i: (-scores[i], -cosines[i], i))


def gold_rank(order, golds):
    """The 1-based rank of the best gold translation."""
    return 1 + min(list(order).index(gold) for gold in golds)


def precision_at(orders, golds, k):
    """Section 7: how many queries have any gold translation among their first k."""
    return np.mean([bool(set(o[:k]) & set(g)) for o, g in zip(orders, golds, strict=True)])


def random_rows(seed, n, d):
    """Unit rows that crowd round a common direction, as word vectors do, so that hubs exist."""
    rng = np.random.default_rng(seed)
    return unit_rows(rng.normal(size=(n, d)) + 0.4 * rng.normal(size=d) * (np.arange(d) % 3 == 0))


def random_pair(seed, n, d_x, d_y, noise=0.5):
    """Aligned unit rows: the target's are the source's, turned and disturbed."""
    rng = np.random.default_rng(seed)
    X = random_rows(seed, n, d_x)
    O = np.linalg.qr(rng.normal(size=(max(d_x, d_y), max(d_x, d_y))))[0][:d_x, :d_y]
    return X, unit_rows(X @ O + noise * rng.normal(size=(n, d_y)) / np.sqrt(d_y))


@cache
def real_rows(n_source=None, n_target=None):
    """Real English and Italian rows (float16, the frequent first) and two dictionaries of them.

    The dictionaries, "train" and "test", are lists of pairs (source id, target id).
    """
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ISOGLOSS_DATA", beside)) / "en-it"
    if not (folder / "en.npy").is_file():
        pytest.skip(f"no real vectors in {folder}; set ISOGLOSS_DATA")
    rows, ids = [], []
    for name, n in (("en", n_source), ("it", n_target)):
        rows.append(np.load(folder / f"{name}.npy", mmap_mode="r")[:n])
        words = (folder / f"{name}.words.txt").read_text("utf-8").split("\n")[: len(rows[-1])]
        ids.append({word: i for i, word in enumerate(words)})
    dictionaries = {}
    for part in ("train", "test"):
        lines = (folder / f"dinu.{part}.txt").read_text("utf-8").split("\n")
        found = [(ids[0].get(a), ids[1].get(b)) for a, b in (x.split() for x in lines if x)]
        dictionaries[part] = [(a, b) for a, b in found if a is not None and b is not None]
    return *rows, dictionaries
