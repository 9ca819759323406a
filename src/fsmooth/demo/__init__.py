"""Complete programs that show fsmooth at work."""
