"""The section *shown*: passages of what was seen and heard, in fused order, each with its exact place."""

from __future__ import annotations

from collections import Counter
from typing import Mapping, Sequence

from memoranda.model.query import Hit, Query, Shown
from memoranda.model.record import CHANNEL_TABLE, Authority, Channel
from memoranda.recall.readable import Readable


def show(
    hits: Sequence[Hit], owners: Mapping[str, Readable], query: Query, withheld: Counter[str]
) -> list[tuple[Shown, Hit]]:
    """At most `query.limit` passages, in the order of `hits`; counts what it leaves out."""
    shown: list[tuple[Shown, Hit]] = []
    for position, hit in enumerate(hits):
        if len(shown) == query.limit:
            withheld["more"] += len(hits) - position
            break
        memory = owners[hit.row.doc]
        found = memory.passage(hit.row.doc, hit.row.block)
        if found is None:
            withheld["unreadable"] += 1
            continue
        exhibit, passage = found
        cited = memory.catalog.cites.get(f"evidence:sha256:{exhibit.sha256}", ())
        records = [record for id in sorted(cited) if (record := memory.read(id)) and memory.in_effect(record)]
        shown.append(
            (
                Shown(
                    locator=passage.locator,
                    memory=memory.name,
                    name=exhibit.name,
                    media_type=exhibit.media_type,
                    created=exhibit.created,
                    origin=exhibit.origin,
                    authority=authority_of(exhibit.origin),
                    text=passage.text,
                    score=hit.score,
                    ranks=hit.ranks,
                    cited_by=tuple(record.id for record in records),
                ),
                hit,
            )
        )
    return shown


def authority_of(origin: str) -> Authority:
    """What an exhibit says weighs as its origin does; one that is no channel is external."""
    try:
        return CHANNEL_TABLE[Channel(origin)][0]
    except ValueError:
        return Authority.EXTERNAL
