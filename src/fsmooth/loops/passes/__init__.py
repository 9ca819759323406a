"""What is done to loops after lowering: each pass a function from a function to a function, in the order of `schedule`."""
