"""The suite a dialect of hooks must pass. Derive a class named `Test…` from it and say how yours is made.

    class TestMine(HookDialectContract):
        start, events = "SessionStart", ("SessionStart", "Stop")
        def dialect(self): return make()

Needs pytest to run, nothing else.
"""

from __future__ import annotations

from typing import Any, Mapping, Sequence, get_args

from memoranda.ports.hooks import HookDialect, Moment

_ODD: tuple[Mapping[str, Any], ...] = (
    {},
    {"session_id": 3, "sessionId": None, "cwd": ["/"], "prompt": {}, "source": 9, "transcript_path": True},
    {"session_id": "\ud800\x00", "cwd": "", "prompt": "x" * 100_000, "source": "never heard of"},
)


class HookDialectContract:
    """The promises of `HookDialect`, as tests. `events` are all that it hears, `start` is one at which it may speak."""

    start: str = ""
    events: Sequence[str] = ()

    def dialect(self) -> HookDialect:
        """A dialect, ready to use."""
        raise NotImplementedError

    def test_its_events_have_a_meaning_and_others_have_none(self) -> None:
        dialect = self.dialect()
        for event in self.events:
            assert dialect.hear(event, {}, {}).moment in set(get_args(Moment)) - {"none"}
        assert dialect.hear("no such event", {}, {}).moment == "none"
        assert self.start in self.events

    def test_odd_data_is_heard_as_nothing(self) -> None:
        for event in (*self.events, "", "no such event"):
            for data in _ODD:
                heard = self.dialect().hear(event, data, {})
                texts = (heard.session, heard.transcript, heard.cwd, heard.prompt)
                assert all(isinstance(text, str) for text in texts)
                assert all(isinstance(mark, bool) for mark in (heard.inner, heard.headless, heard.can_say))

    def test_it_may_speak_where_a_session_starts_and_never_when_it_stops(self) -> None:
        for event in self.events:
            heard = self.dialect().hear(event, {}, {})
            assert heard.can_say or event != self.start
            assert not (heard.can_say and heard.moment == "stop")

    def test_what_it_says_is_ascii_on_one_line_or_more_and_the_same_each_time(self) -> None:
        text = 'two\nlines, "quotes", \u202e, \ud800 and \x1b[31m'
        said = self.dialect().say(self.start, text)
        assert said == self.dialect().say(self.start, text)
        assert said.isascii()
        assert "\x1b" not in said
