"""Bounds of integers hold for whatever the names are, and a function never takes more than it says."""

from __future__ import annotations

import random

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL, INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import integer
from fsmooth.loops.bounds import Bounds
from fsmooth.loops.intervals import Interval, Length, exactly, interval
from tests.shipping.from_python import call, loaded

BINARY = (p.add, p.subtract, p.multiply, p.maximum, p.minimum, p.floor_divide, p.modulo)


def made(rng: random.Random, depth: int) -> t.Expression:
    """A random expression in the length n, the integer k, and i between 0 and n - 1."""
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([t.Name("n", INT), t.Name("k", INT), t.Name("i", INT), integer(rng.randint(-3, 4))])
    parts = [made(rng, depth - 1) for _ in range(2)]
    if rng.random() < 0.15:
        return t.Conditional(t.Operation(p.less, (parts[0], parts[1]), BOOL), *parts)
    return t.Operation(rng.choice(BINARY), tuple(parts), INT)


def value(e: t.Expression, names: dict[str, int]) -> int:
    match e:
        case t.Literal(x):
            return int(x)
        case t.Name(name):
            return names[name]
        case t.Conditional(c, a, b):
            return value(a if value(c, names) else b, names)
        case t.Operation(primitive, arguments):
            a, b = [value(x, names) for x in arguments]
            if primitive in (p.floor_divide, p.modulo) and b == 0:
                return 0
            return {
                p.add: a + b,
                p.subtract: a - b,
                p.multiply: a * b,
                p.maximum: max(a, b),
                p.minimum: min(a, b),
                p.less: a < b,
                p.floor_divide: a // b if b else 0,
                p.modulo: a % b if b else 0,
            }[primitive]
    raise TypeError(e)


@pytest.mark.parametrize("seed", range(20))
def test_of_random_expressions(seed):
    rng = random.Random(seed)
    n, k = Length("n", INT), t.Name("k", INT)
    known = {"n": exactly(n), "k": exactly(k), "i": Interval(integer(0), t.Operation(p.subtract, (n, integer(1)), INT))}
    bounded = 0
    for _ in range(300):
        e = made(rng, 4)
        found = interval(e, known)
        bounded += found.upper is not None
        for _ in range(8):
            size = rng.randint(1, 7)
            names = {"n": size, "k": rng.randint(-6, 9), "i": rng.randint(0, size - 1)}
            if found.upper is not None:
                assert value(e, names) <= value(found.upper, names)
            if found.lower is not None:
                assert value(e, names) >= value(found.lower, names)
    assert bounded > 100


def counted(step: int, limit: t.Expression, *, twice: bool = False) -> t.Body:
    k = t.Name("k", INT)
    body = (t.Assign("k", t.Operation(p.add, (k, integer(step)), INT)),) * (2 if twice else 1)
    condition = t.Conditional(t.Name("go", BOOL), t.Operation(p.less, (k, limit), BOOL), t.Literal(False, BOOL))
    return (t.Declare("k", INT, None, mutable=True), t.Assign("k", integer(0)), t.While((), condition, body))


def upper_of(body: t.Body, name: str = "k") -> t.Expression | None:
    function = t.Function("f", (t.Parameter("n", INT), t.Parameter("go", BOOL)), body)
    return interval(t.Name(name, INT), Bounds(function)).upper


def test_of_a_counter_in_a_loop_with_a_limit():
    n = t.Name("n", INT)
    upper = upper_of(counted(3, n))
    assert upper is not None
    assert [value(upper, {"n": size}) for size in (-5, 0, 1, 10)] == [0, 2, 3, 12]
    for unbounded in (counted(1, n, twice=True), counted(-1, n), counted(1, t.Load("x", n, INT))):
        assert upper_of(unbounded) is None


def test_a_step_is_of_the_same_iteration():
    n, k, after = [t.Name(x, INT) for x in ("n", "k", "after")]
    counted_up = t.Declare("after", INT, t.Operation(p.add, (k, integer(1)), INT))
    first = (t.Declare("k", INT, integer(100), mutable=True),)
    loop = t.While((), t.Operation(p.less, (k, n), BOOL), (counted_up, t.Assign("k", after)))
    upper = upper_of((*first, loop))
    assert upper is not None
    assert [value(upper, {"n": size}) for size in (1, 200)] == [100, 200]
    stale = t.While((), t.Operation(p.less, (k, n), BOOL), (t.Assign("k", after),))
    assert upper_of((*first, counted_up, t.Assign("k", integer(0)), stale)) is None
    other = t.Declare("after", INT, t.Operation(p.add, (k, integer(1)), INT), mutable=True)
    changed = t.While(
        (), t.Operation(p.less, (k, n), BOOL), (other, t.Assign("k", after), t.Assign("after", integer(9)))
    )
    assert upper_of((*first, changed)) is None


def test_of_numbers_that_are_copied_round():
    """As outlined functions hand them on: local = k; while …: local = local + 1; k = local."""
    n, k, local = [t.Name(x, INT) for x in ("n", "k", "local")]
    step = t.Assign("local", t.Operation(p.add, (local, integer(1)), INT))
    loop = t.While((), t.Operation(p.less, (local, n), BOOL), (step,))
    before = (t.Declare("k", INT, integer(5), mutable=True), t.Declare("local", INT, k, mutable=True))
    upper = upper_of((*before, loop, t.Assign("k", local)))
    assert upper is not None
    assert [value(upper, {"n": size}) for size in (1, 10)] == [5, 10]
    again = t.While(
        (), t.Name("go", BOOL), (t.Assign("k", t.Operation(p.add, (local, integer(1)), INT)), t.Assign("local", k))
    )
    assert upper_of((*before, again)) is None
    assert upper_of((*before, again), "local") is None


def bounded_search(a, x, most):
    k = 0
    while abs(x * x - a) > 1e-15 and k < most:
        x = 0.5 * (x + a / x)
        k += 1
    return x


def triangle(x):
    return sum(np.sort(x[: i + 1])[i // 2] * np.sort(x[i:])[0] for i in range(len(x)))


def last_of_branches(x, A):
    if x[0] > 0:
        y = np.linalg.solve(A, x)
    else:
        y = np.sort(x)
    return np.sum(y * np.cumsum(y)[::-1])


def steps(x, n):
    total = 0.0
    for k in range(n):
        w = np.sort(x * k)[: max(len(x) - k, 1)]
        total += np.sum(np.tanh(w)) * w[0]
    return total


_RNG = np.random.default_rng(9)
_A = _RNG.normal(size=(6, 6)) + 4 * np.eye(6)


def twice_the_positive(x):
    return [2 * a for a in x if a > 0]


RUN = {
    "filter_dx": (fs.jacobian(twice_the_positive), [(_A[0],), (-np.abs(_A[0]),), (_A.ravel(),)]),
    "search": (fs.grad(bounded_search, method="reverse"), [(2.0, 1.0, 40), (2.0, 1.0, 0), (2.0, 1.0, 3)]),
    "triangle": (fs.function(triangle), [(_RNG.normal(size=n),) for n in (0, 1, 7, 300)]),
    "triangle_dx": (fs.grad(triangle, method="reverse"), [(_RNG.normal(size=n),) for n in (1, 7, 40)]),
    "branches": (fs.function(last_of_branches), [(sign * np.abs(_A[0]), _A) for sign in (1, -1)]),
    "branches_dx": (fs.grad(last_of_branches, method="reverse"), [(sign * np.abs(_A[0]), _A) for sign in (1, -1)]),
    "steps": (fs.function(steps), [(_A[0], n) for n in (-2, 0, 5)]),
    "steps_dx": (fs.grad(steps, method="reverse"), [(_A[0], n) for n in (-2, 0, 5)]),
    "products": (
        fs.function(lambda A, B: (A @ B) @ A),
        [(np.ones((m, n)), np.ones((n, m))) for m, n in ((3, 4), (0, 3), (70, 80), (600, 30), (30, 600))],
    ),
    "eigenvalues": (fs.function(lambda A: np.linalg.eigh(A @ A.T)), [(_A,), (_A[:1, :1],)]),
}


@pytest.mark.parametrize("name", RUN)
def test_what_it_says_it_needs_is_enough(name, tmp_path):
    f, calls = RUN[name]
    source, _ = fs.library("l", memory="caller", f=f).save(tmp_path / "l", example=calls[-1])
    handle = loaded(source, "-O1", "-std=gnu99", "-fwrapv")
    for example in calls:
        status, found = call(handle, "l_f", f, example)
        wanted = f(*example)
        assert status == 0, example
        for a, b in zip(*[x if isinstance(x, tuple) else (x,) for x in (found, wanted)], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_of_what_is_counted_in_loops():
    """At most a step in each iteration, from what it is before; nothing is known of one that goes round."""
    n, k = t.Name("n", INT), t.Name("k", INT)
    more = t.Conditional(t.Name("go", BOOL), integer(2), integer(0))
    step = t.Assign("k", t.Operation(p.add, (k, more), INT))
    first = t.Declare("k", INT, integer(1), mutable=True)
    loop = t.For("i", n, (step,), t.Kind.SEQUENTIAL)
    outer = t.For("j", integer(3), (loop,), t.Kind.SEQUENTIAL)
    for body, times in (
        ((first, loop), 1),
        ((first, outer), 3),
        ((t.For("j", integer(3), (first, loop), t.Kind.SEQUENTIAL),), 1),
    ):
        upper = upper_of(body)
        assert upper is not None
        assert [value(upper, {"n": size}) for size in (-4, 0, 5)] == [1, 1, 1 + 2 * times * 5]
    copy = t.Declare("old", INT, integer(0), mutable=True)
    round_ = t.For("j", n, (t.Assign("old", k), first, t.Assign("k", t.Name("old", INT)), loop), t.Kind.SEQUENTIAL)
    assert upper_of((copy, round_)) is None
    assert upper_of((first, t.While((), t.Name("go", BOOL), (loop,)))) is None
    less = t.Assign("k", t.Operation(p.add, (k, integer(-1)), INT))
    assert upper_of((first, t.For("i", n, (less,), t.Kind.SEQUENTIAL))) is None


def test_long_chains_of_numbers():
    n = t.Name("n", INT)
    chain: list[t.Statement] = [t.Declare("k0", INT, n)]
    for k in range(1, 100):
        chain.append(t.Declare(f"k{k}", INT, t.Operation(p.add, (t.Name(f"k{k - 1}", INT), integer(1)), INT)))
    upper = upper_of(tuple(chain), "k99")
    assert upper is not None
    assert value(upper, {"n": 3}) == 102
