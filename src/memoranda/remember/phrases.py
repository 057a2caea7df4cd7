"""What people say when something passes, is preferred, decided or required: English and German, as patterns.

Each table lists phrases, joined into one pattern that matches whole words in any case. A space stands for any white
space. Words that are only sometimes about time (`next`, `now`, `last`) stand with the partner that makes them so.
"""

from __future__ import annotations

import re


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<!\w)(?:{'|'.join(phrases).replace(' ', chr(92) + 's+')})(?!\w)")


_DAY = "(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_TAG = "(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)"
_SPAN = "(?:minute|hour|day|week|weekend|month|quarter|sprint|year|morning|afternoon|evening|session)"
_SPANNE = "(?:tag|woche|wochenende|monat|quartal|sprint|jahr)"

TEMPORAL = _any(
    "today", "tonight", "tomorrow", "yesterday", "right now", "just now", "at the moment", "currently", "these days",
    "for now", "for the time being", "for the next", "temporar(?:y|ily)", "in progress", "soon",
    "still (?:waiting|pending|running|broken|failing|down|open)",
    rf"(?:un)?til (?:the )?(?:next )?(?:{_DAY}|{_SPAN}|tomorrow|further notice|end|release|[0-9])",
    rf"by (?:the )?(?:{_DAY}|tomorrow|tonight|end of|eod|next)",
    rf"(?:this|next|last|coming) (?:{_SPAN}|{_DAY})",
    rf"(?:in|within) (?:a|an|one|two|three|a few|[0-9]+) {_SPAN}s?",
    rf"(?:on|since|from) {_DAY}", rf"{_DAY} (?:morning|afternoon|evening|night)",
    "heute", "gestern", "vorgestern", "übermorgen", "morgen (?:früh|abend|vormittag|nachmittag)",
    "(?:bis|ab|erst) morgen",
    "zurzeit", "zur zeit", "derzeit", "momentan", "im moment", "gerade (?:noch|eben|erst)", "noch bis", "demnächst",
    "vorerst", "vorläufig", "vorübergehend", "fürs erste", "bis auf weiteres", "einstweilen",
    rf"bis (?:zum |zur |ende |nächste[nrs]? |kommende[nrs]? )?"
    rf"(?:{_TAG}|{_SPANNE}|jahresende|feierabend|monatsende|release)",
    rf"(?:diese[nrsm]?|nächste[nrsm]?|letzte[nrsm]?|kommende[nrsm]?) (?:{_SPANNE}|{_TAG})",
    rf"(?:am|seit|ab) (?:kommenden |nächsten )?{_TAG}",
    r"in (?:einer?|einem|zwei|drei|wenigen|[0-9]+) (?:minuten?|stunden?|tage?n?|wochen?|monate?n?)",
)  # fmt: skip
#: What repeats is a rule about time, not a passing state.
RECURRING = _any(
    rf"(?:every|each|always on|never on|on any|not on) (?:{_DAY}|{_SPAN})s?", rf"{_DAY}s", "weekdays?",
    rf"(?:jeden|jede|jedes|immer am|niemals am|nie am) (?:{_TAG}|{_SPANNE})", rf"{_TAG}s",
)  # fmt: skip
PREFERENCE = _any(
    "prefers?", "preferred", "preferences?", "i (?:really )?(?:like|want|hate|dislike)", "(?:we|i) (?:always|never)",
    "always (?:use|prefer|run|write|ask|put|keep|start)", "never (?:use|commit|push|write|run|ask|add)",
    "please (?:always|never)", "rather than", "favou?rite", "would rather", r"bevorzug\w*", "lieber", "am liebsten",
    r"(?:ich|wir) (?:mag|mögen|will|hasse\w*)", "bitte (?:immer|nie|niemals)", r"(?:immer|niemals) \w+en",
)  # fmt: skip
DECISION = _any(
    "(?:we|i|they|the team)(?:'ve| have)? (?:chose|chosen|decided|picked|selected|settled|agreed|adopted|rejected)",
    "(?:we|i|they|the team) (?:went with|switched to|moved to|migrated to|dropped|replaced)", "decision", "decided",
    r"over \w+ because", r"wir (?:haben uns|nehmen|setzen auf|wechseln)", "entschieden", "entscheidung", "beschlossen",
)  # fmt: skip
CONSTRAINT = _any(
    "must(?:n't)?", "may not", "cannot", "can't", "(?:is|are) (?:required|forbidden|limited to)", "requires?",
    "at (?:most|least)", "not allowed", "only works", "muss", "müssen", r"darf (?:nicht|nie|kein\w*)",
    r"dürfen (?:nicht|nie|kein\w*)", "höchstens", "mindestens", "verboten", "erfordert", "benötigt",
)  # fmt: skip
GOAL = _any(
    "goals?", "aims? (?:to|for|is)", "objective", "we want to", "plan(?:s|ning)? to", "intends? to", "roadmap",
    "ziel(?:e|en)?", "wir wollen", "geplant", "vorhaben",
)  # fmt: skip
SUMMARY = re.compile(r"(?i)\s*(?:session )?(?:summary|recap|tl;?dr|zusammenfassung)\b")
REFERENCE = _any(
    r"https?://\S+", "(?:is|are) (?:documented|located|stored|kept|defined|described) (?:in|at|under)", "can be found",
    "lives? (?:in|at|under)", "see (?:also |the )?(?:docs|wiki)", "(?:liegt|steht) (?:in|unter)", "zu finden",
    "dokumentiert",
)  # fmt: skip
#: A text that speaks of its own keeping; from outside that counts against it.
PLEA = _any(
    r"remember\w*", r"memori[sz]\w*", r"memory", "permanent(?:ly)?", "forever", "durabl[ey]",
    "never (?:forget|expire)s?",
    "always (?:apply|keep|follow|trust)", "long[- ]term",
    "(?:save|store|keep|record|persist|retain) (?:this|that|it|the)",
    r"(?:do not|don't|must not) (?:forget|expire|delete|discard)", "high(?:est)? (?:priority|confidence|importance)",
    "für immer", "dauerhaft", r"merk\w* dir", "nie vergessen", r"speicher\w*", "gedächtnis",
)  # fmt: skip
