"""Memories for agent frameworks, each in the framework's own interface. None of them is imported here: what an adapter
needs of its framework, its caller hands in."""
