"""Elaboration: a program and the types of its arguments give a typed core term (design §2, §3)."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from typing import cast

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.alternatives import holds_functions, holds_many_alternatives
from fsmooth.core.definitions import extension
from fsmooth.core.term import App, Deriv, Lam, Prim, Require, Term, Var, Verb
from fsmooth.core.types import Type
from fsmooth.errors import ArgumentError, TypeMismatchError
from fsmooth.frontend.constant_sizes import with_constant_sizes
from fsmooth.frontend.lookup import Lookup
from fsmooth.frontend.programs import DerivedProgram, LibraryProgram, Program, SourceProgram
from fsmooth.frontend.python.annotated import annotated_arguments
from fsmooth.frontend.python.far_integers import without_far_integers
from fsmooth.frontend.python.frame import Frame, Shared
from fsmooth.frontend.python.functions import default_value, run
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.parts import seen
from fsmooth.frontend.python.programs import derivative_of_names, derived_of
from fsmooth.frontend.python.reader import Reader
from fsmooth.frontend.python.returned_nodes import as_columns
from fsmooth.frontend.python.source import source_of
from fsmooth.frontend.python.values import Pullback, Static, Unrolled, Value
from fsmooth.frontend.python.weak import at_one_width
from fsmooth.frontend.readings import Readings
from fsmooth.library import algebra


class Parameter(Struct, frozen=True):
    """A parameter of an elaborated program: an argument by name, or a captured value that `fetch` reads anew."""

    name: str
    type: Type
    fetch: Lookup | None = None


class Elaborated(Struct, frozen=True):
    """A closed term, and where its parameters come from.

    For the vjp of a program the term is the program itself, as the call of a function (inside bindings and requirements);
    `pullback` says by which arguments of that function it is to be differentiated.
    """

    term: Lam
    parameters: tuple[Parameter, ...]
    readings: Readings
    pullback: Deriv | None = None


def elaborate(program: Program, arguments: Mapping[str, Type | object], order: int = 0) -> Elaborated:
    """The term of `program` for arguments of these types; what is not a type is a value known at compile time.

    `order` is how often the term is going to be differentiated: functions of the library that have derivatives of their own are
    other terms then, and users' rules are there.

    Raises:
        ProgramError: for a mistake in the program, shown at the user's line.

    """
    base: Program = program
    while isinstance(base, DerivedProgram):
        base = base.program
    if isinstance(base, LibraryProgram):
        return _library(base, arguments, Readings(program, arguments))
    source = source_of(base.function)
    readings = Readings(program, arguments)
    readings.read_text(source)
    shared = Shared(readings, program=source.node, order=order)
    shared.sources[source.function.__code__] = source
    given = {name: Var(name, t) for name, t in arguments.items() if isinstance(t, Type)}
    names: dict[str, Value] = {
        name: seen(given[name]) if name in given else _known(readings, getattr(value, "value", value))
        for name, value in arguments.items()
    }
    frame = Reader(source, {}, shared)
    frame.entry = frozenset(given.values())
    names.update(annotated_arguments(frame, given))
    call = source.node
    pullbacks: list[Deriv] = []
    body = with_constant_sizes(
        frame.inside(lambda: _result(frame, program, names, call, pullbacks)), shared.static_sizes
    )
    for r in reversed(frame.requirements):
        body = Require(r.condition, body, r.failure, r.numbers, r.site)
    captures = list(shared.captures.values())
    variables = (*given.values(), *[c.var for c in captures])
    parameters = [Parameter(name, var.type) for name, var in given.items()]
    parameters += [Parameter(c.name, c.var.type, c.fetch) for c in captures]
    term = Lam(variables, body)
    closed = extension(term)
    return Elaborated(
        cast(Lam, closed(term)), tuple(parameters), readings, *[cast(Deriv, closed(d)) for d in pullbacks]
    )


def _known(readings: Readings, value: object) -> Static:
    """An argument known at compile time."""
    return Static(value, readings.known(value))


def _library(program: LibraryProgram, arguments: Mapping[str, Type | object], readings: Readings) -> Elaborated:
    variables = tuple([Var(name, t) for name, t in arguments.items() if isinstance(t, Type)])
    if len(variables) != len(arguments):
        raise ArgumentError(f"{program.name} takes numbers and arrays")
    try:
        body = algebra.expand(program.name, at_one_width(variables, lambda a: Prim(p.to_float32, (a,))))
    except algebra.WrongArguments as error:
        raise ArgumentError(str(error)) from None
    return Elaborated(Lam(variables, body), tuple([Parameter(v.name, v.type) for v in variables]), readings)


def _result(frame: Frame, program: Program, names: dict[str, Value], node: ast.AST, pullbacks: list[Deriv]) -> Term:
    value = _run(frame, program, names, node)
    if isinstance(program, DerivedProgram) and program.verb is Verb.VJP:
        assert isinstance(value, Unrolled)
        _, pullback = value.items
        assert isinstance(pullback, Pullback)
        pullbacks.append(pullback.derivative)
        _require_result(frame, pullback.value.type, frame.shared.returned or node)
        return App(pullback.derivative.function, pullback.arguments)
    place = frame.shared.returned or node
    result = frame.term(value, place)
    _require_result(frame, result.type, place)
    return without_far_integers(frame, as_columns(frame, result, place), place)


def _require_result(frame: Frame, result: Type, place: ast.AST) -> None:
    """What the caller can be given: no functions, and no lists of values of one of several kinds."""
    if holds_functions(result):
        hint = "call it, and return what it gives"
        frame.fail(TypeMismatchError, place, f"{describe(result)} is no result of a compiled function", hint)
    if holds_many_alternatives(result):
        what = "a list of values of one of several kinds is no result of a compiled function"
        frame.fail(TypeMismatchError, place, what, "return a list of numbers, and one that says of which kind each is")


def _run(frame: Frame, program: Program, names: dict[str, Value], node: ast.AST) -> Value:
    if isinstance(program, SourceProgram):
        (source,) = frame.shared.sources.values()
        return run(frame, source.node, source, {}, _with_defaults(frame, program.signature, names), node)
    assert isinstance(program, DerivedProgram)
    return derivative_of_names(frame, derived_of(program), names, node)


def _with_defaults(frame: Frame, signature: inspect.Signature, names: dict[str, Value]) -> dict[str, Value]:
    result = dict(names)
    for name, parameter in signature.parameters.items():
        if name not in result:
            if parameter.default is inspect.Parameter.empty:
                raise ArgumentError(f"missing argument {name}")
            result[name] = default_value(frame, parameter.default)
    return result
