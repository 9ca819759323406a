"""How much memory is little."""

SMALL = 64
"""Static arrays of at most this many scalars are C locals."""
