"""Lambdas in the place of what can be called and has no source: functions of NumPy and math, and partials.

np.sin                    lambda x: sin(x)
record.method             lambda x: method_bound(x)
functools.partial(f, a)   lambda y: partial.func(partial.args[0], y)
fs.vmap(f)                lambda x: vmap_f(x)
"""

from __future__ import annotations

import functools
import inspect
import linecache
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, MethodType

import numpy as np

from fsmooth.core.primitives import TABLE
from fsmooth.frontend.batches import OfBatches, with_own_defaults

_MODULES = ("numpy", "scipy", "math", "builtins")


def stand_in(function: Callable[..., object]) -> Callable[..., object]:
    """A lambda that calls `function`, if it has no source that is read; else itself."""
    match function:
        case functools.partial():
            made = _partial(function)
        case OfBatches():
            name = callee_name(function)
            made = lambda_over(with_own_defaults(function.signature), name, {name: function})
        case MethodType(__func__=FunctionType()):
            made = _method(function)
        case _:
            made = _named(function)
    return function if made is None else made


def lambda_of(text: str, names: Mapping[str, object], name: str) -> FunctionType:
    """The lambda of this text, which can be read from it."""
    file = f"<fsmooth: {text}>"
    linecache.cache[file] = (len(text), None, [text + "\n"], file)
    made = eval(compile(text, file, "eval", dont_inherit=True), dict(names))
    assert isinstance(made, FunctionType)
    made.__name__ = made.__qualname__ = name
    return made


def call_text(callee: str, given: list[str], rest: inspect.Signature, keywords: Mapping[str, str]) -> str:
    """The lambda that calls `callee` with what is given, and takes the rest."""
    takes, passes = list[str](), list(given)
    for name, parameter in rest.parameters.items():
        if name in keywords:
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in takes:
            takes.append("*")
        takes.append(name if parameter.default is parameter.empty else f"{name}=None")
        passes.append(f"{name}={name}" if parameter.kind is parameter.KEYWORD_ONLY else name)
    passes += [f"{name}={value}" for name, value in keywords.items()]
    return f"lambda {', '.join(takes)}: {callee}({', '.join(passes)})"


def lambda_over(signature: inspect.Signature, callee: str, names: Mapping[str, object]) -> FunctionType:
    """The lambda of these parameters that gives its arguments to `callee`."""
    return _with_defaults(lambda_of(call_text(callee, [], signature, {}), names, callee), signature.parameters.values())


def _with_defaults(made: FunctionType, parameters: Iterable[inspect.Parameter]) -> FunctionType:
    optional = [q for q in parameters if q.default is not q.empty]
    made.__defaults__ = tuple([q.default for q in optional if q.kind is not q.KEYWORD_ONLY])
    made.__kwdefaults__ = {q.name: q.default for q in optional if q.kind is q.KEYWORD_ONLY}
    return made


def callee_name(function: OfBatches) -> str:
    """What a function over batches is called: like no parameter."""
    name = getattr(function.function, "__name__", "")
    name = f"vmap_{name}" if name.isidentifier() else "vmap_f"
    while name in function.signature.parameters:
        name += "_"
    return name


def _partial(function: functools.partial[object]) -> FunctionType | None:
    try:
        rest = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    given = [f"partial.args[{k}]" for k in range(len(function.args))]
    keywords = {name: f"partial.keywords[{name!r}]" for name in function.keywords}
    name = getattr(function.func, "__name__", "partial")
    made = lambda_of(call_text("partial.func", given, rest, keywords), {"partial": function}, name)
    return _with_defaults(made, [q for n, q in rest.parameters.items() if n not in keywords])


def _method(function: MethodType) -> FunctionType | None:
    signature = inspect.signature(function, follow_wrapped=False)
    if any([q.kind in (q.VAR_POSITIONAL, q.VAR_KEYWORD) for q in signature.parameters.values()]):
        return None
    callee = f"{function.__name__}_bound"
    return lambda_over(signature, callee, {callee: function})


def _named(function: Callable[..., object]) -> FunctionType | None:
    name = getattr(function, "__name__", "")
    module = (getattr(function, "__module__", None) or "").partition(".")[0]
    parameters: list[str] | None = None
    if isinstance(function, np.ufunc):
        parameters = ["x"] if function.nin == 1 else [f"x{k + 1}" for k in range(function.nin)]
    elif type(function).__module__ == "fsmooth.functions" and name in TABLE:
        count = TABLE[name].arity
        parameters = ["x"] if count == 1 else [f"x{k + 1}" for k in range(count)]
    elif module in _MODULES and not isinstance(function, type):
        parameters = _required(function)
    if not parameters or not name.isidentifier():
        return None
    return lambda_of(f"lambda {', '.join(parameters)}: {name}({', '.join(parameters)})", {name: function}, name)


def _required(function: Callable[..., object]) -> list[str] | None:
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [q.name for q in found if q.default is q.empty and q.kind in (q.POSITIONAL_ONLY, q.POSITIONAL_OR_KEYWORD)]
