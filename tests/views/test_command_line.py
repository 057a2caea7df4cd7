"""Arguments, doors, times, completion, start-up: what needs no memory."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Callable

import pytest

from memoranda.model.errors import Invalid
from memoranda.model.record import Channel
from memoranda.views.cli import shell
from memoranda.views.cli.door import agent, door
from memoranda.views.cli.run import OWN, find
from memoranda.views.commands.call import SHARED
from memoranda.views.commands.parser import help_text, parse
from memoranda.views.commands.progress import Progress, line
from memoranda.views.commands.times import when
from memoranda.views.operations import OPERATIONS, operation
from memoranda.views.reference import reference

ROOT = Path(__file__).parents[2]


def test_the_table_is_whole() -> None:
    """Every operation has a command that exists, an example that parses, and words for its exit code 1."""
    import shlex

    for op in OPERATIONS:
        assert (op.command in SHARED) != (op.command in OWN), op.command
        assert callable(find(op.command))
        assert op.examples, op.command
        for example in op.examples:
            assert parse(shlex.split(example)[1:]).command == op.command, example
        assert op.summary[0].islower()
        assert not op.summary.endswith(".")


def test_b57_every_operation_of_the_sdk_is_there_with_its_purpose() -> None:
    from memoranda.memory.memory import Memory

    for op in OPERATIONS:
        if op.name:
            assert callable(getattr(Memory, op.name)), op.name
        assert len(op.about) > 40
        assert all(argument.help for argument in op.arguments)


def test_reference_is_up_to_date() -> None:
    """docs/reference/commands.md is made from the table: python -m memoranda.views.reference."""
    assert (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8") == reference()


def test_globals_stand_before_or_after_the_command() -> None:
    for argv in (["--json", "recall", "a", "b"], ["recall", "a", "b", "--json"], ["recall", "--json", "a", "b"]):
        args = parse(argv)
        assert (args.command, args.json, args.text) == ("recall", True, ["a", "b"])
    assert parse(["-C", "/m", "status"]).memory == "/m"
    assert parse([]).command == ""
    assert parse(["get", "turn:a/b/1", "--help"]).topic == "get"
    assert parse(["remember", "--", "--help"]).text == ["--help"]
    assert parse(["remember", "x", "--tag", "a", "--tag", "b"]).tag == ["a", "b"]


@pytest.mark.parametrize(
    "argv",
    [["recal"], ["recall"], ["recall", "x", "--limit", "many"], ["recall", "x", "--bogus"], ["get", "a", "b"],
     ["remember", "x", "--category", "fact"], ["completion", "tcsh"], ["recall", "x", "--limit", "-3"]],
)  # fmt: skip
def test_wrong_arguments_are_invalid(argv: list[str]) -> None:
    with pytest.raises(Invalid) as caught:
        parse(argv)
    assert caught.value.hint


def test_a_typing_slip_is_answered_with_the_command() -> None:
    with pytest.raises(Invalid) as caught:
        parse(["rember", "x"])
    assert "memoranda remember" in caught.value.hint


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({}, ""),
        ({"CLAUDECODE": "1"}, "claude"),
        ({"CODEX_SANDBOX": "seatbelt"}, "codex"),
        ({"GEMINI_CLI": "1"}, "gemini"),
        ({"AI_AGENT": "Robo\x1b[2J/9"}, "robo2j9"),
        ({"AGENT": "\x1b"}, "agent"),
        ({"CODEX_HOME": "/h", "GEMINI_API_KEY": "k", "CLAUDE_CONFIG_DIR": "/c"}, ""),
    ],
)
def test_agents_are_known_by_what_they_set(environ: dict[str, str], name: str) -> None:
    assert agent(environ) == name


def test_only_a_person_at_a_terminal_is_the_owner() -> None:
    assert door({}, terminal=True).channel is Channel.DIRECT_SESSION
    assert door({}, terminal=True).principal == "owner"
    assert door({}, terminal=False).channel is Channel.AGENT
    assert door({}, terminal=False).principal is None
    inside = door({"CLAUDECODE": "1"}, terminal=True)
    assert (inside.channel, inside.principal, inside.name) == (Channel.AGENT, "claude", "cli")


def test_times(now: datetime) -> None:
    assert when("2026-07-01", now) == "2026-07-01T00:00:00Z"
    assert when("2026-07-01", now, end=True) == "2026-07-01T23:59:59Z"
    assert when("2026-07-01T09:30:00+02:00", now) == "2026-07-01T07:30:00Z"
    assert when("7d", now) == "2026-07-25T12:00:00Z"
    assert when("2 weeks ago", now) == "2026-07-18T12:00:00Z"
    for odd in ("soon", "", "99999y", "2026-13-01"):
        with pytest.raises(Invalid):
            when(odd, now)


def test_progress_says_nothing_in_the_first_second_and_one_line_in_ten_elsewhere() -> None:
    stream = io.StringIO()
    progress = Progress(stream=stream, now=0.0)
    for second in range(31):
        progress("embed", second * 10, 1000, now=second + 0.5)
    progress.done()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[0] == "memoranda: embed: 100 of 1,000, 10/s, 2 min left"
    assert line("turns", 5, 0, 10.0) == "turns: 5"


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion(name: str, golden: Callable[[str, str], None]) -> None:
    script = {"bash": shell.bash, "zsh": shell.zsh, "fish": shell.fish}[name]()
    golden(f"completion.{name}", script)
    found = shutil.which(name)
    if found:
        subprocess.run([found, "-n"], input=script, text=True, check=True, timeout=30)


def test_bash_completion_completes(tmp_path: Path) -> None:
    script = tmp_path / "completion"
    script.write_text(shell.bash())
    ask = f'. {script}; COMP_WORDS=(memoranda recall --li); COMP_CWORD=2; _memoranda; echo "${{COMPREPLY[*]}}"'
    done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.strip() == "--limit"


def test_help(golden: Callable[[str, str], None]) -> None:
    golden("help.txt", help_text(None))
    golden("help-recall.txt", help_text("recall"))
    assert operation("recall") is not None


def test_start_loads_no_library_and_no_sdk() -> None:
    code = (
        "import sys; from memoranda.views.cli import main; main(['help']); main(['completion', 'bash']);"
        "heavy = {'numpy', 'onnxruntime', 'tantivy', 'tokenizers', 'sqlite3', 'kingfisher', 'memoranda.memory'};"
        "print(json.dumps(sorted(heavy & set(sys.modules))), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", "import json; " + code], capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(done.stderr.strip().splitlines()[-1]) == []
