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
)
