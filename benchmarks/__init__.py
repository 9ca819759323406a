"""What fsmooth is measured on, and against: `make bench`."""
