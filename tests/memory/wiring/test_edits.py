"""Putting text into settings of others: nothing else changes, twice is once, and out again gives the same bytes."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoranda.memory.wiring.edits import apply, put, satisfied, take, undo
from memoranda.memory.wiring.jsonc import parse
from memoranda.model.errors import Conflict, Invalid
from memoranda.ports import Edit

SERVER = {"command": "/opt/memoranda", "args": ["mcp"]}
HOOK = {"hooks": [{"type": "command", "command": "memoranda hook"}]}
P = Path("x")
ADD = Edit(P, "json", SERVER, ("mcpServers", "memoranda"))
APPEND = Edit(P, "json", HOOK, ("hooks", "Stop"), append=True)
TOML = Edit(
    P, "toml", '[mcp_servers.memoranda]\ncommand = "/opt/memoranda"\nargs = ["mcp"]\n', ("mcp_servers", "memoranda")
)
YAML = Edit(P, "yaml", "memoranda:\n  cmd: /opt/memoranda\n  enabled: true\n", ("extensions", "memoranda"))
SECTION = Edit(P, "section", "Ask recall first.\n")
FILE = Edit(P, "file", "export default 1\n")

TEXTS = [
    "",
    "{}",
    "{ }\n",
    "{\n}\n",
    '{"a": 1}',
    '{\n  "a": 1\n}\n',
    '{\n    "a": 1, // why\n    "mcpServers": {} /* none */\n}\n',
    '{\n\t"mcpServers": {\n\t\t"other": {"command": "x"}, // kept\n\t},\n}\n',
    '// first\n{\n  "hooks": {"Stop": [{"hooks": []}]},\n  "b": [1, 2] // last\n  // end\n}\n// after\n',
    '{\r\n  "hooks": {\r\n    "Stop": [\r\n      1\r\n    ]\r\n  }\r\n}\r\n',
    '\ufeff{"a": "\\u00e9 // not a comment /* */", "url": "http://x"}',
    "{ /* only a comment */ }",
]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("edit", [ADD, APPEND], ids=["member", "item"])
def test_a47_json_goes_in_and_out_and_nothing_else_changes(text, edit):
    pieces = apply(text, edit)
    after = put(text, pieces)
    found, before = parse(after).value, parse(text).value if text.strip() else {}
    key, last = edit.place
    inner = found[key].pop(last) if not edit.append else found[key][last].pop()
    assert inner == edit.value
    for container in (found.get(key, {}), found):
        for name in [name for name, value in container.items() if value in ({}, [])]:
            del container[name]
    before = {k: v for k, v in before.items() if v not in ({}, [])}
    assert found == before
    assert _comments(text) == _comments(after)
    assert satisfied(after, edit)
    assert apply(after, edit) == []
    assert take(after, pieces) == text
    assert ("\r\n" in text) == ("\r\n" in after)


def test_a_comment_behind_the_last_member_stays_with_it():
    text = '{\n  "a": 1 // about a\n}\n'
    assert put(text, apply(text, Edit(P, "json", 2, ("b",)))) == '{\n  "a": 1, // about a\n  "b": 2\n}\n'


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["hooks", "Stop", "mcpServers", "a", "é"]), inner, max_size=4)
    ),
    max_leaves=12,
)
SPACES = st.sampled_from(["", " ", "\n", "\n  ", "\t", "\r\n", " // c\n", "/* c */", "\n// {\n", "/* } */ "])


@st.composite
def texts(draw):
    """An object printed with random white space, comments and trailing commas."""

    def printed(value):
        space = draw(SPACES)
        if isinstance(value, dict | list):
            pairs = value.items() if isinstance(value, dict) else ((None, item) for item in value)
            parts = [
                (f"{draw(SPACES)}{json.dumps(key)}{draw(SPACES)}:" if key is not None else "") + printed(item)
                for key, item in pairs
            ]
            comma = "," if parts and draw(st.booleans()) else ""
            marks = "{}" if isinstance(value, dict) else "[]"
            return space + marks[0] + ",".join(parts) + comma + draw(SPACES) + marks[1] + draw(SPACES)
        return space + json.dumps(value) + draw(SPACES)

    value = draw(st.dictionaries(st.sampled_from(["hooks", "mcpServers", "a", "b"]), JSON, max_size=4))
    return printed(value)


@settings(max_examples=80, deadline=None)
@given(texts(), st.permutations([ADD, APPEND, Edit(P, "json", HOOK, ("hooks", "Start"), append=True)]))
def test_a47_any_settings_connected_twice_and_disconnected_are_the_same_bytes(text, edits):
    whole, done = text, []
    for edit in edits:
        try:
            pieces = apply(whole, edit)
        except Conflict:  # something else stands in the place: nothing was changed
            continue
        whole = put(whole, pieces)
        done.append((edit, pieces))
    for edit, _ in done:
        assert apply(whole, edit) == []
    assert _comments(whole) == _comments(text)
    for _, pieces in reversed(done):
        whole = take(whole, pieces)
    assert whole == text


@settings(max_examples=80, deadline=None)
@given(texts(), st.sampled_from([ADD, APPEND]))
def test_a_file_that_was_printed_anew_meanwhile_loses_what_is_ours_and_nothing_else(text, edit):
    """As an agent does that reads its settings and writes them again."""
    try:
        pieces = apply(text, edit)
    except Conflict:
        return
    value = parse(put(text, pieces)).value
    value["new"] = "added since"
    again = json.dumps(value, indent=4)
    left = parse(undo(again, edit, pieces)).value
    assert left.pop("new") == "added since"
    assert _full(left) == _full(parse(text).value)


def _full(value):
    """Without containers that are empty at the places of ours: nobody can tell whose they were."""
    for key in ("hooks", "mcpServers"):
        inner = value.get(key)
        if isinstance(inner, dict):
            for name in ("Stop", "memoranda"):
                if inner.get(name) in ([], {}):
                    del inner[name]
        if value.get(key) in ({}, []):
            del value[key]
    return value


def _comments(text):
    return re.findall(r"//[^\r\n]*|/\*.*?\*/", re.sub(r'"(?:[^"\\]|\\.)*"', '""', text))


def test_what_a_person_changed_in_ours_is_theirs():
    after = put("{}", apply("{}", ADD)).replace('"mcp"', '"mcp", "--verbose"')
    assert undo(after, ADD, apply("{}", ADD)) == after


@pytest.mark.parametrize(
    "text", ['{"mcpServers": 3}', '{"mcpServers": {"memoranda": {"command": "other"}}}', '{"hooks": []}']
)
def test_something_else_in_the_place_is_a_conflict(text):
    for edit in (ADD, APPEND):
        if edit.place[0] in text:
            with pytest.raises(Conflict):
                apply(text, edit)


@pytest.mark.parametrize(
    "text", ["{", "[1", '{"a" 1}', '{"a": 1,, }', "nonsense", '{"a":1}{', '{"a":1,"a":2}', "[" * 500]
)
def test_what_is_no_json_is_not_touched(text):
    with pytest.raises(Invalid):
        apply(text, ADD)


@pytest.mark.parametrize("text", ["", "a = 1", "# c\n[x]\ny = 2 # z\n", "[mcp_servers.other]\r\ncommand = 'x'\r\n"])
def test_toml_gets_a_table_at_its_end(text):
    pieces = apply(text, TOML)
    after = put(text, pieces)
    found = tomllib.loads(after.replace("\r\n", "\n"))
    assert found["mcp_servers"].pop("memoranda") == SERVER
    if not found["mcp_servers"]:
        del found["mcp_servers"]
    assert found == tomllib.loads(text.replace("\r\n", "\n"))
    assert apply(after, TOML) == []
    assert take(after, pieces) == text
    assert undo("new = 1\n" + after, TOML, pieces).replace("new = 1\n", "", 1).strip() == text.strip()


@pytest.mark.parametrize("text", ["mcp_servers = {}\n", "[mcp_servers.memoranda]\ncommand = 'y'\n", "a = \n"])
def test_toml_that_cannot_take_it_is_not_touched(text):
    with pytest.raises((Invalid, Conflict)):
        apply(text, TOML)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: 1\n",
        "a: 1",
        "extensions:\n",
        "extensions:  # mine\n    other:\n        cmd: x\nb: 2\n",
        "extensions:\n\n  # c\n  o: 1\n",
    ],
)
def test_yaml_gets_an_entry_below_its_key(text):
    import yaml

    pieces = apply(text, YAML)
    after = put(text, pieces)
    found = yaml.safe_load(after)
    assert found["extensions"].pop("memoranda") == {"cmd": "/opt/memoranda", "enabled": True}
    assert (found["extensions"] or None) == ((yaml.safe_load(text) or {}).get("extensions") or None)
    assert apply(after, YAML) == []
    assert take(after, pieces) == text
    assert undo(after + "z: 9\n", YAML, pieces).replace("z: 9\n", "") == text or not text


@pytest.mark.parametrize(
    "text", ["extensions: {}\n", "extensions: {a: 1}\n", "extensions:\n  memoranda:\n    cmd: mine\n"]
)
def test_yaml_that_cannot_take_it_is_not_touched(text):
    with pytest.raises((Invalid, Conflict)):
        apply(text, YAML)


@pytest.mark.parametrize("text", ["", "# Rules\n", "# Rules\r\nno newline"])
def test_a_section_goes_to_the_end_and_out_again(text):
    pieces = apply(text, SECTION)
    after = put(text, pieces)
    assert after.startswith(text)
    assert apply(after, SECTION) == []
    assert take(after, pieces) == text
    assert undo("new\n" + after, SECTION, pieces).replace("new\n", "", 1).strip() == text.strip()
    with pytest.raises(Conflict):
        apply(after, Edit(P, "section", "other words"))


def test_a_file_of_ours_takes_no_other_files_place():
    assert put("", apply("", FILE)) == "export default 1\n"
    with pytest.raises(Conflict):
        apply("mine", FILE)
