"""One answer with everything in it, and a golden file helper. Snapshots are rewritten with MEMORANDA_GOLDEN=write."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Callable

import pytest

from memoranda.model.query import Answer, Concluded, Factor, IndexState, Neighbour, Query, Said, Verdict
from memoranda.model.record import Authority, Category, Channel, Confidence, Durability, Record

GOLDEN = Path(__file__).parents[1] / "golden" / "cli"
NOW = datetime(2026, 8, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture
def answer_of() -> Callable[..., Answer]:
    return make_answer


@pytest.fixture
def record_of() -> Callable[..., Record]:
    return make_record


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if os.environ.get("MEMORANDA_GOLDEN") == "write":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"differs from {path}; see tests/views/conftest.py"

    return compare


def make_record(body: str, **changes: object) -> Record:
    values: dict[str, object] = {
        "id": "mem_7c10e3a94b21",
        "created": "2026-07-02T16:40:00Z",
        "category": Category.PREFERENCE,
        "source": "user_message",
        "channel": Channel.DIRECT_SESSION,
        "durability": Durability.DURABLE,
        "confidence": Confidence.HIGH,
        "screened": "3",
        "body": body,
        "principal": "owner",
        "digest": "7c10e3a94b21" + "0" * 52,
        "path": "records/2026/07/mem_7c10e3a94b21-staging.md",
    }
    return Record(**{**values, **changes})  # type: ignore[arg-type]


def make_answer(
    *,
    body: str = "Staging deploys are fine on any weekday now: automated rollback replaced the Friday buffer.",
    words: str = "ok so let's stop blocking Friday deploys.\n\nRollback is automatic since May.",
    neighbour: str = "Shall I change the deploy window?",
    **changes: object,
) -> Answer:
    anchor = "file:deploy/staging.yml#L10-L24@sha256:" + "9f" * 32
    record = make_record(body, supersedes=("mem_4f2a91c07d55",), anchors=(anchor,))
    concluded = Concluded(
        record=record,
        memory="personal",
        authority=Authority.OWNER,
        states=("stale",),
        because=(Factor("stale", 0.5, "deploy/staging.yml changed"),),
        score=0.0163,
        ranks=(("words", 1), ("dense", 4)),
        verdicts=(Verdict(anchor, "changed", "line 12 differs"),),
        notices=("verify before relying on it",),
    )
    said = Said(
        locator="turn:claude/3f2a91bc-77aa/b1c2d3e4",
        memory="personal",
        harness="claude",
        session="3f2a91bc-77aa",
        turn="b1c2d3e4",
        seq=17,
        ts="2026-07-02T16:38:10Z",
        role="user",
        type="text",
        text=words,
        start=0,
        end=len(words),
        score=0.0325,
        ranks=(("words", 2), ("dense", 1)),
        before=(Neighbour("turn:claude/3f2a91bc-77aa/16", "assistant", 16, neighbour),),
        after=(Neighbour("turn:claude/3f2a91bc-77aa/18", "assistant", 18, "Done: the window is gone."),),
        cited_by=("mem_7c10e3a94b21",),
    )
    values: dict[str, object] = {
        "query": Query("when may we deploy to staging?"),
        "concluded": (concluded,),
        "said": (said,),
        "index": IndexState(True, passages=1240, unembedded=12, model="minilm", signals=("words", "dense")),
        "withheld": (("weak", 2),),
        "notices": ("1 record rests on something that changed: verify it",),
        "tokens": 210,
        "trace": (
            ("mem_7c10e3a94b21", "words 1/(60+1) = 0.0163"),
            ("turn:claude/3f2a91bc-77aa/b1c2d3e4", "dense 1/(60+1)"),
        ),
    }
    return Answer(**{**values, **changes})  # type: ignore[arg-type]
