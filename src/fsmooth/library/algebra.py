"""What programs ask of M̃, which is loaded when they first do.

The package has the name of a public function (`fs.library`), so that who needs it asks here.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fsmooth.library.axes import AXIS_NAMES
    from fsmooth.library.elementwise import is_elementwise
    from fsmooth.library.expand import expand, names, parse
    from fsmooth.library.inlining import WrongArguments

_ROOMS = {
    "AXIS_NAMES": "axes",
    "WrongArguments": "inlining",
    "expand": "expand",
    "is_elementwise": "elementwise",
    "names": "expand",
    "parse": "expand",
}

__all__ = ["AXIS_NAMES", "WrongArguments", "expand", "is_elementwise", "names", "parse"]


def __getattr__(name: str) -> object:
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for known, room in _ROOMS.items():
        found = getattr(import_module(f"fsmooth.library.{room}"), known)
        globals()[known] = found
        setattr(sys.modules["fsmooth.library"], known, found)  # there `expand` was a module until now
    return globals()[name]
