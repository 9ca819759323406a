"""Reverse mode: transposed linear maps, compiled away (paper 001; design §4)."""
