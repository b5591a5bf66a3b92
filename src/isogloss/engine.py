"""The only parallel code: a fold over shards with an associative merge."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

from threadpoolctl import ThreadpoolController

Shard = TypeVar("Shard")
Part = TypeVar("Part")

Progress = Callable[[int, int | None], None]
"""Told how much is done and how much there is in all, where that is known."""


Stages = Callable[[str, int, int | None], None]
"""Told also the stage, where one call has several."""


def stage(told: Stages | None, name: str) -> Progress | None:
    """The progress of one stage."""
    return None if told is None else partial(told, name)


def cores() -> int:
    """The number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows have no such call
        return os.cpu_count() or 1


@contextmanager
def threads(n: int | None = None) -> Iterator[Executor]:
    """Worker threads, each with one BLAS thread, so that the two kinds never fight."""
    with (
        ThreadpoolController().limit(limits=1, user_api="blas"),
        ThreadPoolExecutor(n or cores()) as pool,
    ):
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def fold(
    step: Callable[[Shard], Part],
    shards: Iterable[Shard],
    merge: Callable[[Part, Part], Part],
    *,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Part:
    """Merge step(shard) over all shards, in the order of the shards.

    Parameters
    ----------
    step : callable
        Turns a shard into a partial result.
    shards : iterable
        At least one.
    merge : callable
        Associative; it gets partial results in the order of their shards, so that the same
        shards give the same bits on any number of workers with one BLAS thread each.
    executor : concurrent.futures.Executor, optional
        Where the steps run; by default here, one after another.
    progress : callable, optional

    Returns
    -------
    the merged partial results
    """
    parts = stream(step, shards, executor=executor, progress=progress)
    total = next(parts)
    for part in parts:
        total = merge(total, part)
    return total


def stream(
    step: Callable[[Shard], Part],
    shards: Iterable[Shard],
    *,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Iterator[Part]:
    """Yield step(shard) in the order of the shards, a few shards ahead of the reader."""
    total = len(shards) if isinstance(shards, Sized) else None
    for done, part in enumerate(_results(step, shards, executor), 1):
        if progress is not None:
            progress(done, total)
        yield part


def _results(
    step: Callable[[Shard], Part], shards: Iterable[Shard], executor: Executor | None
) -> Iterator[Part]:
    if executor is None:
        yield from map(step, shards)
        return
    ahead = 2 * cores()
    waiting: deque[Future[Part]] = deque()
    for shard in shards:
        waiting.append(executor.submit(step, shard))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def blocks(n: int, size: int) -> list[slice]:
    """The slices that cut n rows into blocks of `size`."""
    return [slice(a, min(a + size, n)) for a in range(0, n, size)]
