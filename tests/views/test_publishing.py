"""The commands push and pull, and --memory with an address: what they show, answer and ask."""

from __future__ import annotations

import json
import os
import pty
import select
import sys
from pathlib import Path
from typing import Any, Callable

import pytest
from support.memories import open_as, settings
from support.publishing import private, say

from memoranda.model.settings import Settings
from memoranda.model.share import Pushed
from memoranda.views.cli.run import Call, run
from memoranda.views.render import publishing
from memoranda.views.terminal import Page

__all__ = ["open_as", "settings"]

Golden = Callable[[str, str], None]


def test_what_was_pushed(golden: Golden) -> None:
    target = "s3://team-memory/ada"
    several = (
        Pushed(target, 12, 340, 40, "7-ab", (("e-mail", 2), ("waits for a person", 1)), 1, 0, True, 30, 14_200,
               {"turn": 9, "record": 2, "retraction": 1}),
        Pushed(target, 0, 340, 40),
        Pushed(target, 0, 0, 0, "", (("github-token", 3),)),
        Pushed(target, 0, 340, 40, altered=1, notices=("2 passages went without a vector",)),
    )  # fmt: skip
    page = Page()
    for done in several:
        publishing.pushed(page, done, "memoranda")
        page.gap()
    golden("push.txt", page.text())


@pytest.fixture
def answer(
    settings: Settings,
    open_as: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., Any]:
    """Runs a command with --json on a personal memory of one record; its document."""
    own = private(settings, tmp_path)
    monkeypatch.setattr(Call, "settings", lambda self: own)
    monkeypatch.chdir(tmp_path)

    def run_it(*words: str, code: int = 0) -> Any:
        assert run([*words, "--json"]) == code
        return json.loads(capsys.readouterr().out)

    open_as().close()
    run_it("remember", "The cart is documented at docs/cart.md")
    return run_it


def test_a_memory_is_pushed_read_and_pulled(answer: Callable[..., Any], tmp_path: Path) -> None:
    refused = answer("push", "there", code=3)
    assert "--create" in refused["data"]["hint"]
    first = answer("push", "there", "--create")
    assert (first["outcome"], first["data"]["rows"]) == ("pushed", 1)
    assert answer("push", "there")["outcome"] == "known"
    read = answer("recall", "cart", "--memory", "there")
    (hit,) = read["data"]["concluded"]
    assert (hit["memory"], hit["authority"]) == (str(tmp_path / "there"), "foreign")
    both = answer("recall", "cart", "--also", "there")
    assert [hit["memory"] for hit in both["data"]["concluded"]] == ["personal"]  # the same record is one hit
    stands = answer("status", "--memory", "there")["data"]
    assert (stands["kind"], stands["address"], stands["next"]) == ("published", str(tmp_path / "there"), [])
    assert [push["ours"] for push in answer("status")["data"]["pushed"]] == [1]
    answer("remember", "Not here", "--memory", "there", code=2)
    assert answer("pull", "there", "back")["data"]["rows"] == 1
    assert list((tmp_path / "back" / "records").rglob("mem_*.md"))


@pytest.mark.parametrize("command", ["init"])
def test_what_needs_a_folder_refuses_an_address(answer: Callable[..., Any], command: str) -> None:
    told = answer(command, "--memory", "s3://somewhere/m", code=2)
    assert "memoranda pull" in told["data"]["hint"]


def test_a53_scrub_shows_first_and_does_it_with_yes(
    answer: Callable[..., Any], open_as: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    say(open_as(), tmp_path / "spool", "s1", "Ask jo.weaver@looms.example.com for it.")
    shown = answer("scrub", code=1)
    assert (shown["outcome"], shown["data"]["cut"][0]["rules"]) == ("found", ["e-mail"])
    assert run(["scrub"]) == 1
    assert "run: memoranda scrub --yes" in capsys.readouterr().out
    assert answer("scrub", "--yes")["outcome"] == "scrubbed"
    assert answer("scrub", "--yes")["outcome"] == "sound"


def test_a54_exit_code_1_when_all_stays(answer: Callable[..., Any], tmp_path: Path) -> None:
    answer("push", "there", "--create")
    answer("remember", "Ask jo.weaver@looms.example.com for the cart")
    told = answer("push", "there", code=1)
    assert (told["outcome"], told["data"]["held"]) == ("held", [["e-mail", 1]])
    answer("push", "there", "--allow", "e-mail", code=2)  # no person is at this door


def test_a28_offline_the_hints_name_the_local_memory(
    answer: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], settings: Settings
) -> None:
    variables = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    Call.settings(None).variables.update(variables)  # type: ignore[arg-type]
    assert run(["recall", "cart", "--memory", "s3://somewhere/m"]) == 0
    said = capsys.readouterr().out
    assert "not searched: s3://somewhere/m cannot be reached" in said
    assert "these hits are from your own memory" in said
    assert "run: memoranda history mem_" in said


@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("\n", 3)])
def test_a55_at_a_terminal_it_asks(settings: Settings, tmp_path: Path, typed: str, code: int) -> None:
    """On a pseudo-terminal, as a person runs it."""
    from support.memories import shared_cache

    from memoranda import Memory

    home = tmp_path / "home"
    with Memory.init(home / ".memoranda", settings=settings) as memory:
        memory.remember("The cart is documented at docs/cart.md")
    agents = (
        "CLAUDE",
        "CODEX",
        "GEMINI",
        "CURSOR",
        "OPENCODE",
        "CLINE",
        "AUGMENT",
        "GOOSE",
        "COPILOT",
        "ANTIG",
        "AI_AG",
    )
    environ = {k: v for k, v in os.environ.items() if not k.startswith(agents) and k != "AGENT"}
    environ |= {"HOME": str(home), "MEMORANDA_HOME": str(home / ".memoranda"), "MEMORANDA_EMBEDDER": ""}
    environ |= {"XDG_CACHE_HOME": str(tmp_path / "xdg")}
    (tmp_path / "xdg").mkdir()
    (tmp_path / "xdg" / "memoranda").symlink_to(shared_cache())
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(
            sys.executable, [sys.executable, "-m", "memoranda.views.cli", "push", str(tmp_path / "there")], environ
        )
    said = b""
    while b"[y/N]" not in said and select.select([terminal], [], [], 120)[0]:
        said += os.read(terminal, 4096)
    os.write(terminal, typed.encode())
    try:
        while select.select([terminal], [], [], 120)[0] and (more := os.read(terminal, 4096)):
            said += more
    except OSError:  # the other end is closed
        pass
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == code, said
    assert (tmp_path / "there").exists() is (code == 0)
