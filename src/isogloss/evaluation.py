"""How good translations are: precision at k, reciprocal ranks, coverage, intervals.

Everything is reckoned from ranks: one for each listed query, the 1-based rank of the best of
its gold translations in the whole target vocabulary, or 0 where it is not covered.
"""

from collections.abc import Sequence
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from isogloss.errors import IsoglossError

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
EDGES = (5_000, 20_000, 50_000, 100_000, 200_000)
_BLOCK = 1 << 20


class WordCounts(msgspec.Struct, frozen=True, kw_only=True):
    """How many queries there are, and how many covered: with any gold word to be found.

    `seen_source` counts the covered ones that were a source word of the training dictionary,
    `seen_target` those with a gold translation among its target words, `unseen` those that
    were no source word, and `unseen_strict` those that are neither.
    """

    listed: int
    covered: int
    unseen: int
    unseen_strict: int
    seen_source: int
    seen_target: int


class Precision(msgspec.Struct, frozen=True, kw_only=True):
    """Precision by k, a string as in JSON; None where there are no words."""

    covered: dict[str, float | None]
    listed: dict[str, float | None]
    unseen: dict[str, float | None]


class ReciprocalRank(msgspec.Struct, frozen=True, kw_only=True):
    """Mean reciprocal ranks; None where there are no words."""

    covered: float | None
    listed: float | None
    unseen: float | None


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """The queries of a range of frequency; `precision` is over the covered ones of them."""

    label: str
    words: int
    covered: int
    precision: dict[str, float | None]


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of an evaluation; `msgspec.json.encode` writes them.

    Figures are over the covered queries, over all listed ones (of which those not covered are
    misses) and over the unseen ones. `interval` is the 95 % bootstrap interval of the
    precision at 1 over the covered; `bins` are those that hold queries, the frequent first.
    """

    words: WordCounts
    precision: Precision
    mrr: ReciprocalRank
    interval: tuple[float, float] | None
    bins: tuple[Bin, ...]


class PairedTest(msgspec.Struct, frozen=True, kw_only=True):
    """What a paired bootstrap says about a difference of means, a − b, over so many words.

    `low` and `high` are the difference's interval; the two-sided `p_value` is how likely so
    large a one is where there is none.
    """

    words: int
    difference: float
    low: float
    high: float
    p_value: float


def precision_at(ranks: ArrayLike, k: int) -> float | None:
    """The share of ranks, (n,), from 1 to k; 0 is a miss. None of no ranks."""
    hits = _hits(_checked(ranks), k)
    return float(hits.mean()) if len(hits) else None


def mean_reciprocal_rank(ranks: ArrayLike) -> float | None:
    """The mean of 1 / rank over ranks, (n,), where 0 counts 0. None of no ranks."""
    r = _checked(ranks)
    return float((r[r > 0] ** -1.0).sum() / len(r)) if len(r) else None


def bootstrap_interval(
    values: ArrayLike, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> tuple[float, float] | None:
    """The percentile bootstrap interval, (low, high), of the mean of values, (n,).

    None of no values. `level` lies between 0 and 1.
    """
    x = np.asarray(values, dtype=np.float64)
    return _percentiles(_resampled_means(x, resamples, seed), level) if len(x) else None


def paired_bootstrap(
    a: ArrayLike, b: ArrayLike, *, level: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> PairedTest | None:
    """Whether the mean of a, (n,), differs from that of b, (n,), figures of the same queries.

    A figure is 1 for a hit and 0 for a miss, or any other. None of no values.
    """
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    _same_length(a=x, b=y)
    if not len(x):
        return None
    means = _resampled_means(x - y, resamples, seed)
    low, high = _percentiles(means, level)
    # One is added, as no number of resamples shows that a chance is nil.
    tail = min(int((means <= 0).sum()), int((means >= 0).sum())) + 1
    return PairedTest(
        words=len(x),
        difference=float((x - y).mean()),
        low=low,
        high=high,
        p_value=min(1.0, 2 * tail / (len(means) + 1)),
    )


def compare(
    ranks_a: ArrayLike,
    ranks_b: ArrayLike,
    *,
    k: int = 1,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
) -> PairedTest | None:
    """Whether two models differ in precision at k, over the queries that both cover.

    The ranks, (n,), are of the same listed queries. None where no query is covered by both.
    """
    a, b = _checked(ranks_a), _checked(ranks_b)
    _same_length(ranks_a=a, ranks_b=b)
    both = (a > 0) & (b > 0)
    hits = _hits(a[both], k), _hits(b[both], k)
    return paired_bootstrap(*hits, level=level, resamples=resamples, seed=seed)


def frequency_bins(source_rank: ArrayLike, edges: Sequence[int] = EDGES) -> dict[str, Ints]:
    """The queries sorted into ranges of frequency; each is in exactly one.

    Parameters
    ----------
    source_rank : int array, (n,)
        The position of each query in its vocabulary, from 0 for the most frequent; -1 unknown.
    edges : sequence of int
        Where a range ends and the next begins, rising.

    Returns
    -------
    dict of str to int64 array
        "0–5k", "5–20k" … "200k+" and "unknown", with the indices of the queries, rising.
    """
    position = np.asarray(source_rank, dtype=np.int64)
    bounds = [0, *edges]
    if len(bounds) < 2 or any(low >= high for low, high in pairwise(bounds)):
        raise IsoglossError(f"got edges={tuple(edges)}, expected rising numbers above 0")
    unit, sign = (1, "") if any(edge % 1000 for edge in edges) else (1000, "k")
    labels = [f"{low // unit}–{high // unit}{sign}" for low, high in pairwise(bounds)]
    which = np.searchsorted(bounds[1:], position, side="right")
    which[position < 0] = len(bounds)
    names = [*labels, f"{bounds[-1] // unit}{sign}+", "unknown"]
    return {name: np.flatnonzero(which == i) for i, name in enumerate(names)}


def build_report(
    ranks: ArrayLike,
    source_rank: ArrayLike,
    seen_source: ArrayLike,
    seen_target: ArrayLike,
    *,
    topn: Sequence[int] = (1, 5, 10),
    seed: int = 0,
) -> Report:
    """All figures of an evaluation.

    Parameters
    ----------
    ranks : int array, (n,)
        The rank of each listed query's best gold translation; 0 where it is not covered.
    source_rank : int array, (n,)
        The position of each query in its vocabulary; -1 unknown.
    seen_source : bool array, (n,)
        Whether the query was a source word of the training dictionary.
    seen_target : bool array, (n,)
        Whether any of its gold translations was a target word of it.
    topn : sequence of int
        The k's of the precision.
    seed : int
        Of the bootstrap.
    """
    r, position = _checked(ranks), np.asarray(source_rank, dtype=np.int64)
    by_source, by_target = np.asarray(seen_source, np.bool_), np.asarray(seen_target, np.bool_)
    _same_length(ranks=r, source_rank=position, seen_source=by_source, seen_target=by_target)
    covered = r > 0
    unseen = covered & ~by_source
    return Report(
        words=WordCounts(
            listed=len(r),
            covered=int(covered.sum()),
            unseen=int(unseen.sum()),
            unseen_strict=int((unseen & ~by_target).sum()),
            seen_source=int((covered & by_source).sum()),
            seen_target=int((covered & by_target).sum()),
        ),
        precision=Precision(
            covered=_precisions(r[covered], topn),
            listed=_precisions(r, topn),
            unseen=_precisions(r[unseen], topn),
        ),
        mrr=ReciprocalRank(
            covered=mean_reciprocal_rank(r[covered]),
            listed=mean_reciprocal_rank(r),
            unseen=mean_reciprocal_rank(r[unseen]),
        ),
        interval=bootstrap_interval(_hits(r[covered], 1), seed=seed),
        bins=tuple(
            Bin(
                label=label,
                words=len(which),
                covered=int(covered[which].sum()),
                precision=_precisions(r[which[covered[which]]], topn),
            )
            for label, which in frequency_bins(position).items()
            if len(which)
        ),
    )


def _precisions(ranks: Ints, topn: Sequence[int]) -> dict[str, float | None]:
    return {str(k): precision_at(ranks, k) for k in topn}


def _hits(ranks: Ints, k: int) -> Bools:
    if k < 1:
        raise IsoglossError(f"got k={k}, expected 1 or more")
    hits: Bools = (ranks > 0) & (ranks <= k)
    return hits


def _resampled_means(values: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    """The means of resamples of the values.

    How often each different value is drawn is multinomial, and hits and misses are but two.
    """
    if resamples < 1:
        raise IsoglossError(f"got resamples={resamples}, expected 1 or more")
    rng = np.random.default_rng(seed)
    different, counts = np.unique(values, return_counts=True)
    n, step = len(values), max(1, _BLOCK // len(different))
    return np.concatenate(
        [
            rng.multinomial(n, counts / n, size=min(step, resamples - a)) @ different / n
            for a in range(0, resamples, step)
        ]
    )


def _percentiles(means: NDArray[np.float64], level: float) -> tuple[float, float]:
    if not 0 < level < 1:
        raise IsoglossError(f"got level={level}, expected a number between 0 and 1, such as 0.95")
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _checked(ranks: ArrayLike) -> Ints:
    r = np.asarray(ranks)
    if r.ndim != 1 or (len(r) and (r.dtype.kind not in "iu" or r.min() < 0)):
        raise IsoglossError(
            f"got ranks of shape {r.shape} and type {r.dtype}, expected (n,) whole numbers from "
            "1, with 0 for a query that is not covered"
        )
    return r.astype(np.int64, copy=False)


def _same_length(**arrays: NDArray[np.generic]) -> None:
    shapes = {name: array.shape for name, array in arrays.items()}
    if len(set(shapes.values())) > 1 or any(len(shape) != 1 for shape in shapes.values()):
        told = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise IsoglossError(f"got {told}, expected one number for each listed query in all")
