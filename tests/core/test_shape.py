"""Sizes as terms: they are the sizes that evaluation finds, in every subterm of random programs and of derivatives."""

from __future__ import annotations

import contextlib
from collections import Counter

import pytest

from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.arithmetic import FLOATS
from fsmooth.core.evaluate import ArrayValue, OutOfBounds, Value, _Evaluation, evaluate
from fsmooth.core.shape import Ragged, shape_of, size_of
from fsmooth.core.term import (
    App,
    Build,
    Check,
    Collect,
    Const,
    Delta,
    Get,
    If,
    IFold,
    Lam,
    Length,
    Let,
    MakeTuple,
    Plus,
    Proj,
    Reduce,
    Reduction,
    Require,
    Term,
    Update,
    Var,
    Vector,
    While,
    Zero,
)
from fsmooth.core.traverse import size_of_tree
from fsmooth.core.types import BOOL, F64, INT, Array, Function, Tuple, Type, rank_of
from fsmooth.core.values import value_of
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.library import parse
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE
from tests.strategies import random_program

V, M = Array(F64), Array(Array(F64))
n, i, j = Var("n", INT), Var("i", INT), Var("j", INT)
x, c = Var("x", F64), Var("c", BOOL)
v, w, m = Var("v", V), Var("w", V), Var("m", M)
pair, pairs = Var("q", Tuple((V, M))), Var("a", Array(Tuple((F64, V))))
rows = Build(n, i, v)
"""n copies of v."""

BY_HAND: list[tuple[str, Term, str]] = [
    ("variable", m, "(length m, length m 1)"),
    ("scalar", x, "()"),
    ("build", rows, "(n, length v)"),
    ("display", Vector((v, w)), "(2, length v)"),
    ("zero", Zero((n, Length(v))), "(n, length v)"),
    ("delta", Delta(n, i, v), "(n, length v)"),
    ("update", Update(m, i, v), "(length m, length m 1)"),
    ("row", Get(m, i), "(length m 1,)"),
    ("row of a build", Get(rows, j), "(length v,)"),
    ("sum of arrays", Reduce(Reduction.SUM, n, i, v), "(length v,)"),
    ("filtered", Collect(n, ((Length(v), i),), c, v), "(n, length v)"),
    ("branch", If(c, v, w), "(length v,)"),
    ("fold", IFold(n, v, w, i, Update(w, i, x)), "(length v,)"),
    ("while", While(v, w, c, Update(w, i, x)), "(length v,)"),
    ("requirement", Require(c, v), "(length v,)"),
    ("scope", Let(((j, b.plus(n, Const(1))),), Zero((j,))), "(n + 1,)"),
    ("scope of an array", Let(((w, Zero((n,))),), w), "(n,)"),
    ("length of a bound array", Let(((w, Zero((n,))),), Build(Length(w), i, Get(w, i))), "(n,)"),
    ("application", App(Lam((j, w), Build(j, i, w)), (n, v)), "(n, length v)"),
    ("unknown function", App(Var("f", Function((), V)), ()), "(length (f ()),)"),
    ("component of a variable", Proj(pair, 1), "(length q.1, length q.1 1)"),
    ("component of a tuple", Proj(MakeTuple((x, v)), 1), "(length v,)"),
    ("component of a branch", Proj(If(c, MakeTuple((x, v)), MakeTuple((x, w))), 1), "(length v,)"),
    ("component of a fold", Proj(IFold(n, MakeTuple((x, v)), Var("s", Tuple((F64, V))), i, MakeTuple((x, v))), 1), "(length v,)"),
    ("component of a while", Proj(While(MakeTuple((x, v)), Var("s", Tuple((F64, V))), c, MakeTuple((x, v))), 1), "(length v,)"),
    ("component of a scope", Proj(Let(((j, n),), MakeTuple((x, Zero((j,))))), 1), "(n,)"),
    ("component of an element", Proj(Get(Build(n, i, MakeTuple((x, v))), j), 1), "(length v,)"),
    ("component of an element of a variable", Proj(Get(pairs, i), 1), "(length a[i].1,)"),
    ("parts of the elements of a variable", Build(n, i, Proj(Get(pairs, i), 1)), "(n, length a[0].1)"),
    ("component of a sum", Proj(Reduce(Reduction.SUM, n, i, MakeTuple((x, v))), 1), "(length v,)"),
    ("component of a component", Proj(Proj(MakeTuple((MakeTuple((v, x)), w)), 0), 0), "(length v,)"),
]  # fmt: skip


@pytest.mark.parametrize(("term", "sizes"), [case[1:] for case in BY_HAND], ids=[case[0] for case in BY_HAND])
def test_by_hand(term: Term, sizes: str):
    found = shape_of(term)
    assert "(" + ", ".join(map(repr, found)) + ("," if len(found) == 1 else "") + ")" == sizes


RAGGED = [
    Build(n, i, Zero((i,))),
    Build(n, i, Build(n, j, Zero((i,)))),
    Reduce(Reduction.SUM, n, i, Zero((i,))),
    Collect(n, ((n, i),), c, Zero((i,))),
    Proj(Get(Build(n, i, MakeTuple((x, Zero((i,))))), j), 1),
]


@pytest.mark.parametrize("term", RAGGED, ids=repr)
def test_ragged(term: Term):
    with pytest.raises(Ragged, match="ragged: the size of the elements depends on the index in "):
        shape_of(term)


def test_the_outer_size_of_a_ragged_array_is_known():
    assert size_of(RAGGED[0], 0) is n


def test_elements_are_never_evaluated():
    """Their sizes are known where the elements themselves fail."""
    out = Get(v, Check(Const(99), Length(v)))
    for term in (
        Build(n, i, out),
        Vector((out, out)),
        Delta(n, i, out),
        Update(v, Check(Const(99), Length(v)), x),
        If(b.equals(out, x), v, v),
        IFold(n, v, w, i, Build(Length(w), j, out)),
        Let(((x, out),), Build(n, i, x)),
    ):
        given = {n: 3, i: 0, x: 1.0, v: value_of([1.0, 2.0, 3.0], V)}
        with pytest.raises(OutOfBounds):
            evaluate(term, given)
        assert evaluate(size_of(term), given) in (2, 3)


class Watched(_Evaluation):
    """The interpreter, which asks after each array whether its sizes are what `shape_of` says."""

    def __init__(self) -> None:
        super().__init__(FLOATS)
        self.met: Counter[str] = Counter()

    def of(self, term: Term, env: dict[Var, Value]) -> Value:
        value = super().of(term, env)
        if isinstance(value, ArrayValue):
            try:
                sizes = shape_of(term)
            except Ragged:
                return value
            found = tuple(max(int(evaluate(s, env)), 0) for s in sizes)  # type: ignore[call-overload]
            assert found == value.shape[: rank_of(term.type)], term
            self.met[type(term).__name__] += 1
        return value


def watch(type_: Type, count: int) -> Counter[str]:
    watched = Watched()
    for seed in range(count):
        program, arguments = random_program(seed, result=type_)
        given = {q: value_of(a, q.type) for q, a in zip(program.parameters, arguments, strict=True)}
        with contextlib.suppress(ValueError):  # a ragged array
            watched.of(program.body, given)
    return watched.met


def test_sizes_are_those_of_values_in_random_programs():
    met = watch(F64, 100) + watch(V, 100) + watch(M, 60)
    seldom = {name for name in ("Get", "Proj", "Build", "Update", "If", "IFold", "Vector", "Delta") if met[name] < 10}
    assert not seldom, met


DERIVATIVES = [
    "fun (v: Vector) -> (grad[0] (fun (v: Vector) -> sum (length v) (fun i -> v[i] * v[i]))) v",
    "fun (v: Vector) -> ((value_and_grad[0] (fun (v: Vector) -> sum (length v) (fun i -> v[i] * v[i]))) v).1",
    "fun (v: Vector) -> (jacobian[0] (fun (v: Vector) -> build (length v + 1) (fun i -> v[0] * 2.0))) v",
    "fun (v: Vector) -> ((jacobian[0,] (fun (v: Vector) -> build (length v + 1) (fun i -> v[0] * 2.0))) v).0",
    """fun (v: Vector) (M: Matrix) ->
         ((jacobian[0, 1] (fun (v: Vector) (M: Matrix) -> build 3 (fun i -> v[0] * M[0][0]))) v M).1""",
    "fun (v: Vector) (x: Float) -> (jacobian[1] (fun (v: Vector) (x: Float) -> build (length v) (fun i -> v[i] * x))) v x",
    "fun (v: Vector) (w: Vector) -> ((jvp[0] (fun (v: Vector) -> build (length v + 2) (fun i -> v[0]))) v w).1",
    "fun (v: Vector) -> ((jacobian[0] (fun (v: Vector) -> (v[0], build 2 (fun i -> v[i])))) v).1",
    "fun (v: Vector) -> ((jacobian[0] (fun (v: Vector) -> (v[0], build 2 (fun i -> v[i])))) v).0",
]


@pytest.mark.parametrize("text", DERIVATIVES)
def test_sizes_of_derivatives_that_are_still_to_be_made(text: str):
    before = parse(text)
    after = remove_derivatives(before, BEFORE_DERIVATIVE)
    assert isinstance(before, Lam)
    assert isinstance(after, Lam)
    samples = {V: [1.0, 2.0, 3.0, 4.0], M: [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], F64: 2.0}
    given = [value_of(samples[q.type], q.type) for q in before.parameters]
    value = evaluate(after.body, dict(zip(after.parameters, given, strict=True)))
    assert isinstance(value, ArrayValue)
    sizes = shape_of(before.body)
    assert not any("grad" in repr(s) or "jacobian" in repr(s) or "jvp" in repr(s) for s in sizes)
    found = [evaluate(s, dict(zip(before.parameters, given, strict=True))) for s in sizes]
    assert tuple(found) == value.shape


def test_the_size_of_a_written_array_does_not_depend_on_what_its_elements_mention():
    """The length of a matrix that is made dual: build (length v) (fun i -> delta 2 r 1.0), inside a loop over r."""
    r = Var("r", INT)
    hot = b.build(Length(v), lambda _: Delta(Const(2), r, Const(1.0)))
    assert repr(shape_of(Build(Const(2), r, Build(Length(hot), i, x)))) == "(2, length v)"
    assert repr(shape_of(Build(Const(2), r, Build(Length(hot, 1), i, x)))) == "(2, 2)"
    with pytest.raises(Ragged):
        shape_of(Build(Const(2), r, Build(Length(Build(r, i, x)), i, x)))


@pytest.mark.parametrize(
    "rows",
    [
        "build n (fun i -> build m (fun j -> (i, v)))",
        "if n > m then build n (fun i -> build m (fun j -> (i, v))) else build n (fun i -> build m (fun j -> (j, v)))",
        "[build n (fun i -> (i, v)), build n (fun i -> (m, v))]",
        "let w = update v 0 1.0 in build n (fun i -> build m (fun j -> (i, w)))",
        "ifold (fun s i -> update s 0 (s[1])) (build n (fun i -> [(i, v), (m, v)])) m",
        "require n > 0 in build n (fun i -> if m > 0 then [(i, v)] else [(n, v)])",
    ],
)
def test_arrays_in_the_tuples_of_a_matrix(rows: str):
    term = parse(f"fun (n: Int) (m: Int) (v: Vector) -> {rows}")
    assert isinstance(term, Lam)
    array = Proj(Get(Get(term.body, Const(0)), Const(0)), 1)
    assert repr(size_of(array)) == "length v"


@pytest.mark.parametrize(
    "rows",
    [
        "build n (fun i -> build m (fun j -> (i, (m, v))))",
        "update [t, t] 0 [(n, (m, v)), (m, (n, v))]",
        "update (update [t, t] 0 [(n, (m, v))]) 1 [(m, (n, v))]",
        "if n > m then [t, t] else [t, update t 0 (t[1])]",
        "(n, [t]).1",
        "(if n > m then (n, [t]) else (m, [t])).1",
    ],
)
def test_arrays_in_tuples_in_the_tuples_of_a_matrix(rows: str):
    """Where the rows are a variable's, too: `t` has rows of the same kind."""
    term = parse(f"fun (n: Int) (m: Int) (v: Vector) (t: Array<(Int, (Int, Vector))>) -> {rows}")
    assert isinstance(term, Lam)
    array = Proj(Proj(Get(Get(_matrix(term.body), Const(0)), Const(0)), 1), 1)
    assert repr(size_of(array)) in {"length v", "length t[0].1.1"}


def test_arrays_in_the_rows_of_sums():
    """As of cotangents: sums of pairs, and of arrays with what a variable holds."""
    term = parse("""fun (n: Int) (m: Int) (v: Vector) (t: Array<Array<(Vector, Vector)>>) ->
      plus t (sum n (fun i -> (i, delta n i (delta m i (v, v))))).1""")
    assert isinstance(term, Lam)
    assert repr(size_of(Proj(Get(Get(term.body, Const(0)), Const(0)), 1))) == "length t[0][0].1"
    assert isinstance(term.body, Plus)
    second = Proj(Get(Get(term.body.items[1], Const(0)), Const(0)), 1)
    assert repr(size_of(second)) == "length v"


def _matrix(term: Term) -> Term:
    """Without the requirements on sizes around it."""
    while isinstance(term, Require):
        term = term.body
    return term


def _chain(steps: int) -> tuple[Term, Var]:
    """The size of an array that is as long as the last of many steps counts, each of which reads the one before often."""
    x, index = Var("x", Array(F64)), Var("i", INT)
    last: Term = Length(x)
    bindings: list[tuple[Var, Term]] = []
    for k in range(steps):
        pair = Var(f"s{k}", Tuple((INT, BOOL)))
        stopped = b.prim(p.less, Const(20), last)
        grown = MakeTuple((b.plus(last, b.prim(p.modulo, last, Const(3))), stopped))
        bindings.append((pair, If(stopped, MakeTuple((last, stopped)), grown)))
        last = Proj(pair, 0)
    return Let(tuple(bindings), Build(last, index, Const(1.0))), x


def test_a_size_grows_with_the_steps_that_it_reads_and_no_faster() -> None:
    few, many = [size_of_tree(size_of(_chain(steps)[0])) for steps in (10, 20)]
    assert many < 2.5 * few
    term, x = _chain(12)
    values: dict[Var, Value] = {x: ArrayValue((4,), (1.0,) * 4)}
    array = evaluate(term, values)
    assert isinstance(array, ArrayValue)
    assert evaluate(size_of(term), values) == array.shape[0]
