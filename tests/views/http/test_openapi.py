"""The OpenAPI document is true: what is made from it is answered as it says, and what breaks it is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from views.http.conftest import Served, environ_of

from memoranda import Memory
from memoranda.memory.settings import load
from memoranda.views.http.openapi import openapi
from memoranda.views.operations.routes import ROUTES, taken

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed: requirements-dev.txt")

#: Examples a route: many in the slow run.
EXAMPLES = [pytest.param(100, marks=pytest.mark.slow), 6]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of its own, over a memory with one record."""
    folder = tmp_path_factory.mktemp("openapi")
    environ = environ_of(folder / "home")
    with Memory.init(settings=load(environ)) as memory:
        memory.remember("Retries are capped at 5")
    one = Served(environ, folder)
    yield one
    one.close()


#: The tool's own, by name. A well-formed request may still name what is not there, so acceptance is not asked for.
CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
          "negative_data_rejection", "allow_header_conformance"]  # fmt: skip


def checks() -> list[Any]:
    from schemathesis.checks import CHECKS as known

    schemathesis.checks.load_all_checks()
    return list(known.get_by_names(CHECKS))


def operations() -> list[Any]:
    open_to_all = {name: value for name, value in openapi().items() if name != "security"}  # every call brings ours
    schema = schemathesis.openapi.from_dict(open_to_all)
    return [found.ok() for found in schema.get_all_operations()]


def test_every_route_and_argument_is_described_and_nothing_else() -> None:
    document = openapi()
    described = {
        (method.upper(), path): found for path, row in document["paths"].items() for method, found in row.items()
    }
    assert described.keys() == {(route.method, route.path) for route in ROUTES}
    for route in ROUTES:
        found = described[route.method, route.path]
        named = {row["name"] for row in found["parameters"]}
        if route.method == "POST":
            named |= found["requestBody"]["content"]["application/json"]["schema"]["properties"].keys()
        inside = {route.place.argument: route.place.variable} if route.place else {}
        assert named == {inside.get(name, name) for name in taken(route)}
        assert found["summary"] == route.operation.summary
        assert {"200", "400", "401", "429", "503"} <= found["responses"].keys()


@pytest.mark.parametrize("examples", EXAMPLES)
@pytest.mark.parametrize("mode", ["positive", "negative"])
@pytest.mark.parametrize("operation", operations(), ids=lambda operation: operation.label)
def test_what_is_made_from_it_is_answered_as_it_says(operation: Any, mode: str, examples: int, served: Served) -> None:
    chosen = schemathesis.GenerationMode(mode)
    if mode == "negative" and not (operation.query or operation.body):
        pytest.skip("nothing of it can be wrong but the path")

    @settings(max_examples=examples, deadline=None, derandomize=True, database=None,
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(operation.as_strategy(generation_mode=chosen))
    def answered(case: Any) -> None:
        token = {"Authorization": f"Bearer {served.secret}"}
        response = case.call(base_url=served.url, headers=token, timeout=60)
        case.validate_response(response, checks=checks())
        assert response.headers["x-content-type-options"] == ["nosniff"]

    answered()


def test_the_document_is_served_as_it_is_made(served: Served) -> None:
    assert served("GET", "/openapi.json").document == openapi()


def test_the_guide_names_every_path() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "guide" / "serve.md").read_text(encoding="utf-8")
    for route in ROUTES:
        path = route.path.replace("{id}", "<id>")
        deep = {
            "/v1/turns/": "<harness>/<session>/<turn>",
            "/v1/evidence/": "sha256:<hash>",
            "/v1/pieces/": "sha256:<hash>",
        }
        for prefix, place in deep.items():
            path = path.replace(f"{prefix}{{locator}}", prefix + place)
        assert f"`{route.method} {path}`" in guide, route
