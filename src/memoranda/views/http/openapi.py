"""The OpenAPI document, made from the table of operations: what is not in the table is not described."""

from __future__ import annotations

from typing import Any

from memoranda import __version__
from memoranda.views.http.api import properties
from memoranda.views.operations.routes import ROUTES, Route, taken

_REFUSALS = {
    "400": "the request is wrong: an argument, a locator, a filter",
    "401": "no token, or one that is not known",
    "403": "a page of another site asks, or the token may not do this",
    "404": "the memory, record, session, turn or path is not there",
    "408": "the body did not come in time",
    "409": "what is there contradicts the request",
    "413": "the body is too long",
    "415": "the body is not JSON",
    "421": "the Host header names somebody else",
    "429": "too much is asked at once; nothing was done",
    "431": "too many headers",
    "500": "damaged bytes, or a fault of memoranda itself",
    "503": "the write lock is taken or missing, or something outside is; the document says which",
}


def openapi() -> dict[str, Any]:
    """The document at `/openapi.json`."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _described(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "memoranda",
            "version": __version__,
            "summary": "memory for AI agents that a person can read, audit and trust",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": {"document": _DOCUMENT},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": {status: _response(about) for status, about in _REFUSALS.items()},
        },
        "security": [{"token": []}],
    }


_DOCUMENT = {
    "type": "object",
    "properties": {
        "format": {"const": 1},
        "ok": {"type": "boolean", "description": "whether it was done and the answer is yes"},
        "outcome": {"type": "string", "description": "a stable word"},
        "data": {"description": "the result, or message and hint of an error"},
        "problems": {"type": "array", "items": {"type": "object"}},
        "notices": {"type": "array", "items": {"type": "string"}},
        "index": {"type": "object"},
    },
    "required": ["format", "ok", "outcome", "data", "problems", "notices", "index"],
    "additionalProperties": False,
}


def _described(route: Route) -> dict[str, Any]:
    op = route.operation
    found: dict[str, Any] = {
        "operationId": route.name,
        "summary": op.summary,
        "description": op.about,
        "parameters": [*_path(route), *(_query(route) if route.method != "POST" else ())],
        "responses": {
            **_successes(route),
            **{status: {"$ref": f"#/components/responses/{status}"} for status in _REFUSALS},
        },
    }
    if route.method == "POST":
        found["requestBody"] = {
            "required": bool(_required(route)),
            "content": {"application/json": {"schema": _body(route)}},
        }
    return found


def _successes(route: Route) -> dict[str, Any]:
    if route.bytes:
        binary: dict[str, Any] = {"application/octet-stream": {}}
        return {"200": {"description": "the piece itself; x-media-type says what it is", "content": binary}}
    found = {"200": _response("done; ok says whether the answer is yes")}
    if route.command == "remember":
        found |= {"202": _response("held until a person decides"), "422": _response("refused; nothing was written")}
    return found


def _response(about: str) -> dict[str, Any]:
    return {
        "description": about,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/document"}}},
    }


def _path(route: Route) -> list[dict[str, Any]]:
    if route.place is None:
        return []
    argument = taken(route)[route.place.argument][1]
    about = argument.help + (f"; what follows {route.place.lead!r}" if route.place.lead else "")
    schema = {"type": "string", "minLength": 1}
    return [{"name": route.place.variable, "in": "path", "required": True, "description": about, "schema": schema}]


def _query(route: Route) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "query",
            "required": name in _required(route),
            "description": schema.pop("description"),
            "schema": schema,
        }
        for name, schema in properties(route).items()
    ]


def _body(route: Route) -> dict[str, Any]:
    required = _required(route)
    found: dict[str, Any] = {"type": "object", "properties": properties(route), "additionalProperties": False}
    return {**found, **({"required": required} if required else {})}


def _required(route: Route) -> list[str]:
    inside = route.place.argument if route.place else ""
    return [
        name
        for name, (_, argument) in taken(route).items()
        if name != inside and not argument.name.startswith("-") and not argument.optional
    ]
