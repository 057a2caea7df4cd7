"""Whether a request may be looked at at all: pure, from its head alone, before a byte of its body is read.

The order is that of `refusal`: where it comes from, which name it used for us, which page sent it, what it is. A page
in a browser can make a browser send requests to this machine, under a name of its own if it likes; it cannot choose
Host, Origin and Sec-Fetch-Site.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import NamedTuple, Sequence

from memoranda.views.http.limits import Limits

Headers = Sequence[tuple[bytes, bytes]]  # names in lower case

METHODS = ("GET", "POST", "DELETE")


class Refusal(NamedTuple):
    """Why not: an HTTP status, a stable word, what to say, and headers that belong to it."""

    status: int
    code: str
    message: str
    hint: str = ""
    headers: tuple[tuple[str, str], ...] = ()


class Names(NamedTuple):
    """What we are called: `hosts` as a Host header has them, `origins` as pages of ours would."""

    hosts: frozenset[str]
    origins: frozenset[str]

    @classmethod
    def at(cls, port: int) -> Names:
        """The loopback names with that port. No other spelling of the address is one: not `0.0.0.0`, not a number, not
        an IPv4 address inside IPv6, not a trailing dot."""
        hosts = frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))
        return cls(hosts, frozenset(f"http://{host}" for host in hosts))


def refusal(peer: str, method: str, headers: Headers, names: Names, limits: Limits) -> Refusal | None:
    """None when the request may go on to be authenticated."""
    if not _is_here(peer):
        return Refusal(403, "forbidden", "only this machine is served")
    if len(headers) > limits.headers:
        return Refusal(431, "too_many_headers", f"a request may have {limits.headers} headers")
    hosts = values(headers, b"host")
    if len(hosts) != 1 or hosts[0].lower() not in names.hosts:
        return Refusal(421, "wrong_host", "this server has no such name", "use the address that it printed")
    origins = values(headers, b"origin")
    if len(origins) > 1 or not names.origins.issuperset(origins):
        return Refusal(403, "forbidden", "pages of other origins are not served")
    sites = values(headers, b"sec-fetch-site")
    if not {"same-origin", "none"}.issuperset(sites):
        return Refusal(403, "forbidden", "pages of other sites are not served")
    if method == "OPTIONS":
        return Refusal(403, "forbidden", "no page of another origin may ask")
    if method not in METHODS:
        return Refusal(405, "method_not_allowed", f"use {', '.join(METHODS)}", headers=(("allow", ", ".join(METHODS)),))
    return _body_refusal(method, headers, limits)


def _body_refusal(method: str, headers: Headers, limits: Limits) -> Refusal | None:
    lengths, encodings = values(headers, b"content-length"), values(headers, b"transfer-encoding")
    if method == "POST":
        kinds = values(headers, b"content-type")
        kind, _, parameters = (kinds[0] if len(kinds) == 1 else "").partition(";")
        plain = parameters.strip().lower() in ("", "charset=utf-8", 'charset="utf-8"')
        if kind.strip().lower() != "application/json" or not plain or values(headers, b"content-encoding"):
            return Refusal(415, "not_json", "a body is JSON in UTF-8", "send Content-Type: application/json")
    elif encodings or any(length.strip("0") for length in lengths):
        return Refusal(400, "invalid", f"a {method} has no body")
    if any(not length.isdecimal() or len(length) > 12 or int(length) > limits.body_bytes for length in lengths):
        return Refusal(413, "too_large", f"a body may have {limits.body_bytes:,} bytes")
    return None


def bearer(headers: Headers) -> bytes | None:
    """The secret a request brings, None when it brings none or more than one."""
    found = values(headers, b"authorization")
    scheme, _, secret = (found[0] if len(found) == 1 else "").partition(" ")
    secret = secret.strip()
    return secret.encode("ascii") if scheme.lower() == "bearer" and secret and secret.isascii() else None


def values(headers: Headers, name: bytes) -> list[str]:
    """Every value of a header, as text; bytes beyond ASCII stay visible and match nothing."""
    return [value.decode("latin-1").strip() for key, value in headers if key == name]


def _is_here(peer: str) -> bool:
    try:
        return ip_address(peer).is_loopback
    except ValueError:
        return False
