"""What follows from the fields that a constructor of terms declares, in the order in which they come into scope.

    class While(Carrying):
        fields = (
            Part("init"),
            State("state", initial="init"),
            Part("condition", Runs.MANY),
            Part("body", Runs.MANY, where="condition"),
        )
        failing = Failing.ALWAYS

Children, rebuilding, free variables, substitution, alpha keys, regions, facts and what else is generic (core/traverse.py)
are derived from this; only what a construct *means* is said elsewhere.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING

from fsmooth.core.term.fields import (
    Binder,
    Data,
    Definitions,
    Field,
    Generators,
    Index,
    Label,
    Parameters,
    Part,
    Parts,
    Runs,
    Single,
    State,
    Step,
)

if TYPE_CHECKING:
    from fsmooth.core.term.base import Term
    from fsmooth.core.term.calculus import Var


class Declaration:
    """What follows from the fields of one constructor.

    binds       does it bind variables?
    parts       the names of the fields that hold terms
    has_regions is a part of it evaluated more often, or less often, than the term?
    is_loop     does it bind variables in what it evaluates many times?
    children    of a term: the terms in its fields, in order
    rebuild     a term like it with other children, its variables and data kept
    data        of a term: what tells it from another with equal children
    """

    def __init__(self, constructor: type[Term], fields: tuple[Field, ...]) -> None:
        self._constructor: Callable[..., Term] = constructor
        self._fields = fields
        self._scoped = tuple([f for f in fields if not isinstance(f, Data | Label)])
        self._arguments = _arguments_of(constructor)
        names = [f.name for f in fields]
        unknown = set(self._arguments) - set(names)
        if unknown or len(set(names)) < len(names):
            missing = ", ".join(sorted(unknown)) or "each field once"
            raise TypeError(f"{constructor.__name__} does not declare {missing}")
        runs = {Runs.MANY if isinstance(f, Generators) else f.runs for f in fields if isinstance(f, Part | Generators)}
        self.binds = any([isinstance(f, Binder) for f in fields])
        self.has_regions = bool(runs - {Runs.ONCE})
        self.is_loop = self.binds and Runs.MANY in runs
        self.children = _children_of(self._scoped) or self._children
        self.rebuild = _rebuilding(constructor, self._arguments, self._scoped) or self._rebuilt
        self.data = _data_of(fields)
        self.parts = [f.name for f in self._scoped if not isinstance(f, Index | State | Parameters)]
        self._single = [f for f in self._scoped if isinstance(f, Single)]
        self._is_fixed = len(self._single) == len(self._scoped)  # so many steps, whatever the term
        self._runs = tuple([f.runs for f in self._single if isinstance(f, Part)])
        self._places = {f.name: k for k, f in enumerate(self._single)}

    def steps(self, term: Term) -> list[Step]:
        """The children of a term and the variables that it binds, in the order of scope."""
        if self._is_fixed:
            return [f.step(term) for f in self._single]
        return [step for f in self._scoped for step in f.steps(term)]

    def made(self, term: Term, new: Sequence[Term]) -> Term:
        """A term like it from other children and variables, as many as its `steps`."""
        rest = iter(new)
        values = {f.name: f.filled(getattr(term, f.name), rest) for f in self._fields}
        return self._constructor(*[values[name] for name in self._arguments])

    def place(self, term: Term, name: str) -> int:
        """Which of the steps of a term is the field of that name."""
        if self._is_fixed:
            return self._places[name]
        return next(k for k, step in enumerate(self.steps(term)) if step.field.name == name)

    def bound(self, term: Term, child: int) -> tuple[Var, ...]:
        """The variables that the term binds around child number `child`, in the order of scope."""
        found: list[Var] = []
        position = 0
        for step in self.steps(term):
            if step.var is not None:
                found.append(step.var)
            elif position == child:
                break
            else:
                position += 1
        return tuple(found)

    def runs(self, term: Term) -> Sequence[Runs]:
        """How often each child is evaluated when the term is."""
        return self._runs if self._is_fixed else [step.runs for step in self.steps(term) if step.var is None]

    def _children(self, term: Term) -> tuple[Term, ...]:
        return tuple([step.term for step in self.steps(term) if step.var is None])

    def _rebuilt(self, term: Term, new: Sequence[Term]) -> Term:
        found = self.steps(term)
        items = [step.term for step in found]
        places = [k for k, step in enumerate(found) if step.var is None]
        for k, child in zip(places, new, strict=True):
            items[k] = child
        return self.made(term, items)


def _arguments_of(constructor: type[Term]) -> tuple[str, ...]:
    """The names of what the constructor takes, which are those of the fields but for an underscore at the end."""
    parameters = list(inspect.signature(constructor.__init__).parameters)[1:]
    return tuple([name.rstrip("_") for name in parameters])


def _data_of(fields: tuple[Field, ...]) -> Callable[[Term], tuple[object, ...]]:
    """What lists the data of a term, and the types of its parameters."""
    getters = [_datum(f) for f in fields if isinstance(f, Data | Parameters)]
    return lambda t: tuple([get(t) for get in getters])


def _datum(f: Data | Parameters) -> Callable[[Term], object]:
    get = attrgetter(f.name)
    if isinstance(f, Parameters):
        return lambda t: tuple([var.type for var in get(t)])
    exactly = f.exactly
    return get if exactly is None else lambda t: exactly(get(t))


# -- common forms, in fewer steps than the general way --------------------------------------------------------------


def _children_of(fields: tuple[Field, ...]) -> Callable[[Term], tuple[Term, ...]] | None:
    """What lists the children of constructors of parts only, and of scopes; None for others."""
    match [f for f in fields if not isinstance(f, Index | State | Parameters)]:
        case []:
            return lambda t: ()
        case [Part(name)]:
            return lambda t: (getattr(t, name),)
        case [Parts(name)]:
            return attrgetter(name)
        case [Part(first), Parts(others)]:
            return lambda t: (getattr(t, first), *getattr(t, others))
        case [Definitions(pairs), Part(last)]:
            return lambda t: (*[value for _, value in getattr(t, pairs)], getattr(t, last))
        case several if all([isinstance(f, Part) for f in several]):
            return attrgetter(*[f.name for f in several])
        case _:
            return None


def _rebuilding(
    constructor: Callable[..., Term], arguments: tuple[str, ...], fields: tuple[Field, ...]
) -> Callable[[Term, Sequence[Term]], Term] | None:
    """What makes terms of parts only, or of one tuple of parts, from other children; None for others."""
    parts = [f for f in fields if not isinstance(f, Index | State | Parameters)]
    several = parts[0].name if len(parts) == 1 and isinstance(parts[0], Parts) else None
    if several is not None:
        if arguments == (several,):
            return lambda t, new: constructor(tuple(new))
        return lambda t, new: constructor(*[tuple(new) if x == several else getattr(t, x) for x in arguments])
    if not all([isinstance(f, Part) for f in parts]):
        return None
    names = [f.name for f in parts]
    if list(arguments) == names:
        return lambda t, new: constructor(*new)
    slots = [(names.index(x) if x in names else -1, x) for x in arguments]
    return lambda t, new: constructor(*[new[k] if k >= 0 else getattr(t, x) for k, x in slots])
