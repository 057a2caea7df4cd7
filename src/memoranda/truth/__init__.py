"""The only room that writes in a memory's folder: parse, print, atomic write, lock, chain, commit.

Files are the truth (docs/format.md). Nothing here knows how text is screened, indexed or shown.
"""
