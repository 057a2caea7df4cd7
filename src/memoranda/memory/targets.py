"""From an address to the place it names, and what is known of it here. The scheme chooses the plug-in."""

from __future__ import annotations

from memoranda.model.errors import Invalid, NotFound
from memoranda.model.settings import Settings
from memoranda.ports import ShareTarget, discover
from memoranda.share.copy import Copy


def is_address(text: str) -> bool:
    """True for what names a place of another kind than a folder."""
    return "://" in text


def target(address: str, settings: Settings) -> ShareTarget:
    """The place an address names; nothing is asked yet. Raises `Invalid`, `Unavailable` for a missing library."""
    scheme, sign, rest = address.partition("://")
    if not address.strip() or (sign and not rest.strip("/")):
        raise Invalid("that is no address", _KINDS)
    try:
        make = discover.load("share_targets", scheme if sign else "file")
    except NotFound:
        raise Invalid(f"there is no target for {scheme[:20]}://", _KINDS) from None
    found: ShareTarget = make(address, settings.variables)
    return found


def known(address: str, settings: Settings) -> Copy:
    """The local knowledge of a target."""
    return Copy(settings.cache, target(address, settings), discover.load("row_tables", "lance")())


_KINDS = "hf://datasets/<owner>/<name>, s3://<bucket>/<folder>, gs://…, az://… or a folder"
