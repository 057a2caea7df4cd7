"""Twenty records whose ids were computed without this project's code."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memoranda.truth.grammar import parse_record, print_record, seal

FOLDER = Path(__file__).parent.parent / "golden" / "records"
VECTORS = sorted(FOLDER.glob("*.md"))
SED = r"sed '/^id: /{x;s/^/x/;/^x$/{x;d};x}' "


def test_b4_there_are_twenty_vectors() -> None:
    assert len(VECTORS) == 20


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_b4_vector_certifies_itself_and_is_canonical(path: Path) -> None:
    data = path.read_bytes()
    record = parse_record(data, path.name)
    assert record.intact
    assert print_record(record) == data
    assert seal(record) == record


def test_b4_ids_agree_with_a_script_that_knows_only_the_format() -> None:
    done = subprocess.run([sys.executable, FOLDER / "ids.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    printed = {line.split()[1]: line.split()[0] for line in done.stdout.splitlines()}
    assert printed == {path.name: parse_record(path.read_bytes(), path.name).id for path in VECTORS}


@pytest.mark.skipif(not shutil.which("sed") or not shutil.which("sha256sum"), reason="needs sed and sha256sum")
def test_b4_the_line_for_people_in_format_md_gives_the_same_ids() -> None:
    """The command is taken from the page itself."""
    page = (Path(__file__).parent.parent.parent / "docs" / "format.md").read_text()
    command = next(line.strip() for line in page.splitlines() if line.strip().startswith("sed "))
    assert command.startswith(SED)
    for path in VECTORS:
        line = command.replace("FILE", f'"{path}"')
        found = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True).stdout.strip()
        assert f"mem_{found}" == parse_record(path.read_bytes(), path.name).id


def test_a_changed_byte_anywhere_breaks_the_name() -> None:
    data = VECTORS[0].read_bytes()
    edited = data.replace(b"Tabs, not spaces", b"Tabs, not spacez")
    assert edited != data
    assert not parse_record(edited, "x.md").intact
