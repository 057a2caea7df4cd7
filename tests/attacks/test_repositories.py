"""Hostile repositories: whatever a teammate's git holds, nothing of it runs here, and the good records still arrive."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import settings as settings_of
from hypothesis import strategies as st
from support.doors import PERSON
from support.invented import tokens
from support.teams import WRITER, Teammate, record

from memoranda import Memory
from memoranda.model.errors import Invalid, MemorandaError, NotFound, Unavailable
from memoranda.truth import quarantine
from memoranda.truth.fenced import Bounds
from memoranda.truth.grammar import print_record
from memoranda.truth.names import record_folder, record_name
from memoranda.truth.remote import parse_branch, parse_source

GOOD = record("The cart is documented at docs/cart.md")
FOLDER = record_folder(GOOD)


@pytest.fixture
def mate(tmp_path: Path) -> Teammate:
    return Teammate(tmp_path / "shop").says(GOOD)


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """Made by whatever runs that must not."""
    return tmp_path / "it-ran"


def script(path: Path, marker: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch {marker}\nexec cat\n")
    path.chmod(0o755)
    return path


def bodies(memory: Memory) -> set[str]:
    store = memory._store.fresh()
    return {one.body for id in store.catalog.entries if (one := store.read(id)) is not None}


def tree(mate: Teammate, *entries: tuple[str, str, str, bytes]) -> str:
    """A tree of (mode, kind, object, name), as git stores it: git itself refuses to make most of these."""
    order = sorted(entries, key=lambda e: e[3] + (b"/" if e[1] == "tree" else b""))
    data = b"".join(
        mode.lstrip("0").encode() + b" " + name + b"\0" + bytes.fromhex(oid) for mode, _, oid, name in order
    )
    return mate.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", given=data)


def blob(mate: Teammate, data: bytes) -> str:
    return mate.git("hash-object", "-w", "--stdin", given=data)


def month_of(mate: Teammate, *entries: tuple[str, str, str, bytes]) -> None:
    """Commit a memory whose one month holds the good record and these entries."""
    good = ("100644", "blob", blob(mate, print_record(GOOD)), record_name(GOOD).encode())
    month = tree(mate, good, *entries)
    year = tree(mate, ("40000", "tree", month, b"07"))
    records = tree(mate, ("40000", "tree", year, b"2026"))
    whole(mate, ("40000", "tree", records, b"records"))


def whole(mate: Teammate, *entries: tuple[str, str, str, bytes]) -> None:
    """Commit a memory with these entries at the top of its folder."""
    mark = ("100644", "blob", blob(mate, (mate.memory / "memory.toml").read_bytes()), b"memory.toml")
    top = tree(mate, ("40000", "tree", tree(mate, mark, *entries), b".memoranda"))
    mate.git("update-ref", "refs/heads/main", mate.git("commit-tree", "-m", "made", top))


ADDRESSES = [
    "ext::sh -c touch% {}",
    "ext::touch {}",
    "file:///etc",
    "git://example.com/x",
    "http://example.com/x",
    "ftp://example.com/x",
    "transport::address",
    "--upload-pack=touch {}",
    "-oProxyCommand=touch {}",
    "ssh://-oProxyCommand=touch/x",
    "ssh://user@-oProxyCommand=touch/x",
    "user@-oProxyCommand=x:y",
    "user@host:-x",
    "https://user:secret@example.com/x",
    "https://example.com/x?token=1",
    "https://example.com/x\n--upload-pack=touch",
    "https://exam ple.com/x",
    "",
]


def test_attack_a56_no_address_names_a_program_or_an_option(memory: Memory, marker: Path) -> None:
    for address in ADDRESSES:
        with pytest.raises((Invalid, NotFound)) as caught:
            memory.receive(address.format(marker))
        assert not marker.exists()
        assert "secret" not in str(caught.value)


def test_the_forms_of_an_address_that_are_received_from() -> None:
    for text, name in (
        ("https://example.com/team/shop.git", "example.com/team/shop"),
        ("https://me@example.com:8443/shop", "example.com:8443/shop"),
        ("ssh://git@example.com/~me/shop.git", "example.com/~me/shop"),
        ("git@example.com:team/shop.git", "example.com/team/shop"),
    ):
        assert parse_source(text).name == name


@given(st.text(max_size=60), st.sampled_from(["", "https://", "ssh://", "git@", "user@example.com:"]))
@example("h/\u0661", "https://")
@settings_of(deadline=None)
def test_attack_a56_what_is_accepted_as_an_address_is_one(text: str, front: str) -> None:
    """Whatever passes as an address has no blank, no control, no option, no password and no further protocol."""
    address = front + text
    if Path(address if "\0" not in address else "x").expanduser().is_dir():
        return
    try:
        source = parse_source(address)
    except (Invalid, NotFound, Unavailable):
        return
    assert source.address == address
    assert source.protocol in ("https", "ssh")
    assert address.isascii()
    assert not any(c.isspace() or not c.isprintable() for c in address)
    assert not address.startswith("-")
    assert "::" not in address
    assert "-" not in (source.name[0], source.name.partition("/")[2][:1] if "@" in address else "")
    assert not re.search(r"//[^/]*:[^/]*@", address)
    assert "@" not in source.name


BRANCHES = ["--upload-pack=x", "+a:b", "a..b", "a:b", "a b", "/a", "a/", "a//b", "a.lock", ".a", "a\n", ""]


def test_attack_a56_a_branch_is_a_name_alone() -> None:
    for branch in BRANCHES:
        with pytest.raises(Invalid):
            parse_branch(branch)


def test_attack_a56_no_hook_filter_or_setting_of_theirs_runs(memory: Memory, mate: Teammate, marker: Path) -> None:
    run = script(mate.top / "run.sh", marker)
    mate.put(".gitattributes", "* filter=evil diff=evil merge=evil text eol=crlf ident\n")
    mate.put(".memoranda/.gitattributes", "* filter=evil text eol=crlf ident\n")
    mate.put(".gitmodules", '[submodule "x"]\n\tpath = x\n\turl = https://example.com/x\n')
    mate.commits()
    for hook in ("post-checkout", "post-merge", "reference-transaction", "pre-receive", "update", "post-index-change"):
        script(mate.top / ".git" / "hooks" / hook, marker)
    with (mate.top / ".git" / "config").open("a") as config:
        config.write(f'[core]\n\tfsmonitor = "{run}"\n\tsshCommand = "{run}"\n\thooksPath = "{mate.top}/.git/hooks"\n')
        config.write(
            f'[filter "evil"]\n\tsmudge = "{run}"\n\tclean = "{run}"\n\tprocess = "{run}"\n\trequired = true\n'
        )
        config.write(
            f'[alias]\n\tupload-pack = "!{run}"\n[credential]\n\thelper = "!{run}"\n[gpg]\n\tprogram = "{run}"\n'
        )
        config.write(f'[diff "evil"]\n\ttextconv = "{run}"\n[pager]\n\tlog = "{run}"\n[core]\n\tpager = "{run}"\n')
    assert memory.receive(str(mate.top)).count("stored") == 1
    assert not marker.exists()
    assert bodies(memory) == {GOOD.body}


SETTINGS = [
    '[uploadpack]\n\tpackObjectsHook = "{}"\n',
    '[include]\n\tpath = "/etc/x"\n',
    '[includeIf "gitdir:/"]\n\tpath = /etc/x\n',
    '[remote "x"]\n\tpromisor = true\n\tuploadpack = "{}"\n\turl = ext::x\n',
    "[extensions]\n\tpartialClone = x\n",
    '[core]\n\talternateRefsCommand = "{}"\n',
]


def test_attack_a56_a_folder_whose_git_could_run_programs_or_read_elsewhere_is_not_served(
    memory: Memory, mate: Teammate, marker: Path
) -> None:
    mate.commits()
    run, config = script(mate.top / "run.sh", marker), mate.top / ".git" / "config"
    before = config.read_text()
    for lines in SETTINGS:
        config.write_text(before + lines.format(run))
        with pytest.raises(Unavailable):
            memory.receive(str(mate.top))
    assert not marker.exists()
    config.write_text(before)
    assert memory.receive(str(mate.top)).count("stored") == 1


def test_attack_a56_borrowed_objects_pipes_and_pointers_are_not_followed(
    memory: Memory, mate: Teammate, tmp_path: Path
) -> None:
    mate.commits()
    borrower = tmp_path / "borrower"
    mate.git("clone", "-q", "--shared", ".", str(borrower))
    with pytest.raises(Unavailable):
        memory.receive(str(borrower))
    (mate.top / ".git" / "config").unlink()
    os.mkfifo(mate.top / ".git" / "config")
    with pytest.raises(Unavailable):
        memory.receive(str(mate.top))
    (tmp_path / "pointer").mkdir()
    (tmp_path / "pointer" / ".git").write_text("gitdir: /nowhere/at/all\n")
    with pytest.raises(Unavailable):
        memory.receive(str(tmp_path / "pointer"))
    assert bodies(memory) == set()


def test_attack_a38_links_submodules_programs_and_folders_in_place_of_records_stay_there(
    memory: Memory, mate: Teammate
) -> None:
    target = blob(mate, b"/etc/passwd")
    commit = mate.commits()
    folder = mate.git("rev-parse", "HEAD^{tree}")
    entries = [
        ("120000", "blob", target, b"mem_000000000001-link.md"),
        ("160000", "commit", commit, b"mem_000000000002-module.md"),
        ("100755", "blob", target, b"mem_000000000003-program.md"),
        ("40000", "tree", folder, b"mem_000000000004-folder.md"),
    ]
    month_of(mate, *entries)
    receipt = memory.receive(str(mate.top))
    assert bodies(memory) == {GOOD.body}
    told = {problem.locator: problem.message for problem in receipt.problems}
    assert told == {
        f"{FOLDER}/mem_000000000001": "is a symbolic link",
        f"{FOLDER}/mem_000000000002": "is a submodule",
        f"{FOLDER}/mem_000000000003": "is marked as a program",
        f"{FOLDER}/mem_000000000004": "is a folder",
    }


NAMES = [
    b"CON.md",
    b"aux",
    b"a\\..\\..\\b.md",
    b"MEM_000000000001-x.md",
    b"mem_000000000001-x.md.",
    b"mem_000000000001-x.md ",
    b"mem_000000000001-\x1b[31m.md",
    b"mem_000000000001-x:y.md",
    b"mem_000000000001-\xe2\x80\xae.md",
    b"mem_000000000001-\xff.md",
    b"mem_000000000001-" + b"a" * 300 + b".md",
    b"-rf",
    b"C:evil.md",
    b"new\nline.md",
]


def test_attack_a37_names_outside_the_grammar_are_counted_and_not_repeated(memory: Memory, mate: Teammate) -> None:
    planted = blob(mate, print_record(record("A planted statement")))
    month_of(mate, *(("100644", "blob", planted, name) for name in NAMES))
    (problem,) = memory.receive(str(mate.top)).problems
    assert str(problem).startswith(f"{FOLDER}/: {len(NAMES)} things whose names are none of ours")
    assert bodies(memory) == {GOOD.body}


def test_attack_a37_a_tree_that_git_finds_wrong_is_refused_whole_or_counted(
    memory: Memory, mate: Teammate, tmp_path: Path
) -> None:
    for name in (b"..", b".", b".git", b"git~1", b".GIT", b"a/b", b""):
        month_of(mate, ("100644", "blob", blob(mate, b"x"), name))
        try:
            receipt = memory.receive(str(mate.top))
        except Unavailable:
            continue
        assert len(receipt.problems) == 1
    assert bodies(memory) <= {GOOD.body}
    assert {path.name for path in tmp_path.iterdir()} == {"shop", "user"}


def test_attack_a40_names_that_differ_in_case_are_neither(memory: Memory, mate: Teammate) -> None:
    data = blob(mate, print_record(GOOD))
    month = tree(mate, ("100644", "blob", data, record_name(GOOD).encode()))
    records = tree(mate, ("40000", "tree", tree(mate, ("40000", "tree", month, b"07")), b"2026"))
    whole(mate, ("40000", "tree", records, b"records"), ("40000", "tree", records, b"Records"))
    assert memory.receive(str(mate.top)).arrived == ()


def test_attack_a37_one_id_with_two_texts_a_wrong_month_and_an_edit_are_not_taken(
    memory: Memory, mate: Teammate
) -> None:
    other = record("The till is documented at docs/till.md")
    edited = print_record(other).replace(b"till", b"safe")
    strange = record("The gate is documented at docs/gate.md", created="2025-01-02T10:00:00Z")
    mate.says(strange, folder=FOLDER)
    mate.put(f".memoranda/{FOLDER}/{record_name(other)}", edited)
    mate.put(f".memoranda/{FOLDER}/{GOOD.id}-other.md", print_record(other))
    mate.put(f".memoranda/{FOLDER}/mem_00000000000a-broken.md", "---\nid: [\n---\n")
    mate.put(f".memoranda/{FOLDER}/mem_00000000000b-binary.md", b"\x00\xff\xfe" * 100)
    mate.put(f".memoranda/core/{record_name(GOOD)}", print_record(GOOD))
    mate.commits()
    receipt = memory.receive(str(mate.top))
    assert bodies(memory) == {GOOD.body}
    assert len(receipt.problems) == 5
    assert not [p for p in receipt.problems if "till" in str(p) or "safe" in str(p)]


def test_attack_a48_a_huge_blob_is_never_read(memory: Memory, mate: Teammate) -> None:
    mate.put(f".memoranda/{FOLDER}/mem_00000000000a-zeros.md", b"\0" * (40 << 20))
    mate.put(f".memoranda/events/{WRITER}/2026-07.jsonl", b"\0" * (40 << 20))
    mate.commits()
    receipt = memory.receive(str(mate.top))
    assert bodies(memory) == {GOOD.body}
    assert len(receipt.problems) == 2


def test_attack_a36_a_tree_that_names_itself_over_and_over_is_not_walked(memory: Memory, mate: Teammate) -> None:
    layer = tree(mate, *[("100644", "blob", blob(mate, b"x"), b"f%d" % n) for n in range(10)])
    for _ in range(12):  # 10**13 files for whoever walks it all
        layer = tree(mate, *[("40000", "tree", layer, b"d%d" % n) for n in range(10)])
    month_of(mate, ("40000", "tree", layer, b"deep"))
    assert memory.receive(str(mate.top)).count("stored") == 1
    good = ("100644", "blob", blob(mate, print_record(GOOD)), record_name(GOOD).encode())
    year = tree(mate, *[("40000", "tree", tree(mate, good), b"%02d" % n) for n in range(1, 13)])
    whole(mate, ("40000", "tree", tree(mate, *[("40000", "tree", year, b"%04d" % n) for n in range(25)]), b"records"))
    receipt = memory.receive(str(mate.top))
    assert len(receipt.problems) == 201  # of 299 and a note how many more
    assert bodies(memory) == {GOOD.body}


def test_attack_a48_more_than_the_bound_is_not_fetched(
    memory: Memory, mate: Teammate, monkeypatch: pytest.MonkeyPatch
) -> None:
    mate.put("large.bin", secrets.token_bytes(4 << 20))
    mate.commits()
    bounds = Bounds(seconds=60, file_bytes=1 << 20)
    source = parse_source(str(mate.top))
    state = memory._store.settings.state
    with pytest.raises(Unavailable, match="too large"), quarantine.fetched(source, None, state, {}, True, bounds):
        pass
    assert list((state / "quarantine").iterdir()) == []


def test_attack_a56_events_that_are_broken_forged_or_strange_change_nothing_here(
    memory: Memory, mate: Teammate
) -> None:
    ours = memory.remember("Deploys go out on Friday", category="decision").record  # type: ignore[union-attr]
    mate.tells("retired", ours.digest).tells("erased", ours.digest).tells("endorsed", GOOD.digest)
    path = mate.memory / "events" / WRITER / "2026-07.jsonl"
    path.write_bytes(path.read_bytes() + b'{"n":99}\n[]\nnot json\n' + b"[" * 100_000 + b"\n")
    mate.put(".memoranda/events/../events/stranger/x.jsonl", "{}\n")
    mate.commits()
    receipt = memory.receive(str(mate.top))
    assert receipt.count("stored") == 1
    assert receipt.problems
    store = memory._store.fresh()
    assert store.state(ours) == "current"
    (kept,) = [one for id in store.catalog.entries if (one := store.read(id)) and one.body == GOOD.body]
    assert not store.standing(kept).endorsed


MARKS: list[tuple[str, type[MemorandaError]]] = [
    ("format = 99\nkind = 'project'\n", Unavailable),
    ("format = 1\nkind = 'other'\n", NotFound),
    ("not toml [", NotFound),
    ("x = " + "[" * 20_000, NotFound),
    ("", NotFound),
]


def test_a_memory_toml_that_is_none_or_newer(memory: Memory, mate: Teammate) -> None:
    for mark, error in MARKS:
        mate.put(".memoranda/memory.toml", mark)
        mate.commits()
        with pytest.raises(error):
            memory.receive(str(mate.top))


def test_an_empty_and_a_shallow_repository(memory: Memory, mate: Teammate, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    subprocess.run(["git", "init", "-q", str(empty)], check=True)
    with pytest.raises(Invalid):
        memory.receive(str(empty))
    mate.commits()
    mate.commits()
    mate.git("clone", "-q", "--depth=1", f"file://{mate.top}", str(tmp_path / "shallow"))
    assert memory.receive(str(tmp_path / "shallow")).count("stored") == 1


def test_attack_a64_no_token_in_a_name_a_key_or_an_address_is_told(memory: Memory, mate: Teammate) -> None:
    planted = [token for seed in range(2) for token in tokens(seed).values()][:24]
    for number, token in enumerate(planted):
        slug = "".join(c if c.isalnum() else "-" for c in token.lower())[:48]
        text = f"---\nid: mem_0000000000{number:02}\n{token}: x\n{token}: x\n---\nbody\n"
        mate.put(f".memoranda/{FOLDER}/mem_0000000000{number:02}-{slug}.md", text)
        mate.put(f".memoranda/{FOLDER}/{token.replace('/', '_')[:200]}", "x")
    mate.commits()
    receipt = memory.receive(str(mate.top))
    said = repr(receipt)
    for token in planted:
        assert token not in said
        assert token.lower()[:48] not in said


def test_attack_a52_author_and_committer_are_nobody(memory: Memory, mate: Teammate) -> None:
    mate.commits("-c", "user.name=owner", "-c", "user.email=owner@example.com")
    with Memory.open(settings=memory._store.settings, door=PERSON) as again:
        (one,) = again.receive(str(mate.top)).arrived
    assert one.principal is None
