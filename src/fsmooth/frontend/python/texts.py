"""Calls of functions that are written in F̃ text."""

from __future__ import annotations

import ast

from fsmooth.core import primitives as p
from fsmooth.core.build import build
from fsmooth.core.shape import size_of
from fsmooth.core.term import Get, MakeTuple, Prim, Proj, Term, Var
from fsmooth.core.types import F32, F64, Array, Int, Tuple, Type
from fsmooth.core.weak import is_weak
from fsmooth.errors import ArgumentError, ArgumentMismatchError
from fsmooth.frontend.diagnose import render
from fsmooth.frontend.python.conversion import convert
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.weak import at_one_width
from fsmooth.frontend.text.mistakes import TextError
from fsmooth.frontend.text.types import a
from fsmooth.frontend.text_programs import TextDefinition
from fsmooth.library.users_texts import called, parameter_types


def text_call(frame: Frame, definition: TextDefinition, node: ast.Call) -> Term:
    """The function on these arguments, one for each parameter."""
    try:
        wanted = parameter_types(definition.text, definition.name)
        given = [frame.bind(frame.value(argument), "a") for argument in node.args]
        free = [x for x, type_ in zip(given, wanted.values(), strict=True) if type_ is None]
        widths = iter(at_one_width(free, lambda x: convert(frame, x, F32, node)))
        fitted = [
            next(widths) if type_ is None else _argument(frame, definition, name, x, type_, node)
            for x, (name, type_) in zip(given, wanted.items(), strict=True)
        ]
        return called(definition.text, definition.file, definition.name, [frame.bind(x, "a") for x in fitted])
    except TextError as error:
        raise error.in_file(definition.file) if not definition.file.startswith("<") else error from None


def _argument(frame: Frame, definition: TextDefinition, name: str, given: Term, wanted: Type, node: ast.Call) -> Term:
    """An argument as the type that is written at its parameter."""
    found = _fitted(given, wanted)
    if found is not None:
        return found
    message = f"{definition.name}: {name} is {a(wanted)}, but is given {a(given.type)}"
    hint = "give it what the text says, or leave the type out there"
    if _is_called_from_outside(frame):
        raise ArgumentError(f"{message}\n  hint: {hint}")
    raise ArgumentMismatchError(render(frame.site(node), message, hint))


def _is_called_from_outside(frame: Frame) -> bool:
    """Is no program of the user's around the call?"""
    outermost: Frame | None = frame
    while outermost is not None and outermost.source.is_own:
        outermost = outermost.outer
    return outermost is None


def _fitted(given: Term, wanted: Type) -> Term | None:
    """The same numbers as another type, where none is changed: integers as real ones, 32 bits as 64; None elsewhere."""
    match given.type, wanted:
        case have, _ if have == wanted:
            return given
        case Int(), type_ if type_ in (F64, F32):
            return Prim(p.conversion_to(wanted), (given,))
        case have, type_ if type_ == F64 and have == F32:
            return Prim(p.to_float, (given,))
        case have, type_ if type_ == F32 and is_weak(have):
            return Prim(p.to_float32, (given,))
        case Array(have), Array(element):
            if _fitted_type(have, element):
                return build(size_of(given), lambda i: _sure(_fitted(Get(given, i), element)))
            return None
        case Tuple(items), Tuple(others) if len(items) == len(others):
            parts = [_fitted(Proj(given, k), type_) for k, type_ in enumerate(others)]
            known = [part for part in parts if part is not None]
            return MakeTuple(tuple(known), wanted) if len(known) == len(parts) else None
        case _:
            return None


def _fitted_type(have: Type, wanted: Type) -> bool:
    """Do all values of a type fit another?"""
    return _fitted(Var("x", have), wanted) is not None


def _sure(term: Term | None) -> Term:
    assert term is not None
    return term
