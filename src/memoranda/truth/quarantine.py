"""What a remote repository sends, kept apart: a bare repository in the user's state, private, gone when it was read.

Only objects and one ref arrive there, each object checked by git; nothing is ever checked out, so no hook, filter,
attribute, link or submodule of the other side has anything to act on. Fetching is bounded in time and bytes. What a
killed process left is removed by the next one: each quarantine is locked while its owner, or a git of it, lives.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Mapping

from memoranda.model.errors import Busy, Invalid, Unavailable
from memoranda.model.values import dataclass
from memoranda.truth.fenced import Bounds, run_fenced
from memoranda.truth.files import make_private_folder
from memoranda.truth.git import GitFailed
from memoranda.truth.lock import WriteLock
from memoranda.truth.remote import Source

#: Most bytes that are fetched, and how long it may take. A text memory of a million records is below both.
FETCH = Bounds(seconds=600.0, file_bytes=1 << 30, memory_bytes=4 << 30, answer_bytes=1 << 20)
REF = "refs/received/head"
_FOLDER = "quarantine"
#: What the ways to another machine need of the user's environment: keys, proxies, certificates.
_PASSED = frozenset(("HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK", "https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"))
_PASSED |= {"SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "ALL_PROXY", "all_proxy"}
_SSH = "ssh -oBatchMode=yes -oClearAllForwardings=yes -oPermitLocalCommand=no -oForwardAgent=no"
_QUIET = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance")
_SETTINGS = (
    "fetch.fsckObjects=true",
    # What old programs wrote and nothing acts on; everything else that git finds wrong refuses the repository.
    *(f"fetch.fsck.{name}=ignore" for name in ("zeroPaddedFilemode", "missingSpaceBeforeDate", "badTimezone")),
    "fetch.unpackLimit=1",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "core.bigFileThreshold=1m",
    "core.askPass=",
    "credential.helper=",
    "http.followRedirects=initial",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=60",
    "pack.threads=1",
)


@dataclass(frozen=True, slots=True)
class Quarantine:
    """A repository that was fetched. `whole` says that its history came along, not only its newest commit."""

    folder: Path
    whole: bool


@contextmanager
def fetched(
    source: Source, branch: str | None, state: Path, variables: Mapping[str, str], whole: bool, bounds: Bounds = FETCH
) -> Iterator[Quarantine]:
    """Fetch a branch (a full ref; None: whatever the other side has checked out) and keep it until the block ends.

    `whole` fetches its history too. Raises `Unavailable` when it cannot be had, and says why.
    """
    above = state / _FOLDER
    make_private_folder(state)
    make_private_folder(above)
    _sweep(above)
    place = above / f"q{os.urandom(8).hex()}"
    lock = WriteLock(above / f"{place.name}.lock", 0.0)
    with lock.hold():
        try:
            make_private_folder(place)
            _fetch(source, branch, place, variables, whole, bounds, lock.fd)
            yield Quarantine(place, whole)
        finally:
            _remove(place)


def root_commit(place: Quarantine) -> str:
    """The oldest root of what was fetched, by which a repository is known; "" when its history did not come along.

    Raises `GitFailed`.
    """
    if not place.whole:
        return ""
    arguments = [f"--git-dir={place.folder}", "rev-list", "--max-parents=0", REF]
    roots = run_fenced(arguments, folder=place.folder, bounds=FETCH).decode("ascii", "replace").split()
    shallow = (place.folder / "shallow").exists()  # then its oldest commit is no root
    return roots[-1] if roots and not shallow else ""


def _fetch(
    source: Source,
    branch: str | None,
    place: Path,
    variables: Mapping[str, str],
    whole: bool,
    bounds: Bounds,
    lock_fd: int,
) -> None:
    passed = {name: variables[name] for name in _PASSED if variables.get(name)}
    passed |= {"GIT_SSH_COMMAND": _SSH, "GIT_SSH_VARIANT": "ssh", "SSH_ASKPASS_REQUIRE": "never"}
    depth = () if whole else ("--depth=1",)
    try:
        run_fenced(["init", "--quiet", "--bare", "--template=", str(place)], folder=place, bounds=bounds)
        run_fenced(
            [f"--git-dir={place}", "fetch", *_QUIET, *depth, "--", source.address, f"+{branch or 'HEAD'}:{REF}"],
            folder=place,
            bounds=bounds,
            settings=(*_SETTINGS, f"protocol.{source.protocol}.allow=always"),
            variables=passed,
            keep_open=(lock_fd,),
        )
    except GitFailed as failed:
        raise _unavailable(failed, source, branch) from None


def _unavailable(failed: GitFailed, source: Source, branch: str | None) -> Unavailable | Invalid:
    if "couldn't find remote ref" in failed.reason:
        what = "that branch" if branch else "a commit"
        return Invalid(f"{source.name} has not {what}", "name one that it has: --branch NAME")
    if "signal 25" in failed.reason or "invalid index-pack output" in failed.reason:  # it was ended at a bound
        return Unavailable(f"{source.name} is too large or damaged", "keep the memory in a repository of its own")
    return Unavailable(f"{source.name} could not be fetched: {failed.reason}", "look whether `git fetch` of it works")


def _sweep(above: Path) -> None:
    """Remove what processes that died left behind."""
    for name in {path.name.removesuffix(".lock") for path in above.iterdir()}:
        try:
            with WriteLock(above / f"{name}.lock", 0.0).hold():
                _remove(above / name)
        except Busy:
            continue


def _remove(place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.with_name(f"{place.name}.lock").unlink(missing_ok=True)
