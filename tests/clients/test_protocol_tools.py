"""The protocol's own tools, the Inspector and the conformance suite, against the server over HTTP in both eras."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterator
from urllib.request import Request, urlopen

import pytest

from clients.recipes import fetch
from memoranda import Memory
from memoranda.memory.settings import load

pytestmark = pytest.mark.clients
SERVER = Path(__file__).parents[1] / "support" / "open_server.py"

#: What the suite can find out about any server; the others want tools made for the suite.
SCENARIOS = (
    "server-initialize", "server-session-lifecycle", "ping", "completion-complete", "tools-list", "resources-list",
    "prompts-list", "dns-rebinding-protection", "caching", "http-header-validation", "sep-2164-resource-not-found",
    "server-sse-multiple-streams", "server-stateless",
)  # fmt: skip
#: Checks that are failed for want of a tool of the suite's own, and say so.
UNTESTABLE = {
    "sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream", "sep-2575-server-no-log-without-loglevel",
}  # fmt: skip


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that needs no token, since the suite can send none."""
    home = tmp_path_factory.mktemp("home")
    cache = Path(tempfile.gettempdir()) / f"memoranda-tests-{os.getuid()}"
    environ = {"HOME": str(home), "PATH": os.environ["PATH"], "MEMORANDA_CACHE": str(cache), "MEMORANDA_EMBEDDER": ""}
    with Memory.init(settings=load(environ)) as memory:
        memory.remember("Retries are capped at 5")
    with subprocess.Popen([sys.executable, SERVER, home], stdout=subprocess.PIPE, env=environ, text=True) as process:
        assert process.stdout
        yield process.stdout.readline().strip()
        process.terminate()


def program(name: str) -> str:
    found = fetch.program(name)
    if found is None:
        pytest.skip(f"{name} was not fetched: make clients")
    return str(found)


def asked(url: str, name: str, arguments: dict[str, Any]) -> str:
    """The same call as a plain request."""
    version = "2026-07-28"
    key = "io.modelcontextprotocol/"
    meta = {f"{key}protocolVersion": version, f"{key}clientCapabilities": {}}
    params = {"name": name, "arguments": arguments, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"Content-Type": "application/json", "MCP-Protocol-Version": version}
    headers |= {"Mcp-Method": "tools/call", "Mcp-Name": name}
    with urlopen(Request(f"{url}/mcp", json.dumps(body).encode(), headers)) as reply:
        text: str = json.load(reply)["result"]["content"][0]["text"]
        return text


def environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{fetch.node_folder()}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_conformance_suite(scenario: str, url: str, tmp_path: Path) -> None:
    words = [program("conformance"), "server", "--url", f"{url}/mcp", "--scenario", scenario, "-o", str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, env=environment(), check=False)
    checks = [json.loads(path.read_text()) for path in tmp_path.rglob("checks.json")]
    assert checks, done.stdout + done.stderr
    rows: list[dict[str, Any]] = [row for found in checks for row in found]
    passed = {row["id"] for row in rows if row["status"] == "SUCCESS"}
    failed = {row["id"]: row.get("errorMessage", "") for row in rows if row["status"] == "FAILURE"}
    assert passed
    assert {id: why for id, why in failed.items() if id not in UNTESTABLE} == {}
    assert all(re.match("Not testable", why) for why in failed.values()), failed


@pytest.mark.parametrize("era", ["legacy", "auto", "modern"])
def test_a20_the_inspector_finds_nothing_amiss_and_gets_the_bytes_that_others_get(era: str, url: str) -> None:
    words = [program("inspector"), "--cli", "--protocol-era", era, "--format", "json", "-q"]
    words += ["--server-url", f"{url}/mcp", "--transport", "http"]
    listing = [*words, "--method", "tools/list", "--strict"]
    done = subprocess.run(listing, capture_output=True, text=True, timeout=120, env=environment(), check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(json.loads(done.stdout)["result"]["tools"]) == 10
    calling = [*words, "--method", "tools/call", "--tool-name", "recall", "--tool-args-json", '{"text": "retries"}']
    done = subprocess.run(calling, capture_output=True, text=True, timeout=120, env=environment(), check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    text = json.loads(done.stdout)["result"]["content"][0]["text"]
    assert "Retries are capped at 5" in text
    assert text == asked(url, "recall", {"text": "retries"})
