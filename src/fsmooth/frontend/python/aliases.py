"""Which names stand for the same array, or for a view of it.

In Python an assignment to an element is seen through every name of the array.  Here it gives one name a new array, so
the other names must not be read afterwards: reading one is an error that suggests `.copy()`.
"""

from __future__ import annotations

from collections.abc import Iterable

from fsmooth.core.term import Get, If, Let, MakeTuple, Proj, Require, Term, Var, Vector
from fsmooth.core.types import Array, Tuple, Type
from fsmooth.frontend.python.values import Growing, Keyed, Missing, Unrolled, Value

Place = tuple[object, ...]


class Views:
    """Where the arrays that are parts of other arrays come from."""

    def __init__(self) -> None:
        self._found: dict[Term, frozenset[Place]] = {}
        self._parts: dict[Place, frozenset[Place]] = {}

    def places(self, term: Term) -> frozenset[Place]:
        """The memory that an array may share: roots, each with the components taken from it."""
        components: list[int] = []
        while True:
            known = self._found.get(term)
            taken = tuple(reversed(components))
            match term:
                case _ if known is not None:
                    return frozenset([(*place, *taken) for place in known])
                case Get(array, _):
                    term = array
                case Proj(inner, position):
                    components.append(position)
                    term = inner
                case Require(_, body) | Let(_, body):
                    term = body
                case MakeTuple(items) if components:
                    term = items[components.pop()]
                case If(_, then, otherwise):
                    return self.places(_part(then, taken)) | self.places(_part(otherwise, taken))
                case Vector(items) if not components:
                    return frozenset([place for item in items for place in self.within(item)])
                case Var():
                    place = (term, *taken)
                    return self._parts.get(place, frozenset()) | {place}
                case _:
                    return frozenset()

    def within(self, term: Term) -> frozenset[Place]:
        """The memory of all arrays in a value."""
        match term.type:
            case Array():
                return self.places(term)
            case Tuple(items):
                parts = term.items if isinstance(term, MakeTuple) else [Proj(term, k) for k in range(len(items))]
                return frozenset([place for part in parts for place in self.within(part)])
            case _:
                return frozenset()

    def own(self, array: Term) -> None:
        """`array` shares memory with nothing."""
        self._found[array] = frozenset()

    def same(self, array: Term, other: Term) -> None:
        """`array` is another one under a new type."""
        if other in self._found:
            self._found[array] = self._found[other]

    def remember(self, view: Term, *owners: Term) -> None:
        """`view` may share the memory of any of `owners`."""
        if isinstance(view, Var) and any([isinstance(owner, MakeTuple | If | Let | Require) for owner in owners]):
            for path in _arrays_in(view.type):
                parts = [_part(owner, path) for owner in owners]
                self._parts[view, *path] = frozenset([place for part in parts for place in self.places(part)])
        places = frozenset([place for owner in owners for place in self.places(owner)])
        if places and isinstance(view.type, Array):
            self._found[view] = places


def _arrays_in(type_: Type) -> list[tuple[int, ...]]:
    """The paths to the arrays in a tuple."""
    if isinstance(type_, Array):
        return [()]
    items = type_.items if isinstance(type_, Tuple) else ()
    return [(k, *path) for k, item in enumerate(items) for path in _arrays_in(item)]


def _part(term: Term, path: Iterable[int]) -> Term:
    for k in path:
        term = term.items[k] if isinstance(term, MakeTuple) else Proj(term, k)
    return term


def forget_aliases(names: dict[str, Value], views: Views, array: Term, changed: str, line: int, own: bool) -> None:
    """Names other than `changed` (a name of this scope if `own`) that may share memory with `array` lose their value."""
    places = views.places(array)
    if not places:
        return
    for name, other in names.items():
        if own and name == changed:
            continue
        if not places.isdisjoint(places_of(views, other)):
            why = f"{name} shares its memory with {changed}, whose elements were assigned on line {line}"
            hint = "make one of them with .copy() before that line"
            if name == changed:
                why = f"elements of {name} were assigned inside a function that was called, on line {line}"
                hint = f"return the new {name} from that function"
            names[name] = Missing(why, hint)


def places_of(views: Views, value: Value) -> frozenset[Place]:
    """The memory of all arrays in a value, run-time or not."""
    match value:
        case Term():
            return views.within(value)
        case Growing():
            return value.shared
        case Unrolled(items):
            return frozenset([place for item in items for place in places_of(views, item)])
        case Keyed(entries):
            return frozenset([place for item in entries.values() for place in places_of(views, item)])
        case _:
            return frozenset()
