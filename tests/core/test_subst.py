"""Substitution never captures: by hand, and against the interpreter on random programs with hostile names."""

from __future__ import annotations

import math
import random

import pytest

from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.evaluate import ArrayValue, Value, evaluate
from fsmooth.core.subst import refresh, substitute, substitute1
from fsmooth.core.term import (
    Build,
    Collect,
    Const,
    Delta,
    Get,
    If,
    IFold,
    Lam,
    Length,
    Let,
    Prim,
    Reduce,
    Reduction,
    Term,
    Var,
    Zero,
)
from fsmooth.core.types import BOOL, F64, INT, Array, Bool, Float, Int, Tuple, Type
from fsmooth.core.values import value_of
from tests.core.binders import binders, disguised
from tests.strategies import random_program

V = Array(F64)
n, i, j, k = (Var(name, INT) for name in "nijk")
x, y, z = (Var(name, F64) for name in "xyz")
v, w, c = Var("v", V), Var("w", V), Var("c", BOOL)

BY_HAND: list[tuple[str, Term, dict[Var, Term], str]] = [
    ("free", b.plus(x, y), {x: z}, "z + y"),
    ("all at once", b.plus(x, y), {x: y, y: x}, "y + x"),
    ("bound", Lam((x,), b.plus(x, y)), {x: z}, "fun (x : Float) -> x + y"),
    ("captured by a function", Lam((x,), b.plus(x, y)), {y: x}, "fun (x_1 : Float) -> x_1 + x"),
    ("captured by a loop", Build(n, i, b.plus(i, j)), {j: i}, "build n (fun i_1 -> i_1 + i)"),
    ("the size is outside", Build(i, i, i), {i: n}, "build n (fun i -> i)"),
    ("the size is outside, captured", Build(j, i, b.plus(i, j)), {j: i}, "build i (fun i_1 -> i_1 + i)"),
    ("a sum", Reduce(Reduction.SUM, n, i, Get(v, b.plus(i, j))), {j: b.times(i, n)}, "sum n (fun i_1 -> v[i_1 + i * n])"),
    ("state and index", IFold(n, x, y, i, b.plus(y, z)), {z: y}, "ifold (fun y_1 i -> y_1 + y) x n"),
    ("the initial state is outside", IFold(n, x, x, i, x), {x: y}, "ifold (fun x i -> x) y n"),
    ("a scope", Let(((x, y), (y, x)), b.plus(x, y)), {y: z}, "let x = z in\nlet y = x in\nx + y"),
    ("captured by a scope", Let(((x, z), (y, x)), b.plus(x, z)), {z: x}, "let x_1 = x in\nlet y = x_1 in\nx_1 + x"),
    ("a name bound twice", Let(((x, y), (x, b.plus(x, z))), x), {z: x}, "let x_1 = y in\nlet x_2 = x_1 + x in\nx_2"),
    ("a name bound twice in loops", Build(n, i, Build(i, i, j)), {j: i}, "build n (fun i_1 -> build i_1 (fun i_2 -> i))"),
    (
        "generators see those before them",
        Collect(n, ((n, i), (i, j)), c, b.plus(i, b.plus(j, k))),
        {k: j},
        "collect n [i in n, j_1 in i] c (i + (j_1 + j))",
    ),
    (
        "the count sees none",
        Collect(i, ((n, i),), c, i),
        {i: k},
        "collect k [i in n] c i",
    ),
    # sizes are terms: of zeros, deltas, lengths
    ("a size of zero", Build(n, i, Zero((j,))), {j: i}, "build n (fun i_1 -> zero Float i)"),
    ("a size of delta", Build(n, i, Delta(j, i, x)), {j: i}, "build n (fun i_1 -> delta i i_1 x)"),
    ("a length", Build(Length(v), i, Zero((Length(v),))), {v: w}, "build (length w) (fun i -> zero Float (length w))"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("term", "replacements", "expected"), [case[1:] for case in BY_HAND], ids=[case[0] for case in BY_HAND]
)
def test_by_hand(term: Term, replacements: dict[Var, Term], expected: str):
    assert repr(substitute(term, replacements)) == expected


def test_what_is_not_there_is_not_replaced():
    term = Build(n, i, i)
    assert substitute(term, {x: y, i: n}) is term
    assert substitute(term, {n: n}) is term
    assert substitute1(term, k, n) is term


def test_shared_subterms_stay_shared():
    shared = b.plus(x, y)
    result = substitute1(Prim(p.multiply, (shared, shared)), x, z)
    assert isinstance(result, Prim)
    assert result.arguments[0] is result.arguments[1]


def test_what_is_untouched_is_the_same_object():
    left, right = b.plus(x, y), b.plus(z, y)
    result = substitute1(Prim(p.multiply, (left, right)), x, z)
    assert isinstance(result, Prim)
    assert result.arguments[1] is right


def same(a: Value, c: Value) -> bool:
    match a, c:
        case ArrayValue(), ArrayValue():
            return a.shape == c.shape and all(map(same, a.items, c.items))
        case tuple(), tuple():
            return len(a) == len(c) and all(map(same, a, c))
        case float(), float():
            return a == c or (math.isnan(a) and math.isnan(c))
        case _:
            return a == c


def value_for(type_: Type, rng: random.Random) -> Value:
    match type_:
        case Float():
            return round(rng.uniform(-2, 2), 2)
        case Int():
            return rng.randint(0, 3)
        case Bool():
            return rng.random() < 0.5
        case Tuple(items):
            return tuple(value_for(t, rng) for t in items)
        case Array(element):
            items = tuple(value_for(element, random.Random(5)) for _ in range(2))
            inner = items[0].shape if isinstance(items[0], ArrayValue) else ()
            return ArrayValue((2, *inner), items)
    raise AssertionError(type_)


def outcome(term: Term, environment: dict[Var, Value]) -> Value:
    """The value, or the kind of error."""
    try:
        return evaluate(term, environment)
    except (ValueError, IndexError, AssertionError) as error:
        return type(error).__name__


@pytest.mark.parametrize("seed", range(150))
def test_substituting_a_binder_is_evaluating_with_its_value(seed: int):
    """Each argument becomes a variable that is bound inside the program: the worst names there are."""
    rng = random.Random(seed)
    program, arguments = random_program(seed)
    body = disguised(program.body, rng) if seed % 2 else program.body
    given = {q: value_of(a, q.type) for q, a in zip(program.parameters, arguments, strict=True)}
    inside = binders(body)
    rng.shuffle(inside)
    replacements: dict[Var, Term] = {}
    for q in program.parameters:
        same_type = [u for u in inside if u.type == q.type]
        if same_type and rng.random() < 0.8:
            u = rng.choice(same_type)
            replacements[q] = If(Const(True), u, q) if rng.random() < 0.5 else u
    environment: dict[Var, Value] = dict(given)
    for u in inside:
        if u not in given:
            environment[u] = value_for(u.type, rng)
    values = {q: outcome(t, environment) for q, t in replacements.items()}
    expected = outcome(body, environment | values)
    assert same(outcome(substitute(body, replacements), environment), expected)


def test_the_random_test_meets_captures():
    """It could not fail otherwise: in many programs the plain replacement of names would capture."""
    captured = 0
    for seed in range(150):
        program, _ = random_program(seed)
        captured += any(u.type in {q.type for q in program.body.free} for u in binders(program.body))
    assert captured > 75


@pytest.mark.parametrize("seed", range(40))
def test_programs_in_disguise_mean_the_same(seed: int):
    program, arguments = random_program(seed)
    given = [value_of(a, q.type) for q, a in zip(program.parameters, arguments, strict=True)]

    def run(t: Term) -> Value:
        assert isinstance(t, Lam)
        return outcome(t.body, dict(zip(t.parameters, given, strict=True)))

    assert same(run(program), run(disguised(program, random.Random(seed))))
    assert same(run(program), run(refresh(program)))


@pytest.mark.parametrize("seed", range(40))
def test_there_and_back(seed: int):
    program, _ = random_program(seed)
    names = {q: q.renamed() for q in program.body.free}
    back = {new: old for old, new in names.items()}
    there = substitute(program.body, names)
    assert there.free == frozenset(names.values())
    assert alpha_equal(substitute(there, back), program.body)
