"""Optimisation of core terms by rules and schedules (paper 000, §5)."""
