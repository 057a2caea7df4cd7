"""Readers and wiring, one folder an agent."""
