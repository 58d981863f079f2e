"""Playing: games, matches, moves, events, views, records."""
