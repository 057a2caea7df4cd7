"""A published memory in an object store: S3 and what speaks its language, Google Cloud Storage, Azure.

Access is what the store's own tools use: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL, and
so on. A version is taken by putting its manifest on condition that no such object exists (If-None-Match), which one of
two writers can do. Needs `pip install 'memoranda[s3]'`.
"""

from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, Iterator, Mapping

from memoranda.builtin.targets.layout import CARD, VERSIONS, in_order, manifests, version
from memoranda.model.errors import Conflict, Denied, Invalid, NotFound, Offline, Unavailable
from memoranda.model.share import Head

#: How often and how long the client itself tries again; beyond it we are offline and say so.
_RETRIES, _RETRY_SECONDS, _CONNECT_SECONDS, _ANSWER_SECONDS = 2, 10, 5, 30


def make(address: str, variables: Mapping[str, str]) -> ObjectTarget:
    """Raises `Invalid` for an address without a bucket, `Unavailable` when the client is not installed."""
    try:
        from obstore.store import from_url
    except ImportError as error:
        raise Unavailable("object stores need obstore", "pip install 'memoranda[s3]'") from error
    scheme, _, rest = address.partition("://")
    if not rest.strip("/"):
        raise Invalid(f"{address} names no bucket", f"{scheme}://bucket/folder")
    address = f"{scheme}://{rest.strip('/')}"
    options: dict[str, Any] = {"connect_timeout": _seconds(_CONNECT_SECONDS), "timeout": _seconds(_ANSWER_SECONDS)}
    endpoint = variables.get("AWS_ENDPOINT_URL_S3") or variables.get("AWS_ENDPOINT_URL") or ""
    config = {name.lower(): value for name, value in variables.items() if name in _TAKEN[scheme] and value}
    if endpoint and scheme == "s3":
        config["aws_endpoint_url"] = endpoint
        options["allow_http"] = endpoint.startswith("http://")
    retry: Any = {
        "max_retries": _RETRIES,
        "retry_timeout": timedelta(seconds=_RETRY_SECONDS),
        "backoff": {"init_backoff": timedelta(milliseconds=100), "max_backoff": timedelta(seconds=1), "base": 2},
    }
    try:
        store = from_url(address, config=config, client_options=options, retry_config=retry)  # type: ignore[call-overload]
    except Exception as error:  # its own family, which differs by store
        raise Invalid(f"{address} cannot be an object store: {type(error).__name__}", _access(scheme)) from None
    return ObjectTarget(address, scheme, store)


_AWS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION")
#: What is handed to the client: from the user's environment, and nothing from a memory.
_TAKEN: Mapping[str, tuple[str, ...]] = {
    "s3": _AWS,
    "gs": ("GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SERVICE_ACCOUNT_KEY", "GOOGLE_APPLICATION_CREDENTIALS"),
    "az": ("AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_TOKEN"),
}


#: How the client's generic error says that we are not let in; a bare number may stand in the name of a file.
_SHUT = ("status code: 401", "status code: 403", "InvalidAccessKeyId", "SignatureDoesNotMatch")


class ObjectTarget:
    """See `ports.ShareTarget`. Who may read the objects is what the bucket says; nothing is opened to the public."""

    def __init__(self, address: str, scheme: str, store: Any) -> None:
        self._address, self._scheme, self._store = address, scheme, store

    @property
    def address(self) -> str:
        return self._address

    def head(self) -> Head | None:
        import obstore

        with self._reached("list"):
            # One page: names count down, so the newest is in the first.
            for page in obstore.list(self._store, VERSIONS.rstrip("/"), chunk_size=1000):
                by_name = {item["path"].rpartition("/")[2]: item for item in page}
                found = manifests(by_name)
                if found:
                    tag = str(by_name[found[0]]["e_tag"] or by_name[found[0]]["last_modified"]).strip('"')
                    path = VERSIONS + found[0]
                    return Head(f"{version(path)}-{tag}", path)
        return None

    def read(self, path: str, head: Head, into: Path) -> None:
        import obstore

        with self._reached("read"), into.open("wb") as file:
            for piece in obstore.get(self._store, path).stream(min_chunk_size=1 << 20):
                file.write(piece)

    def commit(self, files: Mapping[str, Path], head: Head | None, note: str) -> Head:
        """The name of the manifest is one more than `head`'s, so that putting it as a new object is the guard: who
        comes second finds it there. That `head` is the newest was just asked by whoever read it."""
        import obstore
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        made, tag = "", ""
        for path, file in in_order(files):
            with self._reached("write"):
                try:
                    put = obstore.put(self._store, path, file, mode="overwrite" if path == CARD else "create")
                except (AlreadyExistsError, PreconditionError):
                    raise Conflict(f"{self._address} has moved on") from None
            if path.startswith(VERSIONS):
                made, tag = path, str(put["e_tag"] or "").strip('"')
        return Head(f"{version(made)}-{tag}", made)

    @contextmanager
    def _reached(self, doing: str) -> Iterator[None]:
        """The client's errors as ours. Their words may hold a signed address, so none is passed on."""
        from obstore.exceptions import BaseError, NotFoundError, PermissionDeniedError, UnauthenticatedError

        try:
            yield
        except (FileNotFoundError, NotFoundError) as error:
            if "NoSuchBucket" in str(error) or doing != "read":
                raise NotFound(f"there is no bucket for {self._address}", "make the bucket, private, first") from None
            raise NotFound(f"a file of {self._address} is gone", "was it deleted while it was read?") from None
        except (PermissionDeniedError, UnauthenticatedError, PermissionError):
            raise Denied(f"{self._address} does not let us {doing}", _access(self._scheme)) from None
        except BaseError as error:
            words = str(error)
            if "NoSuchBucket" in words:
                raise NotFound(f"there is no bucket for {self._address}", "make the bucket, private, first") from None
            if any(mark in words for mark in _SHUT):
                raise Denied(f"{self._address} does not let us {doing}", _access(self._scheme)) from None
            raise Offline(f"{self._address} cannot be reached", "check the network and the endpoint") from None


def _access(scheme: str) -> str:
    return f"set {' and '.join(_TAKEN[scheme][:2])}, or use an account that may"


def _seconds(seconds: int) -> timedelta:
    return timedelta(seconds=seconds)
