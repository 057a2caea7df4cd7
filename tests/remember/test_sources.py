"""What a rebuild of the index takes over of the notes that captures left there."""

from __future__ import annotations

from pathlib import Path
from typing import Mapping

from support.capturing import Place, say

from memoranda.remember.sources import LAST, outlived


def test_only_marks_of_histories_that_are_gone_are_taken_over(tmp_path: Path) -> None:
    here = tmp_path / "here.jsonl"
    here.touch()
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "nowhere")  # it is there, wherever it leads
    known = {
        f"cursor/claude/{here}": "1",
        f"cursor/claude/{tmp_path / 'link.jsonl'}": "2",
        f"cursor/claude/{tmp_path / 'gone' / 's.jsonl'}": "3",
        f"resume/claude/{tmp_path / 'gone' / 's.jsonl'}": "4",
        "seen/claude/s1": "5",
        LAST: "{}",
    }

    def notes(prefix: str) -> Mapping[str, str]:
        return {name: value for name, value in known.items() if name.startswith(prefix)}

    assert outlived(notes) == {f"cursor/claude/{tmp_path / 'gone' / 's.jsonl'}": "3", LAST: "{}"}


def test_a_history_that_comes_back_is_read_again_and_counts_no_more(tmp_path: Path) -> None:
    place = Place(tmp_path)
    path = place.write("s1", say("1", "one"))
    place.capture()
    data = path.read_bytes()
    path.unlink()
    assert place.capture().sources_gone == 1
    kept = outlived(place.index.notes)
    place.index.drop()
    place.index.put_notes(kept)
    assert place.capture().sources_gone == 1
    path.write_bytes(data)
    report = place.capture()
    assert (report.sources_gone, report.turns, report.duplicates) == (0, 0, 1)
