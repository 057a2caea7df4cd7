"""Keeps chunks equal to the truth and asks for rankings. Knows no library: backend and embedder are plug-ins."""

from memoranda.index.index import Index
from memoranda.index.stamp import EXTRACTS
from memoranda.index.sync import statement

__all__ = ["EXTRACTS", "Index", "statement"]
