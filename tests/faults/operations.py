"""What is killed: each operation of the SDK that writes, on a memory that already holds something.

`prepare` makes the template once; `act` runs in the process that is killed and acknowledges what it was told is kept;
`verify` says, in words, what is wrong with a memory afterwards.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from faults.scene import Scene

from memoranda import Memory
from memoranda.model.errors import NotFound
from memoranda.model.outcome import Known, Stored
from memoranda.model.record import Record
from memoranda.truth.git import GitFailed
from memoranda.truth.repository import commit_tracked

Ack = Callable[[str], None]

OLD = "Deploys to staging happen on Mondays only."
OTHER = "The gateway listens on port 8080."
NEW = "Deploys to staging are fine on any weekday since the rollback is automatic."
AFTER = "Written after the crash: the lighthouse is painted green."
TURNS = 6


@dataclass(frozen=True, slots=True)
class Operation:
    """`git` says that histories are compared too, which costs more than everything else."""

    name: str
    prepare: Callable[[Scene], None]
    act: Callable[[Scene, Ack], None]
    verify: Callable[[Scene, list[str]], list[str]]
    git: bool = False


# -- templates


def _plain(scene: Scene) -> None:
    with scene.init() as memory:
        memory.remember(OLD)
        memory.remember(OTHER)


def _nothing(scene: Scene) -> None:
    scene.base.mkdir(parents=True, exist_ok=True)


def _with_history(scene: Scene) -> None:
    _plain(scene)
    folder = scene.base / ".claude" / "projects" / "-w-app"
    folder.mkdir(parents=True)
    for session in ("one", "two"):
        rows = [
            {
                "type": "user",
                "uuid": f"{session}-{n}",
                "sessionId": session,
                "timestamp": f"2026-07-01T10:00:{n:02d}.000Z",
                "message": {"role": "user", "content": f"In {session} the kettle number {n} is blue."},
            }
            for n in range(TURNS)
        ]
        (folder / f"{session}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def _uncommitted(scene: Scene) -> None:
    _plain(scene)
    with scene.open(commit=False) as memory:
        for n in range(5):
            memory.remember(f"Not in git yet: shelf {n} holds {n} books.")
        memory.forget(_by_body(memory, OTHER).id)


STRAYS = {".tmp-1-aa": b"half a file", "records/2026/07/.tmp-1-bb": b"half a record", "core/.tmp-1-cc": b""}
TORN = b'{"n":1,"prev":"half an event'


def _crashed(scene: Scene) -> None:
    _plain(scene)
    with scene.open() as memory:
        memory.remember(OTHER)  # known: an event, so that there is a log to tear
    for path, data in STRAYS.items():
        for folder in reversed((scene.root / path).relative_to(scene.root).parents[:-1]):
            (scene.root / folder).mkdir(0o700, exist_ok=True)
        (scene.root / path).write_bytes(data)
        (scene.root / path).chmod(0o600)
    with next((scene.root / "events").rglob("*.jsonl")).open("ab") as file:
        file.write(TORN)


# -- acts


def _init(scene: Scene, ack: Ack) -> None:
    scene.init()
    ack("made")


def _remember(scene: Scene, ack: Ack) -> None:
    memory = scene.open()
    outcome = memory.remember(NEW)
    assert isinstance(outcome, Stored)
    ack(outcome.record.id)
    memory.close()


def _supersede(scene: Scene, ack: Ack) -> None:
    memory = scene.open()
    old, other = _by_body(memory, OLD), _by_body(memory, OTHER)
    outcome = memory.remember(NEW, supersedes=[old.id], contradicts=[other.id])
    assert isinstance(outcome, Stored)
    ack(outcome.record.id)


def _known(scene: Scene, ack: Ack) -> None:
    assert isinstance(scene.open().remember(OLD), Known)
    ack("known")


def _forget(scene: Scene, ack: Ack) -> None:
    memory = scene.open()
    ack(memory.forget(_by_body(memory, OTHER).id).id)


def _move(scene: Scene, ack: Ack) -> None:
    memory = scene.open()
    ack(memory.promote(_by_body(memory, OTHER).id, core=True).id)


def _capture(scene: Scene, ack: Ack) -> None:
    report = scene.open().capture(harness="claude", embed_seconds=0)
    ack(str(report.turns))


def _reindex(scene: Scene, ack: Ack) -> None:
    scene.open().reindex()
    ack("made")


def _commit(scene: Scene, ack: Ack) -> None:
    with suppress(GitFailed):  # git was killed instead of us and we said so; what counts is what it left
        ack(str(commit_tracked(scene.root, "w0123456789ab")))


def _recovery(scene: Scene, ack: Ack) -> None:
    memory = scene.open()
    memory.forget(_by_body(memory, OTHER).id)  # appends to the torn log
    _remember(scene, ack)


# -- what must hold


def _by_body(memory: Memory, body: str) -> Record:
    found = [record for record in memory._store.records.scan()[0] if record.body.strip() == body]
    if len(found) != 1:  # its file would not be read just now, when errors are injected
        raise NotFound(f"{len(found)} records say {body!r}")
    return found[0]


def _bodies(memory: Memory) -> list[str]:
    return [record.body.strip() for record in memory._store.records.scan()[0]]


def _kept(scene: Scene, acked: list[str]) -> list[str]:
    memory = scene.open()
    wrong = []
    if _bodies(memory).count(NEW) not in ((1,) if acked else (0, 1)):
        wrong.append(f"{len(acked)} acknowledged, {_bodies(memory).count(NEW)} there")
    for id in acked:
        found = memory.get(id)
        if not isinstance(found, Record) or found.body.strip() != NEW or not found.intact:
            wrong.append(f"{id} was acknowledged and cannot be read")
        shown = memory.recall("weekday rollback automatic")
        if id not in [item.record.id for item in shown.concluded]:
            wrong.append(f"{id} was acknowledged and is not recalled")
    memory.close()
    return wrong


def _superseded(scene: Scene, acked: list[str]) -> list[str]:
    wrong = _kept(scene, acked)
    memory = scene.open()
    states = {entry.record.body.strip(): entry.state for entry in memory.history(_by_body(memory, OLD).id)}
    if (NEW in states) != (states[OLD] == "superseded"):
        wrong.append(f"half superseded: {states}")
    memory.close()
    return wrong


def _retired(scene: Scene, acked: list[str]) -> list[str]:
    memory = scene.open()
    record = _by_body(memory, OTHER)
    state = memory.history(record.id)[0].state
    shown = [item.record.id for item in memory.recall("gateway port").concluded]
    memory.close()
    if state not in (("retired",) if acked else ("retired", "current")):
        return [f"acknowledged as forgotten and {state}"]
    return [f"{state} but recalled as {shown}"] if (record.id in shown) != (state == "current") else []


def _moved(scene: Scene, acked: list[str]) -> list[str]:
    places = [path for path in scene.truth() if path.startswith(("core/", "records/"))]
    memory = scene.open()
    path = _by_body(memory, OTHER).path
    memory.close()
    if len(places) != len({path.rpartition("/")[2] for path in places}):
        return [f"one record in two places: {places}"]
    return ["acknowledged in core and is not there"] if acked and not path.startswith("core/") else []


def _captured(scene: Scene, acked: list[str]) -> list[str]:
    wrong = []
    if acked and _turns(scene) != 2 * TURNS:
        wrong.append(f"{acked[0]} turns acknowledged, {_turns(scene)} there")
    memory = scene.open()
    memory.capture(harness="claude", embed_seconds=0)
    if _turns(scene) != 2 * TURNS:
        wrong.append(f"captured again, and there are {_turns(scene)} turns instead of {2 * TURNS}")
    for session in ("one", "two"):
        shown = memory.get(f"turn:claude/{session}/0..{TURNS - 1}", before=0, after=0)
        if isinstance(shown, Record) or len(shown.turns) != TURNS:
            wrong.append(f"session {session} cannot be read whole")
    if len(memory.recall("kettle", limit=50, budget_tokens=20000, weak=True).said) == 0:
        wrong.append("captured turns are not found")
    memory.close()
    return wrong


def _turns(scene: Scene) -> int:
    """Lines of turns; a torn one does not count."""
    return sum(data.count(b"\n") for path, data in scene.truth().items() if path.startswith("turns/"))


def _indexed(scene: Scene, _: list[str]) -> list[str]:
    memory = scene.open()
    shown = [item.record.body for item in memory.recall("gateway port").concluded]
    memory.close()
    return [] if any(OTHER in text for text in shown) else [f"not found by its words: {shown}"]


def _recovered(scene: Scene, acked: list[str]) -> list[str]:
    """What lay torn is in lost+found or where it was, and nowhere else."""
    lost = [path.read_bytes() for path in (scene.root / "lost+found").glob("*")]
    events = b"".join(data for path, data in scene.truth().items() if path.startswith("events/"))
    wrong = [
        f"the bytes of {path} are gone"
        for path, data in STRAYS.items()
        if data not in lost and not (scene.root / path).exists()
    ]
    if TORN not in lost and TORN not in events:
        wrong.append("the torn event is gone")
    return wrong + _kept(scene, acked)


def _anything(_: Scene, __: list[str]) -> list[str]:
    return []


OPERATIONS = {
    operation.name: operation
    for operation in (
        Operation("init", _nothing, _init, _anything, git=True),
        Operation("remember", _plain, _remember, _kept),
        Operation("supersede", _plain, _supersede, _superseded),
        Operation("known", _plain, _known, _anything),
        Operation("forget", _plain, _forget, _retired),
        Operation("move", _plain, _move, _moved),
        Operation("capture", _with_history, _capture, _captured),
        Operation("reindex", _plain, _reindex, _indexed),
        Operation("recovery", _crashed, _recovery, _recovered),
        Operation("commit", _uncommitted, _commit, _anything, git=True),
    )
}


def verify(operation: Operation, scene: Scene, before: dict[str, bytes], acked: list[str]) -> list[str]:
    """Everything that is wrong after a crash. Ends with a write, a commit and a check, all of which must work."""
    memory = scene.init() if operation.name == "init" else scene.open()
    wrong = [f"{p.locator}: {p.message}" for p in memory._store.records.scan()[1]]
    memory.close()
    wrong += _unchanged(before, scene.truth())
    wrong += operation.verify(scene, acked)
    with scene.open(commit=operation.git) as memory:
        outcome = memory.remember(AFTER)
        memory.forget(_by_body(memory, AFTER).id)
        if not isinstance(outcome, Stored) or outcome.notices:
            wrong.append(f"the next write: {outcome}")
        memory.recall("lighthouse")
        state = memory.status().index
        if not state.current or state.pending:
            wrong.append(f"the index does not heal: {state}")
        wrong += [f"check: {problem.locator}: {problem.message}" for problem in memory.check()]
    wrong += [f"left lying: {path}" for path in scene.temps()]
    if operation.git:
        wrong += list(memory._store.committer.notices if memory._store.committer else ())
        wrong += history(scene)
    return wrong


def _unchanged(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    """Records keep their bytes though not their place; logs only grow, but for a torn tail."""
    wrong = []
    names = {path.rpartition("/")[2]: data for path, data in after.items()}
    for path, data in before.items():
        if path.startswith(("events/", "turns/")):
            if not after.get(path, b"").startswith(data[: data.rfind(b"\n") + 1]):
                wrong.append(f"{path} lost lines")
        elif names.get(path.rpartition("/")[2]) != data:
            wrong.append(f"{path} was changed or lost")
    return wrong


def history(scene: Scene) -> list[str]:
    git = ["git", "-C", str(scene.root)]
    checked = subprocess.run([*git, "fsck", "--strict", "--no-dangling"], capture_output=True, text=True, check=False)
    wrong = [f"git fsck: {checked.stdout}{checked.stderr}"] if checked.returncode else []
    left = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=False)
    if left.returncode or left.stdout:
        wrong.append(f"git status: {left.stdout}{left.stderr}")
    return wrong
