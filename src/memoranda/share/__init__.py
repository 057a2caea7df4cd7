"""Give a chosen part of a memory to others, and read what was given.

What leaves is decided in one place (`push`), after a gate that fails closed (`gate`); what comes is a stranger's word
(`arrive`). The room knows no store and no format: targets and the table are plug-ins.
"""
