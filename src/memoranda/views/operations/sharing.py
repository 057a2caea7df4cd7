"""The operations that share: what others give, and what is given to them."""

from __future__ import annotations

from memoranda.views.operations.table import Argument, Operation

SHARING: tuple[Operation, ...] = (
    Operation(
        "receive",
        "receive",
        "take in a teammate's records from a git repository",
        "Fetches into a quarantine, checks out nothing, and takes each record through the same door as any other, as "
        "foreign: it enters no core and replaces nothing of yours until you release it. Known senders are those whose "
        "ssh keys your settings name ([grants.NAME]). What is refused is named and stays there. The same again brings "
        "nothing new.",
        (
            Argument("address", "https://host/path, ssh://user@host/path, user@host:path, or a folder in a repository",
                     metavar="REMOTE"),
            Argument("--branch", "a branch of it; what it has checked out when left out", metavar="NAME"),
            Argument("--dry-run", "show what would come, write nothing", "flag"),
        ),
        mutates=True,
        no="something was offered, and nothing of it was taken in",
        examples=("memoranda receive git@example.com:team/shop.git --dry-run", "memoranda receive ../shop"),
        group="share",
    ),
    Operation(
        "push",
        "push",
        "publish what may leave to a place you own",
        "Publishes turns and records that are not there yet, whole, as one commit: a folder, s3://bucket/folder, "
        "gs://…, az://…, hf://datasets/owner/name. Every turn and record is looked at once more by every screener, and "
        "what holds a credential or a personal detail stays here; so does what is held, retired or edited. A place is "
        "made only with your consent, and for nobody else to see. Again, it sends what came since.",
        (
            Argument("target", "where to; the same address reads it with --memory", metavar="TARGET"),
            Argument("--create", "make a memory there if there is none", "flag"),
            Argument("--yes", "add to a memory there that holds nothing of this one", "flag"),
            Argument("--allow", "let this kind of personal detail leave, as the report names it; a person's to say",
                     "many", metavar="RULE"),
            Argument("--embed-seconds", "how long passages may be given vectors first; all of them when left out",
                     "seconds"),
        ),
        mutates=True,
        no="everything that is new had to stay here",
        examples=("memoranda push s3://team-memory/ada --create", "memoranda push /mnt/shared/memory"),
        group="share",
    ),
    Operation(
        "pull",
        "pull",
        "rebuild the files of a published memory",
        "Fetches a published memory and lays its files down in a new folder, as they were. Somebody else's memory is a "
        "stranger's until you trust it. To read one, you need not pull it: memoranda --memory TARGET recall …",
        (
            Argument("target", "the address it was pushed to", metavar="TARGET"),
            Argument("folder", "a folder that is not there yet", metavar="FOLDER"),
        ),
        mutates=True,
        examples=("memoranda pull s3://team-memory/ada ~/ada-memory",),
        group="share",
    ),
    Operation(
        "scrub",
        "scrub",
        "take out of turns what keeps them from leaving",
        "Shows the turns that a push would keep here and the rules that name what is in them; with --yes it is cut out "
        "of the turns on this machine, for good, each with an event. Records that would stay are named. What was "
        "published stays as it is.",
        (
            Argument("--yes", "do it", "flag"),
            Argument("--keep", "leave what this rule names, as push --allow does; may be repeated", "many",
                     metavar="RULE"),
        ),
        mutates=True,
        no="something would stay at a push",
        examples=("memoranda scrub", "memoranda scrub --yes --keep e-mail"),
        group="share",
    ),
)  # fmt: skip
