"""`fs.tune`: which schedule and method make a function fastest, for arguments like these, found by running them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from fsmooth.api import AnySchedule, known_schedule
from fsmooth.callables import Function
from fsmooth.core.term import Method, Verb
from fsmooth.errors import ArgumentError, Error
from fsmooth.frontend.programs import DerivedProgram, Program
from fsmooth.laws.law import Law
from fsmooth.optimise.schedule import Schedule
from fsmooth.optimise.schedules import named
from fsmooth.runtime import cache

CALLS = 5
"""Rounds of calls that are timed, at least."""

SHORTEST = 1e-3
"""Calls are repeated until they take so many seconds together."""

_METHODS = (Method.FORWARD, Method.REVERSE)
_OF_BOTH = (Verb.GRAD, Verb.VALUE_AND_GRAD, Verb.JACOBIAN)


class Way(Struct, frozen=True):
    """One way to make a function: its schedule, the method of its derivative ("" if it is none), and how long a call took.

    `seconds` is None if the way was not tried, because the time was over, or failed; `note` says why.
    """

    schedule: str
    method: str
    seconds: float | None = None
    note: str = ""

    def __str__(self) -> str:
        took = self.note if self.seconds is None else f"{self.seconds * 1e6:.4g} µs"
        return f"{self.schedule:32} {self.method or '-':10} {took}"


class Tuned:
    """What `tune` found: `function` is the fastest; `ways` are all that there were, with the times of those that were run."""

    def __init__(self, function: Function[..., Any], best: Way, ways: Sequence[Way]) -> None:
        self.function = function
        self.best = best
        self.ways = tuple(ways)

    def __str__(self) -> str:
        return "\n".join([f"{'>' if way is self.best else ' '} {way}" for way in self.ways])

    def __repr__(self) -> str:
        return (
            f"<tuned {self.function.__name__}: {self.best.schedule}{f', {self.best.method}' * bool(self.best.method)}>"
        )


def tune(
    f: Function[..., Any],
    *args: object,
    over: Sequence[AnySchedule] = ("DEFAULT", "DPS", "LICM"),
    laws: Sequence[Law] = (),
    budget: float = 10.0,
    **kwargs: object,
) -> Tuned:
    """The fastest of the ways to make a function, for arguments like these.

    It is made by each schedule, with each of the optional laws and without, and its derivative, if it is one whose method was
    left open, in both modes; each is called, as often as the time allows.  What was found is kept on disk, for functions,
    schedules and sizes like these: later processes take it.

    Args:
        f: What a verb made: `fs.function(f)`, `fs.grad(f)`, …
        args: Arguments for it; others by keyword.
        over: The schedules that are tried.
        laws: Laws that need not be used; each is tried with every schedule.
        budget: No further way is tried after so many seconds.

    Raises:
        ArgumentError: for what is no function of fsmooth, and for no schedule.
        UnknownMethodError: for a schedule that does not exist.

    >>> import numpy as np, fsmooth as fs
    >>> found = fs.tune(fs.grad(lambda x: sum(v * v for v in x)), np.ones(100))
    >>> found.function(np.ones(3))
    array([2., 2., 2.])
    """
    if not isinstance(f, Function):
        raise ArgumentError(f"fs.tune of {f!r}\n  hint: give it what fs.function, fs.grad or another verb made")
    if not over:
        raise ArgumentError("fs.tune over no schedule\n  hint: leave `over` out, or name one")
    call = partial(_called, args=args, kwargs=kwargs)
    candidates = list(_candidates(f, over, laws))
    known = _known(f, args, kwargs, [(way.schedule, way.method, content, f.asked) for way, _, content in candidates])
    number = None if known is None else known.read()
    if number is not None:
        way, make, _ = candidates[number]
        return Tuned(make(), way, [w for w, _, _ in candidates])
    tried = list(_tried(candidates, call, budget))
    finished = [k for k, (way, _) in enumerate(tried) if way.seconds is not None]
    if not finished:
        call(candidates[0][1]())  # raises what is wrong with it
    fastest = min(finished, key=lambda k: tried[k][0].seconds or 0.0)
    if known is not None:
        known.write(fastest)
    way, function = tried[fastest]
    assert function is not None
    return Tuned(function, way, [w for w, _ in tried])


Make = Callable[[], Function[..., Any]]
Call = Callable[[Function[..., Any]], object]


def _candidates(
    f: Function[..., Any], over: Sequence[AnySchedule], laws: Sequence[Law]
) -> Iterator[tuple[Way, Make, str]]:
    """All ways, the likeliest first, each with the content of its schedule."""
    schedules = [named(known_schedule(given)) for given in over]
    schedules += [schedule.with_rules(law) for schedule in schedules for law in laws]
    for program, method in _programs(f.program):
        for schedule in schedules:
            yield Way(schedule.name, method), _maker(f, program, schedule), schedule.content


def _maker(f: Function[..., Any], program: Program, schedule: Schedule) -> Make:
    return lambda: type(f)(program, schedule, f.asked)


def _programs(program: Program) -> Iterator[tuple[Program, str]]:
    """The program by each method that it can have."""
    if not isinstance(program, DerivedProgram):
        yield program, ""
    elif program.verb not in _OF_BOTH or program.method is not Method.AUTO:
        yield program, program.method.value
    else:
        yield program, Method.AUTO.value
        for method in _METHODS:
            yield _by(program, method), method.value


def _by(program: DerivedProgram, method: Method) -> DerivedProgram:
    return DerivedProgram(program.program, program.verb, program.wrt, program.single, method, program.checkpoint)


def _tried(
    candidates: Sequence[tuple[Way, Make, str]], call: Call, budget: float
) -> Iterator[tuple[Way, Function[..., Any] | None]]:
    start = time.perf_counter()
    for k, (way, make, _) in enumerate(candidates):
        if k and time.perf_counter() - start > budget:
            yield Way(way.schedule, way.method, None, "not tried: the time was over"), None
            continue
        try:
            function = make()
            call(function)
        except Error as error:
            yield Way(way.schedule, way.method, None, str(error).split("\n", maxsplit=1)[0]), None
            continue
        yield Way(way.schedule, way.method, _seconds(partial(call, function))), function


def _called(function: Function[..., Any], args: tuple[object, ...], kwargs: Mapping[str, object]) -> object:
    return function(*args, **kwargs)


def _seconds(call: Callable[[], object]) -> float:
    """The median of what a call takes."""
    start = time.perf_counter()
    call()
    repeats = max(1, int(SHORTEST / max(1e-9, time.perf_counter() - start)))
    rounds = []
    for _ in range(CALLS):
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        rounds.append((time.perf_counter() - start) / repeats)
    return statistics.median(rounds)


class _Known:
    """Where what was found is kept."""

    def __init__(self, key: str) -> None:
        self.path = cache.directory() / f"{key}.tuned"

    def read(self) -> int | None:
        """The number of the fastest way, if it was found before."""
        content = cache.read(self.path)
        return None if content is None else int(content)

    def write(self, number: int) -> None:
        """Keep it."""
        cache.write(self.path, str(number).encode())


def _known(
    f: Function[..., Any],
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
    ways: Sequence[tuple[object, ...]],
) -> _Known | None:
    """Where the answer is kept, if the program is one that later processes can tell."""
    entry, values = f._entry(args, kwargs)
    if entry.manifest is None:
        return None
    shapes = [getattr(value, "shape", ()) for value in entry.inputs(values)]
    return _Known(cache.key("tuned", entry.manifest.key, repr(shapes), repr(ways)))
