"""The problem of the demo: a file, the Ladybug problem where it can be had, or else a made scene with the same numbers."""

from __future__ import annotations

import sys
from pathlib import Path

from fsmooth.demo.adjustment import Problem, read
from fsmooth.demo.data import Missing, Published, find

LADYBUG = Published(
    "bal/problem-49-7776-pre.txt.bz2",
    "Bundle Adjustment in the Large (S. Agarwal, N. Snavely, S. M. Seitz, R. Szeliski, ECCV 2010)",
    "https://grail.cs.washington.edu/projects/bal/data/ladybug/problem-49-7776-pre.txt.bz2",
    "1ccb15701a92a8ad909d30860a0108cd3f2d7916c1ecf2851e59a6198b9de6b0",
)


def load(path: str | Path | None = None) -> Problem:
    """Read a problem file (.txt or .txt.bz2); by default the Ladybug problem.

    Where that cannot be had, it says so on standard error and makes a scene.  The problem's name says which it is.

    Raises:
        OSError: if there is no such file.
        ValueError: if that is no problem.

    """
    if path is not None:
        return read(Path(path).read_bytes(), str(path))
    try:
        found = find(LADYBUG)
    except Missing as error:
        from fsmooth.demo.scene import made  # noqa: PLC0415  (scipy is an extra)

        print(f"{error}\na scene is made instead", file=sys.stderr)
        return made().start
    return read(found.content, f"the Ladybug problem ({found.place})")
