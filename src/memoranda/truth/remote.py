"""Where a teammate's repository lies: an address git may be given, or a folder on this machine.

An address can name a program to run (`ext::`), an option (a host that begins with a dash) or a way without any proof of
the other side (`git://`, `http://`). So an address is read by a grammar, and what does not fit is refused.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Iterator

from memoranda.model.errors import Invalid, NotFound, Unavailable
from memoranda.model.values import dataclass
from memoranda.truth.files import read_capped

_HOST = r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?"
_USER = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}"
_PATH = r"[A-Za-z0-9._~/+%-]{1,512}"
_is_https = re.compile(rf"https://(?:{_USER}@)?({_HOST}(?::\d{{1,5}})?)/({_PATH})").fullmatch
_is_ssh = re.compile(rf"ssh://(?:{_USER}@)?({_HOST}(?::\d{{1,5}})?)/({_PATH})").fullmatch
_is_scp = re.compile(rf"{_USER}@({_HOST}):(?!-)({_PATH})").fullmatch
_is_branch = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_./+-]{0,198}[A-Za-z0-9_+-])?").fullmatch
_scheme = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?::|//)").match
_odd = re.compile(r"[^A-Za-z0-9._-]+")
_CONFIG_BYTES = 1 << 20
#: What in a repository's own config could make the git that serves it run a program or read elsewhere.
_serves = re.compile(
    rb"(?i)\[\s*(?:include|includeif|uploadpack)\b|packobjectshook|promisor|partialclone|alternaterefscommand"
).search


@dataclass(frozen=True, slots=True)
class Source:
    """`address` is what git is given, `name` how it is told and recorded: without user, and for a folder without its
    path, of which a hash tells two of one name apart. `protocol` is https, ssh or file."""

    address: str
    name: str
    protocol: str


def parse_source(text: str) -> Source:
    """Read an address or the path of a folder.

    Raises `Invalid` for an address that is not one of the forms, `NotFound` for what is neither, and `Unavailable` for
    a folder whose repository may not be served from.
    """
    for protocol, match in (("https", _is_https(text)), ("ssh", _is_ssh(text) or _is_scp(text))):
        if match:
            path = match[2].strip("/").removesuffix(".git").rstrip("/")
            return Source(text, f"{match[1].lower()}/{path}", protocol)
    if _scheme(text) or not text.strip() or text.startswith("-"):
        raise Invalid(
            "this is no address that is received from",
            "use https://host/path, ssh://user@host/path, user@host:path, or the path of a folder",
        )
    folder = Path(text).expanduser()
    if not folder.is_dir():
        raise NotFound("there is no such folder, and it is no address", "use https://host/path or user@host:path")
    return _folder(Path(os.path.realpath(folder)))


def parse_branch(text: str) -> str:
    """The full name of a branch. Raises `Invalid` for what could be anything but one."""
    parts = text.split("/")
    if not _is_branch(text) or ".." in text or any(p.startswith(".") or p.endswith(".lock") or not p for p in parts):
        raise Invalid("this cannot name a branch", "letters, digits, and . _ / + - between them")
    return f"refs/heads/{text}"


def _folder(folder: Path) -> Source:
    top = next((f for f in (folder, *folder.parents) if os.path.lexists(f / ".git") or _bare(f)), None)
    if top is None:
        raise NotFound(f"{folder} is in no git repository", "name the folder of a repository, or a bare one")
    for part in _git_folders(top):
        for name in ("config", "config.worktree"):
            if _serves(_small(part / name)):
                raise Unavailable(f"the git config of {top} could run programs", "receive from a fresh clone of it")
        if _small(part / "objects" / "info" / "alternates").strip():
            raise Unavailable(
                f"{top} borrows its objects from another repository", "receive from that one, or from a whole clone"
            )
    digest = hashlib.sha256(os.fsencode(top)).hexdigest()[:8]
    return Source(str(top), f"{_odd.sub('-', top.name)[:64] or 'folder'}~{digest}", "file")


def _bare(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()


def _git_folders(top: Path) -> Iterator[Path]:
    """The repository's own folder, and for a worktree the one it shares with others too."""
    inside = top / ".git" if os.path.lexists(top / ".git") else top
    if inside.is_file():
        inside = top / os.fsdecode(_small(inside).strip().removeprefix(b"gitdir: "))
    yield inside
    shared = _small(inside / "commondir").strip()
    if shared:
        yield inside / os.fsdecode(shared)


def _small(path: Path) -> bytes:
    """A small file's bytes, none where there is no such file. Raises `Unavailable` for what is no small file."""
    try:
        data = read_capped(path, _CONFIG_BYTES)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return b""
    except OSError as error:
        raise Unavailable(f"{path}: {error.strerror}", "check its owner and mode") from error
    if data is None:
        raise Unavailable(f"{path} is not a small regular file", "receive from a fresh clone of the repository")
    return data
