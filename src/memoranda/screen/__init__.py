"""Nothing unscreened reaches the disk: a candidate passes or is refused, a turn is redacted, an exhibit is rejected.

This room alone makes values of type `Screened`. It knows the rules of passing, the placeholders and the encodings in
which a credential may hide; what a credential looks like is the screeners' business, and it never sees a file.
"""

from memoranda.screen.arrivals import arrivals
from memoranda.screen.door import reasons_to_hold, screen
from memoranda.screen.look import RULES, rules_of
from memoranda.screen.redaction import redact
from memoranda.screen.scrub import scrubbed

__all__ = ["RULES", "arrivals", "reasons_to_hold", "redact", "rules_of", "screen", "scrubbed"]
