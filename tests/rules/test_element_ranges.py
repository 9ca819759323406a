"""What is found in conditions about all elements of an array holds of each (core/element_ranges.py, rewrite/facts.py)."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from fsmooth.core import primitives as p
from fsmooth.core.build import both, either, get, minus, plus, prim, reduce, times
from fsmooth.core.element_ranges import all_indices, ends_are_indices, never_decreasing
from fsmooth.core.evaluate import evaluate
from fsmooth.core.pretty import show
from fsmooth.core.term import Const, Get, Length, MakeTuple, Prim, Proj, Reduce, Reduction, Term, Var
from fsmooth.core.types import F64, INT, Array, Tuple
from fsmooth.core.values import value_of
from fsmooth.rewrite.facts import Facts

A, B, N, M, I, J = (
    Var("a", Array(INT)),
    Var("b", Array(Array(INT))),
    Var("n", INT),
    Var("m", INT),
    Var("i", INT),
    Var("j", INT),
)


def knowing(*conditions: Term) -> Facts:
    facts = Facts()
    for condition in conditions:
        facts.assume(condition, True)
    return facts


def test_what_is_found_and_forgotten() -> None:
    facts = Facts()
    assert not facts.within(Get(A, I), N)
    undo = facts.assume(all_indices(A, N), True)
    assert facts.within(Get(A, I), N)
    assert not facts.within(Get(A, I), minus(N, Const(1)))
    assert facts.within(plus(Get(A, I), Const(1)), plus(N, Const(1)))
    facts.forget(undo)
    assert not facts.within(Get(A, I), N)


def test_of_two_axes_all_are_asked() -> None:
    facts = knowing(all_indices(B, N))
    assert facts.within(get(B, I, J), N)
    first = reduce(
        Reduction.ALL,
        Length(B),
        lambda i: both(Prim(p.less_equal, (Const(0), get(B, i, Const(0)))), Prim(p.less, (get(B, i, Const(0)), N))),
    )
    assert not knowing(first).within(get(B, I, J), N)


def condition(size: Term, low: Term, high: Term) -> Reduce:
    return reduce(
        Reduction.ALL,
        size,
        lambda i: both(Prim(p.less_equal, (low, Get(A, i))), Prim(p.less_equal, (Get(A, i), high))),
    )


@pytest.mark.parametrize(
    "known",
    [
        condition(minus(Length(A), Const(1)), Const(0), minus(N, Const(1))),
        condition(Length(A), Const(-1), minus(N, Const(1))),
        condition(Length(A), Const(0), N),
        reduce(
            Reduction.ANY,
            Length(A),
            lambda i: both(Prim(p.less_equal, (Const(0), Get(A, i))), Prim(p.less, (Get(A, i), N))),
        ),
        reduce(Reduction.ALL, Length(A), lambda i: Prim(p.less, (Get(A, i), N))),
        reduce(
            Reduction.ALL,
            Length(A),
            lambda i: both(Prim(p.less_equal, (Const(0), Get(A, i))), Prim(p.less, (Get(A, i), i))),
        ),
    ],
    ids=["not the last", "may be -1", "one too far", "any", "no lower bound", "by the place"],
)
def test_less_is_not_enough(known: Term) -> None:
    assert not knowing(known).within(Get(A, I), N)


def test_if_it_does_not_hold_nothing_is_known() -> None:
    facts = Facts()
    facts.assume(all_indices(A, N), False)
    assert not facts.within(Get(A, I), N)


def test_real_numbers_are_passed_over() -> None:
    real = Var("x", Array(F64))
    known = reduce(Reduction.ALL, Length(real), lambda i: Prim(p.less_equal, (Get(real, i), Const(1.0))))
    assert not knowing(known).elements


def test_what_may_have_wrapped_around_is_no_limit() -> None:
    """Elements are below what C computes, which is not the integer."""
    far = times(Get(Var("c", Array(INT)), Const(0)), Const(2**62))
    assert not knowing(all_indices(A, far)).less(Get(A, I), far)


def test_offsets_prove_the_loops_that_they_bound() -> None:
    """for j in range(a[i], a[i + 1]): j is below what offsets go to, whether they decrease or not."""
    facts = knowing(all_indices(A, plus(Length(B), Const(1))), never_decreasing(A))
    steps = minus(Get(A, plus(I, Const(1))), Get(A, I))
    facts.ranges[J] = steps
    facts.repeats(steps)
    assert facts.within(plus(Get(A, I), J), Length(B))
    assert not facts.within(plus(Get(A, I), plus(J, Const(1))), Length(B))
    assert not facts.within(plus(Get(A, plus(I, Const(1))), J), Length(B))


def test_what_never_decreases_is_between_its_ends() -> None:
    facts = Facts()
    undo = facts.assume(never_decreasing(A), True)
    undo_ends = facts.assume(ends_are_indices(A, N), True)
    assert facts.within(Get(A, I), N)
    assert not facts.within(Get(A, I), minus(N, Const(1)))
    facts.forget(undo_ends)
    assert not facts.within(Get(A, I), N)
    facts.forget(undo)
    assert not knowing(ends_are_indices(A, N), never_decreasing(A)).within(Get(A, I), N), "in this order only"


def steps_of(count: Term, compared: p.Primitive = p.less_equal, by: int = 1) -> Reduce:
    return reduce(Reduction.ALL, count, lambda i: Prim(compared, (Get(A, i), Get(A, plus(i, Const(by))))))


def ends(first: Term, last: Term) -> Term:
    return both(Prim(p.less_equal, (Const(0), Get(A, first))), Prim(p.less, (Get(A, last), N)))


LAST = minus(Length(A), Const(1))


@pytest.mark.parametrize(
    "known",
    [
        (steps_of(minus(Length(A), Const(2))), ends(Const(0), LAST)),
        (steps_of(LAST), ends(Const(1), LAST)),
        (steps_of(LAST), ends(Const(0), minus(LAST, Const(1)))),
        (steps_of(LAST, p.greater_equal), ends(Const(0), LAST)),
        (steps_of(LAST, by=2), ends(Const(0), LAST)),
        (steps_of(LAST), Prim(p.less, (Get(A, LAST), N))),
        (steps_of(LAST), Prim(p.less_equal, (Const(0), Get(A, Const(0))))),
        (ends(Const(0), LAST),),
        (steps_of(LAST), either(Prim(p.less_equal, (M, Const(0))), ends(Const(0), LAST))),
        (steps_of(LAST), either(Prim(p.less, (M, N)), ends(Const(0), LAST))),
    ],
    ids=[
        *("not the last step", "the second element", "the last but one", "downwards", "each other one"),
        *("no lower bound", "no upper bound", "nothing of steps"),
        *("unless another size is 0", "or something else"),
    ],
)
def test_ends_are_not_enough(known: tuple[Term, ...]) -> None:
    assert not knowing(*known).within(Get(A, I), N)


def test_of_a_part_that_never_decreases_only_that_is_known() -> None:
    facts = knowing(steps_of(Const(3)), ends(Const(0), Const(3)))
    facts.ranges |= {I: Const(4), J: Const(5)}
    assert facts.within(Get(A, I), N)
    assert not facts.within(Get(A, J), N)


def test_what_is_proved_of_elements_holds() -> None:
    """Of 4,000 pairs of random terms of elements, of which some hundred are proved."""
    rng = random.Random(7)
    facts = knowing(all_indices(A, N))
    facts.ranges[J] = M
    facts.repeats(M)
    parts = [N, M, J, Get(A, Const(0)), Get(A, Const(1)), prim(p.floor_divide, Get(A, Const(0)), Const(2))]
    terms = []
    for _ in range(80):
        term: Term = Const(rng.randint(-2, 2))
        for part in rng.sample(parts, rng.randint(1, 3)):
            term = plus(term, times(Const(rng.choice((-2, -1, 1, 1, 2))), part))
        terms.append(term)
    pairs = [rng.sample(terms, 2) for _ in range(4_000)]
    proved = [(a, b) for a, b in pairs if facts.less(a, b)]
    assert len(proved) > 100
    for n, m in itertools.product(range(1, 4), range(1, 4)):
        for first, second, j in itertools.product(range(n), range(n), range(m)):
            values = {A: value_of(np.array([first, second]), A.type), N: n, M: m, J: j}
            for a, b in proved:
                assert evaluate(a, values) < evaluate(b, values), (show(a), show(b), values)  # type: ignore[operator]


# -- components ------------------------------------------------------------------------------------------------------

PAIR = Var("pair", Tuple((Array(INT), Tuple((F64, Array(INT))))))
FIRST, INNER = Proj(PAIR, 0), Proj(Proj(PAIR, 1), 1)


@pytest.mark.parametrize(("array", "other"), [(FIRST, INNER), (INNER, FIRST)])
def test_of_components_only_the_one_that_is_asked(array: Term, other: Term) -> None:
    facts = Facts()
    undo = facts.assume(all_indices(array, N), True)
    assert facts.within(Get(array, I), N)
    assert not facts.within(Get(other, I), N)
    assert not facts.within(Get(array, I), minus(N, Const(1)))
    facts.forget(undo)
    assert not facts.within(Get(array, I), N)


def test_components_by_other_names() -> None:
    """`let row = pair.1 in let k = row.1 in k[i]`, and of what is put together from parts."""
    row, k, made = Var("row", PAIR.type.items[1]), Var("k", Array(INT)), Var("made", PAIR.type)  # type: ignore[attr-defined]
    facts = Facts()
    facts.definitions |= {row: Proj(PAIR, 1), k: Proj(row, 1), made: MakeTuple((FIRST, row))}
    facts.assume(all_indices(INNER, N), True)
    for same in (Get(INNER, I), Get(Proj(row, 1), I), Get(k, I), Get(Proj(Proj(made, 1), 1), I)):
        assert facts.within(same, N)
    assert not facts.within(Get(Proj(made, 0), I), N)


def test_what_is_asked_by_another_name() -> None:
    k, element = Var("k", Array(INT)), Var("e", INT)
    facts = Facts()
    facts.definitions |= {k: INNER}
    facts.assume(all_indices(k, N), True)
    facts.definitions |= {element: Get(INNER, I)}
    assert facts.within(Get(INNER, I), N)
    assert facts.within(element, N)


def test_an_updated_component_is_another_array() -> None:
    """Of `made = (a new array, pair.1)` nothing is known of the first."""
    made, new = Var("made", PAIR.type), Var("new", Array(INT))
    facts = Facts()
    facts.assume(all_indices(FIRST, N), True)
    facts.definitions |= {made: MakeTuple((new, Proj(PAIR, 1)))}
    assert not facts.within(Get(Proj(made, 0), I), N)
