"""Has extractors read media, each in a child process that can neither reach a network nor write outside its scratch.

The parent trusts nothing of what comes back: it is bounded, parsed and handed to the door. Which extractors there are
is the plug-ins' business; what is kept of what they say is decided elsewhere.
"""
