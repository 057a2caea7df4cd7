"""Who sends: keys and grants of the settings, what a memory itself bounds, a history that is not as it was. Row C26."""

from __future__ import annotations

import hashlib
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Callable

import pytest
from support.doors import PERSON
from support.teams import Teammate, record, records_of, ssh_key

from memoranda import Memory
from memoranda.model.grant import Deed, Grant
from memoranda.model.record import Authority, Category, Confidence, Durability
from memoranda.model.settings import Settings
from memoranda.truth import signatures
from memoranda.truth.fenced import Bounds

Open = Callable[..., Memory]


@pytest.fixture
def mate(tmp_path: Path) -> Teammate:
    return Teammate(tmp_path / "shop")


def test_c26_only_a_key_of_the_settings_makes_a_principal(settings: Settings, mate: Teammate, tmp_path: Path) -> None:
    alice, alices = ssh_key(tmp_path / "keys", "alice")
    mallory, _ = ssh_key(tmp_path / "keys", "mallory")
    own = replace(settings, grants=(Grant("alice", (Deed.WRITE,), keys=(alices,)),))
    signed = record("We decided to deploy on any weekday", category=Category.DECISION)
    mate.says(signed).signed_by(alice)
    stranger = record("We decided to deploy at night only", category=Category.DECISION, principal="alice")
    mate.says(stranger).signed_by(mallory)
    plain = record("We decided to deploy by hand only", category=Category.DECISION, principal="alice")
    mate.says(plain).commits("-c", "user.name=alice")
    with Memory.init(settings=own, door=PERSON) as memory:
        receipt = memory.receive(str(mate.top))
        assert {one.id: one.principal for one in receipt.arrived} == {
            signed.id: "alice",
            stranger.id: None,
            plain.id: None,
        }
        kept = records_of(memory)
        assert kept[signed.body].principal == "alice"
        assert (kept[signed.body].durability, kept[signed.body].confidence) == (Durability.DURABLE, Confidence.LOW)
        assert kept[stranger.body].principal is None
        assert kept[stranger.body].durability is Durability.TRANSIENT
        assert memory._store.authority(kept[signed.body]) is Authority.FOREIGN
        found = memory.recall("on which day may we deploy", lexical=True).concluded
        assert [hit.record.body for hit in found] == [signed.body]


def test_c26_a_signature_over_other_bytes_or_for_another_purpose_counts_for_nothing(
    settings: Settings, mate: Teammate, tmp_path: Path
) -> None:
    key, public = ssh_key(tmp_path / "keys", "alice")
    own = replace(settings, grants=(Grant("alice", (Deed.WRITE,), keys=(public,)),))
    mate.says(record("Page 1 of the handbook is at docs/1.md")).signed_by(key)
    raw = subprocess.run(
        ["git", "-C", str(mate.top), "cat-file", "commit", "HEAD"], capture_output=True, check=True
    ).stdout
    mate.says(record("Page 2 of the handbook is at docs/2.md"))
    mate.git("add", "-A", "-f")
    tree, head = mate.git("write-tree"), mate.git("rev-parse", "HEAD")
    first = raw.split(b"\n", 1)[1]
    forged = f"tree {tree}\nparent {head}\n".encode() + first  # her signature under another tree
    oid = mate.git("hash-object", "-t", "commit", "-w", "--stdin", given=forged)
    mate.git("update-ref", "refs/heads/main", oid)
    with Memory.init(settings=own, door=PERSON) as memory:
        receipt = memory.receive(str(mate.top))
        kept = records_of(memory)
        assert kept["Page 1 of the handbook is at docs/1.md"].principal == "alice"
        assert kept["Page 2 of the handbook is at docs/2.md"].principal is None
        assert len(receipt.arrived) == 2


def test_c26_grants_are_applied_by_principal_and_scope(settings: Settings, mate: Teammate, tmp_path: Path) -> None:
    key, public = ssh_key(tmp_path / "keys", "alice")
    grants = (Grant("alice", (Deed.WRITE,), ("shop", "shop/*"), (public,)), Grant("*", ()))
    inside = record("The cart is documented at docs/cart.md", scope="shop/cart")
    leap = record("The bank is documented at docs/bank.md", scope="bank")
    everywhere = record("The wiki is documented at docs/wiki.md")
    mate.says(inside, leap, everywhere).signed_by(key)
    unsigned = record("The till is documented at docs/till.md", scope="shop")
    mate.says(unsigned).commits()
    with Memory.init(settings=replace(settings, grants=grants), door=PERSON) as memory:
        receipt = memory.receive(str(mate.top))
        words = {one.id: one.outcome.word for one in receipt.arrived}
        assert words == {inside.id: "stored", leap.id: "refused", everywhere.id: "refused", unsigned.id: "refused"}
        assert set(records_of(memory)) == {inside.body}


@pytest.mark.parametrize(
    ("lines", "stored"),
    [
        ("signed = true", 0),
        ('principals = ["alice"]', 0),
        ('scopes = ["shop"]', 1),
        ('scopes = ["bank*"]', 0),
    ],
)
def test_c26_a_memory_toml_can_only_take_away(memory: Memory, mate: Teammate, lines: str, stored: int) -> None:
    mate.says(record("The cart is documented at docs/cart.md", scope="shop")).commits()
    with (memory.root / "memory.toml").open("a") as file:
        file.write(f"\n[receive]\n{lines}\n")
    assert memory.receive(str(mate.top)).count("stored") == stored


def test_c26_what_was_sent_unsigned_goes_when_its_sender_retires_it_and_nothing_else(
    memory: Memory, mate: Teammate, tmp_path: Path
) -> None:
    theirs = record("The old wiki is at wiki.example.com")
    mate.says(theirs).commits()
    memory.receive(str(mate.top))
    other = Teammate(tmp_path / "other")
    other.says(theirs).tells("retired", theirs.digest).commits()
    receipt = memory.receive(str(other.top))
    kept = records_of(memory)[theirs.body]
    assert (receipt.retired, receipt.asked) == ((), (kept.id,))
    assert memory._store.fresh().in_effect(kept)
    mate.tells("retired", theirs.digest).commits()
    dry = memory.receive(str(mate.top), dry_run=True)
    assert dry.retired == (kept.id,)
    assert memory._store.fresh().in_effect(kept)
    assert memory.receive(str(mate.top)).retired == (kept.id,)
    assert not memory._store.fresh().in_effect(kept)
    assert memory.receive(str(mate.top)).retired == ()


def test_c26_anchors_on_code_come_along_and_are_looked_at_here(
    settings: Settings, mate: Teammate, tmp_path: Path
) -> None:
    key, public = ssh_key(tmp_path / "keys", "alice")
    own = replace(settings, grants=(Grant("alice", (Deed.WRITE,), keys=(public,)),))
    mate.put("deploy.yml", "friday: true\n")
    mate.commits()
    mate.git("clone", "-q", ".", str(tmp_path / "checkout"))
    digest = hashlib.sha256(b"friday: true\n").hexdigest()
    anchors = (f"file:deploy.yml@sha256:{digest}", f"turn:@sha256:{digest}")
    theirs = record("Deploys go out on Friday", category=Category.DECISION, anchors=anchors)
    mate.says(theirs).signed_by(key)
    with Memory.init(settings=own, door=PERSON) as memory:
        memory._store.checkouts.note(tmp_path / "checkout")
        (one,) = memory.receive(str(mate.top)).arrived
        assert one.outcome.word == "stored"
        (kept,) = records_of(memory).values()
        root = mate.git("rev-list", "--max-parents=0", "HEAD")
        assert kept.anchors == (f"file:{root}/deploy.yml@sha256:{digest}",)
        (verdict,) = memory.verify(kept.id)[0].verdicts
        assert verdict.state == "fresh"
        (tmp_path / "checkout" / "deploy.yml").write_text("friday: false\n")
        (verdict,) = memory.verify(kept.id)[0].verdicts
        assert verdict.state == "changed"
        assert memory.rescan().found == ()


def test_c26_a_history_that_was_rewritten_loses_nothing_here_and_is_named(
    settings: Settings, mate: Teammate, tmp_path: Path
) -> None:
    _, public = ssh_key(tmp_path / "keys", "alice")
    own = replace(settings, grants=(Grant("alice", (Deed.WRITE,), keys=(public,)),))
    mate.says(record("Page 1 of the handbook is at docs/1.md"))
    first = mate.commits()
    mate.says(record("Page 2 of the handbook is at docs/2.md")).commits()
    with Memory.init(settings=own, door=PERSON) as memory:
        assert memory.receive(str(mate.top)).problems == ()
        mate.git("reset", "-q", "--hard", first)
        mate.says(record("Page 3 of the handbook is at docs/3.md")).commits()
        mate.git("reflog", "expire", "--expire=now", "--all")
        mate.git("gc", "-q", "--prune=now")
        (problem,) = memory.receive(str(mate.top)).problems
        assert "no longer holds" in problem.message
        assert len(records_of(memory)) == 3
        assert memory.receive(str(mate.top)).problems == ()


def test_c26_a_history_too_long_to_be_read_makes_nobody_known_and_stops_nothing(
    settings: Settings, mate: Teammate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, public = ssh_key(tmp_path / "keys", "alice")
    own = replace(settings, grants=(Grant("alice", (Deed.WRITE,), keys=(public,)),))
    mate.says(record("Page 1 of the handbook is at docs/1.md")).signed_by(key)
    monkeypatch.setattr(signatures, "_LOG_BOUNDS", Bounds(answer_bytes=10))
    with Memory.init(settings=own, door=PERSON) as memory:
        receipt = memory.receive(str(mate.top))
        assert [(one.principal, one.outcome.word) for one in receipt.arrived] == [(None, "stored")]
        assert "signature" in receipt.problems[0].message


def test_c26_who_sends_a_statement_first_and_unsigned_does_not_keep_a_known_senders_from_counting(
    settings: Settings, mate: Teammate, tmp_path: Path
) -> None:
    """The same file and the same words in a file of his own, both sent before her: hers counts, and only once."""
    key, public = ssh_key(tmp_path / "keys", "alice")
    own = replace(settings, grants=(Grant("alice", (Deed.WRITE,), keys=(public,)),))
    copied = record("We decided to deploy on any weekday", category=Category.DECISION)
    said = record("We decided to review in pairs", category=Category.DECISION)
    reworded = record("We decided to review in pairs", category=Category.DECISION, created="2026-07-01T10:00:00Z")
    mallory = Teammate(tmp_path / "mallory").says(copied, reworded)
    mallory.commits()
    mate.says(copied, said).signed_by(key)
    with Memory.init(settings=own, door=PERSON) as memory:
        memory.receive(str(mallory.top))
        for words in (["stored", "stored"], []):
            assert [one.outcome.word for one in memory.receive(str(mate.top)).arrived] == words
        for text in ("when may we deploy on a weekday", "how do we review in pairs"):
            (hit,) = memory.recall(text, lexical=True).concluded
            assert hit.record.principal == "alice"
        assert memory.receive(str(mallory.top)).arrived == ()
        kept = [one for id in memory._store.fresh().catalog.entries if (one := memory._store.read(id))]
        assert {memory._store.state(one) for one in kept if one.principal == "alice"} == {"current"}
        (first,) = [one for one in kept if one.body == copied.body and one.principal is None]
        assert memory._store.state(first) == "superseded"
        assert memory.check() == ()
