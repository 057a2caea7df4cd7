"""Frames of bytes as messages: whatever comes, the answer is a message or a code."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoranda.views.mcp import messages
from memoranda.views.mcp.messages import Batch, Flaw, Message, dump, parse


def test_a_request_and_a_notification() -> None:
    assert parse(b'{"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}}') == Message("m", {"x": 1}, "a")
    assert parse(b'{"jsonrpc":"2.0","method":"m"}') == Message("m", {}, None)
    assert parse(b'{"jsonrpc":"2.0","id":0,"method":"m","params":null}') == Message("m", {}, 0)


def test_a_reply_is_nobodys_question() -> None:
    assert parse(b'{"jsonrpc":"2.0","id":1,"result":{}}') is None
    assert parse(b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}') is None


@pytest.mark.parametrize(
    ("frame", "code", "id"),
    [
        (b"{", messages.PARSE_ERROR, None),
        (b"\xff\xfe{}", messages.PARSE_ERROR, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"m","params":{"x":NaN}}', messages.PARSE_ERROR, None),
        (b'{"x":' + b"9" * 5000 + b"}", messages.PARSE_ERROR, None),
        (b"[" * 100_000, messages.PARSE_ERROR, None),
        (b"1", messages.INVALID_REQUEST, None),
        (b"[]", messages.INVALID_REQUEST, None),
        (b"{}", messages.INVALID_REQUEST, None),
        (b'{"jsonrpc":"1.0","id":1,"method":"m"}', messages.INVALID_REQUEST, 1),
        (b'{"jsonrpc":"2.0","id":null,"method":"m"}', messages.INVALID_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"m"}', messages.INVALID_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"m"}', messages.INVALID_REQUEST, None),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', messages.INVALID_REQUEST, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}', messages.INVALID_PARAMS, 1),
        (b'{"jsonrpc":"2.0","id":1,"method":"m","params":' + b'{"a":' * 40 + b"1" + b"}" * 40 + b"}",
         messages.INVALID_REQUEST, 1),
    ],
)  # fmt: skip
def test_what_is_no_message_gets_its_code(frame: bytes, code: int, id: Any) -> None:
    found = parse(frame)
    assert isinstance(found, Flaw)
    assert (found.code, found.id) == (code, id)


def test_a_frame_that_is_too_long_is_not_parsed() -> None:
    found = parse(b" " * (messages.FRAME_BYTES + 1))
    assert isinstance(found, Flaw)
    assert found.code == messages.INVALID_REQUEST


def test_several_at_once() -> None:
    found = parse(b'[{"jsonrpc":"2.0","id":1,"method":"m"},1,{"jsonrpc":"2.0","id":2,"result":{}}]')
    assert isinstance(found, Batch)
    kinds = [type(item) for item in found.items]
    assert kinds == [Message, Flaw, type(None)]


@given(st.binary(max_size=200))
def test_any_bytes_are_parsed_without_an_exception(frame: bytes) -> None:
    parse(frame)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params", "result"]), JSON))
def test_any_document_is_parsed_without_an_exception(value: Any) -> None:
    parse(json.dumps(value).encode())


@given(JSON)
def test_what_is_written_is_one_line_and_reads_back(value: Any) -> None:
    data = dump(value)
    assert b"\n" not in data
    assert "\u2028" not in data.decode()
    assert json.loads(data) == value


def test_a_lone_surrogate_can_be_written() -> None:
    assert json.loads(dump({"x": "\ud800"})) == {"x": "\ud800"}
