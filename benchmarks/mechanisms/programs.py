"""The programs that mechanisms are tried on: routes, users' programs, whole arrays, arrays changed in place, workloads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import fsmooth as fs
from benchmarks.arrays.programs import forms, weighted
from benchmarks.compiling.programs import Example, examples
from benchmarks.mechanisms.assignments import assignments
from benchmarks.reverse.rows import ROWS
from benchmarks.reverse.workload import Workload
from benchmarks.routes.programs import by, derivatives


@dataclass(frozen=True)
class Program:
    """A function, made anew, and arguments for it."""

    name: str
    make: Callable[[], fs.Function]
    arguments: tuple[Any, ...]


def programs() -> Iterator[Program]:
    """All of them."""
    yield from _routes()
    yield from _users()
    yield from _arrays()
    yield from _assignments()
    yield from _workloads()


def _routes() -> Iterator[Program]:
    for derivative in derivatives():
        shape, arguments = list(derivative.calls.items())[-1]
        for route in derivative.routes:
            make = lambda derivative=derivative, route=route: derivative.make(*by(route))  # noqa: E731
            yield Program(f"{derivative.name} {shape}, {route}", make, tuple(arguments))


def _users() -> Iterator[Program]:
    verbs: dict[str, Callable[[Example], Callable[[], fs.Function]]] = {
        "value": lambda e: lambda: fs.function(e.function),
        "gradient": lambda e: lambda: fs.grad(e.function),
        "HVP": lambda e: lambda: fs.hvp(e.function),
    }
    for name, example in examples().items():
        for verb, make in verbs.items():
            first, *others = example.arguments
            along = (np.ones(len(first)),) if verb == "HVP" else ()
            yield Program(f"{name}, {verb}", make(example), (first, *along, *others))


def _arrays() -> Iterator[Program]:
    for form in forms(1000, 100, 300):
        yield Program(form.name, lambda form=form: fs.function(form.whole), form.arguments)
        whole, arguments, wrt = form.whole, form.arguments, form.wrt
        if form.weights is not None:
            whole = weighted(whole, len(arguments))
            arguments, wrt = (form.weights, *arguments), tuple([k + 1 for k in wrt])
        make = lambda whole=whole, wrt=wrt: fs.grad(whole, wrt=wrt if len(wrt) > 1 else wrt[0])  # noqa: E731
        yield Program(f"{form.name}, gradient", make, arguments)


def _assignments() -> Iterator[Program]:
    for function, arguments in assignments():
        yield Program(function.__name__, lambda function=function: fs.function(function), arguments)
        gradient = lambda function=function: fs.grad(function, method="reverse")  # noqa: E731
        yield Program(f"{function.__name__}, gradient", gradient, arguments)


def _workloads() -> Iterator[Program]:
    for name, made in ROWS.items():
        workload = made()
        if isinstance(workload, Workload):
            for what, function in (("primal", workload.primal), ("derivative", workload.derivative)):
                make = lambda function=function: fs.Function(function.program, function.schedule)  # noqa: E731
                yield Program(f"{name}, {what}", make, tuple(workload.arguments))
