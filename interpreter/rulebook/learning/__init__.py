"""For programs that learn: actions and observations as arrays, many states at a time."""
