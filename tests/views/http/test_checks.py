"""Who may ask at all: names that a page could use for this machine, origins, sites, forms, sizes."""

from __future__ import annotations

from typing import Any

import pytest

from memoranda.views.http.checks import Names, bearer, refusal
from memoranda.views.http.limits import Limits

PORT = 7411
NAMES = Names.at(PORT)
LIMITS = Limits()

GOOD_HOSTS = ["127.0.0.1:7411", "localhost:7411", "[::1]:7411", "LOCALHOST:7411"]

#: Names under which a page of somebody else's may reach a server on loopback, or try to.
BAD_HOSTS = [
    "", "evil.example", "evil.example:7411", "127.0.0.1", "localhost", "[::1]", "::1", "::1:7411", "127.0.0.1:80",
    "127.0.0.1:7412", "127.0.0.1:07411", "127.0.0.1:7411 ", "127.0.0.1:7411,evil.example", "localhost.:7411",
    "localhost.localdomain:7411", "127.0.0.1.:7411", "0.0.0.0:7411", "0:7411", "0x7f000001:7411", "2130706433:7411",
    "017700000001:7411", "0177.0.0.1:7411", "127.1:7411", "127.0.1:7411", "127.0.0.2:7411", "127.127.127.127:7411",
    "[::]:7411", "[::ffff:127.0.0.1]:7411", "[::ffff:7f00:1]:7411", "[0:0:0:0:0:0:0:1]:7411", "[::1%25lo]:7411",
    "[::1]7411", "[::1", "[fe80::1]:7411", "[fc00::1]:7411", "169.254.169.254:7411", "192.168.0.1:7411",
    "10.0.0.1:7411", "172.16.0.1:7411", "localtest.me:7411", "127.0.0.1.nip.io:7411", "7f000001.evil.example:7411",
    "lvh.me:7411",
    "localhost.evil.example:7411", "evil.localhost:7411", "a.localhost:7411", "memoranda.localhost:7411",
    "localhost:7411@evil.example", "evil.example@localhost:7411", "user@127.0.0.1:7411", "user:pass@127.0.0.1:7411",
    "127.0.0.1:7411/", "127.0.0.1:7411/x", "127.0.0.1:7411?x", "127.0.0.1:7411#x", "http://127.0.0.1:7411",
    "//127.0.0.1:7411", "127.0.0.1\\@evil.example", "127.0.0.1%00.evil.example:7411", "127.0.0.1%2eevil.example:7411",
    "ⅼocalhost:7411", "locаlhost:7411", "１２７.0.0.1:7411", "127。0。0。1:7411", "xn--localhost:7411", "*", "*:7411",
    "null", "undefined", "file:", "127.0.0.1:7411:7411", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:-1", "127.0.0.1:+7411",
    "127.0.0.1:７４１１", "127.0.0.1:7411\t", "\t127.0.0.1:7411", "127.0.0.1 :7411", "kubernetes.docker.internal:7411",
    "host.docker.internal:7411", "ip6-localhost:7411", "ip6-loopback:7411", "broadcasthost:7411",
]  # fmt: skip

GOOD_ORIGINS = ["http://127.0.0.1:7411", "http://localhost:7411", "http://[::1]:7411"]

BAD_ORIGINS = [
    "", "null", "NULL", "http://evil.example", "https://evil.example", "http://evil.example:7411", "http://127.0.0.1",
    "http://localhost", "https://127.0.0.1:7411", "https://localhost:7411", "http://127.0.0.1:7412",
    "http://localhost:80", "http://127.0.0.1:7411/", "http://127.0.0.1:7411.evil.example",
    "http://127.0.0.1:7411@evil.example", "http://evil.example#http://127.0.0.1:7411", "http://localhost.:7411",
    "http://localhost.evil.example:7411", "http://a.localhost:7411", "http://0.0.0.0:7411", "http://[::]:7411",
    "http://[::ffff:127.0.0.1]:7411", "http://2130706433:7411", "http://0x7f.1:7411", "http://127.1:7411",
    "file://", "file:///", "about:blank", "about:srcdoc", "data:", "blob:http://127.0.0.1:7411", "javascript:",
    "chrome-extension://abcdefghijklmnop", "moz-extension://0000", "vscode-webview://0000", "app://obsidian.md",
    "capacitor://localhost", "ionic://localhost", "ws://127.0.0.1:7411", "http://127.0.0.1:7411 http://evil.example",
    "http://127.0.0.1:7411, http://evil.example", "HTTP://127.0.0.1:7411", "http:127.0.0.1:7411", "*", "undefined",
    "http://", "http://ⅼocalhost:7411", "http://user@127.0.0.1:7411", "http://127.0.0.1:7411\x00",
]  # fmt: skip

KINDS = [
    "", "text/plain", "text/plain; application/json", "application/x-www-form-urlencoded", "multipart/form-data",
    "multipart/form-data; boundary=x", "application/json-seq", "application/jsonp", "application/ld+json", "text/json",
    "text/html", "application/octet-stream", "application/json, text/plain", "application/json; charset=utf-16",
    "application/json; charset=utf-7", "*/*", "application/*", "json", "application/json\x00", "application/xml",
    "image/svg+xml",
]  # fmt: skip


def asked(method: str = "POST", peer: str = "127.0.0.1", **changed: Any) -> int:
    """The status of a request that is well but for what is changed; None takes a header away, a list repeats it."""
    headers: dict[str, Any] = {"host": f"127.0.0.1:{PORT}", "content-type": "application/json", "content-length": "2"}
    if method != "POST":
        headers = {"host": headers["host"]}
    headers |= {name.replace("_", "-"): value for name, value in changed.items()}
    rows = [
        (name.encode(), one.encode("utf-8"))
        for name, value in headers.items()
        for one in (value if isinstance(value, list) else [] if value is None else [value])
    ]
    found = refusal(peer, method, rows, NAMES, LIMITS)
    return found.status if found else 200


@pytest.mark.parametrize("host", GOOD_HOSTS)
def test_our_own_names_are_served(host: str) -> None:
    assert asked(host=host) == 200


@pytest.mark.parametrize("host", BAD_HOSTS)
def test_no_other_name_is(host: str) -> None:
    spaced = host.strip(" \t") in GOOD_HOSTS  # blanks around a value are no part of it
    assert asked(host=host) == (200 if spaced else 421)


def test_host_stands_once_or_nothing_is_served() -> None:
    assert asked(host=None) == 421
    assert asked(host=[f"127.0.0.1:{PORT}"] * 2) == 421
    assert asked(host=[f"127.0.0.1:{PORT}", "evil.example"]) == 421


@pytest.mark.parametrize("origin", GOOD_ORIGINS)
def test_our_own_origin_is_served(origin: str) -> None:
    assert asked(origin=origin) == 200


@pytest.mark.parametrize("origin", BAD_ORIGINS)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_no_other_origin_is(origin: str, method: str) -> None:
    assert asked(method, origin=origin) == 403
    assert asked(method, origin=[GOOD_ORIGINS[0], origin]) == 403


@pytest.mark.parametrize(
    ("site", "status"),
    [("none", 200), ("same-origin", 200), ("same-site", 403), ("cross-site", 403), ("", 403), ("x", 403)],
)
def test_a_browser_that_says_another_site_asks_is_believed(site: str, status: int) -> None:
    assert asked(sec_fetch_site=site) == status


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_form_or_a_simple_request_can_send_is_no_json(kind: str) -> None:
    assert asked(content_type=kind) == 415


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON", "application/json; charset=UTF-8"])
def test_json_is(kind: str) -> None:
    assert asked(content_type=kind) == 200
    assert asked(content_type=[kind, kind]) == 415
    assert asked(content_type=kind, content_encoding="gzip") == 415


@pytest.mark.parametrize("method", ["OPTIONS", "HEAD", "PUT", "PATCH", "TRACE", "CONNECT", "PROPFIND", "get", ""])
def test_other_methods_are_not_served_and_nobody_is_told_what_a_page_may_do(method: str) -> None:
    assert asked(method) == (403 if method == "OPTIONS" else 405)


@pytest.mark.parametrize("length", ["1048577", "99999999999999999999", "-1", "1e3", "0x10", "", "１０", "1 2"])
def test_a_length_that_is_none_or_too_much_is_refused_before_the_body(length: str) -> None:
    assert asked(content_length=length) == 413


def test_a_body_where_none_belongs_is_refused() -> None:
    assert asked("GET", content_length="2") == 400
    assert asked("DELETE", transfer_encoding="chunked") == 400
    assert asked("GET", content_length="0") == 200


@pytest.mark.parametrize(
    "peer", ["10.0.0.1", "192.168.1.4", "::ffff:10.0.0.1", "fe80::1", "", "evil.example", "0.0.0.0"]
)
def test_nobody_else_on_the_network_is_served(peer: str) -> None:
    assert asked(peer=peer) == 403


def test_too_many_headers_are_refused() -> None:
    assert asked(**{f"x_{n}": "1" for n in range(LIMITS.headers)}) == 431


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (["Bearer abc"], b"abc"), (["bearer abc"], b"abc"), (["BEARER  abc "], b"abc"), ([], None), (["abc"], None),
        (["Basic abc"], None), (["Bearer"], None), (["Bearer "], None), (["Bearer abc", "Bearer abc"], None),
        (["Bearer äbc"], None), (["Token abc"], None),
    ],
)  # fmt: skip
def test_one_bearer_token_is_taken_and_nothing_else(values: list[str], found: bytes | None) -> None:
    assert bearer([(b"authorization", value.encode()) for value in values]) == found
