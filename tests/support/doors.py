"""The doors tests come through."""

from memoranda.model.record import Channel, Door

PERSON = Door(Channel.DIRECT_SESSION, "owner", "test")
AGENT = Door(Channel.AGENT, "robot", "test")
WEB = Door(Channel.WEB, None, "test")
