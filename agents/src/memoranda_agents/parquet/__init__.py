"""Agent traces in Parquet, as Hugging Face publishes them."""

from __future__ import annotations

from memoranda_agents.parquet.reader import ParquetReader


def make() -> ParquetReader:
    """The reader, for the entry point."""
    return ParquetReader()


__all__ = ["ParquetReader", "make"]
