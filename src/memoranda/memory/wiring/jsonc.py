"""JSON with comments and trailing commas, read with the place of every value, so that text can be put in beside it.

Agents' settings are edited by people: comments, order, spaces and unknown keys must survive a change. So nothing is
printed anew; a text is read into nodes that know where they stand, and what is added is pieces of text.
"""

from __future__ import annotations

import json
import re
from typing import Any

from memoranda.model.errors import Invalid
from memoranda.model.values import dataclass, field

_SPACE = re.compile(r"(?:[ \t\r\n\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_DEEPEST = 100


@dataclass(slots=True)
class Node:
    """A value and where it stands: `text[start:end]`. `members` of an object by key, `items` of an array.

    `inner` is where the last thing within a container ends, comments included; `comma` where its trailing comma
    ends (0 for none).
    """

    start: int
    end: int
    value: Any
    members: dict[str, Node] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)
    inner: int = 0
    comma: int = 0

    @property
    def parts(self) -> list[Node]:
        return list(self.members.values()) or self.items


def parse(text: str) -> Node:
    """The one value of the text. Raises `Invalid` naming the line."""
    node, end = _value(text, _skip(text, 0), 0)
    if _skip(text, end) != len(text):
        raise _odd(text, end)
    return node


def _value(text: str, at: int, depth: int) -> tuple[Node, int]:
    if depth > _DEEPEST:
        raise _odd(text, at)
    if text[at : at + 1] in ("{", "["):
        return _container(text, at, depth)
    match = _STRING.match(text, at) or _SCALAR.match(text, at)
    if match is None:
        raise _odd(text, at)
    try:
        return Node(at, match.end(), json.loads(match[0])), match.end()
    except ValueError:
        raise _odd(text, at) from None


def _container(text: str, start: int, depth: int) -> tuple[Node, int]:
    table = text[start] == "{"
    close = "}" if table else "]"
    node = Node(start, 0, {} if table else [], inner=start + 1)
    at = _skip(text, start + 1)
    while text[at : at + 1] != close:
        if node.parts and not node.comma:
            raise _odd(text, at)
        key, begin = "", at
        if table:
            match = _STRING.match(text, at)
            if match is None:
                raise _odd(text, at)
            key = json.loads(match[0])
            at = _skip(text, match.end())
            if text[at : at + 1] != ":" or key in node.members:
                raise _odd(text, at)
            at = _skip(text, at + 1)
        child, at = _value(text, at, depth + 1)
        if table:
            node.members[key], node.keys[key], node.value[key] = child, begin, child.value
        else:
            node.items.append(child)
            node.value.append(child.value)
        node.comma = 0
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            node.comma = at + 1
            at = _skip(text, at + 1)
    node.end = at + 1
    node.inner = start + 1 + len(text[start + 1 : at].rstrip(" \t\r\n"))
    return node, at + 1


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _odd(text: str, at: int) -> Invalid:
    return Invalid(f"line {text.count(chr(10), 0, at) + 1} is no JSON", "mend it, or add what is shown by hand")
