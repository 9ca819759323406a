"""From programs, in Python or in F̃ text, to core terms."""
