"""The operations of the every day."""

from __future__ import annotations

from memoranda.views.operations.table import (
    CATEGORIES,
    CONFIDENCES,
    DURABILITIES,
    HARNESS,
    ID,
    KINDS,
    ROLES,
    TYPES,
    Argument,
    Operation,
)

EVERYDAY: tuple[Operation, ...] = (
    Operation(
        "recall",
        "recall",
        "find what was concluded and what was said",
        "Searches records and captured turns by words and, with a model, by meaning. The answer has two sections: "
        "concluded (records, each checked against its ground at that moment) and said (passages, word for word). "
        "Use it before deciding something that may have been decided before; skip it for facts that stand in the code "
        "in front of you.",
        (
            Argument("text", "what you want to know, in your own words", "words", metavar="TEXT"),
            Argument("--limit", "how many hits a section", "number", default=8),
            Argument("--since", "not before this time: 2026-07-01, 2026-07-01T09:30:00Z, 12h, 7d, 3w", metavar="TIME"),
            Argument("--until", "not after this time", metavar="TIME"),
            Argument("--role", "only turns of this role; may be repeated", "many", choices=ROLES),
            Argument("--type", "only blocks of this type; may be repeated", "many", choices=TYPES),
            HARNESS,
            Argument("--repo", "only turns from this repository (a root commit or a folder)", "many", metavar="REPO"),
            Argument("--session", "only turns of this session; may be repeated", "many", metavar="ID"),
            Argument("--kind", "only records, turns or evidence", "many", choices=KINDS),
            Argument(
                "--also",
                "a further memory to look in, a folder or an address; may be repeated",
                "many",
                metavar="PLACE",
            ),
            Argument("--history", "also show superseded records", "flag"),
            Argument("--as-of", "answer as the memory knew then: a time, or a commit of it", metavar="POINT"),
            Argument("--lexical", "search by words only; loads no model", "flag"),
            Argument("--budget-tokens", "bound for the whole answer", "number", default=4000),
            Argument("--neighbours", "turns of context shown beside a passage", "number", default=1),
            Argument("--weak", "also show matches that are usually withheld as weak", "flag"),
            Argument("--explain", "show ranks and factors of every hit", "flag"),
            Argument("--why", "why this record or turn is not in the answer; may be repeated", "many", metavar="ID"),
        ),
        no="nothing was recalled",
        examples=(
            'memoranda recall "why did we leave the streaming parser"',
            "memoranda recall --since 2w --role user deploy window",
            "memoranda --json recall --lexical ECONNRESET",
        ),
    ),
    Operation(
        "get",
        "get",
        "read the turns around a hit, or one record",
        "Prints the exact stored words of a turn and of the turns around it. Copy the locator from a recall. A record "
        "id prints the record.",
        (
            Argument("locator", "turn:<harness>/<session>/<turn or seq>[..<seq>], or a record id", metavar="LOCATOR"),
            Argument("--before", "turns before it", "number", default=3),
            Argument("--after", "turns after it", "number", default=3),
        ),
        examples=("memoranda get turn:claude/3f2a/17", "memoranda get turn:codex/0199/40..52"),
    ),
    Operation(
        "sessions",
        "sessions",
        "list what was captured",
        "Lists sessions, newest first: when, which agent, where, how many turns, its title and how it opened. "
        "A session started by another names it.",
        (
            Argument("--limit", "how many", "number", default=50),
            Argument("--offset", "how many to pass over", "number", default=0),
            Argument("--since", "not before this time: 2026-07-01, 2026-07-01T09:30:00Z, 12h, 7d, 3w", metavar="TIME"),
            Argument("--until", "not after this time", metavar="TIME"),
            HARNESS,
            Argument(
                "--repo", "only from this repository: owner/name, a root commit or a folder", "many", metavar="REPO"
            ),
        ),
        no="there is none",
        examples=("memoranda sessions --since 7d", "memoranda sessions --repo acme/billing --limit 20"),
    ),
    Operation(
        "entities",
        "entities",
        "list what records are about, or all that is known of one thing",
        "Without a name: the names that stand in records, those of most records first; a name is declared with "
        "--entity, or told by its form (code, paths, capitals within a sentence). With a name: every record about it, "
        "under any of its names. Names are joined by a record tagged alias whose entities they are; what outside "
        "voices say joins nothing.",
        (
            Argument("name", "a name, in any spelling of it", "many", metavar="NAME", optional=True),
            Argument("--limit", "how many", "number", default=50),
            Argument("--offset", "how many to pass over", "number", default=0),
        ),
        no="no record names anything",
        examples=(
            "memoranda entities",
            "memoranda entities staging-env",
        ),
    ),
    Operation(
        "scan",
        "scan",
        "find a text in one session, letter for letter",
        "Looks at every stored word of a session and says how much that was, so that finding nothing means something. "
        "Literal: no pattern, no ranking, no index.",
        (
            Argument("session", "a session id, its unique beginning, or <harness>/<session>", metavar="SESSION"),
            Argument("text", "the text as it stands there", "words", metavar="TEXT"),
            Argument("--ignore-case", "capitals and small letters are the same", "flag"),
            Argument("--first", "the turn to begin at, by number", "number", default=0),
            Argument("--last", "the turn to end at, by number", "number"),
            Argument("--context", "characters shown on either side", "number", default=100),
            Argument("--limit", "stop before the turn that passes this many places", "number", default=200),
        ),
        no="it does not stand in what was looked at",
        examples=("memoranda scan 3f2a81c0 ECONNRESET", 'memoranda scan codex/0199 "retry budget" --ignore-case'),
    ),
    Operation(
        "sketch",
        "sketch",
        "what a session is about, in its own words",
        "Shows the blocks that together hold most of a session's own words, in reading order, with its opening and its "
        "end. It samples: what it does not show may still be there. The same session gives the same sketch.",
        (
            Argument("session", "a session id, its unique beginning, or <harness>/<session>", metavar="SESSION"),
            Argument("--units", "how many blocks, 1 to 40", "number", default=8),
            Argument("--max-chars", "characters in all, 240 to 40,000", "number", default=8000),
        ),
        examples=("memoranda sketch 3f2a81c0",),
    ),
    Operation(
        "",
        "ask",
        "have an installed agent answer from what is recalled",
        "Recalls, puts the question and the passages to an agent program of yours, and prints its answer. Its tools "
        "are switched off and it sees nothing else. The passages go to that agent's provider: this is the only command "
        "that sends any. Use recall when they must not leave the machine.",
        (
            Argument("agent", "claude, codex or another that is installed", metavar="AGENT"),
            Argument("question", "what you want to know, in your own words", "words", metavar="QUESTION"),
            Argument("--limit", "how many hits a section are handed over", "number", default=8),
            Argument("--budget-tokens", "bound for what is handed over", "number", default=4000),
            Argument("--seconds", "end it after this long", "seconds", default=300.0),
        ),
        examples=('memoranda ask claude "why did we leave the streaming parser"',),
    ),
    Operation(
        "remember",
        "remember",
        "keep one fact, preference or decision",
        "Keeps one atomic statement as a file. It is screened first: a credential is refused, and nothing is written. "
        "A correction is a new record that --supersedes the old one; the old one stays on disk. Anchor it to what it "
        "rests on and recall will say when that changed. TEXT - reads standard input.",
        (
            Argument("text", "the statement; - reads standard input", "words", metavar="TEXT"),
            Argument("--category", "what sort of fact it is; guessed by rules when left out", choices=CATEGORIES),
            Argument("--durability", "durable facts are recalled, transient ones only kept", choices=DURABILITIES),
            Argument("--confidence", "a claim; the rules may lower it", choices=CONFIDENCES),
            Argument("--source", "where it came from, in a word", metavar="WORD", default=""),
            Argument("--supersedes", "id of the record this corrects; may be repeated", "many", metavar="ID"),
            Argument("--contradicts", "id of a record this contradicts without replacing it", "many", metavar="ID"),
            Argument("--derived-from", "id of a record this was concluded from", "many", metavar="ID"),
            Argument(
                "--anchor",
                "what it rests on: app.py#L10-L24, app.py#symbol=main, turn:…, mem_…",
                "many",
                metavar="PLACE",
            ),
            Argument("--evidence", "what was seen or heard: sha256:…#t=61,81", "many", metavar="PLACE"),
            Argument("--entity", "a name it is about; may be repeated", "many", metavar="NAME"),
            Argument("--tag", "a label; may be repeated", "many", metavar="NAME"),
            Argument("--observed", "when the fact held or was seen: 2026-07-01T09:30:00Z", metavar="TIME"),
            Argument("--scope", "what it applies to", metavar="TEXT"),
            Argument("--inferred", "say that this is a guess or a summary, not seen", "flag"),
        ),
        mutates=True,
        no="the statement was refused or held",
        examples=(
            'memoranda remember "Deploys to staging are fine on any weekday" --category preference',
            'memoranda remember "Retries are capped at 5" --anchor src/client.py#L40-L52',
            'memoranda remember "Staging deploys need a second pair of eyes" --supersedes mem_7c10e3a94b21',
        ),
    ),
    Operation(
        "core",
        "core",
        "show what is always in mind",
        "Prints the records in core/ under their token budget and names what did not fit.",
        examples=("memoranda core",),
    ),
    Operation(
        "promote",
        "promote",
        "recall a transient record too, or keep one always in mind",
        "A transient record is kept but not recalled: promote changes that, by an event. With --core the record "
        "becomes part of every session's core block: a person does that at a terminal, or an agent where the user's "
        "settings say `agents_promote = true`. Nothing from outside gets there, and nothing but text.",
        (ID, Argument("--core", "keep it always in mind", "flag")),
        mutates=True,
        examples=("memoranda promote mem_7c10e3a94b21 --core",),
    ),
    Operation(
        "demote",
        "demote",
        "undo a promotion",
        "The record leaves core and lies among the others again; a transient one is recalled no more. Its bytes stay "
        "as they are, and an event says who did it.",
        (ID,),
        mutates=True,
        examples=("memoranda demote mem_7c10e3a94b21",),
    ),
    Operation(
        "forget",
        "forget",
        "retire a record, or all that a filter finds",
        "The record is no longer recalled; its file stays, with an event that says who retired it and why. With a "
        "filter instead of an id the records that fit are only shown, until --yes is said. What stands in core stays.",
        (
            Argument("id", "a record id, or six or more of its hex digits", metavar="ID", optional=True),
            Argument("--reason", "why, in a few words", metavar="TEXT", default=""),
            Argument("--expired", "records past their category's window", "flag"),
            Argument("--superseded", "records that something in effect replaced", "flag"),
            Argument("--yes", "retire what the filter finds", "flag"),
        ),
        mutates=True,
        no="nothing fits, or --yes was not said",
        examples=(
            'memoranda forget mem_7c10e3a94b21 --reason "the service is gone"',
            "memoranda forget --expired",
            "memoranda forget --expired --superseded --yes",
        ),
    ),
    Operation(
        "held",
        "held",
        "show what waits for a person",
        "Records that came from outside and would replace something of yours, or that look suspicious, are kept "
        "without effect until you decide. They are shown in full, with what cannot be seen written out, the riskiest "
        "and oldest first; what is alike is shown once.",
        (Argument("--limit", "how many to show", "number", default=20),),
        examples=("memoranda held",),
    ),
    Operation(
        "release",
        "release",
        "let a held record take effect",
        "Shows the record and asks for the code that stands within its text. Only at a terminal: no agent can do it.",
        (ID,),
        mutates=True,
        no="the code was not the one shown; nothing was changed",
        examples=("memoranda release mem_7c10e3a94b21",),
    ),
    Operation(
        "reject",
        "reject",
        "turn a held record away",
        "Shows the record and asks for the code that stands within its text. It stays on disk, without effect. With "
        "--alike those that are shown with it by `memoranda held` are turned away too. Only at a terminal.",
        (ID, Argument("--alike", "also turn away the others of its group", "flag")),
        mutates=True,
        no="the code was not the one shown; nothing was changed",
        examples=("memoranda reject mem_7c10e3a94b21 --alike",),
    ),
    Operation(
        "endorse",
        "endorse",
        "vouch for a record's exact text",
        "Its authority becomes reviewed. The endorsement is bound to the exact bytes: a copy or a correction does not "
        "inherit it. Shows the record and asks for the code that stands within its text. Only at a terminal.",
        (ID,),
        mutates=True,
        no="the code was not the one shown; nothing was changed",
        examples=("memoranda endorse mem_7c10e3a94b21",),
    ),
    Operation(
        "history",
        "history",
        "how a record came to be what it is",
        "Prints the chain of records that superseded one another, newest first, with what happened to each.",
        (ID, Argument("--as-of", "as it stood then: a time, or a commit of the memory", metavar="POINT")),
        examples=("memoranda history mem_7c10e3a94b21", "memoranda history mem_7c10e3a94b21 --as-of 2026-07-01"),
    ),
)
