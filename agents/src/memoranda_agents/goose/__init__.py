"""Goose: how it is wired."""
