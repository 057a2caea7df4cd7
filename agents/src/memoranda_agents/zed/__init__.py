"""Zed: how it is wired."""
