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
)  # fmt: skip
