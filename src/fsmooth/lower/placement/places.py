"""What a fold knows about each part of its state: where it lives, and which terms mean its present contents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from msgspec import Struct, field
from msgspec.structs import replace

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import (
    Build,
    Carrying,
    Delta,
    Get,
    If,
    Length,
    Let,
    MakeTuple,
    Plus,
    Proj,
    Reduce,
    Require,
    Term,
    Update,
    Var,
    While,
    Zero,
)
from fsmooth.core.traverse import children
from fsmooth.core.types import Array, Tuple, Type, is_scalar
from fsmooth.lower.cardinality import is_path
from fsmooth.lower.destination import Destination, Group, View

Path = tuple[int, ...]


class Part(Struct, eq=False):
    """A component of a state that is not a tuple.

    `holders` are the (variable, projections) that mean what `place` contains now; `readers` those and every variable
    that may be a view of some of it.  `spares` has, for each buffer of the part, the pointer to where its next contents
    go, if two are exchanged; `settled`: its contents have to stay where they are.  `rows` are variables bound to an
    element of what it contains, with the index.

    `following` is where the next contents go if that is another place in every step; `recorded` is what the row that a
    step writes contains already (both: `lower.placement.recorded_states`).
    """

    path: Path
    place: Destination
    type: Type
    holders: set[tuple[Var, Path]]
    readers: set[tuple[Var, Path]] = field(default_factory=set)
    spares: dict[str, str] = field(default_factory=dict)
    settled: bool = False
    following: Destination | None = None
    recorded: View | None = None
    rows: dict[Var, Term] = field(default_factory=dict)

    def is_held(self, term: Term) -> bool:
        """Does the term mean the present contents?"""
        found = projections(term)
        return found is not None and found in self.holders


class Row(Part, eq=False, kw_only=True):
    """An element of a part that is an array itself: what `array[index]` means where `array` means the part's contents.

    `readers` are those of the whole part: what reads any of its rows may read this one.
    """

    whole: Part
    index: Term

    def is_held(self, term: Term) -> bool:
        """Does the term mean the present contents?"""
        if isinstance(term, Get) and self.whole.is_held(term.array):
            return alpha_equal(term.index, self.index)
        if isinstance(term, Var) and term in self.whole.rows:
            return alpha_equal(self.whole.rows[term], self.index)
        return super().is_held(term)


def row_of(part: Part, index: Term, place: Destination, type_: Type) -> Row:
    """The row of a part that lives in `place`."""
    return Row((), place, type_, set(), set(part.readers), whole=part, index=index)


def parts_of(type_: Type, place: Destination, var: Var, path: Path = ()) -> list[Part]:
    """The parts of the state `var` that lives in `place`."""
    if not isinstance(type_, Tuple):
        return [Part(path, place, type_, {(var, path)}, {(var, path)})]
    assert isinstance(place, Group)
    found = []
    for k, (item, inner) in enumerate(zip(type_.items, place.items, strict=True)):
        found.extend(parts_of(item, inner, var, (*path, k)))  # type: ignore[arg-type]
    return found


def copies_of(parts: list[Part]) -> list[Part]:
    """The parts as they are known here, for a branch that changes what is known."""
    return [replace(q, holders=set(q.holders), readers=set(q.readers), spares={}, rows=dict(q.rows)) for q in parts]


def projections(term: Term) -> tuple[Var, Path] | None:
    """Variable and positions of `x`, `x.0`, `x.0.1`, …"""
    path: list[int] = []
    while isinstance(term, Proj):
        path.append(term.position)
        term = term.tuple
    return (term, tuple(reversed(path))) if isinstance(term, Var) else None


def root_of(path: Term) -> tuple[Var, Path]:
    """Variable and positions of what a path is a part of: of `x.0[i].1` that is `x.0`."""
    positions: list[int] = []
    while not isinstance(path, Var):
        if isinstance(path, Get):
            positions.clear()
            path = path.array
        else:
            assert isinstance(path, Proj)
            positions.append(path.position)
            path = path.tuple
    return path, tuple(reversed(positions))


def reads(term: Term, part: Part) -> bool:
    """Might evaluating the term read the contents of the part?  (Lengths do not.)"""
    variables = {var for var, _ in part.readers}
    seen: set[Term] = set()
    stack = [term]
    while stack:
        t = stack.pop()
        if t in seen or variables.isdisjoint(t.free):
            continue
        seen.add(t)
        if isinstance(t, Length) and is_path(t.array):
            stack.extend(_indices(t.array))
            continue
        if is_path(t):
            var, path = root_of(t)
            for reader, positions in part.readers:
                shared = min(len(path), len(positions))
                if reader is var and path[:shared] == positions[:shared]:
                    return True
            stack.extend(_indices(t))
            continue
        stack.extend(children(t))
    return False


def step_reads(loop: Carrying, part: Part) -> bool:
    """Might a step of the loop read the contents of the part, other than as its own state?"""
    return reads(loop.body, part) or (isinstance(loop, While) and reads(loop.condition, part))


def _indices(path: Term) -> list[Term]:
    found = []
    while not isinstance(path, Var):
        if isinstance(path, Get):
            found.append(path.index)
            path = path.array
        else:
            assert isinstance(path, Proj)
            path = path.tuple
    return found


def under(part: Part, bindings: tuple[tuple[Var, Term], ...]) -> Part:
    """The part as the body of a scope knows it: what is bound to it, or may share its memory, reads it too."""
    inner = replace(part, holders=set(part.holders), readers=set(part.readers), rows=dict(part.rows), spares={})
    for var, value in bindings:
        held = inner.is_held(value)
        shares = not is_scalar(value.type) and shares_memory(value, inner)
        row = value.index if isinstance(value, Get) and inner.is_held(value.array) else None
        inner.rows.pop(var, None)
        if row is not None:
            inner.rows[var] = row
        inner.holders = {(v, path) for v, path in inner.holders if v is not var}
        inner.readers = {(v, path) for v, path in inner.readers if v is not var}
        if held:
            inner.holders.add((var, ()))
        if shares:
            inner.readers.add((var, ()))
    return inner


class Way(Enum):
    """How a name inside a scope that changes a part gets its value."""

    BOUND = "somewhere else, or as a view"
    COPIED = "in memory of its own, since the part changes later"
    IN_PLACE = "in the place of the part"


def ways(part: Part, bindings: tuple[tuple[Var, Term], ...], body: Term) -> Iterator[tuple[Way, Part]]:
    """For each name of a scope whose body is to stay in the place of the part: how it is bound, and the part before that."""
    for k, (var, value) in enumerate(bindings):
        later = [*[v for _, v in bindings[k + 1 :]], body]
        if replaces(value, part, later):
            yield Way.IN_PLACE, part
            part = replace(part, rows={})
            hold(part, var, ())
        elif lets_change(var, value, part, later):
            yield Way.COPIED, part
        else:
            yield Way.BOUND, part
            part = under(part, ((var, value),))
    yield Way.BOUND, part


def after(part: Part, bindings: tuple[tuple[Var, Term], ...], body: Term) -> Part:
    """The part as the body of a scope knows it."""
    *_, (_, inner) = ways(part, bindings, body)
    return inner


def replaces(value: Term, part: Part, later: Sequence[Term]) -> bool:
    """Is the value what becomes of the part when elements of it are set, and does nothing need the old ones `later`?"""
    if (
        not isinstance(value, Update | Carrying | Let | Require | Plus)
        or value.type != part.type
        or is_scalar(value.type)
    ):
        return False
    return _is_set(value, part) and not any([reads(x, part) for x in later]) and stays(value, part)


def _is_set(value: Term, part: Part) -> bool:
    """Is it the part, or what it becomes element by element?"""
    while not part.is_held(value):
        match value:
            case Update(inner) | Carrying(init=inner) | Require(_, inner) | Let(_, inner):
                value = inner
            case Plus(items) if (own := first_summand(items, part)) is not None:
                value = own
            case _:
                return False
    return True


def lets_change(var: Var, value: Term, part: Part, later: Sequence[Term]) -> bool:
    """Can the part be changed in place later if `var`, which consists of elements of it, is a copy of them?"""
    if not isinstance(value, Build) or not shares_memory(value, part):
        return False
    items = [item for x in later if var in x.free for item in (x.items if isinstance(x, MakeTuple) else (x,))]
    inner = under(part, ((var, value),))
    return any([stays(x, part) and not stays(x, inner) for x in items])


def shares_memory(value: Term, part: Part) -> bool:
    """Might a variable that is bound to the value be a view of the part?  (Else it is in memory of its own.)"""
    match value:
        case Let(bindings, body):
            return shares_memory(body, under(part, bindings))
        case Require(_, body):
            return shares_memory(body, part)
        case Build():
            element: Term = value
            while isinstance(element, Build):
                element = element.body
            return is_path(element) and reads(value, part)
        case Delta() | If() | Carrying() | Plus() | Reduce() | Update() | Zero():
            return False
        case _:
            return reads(value, part)


def stays(term: Term, part: Part) -> bool:
    """Can the term be computed into the part's place, from its present contents, without another copy of it?"""
    if part.is_held(term):
        return True
    if part.following is not None:
        return False
    match term:
        case Update(array):
            return stays(array, part)
        case If(_, then, otherwise):
            return stays(then, part) and stays(otherwise, part)
        case Require(_, body):
            return stays(body, part)
        case Let(bindings, body):
            return stays(body, after(part, bindings, body))
        case Carrying(init=init, state=state, body=body):
            inner = Part((), part.place, part.type, {(state, ())}, {(state, ())})
            return stays(init, part) and not step_reads(term, part) and stays(body, inner)
        case Plus(items):
            own = first_summand(items, part)
            return own is not None and all([x is own or has_few(x) or not reads(x, part) for x in items])
        case Build():
            return _elementwise(term, part)
        case _:
            return False


def first_summand(items: Sequence[Term], part: Part) -> Term | None:
    """The one summand that is computed in the place of the part, before the others are added to it.

    Several may stay there if they do not read the part.
    """
    staying = [x for x in items if stays(x, part)]
    reading = [x for x in staying if reads(x, part)]
    return next(iter(reading or staying), None) if len(reading) <= 1 else None


def hold(part: Part, var: Var, component: Path) -> None:
    """From here on the part contains this component of the variable, and nothing else is known to."""
    part.holders, part.readers = {(var, component)}, {(var, component)}
    part.rows.clear()


def has_few(term: Term) -> bool:
    """Is it a few numbers, each written out, in an array of zeros?"""
    match term:
        case Delta(_, _, value):
            return has_few(value)
        case Plus(items) | MakeTuple(items):
            return all([has_few(item) for item in items])
        case _:
            return is_scalar(term.type)


def _elementwise(term: Build, part: Part) -> bool:
    """Does each element read of the part only the element that it replaces?"""
    indices: list[Var] = []
    body: Term = term
    while isinstance(body, Build):
        if reads(body.size, part):
            return False
        indices.append(body.index)
        body = body.body
    if not is_scalar(body.type) or len(indices) != _rank(part.type):
        return False
    seen: set[Term] = set()
    variables = {var for var, _ in part.readers}
    stack: list[Term] = [body]
    while stack:
        t = stack.pop()
        if t in seen or variables.isdisjoint(t.free):
            continue
        seen.add(t)
        if isinstance(t, Length) and is_path(t.array):
            continue
        if is_path(t):
            if _is_element(t, part, indices):
                continue
            if reads(t, part):
                return False
            continue
        if isinstance(t, Let | Carrying | Reduce):
            return False  # a sum may be added up in the place, row by row
        stack.extend(children(t))
    return True


def _is_element(t: Term, part: Part, indices: list[Var]) -> bool:
    for index in reversed(indices):
        if not (isinstance(t, Get) and t.index is index):
            return False
        t = t.array
    return part.is_held(t)


def _rank(type_: Type) -> int:
    return type_.rank if isinstance(type_, Array) and not isinstance(type_, Tuple) else 0
