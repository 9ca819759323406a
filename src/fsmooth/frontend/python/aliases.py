"""Which names stand for the same array, or for a view of it.

In Python an assignment to an element is seen through every name of the array.  Here it gives one name a new array, so
the other names must not be read afterwards: reading one is an error that suggests `.copy()`.
"""

from __future__ import annotations

import ast

from fsmooth.core.term import Get, Proj, Term, Var
from fsmooth.core.types import Array
from fsmooth.frontend.python.values import Missing, Value

Place = tuple[object, ...]


class Views:
    """Where the arrays that are parts of other arrays come from."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Term, Place]] = {}

    def place(self, term: Term) -> Place:
        """The memory that an array shares: its root and the components taken from it; () if it has none."""
        components: list[object] = []
        while True:
            known = self._found.get(id(term))
            match term:
                case _ if known is not None:
                    return (*known[1], *reversed(components))
                case Get(array, _):
                    term = array
                case Proj(inner, position):
                    components.append(position)
                    term = inner
                case Var():
                    return (term, *reversed(components))
                case _:
                    return ()

    def remember(self, view: Term, owner: Term) -> None:
        """`view` shares the memory of `owner`."""
        place = self.place(owner)
        if place and isinstance(view.type, Array):
            self._found[id(view)] = (view, place)


def forget_aliases(names: dict[str, Value], views: Views, array: Term, changed: str, line: int, own: bool) -> None:
    """Names other than `changed` (a name of this scope if `own`) that share memory with `array` lose their value."""
    place = views.place(array)
    if not place:
        return
    for name, other in names.items():
        if own and name == changed:
            continue
        if isinstance(other, Term) and isinstance(other.type, Array) and views.place(other) == place:
            why = f"{name} shares its memory with {changed}, whose elements were assigned on line {line}"
            hint = "make one of them with .copy() before that line"
            if name == changed:
                why = f"elements of {name} were assigned inside a function that was called, on line {line}"
                hint = f"return the new {name} from that function"
            names[name] = Missing(why, hint)


def element_assigned(body: list[ast.stmt]) -> list[str]:
    """The names of arrays whose elements statements assign."""
    found: dict[str, None] = {}
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                place: ast.expr = node
                while isinstance(place, ast.Subscript):
                    place = place.value
                if isinstance(place, ast.Name):
                    found.setdefault(place.id)
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                found.setdefault(node.target.id)
    return list(found)
