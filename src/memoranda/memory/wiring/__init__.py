"""Wires agents to a memory by changing their own settings, and takes exactly that out again.

jsonc.py   where in a JSON text with comments a value stands
edits.py   one change as the pieces of text that are put in, and the way back
ledger.py  what was put in where, kept in the user's state
connect.py the two deeds, for one agent
"""
