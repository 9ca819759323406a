"""Values of recursive data types, the user's own classes, as columns: a node is a number, its fields are elements of arrays."""
