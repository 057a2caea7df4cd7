"""VS Code: how it is wired."""
