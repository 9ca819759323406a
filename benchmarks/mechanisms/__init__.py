"""What each mechanism of the optimiser and of the lowering buys: programs with it, and without."""
