"""Lowering of terms to loops in destination-passing style (paper 000, §5.2; design §6)."""
