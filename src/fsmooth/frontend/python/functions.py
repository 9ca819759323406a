"""Functions of the program and plain Python helpers: arguments matched to parameters, bodies inlined."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from types import FunctionType

from fsmooth.core.term import Const, Term
from fsmooth.errors import ArgumentError, ProgramError, TypeMismatchError, UnsupportedError
from fsmooth.frontend.python.displays import known
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.source import Source, source_of
from fsmooth.frontend.python.values import Closure, Static, Value


def positional(frame: Frame, node: ast.Call, count: int | None = None) -> list[Term]:
    """Positional arguments, evaluated."""
    if node.keywords:
        keyword = node.keywords[0].arg
        frame.unsupported(node, f"the keyword {keyword} here", "give the arguments by position")
    if count is not None and len(node.args) != count:
        name = frame.source.segment(node.func)
        frame.fail(ArgumentMismatch, node, f"{name} takes {count} arguments, not {len(node.args)}")
    return [frame.value(a) for a in node.args]


def as_function(frame: Frame, value: Closure | Static, node: ast.AST) -> Callable[..., Term]:
    """A lambda or helper as a function on terms."""

    def apply(*terms: Term) -> Term:
        return frame.inside(lambda: frame.term(apply_value(frame, value, list(terms), node), node))

    return apply


def apply_value(frame: Frame, value: Value, terms: list[Term], node: ast.AST) -> Value:
    """A function value on terms."""
    names = [f"_argument{k}" for k in range(len(terms))]
    saved = {n: frame.names.get(n) for n in names}
    frame.names.update(zip(names, terms, strict=True))
    frame.names["_function"] = value
    made = ast.Call(ast.Name("_function", ast.Load()), [ast.Name(n, ast.Load()) for n in names], [])
    for part in ast.walk(made):
        ast.copy_location(part, node)
    try:
        return frame.expression(made)
    finally:
        for n, old in saved.items():
            if old is None:
                del frame.names[n]
            else:
                frame.names[n] = old
        del frame.names["_function"]


def helper_call(frame: Frame, function: FunctionType, node: ast.Call) -> Value:
    """A plain Python function, inlined."""
    source = source_of(function)
    if function not in frame.shared.helpers:
        frame.shared.helpers.append(function)
    return inline(frame, source.node, source, {}, node)


def matched(frame: Frame, signature: inspect.Signature, node: ast.Call) -> dict[str, Value]:
    """The arguments of a call by parameter name, defaults filled in."""
    positional = [frame.expression(a) for a in node.args]
    named: dict[str, Value] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            frame.unsupported(node, "** in a call", "write the keywords out")
        named[keyword.arg] = frame.expression(keyword.value)
    for parameter in signature.parameters.values():
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            frame.unsupported(node, f"a function with the parameter *{parameter.name}", "name its parameters")
    try:
        bound = signature.bind(*positional, **named)
    except TypeError as error:
        frame.fail(ArgumentMismatch, node, f"{frame.source.segment(node.func)}: {error}")
    result = dict(bound.arguments)
    for name, parameter in signature.parameters.items():
        if name not in result and parameter.default is not inspect.Parameter.empty:
            default = parameter.default
            result[name] = frame.expression(default) if isinstance(default, ast.expr) else known(frame, default)
    return result


def inline(
    frame: Frame, definition: ast.FunctionDef | ast.Lambda, source: Source, names: dict[str, Value], node: ast.Call
) -> Value:
    """The body of a function, with its parameters named in a frame of its own."""
    signature = signature_of(definition, source)
    values = matched(frame, signature, node)
    return run(frame, definition, source, names, values, node)


def run(
    frame: Frame,
    definition: ast.FunctionDef | ast.Lambda,
    source: Source,
    names: dict[str, Value],
    values: dict[str, Value],
    node: ast.AST,
) -> Value:
    """Elaborate a function body where its parameters have `values`."""
    if definition in frame.shared.stack:
        name = definition.name if isinstance(definition, ast.FunctionDef) else "a lambda"
        frame.unsupported(node, f"recursion ({name} calls itself)", "write a loop")
    bound: dict[str, Value] = dict(names)
    for name, value in values.items():
        bound[name] = frame.bind(value, name) if isinstance(value, Term) else value
    inner = frame.child(source, bound)
    frame.shared.stack.append(definition)
    try:
        if isinstance(definition, ast.Lambda):
            result = inner.expression(definition.body)
            frame.shared.returned = definition.body
            return result
        return function_body(inner, definition)
    finally:
        frame.shared.stack.pop()


def constant_object(frame: Frame, node: ast.expr) -> object:
    """A Python object known at compile time."""
    if isinstance(node, ast.Tuple | ast.List):
        return tuple([constant_object(frame, e) for e in node.elts])
    value = frame.expression(node)
    if isinstance(value, Static | Const):
        return value.value
    frame.fail(TypeMismatchError, node, "this must be a constant")


class ArgumentMismatch(ProgramError, ArgumentError):
    """A call inside a program with the wrong arguments."""


def signature_of(definition: ast.FunctionDef | ast.Lambda, source: Source) -> inspect.Signature:
    """The parameters of a function from its syntax; defaults are those of the function object, or expressions."""
    node = definition.args
    if definition is source.node:
        return inspect.signature(source.function)
    empty = inspect.Parameter.empty
    kinds = inspect.Parameter
    pairs: list[tuple[ast.arg, inspect._ParameterKind]] = [(a, kinds.POSITIONAL_ONLY) for a in node.posonlyargs]
    pairs += [(a, kinds.POSITIONAL_OR_KEYWORD) for a in node.args]
    given: list[ast.expr | None] = [None] * (len(pairs) - len(node.defaults))
    given += node.defaults
    pairs += [(a, kinds.KEYWORD_ONLY) for a in node.kwonlyargs]
    given += node.kw_defaults
    parameters = [
        inspect.Parameter(a.arg, kind, default=empty if default is None else default)
        for (a, kind), default in zip(pairs, given, strict=True)
    ]
    if node.vararg is not None:
        parameters.insert(len(pairs) - len(node.kwonlyargs), inspect.Parameter(node.vararg.arg, kinds.VAR_POSITIONAL))
    if node.kwarg is not None:
        parameters.append(inspect.Parameter(node.kwarg.arg, kinds.VAR_KEYWORD))
    return inspect.Signature(parameters)


def function_body(frame: Frame, node: ast.FunctionDef) -> Value:
    """The value that a function returns."""
    result = frame.block(node.body)
    if result is None:
        frame.fail(UnsupportedError, node, f"{node.name} does not return a value on every path", "end it with return")
    return result
