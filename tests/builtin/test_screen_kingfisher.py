"""The engine behind the port: offsets, names, and what happens when it is missing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from memoranda.builtin import screen_kingfisher
from memoranda.ports import Screener

TOKEN = "gl" + "pat-" + "aB3dE5gH1jK2mN4pQ6rS"


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Screener:
    return screen_kingfisher.make(tmp_path_factory.getbasetemp().parent / "compiled-rules")


@pytest.mark.parametrize(
    "before", ["", "plain ", "ä→ ", "世界🎉 ", "\x00 ", "\ud800 ", "\ufeff", "\n\n", "ß" * 1000 + " "]
)
def test_bytes_become_code_points(engine: Screener, before: str) -> None:
    text = f"{before}{TOKEN} end"
    (finding,) = engine.look([text])[0]
    assert text[finding.start : finding.end] == TOKEN
    assert (finding.rule, finding.layer) == ("gitlab-pat", "credentials")


def test_each_text_gets_its_own_findings(engine: Screener) -> None:
    found = engine.look(["nothing", TOKEN, "é", f"é {TOKEN}"])
    assert [len(f) for f in found] == [0, 1, 0, 1]
    assert found[3][0].start == 2


def test_a_comment_cannot_switch_a_rule_off(engine: Screener) -> None:
    for word in ("gitleaks:allow", "kingfisher:ignore", "betterleaks:allow", "nosec"):
        assert engine.look([f"{TOKEN} # {word}"])[0]


def test_a_missing_engine_says_so() -> None:
    code = (
        "import sys; sys.modules['kingfisher_sdk'] = None\n"
        "from memoranda.builtin import screen_kingfisher, screen_rules\n"
        "from memoranda.model.errors import Unavailable\n"
        "try: screen_kingfisher.make()\n"
        "except Unavailable as error: print(error.message, '|', error.hint)\n"
        f"print(len(screen_rules.make().look(['{TOKEN}'])[0]))"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "only our own rules look" in told
    assert "pip install kingfisher-secret-scanner" in told
    assert told.strip().endswith("1")
