"""Programs and derivatives as functions whose parameters are given by name."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import assert_never

from fsmooth.core.term import Term
from fsmooth.core.trees import class_of
from fsmooth.core.types import Tuple
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.programs import DerivedProgram, LibraryProgram, Program, SourceProgram
from fsmooth.frontend.python.alternatives import functions_among, is_of_kinds
from fsmooth.frontend.python.custom import source_call
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import run, run_helper
from fsmooth.frontend.python.library import expanded
from fsmooth.frontend.python.names import readable
from fsmooth.frontend.python.protocols import defined_by
from fsmooth.frontend.python.source import source_of
from fsmooth.frontend.python.stand_ins import lambda_over
from fsmooth.frontend.python.values import Closure, Derived, Method, Static, Value


def function_at(frame: Frame, node: ast.expr) -> Closure | Static | Derived | Term | None:
    """The function that an expression is, or one of several; None if it is none, or one whose parameters nobody knows."""
    value = frame.expression(node)
    if not (isinstance(value, Term) and is_of_kinds(value)):
        return with_parameters(frame, value)
    functions = functions_among(frame, value)
    return value if functions and None not in [with_parameters(frame, one) for one in functions] else None


def with_parameters(frame: Frame, value: Value) -> Closure | Static | Derived | None:
    """A function as one whose parameters are known: a method is a lambda that calls it."""
    match value:
        case Static(function) if callable(function):
            return readable(frame, value)
        case Closure() | Static() | Derived():
            return value
        case Method(Term(type=Tuple(record=record)), name) if (cls := class_of(record)) is not None:
            method = defined_by(frame, cls, name)
            if not isinstance(method, FunctionType):
                return None
            _, *rest = inspect.signature(method, follow_wrapped=False).parameters.values()
            return closure_over(value, inspect.Signature(rest), name)
        case _:
            return None


def closure_over(function: Value, signature: inspect.Signature, name: str) -> Closure:
    """The lambda of these parameters that calls a function."""
    callee = f"_{name}_called"
    source = source_of(lambda_over(signature, callee, {"__name__": __name__}))
    return Closure(source.node, source, {callee: function}, signature)


def applied(frame: Frame, base: Closure | Static | Derived | Term, names: dict[str, Value], node: ast.AST) -> Value:
    """A function value with its parameters by name."""
    match base:
        case Closure(definition, source, around, _):
            return run(frame, definition, source, around, names, node)
        case Derived():
            return derivative_of_names(frame, base, names, node)
        case Term():
            signature = signature_of_value(frame, base, node)
            return called_with_names(frame, base, names, lambda keys: arguments_by(signature, keys), node)
        case Static(value):
            program = getattr(value, "program", None)
            if isinstance(program, SourceProgram | LibraryProgram | DerivedProgram):
                return program_of_names(frame, program, names, node)
            assert isinstance(value, FunctionType)
            return run_helper(frame, value, names, node)


def derivative_of_names(frame: Frame, derived: Derived, names: dict[str, Value], node: ast.AST) -> Value:
    """A derivative called with its parameters by name."""
    signature = signature_of_value(frame, derived, node)
    return called_with_names(frame, derived, names, lambda keys: arguments_by(signature, keys), node)


def called_with_names(
    frame: Frame,
    function: Value,
    values: dict[str, Value],
    arranged: Callable[[dict[str, str]], tuple[list[ast.expr], list[ast.keyword]]],
    node: ast.AST,
) -> Value:
    """The call of a function with values as arguments, which `arranged` makes of the names that stand for them."""
    keys = {name: f"_given_{name}" for name in values}
    made = ast.Call(ast.Name("_called", ast.Load()), *arranged(keys))
    for part in ast.walk(made):
        ast.copy_location(part, node)
    with frame.naming({"_called": function, **{keys[name]: value for name, value in values.items()}}):
        return frame.expression(made)


def arguments_by(signature: inspect.Signature, names: dict[str, str]) -> tuple[list[ast.expr], list[ast.keyword]]:
    """The arguments of a call, where each parameter is given by the name that `names` has for it."""
    parameters = signature.parameters
    has_rest = any([q.kind is q.VAR_POSITIONAL for q in parameters.values()])
    arguments: list[ast.expr] = []
    keywords: list[ast.keyword] = []
    for parameter, name in names.items():
        kind = parameters[parameter].kind if parameter in parameters else inspect.Parameter.KEYWORD_ONLY
        value = ast.Name(name, ast.Load())
        if kind is inspect.Parameter.VAR_POSITIONAL:
            arguments.append(ast.Starred(value, ast.Load()))
        elif kind is inspect.Parameter.VAR_KEYWORD:
            keywords.append(ast.keyword(None, value))
        elif kind is inspect.Parameter.POSITIONAL_ONLY or (has_rest and kind is not inspect.Parameter.KEYWORD_ONLY):
            arguments.append(value)
        else:
            keywords.append(ast.keyword(parameter, value))
    return arguments, keywords


def program_of_names(frame: Frame, program: Program, names: dict[str, Value], node: ast.AST) -> Value:
    """A program with its parameters by name."""
    if isinstance(program, SourceProgram):
        return source_call(frame, program, names, node)
    if isinstance(program, LibraryProgram):
        return expanded(frame, program.name, [frame.term(v, node) for v in names.values()], node)
    return derivative_of_names(frame, derived_of(program), names, node)


def derived_of(program: DerivedProgram) -> Derived:
    """A derivative made outside, as one made inside."""
    inner = program.program
    base = derived_of(inner) if isinstance(inner, DerivedProgram) else Static(program)
    wrt = program.wrt[0] if program.single else program.wrt
    return Derived(base, program.verb.value, wrt, program.method, program.checkpoint)


def signature_of_value(frame: Frame, base: Closure | Static | Derived | Term, node: ast.AST) -> inspect.Signature:
    """The parameters of a function value; of one of several functions, those of the first."""
    match base:
        case Term():
            first = with_parameters(frame, functions_among(frame, base)[0])
            assert first is not None  # function_at
            return signature_of_value(frame, first, node)
        case Closure():
            return base.signature
        case Derived(inner):
            return signature_of_value(frame, inner, node)
        case Static(value):
            program = getattr(value, "program", None)
            if isinstance(program, SourceProgram | LibraryProgram | DerivedProgram):
                return program.signature
            if isinstance(value, FunctionType):
                return inspect.signature(value, follow_wrapped=False)
            name = getattr(value, "__name__", type(value).__name__)
            what = f"{name} is not a Python function, so it has no parameters to differentiate with respect to"
            call = f"{name}(x)" if hasattr(value, "__name__") else "….__call__(x)"
            frame.fail(TypeMismatchError, node, what, f"wrap it: lambda x: {call}")
        case _:
            assert_never(base)
