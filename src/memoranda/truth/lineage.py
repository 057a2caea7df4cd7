"""What git knows of files that moved or changed: where they went, and what stood at their path before.

Read only, with the hardened git of this room, and for many files at once: each question below is one process, however
many files are asked about. Whatever git cannot say is left out; nothing here raises. Attributes, filters and text
conversions of the repository play no part, since only blobs and trees are read.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Iterable, Iterator, Mapping, NamedTuple, Sequence

from memoranda.model.errors import Unavailable
from memoranda.model.world import Lineage
from memoranda.truth.git import GitFailed, run
from memoranda.truth.tree import top_of

#: A look waits this long for git, all questions together; what it has not said by then is not known.
SECONDS = 5.0
#: Versions of one file that are read, newest first; bytes of one blob, and of all blobs of one look.
VERSIONS, BLOB_BYTES, ALL_BYTES = 64, 16 << 20, 128 << 20
#: Renames of renames that are followed; files git does not know yet that are looked at.
_HOPS, _STRAYS = 5, 256
_LOG = ("--literal-pathspecs", "log", "--no-show-signature", "--no-mailmap", "--no-color")
_RAW = ("--raw", "-z", "--full-index", "--no-ext-diff", "--no-textconv")
#: git compares every deleted file with every new one; above this many it only pairs those that are equal.
_RENAMES = ("-M", "-l400", "--no-rename-empty", "--diff-filter=RD")
_is_oid = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}").fullmatch


class Asked(NamedTuple):
    """A file that no longer holds its anchor: its path, the commit the anchor was taken at ("" when unknown), and
    whether the work tree still has a file there."""

    path: str
    commit: str
    there: bool


class _Repository(NamedTuple):
    """The top of a work tree, and until when (of the monotonic clock) git may be asked."""

    top: Path
    until: float


class _Blob(NamedTuple):
    oid: str
    data: bytes


def lineages(folder: Path, asked: Sequence[Asked], versions: bool = False) -> list[Lineage]:
    """What is known of each, in their order. Paths are relative to `folder`, a work tree or a folder of one."""
    top = top_of(folder)
    if top is None:
        return [Lineage()] * len(asked)
    inner = os.path.relpath(os.path.realpath(folder), top)
    prefix = "" if inner == "." else inner.replace(os.sep, "/") + "/"
    repo = _Repository(top, monotonic() + SECONDS)
    return _lineages(repo, prefix, [one._replace(path=prefix + one.path) for one in asked], versions)


def _lineages(repo: _Repository, prefix: str, asked: Sequence[Asked], versions: bool) -> list[Lineage]:
    known = _blobs(repo, {f"{one.commit}:{one.path}" for one in asked if one.commit})
    part = _part(repo, {one.commit for one in asked if one.commit})
    away = {one.path for one in asked if not one.there}
    went, last = _went(repo, away) if away else ({}, {})
    unsure = {one.path for one in asked if versions or not part.get(one.commit)}
    held = _versions(repo, unsure, "HEAD") if unsure else {}
    apart = _versions(repo, unsure, "--branches", "--remotes", "--tags", "--not", "HEAD") if unsure else {}
    texts = _blobs(repo, {oid for rows in (*held.values(), *apart.values()) for oid, _ in rows})
    alike = _alike(repo, {path: last.get(path, "") for path in away}) if away else {}

    def inside(paths: Iterable[str]) -> tuple[str, ...]:
        return tuple(path.removeprefix(prefix) for path in paths if path.startswith(prefix))

    return [
        Lineage(
            then=blob.data if (blob := known.get(f"{one.commit}:{one.path}")) else None,
            part=part.get(one.commit) if one.commit else None,
            went=() if one.there else inside(went.get(one.path, ())),
            alike=() if one.there else inside(alike.get(one.path, ())),
            held=tuple(texts[oid].data for oid, _ in held.get(one.path, ()) if oid in texts),
            apart=tuple((ref, texts[oid].data) for oid, ref in apart.get(one.path, ()) if oid in texts),
        )
        for one in asked
    ]


def head_of(top: Path) -> str:
    """The commit that is checked out, "" when git cannot tell."""
    name = (
        _ask(_Repository(top, monotonic() + SECONDS), "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        .decode("ascii", "replace")
        .strip()
    )
    return name if _is_oid(name) else ""


def state_of(top: Path) -> str:
    """Changes whenever what is checked out, staged or known of branches may have, "" when it cannot be said. Starts no
    git."""
    files = state_files(top)
    if not files:
        return ""
    return " ".join(map(_stamp, files))


def state_files(top: Path) -> list[str]:
    """The files and folders by whose stamps `state_of` tells; none outside a work tree."""
    folder = (top_of(top) or top) / ".git"
    with suppress(OSError, UnicodeDecodeError):  # a file in a work tree whose repository is elsewhere
        folder = folder.parent / folder.read_text("utf-8").removeprefix("gitdir:").strip()
    common = folder
    with suppress(OSError, UnicodeDecodeError):  # the repository itself has no such file
        common = folder / (folder / "commondir").read_text("utf-8").strip()
    try:
        head = (folder / "HEAD").read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return []
    branch = [head[5:]] if head.startswith("ref: ") else []
    shared = ("packed-refs", "FETCH_HEAD", "refs/heads", "refs/remotes", "refs/tags", *branch)
    return [str(folder / name) for name in ("HEAD", "index", "logs/HEAD")] + [str(common / name) for name in shared]


def _stamp(path: str) -> str:
    try:
        facts = os.stat(path)
    except OSError:
        return "-"
    return f"{facts.st_size}.{facts.st_mtime_ns}.{facts.st_ino}"


def _part(repo: _Repository, commits: set[str]) -> dict[str, bool | None]:
    """Whether each commit is an ancestor of what is checked out; False also for one that is not here."""
    if not commits:
        return {}
    given = "".join(f"{commit}^{{commit}}\n" for commit in sorted(commits)).encode()
    rows = _ask(repo, "cat-file", "--batch-check=%(objectname) %(objecttype)", given=given).decode("ascii", "replace")
    here = {row.split()[0] for row in rows.splitlines() if row.endswith(" commit")}
    found: dict[str, bool | None] = dict.fromkeys(commits, False)
    if here:
        wanted = "".join(f"{commit}\n" for commit in sorted(here)) + "^HEAD\n"
        beyond = _said(repo, "rev-list", "--stdin", given=wanted.encode())
        if beyond is None:
            return dict.fromkeys(commits)
        apart = set(beyond.decode("ascii", "replace").split())
        found.update((commit, commit not in apart) for commit in here)
    return found


def _went(repo: _Repository, paths: set[str]) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """(path -> paths it was renamed to, the last one first; path -> the object it was when it was last there)."""
    pairs, last = _renamed(repo, paths)
    went: dict[str, tuple[str, ...]] = {path: (pairs[path],) for path in paths if path in pairs}
    for _ in range(_HOPS):
        onward = {to[0] for to in went.values() if not os.path.lexists(repo.top / to[0])}
        if not onward:
            break
        more, _ = _renamed(repo, onward)
        if not more:
            break
        went = {path: (more[to[0]], *to) if to[0] in more else to for path, to in went.items()}
    return went, last


def _renamed(repo: _Repository, paths: set[str]) -> tuple[dict[str, str], dict[str, str]]:
    """One rename of each path that left, staged or in the commit that deleted it last, and what it was before."""
    pairs: dict[str, str] = {}
    last: dict[str, str] = {}

    def note(text: bytes, wanted: Iterable[str]) -> None:
        for change in _changes(text):
            if change.path in wanted and change.path not in last:
                last[change.path] = change.before
                if change.letter == "R":
                    pairs[change.path] = change.onto

    note(_ask(repo, "diff-index", "--cached", *_RAW, *_RENAMES, "HEAD", "--"), paths)
    rest = paths - last.keys()
    for name, blob in _blobs(repo, {f"HEAD:{path}" for path in rest}).items():
        last[name.removeprefix("HEAD:")] = blob.oid  # it left the work tree, and git was not told
    commits: dict[str, str] = {}
    for path, commit in _deletions(repo, paths - last.keys()):
        commits.setdefault(path, commit)
    if commits:
        given = "".join(f"{commit}\n" for commit in sorted(set(commits.values()))).encode()
        note(_ask(repo, "diff-tree", "--stdin", "--no-commit-id", "-r", *_RAW, *_RENAMES, given=given), commits)
    return pairs, last


class _Change(NamedTuple):
    """A line of git's raw format: its letter, the objects before and after, the path and, renamed, the path onto."""

    letter: str
    before: str
    after: str
    path: str
    onto: str


def _changes(text: bytes) -> Iterator[_Change]:
    pieces = iter(text.split(b"\0"))
    for piece in pieces:
        facts = piece.strip().decode("ascii", "replace").split()
        if len(facts) == 5 and facts[0].startswith(":"):
            letter = facts[4][:1]
            path = os.fsdecode(next(pieces, b""))
            yield _Change(letter, facts[2], facts[3], path, os.fsdecode(next(pieces, b"")) if letter in "RC" else "")


def _deletions(repo: _Repository, paths: set[str]) -> Iterator[tuple[str, str]]:
    """(path, commit) for every deletion of these paths in the history that is checked out, newest first."""
    for commit, change in _history(repo, paths, "HEAD", "--diff-filter=D"):
        yield change.path, commit


def _versions(repo: _Repository, paths: set[str], *revisions: str) -> dict[str, list[tuple[str, str]]]:
    """path -> (object, branch it was found on) of its versions in those histories, newest first."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for branch, change in _history(repo, paths, *revisions, "--source", form="%S"):
        if change.letter != "D" and len(found[change.path]) < VERSIONS:
            found[change.path].append((change.after, _SHORT.sub("", branch)))
    return found


_SHORT = re.compile(r"^refs/(heads|remotes|tags)/")


def _history(repo: _Repository, paths: set[str], *options: str, form: str = "%H") -> Iterator[tuple[str, _Change]]:
    """(what `form` says of a commit, one change in it) for every commit that touched these paths, newest first."""
    if not paths:
        return
    given = b"--\n" + b"".join(os.fsencode(path) + b"\n" for path in sorted(paths))
    text = _ask(repo, *_LOG, *_RAW, "--no-renames", f"--format=%x01{form}", *options, "--stdin", given=given)
    for piece in text.split(b"\x01")[1:]:
        said, _, rest = piece.partition(b"\0")
        for change in _changes(rest):
            if change.path in paths:
                yield os.fsdecode(said).strip(), change


def _alike(repo: _Repository, paths: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Other places for each path (with the object it was, "" unknown): files with the very bytes that git tracks, and
    files git does not track whose names end alike."""
    tracked: dict[str, list[str]] = defaultdict(list)
    for row in _ask(repo, "ls-files", "-s", "-z").split(b"\0") if any(paths.values()) else ():
        facts, _, name = row.partition(b"\t")
        oid = facts[7:].partition(b" ")[0].decode("ascii", "replace")
        tracked[oid].append(os.fsdecode(name))
    strays = [os.fsdecode(name) for name in _ask(repo, "ls-files", "-o", "--exclude-standard", "-z").split(b"\0")]
    found = {}
    for path, oid in paths.items():
        same = [other for other in tracked.get(oid, ()) if other != path] if oid else []
        ends = os.path.splitext(path)[1]
        new = [stray for stray in strays if stray and os.path.splitext(stray)[1] == ends]
        found[path] = (*same, *new[:_STRAYS])
    return found


def _blobs(repo: _Repository, names: set[str]) -> dict[str, _Blob]:
    """name -> blob, for those names (objects, or `<commit>:<path>`) that are blobs of a size that may be read."""
    ordered = sorted(names)
    if not ordered:
        return {}
    given = b"".join(os.fsencode(name) + b"\n" for name in ordered)
    facts = _ask(repo, "cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)", given=given)
    wanted: dict[str, list[str]] = defaultdict(list)
    sizes, total = {}, 0
    for name, row in zip(ordered, facts.decode("utf-8", "replace").splitlines(), strict=False):
        parts = row.split(" ")
        if len(parts) == 3 and parts[1] == "blob" and _is_oid(parts[0]) and int(parts[2]) <= BLOB_BYTES:
            if parts[0] not in sizes:
                total += int(parts[2])
                if total > ALL_BYTES:
                    break
                sizes[parts[0]] = int(parts[2])
            wanted[parts[0]].append(name)
    data = _ask(repo, "cat-file", "--batch", given="".join(f"{oid}\n" for oid in sizes).encode()) if sizes else b""
    found: dict[str, _Blob] = {}
    at = 0
    for oid, size in sizes.items():
        head = f"{oid} blob {size}\n".encode()
        if data[at : at + len(head)] != head:
            break
        at += len(head)
        found.update((name, _Blob(oid, data[at : at + size])) for name in wanted[oid])
        at += size + 1
    return found


def _ask(repo: _Repository, *arguments: str, given: bytes = b"") -> bytes:
    """What git prints; nothing when it fails."""
    return _said(repo, *arguments, given=given) or b""


def _said(repo: _Repository, *arguments: str, given: bytes = b"") -> bytes | None:
    left = repo.until - monotonic()
    if left <= 0:
        return None
    try:
        return run(arguments, folder=repo.top, given=given, seconds=left)
    except (GitFailed, Unavailable):
        return None
