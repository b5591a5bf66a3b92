import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.errors import IsoglossError
from isogloss.evaluation import (
    Report,
    bootstrap_interval,
    build_report,
    compare,
    frequency_bins,
    mean_reciprocal_rank,
    paired_bootstrap,
    precision_at,
)

quiet = settings(deadline=None, database=None, max_examples=60)
some_ranks = st.lists(st.integers(0, 15), min_size=1, max_size=40)
queries = st.lists(
    st.tuples(st.integers(0, 15), st.integers(-1, 250_000), st.booleans(), st.booleans()),
    max_size=40,
)


@quiet
@given(some_ranks)
def test_precision_and_reciprocal_rank_by_their_definition(ranks):
    n = len(ranks)
    at = [precision_at(ranks, k) for k in range(1, 17)]
    assert at == [pytest.approx(sum(1 for r in ranks if 0 < r <= k) / n) for k in range(1, 17)]
    assert at == sorted(at)
    mrr = mean_reciprocal_rank(ranks)
    assert mrr == pytest.approx(sum(1 / r for r in ranks if r) / n)
    assert at[0] - 1e-12 <= mrr <= at[-1] + 1e-12 <= 1 + 1e-12


def test_no_words_have_no_figures():
    assert precision_at([], 1) is None
    assert mean_reciprocal_rank(np.zeros(0, dtype=np.int64)) is None
    assert bootstrap_interval([]) is None
    assert paired_bootstrap([], []) is None
    assert compare([0, 1], [1, 0]) is None
    report = build_report([], [], [], [])
    assert report.interval is None
    assert report.bins == ()
    assert b"NaN" not in msgspec.json.encode(report)
    assert report.precision.covered == {"1": None, "5": None, "10": None}


@quiet
@given(st.lists(st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 1.0]), min_size=1, max_size=60))
def test_the_interval_contains_the_mean(values):
    low, high = bootstrap_interval(values, resamples=500)
    assert min(values) - 1e-12 <= low <= np.mean(values) + 1e-12
    assert np.mean(values) - 1e-12 <= high <= max(values) + 1e-12


def test_the_interval_agrees_with_drawing_one_by_one():
    rng = np.random.default_rng(1)
    values = rng.choice([0, 0.25, 0.5, 1], size=300)
    drawn = values[rng.integers(0, 300, size=(20_000, 300))].mean(axis=1)
    expected = np.quantile(drawn, [0.05, 0.95])
    interval = bootstrap_interval(values, level=0.9)
    np.testing.assert_allclose(interval, expected, atol=0.003)
    assert interval == bootstrap_interval(values, level=0.9, seed=0)
    assert interval != bootstrap_interval(values, level=0.9, seed=1)
    wide = bootstrap_interval(values, level=0.99)
    assert wide[0] < interval[0] < interval[1] < wide[1]


def test_the_interval_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(2)
    trials = [bootstrap_interval(rng.random(200) < 0.4, resamples=500) for _ in range(300)]
    assert 0.90 < np.mean([low <= 0.4 <= high for low, high in trials]) < 0.99


def test_resampling_in_blocks_keeps_every_resample(monkeypatch):
    values = np.random.default_rng(3).random(300)
    whole = bootstrap_interval(values, resamples=2_000)
    monkeypatch.setattr("isogloss.evaluation._BLOCK", 3_000)
    assert bootstrap_interval(values, resamples=2_000) == whole


@quiet
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=60))
def test_the_paired_test_is_antisymmetric_and_contains_the_difference(pairs):
    a, b = zip(*pairs, strict=True)
    test = paired_bootstrap(a, b, resamples=500)
    assert test.difference == pytest.approx(np.mean(a) - np.mean(b))
    assert test.low - 1e-12 <= test.difference <= test.high + 1e-12
    assert 0 < test.p_value <= 1
    assert test.words == len(pairs)
    assert paired_bootstrap(b, a, resamples=500).difference == pytest.approx(-test.difference)
    assert paired_bootstrap(a, a, resamples=500).p_value == 1


def test_the_paired_test_tells_a_difference_from_none():
    a = np.arange(1000) < 500
    better = np.arange(1000) < 530
    clear = paired_bootstrap(better, a)
    assert clear.low > 0
    assert clear.p_value < 0.001
    # The same means, but right on other words: no more than chance would do.
    same = paired_bootstrap(np.roll(better, 400), a)
    assert same.low < 0 < same.high
    assert same.p_value > 0.05


def test_the_p_value_agrees_with_the_sign_test():
    # 40 of 60 words that the two disagree on are better: two-sided about .01.
    a, b = np.zeros(500), np.zeros(500)
    a[:40], b[40:60] = 1, 1
    assert 0.003 < paired_bootstrap(a, b).p_value < 0.02


def test_compare_is_on_the_words_that_both_cover():
    test = compare([1, 1, 0, 3, 1], [2, 1, 1, 1, 0], k=1)
    assert test.words == 3
    assert test.difference == pytest.approx(0)
    assert compare([1, 1, 0, 3, 1], [2, 4, 1, 1, 0], k=3).difference == pytest.approx(1 / 3)


@quiet
@given(st.lists(st.integers(-1, 300_000), max_size=50))
def test_bins_partition_the_queries(positions):
    bins = frequency_bins(np.array(positions, dtype=np.int64))
    assert list(bins) == [
        "0–5k",
        "5–20k",
        "20–50k",
        "50–100k",
        "100–200k",
        "200k+",
        "unknown",
    ]
    every = np.concatenate(list(bins.values()))
    assert sorted(every.tolist()) == list(range(len(positions)))


def test_bins_end_where_the_next_begins():
    bins = frequency_bins([0, 4_999, 5_000, 199_999, 200_000, -1, 49_999])
    found = {label: which.tolist() for label, which in bins.items() if len(which)}
    assert found == {
        "0–5k": [0, 1],
        "5–20k": [2],
        "20–50k": [6],
        "100–200k": [3],
        "200k+": [4],
        "unknown": [5],
    }
    assert list(frequency_bins([], edges=(500, 2_000))) == ["0–500", "500–2000", "2000+", "unknown"]


@quiet
@given(queries)
def test_the_report_agrees_with_counting(rows):
    ranks, position, by_source, by_target = (
        [row[i] for row in rows] if rows else [] for i in range(4)
    )
    report = build_report(ranks, position, by_source, by_target, topn=(1, 3))

    def share(chosen, k):
        hits = [0 < row[0] <= k for row in chosen]
        return pytest.approx(sum(hits) / len(hits)) if hits else None

    covered = [row for row in rows if row[0]]
    unseen = [row for row in covered if not row[2]]
    words = report.words
    assert words.listed == len(rows)
    assert words.covered == len(covered)
    assert words.unseen == len(unseen) == words.covered - words.seen_source
    assert words.unseen_strict == sum(not row[3] for row in unseen)
    assert words.seen_target == sum(row[3] for row in covered)
    for k in (1, 3):
        assert report.precision.covered[str(k)] == share(covered, k)
        assert report.precision.listed[str(k)] == share(rows, k)
        assert report.precision.unseen[str(k)] == share(unseen, k)
    assert sum(b.words for b in report.bins) == len(rows)
    assert sum(b.covered for b in report.bins) == len(covered)
    hits = sum(b.covered * (b.precision["1"] or 0) for b in report.bins)
    assert hits == pytest.approx(sum(row[0] == 1 for row in rows))
    if covered:
        assert report.interval[0] <= report.precision.covered["1"] + 1e-12
        assert report.interval[1] >= report.precision.covered["1"] - 1e-12
    assert msgspec.json.decode(msgspec.json.encode(report), type=Report) == report


def test_the_report_is_json_with_the_promised_names():
    report = build_report([1, 0, 6, 2], [0, -1, 7_000, 3], [True, False] * 2, [False] * 4)
    written = msgspec.json.decode(msgspec.json.encode(report))
    assert written["words"]["listed"] == 4
    assert written["words"]["covered"] == 3
    assert written["words"]["unseen"] == 1
    assert written["precision"]["covered"] == pytest.approx({"1": 1 / 3, "5": 2 / 3, "10": 1})
    assert written["precision"]["listed"] == {"1": 0.25, "5": 0.5, "10": 0.75}
    assert written["precision"]["unseen"] == {"1": 0, "5": 1, "10": 1}
    assert written["mrr"] == pytest.approx(
        {"covered": (1 + 1 / 6 + 1 / 2) / 3, "listed": (1 + 1 / 6 + 1 / 2) / 4, "unseen": 0.5}
    )
    assert len(written["interval"]) == 2
    assert [b["label"] for b in written["bins"]] == ["0–5k", "5–20k", "unknown"]
    assert written["bins"][2] == {
        "label": "unknown",
        "words": 1,
        "covered": 0,
        "precision": {"1": None, "5": None, "10": None},
    }


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: precision_at([1, -1], 1), "got ranks of shape"),
        (lambda: precision_at([1.5], 1), "type float64, expected"),
        (lambda: precision_at([[1]], 1), r"shape \(1, 1\)"),
        (lambda: precision_at([1], 0), "got k=0, expected 1 or more"),
        (lambda: bootstrap_interval([1], level=95), "got level=95"),
        (lambda: bootstrap_interval([1], resamples=0), "got resamples=0"),
        (lambda: paired_bootstrap([1, 0], [1]), r"got a \(2,\), b \(1,\)"),
        (lambda: compare([1, 0], [1]), r"ranks_a \(2,\), ranks_b \(1,\)"),
        (lambda: build_report([1], [1, 2], [True], [True]), r"source_rank \(2,\)"),
        (lambda: frequency_bins([1], edges=(5, 5)), r"edges=\(5, 5\), expected rising"),
        (lambda: frequency_bins([1], edges=()), "expected rising"),
    ],
)
def test_wrong_arguments_are_told(call, message):
    with pytest.raises(IsoglossError, match=message):
        call()
