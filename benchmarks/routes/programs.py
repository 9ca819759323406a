"""The programs whose derivatives `benchmarks.routes` makes by every route, and the shapes that they are measured at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import fsmooth as fs
from benchmarks.workloads import ba, files, gmm, lse

ONE = ("forward", "reverse")
NESTED = ("forward of forward", "forward of reverse", "reverse of forward", "reverse of reverse")
"""Outer of inner."""

Make = Callable[..., fs.Function]


@dataclass(frozen=True)
class Derivative:
    """A derivative that is made by the modes it is given, one for each verb, and calls of it, by the names of their shapes."""

    name: str
    make: Make
    calls: dict[str, tuple[Any, ...]]
    routes: tuple[str, ...] = ONE


def by(mode: str) -> tuple[str, ...]:
    """The methods of a route, outer first."""
    return tuple(mode.split(" of "))


def dense(x, W):
    """A layer: n to m."""
    return [fs.tanh(sum(W[i, j] * x[j] for j in range(len(x)))) for i in range(len(W))]


def deep(x, W, V):
    """Two layers: n to k to m."""
    hidden = [fs.tanh(sum(W[i, j] * x[j] for j in range(len(x)))) for i in range(len(W))]
    return [sum(V[i, j] * hidden[j] for j in range(len(hidden))) for i in range(len(V))]


def layer(W, x):
    """The squares of a layer, summed: differentiated by its matrix."""
    return sum(fs.tanh(sum(W[i, j] * x[j] for j in range(len(x)))) ** 2 for i in range(len(W)))


def elementwise(x):
    return [fs.sin(v) * v for v in x]


def softmax(x):
    largest = max(x)
    powers = [fs.exp(v - largest) for v in x]
    total = sum(powers)
    return [p / total for p in powers]


def windows(x, k):
    """A convolution: n to n - k + 1."""
    return [sum(k[j] * x[i + j] for j in range(len(k))) for i in range(len(x) - len(k) + 1)]


def curve(p: fs.Array[3], t):
    """A curve at m points: 3 to m."""
    return [p[0] * fs.exp(-p[1] * s) + p[2] for s in t]


def moments(x):
    """Three numbers of n."""
    mean = sum(x) / len(x)
    return [mean, sum((v - mean) ** 2 for v in x), sum((v - mean) ** 3 for v in x)]


def product(A, x):
    return [sum(A[i, j] * x[j] for j in range(len(x))) for i in range(len(A))]


def recurrent(h, W, steps):
    """The state of a network after some steps: n to n."""
    for _ in range(steps):
        h = [fs.tanh(sum(W[i, j] * h[j] for j in range(len(h)))) for i in range(len(h))]
    return h


def last_energy(h, W, steps):
    return sum(x * x for x in recurrent(h, W, steps))


def scalar_steps(x, a, steps):
    for _ in range(steps):
        x = fs.sin(x) + a
    return x


def pendulum(s: fs.Array[2], c: fs.Array[2], steps):
    """Two numbers to two, by steps."""
    for _ in range(steps):
        s = [s[0] + 0.01 * s[1], s[1] - 0.01 * (c[0] * fs.sin(s[0]) + c[1] * s[1])]
    return s


def polynomial(x: fs.Array[8]):
    return sum(x[i] * x[(i + 1) % 8] ** 2 for i in range(8))


def rosenbrock(x):
    return sum(100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in range(len(x) - 1))


def quadratic(x, A):
    return sum(x[i] * A[i, j] * x[j] for i in range(len(x)) for j in range(len(x)))


def squares(x):
    """Every pair: dense second derivatives."""
    return sum((x[i] - x[j]) ** 4 for i in range(len(x)) for j in range(len(x)))


def small_energy(x: fs.Array[3]):
    return fs.sin(x[0] * x[1]) * fs.exp(x[2]) + x[0] ** 2 * x[2]


def arm(q: fs.Array[3]):
    """The end of an arm of three joints: 3 to 2."""
    a, b, c = q[0], q[0] + q[1], q[0] + q[1] + q[2]
    return [fs.cos(a) + fs.cos(b) + 0.5 * fs.cos(c), fs.sin(a) + fs.sin(b) + 0.5 * fs.sin(c)]


def sphere(q: fs.Array[2]):
    """Angles to a point: 2 to 3."""
    return [fs.cos(q[0]) * fs.sin(q[1]), fs.sin(q[0]) * fs.sin(q[1]), fs.cos(q[1])]


def fixed(n: int, m: int) -> Callable[[Any, Any], Any]:
    """A layer whose sizes are built in."""

    def layer(x: fs.Array[n], W: fs.Array[m, n]):  # type: ignore[valid-type]
        return [fs.tanh(sum(W[i, j] * x[j] for j in range(n))) for i in range(m)]

    return layer


def each_row(f: Callable[..., Any], **options: Any) -> Make:
    """The Jacobian of a map of each row, in a loop."""

    def make(method: str) -> fs.Function:
        derivative = fs.jacobian(f, method=method, **options)
        return fs.function(lambda X: [derivative(x) for x in X])

    return make


def each_gradient(f: Callable[..., Any]) -> Make:
    """The gradient at each row, in a loop."""

    def make(method: str) -> fs.Function:
        derivative = fs.grad(f, method=method)
        return fs.function(lambda X: [derivative(x) for x in X])

    return make


def jacobian(f: Callable[..., Any], **options: Any) -> Make:
    return lambda method: fs.jacobian(f, method=method, **options)


def gradient(f: Callable[..., Any], **options: Any) -> Make:
    return lambda method: fs.grad(f, method=method, **options)


def hessian(f: Callable[..., Any], outer: Any = None, inner: Any = None) -> Make:
    return lambda first, second: fs.jacobian(fs.grad(f, wrt=inner, method=second), wrt=outer, method=first)


def hessian_vector(f: Callable[..., Any]) -> Make:
    def make(method: str) -> fs.Function:
        product = fs.hvp(f, method=method)
        return fs.function(lambda x, v: product(x, tangent=v))

    return make


def blocks(method: str) -> fs.Function:
    """The blocks of bundle adjustment: 15 to 2 of each observation."""
    derivative = fs.jacobian(ba.residual, wrt=("cam", "X", "w"), method=method)
    return fs.function(
        lambda cams, X, w, feats, cam_of, point_of: [
            derivative(cams[cam_of[i]], X[point_of[i]], w[i], feats[i]) for i in range(len(w))
        ]
    )


def mixture(method: str) -> fs.Function:
    return fs.grad(gmm.objective, wrt=("alpha", "mu", "q", "l"), method=method)


SIDES = (1, 2, 3, 8, 30, 200)
FIXED = ((1, 1), (1, 8), (8, 1), (2, 3), (3, 2), (2, 15), (15, 2), (3, 3), (8, 8), (4, 30), (30, 4), (30, 30))


def derivatives() -> Iterator[Derivative]:
    """All that is measured."""
    rng = np.random.default_rng(0)
    r = rng.random
    sides = {f"{n} to {m}": (n, m) for n in SIDES for m in SIDES}
    some = {f"{n} to {m}": (n, m) for n, m in ((1, 200), (3, 30), (30, 3), (200, 1), (30, 30))}
    vectors = {f"{n}": (r(n),) for n in SIDES}
    yield Derivative("layer, Jacobian", jacobian(dense), {k: (r(n), r((m, n))) for k, (n, m) in sides.items()})
    deep_calls = {k: (r(n), r((20, n)), r((m, 20))) for k, (n, m) in some.items()}
    yield Derivative("two layers, Jacobian", jacobian(deep), deep_calls)
    for n, m in FIXED:
        yield Derivative("layer of known size, Jacobian", jacobian(fixed(n, m)), {f"{n} to {m}": (r(n), r((m, n)))})
    yield Derivative("elementwise, Jacobian", jacobian(elementwise), vectors)
    yield Derivative("softmax, Jacobian", jacobian(softmax), vectors)
    yield Derivative("moments, Jacobian", jacobian(moments), vectors)
    yield Derivative("curve, Jacobian", jacobian(curve), {f"3 to {m}": (r(3), r(m)) for m in (1, 3, 30, 200)})
    kernels = {f"{n} and {k}": (r(n), r(k)) for n, k in ((8, 3), (200, 3), (200, 30))}
    yield Derivative("convolution by signal, Jacobian", jacobian(windows, wrt="x"), kernels)
    yield Derivative("convolution by kernel, Jacobian", jacobian(windows, wrt="k"), kernels)
    matrices = {k: (r((m, n)), r(n)) for k, (n, m) in some.items()}
    yield Derivative("matrix-vector by vector, Jacobian", jacobian(product, wrt="x"), matrices)
    yield Derivative("matrix-vector by matrix, Jacobian", jacobian(product, wrt="A"), matrices)
    yield Derivative("layer by matrix, gradient", gradient(layer), matrices)
    states = {f"{n}, 20 steps": (r(n), r((n, n)) / n, 20) for n in (1, 3, 8, 30)}
    yield Derivative("recurrence, Jacobian by state", jacobian(recurrent, wrt="h"), states)
    yield Derivative("recurrence, gradient by state", gradient(last_energy, wrt="h"), states)
    yield Derivative("recurrence, gradient by matrix", gradient(last_energy, wrt="W"), states)
    yield Derivative("scalar recurrence by one", gradient(scalar_steps, wrt="x"), {"1000 steps": (0.5, 0.25, 1000)})
    both = gradient(scalar_steps, wrt=("x", "a"))
    yield Derivative("scalar recurrence by two", both, {"1000 steps": (0.5, 0.25, 1000)})
    swings = {"1000 steps": (r(2), r(2), 1000)}
    yield Derivative("pendulum by state, Jacobian", jacobian(pendulum, wrt="s"), swings)
    yield Derivative("pendulum by both, Jacobian", jacobian(pendulum, wrt=("s", "c")), swings)
    yield Derivative("arm in a loop", each_row(arm), {"1000 of 3 to 2": (r((1000, 3)),)})
    yield Derivative("sphere in a loop", each_row(sphere), {"1000 of 2 to 3": (r((1000, 2)),)})
    energies = {"1000 of 3": (r((1000, 3)),)}
    yield Derivative("gradient in a loop", each_gradient(small_energy), energies)
    adjustment, made = files.either(partial(ba.load, "ba1_n49_m7776_p31843.txt"), partial(ba.made, 49, 7776, 31843))
    yield Derivative("ba blocks", blocks, {f"31843 of 15 to 2{made}": tuple(adjustment)})
    yield Derivative("polynomial of known size, gradient", gradient(polynomial), {"8": (r(8),)})
    yield Derivative("rosenbrock, gradient", gradient(rosenbrock), vectors)
    yield Derivative("lse, gradient", gradient(lse.primal), vectors)
    yield Derivative("gmm, gradient", mixture, {"small": (*gmm_problem(rng), gmm.ADBENCH)})
    yield Derivative("polynomial of known size, Hessian", hessian(polynomial), {"8": (r(8),)}, NESTED)
    yield Derivative("small energy, Hessian", hessian(small_energy), {"3": (r(3),)}, NESTED)
    yield Derivative("rosenbrock, Hessian", hessian(rosenbrock), vectors, NESTED)
    yield Derivative("lse, Hessian", hessian(lse.primal), vectors, NESTED)
    yield Derivative("pairs, Hessian", hessian(squares), {f"{n}": (r(n),) for n in SIDES[:-1]}, NESTED)
    quadratics = {f"{n}": (r(n), r((n, n))) for n in SIDES}
    yield Derivative("quadratic form, Hessian", hessian(quadratic), quadratics, NESTED)
    layers = {k: call for k, call in matrices.items() if k != "30 to 30"}
    yield Derivative("layer, Jacobian by input of gradient by matrix", hessian(layer, "x", "W"), layers, NESTED)
    pairs = {f"{n}": (r(n), r(n)) for n in SIDES}
    yield Derivative("rosenbrock, hvp", hessian_vector(rosenbrock), pairs)
    yield Derivative("lse, hvp", hessian_vector(lse.primal), pairs)
    yield Derivative("pairs, hvp", hessian_vector(squares), pairs)


def gmm_problem(rng: np.random.Generator) -> tuple[Any, ...]:
    """Five Gaussians of three dimensions, fifty points."""
    K, d, n = 5, 3, 50
    numbers = [rng.random(s) for s in ((K,), (K, d), (K, d), (K, d * (d - 1) // 2), (n, d))]
    return (*numbers, 1.0, 0)
