"""Looking into programs: what prints where they run as Python, and the switch that lets them."""

from __future__ import annotations

import os


def debug_print(*values: object) -> None:
    """Print, where the program runs as Python: outside a compiled function, or under `FSMOOTH_PYTHON=1`.

    A compiled program leaves it out.

    >>> debug_print("total", 2.0)
    total 2.0
    """
    print(*values)


def runs_as_python() -> bool:
    """Does the environment ask for programs that run as Python?"""
    return os.environ.get("FSMOOTH_PYTHON", "0") not in ("", "0")
