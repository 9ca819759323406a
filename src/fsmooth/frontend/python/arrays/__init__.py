"""NumPy's functions that read keywords, axes and shapes: one module for each kind, over terms."""
