"""The commands that every view runs, each from a `Call` to a `Reply`.

The command line gives them what was typed, a server what arrived as JSON; what they decide, refuse and say is the same
for both. How a reply leaves is the view's own affair.
"""
