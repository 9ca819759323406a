"""Reverse mode by a tape: paper 003 to the end of its §8, compiled."""
