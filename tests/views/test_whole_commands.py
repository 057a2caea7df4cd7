"""Commands as a user runs them: processes, real files, real git, a home of their own."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import shlex
import signal
import subprocess
import sys
import termios
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.memories import shared_cache

WORDS = "Why did we leave the streaming parser?  It kept the\tbacklog in memory."
EVIL = "Evil \x1b]0;x\x07 \u202e| >>>memoranda"


@dataclass(frozen=True)
class Shell:
    """Runs `memoranda` in `home`, as an agent would (no terminal) unless told otherwise."""

    home: Path

    @property
    def environment(self) -> dict[str, str]:
        kept = ("PATH", "LANG", "LC_ALL", "TMPDIR")
        base = {name: value for name, value in os.environ.items() if name in kept}
        return {
            **base,
            "HOME": str(self.home),
            "MEMORANDA_CACHE": str(shared_cache()),
            "MEMORANDA_EMBEDDER": "",
            "PYTHONUTF8": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }

    def run(
        self, *words: str, expect: int = 0, stdin: str | bytes | None = None, cwd: Path | None = None, **more: str
    ) -> subprocess.CompletedProcess[str]:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [sys.executable, "-m", "memoranda.views.cli", *words],
            input=data if data is not None else b"",
            capture_output=True,
            cwd=cwd or self.home,
            env={**self.environment, **more},
            timeout=300,
            check=False,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        assert done.returncode == expect, f"{words}: {done.returncode}\n{out}\n{err}"
        assert "Traceback" not in err
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    def json(self, *words: str, expect: int = 0, **more: Any) -> Any:
        done = self.run("--json", *words, expect=expect, **more)
        document = json.loads(done.stdout)
        assert list(document) == ["format", "ok", "outcome", "data", "problems", "notices", "index"]
        assert document["format"] == 1
        assert document["ok"] is (expect == 0)
        return document


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    home = tmp_path / "home"
    project = home / ".claude" / "projects" / "-w"
    project.mkdir(parents=True)
    lines = [
        {"type": "user", "uuid": "u1", "sessionId": "s1", "timestamp": "2026-05-04T09:00:00.000Z", "cwd": "/w",
         "message": {"role": "user", "content": WORDS}},
        {"type": "assistant", "uuid": "a1", "parentUuid": "u1", "sessionId": "s1",
         "timestamp": "2026-05-04T09:00:09.000Z", "cwd": "/w",
         "message": {"role": "assistant", "content": [{"type": "text", "text": EVIL}]}},
    ]  # fmt: skip
    (project / "s1.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return Shell(home)


@pytest.fixture
def kept(shell: Shell) -> Shell:
    shell.run("init")
    shell.run("capture")
    return shell


def commands(text: str) -> list[list[str]]:
    return [
        shlex.split(line.split("run: ", 1)[1])[1:] for line in text.splitlines() if line.lstrip().startswith("run: ")
    ]


def test_alone_without_a_memory_it_says_how_to_make_one(shell: Shell) -> None:
    text = shell.run().stdout
    assert commands(text) == [["init"], ["capture"]]
    assert shell.json()["outcome"] == "no_memory"
    assert shell.run("status", expect=3).stderr.startswith("memoranda: ")


def test_a10_every_printed_get_line_works_and_holds_the_hit(kept: Shell) -> None:
    shown = kept.run("recall", "streaming parser").stdout
    gets = [words for words in commands(shown) if "get" in words]
    assert gets
    assert any(WORDS in kept.run(*words).stdout for words in gets)


def test_a10_with_another_memory_too(shell: Shell, tmp_path: Path) -> None:
    other = tmp_path / "other memory"
    shell.run("init", str(other))
    shell.run("-C", str(other), "capture")
    shown = shell.run("recall", "streaming parser", "-C", str(other)).stdout
    gets = [words for words in commands(shown) if "get" in words]
    assert gets
    for words in gets:
        assert WORDS in shell.run(*words, cwd=tmp_path).stdout


def test_exact_words_come_back_through_json(kept: Shell) -> None:
    said = kept.json("recall", "streaming parser")["data"]["said"]
    assert said[0]["text"] in WORDS
    turns = kept.json("get", "turn:claude/s1/u1")["data"]["turns"]
    assert turns[0]["blocks"][0]["text"] == WORDS
    assert turns[1]["blocks"][0]["text"] == EVIL


def test_c32_hostile_turns_are_harmless_on_the_page(kept: Shell) -> None:
    shown = kept.run("get", "turn:claude/s1/a1").stdout
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", shown)
    assert "| Evil \\x1b]0;x\\x07 \\u202e| >>>memoranda" in shown


def test_remember_recall_supersede_history_forget(kept: Shell) -> None:
    first = kept.json("remember", "No deploys on Fridays", "--category", "preference", AI_AGENT="robin")
    record = first["data"]["record"]
    assert first["outcome"] == "stored"
    assert (record["channel"], record["principal"]) == ("agent", "robin")
    again = kept.json("remember", "No  deploys on Fridays")
    assert again["outcome"] == "known"
    second = kept.json(
        "remember", "Deploys on Fridays are fine", "--category", "preference", "--supersedes", record["id"]
    )
    new = second["data"]["record"]["id"]
    found = kept.json("recall", "deploys on Fridays")["data"]["concluded"]
    assert [hit["record"]["id"] for hit in found] == [new]
    chain = kept.json("history", record["id"])["data"]
    assert [entry["record"]["id"] for entry in chain] == [new, record["id"]]
    kept.run("forget", new, "--reason", "moved on")
    found = kept.json("recall", "--history", "deploys on Fridays")["data"]["concluded"]
    assert [hit["record"]["id"] for hit in found] == [record["id"]], "a retired record supersedes nothing"
    assert len(list(kept.home.glob(f".memoranda/records/*/*/{new}-*.md"))) == 1, "its file stays"


def test_b44_b65_a_stale_record_is_named_with_its_file_and_channel(kept: Shell, tmp_path: Path) -> None:
    repo = tmp_path / "shop"
    repo.mkdir()
    code = repo / "client.py"
    code.write_text("RETRIES = 5\n")
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=repo, check=True)
    kept.run("remember", "Retries are capped at 5", "--anchor", "client.py#L1", cwd=repo)
    assert "state=current" in kept.run("recall", "retries", cwd=repo).stdout
    code.write_text("RETRIES = 9\n")
    shown = kept.run("recall", "retries", cwd=repo).stdout
    assert "stale" in shown
    assert "channel=agent" in shown
    assert "client.py#L1" in shown
    assert kept.json("verify", expect=1)["outcome"] == "changed"


def test_b40_c5_what_moved_is_told_apart_from_what_changed_and_shown_beside_it(kept: Shell, tmp_path: Path) -> None:
    repo = tmp_path / "shop"
    repo.mkdir()
    for name in ("renamed.py", "shifted.py", "edited.py"):
        (repo / name).write_text("LIMIT = 1\nRETRIES = 5\n")
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=repo, check=True)
    kept.run("remember", "Retries are capped at 5", "--anchor", "renamed.py#L2", cwd=repo)
    kept.run("remember", "The limit is one", "--anchor", "shifted.py#L1", cwd=repo)
    subprocess.run(["git", "mv", "renamed.py", "new.py"], cwd=repo, check=True)
    (repo / "shifted.py").write_text("# a new first line\nLIMIT = 1\nRETRIES = 5\n")

    def states(code: int) -> list[str]:
        return sorted(v["state"] for result in kept.json("verify", expect=code)["data"] for v in result["verdicts"])

    assert states(0) == ["moved", "moved"]
    kept.run("remember", "Five is what the edited file says", "--anchor", "edited.py#L2", cwd=repo)
    (repo / "edited.py").write_text("LIMIT = 1\nRETRIES = 6\n")
    assert states(1) == ["changed", "moved", "moved"]
    shown = kept.run("verify", expect=1).stdout
    assert "| RETRIES = 5\n" in shown
    assert "| RETRIES = 6\n" in shown
    repo.rename(tmp_path / "elsewhere")
    assert states(0) == ["unknown", "unknown", "unknown"], "no checkout is known"


def test_a_refused_secret_is_not_repeated_anywhere(kept: Shell) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA" * 8 + "\n-----END RSA PRIVATE KEY-----"
    done = kept.run("remember", "-", stdin=key, expect=1)
    assert "refused" in done.stdout
    assert "MIIEpAIBAAKCAQEA" not in done.stdout + done.stderr
    assert not any(b"MIIEpAIBAAKCAQEA" in p.read_bytes() for p in kept.home.rglob("*") if p.is_file())


def test_a_list_is_refused_with_commands_ready_to_run(kept: Shell) -> None:
    done = kept.run(
        "remember", "-", "--category", "constraint", stdin="- Prices are in cents\n- Dates are UTC\n", expect=1
    )
    proposed = [words for words in commands(done.stdout) if words[0] == "remember"]
    assert len(proposed) == 2
    for words in proposed:
        kept.run(*words)
    assert kept.json("status")["data"]["records"] == 2


@pytest.mark.parametrize(
    ("words", "code", "outcome"),
    [
        (["get", "turn:claude/none/1"], 3, "not_found"),
        (["get", "turn:"], 2, "invalid"),
        (["history", "mem_000000000000"], 3, "not_found"),
        (["recall", "nothing-like-this-zzz"], 1, "nothing"),
        (["recall", "x", "--since", "soonish"], 2, "invalid"),
        (["nonsense"], 2, "invalid"),
        (["status", "-C", "nowhere"], 3, "not_found"),
        (["status", "--project"], 3, "not_found"),
        (["remember", "x", "--anchor", "no-such-file.py"], 2, "invalid"),
        (["capture", "no-such-folder"], 3, "not_found"),
    ],
)
def test_errors_have_their_code_a_message_and_a_hint(kept: Shell, words: list[str], code: int, outcome: str) -> None:
    document = kept.json(*words, expect=code)
    assert document["outcome"] == outcome
    if code > 1:
        done = kept.run(*words, expect=code)
        assert done.stdout == ""
        first, *hint = done.stderr.splitlines()
        assert first.startswith("memoranda: ")
        assert document["data"]["message"] in first
        assert bool(hint) == bool(document["data"]["hint"])


def test_every_reading_command_has_a_document(kept: Shell) -> None:
    for words in (["status"], ["check"], ["core"], ["verify"], ["help"], ["completion", "zsh"], ["reindex"], []):
        assert kept.json(*words)["ok"]


def test_a_broken_file_is_a_problem_beside_good_results(kept: Shell) -> None:
    kept.run("remember", "Prices are in cents")
    month = next(kept.home.glob(".memoranda/records/*/*"))
    (month / "mem_123456789abc-broken.md").write_text("---\nid: [\n")
    document = kept.json("check", expect=1)
    assert any("broken" in problem["locator"] for problem in document["data"]["problems"])
    assert "Prices" in kept.run("recall", "prices in cents").stdout


def test_a_reader_that_leaves_early_is_no_error(kept: Shell) -> None:
    script = f"{sys.executable} -m memoranda.views.cli help | head -1"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, env=kept.environment, timeout=300, check=False
    )
    assert done.returncode == 0
    assert done.stderr == ""


def test_colour_only_where_it_is_wanted(kept: Shell) -> None:
    assert "\x1b[" not in kept.run("status").stdout
    assert "\x1b[" in kept.run("status", "--color", "always").stdout
    assert "\x1b[" not in kept.run("status", FORCE_COLOR="1", NO_COLOR="1").stdout
    assert "\x1b[" in kept.run("status", FORCE_COLOR="1").stdout


def at_a_terminal(shell: Shell, *words: str, **more: str) -> tuple[int, str]:
    """Runs a command on a terminal of its own that controls it."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(shell.home)
        environment = {**shell.environment, "TERM": "xterm", **more}
        os.execve(sys.executable, [sys.executable, "-m", "memoranda.views.cli", *words], environment)
    output, deadline = b"", time.monotonic() + 60
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        try:
            data = os.read(terminal, 65536) if ready else b"?"
        except OSError:
            break
        if ready and not data:
            break
        output += data if ready else b""
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), output.decode()


def test_a_person_at_a_terminal_is_the_owner(kept: Shell) -> None:
    code, shown = at_a_terminal(kept, "remember", "I prefer tabs", "--category", "preference")
    assert code == 0
    assert "\x1b[32mstored" in shown
    assert "run: " not in shown
    record = kept.json("recall", "tabs")["data"]["concluded"][0]["record"]
    assert (record["channel"], record["principal"], record["confidence"]) == ("direct_session", "owner", "high")


def test_an_agent_on_a_terminal_is_an_agent(kept: Shell) -> None:
    code, shown = at_a_terminal(kept, "remember", "I prefer spaces", "--category", "preference", CLAUDECODE="1")
    assert code == 0
    assert "\x1b[" not in shown
    record = kept.json("recall", "spaces")["data"]["concluded"][0]["record"]
    assert (record["channel"], record["principal"]) == ("agent", "claude")


def test_ctrl_c_ends_with_130(kept: Shell) -> None:
    """The interrupt comes when the command has taken its first words and waits for more."""
    waiting = subprocess.Popen(
        [sys.executable, "-m", "memoranda.views.cli", "remember", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=kept.environment,
    )
    assert waiting.stdin
    waiting.stdin.write(b"Prices are ")
    waiting.stdin.flush()
    while fcntl.ioctl(waiting.stdin, termios.FIONREAD, b"\0" * 4) != b"\0" * 4:
        assert waiting.poll() is None
        time.sleep(0.02)
    waiting.send_signal(signal.SIGINT)
    _, err = waiting.communicate(timeout=30)
    assert waiting.returncode == 130
    assert b"Traceback" not in err


@pytest.mark.parametrize(
    "words", [("status",), ("--json", "status"), ("--version",), ("help",), ("--json", "get", "x")]
)
@pytest.mark.parametrize("stdout", ["/dev/full", None])
def test_an_answer_that_cannot_be_printed_is_said(shell: Shell, words: tuple[str, ...], stdout: str | None) -> None:
    """A full disk behind `>` and a closed stdout: one line on stderr, exit code 6, no traceback."""
    shell.run("init")
    command = shlex.join([sys.executable, "-m", "memoranda.views.cli", *words])
    done = subprocess.run(
        ["sh", "-c", f"{command} >{stdout or '&-'}"], env=shell.environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 6
    assert done.stderr.startswith("memoranda: the answer could not be printed: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("streams", ["2>/dev/full", "2>&-", "<&- 2>&-"])
def test_what_is_done_does_not_depend_on_stderr(shell: Shell, streams: str) -> None:
    shell.run("init")
    command = shlex.join([sys.executable, "-m", "memoranda.views.cli", "--json", "remember", "Deploys run on Tuesdays"])
    done = subprocess.run(
        ["sh", "-c", f"{command} {streams}"], env=shell.environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["outcome"] == "stored"


def test_json_is_all_a_program_gets(shell: Shell) -> None:
    shell.run("init")
    assert shell.json("--version")["outcome"] == "version"
    for words, code in (
        (("get", "mem_ffffffffffff"), 3),
        (("capture", "/nonexistent"), 3),
        (("recall", "--harness", "nosuch", "x"), 2),
        (("sessions", "--harness", "nosuch"), 2),
        (("recall", "--since", "2026-08-01", "--until", "2026-07-01", "x"), 2),
        (("sessions", "--since", "2026-08-01", "--until", "2026-07-01"), 2),
        (("remember", "Deploys run on Mondays", "--anchor", "turn:claude/none/1"), 1),
    ):
        shell.json(*words, expect=code)
        assert shell.run("--json", *words, expect=code).stderr == ""


def test_a_mark_of_byte_order_is_no_part_of_a_fact(shell: Shell) -> None:
    shell.run("init")
    stored = shell.json("remember", "-", stdin=b"\xef\xbb\xbfDeploys run on Tuesdays\r\n")
    assert stored["outcome"] == "stored"
    assert shell.json("remember", "-", stdin=b"Deploys run on Tuesdays")["outcome"] == "known"
