"""Back-ends: loops to source text."""
