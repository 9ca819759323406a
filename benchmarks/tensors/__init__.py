"""Products of matrices and what is made of them, against NumPy, PyTorch and JAX."""
