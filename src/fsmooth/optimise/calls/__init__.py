"""Calls of definitions, before anything is differentiated."""
