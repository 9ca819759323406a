"""What NumPy's users write: whole arrays against loops over their elements, linear algebra against NumPy, and calls."""
