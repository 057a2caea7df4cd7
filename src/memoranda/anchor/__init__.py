"""Fingerprint a place, and say later whether it still holds.

`take` reads what stands at a locator now and returns the anchor; `states` reads again and gives verdicts. Neither
knows git, a store or a clock: what stands where, and stood there before, is asked of a `World`. Verdicts never raise
for what they find: a place that cannot be looked at is *unknown*, which costs a record nothing.
"""

from memoranda.anchor.fingerprint import take
from memoranda.anchor.sides import sides
from memoranda.anchor.verdict import state, states

__all__ = ["sides", "state", "states", "take"]
