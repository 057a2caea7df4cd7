"""Every family of methods that `Memory` has beside its own, each in a module of its own."""

from __future__ import annotations

from memoranda.memory.always import Always
from memoranda.memory.anew import Anew
from memoranda.memory.browsing import Browsing
from memoranda.memory.conversing import Conversing
from memoranda.memory.entities import Entities
from memoranda.memory.exhibits import Exhibits
from memoranda.memory.intake import Intake
from memoranda.memory.live import Live
from memoranda.memory.lookback import Lookback
from memoranda.memory.pruning import Pruning
from memoranda.memory.receiving import Receiving
from memoranda.memory.review import Review
from memoranda.memory.revising import Revising
from memoranda.memory.scoped import Scoped
from memoranda.memory.serving import Serving
from memoranda.memory.sharing import Sharing
from memoranda.memory.verifying import Verifying


class Parts(
    Always,
    Anew,
    Lookback,
    Review,
    Revising,
    Pruning,
    Intake,
    Live,
    Browsing,
    Verifying,
    Entities,
    Serving,
    Exhibits,
    Receiving,
    Sharing,
    Scoped,
    Conversing,
):
    """What `Memory` is put together from; each part says what it is about."""
