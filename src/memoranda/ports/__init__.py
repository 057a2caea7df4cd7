"""The promises a plug-in makes. Each is a Protocol of at most four members that names no library.

`discover` finds plug-ins by entry point, ours like anybody's; `contracts` holds one test suite a promise.
"""

from memoranda.ports.protocols import (
    Answerer,
    Batch,
    Classifier,
    Embedder,
    Extractor,
    IndexBackend,
    LocatorKind,
    Screener,
    Source,
    TranscriptReader,
)

__all__ = [
    "Answerer",
    "Batch",
    "Classifier",
    "Embedder",
    "Extractor",
    "IndexBackend",
    "LocatorKind",
    "Screener",
    "Source",
    "TranscriptReader",
]
