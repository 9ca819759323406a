"""Functions of the program as run-time values: what they captured, under a type that says which function it is.

A function that is defined in the program reads the names around it when it is called.  Where the function around it goes on,
nothing need be kept; where it has returned, the values that its names had are the parts of the run-time value.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Hashable, Sequence
from functools import partial

from msgspec.structs import replace

from fsmooth.core.alternatives import Code
from fsmooth.core.term import Deriv, MakeTuple, Term
from fsmooth.core.types import Tuple
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.parts import is_part
from fsmooth.frontend.python.syntax import assigned_names
from fsmooth.frontend.python.values import (
    Batched,
    Closure,
    Compiled,
    Default,
    Derived,
    FunctionOf,
    Keyed,
    MadeOf,
    Method,
    Missing,
    Pullback,
    Static,
    Value,
    Vectorized,
)

Node = ast.FunctionDef | ast.Lambda


def function_term(frame: Frame, function: Compiled, node: ast.AST) -> Term:
    """A function as a run-time value: what it captured, or what it is made of."""
    match function:
        case Closure():
            return _closure_term(frame, function, node)
        case Derived(base, verb, wrt, how, checkpoint):
            return _made_of(frame, (verb, wrt, how, checkpoint), lambda b: replace(function, base=b), [base], node)
        case Batched(base, in_axes, out_axes, signature):
            key = ("vmap", in_axes, out_axes, signature)
            return _made_of(frame, key, lambda b: replace(function, function=b), [base], node)
        case Vectorized(base):
            return _made_of(frame, ("vectorize",), Vectorized, [base], node)
        case Method(owner, name):
            return _made_of(frame, ("method", name), lambda o: _method(o, name), [owner], node)
        case Pullback(derivative, arguments, value):
            made = partial(_pullback, derivative)
            return _made_of(frame, ("pullback", id(derivative)), made, [value, *arguments], node)
        case _:
            raise TypeError(f"{function!r} is no function of the program")


def _made_of(frame: Frame, key: Hashable, make: Callable[..., Value], parts: Sequence[Value], node: ast.AST) -> Term:
    """A function that is made of others, or of run-time values."""
    terms = tuple([frame.as_part(part, node) for part in parts])
    return MakeTuple(terms, Tuple(tuple([q.type for q in terms]), None, Code(MadeOf(key, make))))


def _pullback(derivative: Deriv, value: Term, *arguments: Term) -> Pullback:
    return Pullback(derivative, arguments, value)


def _method(owner: Value, name: str) -> Method:
    assert isinstance(owner, Term | Keyed)
    return Method(owner, name)


def _closure_term(frame: Frame, function: Closure, node: ast.AST) -> Term:
    live = _is_live(frame, function.names)
    names: list[str] = []
    parts: list[Term] = []
    known: dict[str, Value] = {}
    inner: list[tuple[str, Closure]] = []
    if not live:
        for name, value in _captured(function).items():
            if isinstance(value, Closure) and value.names is function.names:
                inner.append((name, value))
                continue
            made = _part(frame, name, value, node)
            if made is None:
                known[name] = value
            else:
                names.append(name)
                parts.append(made)
    defaults: list[str] = []
    for name, parameter in function.signature.parameters.items():
        given = parameter.default
        if isinstance(given, Default) and (made := _part(frame, name, given.value, node)) is not None:
            defaults.append(name)
            parts.append(made)
    key = (
        id(function.node),
        id(function.names) if live else 0,
        *[(name, _key(value)) for name, value in known.items()],
        *[(n, _key(q.default.value)) for n, q in _others(function, defaults)],
        tuple(names),
    )
    code = Code(
        FunctionOf(
            key=key,
            node=function.node,
            source=function.source,
            signature=function.signature,
            live=function.names if live else None,
            known=known,
            inner=tuple(inner),
            names=tuple(names),
            defaults=tuple(defaults),
        )
    )
    labels = (*names, *[f"{name}_default" for name in defaults]) or None
    return MakeTuple(tuple(parts), Tuple(tuple([q.type for q in parts]), labels, code))


def returned(frame: Frame, value: Value, node: ast.AST) -> Term:
    """What a function returns, as a run-time value: what it captured of this frame does not change any more."""
    frame.returns = True
    try:
        return frame.as_part(value, node)
    finally:
        frame.returns = False


def _is_live(frame: Frame | None, names: dict[str, Value]) -> bool:
    """Do names belong to a function that goes on?"""
    while frame is not None:
        if frame.names is names and not frame.returns:
            return True
        frame = frame.outer
    return False


def _captured(function: Closure) -> dict[str, Value]:
    """The values around a function that it may read, and those that the functions beside it read that it calls."""
    found: dict[str, Value] = {}
    pending = [function]
    while pending:
        one = pending.pop()
        for name in _names_read(one.node):
            value = function.names.get(name)
            if name in found or name in one.signature.parameters or value is None or isinstance(value, Missing):
                continue
            found[name] = value
            if isinstance(value, Closure) and value.names is function.names:
                pending.append(value)
    return dict(sorted(found.items()))


def _names_read(node: Node) -> list[str]:
    """The names that a function reads and does not assign itself."""
    own = assigned_names(node.body) if isinstance(node, ast.FunctionDef) else []
    names = [part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)]
    return [name for name in names if name not in own]


def _part(frame: Frame, name: str, value: Value, node: ast.AST) -> Term | None:
    """A captured value as a run-time value; None if it is known while compiling."""
    if is_part(value):
        return frame.as_part(value, node)
    if not isinstance(value, Static):
        what = f"a function that is returned, and reads {name} of the function around it,"
        frame.unsupported(node, what, f"give it {name} as an argument, or as an array")
    return None


def _key(value: Value) -> Hashable:
    return id(value.value) if isinstance(value, Static) else id(value)


def _others(function: Closure, defaults: list[str]) -> list[tuple[str, inspect.Parameter]]:
    """The parameters whose defaults are no run-time values."""
    found = function.signature.parameters.items()
    return [(n, q) for n, q in found if isinstance(q.default, Default) and n not in defaults]
