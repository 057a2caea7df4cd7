"""The operations that are offered over HTTP, a path for each, made from the operation table.

A route takes some of its operation's arguments, under the names the command line has for them, `_` for `-`: in the
path, in the query of a GET or DELETE, in the JSON object of a POST. What a person decides, takes in or looks after at
a terminal has no route.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Mapping, NamedTuple

from memoranda.views.operations import Argument, Operation, operation
from memoranda.views.operations.tools import PROJECT, Parameter, value_schema

#: A question is a sentence or an error message; more than this is a document.
MOST_QUESTION = 2_048


class Place(NamedTuple):
    """An argument in the path: `variable` there is `argument` of the operation, after `lead`. `deep` may hold `/`."""

    variable: str
    argument: str
    lead: str = ""
    deep: bool = False


class Route(NamedTuple):
    """One operation at one path. `most` bounds numbers, and the length of a text, more closely than the command line.

    `bytes` says that the answer is what was asked for itself, not a document about it.
    """

    method: str
    path: str
    command: str
    arguments: tuple[str, ...] = ()
    place: Place | None = None
    most: Mapping[str, int] = MappingProxyType({})
    bytes: bool = False

    @property
    def operation(self) -> Operation:
        found = operation(self.command)
        assert found is not None
        return found

    @property
    def name(self) -> str:
        """One word for the route, unique among all."""
        return f"{self.method.lower()}_{self.path.strip('/').replace('/', '_').replace('{', '').replace('}', '')}"

    @property
    def mutates(self) -> bool:
        return self.operation.mutates and self.method != "GET"


_ID = Place("id", "id")
_RECALL = ("text", "limit", "since", "until", "role", "type", "harness", "repo", "session", "kind", "history", "as-of",
           "lexical", "budget-tokens", "neighbours", "weak")  # fmt: skip
_REMEMBER = ("text", "category", "durability", "confidence", "source", "supersedes", "contradicts", "derived-from",
             "anchor", "evidence", "entity", "tag", "observed", "scope", "inferred")  # fmt: skip

ROUTES: tuple[Route, ...] = (
    Route("GET", "/v1/recall", "recall", _RECALL, most={"limit": 50, "budget_tokens": 16_000, "neighbours": 10,
                                                        "text": MOST_QUESTION}),
    Route("GET", "/v1/turns/{locator}", "get", ("before", "after"), Place("locator", "locator", "turn:", deep=True),
          {"before": 100, "after": 100}),
    Route("GET", "/v1/sessions", "sessions", ("limit", "offset", "since", "until", "harness", "repo"),
          most={"limit": 500}),
    Route("POST", "/v1/records", "remember", _REMEMBER),
    Route("GET", "/v1/records/{id}", "get", place=Place("id", "locator")),
    Route("DELETE", "/v1/records/{id}", "forget", ("reason",), _ID),
    Route("POST", "/v1/forget", "forget", ("expired", "superseded", "yes")),
    Route("GET", "/v1/records/{id}/history", "history", ("as-of",), _ID),
    Route("POST", "/v1/records/{id}/verify", "verify", place=_ID),
    Route("POST", "/v1/verify", "verify"),
    Route("GET", "/v1/core", "core"),
    Route("GET", "/v1/evidence/{locator}", "open", place=Place("locator", "locator", "evidence:", deep=True)),
    Route("GET", "/v1/pieces/{locator}", "open", place=Place("locator", "locator", "evidence:", deep=True), bytes=True),
    Route("GET", "/v1/status", "status"),
    Route("GET", "/v1/problems", "check"),
)  # fmt: skip


def taken(route: Route) -> dict[str, tuple[Parameter, Argument]]:
    """What a route takes, by the name a caller uses; the argument in the path comes first."""
    known = {argument.name.lstrip("-"): argument for argument in route.operation.arguments}
    names = ((route.place.argument,) if route.place else ()) + route.arguments
    found = {name.replace("-", "_"): (Parameter(name), known[name]) for name in names}
    return found | {"project": (Parameter("project"), PROJECT)}


def argument_schema(route: Route, name: str, argument: Argument) -> dict[str, Any]:
    """One argument as a JSON Schema, with the route's own bounds."""
    found = value_schema(argument.help, argument)
    most = route.most.get(name)
    if argument.kind == "number":
        found |= {"minimum": 0, "maximum": most or 1_000_000}
    elif most:
        found |= {"maxLength": most}
    if argument.kind != "many" and argument.default not in (None, ""):
        found |= {"default": argument.default}
    return found
