"""What a recall may look at: by role, type, time, folder and session; and words of any script, by words alone."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from memoranda import Memory
from memoranda.model.errors import Invalid
from memoranda.model.outcome import Screened, Stored
from memoranda.model.turn import Block, Turn


def turn(n: int, text: str, type: str = "text", **more: object) -> Screened[Turn]:
    values = {"session": "s", "role": "user", "ts": "2026-07-02T10:00:00Z", "cwd": "/home/u/app", **more}
    said = Turn(turn=f"t{n}", seq=n, harness="claude", blocks=(Block(type, text),), captured="2026-07-02T10:00:00Z",
                screened="3", **values)  # fmt: skip
    return Screened(said, "3")


def told(memory: Memory, *turns: Screened[Turn]) -> None:
    memory._store.turn_store.append(list(turns))
    memory._store.fresh().quick_sync()


def found(memory: Memory, text: str, **filters: object) -> list[str]:
    return [said.turn for said in memory.recall(text, lexical=True, budget_tokens=100_000, **filters).said]


def test_a4_what_was_replaced_is_found_when_asked_for(memory: Memory) -> None:
    old = memory.remember("We tried a streaming parser for the log import", category="decision")
    assert isinstance(old, Stored)
    new = memory.remember("The log import reads whole files now", category="decision", supersedes=[old.record.id])
    assert isinstance(new, Stored)
    asked = "what did we try before for the log import?"
    assert [hit.record.id for hit in memory.recall(asked, lexical=True).concluded] == [new.record.id]
    answer = memory.recall(asked, lexical=True, history=True)
    assert [hit.record.id for hit in answer.concluded] == [new.record.id, old.record.id]
    assert answer.concluded[1].successors == (new.record.id,)


def test_a37_a_filter_that_leaves_one_in_a_hundred_still_fills_the_answer(memory: Memory) -> None:
    many = [turn(n, f"the deploy of service {n} went through, deploy deploy") for n in range(990)]
    few = [
        turn(n, f"a deploy, said in passing, number {n}", session="rare", role="assistant") for n in range(990, 1000)
    ]
    told(memory, *many)
    told(memory, *few)
    for filters in ({"role": ["assistant"]}, {"session": ["rare"]}, {"role": ["assistant"], "session": ["rare"]}):
        hits = found(memory, "deploy", limit=8, **filters)
        assert len(hits) == 8
        assert set(hits) <= {f"t{n}" for n in range(990, 1000)}


@pytest.mark.parametrize(
    ("filters", "known"),
    [
        ({"role": ["asistant"]}, "user, assistant, system, tool"),
        ({"type": ["tool-use"]}, "text, thinking, tool_use, tool_result"),
        ({"kind": ["memo"]}, "record, turn, evidence"),
        ({"harness": ["clode"]}, "claude"),
        ({"session": ["sss"]}, "there are: s"),
        ({"repo": ["ap"]}, "/home/u/app"),
    ],
)
def test_a37_an_unknown_value_is_an_error_that_lists_the_known_ones(
    memory: Memory, filters: dict[str, list[str]], known: str
) -> None:
    told(memory, turn(0, "the deploy went through"))
    with pytest.raises(Invalid) as error:
        memory.recall("deploy", lexical=True, **filters)  # type: ignore[arg-type]
    assert next(iter(filters.values()))[0] in str(error.value) or "no such" in str(error.value)
    assert known in error.value.hint


def test_a37_a_known_value_that_matches_nothing_is_silence(memory: Memory) -> None:
    told(memory, turn(0, "the deploy went through"))
    for filters in ({"role": ["system"]}, {"session": ["s"]}, {"repo": ["app"]}, {"harness": ["claude"]}):
        assert memory.recall("zeppelin", lexical=True, **filters).empty  # type: ignore[arg-type]


def test_a38_boundary_days_are_inside(memory: Memory) -> None:
    day = datetime(2026, 7, 1)
    moments = [day + timedelta(days=n, seconds=s) for n in range(4) for s in (0, 86_399)]
    told(memory, *(turn(n, "the deploy went through", ts=f"{at.isoformat()}Z") for n, at in enumerate(moments)))
    assert set(found(memory, "deploy", since="2026-07-02", until="2026-07-03")) == {"t2", "t3", "t4", "t5"}
    exact = {"since": "2026-07-01T23:59:59Z", "until": "2026-07-02T00:00:00Z"}
    assert set(found(memory, "deploy", **exact)) == {"t1", "t2"}


def test_a38_what_a_person_typed_leaves_out_what_a_tool_gave_back(memory: Memory) -> None:
    told(
        memory,
        turn(0, "the deploy should wait"),
        turn(1, "deploy: 3 pods ready, deploy done", "tool_result"),
        turn(2, "the deploy waits now", role="assistant"),
        turn(3, "kubectl deploy status", "tool_use", role="assistant"),
    )
    assert found(memory, "deploy", role=["user"], type=["text"]) == ["t0"]
    assert set(found(memory, "deploy", role=["user"])) == {"t0", "t1"}
    assert set(found(memory, "deploy", type=["text"])) == {"t0", "t2"}


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("周五之后我们不再部署到预发布环境", "预发布环境"),
        ("金曜日のデプロイは中止しました", "デプロイは中止"),
        ("스트리밍 파서는 줄을 잃어서 버렸다", "파서는"),
        ("เราหยุดใช้ตัวแยกวิเคราะห์แบบสตรีม", "ตัวแยกวิเคราะห์"),
        ("أوقفنا محلل البث لأنه كان يفقد السطور", "محلل البث"),
        ("הפסקנו להשתמש במנתח הזרימה", "במנתח הזרימה"),
        ("हमने स्ट्रीमिंग पार्सर छोड़ दिया", "स्ट्रीमिंग पार्सर"),
        ("Мы отказались от потокового разбора", "потокового разбора"),
        ("L’équipe a arrêté le déploiement après l’été", "déploiement après l’été"),
        ("L’équipe a arrêté le déploiement après l’été", "deploiement ete"),
        ("call getUserName before reading user_id_map in src/app/main.py", "get user name"),
        ("call getUserName before reading user_id_map in src/app/main.py", "user_id_map"),
        ("call getUserName before reading user_id_map in src/app/main.py", "src/app/main.py"),
        ("部署脚本 deployStaging.sh を 실행 하기", "deployStaging"),
    ],
)
def test_c22_an_exact_phrase_of_any_script_is_found_by_words_alone(memory: Memory, said: str, asked: str) -> None:
    told(memory, turn(0, said), turn(1, "something else altogether, in other words", session="other"))
    kept = memory.remember(said, category="note", durability="durable")
    answer = memory.recall(asked, lexical=True)
    assert answer.said[0].turn == "t0"
    assert [hit.record.body for hit in answer.concluded] == ([said] if isinstance(kept, Stored) else [])
    assert isinstance(kept, Stored), kept
