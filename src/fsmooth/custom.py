"""`fs.custom_derivative`: a function with a derivative of the user's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar, overload

from fsmooth.callables import Function
from fsmooth.errors import ArgumentError
from fsmooth.frontend.programs import CustomProgram, SourceProgram
from fsmooth.parameters import Compile

_Plain = Callable[..., object]
P = ParamSpec("P")
R = TypeVar("R")


@overload
def custom_derivative(
    function: Callable[P, R], *, jvp: _Plain | None = ..., vjp: _Plain | None = ..., check: bool = ...
) -> Function[P, R]: ...
@overload
def custom_derivative(
    function: None = None, *, jvp: _Plain | None = ..., vjp: _Plain | None = ..., check: bool = ...
) -> Compile: ...
def custom_derivative(
    function: Callable[P, R] | None = None,
    *,
    jvp: _Plain | None = None,
    vjp: _Plain | None = None,
    check: bool = True,
) -> Function[P, R] | Compile:
    """A compiled function whose derivatives are made by your own rule; also as a decorator.

    For a function `f(x, y)` of any number of parameters:

    * `jvp(x, y, dx, dy)` takes the arguments, then a tangent for each, and gives the tangent of the value;
    * `vjp(x, y, c)` takes the arguments, then the cotangent `c` of the value, and gives a tuple of cotangents, one for
      each parameter; of a function of one parameter, that cotangent itself.

    Give one or both; each must be linear in the tangents, or in `c`.  Forward mode uses `jvp`, reverse mode `vjp`; a mode
    whose rule is not given uses the transpose of the other.  The body of `f` is never differentiated.  Rules are programs
    like `f` itself: derivatives of higher order differentiate them, and they may call `f`.

    Tangents and cotangents have the structure and the sizes of what they belong to.  An argument without real numbers (an
    integer, a truth value, an array of these) has a tangent of zeros, and its cotangent, which can be anything, is ignored;
    an integer inside a tuple or record has the tangent `()`.  For what is known at compile time (a string, a function) the
    tangent is None.

    With `check=True` the rules are compared with differences of `f`, when a derivative that uses them is first compiled:
    at the arguments that `f` has first in that call, for up to 8 real numbers of the arguments and 8 of the value.
    Places where differences do not settle (a kink, a domain's edge, NaN) say nothing and are passed over.  Use `check=False`
    for a rule that differs from the derivative on purpose.

    Raises:
        ArgumentError: for rules that do not take these arguments.
        DerivativeMismatchError: (when a derivative is first called) if a rule and differences disagree.

    >>> import fsmooth as fs
    >>> @fs.custom_derivative(jvp=lambda x, dx: dx / (1.0 + fs.exp(-x)))
    ... def softplus(x):
    ...     return fs.log(1.0 + fs.exp(x))
    >>> fs.grad(softplus)(0.0)
    0.5
    >>> clipped = fs.custom_derivative(lambda x: min(x, 1.0), vjp=lambda x, c: c, check=False)
    >>> fs.grad(lambda x: clipped(x) ** 2)(3.0)
    2.0
    """
    if not isinstance(check, bool):
        raise ArgumentError(f"check={check!r}\n  hint: use True or False")
    if jvp is None and vjp is None:
        hint = "give jvp=…, vjp=…, or both; fs.function compiles a function that has none of its own"
        raise ArgumentError(f"a custom derivative without a rule\n  hint: {hint}")
    if function is None:
        return lambda f, /: custom_derivative(f, jvp=jvp, vjp=vjp, check=check)  # type: ignore[return-value]
    forwards = None if jvp is None else _plain(jvp, "jvp")
    backwards = None if vjp is None else _plain(vjp, "vjp")
    program = CustomProgram(_plain(function, "function"), forwards, backwards, check)
    names = list(program.signature.parameters)
    tangents = [f"d{n}" for n in names]
    if program.jvp is not None:
        _takes(program.jvp, "jvp", program.name, [*names, *tangents], "the arguments, then a tangent for each")
    if program.vjp is not None:
        _takes(program.vjp, "vjp", program.name, [*names, "c"], "the arguments, then the cotangent of the value")
    return Function(program)


def _plain(given: _Plain, what: str) -> _Plain:
    """A plain Python function; that of a compiled one."""
    if isinstance(given, Function):
        if type(given.program) is not SourceProgram:
            hint = f"wrap it: lambda x: {given.program.name}(x)"
            raise ArgumentError(f"{what}={given!r} is not a plain function\n  hint: {hint}")
        return given.program.function
    if not inspect.isfunction(given):
        raise ArgumentError(f"{what}={given!r} is not a Python function\n  hint: give a def or a lambda")
    return given


def _takes(rule: _Plain, what: str, name: str, wanted: list[str], meaning: str) -> None:
    signature = inspect.signature(rule, follow_wrapped=False)
    try:
        signature.bind(*wanted)
    except TypeError:
        count = len(wanted)
        message = f"the {what} of {name} takes {signature}, and is given {count} argument{'s' * (count != 1)}"
        raise ArgumentError(f"{message}\n  hint: {meaning}: ({', '.join(wanted)})") from None


__all__ = ["custom_derivative"]
