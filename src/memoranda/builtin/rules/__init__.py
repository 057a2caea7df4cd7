"""Our own screening rules: each module looks at one `Lens` and yields findings; none reports a value."""
