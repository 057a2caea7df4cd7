"""The operations on evidence."""

from __future__ import annotations

from memoranda.views.operations.table import Argument, Operation

ACTIONS = ("add", "list", "show", "extract", "verify", "drop")
ORIGINS = ("media", "web", "email", "tool", "connector", "direct_session")

MEDIA: tuple[Operation, ...] = (
    Operation(
        "evidence",
        "evidence",
        "keep what was seen and heard, and look after it",
        "add reads files (text, HTML, office documents, PDF, pictures, sound, video), screens every word of them and "
        "keeps the bytes once under their hash; a credential anywhere rejects the whole file. list and show say what "
        "is kept. extract reads again what has to be. verify hashes the bytes. drop without names lets go what is over "
        "and nothing rests on, and asks about the rest; with names, at a terminal, those. Libraries for PDF and "
        'pictures come with pip install "memoranda[media]", for words in pictures with [ocr], for speech with [asr].',
        (
            Argument("action", "what to do; list when left out", choices=ACTIONS, metavar="ACTION", optional=True),
            Argument("names", "files to add, or sha256: names of evidence", "many", metavar="NAME"),
            Argument("--name", "what the file is called, when not as on disk", metavar="NAME", default=""),
            Argument("--origin", "where it came from; only a person may say anything but media", choices=ORIGINS),
            Argument("--retention", "window keeps it for some days, discard till the next drop",
                     choices=("keep", "window", "discard")),
            Argument("--days", "days of a window (default 30)", "number"),
            Argument("--relied", "drop what is named even if records rest on it", "flag"),
        ),
        mutates=True,
        no="a file was rejected, bytes are damaged, or something was not dropped",
        examples=(
            "memoranda evidence add meeting.wav",
            "memoranda evidence add contract.pdf --retention keep",
            "memoranda evidence show sha256:9c59fa59",
            "memoranda evidence drop",
        ),
    ),
    Operation(
        "open_evidence",
        "open",
        "open the exact piece of evidence a locator names",
        "Writes the clip, region, page or text as a new file and prints the words that were read in it. The piece is "
        "decoded and encoded anew, so nothing hidden in the original travels with it. A record id opens what it rests "
        "on.",
        (
            Argument("locator", "evidence:sha256:<hash>#t=61,81 (or #page=3, #xywh=…), or a record id",
                     metavar="LOCATOR"),
            Argument("--out", "the new file, or a folder for it; the working folder when left out", metavar="PATH"),
        ),
        examples=("memoranda open evidence:sha256:9c59fa59#page=1", "memoranda open mem_7c10e3a94b21 --out clip.wav"),
    ),
)  # fmt: skip
