"""The programs that mechanisms are tried on: routes, users' programs, examples, whole arrays, assignments, workloads,
and those that mechanisms were written for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np

import fsmooth as fs
from benchmarks.arrays.programs import forms, weighted
from benchmarks.compiling.programs import Example, examples
from benchmarks.mechanisms.assignments import assignments
from benchmarks.mechanisms.program import Program
from benchmarks.mechanisms.purposes import purposes
from benchmarks.reverse.rows import ROWS
from benchmarks.reverse.workload import Workload
from benchmarks.routes.programs import by, derivatives
from benchmarks.workloads import expressions, product_sum, tree_lstm


def programs() -> Iterator[Program]:
    """All of them."""
    yield from _routes()
    yield from _users()
    yield from _examples()
    yield from _arrays()
    yield from _products()
    yield from _assignments()
    yield from _workloads()
    yield from _recursion()
    yield from purposes()


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
        "first half of a vjp": lambda e: lambda: fs.vjp(e.function),
    }
    for name, example in examples().items():
        for verb, make in verbs.items():
            first, *others = example.arguments
            along = (np.ones(len(first)),) if verb == "HVP" else ()
            yield Program(f"{name}, {verb}", make(example), (first, *along, *others))


def _examples() -> Iterator[Program]:
    """What the programs of examples/ compile."""
    r = np.random.default_rng(0).standard_normal
    ode, rod = _example("fit_an_ode"), _example("one_sensor")
    p, start = np.array([1.4, 1.1, 2.8, 1.1]), np.array([1.0, 1.0])
    yield Program("trajectory", lambda: fs.function(ode.trajectory.__wrapped__), (p, start))
    yield Program("trajectory, sensitivities", lambda: fs.jacobian(ode.trajectory.__wrapped__, wrt="p"), (p, start))
    loss = _example("logistic_regression").loss.__wrapped__
    data = r(10), r((500, 10)), np.sign(r(500)), 1e-4
    yield Program("logistic loss, value and gradient", lambda: fs.value_and_grad(loss), data)
    mixture, three = _example("mixture_model").log_likelihood.__wrapped__, ("logits", "means", "log_scales")
    points = np.zeros(3), np.array([-1.0, 0.0, 1.0]), np.zeros(3), r(500)
    yield Program("mixture, value and gradient", lambda: fs.value_and_grad(mixture, wrt=three), points)
    rosenbrock = _example("newton").rosenbrock.__wrapped__
    yield Program("rosenbrock, gradient", lambda: fs.grad(rosenbrock), (np.zeros(10),))
    yield Program("rosenbrock, Hessian", lambda: fs.hessian(rosenbrock), (np.zeros(10),))
    heated = np.linspace(0.0, 1.0, 10_000), np.full(10_000, 0.2), 100, 5_000
    sensor = rod.temperature.__wrapped__
    yield Program("one sensor, gradient", lambda: fs.grad(sensor, wrt="c", method="reverse"), heated)


def _example(name: str) -> ModuleType:
    spec = spec_from_file_location(name, Path(__file__).parents[2] / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _arrays() -> Iterator[Program]:
    for form in forms(1000, 100, 300):
        yield Program(form.name, lambda form=form: fs.function(form.whole), form.arguments)
        whole, arguments, wrt = form.whole, form.arguments, form.wrt
        if form.weights is not None:
            whole = weighted(whole, len(arguments))
            arguments, wrt = (form.weights, *arguments), tuple([k + 1 for k in wrt])
        make = lambda whole=whole, wrt=wrt: fs.grad(whole, wrt=wrt if len(wrt) > 1 else wrt[0])  # noqa: E731
        yield Program(f"{form.name}, gradient", make, arguments)


def _products() -> Iterator[Program]:
    """Products of matrices that do not fit the fastest cache."""
    a, b = np.random.default_rng(0).standard_normal((2, 300, 300))
    yield Program("product of matrices", lambda: fs.function(lambda a, b: a @ b), (a, b))
    yield Program("product of matrices, gradient", lambda: fs.grad(lambda a, b: np.sum((a @ b) ** 2)), (a, b))


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


def _recursion() -> Iterator[Program]:
    """Programs over trees that call themselves; the determinant by minors is among the workloads."""
    tree, model = product_sum.generate(4096), tree_lstm.generate(32, 32, 3)
    expression = expressions.generate(10_000)
    for name, function, wrt, arguments in (
        ("product-sum", product_sum.total, product_sum.WRT, (tree, product_sum.A, product_sum.B)),
        ("TreeLSTM", tree_lstm.loss, "p", model),
        ("expression", expressions.by_match, ("e", "x"), expression),
    ):
        yield Program(f"{name}, value", lambda f=function: fs.function(f), arguments)
        yield Program(f"{name}, gradient", lambda f=function, wrt=wrt: fs.grad(f, wrt=wrt), arguments)
