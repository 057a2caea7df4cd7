"""The operations of the look after."""

from __future__ import annotations

from memoranda.views.operations.table import ID, SHELLS, Argument, Operation

CARE: tuple[Operation, ...] = (
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
        (ID,),
        examples=("memoranda blame mem_7c10e3a94b21",),
        group="care",
    ),
    Operation(
        "verify",
        "verify",
        "check again what records rest on",
        "Looks at every anchor of one record, or walks all that is due (what was contradicted, then what rests on "
        "something or is past its window, oldest ground first), and says whether what stood there still does, moved, "
        "changed or is gone; of what changed, the old source stands beside the new one, as far as git has it. A record "
        "that was contradicted or is past its window is settled by it, with an event: when all its anchors hold, or, "
        "where it has none, when you name it at a terminal.",
        (Argument("id", "a record id; all records when left out", metavar="ID", optional=True),),
        mutates=True,
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
        (
            Argument("--dry-run", "only look, change nothing", "flag"),
            Argument("--people", "also name records in which a small model sees a person (extra pii)", "flag"),
        ),
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
