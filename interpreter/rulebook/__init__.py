"""A declarative rules interpreter for card games."""
