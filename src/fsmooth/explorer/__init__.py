"""A page to look at: what a program went through on its way to C, as one HTML file (`fsmooth explore`, `Function.explore`)."""

from fsmooth.explorer.page import page, write

__all__ = ["page", "write"]
