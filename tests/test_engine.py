import os
import sys
import threading
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import ThreadpoolController

from isogloss import engine
from isogloss.engine import blocks, cores, fold, stream, threads

quiet = settings(deadline=None, database=None, max_examples=40)


class Counting(Executor):
    """Runs at once, and counts what was handed over."""

    def __init__(self):
        self.submitted = 0

    def submit(self, fn, /, *args, **kwargs):
        self.submitted += 1
        future = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@quiet
@given(st.integers(0, 200), st.integers(1, 50))
def test_blocks_cut_the_rows_without_gap_or_overlap(n, size):
    cut = blocks(n, size)
    assert [i for part in cut for i in range(n)[part]] == list(range(n))
    assert all(part.stop - part.start == size for part in cut[:-1])
    assert all(0 < part.stop - part.start <= size for part in cut)
    assert len(cut) == -(-n // size)


@quiet
@given(st.lists(st.text(max_size=2), min_size=1, max_size=40), st.integers(1, 4))
def test_fold_merges_in_the_order_of_the_shards(shards, workers):
    def concatenate(a, b):
        return a + b

    with ThreadPoolExecutor(workers) as pool:
        assert fold(str.upper, shards, concatenate, executor=pool) == "".join(shards).upper()
    assert fold(str.upper, iter(shards), concatenate) == "".join(shards).upper()


def test_fold_is_in_order_though_the_first_shards_end_last():
    def step(i):
        time.sleep(0.002 * (10 - i))
        return [i]

    with ThreadPoolExecutor(8) as pool:
        assert fold(step, range(10), list.__add__, executor=pool) == list(range(10))


def test_fold_of_one_shard_merges_nothing():
    def merge(a, b):
        raise AssertionError("nothing to merge")

    assert fold(lambda x: x * 2, [21], merge) == 42


@pytest.mark.parametrize("workers", [None, 3])
def test_progress_counts_every_shard(workers):
    said = []
    pool = ThreadPoolExecutor(workers) if workers else None
    total = fold(
        abs,
        range(-5, 0),
        int.__add__,
        executor=pool,
        progress=lambda done, n: said.append((done, n)),
    )
    assert total == 15
    assert said == [(i, 5) for i in range(1, 6)]
    if pool:
        pool.shutdown()


def test_stream_of_no_shards_yields_nothing():
    assert list(stream(abs, [])) == []
    with ThreadPoolExecutor(2) as pool:
        assert list(stream(abs, [], executor=pool)) == []


def test_stream_runs_only_a_few_shards_ahead_of_the_reader():
    executor = Counting()
    reader = stream(abs, range(1000), executor=executor)
    assert next(reader) == 0
    ahead = executor.submitted
    assert ahead <= 2 * cores() + 1
    for i in range(1, 500):
        assert next(reader) == i
    assert executor.submitted == ahead + 499
    assert list(reader) == list(range(500, 1000))
    assert executor.submitted == 1000


def test_an_error_in_a_step_reaches_the_caller():
    def step(i):
        if i == 3:
            raise ValueError("three")
        return i

    with pytest.raises(ValueError, match="three"):
        fold(step, range(10), int.__add__)
    with pytest.raises(ValueError, match="three"), threads(2) as pool:
        fold(step, range(10), int.__add__, executor=pool)


def test_an_error_cancels_what_has_not_begun():
    begun = []
    gate = threading.Event()

    def step(i):
        begun.append(i)
        gate.wait(5)
        raise KeyError(i)

    futures = []
    with pytest.raises(RuntimeError, match="stop"), threads(1) as pool:  # noqa: PT012
        futures += [pool.submit(step, i) for i in range(50)]
        threading.Timer(0.05, gate.set).start()
        raise RuntimeError("stop")
    assert len(begun) < 50
    assert futures[-1].cancelled()


def blas_threads():
    return [m["num_threads"] for m in ThreadpoolController().info() if m["user_api"] == "blas"]


def test_workers_have_one_blas_thread_each_and_the_old_number_returns():
    before = blas_threads()
    with threads(2) as pool:
        assert set(blas_threads()) <= {1}
        assert set(pool.submit(blas_threads).result()) <= {1}
    assert blas_threads() == before
    with pytest.raises(ValueError, match="x"), threads(2):
        raise ValueError("x")
    assert blas_threads() == before


@pytest.mark.parametrize("n", [1, 2, 5])
def test_threads_works_on_so_many_shards_at_once(n):
    together = threading.Barrier(n)
    with threads(n) as pool:
        waits = [pool.submit(together.wait, 10) for _ in range(n)]
        assert sorted(w.result() for w in waits) == list(range(n))


def test_cores_is_what_this_process_may_use(monkeypatch):
    assert 1 <= cores() <= (os.cpu_count() or 1)
    if sys.platform == "linux":
        assert cores() == len(os.sched_getaffinity(0))
        monkeypatch.delattr(engine.os, "sched_getaffinity")
    monkeypatch.setattr(engine.os, "cpu_count", lambda: None)
    assert cores() == 1
