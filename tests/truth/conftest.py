"""A personal memory, drafts and turns as the door would hand them over, and a child process to be hard on."""

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from memoranda.model.outcome import Draft, Screened
from memoranda.model.record import Candidate, Category, Channel, Confidence, Durability
from memoranda.model.turn import Block, Turn
from memoranda.truth.folder import Folder
from memoranda.truth.lock import WriteLock
from memoranda.truth.records import RecordStore

NOW = "2026-07-02T16:40:00Z"


def _draft(body: str, *, created: str = NOW, hold: Sequence[str] = (), **rest: object) -> Draft:
    links = {key: tuple(rest.pop(key, ())) for key in ("supersedes", "contradicts", "derived_from", "anchors")}  # type: ignore[arg-type,call-overload]
    return Draft(
        candidate=Screened(Candidate(body=body, **rest), "3"),  # type: ignore[arg-type]
        created=created,
        category=Category.PREFERENCE,
        source="user_message",
        channel=Channel.DIRECT_SESSION,
        durability=Durability.DURABLE,
        confidence=Confidence.HIGH,
        principal="owner",
        hold=tuple(hold),
        **links,
    )


def _turn(text: str, seq: int = 0, *, session: str = "s1", ts: str = NOW, **rest: object) -> Screened[Turn]:
    turn = Turn(
        session=session,
        turn=f"t{seq}",
        role="user",
        harness="claude",
        blocks=(Block("text", text),),
        ts=ts,
        seq=seq,
        captured=NOW,
        screened="3",
        **rest,  # type: ignore[arg-type]
    )
    return Screened(turn, "3")


def _in_child(work: Callable[[], None]) -> int:
    """Run `work` in a forked process; its exit code (1 when it raised, -9 when killed)."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.fixture
def make() -> SimpleNamespace:
    return SimpleNamespace(draft=_draft, turn=_turn, in_child=_in_child, now=NOW)


@pytest.fixture
def project(tmp_path: Path) -> Folder:
    """A project memory: made in a few milliseconds, without git."""
    return Folder.init(tmp_path / "repo" / ".memoranda", "project")


@pytest.fixture
def personal(tmp_path: Path) -> Folder:
    return Folder.init(tmp_path / "home", "personal")


@pytest.fixture
def store(project: Folder) -> RecordStore:
    return RecordStore(project, WriteLock(project.root / ".lock"))
