"""Functions of the program and plain Python helpers: arguments matched to parameters, bodies inlined."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from collections.abc import Sequence as SequenceOf
from contextlib import contextmanager
from dataclasses import replace
from types import FunctionType

import numpy as np

from fsmooth.core.term import Const, Term
from fsmooth.errors import ArgumentMismatchError, TypeMismatchError, UnsupportedError
from fsmooth.frontend.python.annotated import annotated_result, sizes_by_name
from fsmooth.frontend.python.annotated_calls import annotated_call, name_sizes
from fsmooth.frontend.python.claims import Raised
from fsmooth.frontend.python.displays import known, tuple_display
from fsmooth.frontend.python.frame import Frame, is_constant
from fsmooth.frontend.python.recursion import CallsItself, Reading, defined
from fsmooth.frontend.python.rewording import reworded
from fsmooth.frontend.python.source import Source, source_of
from fsmooth.frontend.python.syntax import CLAIMED, claims
from fsmooth.frontend.python.values import Closure, Default, Keyed, Static, Unrolled, Value

DEEPEST = 4
"""So often is a function inlined in itself before that is recursion: what is known while compiling may end it."""

MOST_PARTS = 100
"""So often may a function of the library be inlined in itself: for each axis, or for each part that is written out."""

MOST = 16
"""So often may a function be read in itself with arguments of ever new types."""

INSTEAD_OF_KEYWORD = {
    "key": "find the place with fs.argmax or fs.argmin, and index with it",
    "axis": "write a comprehension over the rows, e.g. [sum(row) for row in A]",
    "keepdims": "write a comprehension that keeps the axis, e.g. [[sum(row)] for row in A]",
    "dtype": "convert the elements: [int(a) for a in x]",
    "out": "assign the result to a name",
    "**": "write the keywords out",
}


def positional(frame: Frame, node: ast.Call, count: int | None = None) -> list[Term]:
    """Positional arguments, evaluated."""
    keywords(frame, node, ())
    if count is not None and len(node.args) != count:
        name = frame.source.segment(node.func)
        frame.fail(
            ArgumentMismatchError,
            node,
            f"{name} takes {count} argument{'s' * (count != 1)}, not {len(node.args)}",
            "compute the rest in the program" if len(node.args) > count else "give every argument",
        )
    return [frame.value(a) for a in node.args]


def keywords(frame: Frame, node: ast.Call, known_here: tuple[str, ...]) -> dict[str, ast.expr]:
    """The keyword arguments of a call, which must be among `known_here`."""
    found: dict[str, ast.expr] = {}
    for keyword in node.keywords:
        if keyword.arg not in known_here or keyword.arg is None:
            what = f"the keyword {keyword.arg} of {frame.source.segment(node.func)}" if keyword.arg else "** in a call"
            frame.unsupported(node, what, INSTEAD_OF_KEYWORD.get(keyword.arg or "**", "leave it out"))
        found[keyword.arg] = keyword.value
    return found


def as_function(frame: Frame, value: Value, node: ast.AST) -> Callable[..., Term]:
    """A lambda or helper as a function on terms."""

    def apply(*terms: Term) -> Term:
        return frame.inside(lambda: frame.term(apply_value(frame, value, list(terms), node), node))

    return apply


def apply_value(frame: Frame, value: Value, terms: SequenceOf[Value], node: ast.AST) -> Value:
    """A function value on values."""
    names = [f"_argument{k}" for k in range(len(terms))]
    made = ast.Call(ast.Name("_function", ast.Load()), [ast.Name(n, ast.Load()) for n in names], [])
    for part in ast.walk(made):
        ast.copy_location(part, node)
    with frame.naming({"_function": value, **dict(zip(names, terms, strict=True))}):
        return frame.expression(made)


def helper_call(frame: Frame, function: FunctionType, node: ast.Call, *first: Value) -> Value:
    """A plain Python function, inlined; `first` are arguments before those of the call."""
    return run_helper(
        frame, function, matched(frame, inspect.signature(function, follow_wrapped=False), node, *first), node
    )


def run_helper(frame: Frame, function: FunctionType, values: dict[str, Value], node: ast.AST) -> Value:
    """A plain Python function whose parameters have `values`."""
    found = frame.shared.sources.get(function.__code__)
    source = source_of(function) if found is None else replace(found, function=function)
    frame.shared.sources[function.__code__] = source
    frame.shared.readings.read_text(source)
    return run(frame, source.node, source, {}, values, node)


def matched(frame: Frame, signature: inspect.Signature, node: ast.Call, *first: Value) -> dict[str, Value]:
    """The arguments of a call by parameter name, defaults filled in."""
    positional = [*first, *[frame.expression(a) for a in node.args]]
    named: dict[str, Value] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            frame.unsupported(node, "** in a call", "write the keywords out")
        named[keyword.arg] = frame.expression(keyword.value)
    try:
        bound = signature.bind(*positional, **named)
    except TypeError as error:
        name = frame.source.segment(node.func)
        frame.fail(ArgumentMismatchError, node, f"{name}: {error}", f"its parameters are {written(signature)}")
    result = dict(bound.arguments)
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            given = result.get(name, ())
            result[name] = tuple_display(frame, list(given)) if given else Unrolled(())
        elif parameter.kind is parameter.VAR_KEYWORD:
            result[name] = Keyed(result.get(name, {}))
        elif name not in result and parameter.default is not inspect.Parameter.empty:
            given = parameter.default
            result[name] = given.value if isinstance(given, Default) else default_value(frame, given)
    return result


@contextmanager
def evaluated_arguments(frame: Frame, node: ast.Call) -> Iterator[ast.Call]:
    """The call with names for its arguments, which are evaluated once however often it is read."""
    with evaluated(frame, [*node.args, *[k.value for k in node.keywords]], "given") as names:
        keywords = [ast.keyword(k.arg, name) for k, name in zip(node.keywords, names[len(node.args) :], strict=True)]
        made = ast.Call(node.func, names[: len(node.args)], keywords)
        for keyword in made.keywords:
            ast.copy_location(keyword, node)
        yield ast.copy_location(made, node)


@contextmanager
def evaluated(frame: Frame, expressions: SequenceOf[ast.expr], name: str) -> Iterator[list[ast.expr]]:
    """Names for expressions, which are evaluated once however often the names are read."""
    values = [frame.expression(e) for e in expressions]
    given = [frame.bind(value, name) if isinstance(value, Term) else value for value in values]
    with frame.naming({f"_{name}_{k}": value for k, value in enumerate(given)}):
        yield [ast.copy_location(ast.Name(f"_{name}_{k}", ast.Load()), e) for k, e in enumerate(expressions)]


def closure(frame: Frame, definition: ast.FunctionDef | ast.Lambda) -> Closure:
    """A function defined here; its defaults are evaluated now."""
    return Closure(definition, frame.source, frame.names, signature_of(frame, definition))


def inlined_closure(frame: Frame, function: Closure, node: ast.Call) -> Value:
    """The call of a function that is defined inside the program."""
    values = matched(frame, function.signature, node)
    return run(frame, function.node, function.source, function.names, values, node)


def run(
    frame: Frame,
    definition: ast.FunctionDef | ast.Lambda,
    source: Source,
    names: dict[str, Value],
    values: dict[str, Value],
    node: ast.AST,
) -> Value:
    """The value of a function whose parameters have `values`: its body inlined, or a call if it calls itself."""
    reading = Reading(definition, names, values)
    if source.is_own:
        refuse_unknown_count(frame, reading, node)
        return inlined(frame, reading, source, node)
    known = frame.shared.recursions.setdefault(definition, {})
    found = known.get(reading.key) if known else None
    if found is None:
        refuse_endless(frame, reading, node)
        place, required = len(frame.scope), len(frame.requirements)
        try:
            return inlined(frame, reading, source, node)
        except CallsItself as calls:
            if calls.reading is not reading:
                raise
        del frame.scope[place:], frame.requirements[required:]
        found = defined(frame, reading, source, node, known, lambda inner: body_of(inner, definition))
    return found.call(frame, values, node)


def refuse_unknown_count(frame: Frame, reading: Reading, node: ast.AST) -> None:
    """An error for a function of the library that takes one part after another of an array without a known end."""
    if sum([r.definition is reading.definition for r in frame.shared.stack]) >= MOST_PARTS:
        frame.unsupported(node, "an array of parts whose number is not known", "write the parts out: [a, b]")


def refuse_endless(frame: Frame, reading: Reading, node: ast.AST) -> None:
    """A function that is inlined in itself often is a definition, from its first reading with the same arguments on."""
    before = [r for r in frame.shared.stack if r.definition is reading.definition]
    if len(before) < DEEPEST + frame.shared.rules:
        return
    key = reading.key
    for one in before:
        if one.key == key:
            raise CallsItself(one)
    if len(before) >= MOST + frame.shared.rules:
        what = f"recursion with arguments of ever new types ({reading.name} calls itself)"
        frame.unsupported(node, what, "pass numbers and arrays, or write a loop")


def body_of(frame: Frame, definition: ast.FunctionDef | ast.Lambda) -> Value:
    """The value of the body of a function in its frame."""
    if isinstance(definition, ast.Lambda):
        return frame.expression(definition.body)
    if claims(definition.body):
        frame.names[CLAIMED] = Const(0)
    return annotated_call(frame, definition, lambda: function_body(frame, definition))


def inlined(frame: Frame, reading: Reading, source: Source, node: ast.AST) -> Value:
    """The value of a function body where it is called."""
    definition, values = reading.definition, reading.values
    bound: dict[str, Value] = dict(reading.names)
    if isinstance(definition, ast.FunctionDef) and claims(definition.body):
        bound[CLAIMED] = Const(0)
    for name, value in values.items():
        bound[name] = frame.bind(value, name) if isinstance(value, Term) and not is_constant(value) else value
    inner = frame.child(source, bound, node)
    frame.shared.stack.append(reading)
    try:
        if isinstance(definition, ast.Lambda):
            result = inner.expression(definition.body)
            frame.shared.returned = definition.body
            return result
        if definition is frame.shared.program:
            sizes = sizes_by_name(inner, bound)
            name_sizes(inner, definition, sizes)
            return annotated_result(inner, sizes, function_body(inner, definition))
        return annotated_call(inner, definition, lambda: function_body(inner, definition), (frame, node))
    finally:
        frame.shared.stack.pop()


def constant_object(frame: Frame, node: ast.expr) -> object:
    """A Python object known at compile time."""
    if isinstance(node, ast.Tuple | ast.List):
        return tuple([constant_object(frame, e) for e in node.elts])
    value = frame.expression(node)
    if isinstance(value, Static | Const):
        return value.value
    frame.fail(TypeMismatchError, node, "this must be a constant", "use a literal, or a value captured from outside")


def written(signature: inspect.Signature) -> str:
    """Parameters as a user wrote them; of defaults, only that there are any."""
    plain = [q.replace(annotation=inspect.Parameter.empty) for q in signature.parameters.values()]
    shown = [q.replace(default=_DOTS) if q.default is not inspect.Parameter.empty else q for q in plain]
    return str(inspect.Signature(shown))


def default_value(frame: Frame, given: object) -> Value:
    """The default of a parameter of a plain function; one that can change in place is compared at each call."""
    fetch = frame.shared.readings.known(given)
    if fetch is None:
        return known(given)
    if isinstance(given, np.ndarray | list | dict):
        frame.shared.readings.compared(fetch, given)
    return Static(given, fetch)


class _Dots:
    def __repr__(self) -> str:
        return "…"


_DOTS = _Dots()


def signature_of(frame: Frame, definition: ast.FunctionDef | ast.Lambda) -> inspect.Signature:
    """The parameters of a function from its syntax."""
    node = definition.args
    empty = inspect.Parameter.empty
    kinds = inspect.Parameter
    pairs: list[tuple[ast.arg, inspect._ParameterKind]] = [(a, kinds.POSITIONAL_ONLY) for a in node.posonlyargs]
    pairs += [(a, kinds.POSITIONAL_OR_KEYWORD) for a in node.args]
    given: list[ast.expr | None] = [None] * (len(pairs) - len(node.defaults))
    given += node.defaults
    pairs += [(a, kinds.KEYWORD_ONLY) for a in node.kwonlyargs]
    given += node.kw_defaults
    parameters = [
        inspect.Parameter(a.arg, kind, default=empty if part is None else default(frame, part, a.arg))
        for (a, kind), part in zip(pairs, given, strict=True)
    ]
    if node.vararg is not None:
        parameters.insert(len(pairs) - len(node.kwonlyargs), inspect.Parameter(node.vararg.arg, kinds.VAR_POSITIONAL))
    if node.kwarg is not None:
        parameters.append(inspect.Parameter(node.kwarg.arg, kinds.VAR_KEYWORD))
    return inspect.Signature(parameters)


def default(frame: Frame, part: ast.expr, name: str) -> Default:
    """The value of a default, named so that it is computed once."""
    value = frame.expression(part)
    return Default(frame.bind(value, name) if isinstance(value, Term) else value)


def function_body(frame: Frame, node: ast.FunctionDef) -> Value:
    """The value that a function returns."""
    try:
        result = frame.block(reworded(node.body))
    except Raised as raised:
        hint = "raise where a condition holds"
        frame.fail(UnsupportedError, raised.node, "every call with arguments like these gets here", hint)
    if result is None:
        frame.fail(UnsupportedError, node, f"{node.name} does not return a value on every path", "end it with return")
    return result
