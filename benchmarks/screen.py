"""How well and how fast the screen works: recall and false alarms on labelled cases, megabytes a second on histories.

    python benchmarks/screen.py [--cases cases.jsonl] [--personal spans.jsonl.gz] [--histories FOLDER] [--json out.json]

A case is a JSON object a line: `b64` (the text), `label` (1 holds a credential, 0 does not), `rule` (a name to group
by). The first positive of each rule is also put through each disguise. `personal` are JSON objects a line with `text`
and `spans` (`type`, `start`, `end`). Histories are files of JSON lines, gzip or not; every string of at least 40
characters in them counts as a block. Sentences, clean notes and the worst cases are made here. Nothing of a case or
history is printed.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import os
import platform
import random
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Callable, Iterator

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.disguises import VIEWS
from support.sentences import GIVEN_AWAY, HARMLESS
from support.spans import personal

from memoranda.model.outcome import Refused
from memoranda.model.record import Candidate
from memoranda.model.turn import Block, Turn
from memoranda.ports import Screener, discover
from memoranda.ports.discover import load
from memoranda.screen import RULES, redact, screen
from memoranda.screen.look import look

FRAMES = (
    "The password is {}", "The admin password for staging is {}", "das Passwort lautet {}", "password: {}",
    "Le mot de passe est {}", "la contraseña es {}", "The api key is {}", "secret: {}",
    "my login is admin / password is {}", "The database password was changed to {} yesterday",
    "Use the password {} for the test account", "PIN and password are in the mail: password = {}",
)  # fmt: skip
PASSWORDS = (
    "Sommer2024!",
    "q7RtPz91xK",
    "Winter#2031",
    "tr0ub4dor&3",
    "S3cure-Pass!",
    "9aK2mZx81QpL",
    "Gato2022x7",
    "Xk29sLq83nVb",
)
PLAIN = (
    "required", "stored in the vault", "rotated monthly", "optional", "hashed with argon2id", "empty", "case-sensitive",
    "${DB_PASSWORD}", "<your-token>", "validated in middleware.py", "256 bits long", "read from /etc/app/key.pem",
)  # fmt: skip


def _hex(source: random.Random, size: int) -> str:
    return "".join(source.choice("0123456789abcdef") for _ in range(size))


NOTES: tuple[Callable[[random.Random], str], ...] = (
    lambda r: f"Commit {_hex(r, 40)} fixed the race in the uploader",
    lambda r: f"Image digest is sha256:{_hex(r, 64)}, built from {_hex(r, 7)}",
    lambda r: f"Session {_hex(r, 8)}-{_hex(r, 4)}-4{_hex(r, 3)}-a{_hex(r, 3)}-{_hex(r, 12)} shows the crash",
    lambda r: f'"integrity": "sha512-{base64.b64encode(r.randbytes(64)).decode()}"',
    lambda r: f"The token limit was raised to {r.randint(1000, 200000)}; the password field is hidden by default",
    lambda r: f"Reset password links last {r.randint(5, 90)} minutes; see src/auth/password_reset_{r.randint(1, 9)}.py",
    lambda r: f"Build {r.randint(10**12, 10**13)} took {r.randint(10, 900)} s on runner-{_hex(r, 4)}",
    lambda r: f"api_key = os.environ['SERVICE_{r.randint(1, 99)}_API_KEY'] is read at start",
    lambda r: f"The secret is stored in the vault under kv/team-{r.randint(1, 99)}/db, rotate it monthly",
    lambda r: f"Snowflake id {r.randint(10**17, 10**18)} maps to shard {r.randint(0, 63)}",
    lambda r: f"The primary key is (tenant_id, at); key token_id was dropped in v{r.randint(1, 9)}.{r.randint(0, 20)}",
    lambda r: f"curl https://api.example.com/v{r.randint(1, 4)}/items?page={r.randint(1, 99)} returns 304",
    lambda r: f"Trace 00-{_hex(r, 32)}-{_hex(r, 16)}-01 ends in the gateway",
    lambda r: f"Step {r.randint(1, 20)} needs Python 3.{r.randint(9, 14)} and Node {r.randint(18, 24)} on Linux",
    lambda r: f"Table {r.randint(1, 9)} on page {r.randint(1, 400)} lists {r.randint(2, 40)} Workers and 3 Queues",
    lambda r: f"Latency fell from 0.{r.randint(1000, 9999)}, 0.{r.randint(1000, 9999)} to 0.{r.randint(1000, 9999)} s",
    lambda r: f"The migration of {r.randint(2015, 2026)}-0{r.randint(1, 9)}-11 left {r.randint(1, 10**6)} rows",
)
HOSTILE = {
    "plain words": "the worker retries twice ", "dashes": "-", "prefixes": "eyJ",
    "open keys": "-----BEGIN PRIVATE KEY-----",
    "passwords": "password is ", "urls": "://a:", "ats": "a@", "digits": "4", "grouped digits": "1234 ",
    "line ends": "aaaa1\n", "capitals": "Aa 1 ", "streets": "Via 1 ", "percents": "%41", "entities": "&#65;",
    "escapes": "\\u0041", "wide": "ａ", "zero widths": "a\u200b", "base64": "QUJD",
    "kinds": "kind: secret\n",
}  # fmt: skip


def main() -> None:
    """Read the arguments, measure what was asked for, print a table and optionally write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, help="labelled cases, JSON lines")
    parser.add_argument("--personal", type=Path, help="labelled personal details, JSON lines, gzip")
    parser.add_argument("--histories", type=Path, help="a folder of transcripts")
    parser.add_argument("--json", type=Path, help="write the figures here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        screeners = [load("screeners", name)(Path(scratch)) for name in ("kingfisher", "rules")]
        start = time.perf_counter()
        look("warm", screeners)
        loaded = time.perf_counter() - start
        look("warm " * 100_000, screeners)
        figures: dict[str, Any] = {
            "date": datetime.now(UTC).strftime("%Y-%m-%d"),
            "machine": f"{platform.machine()}, Python {platform.python_version()}",
            "rules": RULES,
            "engines": [s.rules for s in screeners],
            "first_load_seconds": round(loaded, 2),
            "load": round(os.getloadavg()[0], 1),
            "record_4kb_ms": record_time(screeners),
            "prose": prose(screeners),
            "clean notes": clean(screeners),
            "worst case, ns a character": worst(screeners),
        }
        if options.cases:
            figures["cases"] = labelled(options.cases, screeners)
            figures["disguised"] = disguised(options.cases, screeners)
        if options.personal:
            figures["personal"] = personal(options.personal, screeners)
            for name in discover.names("slow_screeners"):
                slow = discover.load("slow_screeners", name)(None)
                figures[f"personal, with {slow.rules}"] = personal(options.personal, [*screeners, slow])
        if options.histories:
            figures["histories"] = histories(options.histories, screeners)
    show(figures)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


def labelled(path: Path, screeners: list[Screener]) -> dict[str, Any]:
    """Recall and false alarms, of both screeners together and of each alone."""
    rows = [json.loads(line) for line in path.read_text().splitlines() if line]
    texts = [base64.b64decode(row["b64"]).decode("utf-8", "replace") for row in rows]
    result: dict[str, Any] = {"positive": sum(r["label"] for r in rows), "negative": sum(not r["label"] for r in rows)}
    for name, who in (("all", screeners), ("kingfisher", screeners[:1]), ("rules", screeners[1:])):
        for thorough in (True, False) if name == "all" else (True,):
            seen = [any(f.layer == "credentials" for f in look(t, who, thorough)) for t in texts]
            hit = sum(s for s, r in zip(seen, rows, strict=True) if r["label"])
            false = sum(s for s, r in zip(seen, rows, strict=True) if not r["label"])
            result[f"{name}, {'record' if thorough else 'turn'}"] = {
                "recall": round(hit / result["positive"], 4),
                "false_alarms": false,
                "missed": dict(Counter(r["rule"] for s, r in zip(seen, rows, strict=True) if r["label"] and not s)),
            }
    return result


def disguised(path: Path, screeners: list[Screener]) -> dict[str, Any]:
    """Recall, by disguise, over the validated spans of the first positive case of each rule."""
    firsts: dict[str, str] = {}
    for row in map(json.loads, path.read_text().splitlines()):
        if row["label"] and row["rule"] not in firsts:
            text = base64.b64decode(row["b64"]).decode("utf-8", "replace")
            sure = [f for f in look(text, screeners) if f.layer == "credentials" and f.validated and not f.view]
            if sure and "\n" not in text[sure[0].start : sure[0].end]:
                firsts[row["rule"]] = text[sure[0].start : sure[0].end]
    # alone, some are no credential: what makes them one is the word before them
    alone = [token for token in firsts.values() if len(token) >= 20 and caught(f"note: {token} end", screeners)]
    result: dict[str, Any] = {"tokens": len(alone)}
    for name, hide in VIEWS.items():
        result[name] = round(sum(caught(f"note: {hide(token)} end", screeners) for token in alone) / len(alone), 4)
    result["all"] = round(sum(result[name] for name in VIEWS) / len(VIEWS), 4)
    return result


def caught(text: str, screeners: list[Screener]) -> bool:
    """Whether a record of this text is refused for a credential."""
    return any(f.layer == "credentials" for f in look(text, screeners, True))


def prose(screeners: list[Screener]) -> dict[str, Any]:
    """Passwords in sentences of six languages, and sentences of the same words without one."""
    said = [frame.format(value) for frame in FRAMES for value in PASSWORDS]
    plain = [frame.format(value) for frame in FRAMES for value in PLAIN]
    said += GIVEN_AWAY
    plain += HARMLESS
    found = [text for text in said if caught(text, screeners)]
    wrong = [text for text in plain if caught(text, screeners)]
    return {
        "sentences": len(said),
        "recall": round(len(found) / len(said), 4),
        "harmless": len(plain),
        "false_alarms": len(wrong),
    }


def clean(screeners: list[Screener]) -> dict[str, Any]:
    """2,000 engineering notes full of hashes, ids, versions, paths and the word *token*: how many are refused."""
    source = random.Random(11)
    notes = [source.choice(NOTES)(source) for _ in range(2000)]
    refused = sum(isinstance(screen(Candidate(note), screeners), Refused) for note in notes)
    return {"notes": len(notes), "refused": refused, "share": refused / len(notes)}


def worst(screeners: list[Screener]) -> dict[str, Any]:
    """Nanoseconds a character for hostile texts of 25,000 and of 200,000 characters: linear work stays level."""
    result = {}
    for name, unit in HOSTILE.items():
        row = []
        for size in (25_000, 200_000):
            text = (unit * (size // len(unit) + 1))[:size]
            start = time.process_time()
            look(text, screeners)
            row.append(round((time.process_time() - start) / size * 1e9))
        result[name] = row
    return result


def histories(folder: Path, screeners: list[Screener]) -> dict[str, Any]:
    """Speed of `redact` on one core, and every redaction by rule (each is a false alarm until a person says not)."""
    texts = [text for file in sorted(folder.rglob("*")) if file.is_file() for text in strings(file) if len(text) >= 40]
    turns = [Turn("s", str(n), "user", "any", (Block("text", text),)) for n, text in enumerate(texts)]
    size = sum(len(text.encode("utf-8", "replace")) for text in texts)
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        done = redact(turns, screeners)
        best = min(best, time.process_time() - start)
    marks = Counter(m.partition("@")[0] for r in done for b in r.value.blocks for m in b.marks)
    return {
        "blocks": len(texts),
        "megabytes": round(size / 1e6, 2),
        "megabytes_a_second": round(size / 1e6 / best, 1),
        "redacted": {m: n for m, n in marks.items() if m.startswith("redacted:")},
        "marked": {m: n for m, n in marks.items() if m.startswith("seen:")},
        "elided": sum(n for m, n in marks.items() if m.startswith("elided:")),
    }


def strings(file: Path) -> Iterator[str]:
    """Every string in a file of JSON, one document or one a line."""
    data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    text = data.decode("utf-8", "replace")
    try:
        documents = [json.loads(text)]
    except ValueError:
        documents = []
        decoder = json.JSONDecoder()
        for line in text.split("\n"):
            at = 0
            while at < len(line):
                try:
                    document, at = decoder.raw_decode(line, at)
                except ValueError:
                    break
                documents.append(document)
    waiting: list[Any] = documents
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, dict):
            waiting.extend(value.values())


def record_time(screeners: list[Screener]) -> float:
    """Milliseconds of CPU for a record of 2,000 characters in its body and 2,000 in its fields, warm, median of 20."""
    words = "The worker reads its limits from the settings file and retries twice. "
    candidate = Candidate((words * 40)[:2000], entities=tuple((words * 2)[:100] for _ in range(20)))
    taken = []
    for _ in range(20):
        start = time.process_time()
        assert not isinstance(screen(candidate, screeners), Refused)
        taken.append(time.process_time() - start)
    return round(sorted(taken)[10] * 1000, 2)


def show(figures: dict[str, Any], indent: str = "") -> None:
    """A plain table: a name and a figure a line."""
    for name, value in figures.items():
        if isinstance(value, dict) and value:
            print(f"{indent}{name}")
            show(value, indent + "  ")
        else:
            print(f"{indent}{name:<28} {value}")


if __name__ == "__main__":
    main()
