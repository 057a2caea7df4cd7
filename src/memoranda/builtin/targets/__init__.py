"""Places where a published memory may lie, one module each."""
