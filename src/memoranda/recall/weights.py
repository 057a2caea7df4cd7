"""Every number that decides an order, in one place. Where each comes from: docs/decisions/0005-fusion-weights.md,
0009-ranking.md."""

from __future__ import annotations

from typing import Mapping

#: The k of reciprocal rank fusion: a row at rank r of a signal of weight w adds w / (k + r). The value of Cormack,
#: Clarke and Büttcher (SIGIR 2009).
K = 60

#: What each signal's ranking counts for, by section. A signal that is not named counts nothing.
SAID: Mapping[str, float] = {"words": 1.0, "covered": 1.0, "dense": 1.0, "entities": 0.3}
CONCLUDED: Mapping[str, float] = {"words": 1.0, "dense": 0.5, "entities": 1.0}

#: A line says little by itself and a vector of it less, a paragraph stands alone. So for turns and exhibits "dense"
#: counts by the cube of how much of a paragraph the candidates typically are, and "covered" by what is missing: a
#: whole one has this many characters. The length is the median over the first rows of each signal.
FULL_CHARACTERS = 300
TYPICAL_ROWS = 20

#: How deep each signal is asked. 200 gives LoCoMo 0.007 more R@5 and 0.009 more R@10 and costs a recall among 100,000
#: passages about as much again as a signal (docs/decisions/0009-ranking.md).
DEPTH = 100

#: A section is withheld as weak when no row of it holds this share of what the question's words are worth (with the
#: turns around it), and none is as much like it: three tenths where every passage has a vector, a fifth where some have
#: none or words alone are asked. Measured on questions put to the wrong chat, bounded by what may be lost of those put
#: to the right one: docs/decisions/0010-silence.md.
SUPPORT, SUPPORT_BY_WORDS = 0.3, 0.2
#: Likeness by section: cosines of turns come with a share of a neighbour's, those of records stand alone.
LIKENESS: Mapping[str, float] = {"concluded": 0.40, "said": 0.42, "shown": 0.40}

#: A row that meaning alone found (no word in common, no entity) is weak below this cosine, whatever stands beside it.
#: Of 546 pieces of evidence among the ten nearest of a LoCoMo question, one in a hundred lies below 0.386.
DENSE_FLOOR = 0.35

#: Days after which a record must be verified again, from its creation or last verification (SPEC section 4).
WINDOW_DAYS: Mapping[str, int] = {
    "decision": 365,
    "constraint": 180,
    "goal": 120,
    "preference": 90,
    "reference": 180,
    "summary": 60,
    "note": 30,
}

#: Multipliers of SPEC section 4. `BOTH` is one factor of its own, so that it is exactly 0.3.
UNVERIFIED, STALE, BOTH, OUTSIDE = 0.6, 0.5, 0.3, 0.8
