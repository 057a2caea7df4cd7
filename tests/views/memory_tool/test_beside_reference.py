"""Command by command beside what the `anthropic` package ships: the same words, the same refusals."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Callable

import pytest
from support.doors import AGENT

from memoranda import Memory
from memoranda.views.memory_tool import anthropic_tool

tools = pytest.importorskip(
    "anthropic.lib.tools._beta_builtin_memory_tool", reason="the anthropic package is not installed"
)

HEAD = {"command": "create", "path": "/memories/notes/plan.md", "file_text": "alpha\nbeta\nalpha beta\ngamma\ndelta\n"}

SCRIPTS: dict[str, list[dict[str, Any]]] = {
    "create and view": [HEAD, {"command": "view", "path": "/memories/notes/plan.md"}],
    "create twice": [HEAD, HEAD],
    "a folder in the way": [HEAD, HEAD | {"path": "/memories/notes"}],
    "nothing there": [{"command": "view", "path": "/memories/nothing"}],
    "a range": [HEAD, {"command": "view", "path": "/memories/notes/plan.md", "view_range": [2, 4]}],
    "to the end": [HEAD, {"command": "view", "path": "/memories/notes/plan.md", "view_range": [4, -1]}],
    "past the end": [HEAD, {"command": "view", "path": "/memories/notes/plan.md", "view_range": [40, 50]}],
    "replace": [
        HEAD,
        {"command": "str_replace", "path": "/memories/notes/plan.md", "old_str": "gamma", "new_str": "GAMMA\nmore"},
        {"command": "view", "path": "/memories/notes/plan.md"},
    ],
    "replace what is not there": [
        HEAD,
        {"command": "str_replace", "path": "/memories/notes/plan.md", "old_str": "omega", "new_str": "x"},
    ],
    "replace what is there twice": [
        HEAD,
        {"command": "str_replace", "path": "/memories/notes/plan.md", "old_str": "beta", "new_str": "x"},
    ],
    "replace with itself": [
        HEAD,
        {"command": "str_replace", "path": "/memories/notes/plan.md", "old_str": "gamma", "new_str": "gamma"},
    ],
    "replace in nothing": [{"command": "str_replace", "path": "/memories/no", "old_str": "a", "new_str": "b"}],
    "replace in a folder": [
        HEAD,
        {"command": "str_replace", "path": "/memories/notes", "old_str": "a", "new_str": "b"},
    ],
    "insert first": [
        HEAD,
        {"command": "insert", "path": "/memories/notes/plan.md", "insert_line": 0, "insert_text": "first\n"},
        {"command": "view", "path": "/memories/notes/plan.md"},
    ],
    "insert last": [
        HEAD,
        {"command": "insert", "path": "/memories/notes/plan.md", "insert_line": 5, "insert_text": "last"},
        {"command": "view", "path": "/memories/notes/plan.md"},
    ],
    "insert beyond": [
        HEAD,
        {"command": "insert", "path": "/memories/notes/plan.md", "insert_line": 6, "insert_text": "x"},
    ],
    "insert before": [
        HEAD,
        {"command": "insert", "path": "/memories/notes/plan.md", "insert_line": -1, "insert_text": "x"},
    ],
    "delete": [
        HEAD,
        {"command": "delete", "path": "/memories/notes/plan.md"},
        {"command": "view", "path": "/memories/notes/plan.md"},
        HEAD,
    ],
    "delete a folder": [
        HEAD,
        HEAD | {"path": "/memories/notes/deep/er.md"},
        {"command": "delete", "path": "/memories/notes"},
        {"command": "view", "path": "/memories/notes/deep/er.md"},
    ],
    "delete nothing": [{"command": "delete", "path": "/memories/no"}],
    "delete all": [HEAD, {"command": "delete", "path": "/memories"}],
    "rename": [
        HEAD,
        {"command": "rename", "old_path": "/memories/notes/plan.md", "new_path": "/memories/done.md"},
        {"command": "view", "path": "/memories/done.md"},
        {"command": "view", "path": "/memories/notes/plan.md"},
    ],
    "rename a folder": [
        HEAD,
        {"command": "rename", "old_path": "/memories/notes", "new_path": "/memories/old/notes"},
        {"command": "view", "path": "/memories/old/notes/plan.md"},
    ],
    "rename nothing": [{"command": "rename", "old_path": "/memories/no", "new_path": "/memories/yes"}],
    "rename over": [
        HEAD,
        HEAD | {"path": "/memories/b.md"},
        {"command": "rename", "old_path": "/memories/b.md", "new_path": "/memories/notes/plan.md"},
    ],
    "rename all": [{"command": "rename", "old_path": "/memories", "new_path": "/memories/x"}],
    "outside": [HEAD | {"path": "/etc/passwd"}],
    "climbing": [HEAD | {"path": "/memories/../../etc/passwd"}, {"command": "view", "path": "/memories/../secret"}],
    "climbing within": [HEAD | {"path": "/memories/a/../b.md"}, {"command": "view", "path": "/memories/b.md"}],
}


def _said(tool: Any, command: dict[str, Any]) -> tuple[str, str]:
    try:
        return "ok", tool.call(command)
    except tools.ToolError as error:
        return "error", str(error)


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS.keys())
def test_says_what_the_reference_says(
    script: list[dict[str, Any]], open_as: Callable[..., Memory], tmp_path: Path
) -> None:
    ours = anthropic_tool(open_as(AGENT), tools.BetaAbstractMemoryTool, tools.ToolError)
    theirs = tools.BetaLocalFilesystemMemoryTool(str(tmp_path / "reference"))
    for command in script:
        assert _said(ours, command) == _said(theirs, command)


def test_lists_a_folder_as_the_reference_does(open_as: Callable[..., Memory], tmp_path: Path) -> None:
    ours = anthropic_tool(open_as(AGENT), tools.BetaAbstractMemoryTool, tools.ToolError)
    theirs = tools.BetaLocalFilesystemMemoryTool(str(tmp_path / "reference"))
    words = "The release train leaves on Tuesday and the notes are written on Monday. "
    for path, times in [("b.md", 1), ("a/one.md", 20), ("a/b/deep.md", 2), ("a/b/c/deeper.md", 3), (".hidden/x.md", 4)]:
        for tool in (ours, theirs):
            text = (words + path + " ") * times + "\n"
            tool.call({"command": "create", "path": f"/memories/{path}", "file_text": text.replace(" \n", "\n")})
    folder_sizes = re.compile(r"(?m)^\S+\t(.*/|/memories)$")  # a file system's own, and ours the sum of what is inside
    for path in ("/memories", "/memories/a"):
        listed = [
            re.sub(r"(?m)^\S+\t(/memories(?:/a)?)$", r"-\t\1", folder_sizes.sub(r"-\t\1", text))
            for _, text in (
                _said(ours, {"command": "view", "path": path}),
                _said(theirs, {"command": "view", "path": path}),
            )
        ]
        assert listed[0] == listed[1]


def test_declares_itself_as_the_tool_that_models_know(open_as: Callable[..., Memory]) -> None:
    assert anthropic_tool(open_as(AGENT), tools.BetaAbstractMemoryTool, tools.ToolError).to_dict() == {
        "type": "memory_20250818",
        "name": "memory",
    }
