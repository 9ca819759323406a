"""What is proved of remainders and quotients, and of what is known more than once (rewrite/remainders.py, rewrite/linear.py)."""

from __future__ import annotations

import itertools
import random

import pytest

from fsmooth.core import primitives as p
from fsmooth.core.build import minus, plus, prim, times
from fsmooth.core.evaluate import evaluate
from fsmooth.core.pretty import show
from fsmooth.core.term import Const, Get, Prim, Term, Var
from fsmooth.core.types import INT, Array
from fsmooth.rewrite.facts import Facts

I, N, FAR = Var("i", INT), Var("n", INT), Var("far", Array(INT))


def quotient(a: Term, d: int) -> Term:
    return prim(p.floor_divide, a, Const(d))


def remainder(a: Term, d: int) -> Term:
    return prim(p.modulo, a, Const(d))


def between(low: int, high: Term) -> Facts:
    """Where low <= i <= high was asked."""
    facts = Facts()
    facts.assume(Prim(p.less_equal, (Const(low), I)), True)
    facts.assume(Prim(p.less_equal, (I, high)), True)
    return facts


BEFORE = minus(I, Const(1))


@pytest.mark.parametrize(
    ("index", "least"),
    [
        (quotient(I, 4), 6),
        (times(Const(4), quotient(BEFORE, 4)), 17),
        (plus(Const(6), times(Const(4), quotient(BEFORE, 4))), 23),
        (plus(times(Const(4), quotient(BEFORE, 4)), remainder(BEFORE, 4)), 20),
        (plus(remainder(BEFORE, 4), plus(Const(6), times(Const(4), quotient(BEFORE, 4)))), 26),
        (plus(quotient(I, 3), quotient(I, 5)), 11),
    ],
)
def test_the_smallest_size_that_it_is_below(index: Term, least: int) -> None:
    """Of i from 1 to 20."""
    facts = between(1, Const(20))
    assert facts.within(index, Const(least))
    assert not facts.within(index, Const(least - 1))


def test_a_table_of_rows_as_one_row() -> None:
    """i // 4 and i % 4 say where i is in rows of 4: put together again they are i, whatever n is."""
    facts = Facts()
    facts.ranges[I] = N
    facts.repeats(N)
    whole = plus(times(quotient(I, 4), Const(4)), remainder(I, 4))
    assert facts.within(whole, N)
    for other in (
        plus(times(quotient(I, 4), Const(4)), remainder(I, 3)),
        plus(times(quotient(I, 4), Const(4)), remainder(plus(I, Const(1)), 4)),
        plus(times(quotient(I, 4), Const(5)), remainder(I, 4)),
        plus(whole, Const(1)),
    ):
        assert not facts.within(other, N)


def test_names_for_quotients_and_remainders() -> None:
    row, column = Var("row", INT), Var("column", INT)
    facts = between(0, minus(N, Const(1)))
    facts.definitions |= {row: quotient(I, 4), column: remainder(I, 4)}
    assert facts.within(plus(times(Const(4), row), column), N)


def test_what_is_known_is_used_as_often_as_a_quotient_needs_it() -> None:
    """4 * ((i - 1) // 4) is at most i - 1, hence at most n - 1."""
    facts = between(1, N)
    whole = times(Const(4), quotient(BEFORE, 4))
    assert facts.less(whole, N)
    assert not facts.less(whole, minus(N, Const(1)))


def test_what_may_have_wrapped_around_is_not_taken_apart() -> None:
    """C computes the quotient and the remainder of the product modulo 2**64."""
    far = times(Get(FAR, Const(0)), Const(2**62))
    facts = Facts()
    facts.assume(Prim(p.less_equal, (Const(0), far)), True)
    facts.assume(Prim(p.less_equal, (far, N)), True)
    whole = plus(times(quotient(far, 4), Const(4)), remainder(far, 4))
    assert not facts.nonnegative(whole)
    assert not facts.nonnegative(minus(N, whole))
    facts = Facts()
    element = Get(FAR, Const(0))
    facts.assume(Prim(p.less_equal, (Const(0), element)), True)
    assert facts.nonnegative(plus(times(quotient(element, 4), Const(4)), remainder(element, 4)))


@pytest.mark.parametrize("seed", range(4))
def test_what_is_proved_holds(seed: int) -> None:
    """Of 700 pairs of random terms of quotients and remainders, of which some hundred are proved."""
    rng = random.Random(seed)
    low, high = rng.randint(-3, 2), rng.randint(5, 17)
    facts = between(low, Const(high)) if seed % 2 else between(low, N)
    bases = [I, minus(I, Const(1)), plus(times(Const(2), I), Const(1)), minus(N, I)]
    divisors = (2, 3, 4)
    parts = [I, N, *[of(b, d) for of in (quotient, remainder) for b in bases for d in divisors]]
    terms = []
    for _ in range(30):
        term: Term = Const(rng.randint(-6, 20))
        for part in rng.sample(parts, rng.randint(1, 3)):
            term = plus(term, times(Const(rng.choice((-4, -3, -2, -1, 1, 2, 3, 4))), part))
        terms.append(term)
    for _ in range(30):
        base, d = rng.choice(bases), rng.choice(divisors)
        whole = plus(times(Const(d), quotient(base, d)), remainder(base, d))
        terms.append(plus(whole, Const(rng.randint(-1, 1))))
    pairs = [rng.sample(terms, 2) for _ in range(700)]
    pairs += [(minus(t, Const(k)), b) for t in terms for b in (*bases, Const(high)) for k in (0, 1)]
    proved = [(a, b) for a, b in pairs if facts.less(a, b)]
    assert len(proved) > 100
    asked = {term for pair in proved for term in pair}
    for i, n in itertools.product(range(low, 20), range(-3, 20)):
        if i <= (high if seed % 2 else n):
            found = {term: evaluate(term, {I: i, N: n}) for term in asked}
            for a, b in proved:
                assert found[a] < found[b], (show(a), show(b), i, n)  # type: ignore[operator]
