"""Each agent's hooks, by what it was seen to say: its events in our words, and ours in its own."""

from __future__ import annotations

import json
import os

import pytest

from memoranda.ports import discover
from memoranda.ports.contracts.hooks import HookDialectContract
from memoranda_agents.headless import Signs, headless

SESSION = {
    "claude": {"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/code"},
    "codex": {"session_id": "s", "turn_id": "1", "transcript_path": "/t.jsonl", "cwd": "/code", "model": "m"},
    "gemini": {"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/code", "timestamp": "2026-07-01T00:00:00Z"},
    "qwen": {"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "/code"},
    "copilot": {"sessionId": "s", "transcriptPath": "/t.jsonl", "cwd": "/code", "timestamp": 1782864000000},
}
EVENTS = [
    ("claude", "SessionStart", {"source": "startup"}, "start", True),
    ("claude", "SessionStart", {"source": "clear"}, "start", True),
    ("claude", "SessionStart", {"source": "resume"}, "resume", True),
    ("claude", "SessionStart", {"source": "fork"}, "resume", True),
    ("claude", "SessionStart", {"source": "compact"}, "compacted", True),
    ("claude", "UserPromptSubmit", {"prompt": "hello"}, "prompt", True),
    ("claude", "Stop", {"stop_hook_active": False}, "stop", False),
    ("claude", "SubagentStop", {}, "none", False),
    ("codex", "SessionStart", {"source": "startup"}, "start", True),
    ("codex", "PostCompact", {"trigger": "auto"}, "compacted", False),
    ("codex", "UserPromptSubmit", {"prompt": "hello"}, "prompt", True),
    ("codex", "Stop", {"last_assistant_message": None}, "stop", False),
    ("gemini", "SessionStart", {"source": "startup"}, "start", True),
    ("gemini", "BeforeAgent", {"prompt": "hello"}, "prompt", True),
    ("gemini", "PreCompress", {"trigger": "auto"}, "compacted", False),
    ("gemini", "AfterAgent", {"prompt_response": "x"}, "stop", False),
    ("qwen", "SessionStart", {"source": "startup"}, "start", True),
    ("qwen", "UserPromptSubmit", {"prompt": "hello"}, "prompt", True),
    ("qwen", "PreCompact", {"trigger": "auto"}, "compacted", False),
    ("copilot", "sessionStart", {"source": "new"}, "start", True),
    ("copilot", "userPromptSubmitted", {"prompt": "hello"}, "prompt", True),
    ("copilot", "agentStop", {"stopReason": "end_turn"}, "stop", False),
]


@pytest.mark.parametrize(("agent", "event", "data", "moment", "can_say"), EVENTS)
def test_an_agents_event_in_our_words(agent, event, data, moment, can_say):
    heard = discover.load("hooks", agent)().hear(event, {**SESSION[agent], **data}, {})
    assert (heard.moment, heard.can_say) == (moment, can_say)
    assert (heard.session, heard.transcript, heard.cwd) == ("s", "/t.jsonl", "/code")
    assert heard.prompt == data.get("prompt", "")
    assert not heard.inner


@pytest.mark.parametrize("agent", discover.names("hooks"))
class TestContract(HookDialectContract):
    """The suite that third parties use, for each of ours."""

    @pytest.fixture(autouse=True)
    def _agent(self, agent):
        self.agent = agent
        self.events = tuple(self.dialect().moments)
        self.start = next(event for event in self.events if event in self.dialect().speaks)

    def dialect(self):
        return discover.load("hooks", self.agent)()


@pytest.mark.parametrize("agent", [*SESSION])
def test_what_is_said_is_one_json_document_that_holds_the_text(agent):
    text = 'two\nlines, "quotes", \u202e and \ud800'
    said = discover.load("hooks", agent)().say("SessionStart", text)
    answer = json.loads(said)
    assert said.isascii()
    assert answer.get("hookSpecificOutput", answer)["additionalContext"] == text


def process(folder, number, parent, words, inputs=()):
    place = folder / str(number)
    (place / "fd").mkdir(parents=True)
    (place / "cmdline").write_bytes("\0".join([*words, ""]).encode())
    (place / "stat").write_text(f"{number} (odd ) name) S {parent} 1 1")
    for fd, target in enumerate(inputs):
        os.symlink(target, place / "fd" / str(fd))


@pytest.mark.parametrize(
    ("words", "inputs", "alone"),
    [
        (["node", "/usr/bin/gemini"], ("/dev/pts/3", "/dev/pts/3"), False),
        (["node", "/usr/bin/gemini", "-p", "hello"], ("/dev/pts/3", "/dev/pts/3"), True),
        (["/opt/gemini.js"], ("/dev/null", "pipe:[1]"), True),
        (["/opt/gemini.js"], ("pipe:[1]", "/dev/pts/3"), False),
        (["vim", "notes-on-gemini.md"], ("/dev/null", "/dev/null"), False),
    ],
)
def test_a_person_is_known_by_the_agents_flags_and_its_terminal(tmp_path, words, inputs, alone):
    process(tmp_path, os.getppid(), 70001, ["sh", "-c", "memoranda hook"])
    process(tmp_path, 70001, 70002, ["node", "worker"])
    process(tmp_path, 70002, 1, words, inputs)
    assert headless(Signs(("gemini",), ("-p", "--prompt")), {}, str(tmp_path)) == alone


def test_where_processes_cannot_be_seen_a_person_is_taken_to_be_there(tmp_path):
    assert not headless(Signs(("gemini",), ("-p",)), {}, str(tmp_path / "nothing"))


def test_an_agent_that_says_so_is_believed(tmp_path):
    signs = Signs(("claude",), ("-p",), variable="HOW", values=("sdk",))
    process(tmp_path, os.getppid(), 1, ["claude", "-p"])
    assert headless(signs, {"HOW": "sdk-cli"}, str(tmp_path))
    assert not headless(signs, {"HOW": "cli"}, str(tmp_path))
