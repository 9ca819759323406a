"""Windows: of an array of which only a part is not zero, or only a part is read, no more than that part is computed."""
