"""The doors over HTTP: every form of credential is refused there too, by the same rule, and nothing of it is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable
from urllib.parse import quote

import pytest
from support.one_door import HELD, told, traces

from memoranda import Memory
from memoranda.model.outcome import Refused
from memoranda.views.http.limits import Limits

#: Every rule in the slow run, one in eight otherwise.
SHARES = [pytest.param(1, marks=pytest.mark.slow), 8]
CALL = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "remember"}
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def rule_of(document: Any) -> str:
    assert document["outcome"] == "refused", document
    rule: str = document["data"]["findings"][0]["rule"]
    return rule


@pytest.mark.parametrize("share", SHARES)
def test_c11_http_and_the_protocol_over_it_refuse_by_the_rule_of_the_sdk(
    share: int, build: Callable[..., Any], memory: Memory, tmp_path: Path
) -> None:
    ask = build(limits=Limits(threads=1))
    said = b""
    for text, _ in list(HELD.values())[::share]:
        outcome = memory.remember(text)
        assert isinstance(outcome, Refused), text[:20]
        over_http = ask("POST", "/v1/records", {"text": text})
        assert over_http.status == 422
        in_a_field = ask("POST", "/v1/records", {"text": "The runner uses a key", "tag": [text]})
        params = {"name": "remember", "arguments": {"text": text, "format": "json"}, "_meta": META}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        over_mcp = ask("POST", "/mcp", message, CALL)
        documents = [over_http.document, in_a_field.document, over_mcp.document["result"]["structuredContent"]]
        assert {rule_of(document) for document in documents} == {outcome.findings[0].rule}, text[:20]
        said += over_http.body + in_a_field.body + over_mcp.body
    assert told(said.decode()) == []
    assert traces(memory.root, tmp_path / "home") == []


def test_c11_the_reason_of_a_retirement_is_a_door_too(ask: Any, memory: Memory, tmp_path: Path) -> None:
    id = ask("POST", "/v1/records", {"text": "Retries are capped at 5"}).document["data"]["record"]["id"]
    for text, _ in list(HELD.values())[::40]:
        ask("DELETE", f"/v1/records/{id}?reason={quote(text, safe='')}")
    assert traces(memory.root, tmp_path / "home") == []
