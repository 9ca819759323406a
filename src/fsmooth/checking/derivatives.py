"""`fs.check_derivative`: every way to a derivative against every other, and against differences, for users' tests.

All ways give the same number for a direction d of the arguments and a cotangent c of the value: cᵀ J d.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from msgspec import Struct

from fsmooth.api import Wrt, function, grad, jacobian, jvp, vjp
from fsmooth.callables import Function
from fsmooth.checking.structures import as_columns, contracted, holds_trees, like, moved, numbers
from fsmooth.core.definitions import has_calls
from fsmooth.core.term import Custom, Lam
from fsmooth.core.traverse import subterms
from fsmooth.errors import ArgumentError, DerivativeMismatchError, NotDifferentiableError
from fsmooth.frontend.programs import wrt_names

LARGEST = 200_000
"""Jacobians of more numbers are not made, nor programs of larger arguments run by the interpreter."""

BACKWARDS = (
    "backpropagators, D1",
    "backpropagators, D2",
    "backpropagators, D3",
    "backpropagators, D4",
    "contributions",
    "tape",
    "continuations",
    "shift and reset",
    "tape of functions",
)
"""The ways backwards of papers 003 and 004 that the interpreter runs (checking/interpreted.py)."""


class Route(Struct, frozen=True):
    """One way to the derivative: its values for the directions tried, or why there are none."""

    name: str
    values: tuple[float, ...] = ()
    error: float = 0.0
    note: str = ""
    agrees: bool = True
    excuse: str = ""
    """Why it may differ."""


class DerivativeReport:
    """What `check_derivative` found: a row for each route.  True if all agree."""

    def __init__(self, name: str, routes: list[Route]) -> None:
        self.name = name
        self.routes = routes

    def __bool__(self) -> bool:
        return all([route.agrees or bool(route.excuse) for route in self.routes])

    def __repr__(self) -> str:
        lines = [f"derivatives of {self.name}, along {len(self.routes[0].values)} random directions"]
        width = max([len(route.name) for route in self.routes])
        for route in self.routes:
            if route.note:
                lines.append(f"  {route.name:{width}}  {route.note}")
                continue
            verdict = "agrees" if route.agrees else route.excuse or "DIFFERS"
            shown = " ".join([f"{v:23.15g}" for v in route.values])
            lines.append(f"  {route.name:{width}}  {shown}  off by {route.error:7.1e}  {verdict}")
        return "\n".join(lines)


def check_derivative(
    f: Callable[..., object], *args: object, wrt: Wrt = None, directions: int = 2, seed: int = 0
) -> DerivativeReport:
    """Compare forward mode, reverse mode, the papers' other ways backwards, central differences and complex steps.

    The report prints as a table.  `wrt` is as for `grad`; the directions are random, and the same for the same `seed`.

    The other ways backwards are those of papers 003 (backpropagators, contributions, a tape) and 004 (continuations), run by the
    interpreter; the slow ones on small programs only.  They, differences and complex steps run the function itself, while the
    modes follow rules given by `custom_derivative`.  So they may differ from the modes where a rule has `check=False`, and the
    report says so.

    Raises:
        DerivativeMismatchError: if two of them disagree; the message is the report.

    >>> import numpy as np, fsmooth as fs
    >>> bool(fs.check_derivative(lambda v: sum(fs.sin(x) for x in v), np.array([0.5, 2.0])))
    True
    """
    plain_function = f if isinstance(f, Function) else function(f)
    names, single = wrt_names(plain_function.program, wrt)
    bound = plain_function.program.signature.bind(*args)
    bound.apply_defaults()
    point = [as_columns(x) for x in bound.arguments.values()]
    places = [list(bound.arguments).index(name) for name in names]
    value = plain_function(*point)
    given = list(bound.arguments)
    work = _Work(plain_function, point, given, places, wrt, single, value, np.random.default_rng(seed), directions)
    routes = [_measured(name, make, work) for name, make in ROUTES.items()]
    return _judged(plain_function.program.name, routes, work)


class _Work:
    """The function, the point, and the directions and cotangents to try."""

    def __init__(
        self,
        f: Function,
        point: list[Any],
        names: list[str],
        places: list[int],
        wrt: Wrt,
        single: bool,
        value: object,
        rng: np.random.Generator,
        directions: int,
    ) -> None:
        self.f, self.point, self.places, self.wrt, self.single, self.value = f, point, places, wrt, single, value
        self.names = names
        along = [point[k] for k in places]
        self.tries = [(tuple([like(x, rng) for x in along]), like(value, rng)) for _ in range(directions)]
        self.inputs = sum([x.size for x in numbers(tuple(along))])
        self.outputs = sum([x.size for x in numbers(value)])
        every = [*numbers(tuple(along)), *numbers(value)]
        self.is_single = any([x.dtype == np.float32 for x in every])

    def interpreted(self) -> Lam:
        """The program as the interpreter runs it.

        Raises:
            _SkippedError: where that would take long, or not be the same.

        """
        from fsmooth.checking.interpreted import without_derivatives  # noqa: PLC0415  (as below)

        elaborated = self.f.compiled(*self.point).elaborated
        captured = any([q.fetch is not None for q in elaborated.parameters])
        if captured or self.is_single or self.inputs + self.outputs > LARGEST // 100:
            raise _SkippedError("not tried: large, in single precision, or with captured values")
        return without_derivatives(elaborated.term)

    def taken(self, program: Lam) -> list[int]:
        """Which arguments the program takes when it runs: a text and None are known while compiling."""
        return [self.names.index(q.name) for q in program.parameters]

    def given(self, parts: tuple[Any, ...]) -> Any:
        """In the structure of `wrt`."""
        return parts[0] if self.single else parts


def _by_jvp(w: _Work) -> Iterator[float]:
    for direction, cotangent in w.tries:
        _, tangent = jvp(w.f, w.wrt)(*w.point, tangent=w.given(direction))
        yield contracted(cotangent, tangent)


def _by_vjp(method: str) -> Callable[[_Work], Iterator[float]]:
    def values(w: _Work) -> Iterator[float]:
        _, pullback = vjp(w.f, w.wrt, method=method)(*w.point)
        for direction, cotangent in w.tries:
            yield contracted(w.given(direction), pullback(cotangent))

    return values


def _by_jacobian(method: str) -> Callable[[_Work], Iterator[float]]:
    def values(w: _Work) -> Iterator[float]:
        if any([holds_trees(w.point[k]) for k in w.places]):
            raise _SkippedError("not tried: a tree is no row of a matrix")
        if w.inputs * w.outputs > LARGEST:
            raise _SkippedError("not tried: the Jacobian is large")
        blocks = list(numbers(jacobian(w.f, w.wrt, method=method)(*w.point)))
        for direction, cotangent in w.tries:
            total, rest = 0.0, iter(blocks)
            for c in numbers(cotangent):
                for d in numbers(direction):
                    block = np.asarray(next(rest), float).reshape(c.size, d.size)
                    total += float(c.ravel().astype(float) @ block @ d.ravel().astype(float))
            yield total

    return values


def _by_gradient(method: str) -> Callable[[_Work], Iterator[float]]:
    def values(w: _Work) -> Iterator[float]:
        if not isinstance(w.value, float):
            raise _SkippedError("not tried: the value is not one real number")
        gradient = grad(w.f, w.wrt, method=method)(*w.point)
        for direction, cotangent in w.tries:
            yield contracted(w.given(direction), gradient) * float(cotangent)

    return values


def _of_calls(route: Callable[[_Work], Iterator[float]]) -> Callable[[_Work], Iterator[float]]:
    """A route that is reverse mode where nothing calls itself."""

    def values(w: _Work) -> Iterator[float]:
        if not has_calls(w.f.compiled(*w.point).elaborated.term):
            raise _SkippedError("not tried: the same as reverse, since nothing calls itself")
        return route(w)

    return values


def _by_differences(w: _Work) -> Iterator[float]:
    """Central differences, extrapolated once."""
    step = 2e-2 if w.is_single else 1e-3

    def slope(direction: tuple[Any, ...], cotangent: object, h: float) -> float:
        ends = []
        for sign in (1.0, -1.0):
            there = list(w.point)
            for k, d in zip(w.places, direction, strict=True):
                there[k] = moved(there[k], d, sign * h)
            ends.append(contracted(cotangent, w.f(*there)))
        return (ends[0] - ends[1]) / (2 * h)

    for direction, cotangent in w.tries:
        coarse, fine = slope(direction, cotangent, step), slope(direction, cotangent, step / 2)
        yield (4 * fine - coarse) / 3


def _by_complex_step(w: _Work) -> Iterator[float]:
    """A step along the imaginary axis, by the interpreter."""
    from fsmooth.checking.interpreted import along  # noqa: PLC0415  (the interpreter is loaded for those who check)

    program = w.interpreted()
    taken = w.taken(program)
    for direction, cotangent in w.tries:
        moving = [direction[w.places.index(k)] if k in w.places else None for k in taken]
        yield contracted(cotangent, along(program, [w.point[k] for k in taken], moving))


def _by_interpreter(way: str) -> Callable[[_Work], Iterator[float]]:
    """A way backwards of paper 003 or 004, as the interpreter runs it."""

    def values(w: _Work) -> Iterator[float]:
        from fsmooth.checking.interpreted import TooManyError, pulled  # noqa: PLC0415  (as above)

        program = w.interpreted()
        taken = w.taken(program)
        point, places = [w.point[k] for k in taken], [taken.index(k) for k in w.places]
        for direction, cotangent in w.tries:
            try:
                found = pulled(program, point, places, cotangent, way)
            except TooManyError as error:
                raise _SkippedError(f"not tried: {error}") from error
            yield contracted(direction, found)

    return values


ROUTES: dict[str, Callable[[_Work], Iterator[float]]] = {
    "forward (jvp)": _by_jvp,
    "reverse (vjp)": _by_vjp("reverse"),
    "tape (vjp)": _by_vjp("tape"),
    "forward Jacobian": _by_jacobian("forward"),
    "reverse Jacobian": _by_jacobian("reverse"),
    "Jacobian by a tape": _by_jacobian("tape"),
    "forward gradient": _by_gradient("forward"),
    "reverse gradient": _by_gradient("reverse"),
    "gradient by a tape": _by_gradient("tape"),
    "Jacobian by continuations": _of_calls(_by_jacobian("continuations")),
    "gradient by continuations": _of_calls(_by_gradient("continuations")),
    **{way: _by_interpreter(way) for way in BACKWARDS},
    "complex step": _by_complex_step,
    "differences": _by_differences,
}


RUN_THE_FUNCTION = (*BACKWARDS, "complex step", "differences")
"""The routes that do not follow the rules of `custom_derivative`."""


def _excuse(work: _Work) -> str:
    """Why the function itself may say something else than the rules that were given."""
    direction, _ = work.tries[0]
    program = jvp(work.f, work.wrt).compiled(*work.point, tangent=work.given(direction)).elaborated.term
    free = sorted({t.rule.name for t in subterms(program) if isinstance(t, Custom) and not t.rule.is_checked})
    return f"differs: the rule of {', '.join(free)} has check=False" if free else ""


class _SkippedError(Exception):
    """A route that is not tried, and why."""


def _measured(name: str, make: Callable[[_Work], Iterator[float]], work: _Work) -> Route:
    try:
        return Route(name, tuple(make(work)))
    except _SkippedError as error:
        return Route(name, note=str(error))
    except NotDifferentiableError as error:
        return Route(name, note="none: " + str(error).split("\n")[0])


def _judged(name: str, routes: list[Route], work: _Work) -> DerivativeReport:
    """Each route against the first that gave something; differences are less exact than the others."""
    found = [route for route in routes if route.values]
    if not found:
        raise ArgumentError(f"{name} has no derivative here: {routes[0].note}")
    reference = found[0].values
    scales = [max(1e-30, _magnitude(work, k), abs(v)) for k, v in enumerate(reference)]
    judged = []
    excuse = _excuse(work)
    for route in routes:
        pairs = zip(route.values, reference, scales, strict=False)
        error = max([_distance(a, b) / s for a, b, s in pairs], default=0.0)
        exact = route.name != "differences"
        allowed = (1e-3 if exact else 5e-2) if work.is_single else (1e-8 if exact else 1e-5)
        own = excuse if route.name in RUN_THE_FUNCTION else ""
        judged.append(Route(route.name, route.values, error, route.note, error <= allowed, own))
    report = DerivativeReport(name, judged)
    if not report:
        hint = "differences mislead at a kink (abs, max, a branch) or where values are huge: try other arguments"
        raise DerivativeMismatchError(f"{report}\n  hint: {hint}")
    return report


def _distance(a: float, b: float) -> float:
    if a == b or (np.isnan(a) and np.isnan(b)):
        return 0.0
    return abs(a - b) if np.isfinite(a) and np.isfinite(b) else float("inf")


def _magnitude(work: _Work, k: int) -> float:
    """How large the terms are that the derivative along direction k is a sum of."""
    direction, cotangent = work.tries[k]
    _, tangent = jvp(work.f, work.wrt)(*work.point, tangent=work.given(direction))
    return sum([float(np.sum(np.abs(c * t))) for c, t in zip(numbers(cotangent), numbers(tangent), strict=True)])
