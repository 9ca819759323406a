"""The public face: programs as callables, and the verbs that make derivatives of them (design §1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, Union, overload

from fsmooth.callables import AlongTangent, Function, PythonFunction
from fsmooth.core.term import Method, Verb
from fsmooth.debugging import runs_as_python
from fsmooth.errors import ArgumentError, UnknownMethodError, UnsupportedError
from fsmooth.frontend.programs import METHODS, ONLY, OTHER, DerivedProgram, SourceProgram, wrt_names
from fsmooth.parameters import Compile
from fsmooth.pullbacks import Vjp

if TYPE_CHECKING:
    from fsmooth.optimise.schedule import Schedule
    from fsmooth.rewrite.strategy import Strategy

Wrt = str | int | tuple[str | int, ...] | None

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
AnySchedule = Union[str, "Schedule", "Strategy"]
"""The name of a schedule, "module:NAME" of one in a module, or a schedule or strategy itself (docs/reference/schedules.md)."""

Asked = Literal["proved"] | None
"""What is asked of the checks of a program."""
Threads = int | Literal["auto"] | None
"""On how many threads: a number, as many as there are processors, or none besides the caller's, in no chunks."""
Blas = Literal["scipy"] | None
"""What computes large products of matrices: the BLAS that SciPy brings, or kernels of fsmooth's own."""


@overload
def function(
    f: Callable[P, R],
    *,
    schedule: AnySchedule = ...,
    threads: Threads = ...,
    blas: Blas = ...,
    python: bool = ...,
    checks: Asked = ...,
) -> Function[P, R]: ...
@overload
def function(
    f: None = None,
    *,
    schedule: AnySchedule = ...,
    threads: Threads = ...,
    blas: Blas = ...,
    python: bool = ...,
    checks: Asked = ...,
) -> Compile: ...
def function(
    f: Callable[P, R] | None = None,
    *,
    schedule: AnySchedule = "DEFAULT",
    threads: Threads = None,
    blas: Blas = None,
    python: bool = False,
    checks: Asked = None,
) -> Function[P, R] | Compile:
    """A plain Python function as a compiled one; also as a decorator, with or without arguments.

    With `threads="auto"` its loops run in chunks on as many threads as the machine has processors for, or `FSMOOTH_THREADS`
    says; with a number on at most so many.  What the chunks are depends on the sizes of arrays only, so results have the same
    bits on any number of threads, 1 too; without `threads` there are no chunks, and sums may be rounded another way.  All
    verbs take it.

    With `blas="scipy"` large products of matrices are computed by the BLAS that SciPy brings, on threads of its own; what they
    round to depends on that.  All verbs take it.

    With `python=True`, or `FSMOOTH_PYTHON=1` in the environment, calls of it run as Python, to look into them with
    `fs.debug_print` or a debugger; its derivatives are compiled all the same.

    With `checks="proved"` it is refused, by an `fs.UnprovedError`, if an index is tested while it runs, or anything in a loop
    but what it asserts or raises itself.  All verbs take it, for what they give.

    >>> import numpy as np, fsmooth as fs
    >>> @fs.function
    ... def dot(a, b):
    ...     return sum(a[i] * b[i] for i in range(len(a)))
    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    checks = known_checks(checks)
    if f is None:
        return lambda g, /: function(g, schedule=schedule, threads=threads, blas=blas, python=python, checks=checks)  # type: ignore[return-value]
    if isinstance(f, Function):
        return f if checks is None else type(f)(f.program, f.schedule, checks)
    kind = PythonFunction if python or runs_as_python() else Function
    return kind(SourceProgram(f), known_schedule(schedule, threads, blas), checks)


def grad(
    f: Callable[P, object],
    wrt: Wrt = None,
    *,
    method: str = "auto",
    checkpoint: bool = False,
    schedule: AnySchedule = "DEFAULT",
    threads: Threads = None,
    blas: Blas = None,
    checks: Asked = None,
) -> Function[P, Any]:
    """The gradient of a real-valued function, in the structure of the argument(s) `wrt` (paper 000, Fig. 6).

    `method` is "forward", "reverse", "tape" (paper 003), or "auto", which predicts which of the first two costs less.

    In reverse mode a loop of n steps saves what its way back needs, for each step.  With `checkpoint=True` it saves about
    √n of its states, and runs once more, a block of √n steps at a time.  Forward mode saves nothing either way.

    >>> import numpy as np, fsmooth as fs
    >>> fs.grad(lambda v: sum(x * x for x in v))(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    return _derived(f, Verb.GRAD, wrt, method, _how(schedule, threads, blas, checks), checkpoint)


def value_and_grad(
    f: Callable[P, R],
    wrt: Wrt = None,
    *,
    method: str = "auto",
    checkpoint: bool = False,
    schedule: AnySchedule = "DEFAULT",
    threads: Threads = None,
    blas: Blas = None,
    checks: Asked = None,
) -> Function[P, tuple[R, Any]]:
    """`(value, gradient)` of a real-valued function.

    >>> import numpy as np, fsmooth as fs
    >>> fs.value_and_grad(lambda v: sum(x * x for x in v))(np.array([1.0, 2.0]))
    (5.0, array([2., 4.]))
    """
    return _derived(f, Verb.VALUE_AND_GRAD, wrt, method, _how(schedule, threads, blas, checks), checkpoint)


def jacobian(
    f: Callable[P, object],
    wrt: Wrt = None,
    *,
    method: str = "auto",
    checkpoint: bool = False,
    schedule: AnySchedule = "DEFAULT",
    threads: Threads = None,
    blas: Blas = None,
    checks: Asked = None,
) -> Function[P, Any]:
    """The Jacobian: output structure and indices outside, `wrt` structure and indices inside.

    >>> import numpy as np, fsmooth as fs
    >>> fs.jacobian(lambda v: [v[0] * v[1], v[0] + v[1]])(np.array([2.0, 3.0]))
    array([[3., 2.],
           [1., 1.]])
    """
    return _derived(f, Verb.JACOBIAN, wrt, method, _how(schedule, threads, blas, checks), checkpoint)


def hessian(
    f: Callable[P, object],
    wrt: Wrt = None,
    *,
    method: str = "auto",
    checkpoint: bool = False,
    schedule: AnySchedule = "DEFAULT",
    threads: Threads = None,
    blas: Blas = None,
    checks: Asked = None,
) -> Function[P, Any]:
    """The Hessian of a real-valued function: the Jacobian of its gradient; with a tape, that of the gradient in forward mode,
    and with continuations the forward mode of the gradient by these.

    >>> import numpy as np, fsmooth as fs
    >>> fs.hessian(lambda v: v[0] * v[0] * v[1])(np.array([2.0, 3.0]))
    array([[6., 4.],
           [4., 0.]])
    """
    first = Method.FORWARD.value if method == Method.TAPE.value else method
    second = Method.FORWARD.value if method == Method.CONTINUATIONS.value else method
    return jacobian(
        grad(f, wrt, method=first, checkpoint=checkpoint, schedule=schedule),
        wrt,
        method=second,
        checkpoint=checkpoint,
        schedule=schedule,
        threads=threads,
        blas=blas,
        checks=checks,
    )


def jvp(
    f: Callable[..., R],
    wrt: Wrt = None,
    *,
    method: str = "auto",
    schedule: AnySchedule = "DEFAULT",
    threads: Threads = None,
    blas: Blas = None,
    checks: Asked = None,
) -> Function[..., tuple[R, Any]]:
    """`(value, tangent of the value)`; called with the arguments and `tangent=` in the structure of `wrt`.

    The tangent may be given by position, too: behind the argument(s) `wrt`.

    It is made in forward mode, which saves nothing: there is no `checkpoint`.

    >>> import fsmooth as fs
    >>> fs.jvp(lambda x: x * x)(3.0, tangent=1.0)
    (9.0, 6.0)
    >>> fs.jvp(lambda x, k: x * k)(3.0, 1.0, 5)
    (15.0, 5.0)
    """
    return _derived(f, Verb.JVP, wrt, method, _how(schedule, threads, blas, checks))


def vjp(
    f: Callable[P, R],
    wrt: Wrt = None,
    *,
    method: str = "auto",
    checkpoint: bool = False,
    schedule: AnySchedule = "DEFAULT",
    threads: Threads = None,
    blas: Blas = None,
    checks: Asked = None,
) -> Vjp[P, R]:
    """`(value, pullback)`: `pullback(cotangent)` gives the cotangents of the argument(s) `wrt`, as often as asked.

    The cotangent has the structure and the shapes of the value.  The program itself runs only once: the pullback keeps
    what it needs of it, and copies of the arguments that it reads (unless they are read-only), so that these may change
    afterwards.  `method` is "reverse", "tape" (paper 003), or "auto", which takes the tape where reverse mode has no derivative.

    >>> import numpy as np, fsmooth as fs
    >>> value, pullback = fs.vjp(lambda v: [v[0] * v[1], v[0] + v[1]])(np.array([2.0, 3.0]))
    >>> value
    array([6., 5.])
    >>> pullback(np.array([1.0, 0.0]))
    array([3., 2.])
    >>> pullback(np.array([0.0, 1.0]))
    array([1., 1.])
    """
    return Vjp(_program(f, Verb.VJP, wrt, method, checkpoint), *_how(schedule, threads, blas, checks))


def hvp(
    f: Callable[..., object],
    wrt: Wrt = None,
    *,
    method: str = "auto",
    checkpoint: bool = False,
    schedule: AnySchedule = "DEFAULT",
    threads: Threads = None,
    blas: Blas = None,
    checks: Asked = None,
) -> Function[..., Any]:
    """The Hessian of a real-valued function times a vector: called with the arguments and `tangent=` in the structure of
    `wrt`, which is also that of the result.  It is the tangent of the gradient; `method` is how the gradient is made.

    The tangent may be given by position, too, behind the argument(s) `wrt`, as SciPy's `hessp=` is called.

    >>> import numpy as np, fsmooth as fs
    >>> fs.hvp(lambda v: sum(x * x * x for x in v))(np.array([1.0, 2.0]), tangent=np.array([1.0, 10.0]))
    array([  6., 120.])
    """
    return _derived(f, Verb.HVP, wrt, method, _how(schedule, threads, blas, checks), checkpoint)


def deriv(e: Any, x: Any) -> Any:
    """The dual number of an expression for each number in a variable (paper 000, Fig. 5); inside programs only.

    `fs.deriv(x * x, x)` is the pair of the value and the derivative; for an array x it is an array of pairs.
    All variables but x are constants.
    """
    raise UnsupportedError("fs.deriv(e, x) belongs inside a program\n  hint: outside, use fs.grad or fs.jacobian")


def _derived(
    f: Callable[P, object], verb: Verb, wrt: Wrt, method: str, how: How, checkpoint: bool = False
) -> Function[P, Any]:
    program = _program(f, verb, wrt, method, checkpoint)
    kind = AlongTangent if verb in (Verb.JVP, Verb.HVP) else Function
    return kind(program, *how)


How = tuple["str | Schedule", Asked]
"""The schedule of a program, and what is asked of its checks."""


def _how(schedule: AnySchedule, threads: Threads, blas: Blas, checks: Asked) -> How:
    return known_schedule(schedule, threads, blas), known_checks(checks)


def known_checks(checks: Asked) -> Asked:
    """What is asked of the checks of a program, if that can be asked."""
    if checks not in (None, "proved"):
        raise ArgumentError(f'checks={checks!r}\n  hint: use "proved", or leave it out')
    return checks


def _program(f: Callable[..., object], verb: Verb, wrt: Wrt, method: str, checkpoint: bool) -> DerivedProgram:
    if not isinstance(checkpoint, bool):
        raise ArgumentError(f"checkpoint={checkpoint!r}\n  hint: use True or False")
    how = {m.value: m for m in Method}.get(method)
    if how is None:
        raise UnknownMethodError(f"there is no differentiation method {method!r}\n  hint: use {METHODS}")
    if how is Method.TAPE and checkpoint:
        raise ArgumentError("a tape has an entry for everything\n  hint: checkpoint=True is for method='reverse'")
    if verb is Verb.VJP and how is Method.CONTINUATIONS:
        hint = "use fs.grad, fs.value_and_grad or fs.jacobian with it, or leave method out"
        raise UnsupportedError(f"the pullback of a vjp does not keep continuations yet\n  hint: {hint}")
    only = ONLY.get(verb)
    if only is not None and how not in (Method.AUTO, *only):
        hint = f"leave method out; fs.{OTHER[only[0]]} is made in the other"
        raise UnknownMethodError(f"a {verb.value} is made in {only[0].value} mode\n  hint: {hint}")
    program = f.program if isinstance(f, Function) else SourceProgram(f)
    chosen, single = wrt_names(program, wrt)
    return DerivedProgram(program, verb, chosen, single, how, checkpoint)


def known_schedule(schedule: AnySchedule, threads: Threads = None, blas: Blas = None) -> str | Schedule:
    """A schedule, or its name, if there is one of that name; with threads, the one that makes loops of chunks besides, with a
    BLAS, the one that has products of matrices computed by it.
    """
    if blas is not None:
        _refuse_other_blas(blas)
    if (
        threads is not None
        and threads != "auto"
        and (not isinstance(threads, int) or isinstance(threads, bool) or threads < 1)
    ):
        raise ArgumentError(f'threads={threads!r}\n  hint: use a number of threads, "auto", or leave it out')
    count = 0 if threads == "auto" else threads
    if isinstance(schedule, str) and ":" not in schedule:
        known = ("NONE", "LF", "LN", "LICM", "DPS", "DEFAULT", "REAL")
        if schedule not in known:
            raise UnknownMethodError(f"there is no schedule {schedule!r}; there are {', '.join(known)}")
        on = "" if count is None else f", threads={count}"
        return f"{schedule}{on}" if blas is None else f"{schedule}{on}, blas={blas}"
    from fsmooth.strategies import scheduled  # noqa: PLC0415  (loaded by those who write schedules)

    return scheduled(schedule, count, blas)


def _refuse_other_blas(blas: object) -> None:
    """Raise for a BLAS that there is not."""
    if blas != "scipy":
        raise UnknownMethodError(f'there is no blas={blas!r}\n  hint: use blas="scipy", or leave it out')
    from fsmooth.runtime.blas import scipy_blas  # noqa: PLC0415  (SciPy is an extra)

    scipy_blas()


def unroll(iterable: T) -> T:
    """Inside a program: run a loop at compile time, one copy of the body for each step.  Outside: the iterable."""
    return iterable


__all__ = [
    "Function",
    "deriv",
    "function",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "unroll",
    "value_and_grad",
    "vjp",
]
