"""What the memory tool does that a folder of files cannot: records, the door, history, confinement."""

from __future__ import annotations

from typing import Callable

import pytest
from support.doors import AGENT, PERSON, WEB

from memoranda import Memory
from memoranda.views.memory_tool import Fault, MemoryTool
from memoranda.views.memory_tool.paths import relative

PLAN = {"command": "create", "path": "/memories/plan.md", "file_text": "We ship the billing service on Friday.\n"}


@pytest.fixture
def agent(open_as: Callable[..., Memory]) -> Memory:
    return open_as(AGENT)


def _edit(old: str, new: str, path: str = "/memories/plan.md") -> dict[str, str]:
    return {"command": "str_replace", "path": path, "old_str": old, "new_str": new}


def test_an_edit_is_a_superseding_record_and_the_old_one_stays_in_history(agent: Memory) -> None:
    tool = MemoryTool(agent)
    tool.run(PLAN)
    first = agent.current_records()[0]
    tool.run(_edit("Friday", "Monday"))
    [now] = agent.current_records()
    assert now.supersedes == (first.id,)
    assert now.channel == "agent"
    assert [entry.record.id for entry in agent.history(now.id)] == [now.id, first.id]
    assert "Monday" in tool.run({"command": "view", "path": "/memories/plan.md"})


def test_records_of_other_doors_are_files_and_their_path_follows_them(open_as: Callable[..., Memory]) -> None:
    said = open_as(PERSON).remember("Staging deploys are fine on any weekday.")
    agent = open_as(AGENT)
    tool = MemoryTool(agent)
    path = f"/memories/{said.record.path.split('/')[0]}/{said.record.path.rsplit('/', 1)[1]}"  # type: ignore[union-attr]
    assert path in tool.run({"command": "view", "path": "/memories"})
    tool.run(_edit("any weekday", "Tuesdays", path))
    assert "Tuesdays" in tool.run({"command": "view", "path": path})
    assert path not in tool.run({"command": "view", "path": "/memories"})


def test_what_was_edited_is_recalled_and_the_old_words_no_more(agent: Memory) -> None:
    tool = MemoryTool(agent)
    tool.run(PLAN | {"file_text": "The staging server is called hornbill.\n"})
    assert [c.record.body for c in agent.recall("staging server").concluded] == [
        "The staging server is called hornbill."
    ]
    tool.run(_edit("hornbill", "kingfisher"))
    assert [c.record.body for c in agent.recall("staging server").concluded] == [
        "The staging server is called kingfisher."
    ]
    assert agent.recall("hornbill").concluded[0].record.body == "The staging server is called kingfisher."


def test_what_was_edited_or_renamed_does_not_come_back_when_it_is_deleted(agent: Memory) -> None:
    tool = MemoryTool(agent)
    tool.run(PLAN)
    tool.run(_edit("Friday", "Monday"))
    tool.run({"command": "rename", "old_path": PLAN["path"], "new_path": "/memories/done.md"})
    tool.run({"command": "delete", "path": "/memories/done.md"})
    assert agent.current_records() == ()
    tool.run(PLAN)
    assert len(agent.current_records()) == 1


def test_what_weighs_more_is_not_deleted_and_a_folder_not_by_half(open_as: Callable[..., Memory]) -> None:
    person, agent = open_as(PERSON), open_as(AGENT)
    tool = MemoryTool(agent)
    tool.run(PLAN | {"path": "/memories/team/a.md"})
    person.remember("The team answers pages within ten minutes.", scope="/memories/team/b.md")
    with pytest.raises(Fault, match="weighs more than this door"):
        tool.run({"command": "delete", "path": "/memories/team"})
    assert len(agent.current_records()) == 2


def test_editing_what_came_from_outside_raises_no_authority(open_as: Callable[..., Memory]) -> None:
    open_as(WEB).remember("Tea.", scope="/memories/drink.md")
    agent = open_as(AGENT)
    MemoryTool(agent).run(_edit("Tea", "Milk", "/memories/drink.md"))
    [now] = agent.current_records()
    assert agent.history(now.id)[-1].authority.outside


@pytest.mark.parametrize("command", [PLAN, _edit("Friday", "Friday")])
def test_a_credential_is_refused_and_nothing_of_it_is_kept(agent: Memory, command: dict[str, str]) -> None:
    secret = "ghp_" + "Zq3v8Xk1Lm5Rt7Yp2Wn9Bc4Df6Gh0JsAeUiO"
    tool = MemoryTool(agent)
    if command is not PLAN:
        tool.run(PLAN)
    before = [record.id for record in agent.current_records()]
    changed = {
        key: value + f" token {secret}" if key in ("file_text", "new_str") else value for key, value in command.items()
    }
    with pytest.raises(Fault) as fault:
        tool.run(changed)
    assert secret not in str(fault.value)
    assert [record.id for record in agent.current_records()] == before
    assert not [p for p in agent.root.rglob("*") if p.is_file() and secret.encode() in p.read_bytes()]


def test_only_a_person_makes_a_file_in_core(open_as: Callable[..., Memory]) -> None:
    tool = MemoryTool(open_as(AGENT))
    with pytest.raises(Fault, match="only a person"):
        tool.run(PLAN | {"path": "/memories/core/plan.md"})


ESCAPES = (
    "/memories/%2e%2e/secret",
    "/memories/%252e%252e/secret",
    "/memories/..%2f..%2fsecret",
    "/memories/a\\..\\..\\secret",
    "/memories/\uff0e\uff0e/secret",
    "/memories/../memories2/secret",
    "/memories/%" + "25" * 12 + "2e",
)


@pytest.mark.parametrize("path", ESCAPES)
def test_escaped_climbing_is_refused(path: str) -> None:
    with pytest.raises(Fault, match="would escape"):
        relative(path)


@pytest.mark.parametrize("path", ["/memoriesX/a", "memories/a", "", "/", "/memories/a\x00b", "/memories/\u202eb"])
def test_other_bad_paths_are_refused(path: str) -> None:
    with pytest.raises(Fault):
        relative(path)


@pytest.mark.parametrize("path", ["/memories/100%.md", "/memories/a%20b.md", "/memories/caf\u00e9/\u00fc.md"])
def test_ordinary_paths_are_taken(agent: Memory, path: str) -> None:
    tool = MemoryTool(agent)
    tool.run(PLAN | {"path": path})
    assert "billing" in tool.run({"command": "view", "path": path})


def test_a_link_in_the_folder_leads_nowhere(agent: Memory, tmp_path: object) -> None:
    outside = agent.root.parent / "secret.md"
    outside.write_text("the secret outside\n")
    (agent.root / "records").mkdir(exist_ok=True)
    (agent.root / "records" / "link.md").symlink_to(outside)
    (agent.root / "core" / "link").symlink_to(outside.parent)
    tool = MemoryTool(agent)
    assert "link" not in tool.run({"command": "view", "path": "/memories"})
    for path in ("/memories/records/link.md", "/memories/core/link/secret.md"):
        with pytest.raises(Fault, match="does not exist"):
            tool.run({"command": "view", "path": path})


@pytest.mark.parametrize(
    "command",
    [{}, {"command": "exec"}, {"command": "view"}, {"command": "view", "path": 3}, {"command": ["view"]}],
)
def test_what_is_no_command_is_said(agent: Memory, command: dict[str, object]) -> None:
    with pytest.raises(Fault, match=r"Unknown command|must be a str"):
        MemoryTool(agent).run(command)


def test_nothing_to_replace_is_not_everywhere(agent: Memory) -> None:
    tool = MemoryTool(agent)
    tool.run(PLAN)
    with pytest.raises(Fault, match="did not appear verbatim"):
        tool.run(_edit("", "x"))


def test_a_file_is_no_folder(agent: Memory) -> None:
    tool = MemoryTool(agent)
    tool.run(PLAN)
    with pytest.raises(Fault, match=r"File /memories/plan\.md already exists"):
        tool.run(PLAN | {"path": "/memories/plan.md/below.md"})
