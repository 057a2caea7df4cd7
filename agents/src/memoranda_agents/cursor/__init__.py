"""Cursor: how it is wired."""
