"""What is not put to the engine of credential patterns is nothing it could find anything in."""

from __future__ import annotations

import os
import random
import string
import subprocess
import sys
from pathlib import Path

import pytest
from support.disguises import VIEWS
from support.invented import others, tokens
from support.memories import shared_cache
from support.one_door import HELD
from support.sentences import GIVEN_AWAY, clean_notes

from memoranda.builtin import screen_kingfisher
from memoranda.builtin.ordinary import ordinary
from memoranda.screen.views import pieces

#: One that the engine finds, so that a silent engine does not pass.
HELD_TEXT = f"It is {tokens()['github']} here"
FRAMES = ("It is {} here", "{}", "We found {} in the log, and it stays")


def test_b23_no_credential_is_ordinary_in_any_disguise() -> None:
    missed = [
        (name, view)
        for seed in range(4)
        for name, token in {**tokens(seed), **others()}.items()
        for view, hide in VIEWS.items()
        for frame in FRAMES
        if token.isascii() and ordinary(frame.format(hide(token)))
    ]
    assert missed == []
    assert [name for name, (text, _) in HELD.items() if ordinary(text)] == []
    assert [text for text in GIVEN_AWAY if ordinary(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "The code is abcd efgh ijkl mnop",
        "Numbers 4111 1111 side by side",
        "AKIA IOSF and ODNN are parts",
        "It reads kcuSdnaniarP",
        "x" * 30,
        "a\u200bb",
        "The passphrase is plain words only",
        "Das Kennwort steht dort",
        "see https://example.org",
        "mail to a@b",
    ],
)
def test_what_could_be_one_cut_in_parts_is_looked_at(text: str) -> None:
    assert not ordinary(text)


@pytest.mark.parametrize(
    "text",
    [
        "No deploys to staging on Fridays",
        "Postgres 16 runs on port 5433 since July; the proxy is Caddy",
        "We left the streaming parser because it lost the last event of each batch (see docs/parsing.md)",
        "Die Sicherung läuft um 3 Uhr, das dauert zehn Minuten.",
        "L'équipe préfère les petits commits",
    ],
)
def test_plain_sentences_are_ordinary(text: str) -> None:
    assert ordinary(text)


def test_b23_the_engine_finds_nothing_in_what_it_is_not_asked_about() -> None:
    """Random letters in the forms that count as ordinary, and every view that the screen takes of them."""
    source = random.Random(23)
    texts = [text for _ in range(4000) if ordinary(text := drawn(source))]
    texts += [note for note in clean_notes(400) if ordinary(note)]
    assert len(texts) > 800
    read = [*texts, *(piece.text for text in texts for piece in pieces(text, True))]
    engine = screen_kingfisher.make(shared_cache())
    assert [found for found in engine.look(read) if found] == []
    assert engine.look(["x", HELD_TEXT])[1]


def drawn(source: random.Random) -> str:
    words = []
    for _ in range(source.randint(3, 25)):
        chance = source.random()
        if chance < 0.75:
            words.append("".join(source.choices(string.ascii_lowercase, k=source.randint(1, 20))))
        elif chance < 0.9:
            words.append(source.choice(["ABC", "JSON", "12", "v3", "2.5", "1999", "7th"]))
        else:
            words.append("/".join("".join(source.choices("abcdefghij", k=source.randint(2, 12))) for _ in range(2)))
    return " ".join(words)


def test_keeping_a_plain_sentence_loads_no_rules(tmp_path: Path) -> None:
    code = (
        "from memoranda import Memory\n"
        "with Memory.init() as memory:\n"
        "    memory.remember('No deploys to staging on Fridays')\n"
        "    from memoranda.builtin import screen_kingfisher\n"
        "    print(screen_kingfisher._scanner.cache_info().currsize)\n"
        "    memory.remember('The build 4f9c2d1e8a is broken')\n"
        "    print(screen_kingfisher._scanner.cache_info().currsize)\n"
    )
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "MEMORANDA_EMBEDDER": ""}
    env["MEMORANDA_CACHE"] = str(shared_cache())
    done = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["0", "1"]
