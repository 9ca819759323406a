"""Everything with parentheses behind it: who is called."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
from collections.abc import Hashable
from types import FunctionType, MethodType

import numpy as np
from msgspec.structs import replace

from fsmooth.core.alternatives import kinds_of
from fsmooth.core.nodes.built import Built
from fsmooth.core.term import Term
from fsmooth.core.types import Tuple
from fsmooth.errors import ArgumentMismatchError, TypeMismatchError
from fsmooth.frontend.batches import OfBatches
from fsmooth.frontend.lookup import ClassAttribute
from fsmooth.frontend.programs import (
    INSTEAD_OF_DISPATCH,
    DerivedProgram,
    LibraryProgram,
    Program,
    SourceProgram,
    is_dispatched,
)
from fsmooth.frontend.python.alternatives import (
    as_kind,
    for_kinds,
    has_attribute,
    is_function,
    is_of_kinds,
    possible_kinds,
)
from fsmooth.frontend.python.batches import made_outside, over_batches, vmap_call
from fsmooth.frontend.python.broadcasting import elementwise
from fsmooth.frontend.python.built_in import BUILT_IN
from fsmooth.frontend.python.complex_numbers import refuse_complex_function
from fsmooth.frontend.python.containers import keyed_call, keyed_method
from fsmooth.frontend.python.custom import source_call
from fsmooth.frontend.python.derivatives import derivative, pulled_back
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import (
    as_function,
    evaluated_arguments,
    helper_call,
    inlined_closure,
    keywords,
    matched,
    positional,
)
from fsmooth.frontend.python.instead import INSTEAD
from fsmooth.frontend.python.keyed import got
from fsmooth.frontend.python.kinds import describe, fields_of_record
from fsmooth.frontend.python.library_calls import library_call, method_call, numpy_call, own_call
from fsmooth.frontend.python.mapped import mapped_call
from fsmooth.frontend.python.math_calls import math_call
from fsmooth.frontend.python.names import attribute_of, bound_to, item_of, part_of, readable
from fsmooth.frontend.python.new_objects import construct, is_object, replaced
from fsmooth.frontend.python.operator_calls import MEANING, operator_call
from fsmooth.frontend.python.ordering import sorted_call
from fsmooth.frontend.python.own_words import OWN_WORDS
from fsmooth.frontend.python.parts import can_be_called
from fsmooth.frontend.python.programs import derived_of, function_at, signature_of_value, with_parameters
from fsmooth.frontend.python.records import record_method
from fsmooth.frontend.python.scalars import SCALAR, scalar_function
from fsmooth.frontend.python.source import source_of
from fsmooth.frontend.python.spreading import forget_spread, is_spread, spread_call
from fsmooth.frontend.python.stand_ins import call_text, lambda_of
from fsmooth.frontend.python.values import (
    Batched,
    Closure,
    Derived,
    Keyed,
    Method,
    Pullback,
    Static,
    Unrolled,
    Value,
    Vectorized,
)
from fsmooth.frontend.text_programs import TextDefinition
from fsmooth.library.numpy.of_numbers import OfNumbers


def call(frame: Frame, node: ast.Call) -> Value:
    """The value of a call."""
    callee = frame.expression(node.func)
    if is_spread(node):
        try:
            return called(frame, callee, spread_call(frame, parameters_of(frame, callee, node), node))
        finally:
            forget_spread(frame)
    return called(frame, callee, node)


def parameters_of(frame: Frame, callee: Value, node: ast.Call) -> inspect.Signature | None:
    """The parameters of a function of the user's, or of a class of records; None of others."""
    if isinstance(callee, Static) and isinstance(callee.value, type) and fields_of_record(callee.value):
        return inspect.signature(callee.value)
    is_users = isinstance(callee, Closure | Derived) or (
        isinstance(callee, Static) and (isinstance(callee.value, FunctionType) or hasattr(callee.value, "program"))
    )
    if not is_users:
        return None
    assert isinstance(callee, Closure | Derived | Static)
    return signature_of_value(frame, callee, node)


def called(frame: Frame, callee: Value, node: ast.Call) -> Value:
    """The value of a call whose arguments are written out."""
    match callee:
        case Term() if is_of_kinds(callee):
            return called_by_kind(frame, callee, node)
        case Method(Term() as owner, name) if is_of_kinds(owner):
            return method_by_kind(frame, owner, name, node)
        case Derived(Term() as base):
            return derived_by_kind(frame, callee, base, node)
        case Closure():
            return inlined_closure(frame, callee, node)
        case Derived():
            return derivative(frame, callee, node)
        case Batched():
            return over_batches(frame, callee, node)
        case Pullback():
            return pulled_back(frame, callee, node)
        case Method(Keyed() as owner, name):
            return keyed_method(frame, owner, name, node)
        case Method(Term(type=Tuple() | Built()) as owner, name):
            return record_method(frame, owner, name, node)
        case Method(Term() as owner, name):
            return method_call(frame, owner, name, node)
        case Term(type=Tuple(record=record)) if can_be_called(record):
            return record_method(frame, callee, "__call__", node)
        case Vectorized(function):
            return elementwise(frame, as_function(frame, function, node), positional(frame, node), node)
        case Static():
            return call_static(frame, callee, node)
        case _:
            frame.fail(
                TypeMismatchError,
                node,
                f"{frame.source.segment(node.func)} is not a function",
                "call a function, a lambda or a method",
            )


def called_by_kind(frame: Frame, callee: Term, node: ast.Call) -> Value:
    """A call of one function or another: the arguments are evaluated once."""
    functions = [k for k in possible_kinds(frame, callee) if is_function(as_kind(callee, k))]
    if not functions:
        frame.fail(
            TypeMismatchError,
            node,
            f"{frame.source.segment(node.func)} is {describe(callee.type)}, not a function",
            "call a function, a lambda or a method",
        )
    with evaluated_arguments(frame, node) as made:
        return for_kinds(
            frame, callee, functions, lambda one: called(frame, one, made), node, "TypeError", ", and not a function"
        )


def derived_by_kind(frame: Frame, callee: Derived, base: Term, node: ast.Call) -> Value:
    """A call of the derivative of one function or another."""
    functions = [k for k in possible_kinds(frame, base) if is_function(as_kind(base, k))]
    with evaluated_arguments(frame, node) as made:

        def use(one: Value) -> Value:
            function = with_parameters(frame, one)
            assert function is not None  # function_at
            return called(frame, replace(callee, base=function), made)

        return for_kinds(frame, base, functions, use, node, "TypeError", ", and not a function")


def method_by_kind(frame: Frame, owner: Term, name: str, node: ast.Call) -> Value:
    """A call of a method of a value that is of one of several kinds."""
    with evaluated_arguments(frame, node) as made:

        def use(one: Value) -> Value:
            place = ast.copy_location(ast.Name("_one", ast.Load()), node)
            made.func = ast.copy_location(ast.Attribute(place, name, ast.Load()), node.func)
            with frame.naming({"_one": one}):
                return call(frame, made)

        having = [k for k in possible_kinds(frame, owner) if has_attribute(kinds_of(owner.type)[k], name)]
        return for_kinds(frame, owner, having, use, node, "AttributeError", f", which has no {name}")


OWN_REDUCTIONS = ("fsmooth.functions", "fsmooth.combinators")
REDUCTIONS: dict[str, object] = {"sum": sum, "max": max, "min": min, "any": any, "all": all}
"""Functions of fsmooth that take generators as their namesakes in Python do."""


def call_static(frame: Frame, callee: Static, node: ast.Call) -> Value:
    """A call of a Python object known at compile time."""
    function = callee.value
    program = getattr(function, "program", None)
    if isinstance(program, SourceProgram | LibraryProgram | DerivedProgram):
        return call_program(frame, program, node)
    if isinstance(function, TextDefinition):
        from fsmooth.frontend.python.texts import text_call  # noqa: PLC0415  (M̃ comes with it)

        return text_call(frame, function, node)
    refuse_complex_function(frame, function, node)
    if isinstance(function, OfBatches):
        return over_batches(frame, made_outside(frame, callee), node)
    if isinstance(function, OfNumbers):
        return mapped_call(frame, function, node)
    module = getattr(function, "__module__", None) or ""
    name = getattr(function, "__name__", "")
    if isinstance(function, np.ufunc):
        return numpy_call(frame, name, function, node)
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):  # np.add.reduce, np.maximum.accumulate
        return numpy_call(frame, f"{owner.__name__}.{name}", function, node)
    if module in OWN_REDUCTIONS and name in REDUCTIONS and node.args and isinstance(node.args[0], ast.GeneratorExp):
        return BUILT_IN[REDUCTIONS[name]](frame, node)
    if module == "fsmooth.custom":
        hint = "give the function its derivative outside, and call it here"
        frame.unsupported(node, f"fs.{name}", hint)
    if (module, name) == ("fsmooth.batches", "vmap"):
        return vmap_call(frame, node)
    if module in ("fsmooth.api", "fsmooth.paper_verbs", "fsmooth.functions"):
        return own_call(frame, name, node)
    if isinstance(function, Hashable) and function in BUILT_IN:
        return BUILT_IN[function](frame, node)
    if isinstance(function, Hashable) and function in OWN_WORDS:
        return OWN_WORDS[function](frame, node)
    if isinstance(getattr(function, "__self__", None), dict) and name in ("keys", "values", "items", "get"):
        return of_dictionary(frame, callee, name, node)
    if isinstance(function, Hashable) and function in MEANING:
        return operator_call(frame, function, node)
    if function is sorted:
        return sorted_call(frame, node)
    if function is np.vectorize:
        keywords(frame, node, ("otypes",))
        return Vectorized(frame.expression(node.args[0]))
    if function is dict:
        return keyed_call(frame, node)
    if function is functools.partial:
        return partial_of(frame, node)
    if isinstance(function, type):
        return construct(frame, function, node)
    if isinstance(function, Hashable) and function in SCALAR:
        return scalar_function(frame, SCALAR[function], node)
    if module == "math":
        return math_call(frame, function, name, node)
    if module.split(".")[0] in ("numpy", "scipy"):
        return numpy_call(frame, name, function, node)
    if function is dataclasses.replace and len(node.args) == 1:
        record = frame.value(node.args[0])
        if is_object(record):
            return replaced(frame, record, node)
    if isinstance(function, functools.partial):
        function = readable(frame, callee).value
    if is_dispatched(function):
        frame.unsupported(node, f"{name}, a functools.singledispatch,", INSTEAD_OF_DISPATCH)
    if isinstance(function, FunctionType):
        return helper_call(frame, function, node)
    if isinstance(function, MethodType) and isinstance(function.__func__, FunctionType):
        return helper_call(frame, function.__func__, node, bound_to(callee))
    if hasattr(function, "__wrapped__"):
        return helper_call(frame, inspect.unwrap(function), node)  # type: ignore[arg-type]
    if isinstance(ClassAttribute("__call__").of(type(function)), FunctionType):  # an object of the user's
        return called(frame, attribute_of(frame, callee, "__call__", node), node)
    hint = INSTEAD.get(name, "write it in Python with numbers and arrays, or compute it outside")
    frame.unsupported(node, name or repr(function), hint)


def of_dictionary(frame: Frame, callee: Static, name: str, node: ast.Call) -> Value:
    """d.keys(), d.values(), d.items(), d.get(key, default) of a dictionary known at compile time."""
    keywords(frame, node, ())
    owner = bound_to(callee)
    found = owner.value
    assert isinstance(found, dict)
    if name == "get" and 1 <= len(node.args) <= 2:
        return got(frame, found, lambda key: item_of(frame, owner, key, node), node)
    values = [item_of(frame, owner, key, node) for key in found]
    keys = [part_of(frame, key) for key in found]
    if name == "items":
        return Unrolled(tuple([Unrolled(pair) for pair in zip(keys, values, strict=True)]))
    return Unrolled(tuple(keys if name == "keys" else values))


def partial_of(frame: Frame, node: ast.Call) -> Value:
    """functools.partial(f, a, k=b) in a program: a lambda that takes the rest."""
    if not node.args or any([k.arg is None for k in node.keywords]):
        frame.fail(ArgumentMismatchError, node, "partial takes a function first", "write functools.partial(f, a, k=b)")
    base = function_at(frame, node.args[0])
    if base is None:
        frame.fail(TypeMismatchError, node, "partial takes a function first", "give it a function or a lambda")
    names: dict[str, Value] = {"_function": base}
    given = [(None, a) for a in node.args[1:]] + [(k.arg, k.value) for k in node.keywords]
    for k, (_, part) in enumerate(given):
        names[f"_given_{k}"] = frame.expression(part)
    passed = {name: f"_given_{k}" for k, (name, _) in enumerate(given) if name is not None}
    signature = signature_of_value(frame, base, node)
    left = list(signature.parameters.values())[len(node.args) - 1 :]
    rest = signature.replace(parameters=[q for q in left if q.name not in passed])
    text = call_text("_function", [f"_given_{k}" for k in range(len(node.args) - 1)], rest, passed)
    source = source_of(lambda_of(text, {}, "partial"))
    return Closure(source.node, source, names, rest)


def call_program(frame: Frame, program: Program, node: ast.Call) -> Value:
    """A call of an fs.function, inlined."""
    if isinstance(program, SourceProgram):
        return source_call(frame, program, matched(frame, program.signature, node), node)
    if isinstance(program, LibraryProgram):
        return library_call(frame, program.name, node)
    return derivative(frame, derived_of(program), node)
