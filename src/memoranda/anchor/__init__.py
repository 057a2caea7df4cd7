"""Fingerprint a place, and say later whether it still holds.

`take` reads what stands at a locator now and returns the anchor; `state` reads again and gives a verdict. Neither
knows git, a store or a clock: what stands where is asked of a `World`. Neither ever raises for what it finds there:
a place that cannot be looked at is *unknown*, which costs a record nothing.
"""

from memoranda.anchor.fingerprint import state, take

__all__ = ["state", "take"]
