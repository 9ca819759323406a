"""Integer terms as polynomials (rewrite/linear.py): through definitions, each of which is read once; what they prove."""

from __future__ import annotations

import itertools
import random

import pytest

from fsmooth.core import primitives as p
from fsmooth.core.build import minus, plus, prim, times
from fsmooth.core.evaluate import evaluate
from fsmooth.core.integers import FITS
from fsmooth.core.pretty import show
from fsmooth.core.term import Check, Const, Lam, Length, Prim, Term, Var
from fsmooth.core.types import F64, INT, Array
from fsmooth.library import parse
from fsmooth.optimise.schedules import SCHEDULES
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.linear import polynomial
from tests.calls import calls_of

I, N = Var("i", INT), Var("n", INT)


def test_equal_terms_have_equal_polynomials() -> None:
    left = times(plus(I, Const(2)), minus(N, I))
    right = plus(minus(times(I, N), times(I, I)), times(Const(2), minus(N, I)))
    assert polynomial(left).plus(polynomial(right), -1).is_zero()
    assert not polynomial(left).plus(polynomial(plus(right, Const(1))), -1).is_zero()
    assert polynomial(Check(I, N)).plus(polynomial(I), -1).is_zero()


def test_definitions_that_double_are_read_once() -> None:
    """q1 = i + i, q2 = q1 + q1, …"""

    def doubled(times_: int) -> tuple[Term, dict[Var, Term]]:
        definitions: dict[Var, Term] = {}
        last = I
        for k in range(times_):
            var = Var(f"q{k}", INT)
            definitions[var] = prim(p.add, last, last)
            last = var
        return last, definitions

    few, many = doubled(10), doubled(20)
    assert list(polynomial(few[0], few[1].get).coefficients.values()) == [2**10]
    assert list(polynomial(many[0], many[1].get).coefficients.values()) == [2**20]
    work = [calls_of(lambda q=q: polynomial(q[0], q[1].get)) for q in (few, many)]
    assert work[1] < 2.2 * work[0]


# -- maxima and minima -----------------------------------------------------------------------------------------------

M, R = Var("m", INT), Var("r", INT)
ATOMS = {
    "n": N,
    "m": M,
    "r": R,
    "max n 0": prim(p.maximum, N, Const(0)),
    "max 0 n": prim(p.maximum, Const(0), N),
    "max (n - 1) 0": prim(p.maximum, minus(N, Const(1)), Const(0)),
    "min n m": prim(p.minimum, N, M),
    "max (min n m) 0": prim(p.maximum, prim(p.minimum, N, M), Const(0)),
    "r + 1": plus(R, Const(1)),
}


def below(size: Term) -> Facts:
    """What is known in a loop of r over this size."""
    facts = Facts()
    facts.ranges[R] = size
    return facts


@pytest.mark.parametrize("size", [name for name in ATOMS if "m" in name and name != "m"])
def test_what_is_proved_in_a_loop_over_a_maximum_holds(size: str) -> None:
    facts = below(ATOMS[size])
    proved = {(a, b) for a, b in itertools.permutations(ATOMS, 2) if facts.less(ATOMS[a], ATOMS[b])}
    assert ("r", size) in proved
    for n, m, r in itertools.product(range(-3, 5), range(-3, 5), range(5)):
        values = {N: n, M: m, R: r}
        if r < int(evaluate(ATOMS[size], values)):  # type: ignore[call-overload]
            for a, b in proved:
                assert evaluate(Prim(p.less, (ATOMS[a], ATOMS[b])), values), (a, b, values)


@pytest.mark.parametrize(
    ("size", "a", "b"),
    [
        ("max n 0", "r", "n"),
        ("max 0 n", "r", "n"),
        ("max n 0", "r", "max 0 n"),
        ("max (n - 1) 0", "r", "max n 0"),
        ("max (n - 1) 0", "r + 1", "n"),
        ("max (n - 1) 0", "r + 1", "max n 0"),
        ("min n m", "r", "n"),
        ("min n m", "r", "max n 0"),
        ("max (min n m) 0", "r", "n"),
        ("max (min n m) 0", "r", "m"),
    ],
)
def test_an_index_below_a_maximum_or_minimum_is_in_bounds(size: str, a: str, b: str) -> None:
    assert below(ATOMS[size]).within(ATOMS[a], ATOMS[b])


def test_a_name_for_a_maximum_is_one() -> None:
    name = Var("size", INT)
    facts = below(name)
    facts.definitions[name] = ATOMS["max (n - 1) 0"]
    assert facts.within(ATOMS["r + 1"], N)
    assert facts.within(R, ATOMS["max n 0"])
    assert facts.truth(Prim(p.less_equal, (Const(0), name))) is True
    assert not facts.less(R, M)


def test_no_guard_is_left_in_a_loop_over_a_maximum() -> None:
    """The simplest derivative of an array that is built: each element depends on the number of its own."""
    program = parse(
        "fun (n : Int) -> build (maximum n 0) (fun r ->"
        " sum (maximum n 0) (fun i -> if r == i then 2.0 * to_float i else zero Float))"
    )
    assert isinstance(program, Lam)
    assert "if" not in show(SCHEDULES["DEFAULT"](program)).split()


# -- quotients -------------------------------------------------------------------------------------------------------


def quotient(a: Term, d: int) -> Term:
    return prim(p.floor_divide, a, Const(d))


HALF, WINDOWS = quotient(N, 2), plus(quotient(minus(N, M), 2), Const(1))
QUOTIENTS = {
    "n": N,
    "n // 2": HALF,
    "3 n": times(Const(3), N),
    "(n - m) // 2 + 1": WINDOWS,
    "(n + 2) // 3": quotient(plus(N, Const(2)), 3),
}


def in_a_loop(size: Term) -> Facts:
    """What is known in a loop of r over this size, which runs."""
    facts = below(size)
    facts.repeats(size)
    return facts


@pytest.mark.parametrize("size", QUOTIENTS)
def test_what_is_proved_of_quotients_holds(size: str) -> None:
    """Of some 3,000 pairs of random terms; a tenth of them at least is proved."""
    rng = random.Random(size)
    facts = in_a_loop(QUOTIENTS[size])
    parts = [N, M, R, HALF, quotient(R, 2), quotient(R, 3), quotient(minus(N, M), 2), quotient(plus(R, N), 4)]
    terms = []
    for _ in range(80):
        term: Term = Const(rng.randint(-3, 3))
        for part in rng.sample(parts, rng.randint(1, 3)):
            term = plus(term, times(Const(rng.choice((-3, -2, -1, 1, 1, 2, 3))), part))
        terms.append(term)
    pairs = [rng.sample(terms, 2) for _ in range(3_000)]
    pairs += [[minus(t, Const(k)), t] for t in terms for k in (1, 2)]
    proved = [(a, b) for a, b in pairs if facts.less(a, b)]
    assert len(proved) > 160
    for n, m, r in itertools.product(range(-3, 9), range(-3, 4), range(24)):
        values = {N: n, M: m, R: r}
        if r < int(evaluate(QUOTIENTS[size], values)):  # type: ignore[call-overload]
            for a, b in proved:
                assert evaluate(a, values) < evaluate(b, values), (show(a), show(b), values)


@pytest.mark.parametrize(
    ("size", "index", "bound"),
    [
        ("n // 2", times(Const(2), R), N),
        ("n // 2", plus(times(Const(2), R), Const(1)), N),
        ("n", quotient(R, 2), N),
        ("n", quotient(R, 2), quotient(plus(N, Const(1)), 2)),
        ("3 n", quotient(R, 3), N),
        ("(n - m) // 2 + 1", plus(times(Const(2), R), minus(M, Const(1))), N),
        ("n", prim(p.maximum, minus(R, Const(1)), Const(0)), N),
        ("n", prim(p.minimum, plus(R, Const(1)), minus(N, Const(1))), N),
    ],
)
def test_an_index_by_a_quotient_is_in_bounds(size: str, index: Term, bound: Term) -> None:
    facts = in_a_loop(QUOTIENTS[size])
    facts.assume(Prim(p.less_equal, (Const(1), M)), True)
    assert facts.within(index, bound)


@pytest.mark.parametrize(
    ("size", "index", "bound"),
    [
        ("n // 2", plus(times(Const(2), R), Const(2)), N),
        ("3 n", quotient(R, 2), N),
        ("n", quotient(plus(R, Const(2)), 2), quotient(plus(N, Const(1)), 2)),
        ("n", quotient(minus(R, Const(1)), 2), N),
        ("(n - m) // 2 + 1", plus(times(Const(2), R), M), N),
    ],
)
def test_one_too_far_is_not(size: str, index: Term, bound: Term) -> None:
    facts = in_a_loop(QUOTIENTS[size])
    facts.assume(Prim(p.less_equal, (Const(1), M)), True)
    assert not facts.within(index, bound)


FAR = Const(2**62)


@pytest.mark.parametrize(
    "index",
    [
        prim(p.floor_divide, times(R, FAR), FAR),
        prim(p.maximum, minus(times(R, FAR), times(Const(3), FAR)), Const(0)),
        prim(p.minimum, times(R, FAR), minus(N, Const(1))),
    ],
)
def test_what_may_have_wrapped_around_is_not_proved(index: Term) -> None:
    """As integers they are in bounds; modulo 2**64 a quotient of a product, or a larger one, is another number."""
    facts = in_a_loop(N)
    assert not facts.within(index, N)


# -- products of sizes -----------------------------------------------------------------------------------------------

MATRIX, OTHER, J = Var("A", Array(Array(F64))), Var("x", Array(F64)), Var("j", INT)


def test_a_size_that_may_have_wrapped_around_is_not_above_an_index() -> None:
    """An array of n * m elements has none if n and m are 2**32."""
    facts = in_a_loop(N)
    facts.ranges[J] = M
    facts.repeats(M)
    index, size = plus(times(R, M), J), times(N, M)
    assert facts.less(index, size)
    assert not facts.within(index, size)
    assert not facts.within(index, times(Length(OTHER), Length(MATRIX)))


def test_an_array_has_no_more_elements_than_memory() -> None:
    rows, columns = Length(MATRIX, 0), Length(MATRIX, 1)
    facts = in_a_loop(rows)
    facts.ranges[J] = columns
    facts.repeats(columns)
    index = plus(times(R, columns), J)
    assert facts.within(index, times(rows, columns))
    assert not facts.within(plus(index, Const(1)), times(rows, columns))
    assert not facts.are_exact(times(rows, rows))
    assert not facts.are_exact(times(times(rows, rows), columns))
    facts.definitions[MATRIX] = Var("B", Array(Array(F64)))
    assert not facts.are_exact(times(rows, columns))  # what is only defined may never be stored


def fitting(limit: float) -> Term:
    sizes = [Prim(p.to_float, (Length(array),)) for array in (OTHER, MATRIX)]
    return Prim(p.less_equal, (prim(p.multiply, *sizes), Const(limit)))


def test_products_that_are_known_to_fit_have_not_wrapped_around() -> None:
    """As an annotation requires them: `x: fs.Array["n * m"]`."""
    rows, columns, flat = Length(OTHER), Length(MATRIX), Length(Var("y", Array(F64)))
    facts = in_a_loop(rows)
    facts.ranges[J] = columns
    facts.repeats(columns)
    undo = facts.assume(fitting(FITS), True)
    known = facts.assume(Prim(p.equal, (flat, times(rows, columns))), True)
    index = plus(times(R, columns), J)
    assert facts.within(index, flat)
    assert not facts.within(plus(index, Const(1)), flat)
    assert not facts.within(plus(times(J, columns), R), flat)
    facts.forget(known)
    facts.forget(undo)
    assert not facts.are_exact(times(rows, columns))
    for condition, holds in ((fitting(2 * FITS), True), (fitting(FITS), False)):
        facts.assume(condition, holds)
        assert not facts.are_exact(times(rows, columns))
        facts.assume(Prim(p.equal, (flat, times(rows, columns))), True)
        assert not facts.within(index, flat)


# -- indices whose ranges depend on others ---------------------------------------------------------------------------

J, V = Var("j", INT), Var("v", Array(F64))


@pytest.mark.parametrize("start", [0, 1, 3])
@pytest.mark.parametrize("swapped", [False, True])
def test_indices_of_triangles(start: int, swapped: bool) -> None:
    """Of i < n and j < n - (i + start), i + start + j is below n, in whatever order they are looked at."""
    facts = Facts()
    first = plus(I, Const(start))
    ranges = {I: Length(V), J: minus(Length(V), first)}
    facts.ranges.update(reversed(ranges.items()) if swapped else ranges.items())
    assert facts.within(plus(J, first) if swapped else plus(first, J), Length(V))
    assert not facts.within(plus(plus(first, J), Const(1)), Length(V))
    assert not facts.within(plus(plus(first, J), I), Length(V))
