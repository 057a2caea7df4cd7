"""The index is damaged in every way a file can be, a thousand times: the next command says so and answers right."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest
from faults.scene import Scene

from memoranda.model.errors import MemorandaError

FACTS = {f"lamp{n}": f"The lamp{n} in corridor {n} is replaced every {n + 2} weeks." for n in range(12)}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """Records, events and turns, indexed with vectors, so that every part of the index has a file."""
    scene = Scene(tmp_path_factory.mktemp("index") / "user")
    folder = scene.base / ".claude" / "projects" / "-w-app"
    folder.mkdir(parents=True)
    row = '{{"type":"user","uuid":"u{0}","sessionId":"s","timestamp":"2026-07-01T10:00:{0:02d}.000Z",'
    row += '"message":{{"role":"user","content":"In the session kettle{0} boils."}}}}\n'
    (folder / "s.jsonl").write_text("".join(row.format(n) for n in range(20)))
    with scene.init(embedder="hashing", commit=False) as memory:
        for text in FACTS.values():
            memory.remember(text)
        memory.forget(_ids(memory)["lamp11"])
        memory.capture(harness="claude", embed_seconds=30)
        memory.embed(30)
    return scene


def _ids(memory) -> dict[str, str]:
    return {record.body.split()[1]: record.id for record in memory._store.records.scan()[0]}


def _damage(draw: random.Random, folder: Path) -> str:
    """One file of the index cut, overwritten, emptied, zeroed, swapped or removed; what was done."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name not in ("lock", ".gitignore"))
    path = draw.choice(files)
    data = bytearray(path.read_bytes())
    how = draw.choice(("flip", "cut", "zero", "delete", "noise", "empty", "grow", "folder"))
    if how == "delete":
        path.unlink()
    elif how == "folder":
        path.unlink()
        path.mkdir()
    elif how == "empty" or not data:
        path.write_bytes(b"")
    elif how == "cut":
        os.truncate(path, draw.randrange(len(data)))
    elif how == "grow":
        path.write_bytes(data + draw.randbytes(draw.randrange(1, 5000)))
    else:
        start = draw.randrange(len(data))
        stop = start + 1 if how == "flip" else min(len(data), start + draw.randrange(1, 4096))
        for at in range(start, stop):
            data[at] = {"flip": data[at] ^ (1 << draw.randrange(8)), "zero": 0}.get(how, draw.randrange(256))
        path.write_bytes(data)
    return f"{how} {path.relative_to(folder)}"


def _round(template: Scene, scene: Scene, seed: int) -> list[str]:
    draw = random.Random(seed)
    scene.restore(template)
    before = scene.truth()
    wrong = []
    done = "; ".join(_damage(draw, scene.root / ".index") for _ in range(draw.choice((1, 1, 1, 2, 3))))
    memory = scene.open(embedder="hashing", commit=False)
    try:
        name = f"lamp{draw.randrange(11)}"
        answer = memory.recall(f"{name} corridor")
        if _ids(memory)[name] not in [item.record.id for item in answer.concluded]:
            wrong.append(f"{name} is not recalled: {[item.record.body for item in answer.concluded]}")
        if any("lamp11" in item.record.body for item in memory.recall("lamp11 corridor").concluded):
            wrong.append("what was forgotten is recalled")
        turn = draw.randrange(20)
        if f"kettle{turn}" not in str(memory.recall(f"kettle{turn} boils", weak=True).said):
            wrong.append(f"kettle{turn} is not found")
        memory.remember(f"After damage {seed}.")
        if not memory.recall(f"damage {seed}").concluded:
            wrong.append("what came after is not recalled")
        if not memory.status().index.current:
            wrong.append(f"not current: {memory.status().index}")
    except MemorandaError as error:
        wrong.append(f"{error.code}: {error.message}")
    except BaseException as error:
        wrong.append(f"{type(error).__name__}: {error}"[:300])
    finally:
        memory.close()
    after = scene.truth()
    if {path: after.get(path) for path in before} != before:
        wrong.append("a truth file changed")
    return [f"seed {seed}, {done}: {text}" for text in wrong]


def _rounds(template: Scene, place: Path, seeds: range) -> list[str]:
    scene = Scene(place / "user")
    wrong = [text for seed in seeds for text in _round(template, scene, seed)]
    shutil.rmtree(scene.base, ignore_errors=True)
    return wrong


def test_c4_forty_damages_of_the_index_are_answered_right(
    template: Scene, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert _rounds(template, tmp_path, range(40)) == []
    assert capfd.readouterr().err == "", "no library prints of its own"


@pytest.mark.slow
@pytest.mark.parametrize("quarter", range(4))
def test_c4_a_thousand_damages_of_the_index_are_answered_right(template: Scene, tmp_path: Path, quarter: int) -> None:
    assert _rounds(template, tmp_path, range(quarter * 250, quarter * 250 + 250)) == []
