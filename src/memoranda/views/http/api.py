"""The JSON API: a request becomes the operation's arguments, its reply the document that the command line gives."""

from __future__ import annotations

import json
import re
from typing import Any, Mapping
from urllib.parse import parse_qsl

from memoranda.model.errors import Invalid, MemorandaError
from memoranda.views.commands.call import expected
from memoranda.views.commands.reply import failed
from memoranda.views.operations import Argument
from memoranda.views.operations.routes import Route, argument_schema, taken
from memoranda.views.serving.asking import bounded, run
from memoranda.views.serving.desk import Desk
from memoranda.views.serving.exchange import (
    Answered,
    Asked,
    Forbidden,
    Overloaded,
    Service,
    document,
    ensure_written_safely,
    status_of,
)
from memoranda.views.serving.opening import Piece, opened

#: Decisions that are no error and yet not what was asked for.
_DECIDED = {"refused": 422, "held": 202}
_HINT = "GET /v1/status; if it fails too, a person can run: memoranda check"
_DEPTH = 32


async def answer(service: Service, route: Route, asked: Asked, path: Mapping[str, str], query: str) -> Answered:
    """What a route answers, whatever goes wrong."""
    try:
        given = arguments(route, asked.body, path, query)
        if route.mutates and not asked.writes:
            raise Forbidden("this token may only read", "a person decides in the settings what a token may")
        return await service.do(lambda desk: _run(desk, service, route, asked, given))  # type: ignore[no-any-return]
    except TimeoutError:
        return document(503, failed(Overloaded("the answer took too long", "ask for less, or later")), _LATER)
    except Exception as error:
        return told(expected(error, _HINT))


_LATER = {"retry-after": "1"}


def told(error: MemorandaError) -> Answered:
    """An error as a document with its HTTP status."""
    return document(status_of(error), failed(error), _LATER if error.code in ("busy", "overloaded") else {})


def _run(desk: Desk, service: Service, route: Route, asked: Asked, given: Mapping[str, Any]) -> Answered:
    if route.mutates:
        ensure_written_safely(desk, bool(given.get("project")), asked.door, service.layer)
    pieces: list[Piece] = []
    instead = (lambda call: opened(call, pieces)) if route.command == "open" else None
    reply = run(desk, route.command, taken(route), given, asked.door, _HINT, instead)
    if route.bytes:
        # Always to be saved, never shown: what a picture or a page can do in a browser is not ours to judge.
        saved = {"content-disposition": "attachment"}
        return Answered(
            200, pieces[0].data, "application/octet-stream", {**saved, "x-media-type": pieces[0].media_type}
        )
    made = reply.document()
    fit = bounded(made)
    return document(_DECIDED.get(reply.outcome, 200) if fit is made else 400, fit)


def arguments(route: Route, body: bytes, path: Mapping[str, str], query: str) -> dict[str, Any]:
    """The arguments of a request by their names. Raises `Invalid` for an unknown, doubled or ill-typed one."""
    known = taken(route)
    given = _from_query(known, query) if route.method != "POST" else _from_body(known, body)
    if route.method == "POST" and query:
        raise Invalid("a POST takes its arguments in the body", "leave the query out")
    if route.place:
        if route.place.argument in given:
            raise Invalid(f"{route.place.argument} stands in the path", "leave it out elsewhere")
        given[route.place.argument] = route.place.lead + path[route.place.variable]
    for name, most in route.most.items():
        value = str(given.get(name, ""))
        if known[name][1].kind != "number" and len(value) > most:
            raise Invalid(f"{name} may have {most:,} characters", "ask with fewer words")
        if known[name][1].kind == "number" and value.isdecimal() and int(value) > most:
            raise Invalid(f"{name} is at most {most:,}", "ask for less, and again")
    return given


def _from_query(known: Mapping[str, Any], query: str) -> dict[str, Any]:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, errors="strict", max_num_fields=200)
    except ValueError:
        raise Invalid("the query cannot be read", "write name=value, percent-encoded UTF-8") from None
    given: dict[str, Any] = {}
    for name, value in pairs:
        argument = _argument(known, name)
        if not _WRITTEN.get(argument.kind, _anything)(value):
            raise Invalid(f"{name} has the wrong type", "see /openapi.json")
        if argument.kind == "many":
            given.setdefault(name, []).append(value)
        elif name in given:
            raise Invalid(f"{name} is given twice", "give it once")
        else:
            given[name] = value
    return given


#: How a value of some kinds is written in a query.
_WRITTEN = {"flag": re.compile("true|false").fullmatch, "number": re.compile("[0-9]{1,9}").fullmatch}


def _anything(value: str) -> bool:
    return True


def _from_body(known: Mapping[str, Any], body: bytes) -> dict[str, Any]:
    """A JSON object whose values have the types of the document at `/openapi.json`: a program can be held to them."""
    if not body:
        return {}
    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=_once, parse_constant=_constant)
    except (ValueError, RecursionError):
        raise Invalid("the body is no JSON document in UTF-8", "send one object, each name once") from None
    if not isinstance(value, dict):
        raise Invalid("the body is no JSON object", "send the arguments by name")
    for name, item in value.items():
        if not _fits(_argument(known, name), item):
            raise Invalid(f"{name} has the wrong type", "see /openapi.json")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _constant(text: str) -> Any:
    raise ValueError(text)


def _argument(known: Mapping[str, Any], name: str) -> Argument:
    if name not in known:
        raise Invalid("there is no such argument", f"there are: {', '.join(known)}")
    found: Argument = known[name][1]
    return found


def _fits(argument: Argument, value: Any) -> bool:
    match argument.kind:
        case "flag":
            return isinstance(value, bool)
        case "number":
            return isinstance(value, int) and not isinstance(value, bool)
        case "many":
            return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, str)


def properties(route: Route) -> dict[str, dict[str, Any]]:
    """Every argument of a route but that in its path, as JSON Schemas by name."""
    inside = route.place.argument if route.place else ""
    return {name: argument_schema(route, name, found[1]) for name, found in taken(route).items() if name != inside}
