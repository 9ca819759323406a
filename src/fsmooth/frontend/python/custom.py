"""Calls of functions with a derivative of the user's own (`fs.custom_derivative`).

Where nothing is differentiated the function is inlined like any other.  Under k derivatives it becomes `custom f jvp vjp`
applied: f itself under none of them, since its body is never differentiated, and the rules under the other k - 1.  So a
rule may call the function whose rule it is.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Hashable
from typing import cast

from fsmooth.core.alpha import alpha_key
from fsmooth.core.build import build, project, zero_like
from fsmooth.core.shape import size_of
from fsmooth.core.subst import refresh
from fsmooth.core.term import App, Const, Custom, Get, Lam, MakeTuple, Term, Var, scalar_constant
from fsmooth.core.types import BOOL, INT, Array, Float, Int, Tuple, Type, has_float, leaf_of, rank_of, tangent
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.programs import CustomProgram, SourceProgram
from fsmooth.frontend.python.conversion import convert, places_of
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.function_terms import differentiated_times, function_term
from fsmooth.frontend.python.functions import default_value, run
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.sizes import alike
from fsmooth.frontend.python.source import source_of
from fsmooth.frontend.python.values import Keyed, Static, Unrolled, Value

Given = dict[str, Value]


def source_call(frame: Frame, program: SourceProgram, values: Given, node: ast.AST) -> Value:
    """A compiled Python function whose parameters have these values."""
    if isinstance(program, CustomProgram) and frame.shared.order > 0:
        return _by_rule(frame, program, values, node)
    return _inlined(frame, program.function, values, node)


def _inlined(frame: Frame, function: Callable[..., object], values: Given, node: ast.AST) -> Value:
    source = source_of(function)
    frame.shared.readings.read_text(source)
    return run(frame, source.node, source, {}, values, node)


def _by_rule(frame: Frame, program: CustomProgram, values: Given, node: ast.AST) -> Value:
    """`custom f jvp vjp` applied to the run-time values; what is known at compile time is built into all three."""
    for parameter in program.signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            what = f"a function with a derivative of its own and the parameter *{parameter.name}"
            frame.unsupported(node, what, "name its parameters")
    in_order = [(n, values[n]) for n in program.signature.parameters]
    given: Given = {n: frame.as_term(v, node) if isinstance(v, Unrolled | Keyed) else v for n, v in in_order}
    terms = {n: frame.bind(v, n) for n, v in given.items() if isinstance(v, Term) and not isinstance(v, Const)}
    parameters = {n: Var(n, t.type) for n, t in terms.items()}
    if not any([has_float(x.type) for x in parameters.values()]):
        return _inlined(frame, program.function, values, node)
    key = _key(frame, program, given, parameters, node)
    made = frame.shared.ruled.get(key)
    if made is None:
        made = _ruled(frame, program, given, parameters, node)
        if key is not None and not made.free:
            frame.shared.ruled[key] = made
    elif isinstance(made, Custom):  # its rules are renamed where they are used
        made = Custom(refresh(made.function), made.jvp, made.vjp, made.rule)
    else:
        made = refresh(made)
    return frame.bind(App(made, tuple(terms.values())), program.name)


def _ruled(frame: Frame, program: CustomProgram, given: Given, parameters: dict[str, Var], node: ast.AST) -> Term:
    """`custom f jvp vjp` of these parameters; f alone if its value has no derivative."""
    order = frame.shared.order
    with differentiated_times(frame, 0):
        function = _function(frame, program, {**given, **parameters}, parameters, node)
    if not has_float(function.body.type):
        return function
    with differentiated_times(frame, order - 1):
        jvp = _jvp(frame, program, given, parameters, function, node) if program.jvp is not None else None
        vjp = _vjp(frame, program, given, parameters, function, node) if program.vjp is not None else None
    return Custom(function, jvp, vjp, program.rule)


def _key(
    frame: Frame, program: CustomProgram, given: Given, parameters: dict[str, Var], node: ast.AST
) -> Hashable | None:
    """What the function and its rules are made from; None where that cannot be compared.

    The call's place is a part of it, since what fails is shown there: a place in fsmooth's own Python is the user's call.
    """
    parts: list[Hashable] = [program.function, program.jvp, program.vjp, frame.shared.order, frame.site(node)]
    for name, value in given.items():
        match value:
            case _ if name in parameters:
                parts.append(parameters[name].type)
            case Const():
                parts.append(alpha_key(value))
            case Static(None | bool() | int() | float() | str() as known, None):
                parts.append((type(known), repr(known)))
            case _:
                return None
    return tuple(parts)


def _function(frame: Frame, program: CustomProgram, values: Given, parameters: dict[str, Var], node: ast.AST) -> Lam:
    def body() -> Term:
        return frame.term(_inlined(frame, program.function, values, node), node)

    own = tuple(parameters.values())
    return function_term(frame, own, own, body)


def _jvp(frame: Frame, program: CustomProgram, given: Given, like: dict[str, Var], function: Lam, node: ast.AST) -> Lam:
    """The arguments, then a tangent for each: zero for what has none."""
    assert program.jvp is not None
    rule = program.jvp
    primals = {n: x.renamed() for n, x in like.items()}
    moving = {n: Var(f"{n}_t", tangent(x.type)) for n, x in like.items() if has_float(x.type)}
    directions = [moving[n] if n in moving else _still(primals.get(n, v)) for n, v in given.items()]
    values = [*({**given, **primals}).values(), *directions]
    own = (*primals.values(), *moving.values())

    def body() -> Term:
        result, inner, place = _run_rule(frame, rule, values, node)
        model = App(function, tuple(primals.values()))
        what = f"the jvp of {program.name}"
        return _fitted(inner, inner.term(result, place), model, what, "the tangent of its value", place)

    return function_term(frame, own, own, body)


def _vjp(frame: Frame, program: CustomProgram, given: Given, like: dict[str, Var], function: Lam, node: ast.AST) -> Lam:
    """The arguments, then the cotangent of the value; the cotangents of those that have real numbers are kept."""
    assert program.vjp is not None
    rule = program.vjp
    primals = {n: x.renamed() for n, x in like.items()}
    cotangent = Var("cotangent", tangent(function.body.type))
    own = (*primals.values(), cotangent)

    def body() -> Term:
        result, inner, place = _run_rule(frame, rule, [*({**given, **primals}).values(), cotangent], node)
        each = _one_for_each(inner, program, result, list(given), place)
        what = f"the vjp of {program.name}"
        parts = [
            _fitted(inner, inner.term(each[n], place), x, what, f"the cotangent of {n}", place)
            for n, x in primals.items()
            if has_float(x.type)
        ]
        return MakeTuple(tuple(parts))

    return function_term(frame, own, own, body)


def _run_rule(
    frame: Frame, rule: Callable[..., object], values: list[Value], node: ast.AST
) -> tuple[Value, Frame, ast.AST]:
    """What a rule gives, and where it says so."""
    parameters = inspect.signature(rule, follow_wrapped=False).parameters
    names = dict(zip(parameters, values, strict=False))
    rest = {n: default_value(frame, q.default) for n, q in parameters.items() if n not in names}
    frame.shared.rules += 1
    try:
        result = _inlined(frame, rule, {**names, **rest}, node)
    finally:
        frame.shared.rules -= 1
    source = source_of(rule)
    returned = frame.shared.returned
    place = returned if returned is not None and returned in ast.walk(source.node) else source.node
    return result, frame.child(source, {}, node), place


def _one_for_each(
    frame: Frame, program: CustomProgram, result: Value, names: list[str], node: ast.AST
) -> dict[str, Value]:
    """The cotangents by name: a tuple of as many as there are parameters; of one parameter, the cotangent itself."""
    match result:
        case Unrolled(items) if len(items) == len(names):
            return dict(zip(names, items, strict=True))
        case Term() if (
            isinstance(result.type, Tuple) and len(result.type.items) == len(names) and _is_plain(result.type)
        ):
            whole = frame.bind(result, "cotangents")
            return {n: project(whole, k) for k, n in enumerate(names)}
    if len(names) == 1:
        return {names[0]: result}
    found = describe(result.type) if isinstance(result, Term) else "something else"
    what = f"the vjp of {program.name} gives {found}, not a cotangent for each of {', '.join(names)}"
    frame.fail(TypeMismatchError, node, what, f"return a tuple of {len(names)}, in the order of the parameters")


def _is_plain(type_: Tuple) -> bool:
    return type_.record is None and type_.names is None


def _fitted(frame: Frame, value: Term, model: Term, what: str, wanted: str, node: ast.AST) -> Term:
    """`value` as a tangent of `model`, in its type and its sizes; for integers in it, nothing is wanted."""
    if not _fits(value.type, model.type):
        message = f"{what} gives {describe(value.type)}, where {wanted} is {describe(model.type)}"
        frame.fail(TypeMismatchError, node, message, "return it in the structure of the value itself")
    made = _as_tangent(frame, value if isinstance(value, MakeTuple) else frame.bind(value, "given"), model, node)
    return alike(frame, made, model, node, f"{wanted} has its shape")


def _fits(type_: Type, wanted: Type) -> bool:
    match wanted:
        case Float():
            return isinstance(type_, Float | Int)
        case Array(element):
            return not has_float(wanted) or (isinstance(type_, Array) and _fits(type_.element, element))
        case Tuple(items):
            if not has_float(wanted):
                return True
            places = places_of(type_, wanted) if isinstance(type_, Tuple) else None
            if places is None:
                return False
            return all([_fits(type_.items[k], w) for k, w in zip(places, items, strict=True)])  # type: ignore[union-attr]
        case _:
            return True


def _as_tangent(frame: Frame, value: Term, model: Term, node: ast.AST) -> Term:
    type_ = model.type
    if not has_float(type_):
        return zero_like(model)
    if isinstance(type_, Tuple):
        places = places_of(cast(Tuple, value.type), type_) or []
        parts = [_as_tangent(frame, project(value, k), project(model, own), node) for own, k in enumerate(places)]
        return MakeTuple(tuple(parts), tangent(type_))
    if isinstance(leaf_of(type_), Tuple):
        return build(size_of(value), lambda i: _as_tangent(frame, Get(value, i), Get(model, i), node))
    return convert(frame, value, tangent(type_), node)


def _still(value: Value) -> Value:
    """The tangent of what has none: zeros of its own kind, so that rules need not ask what they are given."""
    match value:
        case Term() if isinstance(value.type, Array) and leaf_of(value.type) in (INT, BOOL):
            return _still_array(value, rank_of(value.type))
        case Term() if not isinstance(value.type, Tuple | Array):
            return scalar_constant(0, value.type)
        case Term():
            return MakeTuple(())
        case Static(inner):
            return Static(_zeros(inner))
        case _:
            return Static(None)


def _still_array(like: Term, rank: int) -> Term:
    if rank == 0:
        return scalar_constant(0, like.type)
    return build(size_of(like), lambda i: _still_array(Get(like, i), rank - 1))


def _zeros(value: object) -> object:
    if isinstance(value, list | tuple):
        return type(value)([_zeros(x) for x in value]) if type(value) in (list, tuple) else None
    return 0.0 if isinstance(value, int | float) else None
