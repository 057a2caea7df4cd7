"""The core sheet: right as long as nothing came that has to do with core, and spoilt by everything that has."""

from __future__ import annotations

import dataclasses
import json
import subprocess

import pytest
from support.doors import AGENT, PERSON
from support.repository import Repository

from memoranda import Memory
from memoranda.memory.times import now
from memoranda.model.outcome import Stored
from memoranda.truth import sheet
from memoranda.truth.places import state_folder


def keep(memory, text, **more):
    outcome = memory.remember(text, **{"durability": "durable", **more})
    assert isinstance(outcome, Stored)
    return outcome.record


@pytest.fixture
def rule(memory):
    return memory.promote(keep(memory, "Never force-push to main", category="constraint").id, core=True)


def read(memory, made):
    return sheet.text(str(memory.root), made, now())


def test_the_sheet_gives_the_block_and_holds_none_of_its_words(memory, rule):
    made = memory.core_sheet(1500)
    assert read(memory, made) == memory.core().text
    assert "force-push" not in json.dumps({**made, "core": {}, "entries": [marks for _, marks in made["entries"]]})
    assert read(memory, memory.core_sheet(1500)) == read(memory, made)


def test_what_has_nothing_to_do_with_core_leaves_it_sound(memory, rule):
    made = memory.core_sheet(1500)
    other = keep(memory, "The office has a cat")
    memory.forget(other.id)
    assert read(memory, made) == memory.core().text


@pytest.mark.parametrize(
    "deed",
    [
        lambda memory, id: keep(memory, "Force-push is fine on branches", supersedes=(id,)),
        lambda memory, id: memory.forget(id),
        lambda memory, id: memory.demote(id),
        lambda memory, id: memory.endorse(memory.get(id).digest),
        lambda memory, id: memory.promote(keep(memory, "Tabs, not spaces").id, core=True),
        lambda memory, id: (memory.root / memory.get(id).path).unlink(),
        lambda memory, id: (memory.root / memory.get(id).path).write_text("---\nnothing\n---\n"),
        lambda memory, id: (memory.root / "memory.toml").unlink(),
    ],
    ids=["superseded", "forgotten", "demoted", "endorsed", "another", "deleted", "edited", "no memory"],
)
def test_b52_whatever_changes_core_spoils_it(memory, rule, deed):
    made = memory.core_sheet(1500)
    assert read(memory, made) is not None
    deed(memory, rule.id)
    assert read(memory, made) is None


def test_an_anchored_file_that_changes_spoils_it_and_the_new_one_says_stale(open_as, settings, tmp_path):
    repo = tmp_path / "code"
    repo.mkdir()
    (repo / "a.py").write_text("PORT = 8080\n")
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=repo, check=True)
    memory = open_as(PERSON)
    port = keep(memory, "The port is 8080", anchors=(str(repo / "a.py"),))
    memory.promote(port.id, core=True)
    made = memory.core_sheet(1500)
    assert "stale" not in (read(memory, made) or "")
    (repo / "a.py").write_text("PORT = 9090 # moved\n")
    assert read(memory, made) is None
    assert "stale" in (read(memory, memory.core_sheet(1500)) or "")


def test_a_verdict_that_hangs_on_git_or_on_the_place_a_file_moved_to_is_spoilt_with_it(open_as, tmp_path):
    repo = Repository(tmp_path / "code")
    repo.commit(a="PORT = 8080\nHOST = 'localhost'\n")
    memory = open_as(PERSON)
    memory.promote(keep(memory, "The port is 8080", anchors=(str(repo.top / "a.py"),)).id, core=True)
    repo.git("mv", "a.py", "b.py")
    made = memory.core_sheet(1500)
    assert "stale" not in (read(memory, made) or "stale")
    repo.write("b.py", "PORT = 9090 # where it moved to\n")
    assert read(memory, made) is None, "the file it moved to is another"
    made = memory.core_sheet(1500)
    assert "stale" in (read(memory, made) or "")
    repo.commit()
    assert read(memory, made) is None, "git knows more now"


def test_a_ground_that_is_taken_away_or_a_window_that_ends_spoils_it(memory):
    ground = keep(memory, "The tests take nine minutes")
    rest = keep(memory, "Run the tests before lunch", derived_from=(ground.id,))
    memory.promote(rest.id, core=True)
    made = memory.core_sheet(1500)
    assert sheet.text(str(memory.root), made, made["until"]) is None
    assert sheet.text(str(memory.root), {**made, "made": made["made"] - 2 * 86400 * 10**9}, now()) is None
    assert sheet.text(str(memory.root), made, now(), budget=1) is None
    (memory.root / ground.path).unlink()
    assert read(memory, made) is None


@pytest.mark.parametrize("junk", ["", "[]", "{}", '{"format":1}', '{"format":1,"budget":"x","until":3}', "\x00"])
def test_a_sheet_that_cannot_be_understood_is_spoilt(memory, settings, junk):
    memory.core_sheet(1500)
    folder = state_folder(str(settings.state), str(memory.root))
    with open(f"{folder}/{sheet.NAME}", "w") as file:
        file.write(junk)
    found = sheet.load(folder)
    assert found is None or read(memory, found) is None


def test_who_writes_renews_the_sheet_that_a_hook_uses(open_as, settings):
    with Memory.init(settings=settings, door=PERSON) as first:
        id = first.promote(keep(first, "Never force-push to main").id, core=True).id
        first.core_sheet(1500)
    with Memory.open(settings=settings, door=PERSON) as second:
        second.promote(keep(second, "Tabs, not spaces").id, core=True)
    folder = state_folder(str(settings.state), str(settings.home))
    text = sheet.text(str(settings.home), sheet.load(folder) or {}, now())
    assert text is not None
    assert id in text
    assert "Tabs" in text


def test_without_a_sheet_writing_makes_none(open_as, settings):
    with Memory.init(settings=settings, door=AGENT) as memory:
        keep(memory, "Never force-push to main")
    assert sheet.load(state_folder(str(settings.state), str(settings.home))) is None


def test_b52_the_budget_of_a_sheet_holds_what_a_hook_says_around_it(settings):
    with Memory.init(settings=dataclasses.replace(settings, core_tokens=400), door=PERSON) as memory:
        for n in range(30):
            memory.promote(keep(memory, f"Fact number {n}: the deploy of service {n} takes {n} minutes").id, core=True)
        made = memory.core_sheet()
        assert made["budget"] == 400 >= made["tokens"]
        assert len(made["entries"]) + len(made["over"]) + made["more"] == 30
