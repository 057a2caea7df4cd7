"""The read line: question in, records in effect and exact words out, with why each stands where it does."""

from memoranda.recall.core import CoreBlock, core
from memoranda.recall.disclose import disclose
from memoranda.recall.fuse import fuse
from memoranda.recall.line import recall
from memoranda.recall.readable import Readable
from memoranda.recall.reweigh import explain, reweigh

__all__ = ["CoreBlock", "Readable", "core", "disclose", "explain", "fuse", "recall", "reweigh"]
