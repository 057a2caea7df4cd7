"""Extractors: one module a kind of media. Each is loaded in a sandboxed child alone, and its libraries only there."""
