"""fsmooth: F̃ for Python."""
