"""How much one server takes, at once and from one caller. Beyond a bound it says so and goes on."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Sizes in bytes, times in seconds.

    A connection more than `connections`, a request more than `requests` or `requests_each`, a stream more than
    `streams` or `streams_each`, and a job more than `waiting` are answered with 429.
    """

    connections: int = 64
    requests: int = 64
    requests_each: int = 16
    streams: int = 32
    streams_each: int = 8
    waiting: int = 64
    #: More threads share one interpreter lock: a second one doubled what is held in memory and answered no sooner.
    threads: int = 1

    headers: int = 64
    header_bytes: int = 16 << 10
    body_bytes: int = 1 << 20

    #: A connection that has sent no whole header by then is closed, one that sends no further request as well.
    header_seconds: float = 5.0
    idle_seconds: float = 30.0
    #: A body has this long to begin and as much longer as it takes at `body_rate` bytes a second, up to `body_most`.
    body_seconds: float = 5.0
    body_rate: int = 1 << 10
    body_most: float = 30.0
    answer_seconds: float = 60.0
    stop_seconds: float = 10.0
    #: Between two signs of life on a stream where nothing happens.
    ping_seconds: float = 15.0
