"""A stand-in for a model hub: dataset repositories with commits, over the requests that its client really makes.

Repositories are made, read by commit, listed, and written by one commit on condition of its parent. Tokens read or
write. No large-file storage: files come inside the commit, as the hub itself takes small ones.
"""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import re
import threading
import urllib.parse
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Iterator

WRITE, READ = "hf_may_write", "hf_may_read"


@dataclass
class Repository:
    private: bool
    commits: list[tuple[str, dict[str, bytes]]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    def add(self, files: dict[str, bytes], message: str) -> str:
        sha = hashlib.sha1(f"{len(self.commits)} {message} {sorted(files)}".encode()).hexdigest()
        self.commits.append((sha, files))
        self.messages.append(message)
        return sha

    @property
    def sha(self) -> str:
        return self.commits[-1][0]

    @property
    def files(self) -> dict[str, bytes]:
        return self.commits[-1][1]


class Hub:
    """`repositories` by name; `requests` as "METHOD path", in the order they came."""

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.requests: list[str] = []
        self.endpoint = ""
        self.lock = threading.Lock()


@contextmanager
def hub() -> Iterator[Hub]:
    state = Hub()

    class Handler(_Handler):
        hub = state

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.endpoint = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        path = self._begun()
        if found := re.fullmatch(r"/api/datasets/([^/]+/[^/]+)(?:/revision/([^/]+))?", path):
            self._info(found[1])
        elif found := re.fullmatch(r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._file(found[1], found[2], found[3])
        elif path == "/api/whoami-v2":
            self._send(200, {"name": "ada", "type": "user", "auth": {"accessToken": {"role": "write"}}})
        else:
            self._send(404, {"error": "no such page"})

    do_HEAD = do_GET

    def do_POST(self) -> None:
        path, body = self._begun(), self._body()
        if path == "/api/repos/create":
            self._create(json.loads(body))
        elif path == "/api/validate-yaml":
            self._send(200, {"errors": [], "warnings": []})
        elif re.fullmatch(r"/api/datasets/[^/]+/[^/]+/preupload/main", path):
            files = [{"path": f["path"], "uploadMode": "regular", "shouldIgnore": False, "oid": None}
                     for f in json.loads(body)["files"]]  # fmt: skip
            self._send(200, {"files": files})
        elif found := re.fullmatch(r"/api/datasets/([^/]+/[^/]+)/commit/main", path):
            self._commit(found[1], [json.loads(line) for line in body.splitlines() if line.strip()])
        else:
            self._send(404, {"error": "no such page"})

    def _info(self, name: str) -> None:
        repository = self._seen(name)
        if repository is not None:
            siblings = [{"rfilename": path} for path in repository.files]
            self._send(200, {"id": name, "_id": "0", "sha": repository.sha, "private": repository.private,
                             "siblings": siblings, "tags": [], "downloads": 0, "likes": 0})  # fmt: skip

    def _file(self, name: str, revision: str, path: str) -> None:
        repository = self._seen(name)
        if repository is None:
            return
        known = {**dict(repository.commits), "main": repository.files}
        data = known.get(revision, {}).get(path)
        if data is None:
            self._send(404, {"error": "no such file"}, {"X-Error-Code": "EntryNotFound"})
            return
        etag = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
        sha = repository.sha if revision == "main" else revision
        self._send(200, data, {"ETag": f'"{etag}"', "X-Repo-Commit": sha, "Accept-Ranges": "bytes"})

    def _create(self, told: dict[str, Any]) -> None:
        if self._token() != WRITE:
            self._send(403, {"error": "this token may not write"})
            return
        name = f"{told.get('organization') or 'ada'}/{told['name']}"
        with self.hub.lock:
            if name in self.hub.repositories:
                self._send(409, {"error": "it is there already", "url": f"{self.hub.endpoint}/datasets/{name}"})
                return
            self.hub.repositories[name] = Repository(told.get("visibility") == "private" or told.get("private") is True)
            self.hub.repositories[name].add({".gitattributes": b""}, "initial commit")
        self._send(200, {"url": f"{self.hub.endpoint}/datasets/{name}", "name": name, "id": "0"})

    def _commit(self, name: str, lines: list[dict[str, Any]]) -> None:
        repository = self._seen(name)
        if repository is None:
            return
        if self._token() != WRITE:
            self._send(403, {"error": "this token may not write"})
            return
        with self.hub.lock:
            header = lines[0]["value"]
            if header.get("parentCommit") not in (None, repository.sha):
                self._send(412, {"error": "a commit has happened since"})
                return
            files = dict(repository.files)
            for line in lines[1:]:
                if line["key"] == "file":
                    files[line["value"]["path"]] = base64.b64decode(line["value"]["content"])
            sha = repository.add(files, header["summary"])
        url = f"{self.hub.endpoint}/datasets/{name}/commit/{sha}"
        self._send(200, {"commitUrl": url, "commitOid": sha, "hookOutput": ""})

    def _seen(self, name: str) -> Repository | None:
        """The repository if this token may see it; else an answer has been given."""
        repository = self.hub.repositories.get(name)
        token = self._token()
        if repository is None or (repository.private and token not in (READ, WRITE)):
            status = 404 if token in (READ, WRITE) else 401
            self._send(status, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})
            return None
        return repository

    def _token(self) -> str:
        return self.headers.get("Authorization", "").removeprefix("Bearer ")

    def _begun(self) -> str:
        path = urllib.parse.unquote(urllib.parse.urlparse(self.path).path)
        with self.hub.lock:
            self.hub.requests.append(f"{self.command} {path}")
        return path

    def _body(self) -> bytes:
        if length := self.headers.get("Content-Length"):
            return self.rfile.read(int(length))
        whole = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def _send(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
