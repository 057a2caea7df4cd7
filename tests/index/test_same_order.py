"""C3: the same truth gives the same rankings, byte for byte, however the index came to be."""

from __future__ import annotations

import random
from typing import Any, Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoranda.index import Index
from memoranda.index import sync as steps
from memoranda.model.index import Search
from memoranda.model.query import Filters

WORDS = ["deploy", "staging", "parser", "stream", "friday", "rollback", "cache", "index", "vector", "token"]
WORDS += ["yes", "ok", "getUserName", "a/b_c", "東京", "café"]


def everything(record: object) -> bool:
    return True


def sentence(draw: random.Random) -> str:
    if draw.random() < 0.3:
        return "yes ok"  # many equal ones, so that cuts fall among ties
    return " ".join(draw.choices(WORDS, k=draw.randint(1, 30)))


def answers(index: Index, embedder: Any, asked: list[str]) -> list[object]:
    found: list[object] = []
    for text in asked:
        for filters in (Filters(), Filters(kinds=("turn",), roles=("user",))):
            search = Search(text, ("words", "covered", "dense", "entities"), 10, embedder.query(text), filters=filters)
            found.append(index.rankings(search))
    return found


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_c3_built_bit_by_bit_or_at_once(
    open_index: Callable[..., Index], truth: Any, model: Any, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(seed)
    grown = open_index("grown")
    for _ in range(25):
        for _ in range(draw.randint(1, 12)):
            before = len(truth.sessions.get(truth.path(session := f"s{draw.randint(0, 9)}"), ()))
            turns = truth.say(session, *(sentence(draw) for _ in range(draw.randint(1, 5))))
            assert turns[0].seq == before
        for _ in range(draw.randint(0, 5)):
            truth.keep(f"mem_{draw.randint(0, 60):012x}", sentence(draw), entities=(draw.choice(WORDS),))
        for path in draw.sample(sorted(truth.records), len(truth.records) // 5):
            del truth.records[path]
        grown.sync(truth, everything)
        if draw.random() < 0.5:
            grown.embed(truth.text_of, None)
    grown.embed(truth.text_of, None)
    monkeypatch.setattr(steps, "STEP_CHUNKS", 100_000)
    fresh = open_index("another/place")
    fresh.sync(truth, everything)
    fresh.embed(truth.text_of, None)
    asked = [" ".join(draw.choices(WORDS, k=draw.randint(1, 5))) for _ in range(170)]
    assert answers(grown, model, asked) == answers(fresh, model, asked)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    batches=st.lists(
        st.lists(st.sampled_from(["yes", "no", "yes no", "no no yes"]), min_size=1, max_size=6), max_size=6
    )
)
def test_c3_any_way_of_cutting_the_same_session(
    tmp_path_factory: pytest.TempPathFactory, model: Any, batches: list[list[str]], request: pytest.FixtureRequest
) -> None:
    from memoranda.builtin import embedded

    truth = type(request.getfixturevalue("truth"))()
    folder = tmp_path_factory.mktemp("c3")
    grown = Index(folder / "a", embedded.make, lambda: model, folder)
    for batch in batches:
        turns = truth.say("s", *batch)
        grown.add_turns(turns, truth.reached(turns), {})
    fresh = Index(folder / "b", embedded.make, lambda: model, folder)
    fresh.sync(truth, everything)
    for asked in ("yes", "no yes"):
        search = Search(asked, ("words",), 3)
        assert grown.rankings(search) == (fresh.rankings(search) if batches else {})
    grown.close()
    fresh.close()
