"""Differentiation: from a typed function to the typed function of its derivative (paper 000, §4)."""
