"""Leases: one holder at a time, and a late one is refused whatever the clocks say."""

from __future__ import annotations

import os
import signal
from datetime import UTC, datetime, timedelta

import pytest

from memoranda.model.errors import Busy, Conflict, Invalid
from memoranda.truth.lease import Leases
from memoranda.truth.lock import WriteLock
from memoranda.truth.records import RecordStore


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 7, 2, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def turn(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def leases(project, clock) -> Leases:
    return Leases(project, WriteLock(project.root / ".lock"), clock)


def test_a_second_holder_waits_until_the_time_is_over(leases, clock):
    first = leases.take("curate", "one", 30)
    with pytest.raises(Busy, match="leased to one until"):
        leases.take("curate", "two", 30)
    leases.take("embed", "two", 30)  # another name is another lease
    clock.turn(30)
    assert leases.take("curate", "two", 30).token == first.token + 1


def test_tokens_only_grow_also_after_a_release(leases):
    tokens = []
    for _ in range(3):
        lease = leases.take("curate", "one", 30)
        tokens.append(lease.token)
        leases.release(lease)
    assert tokens == [1, 2, 3]


def test_b21_renewing_extends_and_a_late_write_is_refused_by_its_token(leases, clock):
    lease = leases.take("curate", "one", 30)
    clock.turn(25)
    lease = leases.renew(lease, 30)
    clock.turn(25)
    with leases.fenced(lease):
        pass
    clock.turn(10)
    with pytest.raises(Conflict, match="ran out"), leases.fenced(lease):
        pass
    lease = leases.renew(lease, 30)  # nobody took it meanwhile
    clock.turn(31)
    leases.take("curate", "two", 30)
    with pytest.raises(Conflict, match="token 2"), leases.fenced(lease):
        pass
    with pytest.raises(Conflict, match="token 2"):
        leases.renew(lease, 30)


def test_no_clock_lets_two_holders_write(leases, clock):
    first = leases.take("curate", "one", 30)
    clock.turn(10 * 365 * 86400)
    second = leases.take("curate", "two", 30)
    clock.turn(-20 * 365 * 86400)  # now the first one's time runs again, by the clock
    with leases.fenced(second):
        pass
    with pytest.raises(Conflict), leases.fenced(first):
        pass


def test_releasing_what_was_lost_takes_nothing_from_the_new_holder(leases, clock):
    first = leases.take("curate", "one", 30)
    clock.turn(31)
    second = leases.take("curate", "two", 30)
    leases.release(first)
    with leases.fenced(second):
        pass


def test_a_damaged_lease_stops_writers_instead_of_starting_anew(leases, project):
    leases.take("curate", "one", 30)
    (project.root / ".leases" / "curate.json").write_text("{")
    with pytest.raises(Conflict, match="damaged"):
        leases.take("curate", "two", 30)


@pytest.mark.parametrize("name", ["", "../x", "a/b", "A"])
def test_a_name_stays_inside_the_folder(leases, name):
    with pytest.raises(Invalid):
        leases.take(name, "one", 30)


def test_b21_a_holder_stopped_past_its_time_in_another_process_writes_nothing(project, make):
    """One process takes a lease and is stopped; this one takes over and writes; then the first wakes and tries."""
    ready, go = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            lock = WriteLock(project.root / ".lock")
            leases, store = Leases(project, lock), RecordStore(project, lock)
            lease = leases.take("shared", "sleeper", 0.2)
            os.write(go, b"x")
            os.kill(os.getpid(), signal.SIGSTOP)
            try:
                with leases.fenced(lease):
                    store.write(make.draft("Written by the one who slept."))
            except Conflict:
                os._exit(7)
            os._exit(1)
        except BaseException:
            os._exit(2)
    os.read(ready, 1)
    os.waitpid(pid, os.WUNTRACED)
    lock = WriteLock(project.root / ".lock")
    leases, store = Leases(project, lock), RecordStore(project, lock)
    lease = None
    while lease is None:
        try:
            lease = leases.take("shared", "taker", 60)
        except Busy:
            continue
    with leases.fenced(lease):
        store.write(make.draft("Written by the one who took over."))
    os.kill(pid, signal.SIGCONT)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    assert [record.body for record in store.scan()[0]] == ["Written by the one who took over."]
