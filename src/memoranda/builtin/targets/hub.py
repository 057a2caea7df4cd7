"""A published memory in a dataset repository of a model hub: hf://datasets/<owner>/<name>.

The repository's own commit is the guard: it is made on condition that its parent is still the newest (parent_commit),
so all files of a push appear at once. What stands there is asked by one plain request, since the hub's client takes
half a second to load; everything else is the client's. Access is the client's too: HF_TOKEN, or what `hf auth login`
left. Needs `pip install 'memoranda[hub,lance]'`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any, Mapping

from memoranda.builtin.targets.layout import VERSIONS, in_order, manifests
from memoranda.model.errors import Conflict, Denied, Invalid, MemorandaError, NotFound, Offline, Unavailable
from memoranda.model.share import Head

_SECONDS = 20
_ENDPOINT = "https://huggingface.co"
_is_repository = re.compile(r"datasets/([A-Za-z0-9][\w.-]{0,95})/([A-Za-z0-9][\w.-]{0,95})").fullmatch
_TOKENS = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
_LOGIN = "log in with a token that may: hf auth login"


def make(address: str, variables: Mapping[str, str]) -> HubTarget:
    """Raises `Invalid` for what is no dataset repository."""
    name = address.removeprefix("hf://").strip("/").removesuffix(".git")
    if not _is_repository(name):
        raise Invalid(f"{address[:80]} names no dataset repository", "hf://datasets/<owner>/<name>")
    return HubTarget(name.removeprefix("datasets/"), variables)


class HubTarget:
    """See `ports.ShareTarget`. A repository is made private; one that is there keeps whom it lets in."""

    def __init__(self, repository: str, variables: Mapping[str, str]) -> None:
        self._repository, self._variables = repository, variables
        self._endpoint = (variables.get("HF_ENDPOINT") or _ENDPOINT).rstrip("/")

    @property
    def address(self) -> str:
        return f"hf://datasets/{self._repository}"

    def head(self) -> Head | None:
        found = self._looked()
        return None if found is None or not found[1] else Head(found[0], VERSIONS + found[1])

    def read(self, path: str, head: Head, into: Path) -> None:
        hub = _client()
        with tempfile.TemporaryDirectory(dir=into.parent, prefix=".tmp-hub-") as cache:
            try:
                file = hub.hf_hub_download(
                    self._repository, path, repo_type="dataset", revision=head.commit, cache_dir=cache,
                    endpoint=self._endpoint, token=self._token or False,
                )  # fmt: skip
                shutil.copyfile(file, into)
            except OSError as error:
                raise self._said(error, "read") from None
            except Exception as error:  # its errors come from the hub, the network and a library that has changed
                raise self._said(error, "read") from None

    def commit(self, files: Mapping[str, Path], head: Head | None, note: str) -> Head:
        hub = _client()
        api = hub.HfApi(endpoint=self._endpoint, token=self._token or False)
        parent = head.commit if head else self._new(api)
        changes = [hub.CommitOperationAdd(path, str(file)) for path, file in in_order(files)]
        try:
            made = api.create_commit(
                self._repository, changes, commit_message=f"push: {note}", repo_type="dataset", parent_commit=parent
            )
        except Exception as error:
            raise self._said(error, "write") from None
        manifest = next(path for path in files if path.startswith(VERSIONS))
        return Head(str(made.oid), manifest)

    def _new(self, api: Any) -> str:
        """A private repository, or the one that is there and holds no memory; its newest commit."""
        try:
            api.create_repo(self._repository, repo_type="dataset", private=True, exist_ok=True)
        except Exception as error:
            raise self._said(error, "make a repository") from None
        found = self._looked()
        if found is None or found[1]:
            raise Conflict(f"{self.address} has moved on")
        return found[0]

    def _looked(self) -> tuple[str, str] | None:
        """The newest commit and the name of the newest manifest in it ("" for none); None without a repository."""
        import urllib.error
        import urllib.request

        request = urllib.request.Request(f"{self._endpoint}/api/datasets/{self._repository}/revision/main")
        if self._token:
            request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
                told = json.load(answer)
            names = [item["rfilename"] for item in told.get("siblings") or ()]
            below = (name.removeprefix(VERSIONS) for name in names if name.startswith(VERSIONS))
            found = manifests(below)
            return str(told["sha"]), found[0] if found else ""
        except urllib.error.HTTPError as error:
            if error.code == 404 or (error.code == 401 and error.headers.get("X-Error-Code") == "RepoNotFound"):
                if error.code == 401 and not self._token:
                    raise Denied(f"{self.address} is not there, or is private and we are nobody", _LOGIN) from None
                return None
            raise self._refused(error.code, "read") from None
        except (OSError, ValueError, KeyError, TypeError):
            raise Offline(f"{self.address} cannot be reached", "check the network") from None

    def _refused(self, status: int, doing: str) -> MemorandaError:
        if status in (401, 403):
            return Denied(f"{self.address} does not let us {doing}", _LOGIN)
        if status in (409, 412):
            return Conflict(f"{self.address} has moved on")
        return Offline(f"{self.address} answers with status {status}", "try again later")

    def _said(self, error: BaseException, doing: str) -> MemorandaError:
        """An error of the client as one of ours; its words may hold an address with a signature, so they stay here."""
        status = getattr(getattr(error, "response", None), "status_code", 0)
        if type(error).__name__ in ("EntryNotFoundError", "RemoteEntryNotFoundError"):
            return NotFound(f"a file of {self.address} is gone", "was it deleted while it was read?")
        if status == 404 and doing == "write":
            return Denied(f"{self.address} does not let us write", _LOGIN)
        return (
            self._refused(int(status), doing) if status else Offline(f"{self.address} cannot be reached", "try again")
        )

    @property
    def _token(self) -> str:
        """The user's token, "" for none, found where the hub's client looks for it."""
        for name in _TOKENS:
            if token := self._variables.get(name, "").strip():
                return token
        home = self._variables.get("HF_HOME") or os.path.join(self._variables.get("HOME", ""), ".cache/huggingface")
        try:
            return Path(self._variables.get("HF_TOKEN_PATH") or os.path.join(home, "token")).read_text().strip()
        except OSError:
            return ""


def _client() -> Any:
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    try:
        import huggingface_hub
    except ImportError as error:
        raise Unavailable("a hub needs its client", "pip install 'memoranda[hub,lance]'") from error
    return huggingface_hub
