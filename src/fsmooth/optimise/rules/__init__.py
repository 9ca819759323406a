"""The laws, a file for each family of paper 000, Fig. 8, and for sparsity."""
