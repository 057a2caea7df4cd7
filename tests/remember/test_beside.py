"""Work beside the line: what goes wrong there comes out where it is waited for."""

from __future__ import annotations

import threading

import pytest

from memoranda.remember.beside import Beside


def test_it_runs_in_a_thread_of_its_own_and_is_waited_for() -> None:
    done: list[int] = []
    beside = Beside()
    beside.start(lambda: done.append(threading.get_ident()))
    beside.wait()
    assert len(done) == 1
    assert done != [threading.get_ident()]


def test_an_error_comes_out_once() -> None:
    beside = Beside()
    beside.start(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        beside.wait()
    beside.wait()


def test_one_after_the_other() -> None:
    order: list[str] = []
    go = threading.Event()
    beside = Beside()
    beside.start(lambda: order.append("first" if go.wait(30) else "late"))
    threading.Timer(0.01, go.set).start()
    beside.start(lambda: order.append("second"))
    beside.wait()
    assert order == ["first", "second"]
