"""`import` inside a function: a module is known at compile time, and so is what is taken from it.

Modules of Python, NumPy and SciPy only: those of the user's own, whose values may change, are found at each call where the
function's module names them.
"""

from __future__ import annotations

import ast
import importlib
import sys
from types import ModuleType

from fsmooth.errors import UndefinedNameError
from fsmooth.frontend.python.displays import known
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.values import Static

LIBRARIES = frozenset({*sys.stdlib_module_names, "numpy", "scipy", "fsmooth"})


def imported(frame: Frame, node: ast.Import | ast.ImportFrom) -> None:
    """The names that an import gives."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            whole = module_named(frame, alias.name, node)
            first, _, _ = alias.name.partition(".")
            frame.names[alias.asname or first] = Static(whole if alias.asname else module_named(frame, first, node))
        return
    if node.level or node.module is None:
        frame.unsupported(node, "a relative import", "import at the top of the file")
    whole = module_named(frame, node.module, node)
    for alias in node.names:
        if not hasattr(whole, alias.name):
            frame.fail(UndefinedNameError, node, f"{node.module} has no {alias.name}", "use a name that it has")
        frame.names[alias.asname or alias.name] = known(getattr(whole, alias.name))


def module_named(frame: Frame, name: str, node: ast.AST) -> ModuleType:
    """A module of a library."""
    if name.partition(".")[0] not in LIBRARIES:
        frame.unsupported(node, f"the import of {name}", "import at the top of the file")
    try:
        return importlib.import_module(name)
    except ImportError:
        frame.fail(UndefinedNameError, node, f"there is no module {name}", "install it, or correct the name")
