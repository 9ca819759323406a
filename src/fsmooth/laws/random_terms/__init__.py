"""Random well-typed terms: what laws, and the whole compiler, are tested on."""
