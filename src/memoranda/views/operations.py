"""The one table of operations. Command line help, completion and `docs/reference/` are made from it.

It is data: it imports nothing of the SDK, so that the command line can start without it. Its values, like all that
the command line needs to start, are named tuples: making a dataclass costs half a millisecond and its module ten.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

CATEGORIES = ("preference", "decision", "constraint", "goal", "reference", "summary", "note")
DURABILITIES = ("durable", "transient")
CONFIDENCES = ("high", "medium", "low")
ROLES = ("user", "assistant", "system", "tool")
TYPES = ("text", "thinking", "tool_use", "tool_result")
KINDS = ("record", "turn")
SHELLS = ("bash", "zsh", "fish")

Kind = Literal["word", "words", "many", "flag", "number", "seconds"]


class Argument(NamedTuple):
    """One argument. Positional without leading dashes.

    `kind`: a word; `words` (positional, joined); `many` (an option that may be repeated, or a positional list); a
    flag; a whole number; seconds (a decimal number). `optional` is for positionals.
    """

    name: str
    help: str
    kind: Kind = "word"
    default: int | float | str | None = None
    choices: tuple[str, ...] = ()
    metavar: str = ""
    optional: bool = False


class Operation(NamedTuple):
    """One thing that can be done, under the same word at every door.

    `name` is the SDK method ("" where the command line alone has it), `command` the command. `no` says what exit
    code 1 means here ("" when it cannot happen). `group` orders the help.
    """

    name: str
    command: str
    summary: str
    about: str
    arguments: tuple[Argument, ...] = ()
    mutates: bool = False
    no: str = ""
    examples: tuple[str, ...] = ()
    group: str = "use"


_ID = Argument("id", "a record id, or six or more of its hex digits", metavar="ID")
_HARNESS = Argument("--harness", "only this agent's histories; may be repeated", "many", metavar="NAME")

OPERATIONS: tuple[Operation, ...] = (
    Operation(
        "init",
        "init",
        "make a memory",
        "Makes the personal memory (~/.memoranda, or MEMORANDA_HOME), or one at PATH. With --project, makes .memoranda "
        "at the top of the repository you stand in: it travels with the code and holds records only.",
        (Argument("path", "where the memory shall be", metavar="PATH", optional=True),),
        mutates=True,
        examples=("memoranda init", "memoranda init --project"),
        group="start",
    ),
    Operation(
        "capture",
        "capture",
        "take in what agents wrote down",
        "Finds the histories of the agents on this machine (or reads the given files and folders) and keeps every turn "
        "verbatim. Credentials are redacted before anything is written. It goes on where it stopped; unchanged files "
        "are not read again. Text can be recalled at once; embeddings are filled in within a budget, newest first.",
        (
            Argument("paths", "files or folders to read instead", "many", metavar="PATH", optional=True),
            Argument("--harness", "only this agent's histories", metavar="NAME"),
            Argument("--seconds", "stop reading after this long and go on next time", "seconds"),
            Argument("--embed-seconds", "budget for embeddings in this run", "seconds"),
            Argument("--check", "read and report, and write nothing", "flag"),
            Argument("--watch", "go on taking in what comes, until Ctrl-C", "flag"),
        ),
        mutates=True,
        no="nothing that was named could be read, or a turns file was refused",
        examples=("memoranda capture", "memoranda capture ~/old-laptop/.claude/projects"),
        group="start",
    ),
    Operation(
        "adopt",
        "adopt",
        "make records of files that are none",
        "Takes in Markdown dropped into records/, records and notes of MemoFS, records edited by hand (the edit "
        "becomes a record that supersedes, and the original comes back) and deletions, or the files and folders given. "
        "At a terminal it shows each and asks: what you say yes to is yours. Everything else counts as an import, and "
        "a record that carries a channel never gains by it. What is moved away lies in lost+found/.",
        (
            Argument("paths", "files or folders to adopt instead", "many", metavar="PATH", optional=True),
            Argument("--dry-run", "only show what would be adopted", "flag"),
        ),
        mutates=True,
        no="something could not be adopted as it is",
        examples=("memoranda adopt", "memoranda adopt --dry-run", "memoranda adopt ~/old/.memofs/memory/notes.md"),
        group="start",
    ),
    Operation(
        "trust",
        "trust",
        "accept a project memory's records as your team's",
        "A memory that came with a clone is a stranger's: readable and labelled, but it supersedes nothing of yours. "
        "This accepts what lies in it now; what arrives later is foreign again. Read the records first.",
        mutates=True,
        examples=("memoranda --project trust",),
        group="start",
    ),
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
            _HARNESS,
            Argument("--repo", "only turns from this repository (a root commit or a folder)", "many", metavar="REPO"),
            Argument("--session", "only turns of this session; may be repeated", "many", metavar="ID"),
            Argument("--kind", "only records, or only turns", "many", choices=KINDS),
            Argument("--history", "also show superseded records", "flag"),
            Argument("--as-of", "answer as the memory knew then: a time, or a commit of it", metavar="POINT"),
            Argument("--lexical", "search by words only; loads no model", "flag"),
            Argument("--budget-tokens", "bound for the whole answer", "number", default=4000),
            Argument("--neighbours", "turns of context shown beside a passage", "number", default=1),
            Argument("--weak", "also show matches that are usually withheld as weak", "flag"),
            Argument("--explain", "show ranks and factors of every hit", "flag"),
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
            _HARNESS,
            Argument(
                "--repo", "only from this repository: owner/name, a root commit or a folder", "many", metavar="REPO"
            ),
        ),
        no="there is none",
        examples=("memoranda sessions --since 7d", "memoranda sessions --repo acme/billing --limit 20"),
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
            Argument("--anchor", "what it rests on: src/app.py#L10-L24, turn:…, mem_…", "many", metavar="PLACE"),
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
        "becomes part of every session's core block.",
        (_ID, Argument("--core", "keep it always in mind", "flag")),
        mutates=True,
        examples=("memoranda promote mem_7c10e3a94b21 --core",),
    ),
    Operation(
        "forget",
        "forget",
        "retire a record",
        "The record is no longer recalled; its file stays, with an event that says who retired it and why.",
        (_ID, Argument("--reason", "why, in a few words", metavar="TEXT", default="")),
        mutates=True,
        examples=('memoranda forget mem_7c10e3a94b21 --reason "the service is gone"',),
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
        (_ID,),
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
        (_ID, Argument("--alike", "also turn away the others of its group", "flag")),
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
        (_ID,),
        mutates=True,
        no="the code was not the one shown; nothing was changed",
        examples=("memoranda endorse mem_7c10e3a94b21",),
    ),
    Operation(
        "history",
        "history",
        "how a record came to be what it is",
        "Prints the chain of records that superseded one another, newest first, with what happened to each.",
        (_ID, Argument("--as-of", "as it stood then: a time, or a commit of the memory", metavar="POINT")),
        examples=("memoranda history mem_7c10e3a94b21", "memoranda history mem_7c10e3a94b21 --as-of 2026-07-01"),
    ),
    Operation(
        "diff",
        "diff",
        "what was learnt, changed and lost between two points",
        "Compares the memory at two points of its past: a day, a time, 2w for two weeks ago, or a commit of its "
        "repository. Shows what it learnt, what it changed its mind about, and what lost its ground. Reads files "
        "alone.",
        (
            Argument("points", "the two points; the second is now when left out", "many", metavar="POINT"),
            Argument("--since", "the first point", metavar="POINT"),
        ),
        no="nothing differs",
        examples=("memoranda diff --since 2w", "memoranda diff 2026-07-01 2026-07-31", "memoranda diff HEAD~5 HEAD"),
        group="care",
    ),
    Operation(
        "blame",
        "blame",
        "who wrote a record",
        "Prints who a record's own header names, what happened to it, and every commit that touched its file. Works "
        "without git, by the header alone.",
        (_ID,),
        examples=("memoranda blame mem_7c10e3a94b21",),
        group="care",
    ),
    Operation(
        "verify",
        "verify",
        "check again what records rest on",
        "Looks at every anchor (of one record, or of all) and says whether what stood there still does.",
        (Argument("id", "a record id; all records when left out", metavar="ID", optional=True),),
        no="an anchor changed or is gone",
        examples=("memoranda verify", "memoranda verify mem_7c10e3a94b21"),
        group="care",
    ),
    Operation(
        "status",
        "status",
        "how things stand",
        "Counts of records, sessions and turns, the state of the index, the agents found, and the next step.",
        examples=("memoranda status",),
        group="care",
    ),
    Operation(
        "check",
        "check",
        "look for damage",
        "Reads every record and event and reports each flaw of the memory with file, line and next step: what cannot "
        "be read, was edited, was damaged by a merge or was deleted; broken chains and links; what others may read; "
        "where the index differs. Changes nothing, but for --repair, which rebuilds what is derived.",
        (
            Argument("--deep", "also read every turn and every byte of evidence", "flag"),
            Argument("--repair", "rebuild the index if it differs; touches no truth", "flag"),
        ),
        no="problems were found",
        examples=("memoranda check", "memoranda check --deep", "memoranda check --repair"),
        group="care",
    ),
    Operation(
        "rescan",
        "rescan",
        "repair what older rules let in",
        "Holds everything that was kept under other rules against those of today. A credential in a turn is cut out "
        "of its line, a record that holds one is replaced by what is left of it, each with an event. Says what git "
        "history still holds. --dry-run only looks.",
        (Argument("--dry-run", "only look, change nothing", "flag"),),
        mutates=True,
        no="something was found",
        examples=("memoranda rescan --dry-run", "memoranda rescan"),
        group="care",
    ),
    Operation(
        "embed",
        "embed",
        "give passages their vectors",
        "Goes on with the embeddings that capture left for later. Safe to stop at any time.",
        (Argument("--seconds", "stop after this long", "seconds"),),
        mutates=True,
        examples=("memoranda embed --seconds 60",),
        group="care",
    ),
    Operation(
        "reindex",
        "reindex",
        "delete the index and build it again",
        "The index is only a view of the files; vectors come back from their cache.",
        mutates=True,
        examples=("memoranda reindex",),
        group="care",
    ),
    Operation(
        "",
        "completion",
        "print a completion script",
        "Prints a script for your shell. bash: memoranda completion bash > ~/.local/share/bash-completion/completions/"
        "memoranda; zsh: into a folder of your fpath as _memoranda; fish: ~/.config/fish/completions/memoranda.fish",
        (Argument("shell", "your shell", choices=SHELLS, metavar="SHELL"),),
        examples=("memoranda completion fish",),
        group="care",
    ),
    Operation(
        "",
        "help",
        "explain a command",
        "Prints the help of a command, or the list of commands.",
        (Argument("topic", "a command", metavar="COMMAND", optional=True),),
        examples=("memoranda help recall",),
        group="care",
    ),
)

GROUPS = {"start": "start", "use": "every day", "care": "look after"}

GLOBALS: tuple[Argument, ...] = (
    Argument("--memory", "use the memory in this folder", metavar="PATH"),
    Argument("--project", "use the project memory of the repository you stand in", "flag"),
    Argument("--json", "print one JSON document", "flag"),
    Argument("--color", "colour the output", choices=("auto", "always", "never"), default="auto"),
    Argument("--quiet", "print no notices and no progress", "flag"),
    Argument("--verbose", "print more detail", "flag"),
    Argument("--version", "print name and version", "flag"),
)

EXIT_CODES: tuple[tuple[int, str, str], ...] = (
    (0, "done", "it was done; stored and known are 0"),
    (1, "no", "it was done and the answer is no: nothing recalled, refused, held, problems found"),
    (2, "invalid", "the request is wrong: an argument, a locator, a filter"),
    (3, "not_found", "the memory, record, session, turn or path is not there"),
    (4, "busy", "another process holds what is needed; try again"),
    (5, "conflict", "what is there contradicts the request"),
    (6, "unavailable", "something outside is missing: an extra, a model, a working file system"),
    (7, "corrupt", "stored bytes are damaged"),
    (70, "internal", "a fault of memoranda itself"),
    (130, "interrupted", "stopped by Ctrl-C; what was acknowledged is kept"),
)


def operation(command: str) -> Operation | None:
    """The operation behind a command, None when there is none."""
    return next((op for op in OPERATIONS if op.command == command), None)
