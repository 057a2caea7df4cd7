"""The server as a process: both eras, hostile bytes, cancellation, notifications, leaving."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable

import pytest

from memoranda import Memory
from memoranda.model.outcome import Stored
from memoranda.model.record import Record
from memoranda.views.mcp.eras import CAPABILITIES_KEY, LEGACY, SERVER_KEY, SUBSCRIPTION_KEY, VERSION_KEY
from memoranda.views.mcp.messages import FRAME_BYTES, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR

Client = Any


def kept(memory: Memory, text: str, **more: Any) -> Record:
    outcome = memory.remember(text, **more)
    assert isinstance(outcome, Stored), outcome
    return outcome.record


# -- the two eras


@pytest.mark.parametrize("version", LEGACY)
def test_a_known_old_version_is_echoed(client: Client, version: str) -> None:
    result = client.hello(version)["result"]
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "memoranda"
    assert not {"resultType", "ttlMs", "_meta"} & result.keys()


def test_an_unknown_old_version_gets_our_newest(client: Client) -> None:
    assert client.hello("1999-01-01")["result"]["protocolVersion"] == LEGACY[-1]


def test_a_modern_request_needs_no_handshake_and_gets_what_it_must(client: Client) -> None:
    found = client.ask("server/discover")["result"]
    assert found["resultType"] == "complete"
    assert found["supportedVersions"] == ["2026-07-28"]
    assert (found["cacheScope"], found["ttlMs"] > 0) == ("public", True)
    assert found["_meta"][SERVER_KEY]["name"] == "memoranda"
    tools = client.ask("tools/list")["result"]
    assert tools["resultType"] == "complete"
    assert tools["cacheScope"] == "public"


def test_both_eras_in_one_process(client: Client) -> None:
    client.hello()
    assert "resultType" not in client.ask("tools/list", modern=False)["result"]
    assert client.ask("tools/list")["result"]["resultType"] == "complete"


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        ({VERSION_KEY: "2099-01-01", CAPABILITIES_KEY: {}}, -32022),
        ({VERSION_KEY: 7, CAPABILITIES_KEY: {}}, -32022),
        ({VERSION_KEY: "2026-07-28"}, INVALID_PARAMS),
        ({VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: []}, INVALID_PARAMS),
        ({}, INVALID_REQUEST),
        (None, INVALID_REQUEST),
    ],
)
def test_a_request_that_says_too_little_is_refused(client: Client, meta: Any, code: int) -> None:
    client.send({"jsonrpc": "2.0", "id": 9, "method": "tools/list", "params": {"_meta": meta}})
    error = client.answer(9)["error"]
    assert error["code"] == code
    if code == -32022:
        assert error["data"]["supported"] == ["2026-07-28"]


def test_what_an_era_does_not_have_is_not_found(client: Client) -> None:
    assert client.ask("ping", modern=False)["result"] == {}
    assert client.ask("ping")["error"]["code"] == METHOD_NOT_FOUND
    client.hello()
    assert client.ask("server/discover", modern=False)["error"]["code"] == METHOD_NOT_FOUND
    assert client.ask("resources/subscribe", uri="memoranda://core")["error"]["code"] == METHOD_NOT_FOUND
    assert client.ask("logging/setLevel", modern=False, level="info")["error"]["code"] == METHOD_NOT_FOUND


def test_an_unknown_tool_is_an_error_of_the_protocol(client: Client) -> None:
    assert client.ask("tools/call", name="nope", arguments={})["error"]["code"] == INVALID_PARAMS
    assert client.ask("tools/call", name="status", arguments=[])["error"]["code"] == INVALID_PARAMS


def test_a_missing_resource_has_its_eras_code(client: Client) -> None:
    assert client.ask("resources/read", uri="memoranda://record/mem_000000000000")["error"]["code"] == INVALID_PARAMS
    client.hello()
    assert client.ask("resources/read", modern=False, uri="file:///etc/passwd")["error"]["code"] == -32002


# -- bytes


def test_the_first_answer_loads_neither_the_sdk_nor_the_table(environ: dict[str, str]) -> None:
    """The import budget: what a client waits for at start. The number itself is in benchmarks/mcp.py."""
    code = (
        "import sys; from memoranda.views.cli import main; main(['mcp']);"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    frame = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}\n'
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, input=frame, capture_output=True, env=environ, timeout=30
    )
    loaded = set(done.stderr.decode().split())
    assert json.loads(done.stdout)["id"] == 1
    assert not {name for name in loaded if name.startswith("memoranda.memory") or name == "memoranda.views.operations"}
    assert not loaded & {"argparse", "sqlite3", "tantivy", "numpy", "asyncio", "dataclasses", "inspect"}


def test_stray_prints_never_reach_the_client(environ: dict[str, str]) -> None:
    """Not Python's, not a child's, not a library's that writes to descriptor 1, not at the very end."""
    code = (
        "import os, sys, subprocess, atexit; from memoranda.views.cli import main;"
        "from memoranda.views.mcp import session;"
        "old = session.Session.take\n"
        "def take(self, frame):\n"
        "    print('stray'); os.write(1, b'raw'); subprocess.run(['echo', 'child']); old(self, frame)\n"
        "session.Session.take = take\n"
        "atexit.register(print, 'late')\n"
        "main(['mcp'])"
    )
    frame = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, input=frame, capture_output=True, env=environ, timeout=30
    )
    assert done.stdout == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
    assert all(word in done.stderr for word in (b"stray", b"raw", b"child", b"late"))


def test_hostile_lines_are_answered_and_the_next_request_works(client: Client) -> None:
    for frame in (b"{\n", b"\xff\xff\n", b"null\n", b"\n", b"[" * 200_000 + b"\n", b"\r\n"):
        client.send(frame)
    client.send(b'{"jsonrpc":"2.0","id":7,"method":"ping"}\r\n')
    assert client.answer(7)["result"] == {}
    codes = [note["error"]["code"] for note in client.notes]
    assert codes == [PARSE_ERROR, PARSE_ERROR, INVALID_REQUEST, PARSE_ERROR]


def test_a_line_that_is_too_long_is_refused_and_passed_over(client: Client) -> None:
    client.send(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"' + b"a" * (FRAME_BYTES * 2) + b'"}}\n')
    client.send(b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
    assert client.answer(2)["result"] == {}
    assert [note["error"]["code"] for note in client.notes] == [INVALID_REQUEST]


def test_a_client_that_counts_its_bytes_is_answered_in_kind(client: Client) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
    client.send(b"Content-Length: %d\r\nContent-Type: x\r\n\r\n%s" % (len(body), body))
    assert client.line() == b"Content-Length: 36\r\n"
    assert client.line() == b"\r\n"
    client.process.stdin.close()
    assert client.line() == b'{"jsonrpc":"2.0","id":1,"result":{}}'


def test_several_at_once_only_where_that_was_allowed(client: Client) -> None:
    ping = {"jsonrpc": "2.0", "method": "ping"}
    client.send([{**ping, "id": 1}])
    assert client.receive()["error"]["code"] == INVALID_REQUEST
    client.hello("2025-03-26")
    call = {"jsonrpc": "2.0", "id": 32, "method": "tools/call", "params": {"name": "status", "arguments": {}}}
    client.send([{**ping, "id": 31}, call, 5, {"jsonrpc": "2.0", "method": "notifications/x"}, {**ping, "id": 33}])
    replies = client.receive()
    assert sorted(str(reply["id"]) for reply in replies) == ["31", "32", "33", "None"]
    client.send([{"jsonrpc": "2.0", "id": 40, "method": "initialize"}])
    assert client.receive()[0]["error"]["code"] == INVALID_REQUEST
    client.hello("2025-06-18")
    client.send([{**ping, "id": 41}])
    assert client.receive()["error"]["code"] == INVALID_REQUEST


# -- while something runs


def slow(environ: dict[str, str], seconds: float, work: Path) -> subprocess.Popen[bytes]:
    """A server whose status takes long."""
    code = (
        "import sys, time; from memoranda.views.cli import main; from memoranda.views.commands import upkeep\n"
        f"def status(call): time.sleep({seconds}); return old(call)\n"
        "old = upkeep.status; upkeep.status = status; main(['mcp'])"
    )
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environ, cwd=work,
    )  # fmt: skip


def test_a_ping_is_answered_while_a_call_runs_and_a_cancelled_call_is_not(
    environ: dict[str, str], work: Path, memory: Memory
) -> None:
    with slow(environ, 1.0, work) as process:
        assert process.stdin
        assert process.stdout
        call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "status", "arguments": {}}}
        start = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}}
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}
        ping = {"jsonrpc": "2.0", "id": 4, "method": "ping"}
        frames = [start, {**call, "id": 1}, {**call, "id": 2}, {**call, "id": 3}, cancel, ping, {**call, "id": 1}]
        process.stdin.write(b"".join(json.dumps(frame).encode() + b"\n" for frame in frames))
        process.stdin.close()
        replies = [json.loads(line) for line in process.stdout]
        assert [reply["id"] for reply in replies] == [0, 4, 1, 1, 3]
        assert replies[2]["error"]["code"] == INVALID_REQUEST  # an id that is still open


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_without_waiting_for_what_is_queued(
    environ: dict[str, str], work: Path, memory: Memory, number: int
) -> None:
    with slow(environ, 0.3, work) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n')
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(number)
        assert process.wait(30) == 0


def test_it_ends_when_the_client_closes_and_answers_what_was_asked(client: Client, memory: Memory) -> None:
    client.hello()
    for id in range(10, 15):
        client.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "status"}})
    code, rest = client.close()
    assert code == 0
    assert [json.loads(line)["id"] for line in rest.splitlines()] == [10, 11, 12, 13, 14]


# -- notifications


def test_b77_a_file_edited_by_hand_is_told_to_an_old_client(client: Client, memory: Memory) -> None:
    record = kept(memory, "Retries are capped at 5 because the gateway drops longer chains")
    other = kept(memory, "Deploys to staging are fine on any weekday")
    client.hello()
    for uri in (f"memoranda://record/{record.id}", "memoranda://core"):
        assert client.ask("resources/subscribe", modern=False, uri=uri)["result"] == {}
    edit(memory, record)
    note = client.note("notifications/resources/updated")
    assert note["params"] == {"uri": f"memoranda://record/{record.id}"}
    memory.promote(other.id, core=True)
    assert client.note("notifications/resources/updated")["params"] == {"uri": "memoranda://core"}
    client.ask("resources/unsubscribe", modern=False, uri="memoranda://core")
    kept(memory, "The gateway drops chains longer than eight")
    client.note("notifications/resources/list_changed")


def test_b77_a_modern_client_listens_is_told_and_stops(client: Client, memory: Memory) -> None:
    record = kept(memory, "Retries are capped at 5 because the gateway drops longer chains")
    uri = f"memoranda://record/{record.id}"
    wishes = {
        "resourcesListChanged": True,
        "toolsListChanged": True,
        "resourceSubscriptions": [uri, "file:///etc/passwd"],
    }
    params = {"notifications": wishes, "_meta": meta()}
    client.send({"jsonrpc": "2.0", "id": "ears", "method": "subscriptions/listen", "params": params})
    told = client.note("notifications/subscriptions/acknowledged")["params"]
    assert told["notifications"] == {"resourcesListChanged": True, "resourceSubscriptions": [uri]}
    assert told["_meta"] == {SUBSCRIPTION_KEY: "ears"}
    edit(memory, record)
    note = client.note("notifications/resources/updated")["params"]
    assert note == {"uri": uri, "_meta": {SUBSCRIPTION_KEY: "ears"}}
    kept(memory, "Deploys to staging are fine on any weekday")
    assert client.note("notifications/resources/list_changed")["params"]["_meta"] == {SUBSCRIPTION_KEY: "ears"}
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "ears"}})
    kept(memory, "The gateway drops chains longer than eight")
    time.sleep(1.2)  # two looks
    client.ask("tools/list")
    assert client.notes == []
    _, rest = client.close()
    assert rest == b""


def test_a_listener_that_is_open_at_the_end_gets_its_result(client: Client, memory: Memory) -> None:
    params = {"notifications": {"resourcesListChanged": True}, "_meta": meta()}
    client.send({"jsonrpc": "2.0", "id": "ears", "method": "subscriptions/listen", "params": params})
    client.note("notifications/subscriptions/acknowledged")
    code, rest = client.close()
    result = json.loads(rest)
    assert (code, result["id"], result["result"]["resultType"]) == (0, "ears", "complete")
    assert result["result"]["_meta"][SUBSCRIPTION_KEY] == "ears"


def meta() -> dict[str, Any]:
    return {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {}}


def edit(memory: Memory, record: Record) -> None:
    """As an editor does: the words of the file change at once. Writing in place would be two changes: the file is
    empty for a moment, and a look in that moment tells of it."""
    path = memory.root / record.path
    beside = memory.root.parent / "edited.md"
    beside.write_bytes(path.read_bytes().replace(b"capped at 5", b"capped at 6"))
    os.replace(beside, path)


# -- where it stands


def test_without_a_memory_it_starts_and_says_how_to_make_one(client: Client) -> None:
    text, failed = client.call("recall", text="anything")
    assert failed
    assert text.startswith("not_found: there is no memory")
    assert "memoranda init" in text
    assert client.ask("resources/list")["result"]["resources"][0]["uri"] == "memoranda://core"


def test_a_memory_made_later_is_served(client: Client, environ: dict[str, str], memory: Memory) -> None:
    text, failed = client.call("status")
    assert not failed
    assert "0 records" in text


def test_anchors_are_taken_in_the_projects_folder(start: Callable[..., Client], work: Path, memory: Memory) -> None:
    (work / "app.py").write_text("one\ntwo\nthree\n")
    git = ["git", "-C", str(work), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "x"], check=True)
    client = start(cwd=Path("/"), CLAUDE_PROJECT_DIR=str(work))
    text, failed = client.call("remember", text="The second line of the app is two", anchor=["app.py#L2-L2"])
    assert not failed, text
    text, _ = client.call("verify")
    assert "1 fresh" in text
    (work / "app.py").write_text("one\n2\nthree\n")
    text, _ = client.call("recall", text="second line of the app")
    assert "state=stale" in text
    assert "call: verify" in text


def test_a_project_memory_is_found_beside_the_personal_one(
    start: Callable[..., Client], work: Path, memory: Memory, environ: dict[str, str]
) -> None:
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    client = start()
    text, failed = client.call("remember", text="The build needs Python 3.11", project=True)
    assert failed
    assert "memoranda init --project" in text
    made = [sys.executable, "-m", "memoranda.views.cli", "init", "--project"]
    subprocess.run(made, check=True, cwd=work, env=environ, capture_output=True)
    text, failed = client.call("remember", text="The build needs Python 3.11", project=True)
    assert not failed, text
    text, _ = client.call("recall", text="which Python does the build need?")
    assert '"project":true' in text
    assert list((work / ".memoranda" / "records").rglob("*.md"))
    assert not list((memory.root / "records").rglob("*.md"))


def test_the_door_is_an_agents_whatever_the_client_says(client: Client, memory: Memory) -> None:
    client.call("remember", text="Deploys to staging are fine on any weekday", source="user_message", confidence="high")
    (id,) = memory.ids()
    record = memory.get(id)
    assert isinstance(record, Record)
    assert (record.channel, record.principal) == ("agent", "test-client")
