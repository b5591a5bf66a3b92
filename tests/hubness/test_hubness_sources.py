import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.errors import IsoglossError
from isogloss.hubness import CSLS, InvertedSoftmax, NearestNeighbour
from isogloss.hubness.sources import AFFORDABLE, choose_sources

quiet = settings(deadline=None, database=None, max_examples=100)


def chosen(n_samples, n_sources=1000, n_targets=10, d=10, *, random=False, seed=0):
    return choose_sources(n_sources, n_targets, d, n_samples, random=random, seed=seed)


@quiet
@given(st.integers(1, 500), st.integers(1, 600) | st.sampled_from(["all", "auto"]), st.booleans())
def test_a_sample_is_of_positions_rising_and_once_each(n_sources, n_samples, random):
    ids = chosen(n_samples, n_sources, random=random)
    assert ids.dtype == np.int64
    assert (np.diff(ids) > 0).all()
    assert ids[0] >= 0
    assert ids[-1] < n_sources
    n = n_sources if isinstance(n_samples, str) else min(n_samples, n_sources)
    assert len(ids) == n
    if not random or n == n_sources:
        np.testing.assert_array_equal(ids, np.arange(n))


def test_auto_is_all_that_is_affordable_and_no_more():
    n_targets, d = 125_000, 100
    most = int(AFFORDABLE / (2 * n_targets * d))
    assert 2 * most * n_targets * d <= AFFORDABLE < 2 * (most + 1) * n_targets * d
    for n_sources, n in ((most - 1, most - 1), (most, most), (most + 1, most), (3 * most, most)):
        assert len(chosen("auto", n_sources, n_targets, d)) == n
        assert len(chosen("all", n_sources, n_targets, d)) == n_sources
        assert len(chosen(1500, n_sources, n_targets, d)) == 1500


@quiet
@given(st.integers(1, 2_000_000), st.integers(1, 5_000_000), st.integers(1, 4096))
def test_auto_keeps_within_what_is_affordable(n_sources, n_targets, d):
    n = len(chosen("auto", n_sources, n_targets, d))
    assert 1 <= n <= n_sources
    assert n == 1 or 2.0 * n * n_targets * d <= AFFORDABLE
    assert n == n_sources or 2.0 * (n + 1) * n_targets * d > AFFORDABLE


def test_auto_is_all_of_the_papers_vocabularies_and_a_sample_of_larger_ones():
    assert len(chosen("auto", 200_000, 200_000, 300)) == 200_000
    assert 20_000 < len(chosen("auto", 2_000_000, 2_000_000, 300)) < 21_000


@pytest.mark.parametrize("n_samples", ["all", "auto", 5])
def test_none_of_no_sources(n_samples):
    assert len(chosen(n_samples, 0)) == 0


@pytest.mark.parametrize("n_targets", [0, 1])
@pytest.mark.parametrize("d", [0, 1])
def test_auto_of_nothing_to_compare_is_all(n_targets, d):
    assert len(chosen("auto", 1000, n_targets, d)) == 1000


def test_the_seed_makes_the_sample():
    a = chosen(100, random=True, seed=1)
    np.testing.assert_array_equal(a, chosen(100, random=True, seed=1))
    assert not np.array_equal(a, chosen(100, random=True, seed=2))
    np.testing.assert_array_equal(chosen(100, seed=1), chosen(100, seed=2))


def test_a_random_sample_favours_nobody():
    counts = sum(
        np.bincount(chosen(20, 100, random=True, seed=seed), minlength=100) for seed in range(1000)
    )
    # Each is drawn 200 times of 1,000, give or take 12.6.
    assert np.abs(counts - 200).max() < 6 * 12.7


def test_a_random_sample_within_auto_is_drawn_from_all():
    n_targets, d = 2_500_000, 5000
    ids = chosen("auto", 1_000_000, n_targets, d, random=True)
    assert len(ids) == 1000
    assert ids[-1] > 900_000


@pytest.mark.parametrize("bad", [0, -1, 1.5, "some", "ALL", "", None, np.inf, [5]])
def test_other_numbers_are_refused(bad):
    with pytest.raises(IsoglossError, match='expected a number, "all" or "auto"'):
        chosen(bad)
    for method in (InvertedSoftmax(n_samples=bad), CSLS(n_samples=bad)):
        with pytest.raises(IsoglossError, match="n_samples"):
            method.sources(1000, 10, 10, 0)


def test_the_corrections_pass_their_wishes_on():
    size = 1000, 10, 10
    paper = InvertedSoftmax(n_samples=15, random=True)
    expected = chosen(15, random=True, seed=3)
    np.testing.assert_array_equal(paper.sources(*size, 3), expected)
    np.testing.assert_array_equal(InvertedSoftmax().sources(*size, 3), np.arange(1000))
    np.testing.assert_array_equal(InvertedSoftmax(n_samples=15).sources(*size, 3), np.arange(15))
    np.testing.assert_array_equal(CSLS(n_samples=15).sources(*size, 3), np.arange(15))
    np.testing.assert_array_equal(CSLS().sources(*size, 3), np.arange(1000))
    assert len(NearestNeighbour().sources(*size, 3)) == 0
