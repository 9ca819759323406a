"""The C back-end: loops to C99 that depends on libm only."""
