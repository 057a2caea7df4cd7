"""Threads for memories: each job once, on a thread with a desk of its own, and no more waiting than agreed."""

from __future__ import annotations

import threading
from typing import Any

from memoranda.views.serving.pool import Pool

SECONDS = 30


class FakeDesk:
    """What the pool needs of a desk."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.closed = 0

    def close(self) -> None:
        assert threading.get_ident() == self.thread
        self.closed += 1


def pool_of(threads: int = 1, most: int = 10) -> tuple[Pool, list[FakeDesk]]:
    desks: list[FakeDesk] = []

    def make() -> Any:
        desks.append(FakeDesk())
        return desks[-1]

    return Pool(make, threads, most), desks


def asked(pool: Pool, job: Any, wanted: Any = lambda: True) -> tuple[threading.Event, list[Any]]:
    done, got = threading.Event(), []

    def told(result: Any, error: BaseException | None) -> None:
        got.append((result, error))
        done.set()

    assert pool.submit(job, told, wanted)
    return done, got


def test_a_job_is_done_once_on_its_desks_own_thread_and_errors_come_back() -> None:
    pool, desks = pool_of(threads=3, most=50)
    jobs = [asked(pool, lambda desk: desk.thread == threading.get_ident()) for _ in range(20)]
    for done, _ in jobs:
        assert done.wait(SECONDS)
    assert [got for _, got in jobs] == [[(True, None)]] * 20

    def fails(desk: Any) -> None:
        raise ValueError("no")

    done, got = asked(pool, fails)
    assert done.wait(SECONDS)
    assert isinstance(got[0][1], ValueError)
    done, got = asked(pool, lambda desk: 7)
    assert done.wait(SECONDS)
    assert got == [(7, None)]
    assert pool.stop(SECONDS)
    assert [desk.closed for desk in desks] == [1] * 3


def test_too_many_are_turned_away_and_what_nobody_wants_any_more_is_left() -> None:
    pool, _ = pool_of(most=2)
    gate, begun, seen = threading.Event(), threading.Event(), []

    def first(desk: Any) -> None:
        begun.set()
        assert gate.wait(SECONDS)

    held, _ = asked(pool, first)
    assert begun.wait(SECONDS)
    _, left = asked(pool, lambda desk: seen.append("unwanted"), lambda: False)
    last, _ = asked(pool, lambda desk: seen.append("wanted"))
    assert pool.waiting == 2
    assert not pool.submit(lambda desk: seen.append("too many"), lambda result, error: None)
    gate.set()
    assert held.wait(SECONDS)
    assert last.wait(SECONDS)
    assert (seen, left) == (["wanted"], [])
    assert pool.stop(SECONDS)


def test_what_waits_is_done_before_it_stops() -> None:
    pool, desks = pool_of()
    seen: list[int] = []
    for n in range(5):
        asked(pool, lambda desk, n=n: seen.append(n))
    assert pool.stop(SECONDS)
    assert seen == [0, 1, 2, 3, 4]
    assert desks[0].closed == 1
