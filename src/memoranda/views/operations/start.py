"""The operations of the first hour."""

from __future__ import annotations

from memoranda.views.operations.table import Argument, Operation

START: tuple[Operation, ...] = (
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
            Argument("--keep-media", "keep pictures and files inside turns as evidence", "flag"),
            Argument("--watch", "go on taking in what is written, as it is written, until Ctrl-C", "flag"),
        ),
        mutates=True,
        no="nothing that was named could be read, or a turns file was refused",
        examples=("memoranda capture", "memoranda capture ~/old-laptop/.claude/projects"),
        group="start",
    ),
    Operation(
        "",
        "connect",
        "wire agents to the memory",
        "Adds recall and the other tools to the agents that are on this machine, or to those named, has their turns "
        "taken in as they are said, and asks for what goes before a model unasked: the core block (yes unless you say "
        "no) and a look for records at each prompt (no unless you say yes). Makes the memory and captures first. Their "
        "settings keep comments, order and keys of others; `disconnect` gives the same bytes back.",
        (
            Argument(
                "agents",
                "claude, codex, gemini, ...; those found when left out",
                "many",
                metavar="AGENT",
                optional=True,
            ),
            Argument("--no-core", "put no core block into sessions", "flag"),
            Argument("--recall", "look for records at each prompt", "flag"),
            Argument("--no-rules", "add no text that says when to recall", "flag"),
            Argument("--no-capture", "take in nothing now", "flag"),
            Argument("--dry-run", "show what would change, and change nothing", "flag"),
            Argument("--yes", "ask nothing and take the defaults", "flag"),
        ),
        mutates=True,
        no="something has to be added by hand",
        examples=(
            "memoranda connect",
            "memoranda connect claude codex --dry-run",
            "memoranda connect gemini --yes --no-core",
        ),
        group="start",
    ),
    Operation(
        "",
        "disconnect",
        "take out what connect put in",
        "The settings of an agent are as they were, byte for byte; where you changed them since, only what is ours is "
        "taken out. The memory stays.",
        (
            Argument("agents", "all that are connected when left out", "many", metavar="AGENT", optional=True),
            Argument("--dry-run", "show what would change, and change nothing", "flag"),
        ),
        mutates=True,
        examples=("memoranda disconnect", "memoranda disconnect codex"),
        group="start",
    ),
    Operation(
        "",
        "hook",
        "what connected agents start",
        "Reads what an agent says on standard input and answers in its way; agents start it, people have no use for "
        "it. Prints the core block where a session lacks it and what else you agreed to, takes in the turn after an "
        "answer, is silent otherwise, and always exits 0.",
        (
            Argument("agent", "whose hook it is", metavar="AGENT"),
            Argument("event", "the agent's word for what happened", metavar="EVENT"),
            Argument("--core", "put the core block into the session", "flag"),
            Argument("--recall", "look for records at a prompt", "flag"),
        ),
        mutates=True,
        examples=("memoranda hook claude SessionStart --core",),
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
)
