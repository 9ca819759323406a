"""Functions that call themselves: each becomes a definition of the core, which is compiled once and called.

A function that calls itself with arguments of the same types, again and again, is found where it is inlined in itself for the
`DEEPEST` time.  All that was read since its first call is dropped, and its body is read once with variables for the
numbers and arrays among its arguments.  The type of its result is a fixpoint: first the branches that do not need it are
read, then all of them at the type that those give, until it is steady.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator
from itertools import count

from msgspec import Struct, field

from fsmooth.core.build import equals, project
from fsmooth.core.lists import lists_in
from fsmooth.core.shape import size_of
from fsmooth.core.subst import substitute
from fsmooth.core.term import Call, Failure, Header, Lam, Length, MakeTuple, Proj, Require, Term, Var, let
from fsmooth.core.trees import known_parts
from fsmooth.core.types import INT, Tuple, Type, has_array, rank_of
from fsmooth.core.weak import weakness
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.python.conversion import convert
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.function_values import returned
from fsmooth.frontend.python.kinds import describe, identical, is_ever_new, join_kinds
from fsmooth.frontend.python.nodes import record_of_nodes
from fsmooth.frontend.python.parts import seen
from fsmooth.frontend.python.source import Source
from fsmooth.frontend.python.unreturned import Unreturned
from fsmooth.frontend.python.values import Closure, Growing, Keyed, Static, Unfilled, Unrolled, Value

Definition = ast.FunctionDef | ast.Lambda


class Reading(Struct, eq=False):
    """A function whose body is being read, where its parameters have these values."""

    definition: Definition
    names: dict[str, Value]
    values: dict[str, Value]

    @property
    def key(self) -> Hashable:
        """Equal for readings that give the same definition: the types of numbers and arrays, and the values of all else."""
        return (id(self.names) if self.names else 0, *[(name, _part(v)) for name, v in self.values.items()])

    @property
    def name(self) -> str:
        """What the function is called."""
        return self.definition.name if isinstance(self.definition, ast.FunctionDef) else "a lambda"


class CallsItself(Exception):  # noqa: N818  (no mistake: its first reading catches it)
    """A function was read in itself, with arguments of the types that it had in `reading`."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading


class Recursion(Struct, eq=False):
    """A function that calls itself; `header` is None until the type of its result is known.

    It is provisional if it was read while that of a function around it was not known: then it is read again with that one.
    """

    reading: Reading
    parameters: list[Var] = field(default_factory=list)
    header: Header | None = None
    is_provisional: bool = False

    def call(self, frame: Frame, values: dict[str, Value], node: ast.AST) -> Value:
        """The value of a call."""
        if self.header is None:
            defining = frame.shared.defining
            for inner in defining[defining.index(self) + 1 :]:
                inner.is_provisional = True
            raise Unreturned(node)
        return seen(
            frame.bind(Call(self.header, tuple([x for v in values.values() for x in _terms(v)])), self.reading.name)
        )


def defined(
    frame: Frame,
    reading: Reading,
    source: Source,
    node: ast.AST,
    known: dict[Hashable, Recursion],
    body: Callable[[Frame], Value],
) -> Recursion:
    """The definition of a function that calls itself; `body` gives the value of its body, in a frame of its own."""
    for name, value in reading.values.items():
        _refuse_lists(frame, reading, name, value, node)
    found = Recursion(reading)
    known[reading.key] = found
    names = dict(reading.names)
    for name, value in reading.values.items():
        variables = [Var(own, x.type, frame.site(node)) for own, x in _named_terms(name, value)]
        found.parameters += variables
        names[name] = _with_terms(frame, value, iter(variables))
    others = {id(r) for same in frame.shared.recursions.values() for r in same.values()}
    result: Type | None = None
    model: Lam | None = None
    for rounds in count():  # each time the type of the result grows
        if is_ever_new(rounds, *([] if result is None else [result])):
            what = f"{reading.name}, whose result holds that of its own call and so is of another type at each depth,"
            frame.child(source, {}, node).unsupported(reading.definition, what, "return the numbers that it is made of")
        for same in frame.shared.recursions.values():
            for key in [key for key, r in same.items() if id(r) not in others]:
                del same[key]  # it calls this one at a type that it has no more, or not yet
        frame.shared.defining.append(found)
        try:
            term = _read(frame, reading, source, node, found, names, body)
        except Unreturned as call:
            if found.is_provisional:
                del known[reading.key]
                raise
            frame.unsupported(
                call.node, f"{reading.name}, which never returns without calling itself,", "give it a case that does"
            )
        finally:
            frame.shared.defining.pop()
        joined = term.type if result is None else join_kinds(result, term.type)
        if joined is None:
            assert result is not None
            frame.child(source, {}, node).fail(
                TypeMismatchError,
                reading.definition,
                f"{reading.name} returns {describe(result)} without calling itself and {describe(term.type)} where it does",
                "return values of one type",
            )
        if result is not None and identical(joined, result):
            break
        if result is None and has_array(joined):
            model = Lam(tuple(found.parameters), term)
        result = joined
        types = tuple([q.type for q in found.parameters])
        name = reading.name.replace("a lambda", "lambda")
        found.header = Header(name, types, result, source.site(reading.definition), model)
        if found.is_provisional:
            break
    assert found.header is not None
    found.header.define(Lam(tuple(found.parameters), term))
    return found


def _read(
    frame: Frame,
    reading: Reading,
    source: Source,
    node: ast.AST,
    found: Recursion,
    names: dict[str, Value],
    body: Callable[[Frame], Value],
) -> Term:
    inner = frame.child(source, dict(names), node)
    inner.scope, inner.requirements, inner.conditional = [], [], 0
    inner.entry = frozenset(found.parameters)
    inner.borders = Var("border", INT).id
    frame.shared.stack.append(reading)
    assumed, frame.shared.assumed = frame.shared.assumed, []  # what holds at this call need not at others

    def result() -> Term:
        value = returned(inner, body(inner), node)
        header = found.header
        if header is None or not is_of_type(value, header.result):
            return value
        return _of_sizes(inner, found, convert(inner, value, header.result, node), reading.definition)

    try:
        term = inner.inside(result)
    finally:
        frame.shared.stack.pop()
        frame.shared.assumed = assumed
    for r in reversed(inner.requirements):
        term = Require(r.condition, term, r.failure, r.numbers, r.site)
    return term


def is_of_type(value: Term, wanted: Type) -> bool:
    """Can the value be given this type?"""
    joined = join_kinds(value.type, wanted)
    return joined is not None and joined == wanted and known_parts(joined) == known_parts(wanted)


def _part(value: Value) -> Hashable:
    match value:
        case Term():
            return (
                value.type,
                weakness(value.type),
                lists_in(value.type),
                known_parts(value.type),
                record_of_nodes(value),
            )
        case Unrolled(items):
            return (type(value), *[_part(item) for item in items])
        case Keyed(entries):
            return tuple([(key, _part(item)) for key, item in entries.items()])
        case Closure():
            return (value.node, id(value.names))
        case Static(value=str() | int() | float() | None as inner):
            return (type(inner), inner)
        case Static(value=inner):
            return id(inner)
        case _:
            return id(value)


def _named_terms(name: str, value: Value) -> list[tuple[str, Term]]:
    """The numbers and arrays in a value; those in tuples and records are called by their fields."""
    match value:
        case Term():
            return _leaves(name, value)
        case Unrolled(items):
            return [x for item in items for x in _named_terms(name, item)]
        case Keyed(entries):
            return [x for key, item in entries.items() for x in _named_terms(f"{name}_{key}", item)]
        case _:
            return []


def _leaves(name: str, term: Term) -> list[tuple[str, Term]]:
    if not isinstance(term.type, Tuple):
        return [(name, term)]
    names = term.type.names or range(len(term.type.items))
    own = [name if k == 0 and record_of_nodes(term) is not None else f"{name}_{part}" for k, part in enumerate(names)]
    return [x for k, part in enumerate(own) for x in _leaves(part, project(term, k))]


def _terms(value: Value) -> list[Term]:
    """The numbers and arrays in a value: a function that calls itself takes each by itself, so that it is known which of them
    its calls hand on as they are.
    """
    return [x for _, x in _named_terms("", value)]


def _with_terms(frame: Frame, value: Value, new: Iterator[Var]) -> Value:
    """The value with other numbers and arrays in it."""
    match value:
        case Term(type=Tuple() as type_):
            return seen(_whole(type_, new))
        case Term():
            return seen(next(new))
        case Unrolled(items):
            return type(value)(tuple([_with_terms(frame, item, new) for item in items]))
        case Keyed(entries):
            return Keyed({key: _with_terms(frame, item, new) for key, item in entries.items()})
        case _:
            return value


def _whole(type_: Type, new: Iterator[Var]) -> Term:
    if not isinstance(type_, Tuple):
        return next(new)
    return MakeTuple(tuple([_whole(item, new) for item in type_.items]), type_)


def _refuse_lists(frame: Frame, reading: Reading, name: str, value: Value, node: ast.AST) -> None:
    """A list that grows is no array yet, and what is appended to it in a call would be seen by the caller."""
    if isinstance(value, Growing | Unfilled):
        frame.unsupported(
            node,
            f"the list {name}, which grows, as an argument of {reading.name}, which calls itself,",
            "pass an array",
        )


def _of_sizes(frame: Frame, found: Recursion, term: Term, node: ast.AST) -> Term:
    """The result, whose arrays must have the sizes that its callers have made room for."""
    header = found.header
    assert header is not None
    if header.model is None:
        return term
    own = dict(zip(header.model.parameters, found.parameters, strict=True))
    var = Var(found.reading.name, term.type)
    result: Term = var
    for got, wanted in _sizes(var, substitute(header.model.body, own)):
        result = Require(equals(got, wanted), result, Failure.SIZE, (got, wanted), frame.site(node))
    return let(((var, term),), result)


def _sizes(value: Term, model: Term) -> list[tuple[Term, Term]]:
    """The sizes of each array in a value, beside those of its model."""
    if isinstance(value.type, Tuple):
        return [pair for k in range(len(value.type.items)) for pair in _sizes(Proj(value, k), Proj(model, k))]
    return [(Length(value, axis), size_of(model, axis)) for axis in range(rank_of(value.type))]
