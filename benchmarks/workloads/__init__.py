"""The programs that the field measures derivatives on, as a user of fsmooth writes them.

One module for each: the program (plain Python), its derivative by a verb, and the reader of its data (`data/`).
"""
