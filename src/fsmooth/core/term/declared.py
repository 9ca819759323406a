"""What a constructor of terms declares of itself: its fields, in the order in which they come into scope and are evaluated.

    class While(Term):
        fields = (
            Part("init"),
            State("state", initial="init"),
            Part("condition", Runs.MANY),
            Part("body", Runs.MANY, where="condition"),
        )
        failing = Failing.ALWAYS

A binder binds its variable in all fields after it.  Children, rebuilding, free variables, substitution, alpha keys, regions,
facts and what else is generic (core/traverse.py, core/scoped.py) are derived from this; only what a construct *means* is said
elsewhere.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from fsmooth.core.term.base import Term
    from fsmooth.core.term.calculus import Var


class Runs(Enum):
    """How often a part is evaluated when the term is."""

    ONCE = "whenever the term is"
    MANY = "in each step of a loop"
    PERHAPS = "if a condition holds"
    LATER = "when the function is called"


class Failing(Enum):
    """Can evaluating the construct fail, its parts apart?"""

    NEVER = "it has a value"
    ALWAYS = "whatever is known of its parts: it may end the program, or not end"
    CALLS = "if what it calls can"
    BOUNDS = "if its index is not below its size"
    EMPTY = "if it is an extremum of no elements"


@dataclass(frozen=True, slots=True)
class Part:
    """A term; `where` and `unless` name the condition that holds, or does not, where it is evaluated."""

    field: str
    runs: Runs = Runs.ONCE
    where: str = ""
    unless: str = ""


@dataclass(frozen=True, slots=True)
class Perhaps:
    """A term, or None."""

    field: str
    runs: Runs = Runs.ONCE


@dataclass(frozen=True, slots=True)
class Parts:
    """A tuple of terms."""

    field: str
    runs: Runs = Runs.ONCE


@dataclass(frozen=True, slots=True)
class Index:
    """The variable that counts the steps of a loop: from 0 to less than the field `below`."""

    field: str
    below: str


@dataclass(frozen=True, slots=True)
class State:
    """The variable that a loop carries from step to step, at first the field `initial`."""

    field: str
    initial: str


@dataclass(frozen=True, slots=True)
class Parameters:
    """A tuple of variables that can be anything."""

    field: str


@dataclass(frozen=True, slots=True)
class Definitions:
    """A tuple of pairs of a variable and the term that it stands for from there on."""

    field: str
    runs: Runs = Runs.ONCE


@dataclass(frozen=True, slots=True)
class Generators:
    """A tuple of pairs of a size and the index of a loop over it, which is bound from there on: loops in one another."""

    field: str
    runs: Runs = Runs.MANY


@dataclass(frozen=True, slots=True)
class Data:
    """What is no part, but tells one term from another; `exactly` is how, where equality would not do.

    A term among the data mentions nothing around it, and no pass looks into it.
    """

    field: str
    exactly: Callable[[Any], object] | None = None


@dataclass(frozen=True, slots=True)
class Label:
    """What says nothing of the value: a place in the source."""

    field: str


Field: TypeAlias = Part | Perhaps | Parts | Index | State | Parameters | Definitions | Generators | Data | Label
Binder: TypeAlias = Index | State | Parameters | Definitions | Generators

_SEVERAL = Parts | Definitions | Generators


class Step(NamedTuple):
    """One thing in the fields of a term: a child, or a variable `var`, which is bound in what follows it.

    `given` is what is known of the variable: its definition, the size of the range of an index, the first value of a state.
    """

    field: Field
    term: Term
    var: Var | None = None
    given: Term | None = None


class Declaration:
    """What follows from the fields of one constructor.

    children   of a term: the terms in its fields, in order
    rebuild    a term like it with other children
    bound      the variables that are bound around child number k
    runs       how often child number k is evaluated
    data       of a term: what tells it from another with equal children
    """

    def __init__(self, constructor: type[Term], fields: tuple[Field, ...]) -> None:
        self.constructor: Callable[..., Term] = constructor
        self.fields = fields
        self.scoped: tuple[Field, ...] = tuple([f for f in fields if not isinstance(f, Data | Label)])
        self.binds = any([isinstance(f, Binder) for f in fields])
        self.has_regions = any([getattr(f, "runs", Runs.ONCE) is not Runs.ONCE for f in fields])
        self.children = _children_of(self.scoped)
        self.data = _data_of(fields)
        self._arguments = _arguments_of(constructor)
        names = [f.field for f in fields]
        unknown = set(self._arguments) - set(names)
        if unknown or len(set(names)) < len(names):
            raise TypeError(
                f"{constructor.__name__} does not declare {', '.join(sorted(unknown)) or 'each field once'}"
            )
        terms = [f for f in self.scoped if isinstance(f, Part | Perhaps | _SEVERAL)]
        split = next((k for k, f in enumerate(terms) if isinstance(f, _SEVERAL)), len(terms))
        self._before, self._after = terms[:split], terms[split + 1 :]
        self._several = terms[split] if split < len(terms) else None
        if any([isinstance(f, _SEVERAL) for f in self._after]):
            raise TypeError(f"{constructor.__name__} has more than one field of several terms")
        self._rebuild = self._rebuilding()
        self._places = _places_of(self.scoped)

    def rebuild(self, term: Term, new: Sequence[Term]) -> Term:
        """A term like it with these children; binders and data are the same."""
        return self._rebuild(term, new)

    def place(self, term: Term, field: str) -> int:
        """Which of the steps of a term is that field."""
        known = self._places.get(field)
        if known is not None:
            return known
        return next(k for k, step in enumerate(self.steps(term)) if step.field.field == field)

    def steps(self, term: Term) -> list[Step]:
        """The children of a term and the variables that it binds, in the order of scope."""
        found: list[Step] = []
        for f in self.scoped:
            value = getattr(term, f.field)
            match f:
                case Part():
                    found.append(Step(f, value))
                case Index(below=given) | State(initial=given):
                    found.append(Step(f, value, value, getattr(term, given)))
                case Perhaps():
                    if value is not None:
                        found.append(Step(f, value))
                case Parts():
                    found.extend([Step(f, part) for part in value])
                case Parameters():
                    found.extend([Step(f, var, var) for var in value])
                case Definitions():
                    for var, defined in value:
                        found.append(Step(f, defined))
                        found.append(Step(f, var, var, defined))
                case Generators():
                    for size, index in value:
                        found.append(Step(f, size))
                        found.append(Step(f, index, index, size))
        return found

    def made(self, term: Term, new: Sequence[Term]) -> Term:
        """A term like it from other children and binders, as many as its `steps`."""
        rest = iter(new)
        values: dict[str, object] = {f.field: getattr(term, f.field) for f in self.fields}
        for f in self.scoped:
            old = values[f.field]
            match f:
                case Part() | Index() | State():
                    values[f.field] = next(rest)
                case Perhaps():
                    values[f.field] = None if old is None else next(rest)
                case Parts() | Parameters():
                    values[f.field] = tuple([next(rest) for _ in old])  # type: ignore[attr-defined]
                case Definitions():
                    pairs = [(next(rest), next(rest)) for _ in old]  # type: ignore[attr-defined]
                    values[f.field] = tuple([(var, value) for value, var in pairs])
                case Generators():
                    values[f.field] = tuple([(next(rest), next(rest)) for _ in old])  # type: ignore[attr-defined]
        return self._of(values)

    def _of(self, values: dict[str, object]) -> Term:
        """The term with these fields."""
        return self.constructor(*[values[name] for name in self._arguments])

    def bound(self, term: Term, child: int) -> tuple[Var, ...]:
        """The variables that the term binds around child number `child`, in scope order."""
        found: list[Var] = []
        position = 0
        for f in self.scoped:
            match f:
                case Part():
                    if position == child:
                        break
                    position += 1
                case Perhaps(name):
                    if getattr(term, name) is not None:
                        if position == child:
                            break
                        position += 1
                case Parts(name):
                    position += len(getattr(term, name))
                    if position > child:
                        break
                case Index(name) | State(name):
                    found.append(getattr(term, name))
                case Parameters(name):
                    found.extend(getattr(term, name))
                case Definitions(name):
                    pairs = getattr(term, name)
                    found.extend([var for var, _ in pairs[: child - position]])
                    position += len(pairs)
                    if position > child:
                        break
                case Generators(name):
                    pairs = getattr(term, name)
                    found.extend([index for _, index in pairs[: max(child - position, 0)]])
                    position += len(pairs)
                    if position > child:
                        break
        return tuple(found)

    def runs(self, child: int, count: int) -> Runs:
        """How often child number `child` of `count` is evaluated when the term is."""
        if child < len(self._before):
            return self._before[child].runs
        if self._several is None:
            return Runs.ONCE
        rest = count - child
        if rest <= len(self._after):
            return self._after[-rest].runs
        is_outermost = isinstance(self._several, Generators) and child == len(self._before)
        return Runs.ONCE if is_outermost else self._several.runs

    def _rebuilding(self) -> Callable[[Term, Sequence[Term]], Term]:
        constructor = self.constructor
        fixed = [f.field for f in self._before]
        if self._several is None and not any([isinstance(f, Perhaps) for f in self._before]):
            if list(self._arguments) == fixed:
                return lambda t, new: constructor(*new)
            places = {name: k for k, name in enumerate(fixed)}
            slots = [(places.get(name, -1), name) for name in self._arguments]
            return lambda t, new: constructor(*[new[k] if k >= 0 else getattr(t, name) for k, name in slots])
        if isinstance(self._several, Parts) and not fixed and not self._after:
            if len(self._arguments) == 1:
                return lambda t, new: constructor(tuple(new))
            if self._arguments[1] == self._several.field and len(self._arguments) == 2:
                kept = self._arguments[0]
                return lambda t, new: constructor(getattr(t, kept), tuple(new))
        return self._rebuilt

    def _rebuilt(self, term: Term, new: Sequence[Term]) -> Term:
        """By the general way: field after field."""
        rest = list(new)
        values: dict[str, object] = {f.field: getattr(term, f.field) for f in self.fields}
        for f in self.scoped:
            old = values[f.field]
            match f:
                case Part(name):
                    values[name] = rest.pop(0)
                case Perhaps(name) if old is not None:
                    values[name] = rest.pop(0)
                case Parts(name):
                    count = len(rest) - len(self._after)
                    values[name], rest = tuple(rest[:count]), rest[count:]
                case Definitions(name) | Generators(name):
                    count = len(rest) - len(self._after)
                    mine, rest = rest[:count], rest[count:]
                    values[name] = _paired(f, getattr(term, name), mine)
        return self._of(values)


def _paired(f: Definitions | Generators, pairs: Sequence[tuple[Term, Term]], new: list[Term]) -> tuple[object, ...]:
    """The pairs with other terms, their variables kept."""
    if isinstance(f, Definitions):
        return tuple([(var, value) for (var, _), value in zip(pairs, new, strict=True)])
    return tuple([(size, index) for (_, index), size in zip(pairs, new, strict=True)])


def _data_of(fields: tuple[Field, ...]) -> Callable[[Term], tuple[object, ...]]:
    """What lists the data of a term, and the types of its parameters."""
    getters = [_datum(f) for f in fields if isinstance(f, Data | Parameters)]
    if not getters:
        return lambda t: ()
    if len(getters) == 1:
        only = getters[0]
        return lambda t: (only(t),)
    return lambda t: tuple([get(t) for get in getters])


def _datum(f: Data | Parameters) -> Callable[[Term], object]:
    get = attrgetter(f.field)
    if isinstance(f, Parameters):
        return lambda t: tuple([var.type for var in get(t)])
    exactly = f.exactly
    return get if exactly is None else lambda t: exactly(get(t))


def _arguments_of(constructor: type[Term]) -> tuple[str, ...]:
    """The names of what the constructor takes, which are those of the fields but for an underscore at the end."""
    parameters = list(inspect.signature(constructor.__init__).parameters)[1:]
    return tuple([name.rstrip("_") for name in parameters])


def _places_of(fields: tuple[Field, ...]) -> dict[str, int]:
    """The places among the steps of those fields before which there are only single ones."""
    places: dict[str, int] = {}
    for f in fields:
        if not isinstance(f, Part | Index | State):
            break
        places[f.field] = len(places)
    return places


def _children_of(fields: tuple[Field, ...]) -> Callable[[Term], tuple[Term, ...]]:
    """What lists the terms in these fields."""
    terms = [f for f in fields if isinstance(f, Part | Perhaps | _SEVERAL)]
    names = [f.field for f in terms]
    if not names:
        return lambda t: ()
    if all([isinstance(f, Part) for f in terms]):
        if len(names) == 1:
            name = names[0]
            return lambda t: (getattr(t, name),)
        return attrgetter(*names)
    if len(terms) == 1 and isinstance(terms[0], Parts):
        return attrgetter(names[0])
    if len(terms) == 2 and isinstance(terms[0], Part) and isinstance(terms[1], Parts):
        first, others = names
        return lambda t: (getattr(t, first), *getattr(t, others))
    if len(terms) == 2 and isinstance(terms[0], Definitions) and isinstance(terms[1], Part):
        pairs, last = names
        return lambda t: (*[value for _, value in getattr(t, pairs)], getattr(t, last))
    getters = [_getter(f) for f in terms]
    return lambda t: tuple([child for getter in getters for child in getter(t)])


def _getter(f: Part | Perhaps | Parts | Definitions | Generators) -> Callable[[Term], Sequence[Term]]:
    name = f.field
    match f:
        case Part():
            return lambda t: (getattr(t, name),)
        case Perhaps():
            return lambda t: () if getattr(t, name) is None else (getattr(t, name),)
        case Parts():
            return attrgetter(name)
        case Definitions():
            return lambda t: [value for _, value in getattr(t, name)]
        case Generators():
            return lambda t: [size for size, _ in getattr(t, name)]
