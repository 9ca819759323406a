"""Cost polynomials: exact ones of programs written out, the order of costs, names of sizes, time."""

from __future__ import annotations

import numpy as np
import pytest

from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.arithmetic import Counting
from fsmooth.core.cost import Costs, cost
from fsmooth.core.evaluate import evaluate
from fsmooth.core.polynomial import Polynomial
from fsmooth.core.term import App, Const, Get, If, Lam, Length, Let, Prim, Term, Var
from fsmooth.core.types import BOOL, F64, INT, Array
from fsmooth.core.values import value_of
from fsmooth.frontend.text import parse
from fsmooth.frontend.text.exact import Exact

N, M = Var("n", INT), Var("m", INT)
n, m = Polynomial.of(N), Polynomial.of(M)
U, V = Var("v", Array(F64)), Var("v", Array(F64))

EXACT = [
    # scalars: the weights of the table
    ("add and multiply", "fun (x: Float) (y: Float) -> x * y + x", "2"),
    ("divide and sqrt", "fun (x: Float) -> sqrt (x / 3.0)", "10"),
    ("elementary functions", "fun (x: Float) -> exp x + sin x", "31"),
    ("power and lgamma", "fun (x: Float) -> lgamma (x ** 1.5)", "80"),
    ("integers that are values", "fun (k: Int) -> k * k + 1", "2"),
    ("constants and sizes", "fun (v: Vector) -> length v", "0"),
    # loads, stores, indices
    ("load", "fun (v: Vector) (i: Int) -> v[i]", "1"),
    ("index arithmetic is free", "fun (v: Vector) (i: Int) -> v[2 * i + 1]", "1"),
    ("a load inside an index is not", "fun (v: Vector) (g: Array<Int>) (i: Int) -> v[g[i] + 1]", "2"),
    ("a row is a path", "fun (M: Matrix) (i: Int) -> M[i]", "0"),
    ("check", "fun (v: Vector) (i: Int) -> v[check i (length v)]", "2"),
    ("update in place", "fun (v: Vector) (i: Int) -> update v i 2.0", "1"),
    ("display", "fun (x: Float) -> [x, x * x, 0.0]", "4"),
    # loops
    ("sum", "fun (v: Vector) -> sum (length v) (fun i -> v[i])", "2·n(v)"),
    ("maximum", "fun (v: Vector) -> max (length v) (fun i -> v[i])", "2·n(v)"),
    ("map", "fun (v: Vector) -> build (length v) (fun i -> exp v[i])", "17·n(v)"),
    ("fold", "fun (v: Vector) -> ifold (fun s i -> s * v[i]) 1.0 (length v)", "2·n(v)"),
    ("constant size", "fun (x: Float) -> build 3 (fun i -> x * x)", "6"),
    ("negative constant size", "fun (x: Float) -> build (-3) (fun i -> x * x)", "0"),
    (
        "NNMF",
        """fun (u: Vector) (v: Vector) (A: Matrix) -> sum (length u) (fun i -> sum (length v) (fun j ->
             log (u[i] * v[j]) + A[i][j] / (u[i] * v[j])))""",
        "29·n(u)·n(v) + n(u)",
    ),
    (
        "matrix product",
        """fun (A: Matrix) (B: Matrix) -> build (length A) (fun i -> build (length B 1) (fun j ->
             sum (length B) (fun k -> A[i][k] * B[k][j])))""",
        "4·n(A)·n(B)·n1(B) + n(A)·n1(B)",
    ),
    ("polynomial", "fun (c: Vector) (x: Float) -> ifold (fun s i -> s * x + c[i]) 0.0 (length c)", "3·n(c)"),
    # trip counts
    ("a - k", "fun (v: Vector) -> sum (length v - 1) (fun i -> v[i + 1] - v[i])", "4·n(v) - 4"),
    ("a // k", "fun (v: Vector) -> sum (length v // 4) (fun i -> v[4 * i])", "1/2·n(v)"),
    ("a + b", "fun (v: Vector) (w: Vector) -> build (length v + length w) (fun i -> 0.5)", "n(v) + n(w)"),
    ("a * b", "fun (n: Int) (m: Int) -> build (n * m) (fun i -> 0.5)", "m·n"),
    ("two unrelated sizes", "fun (v: Vector) (a: Int) (b: Int) -> sum (b - a) (fun i -> v[a + i])", "2·(b - a)"),
    ("minimum", "fun (v: Vector) (k: Int) -> sum (minimum 3 k) (fun i -> v[i])", "6"),
    ("maximum", "fun (v: Vector) (k: Int) -> sum (maximum 0 k) (fun i -> v[i])", "2·k"),
    ("a named size", "fun (v: Vector) -> let k = length v - 2 in sum k (fun i -> v[i])", "2·n(v) - 3"),
    ("a size from data", "fun (c: Array<Int>) -> let k = c[0] in sum k (fun i -> 1.0)", "k + 1"),
    ("a conditional size", "fun (c: Bool) (n: Int) -> build (if c then n else 5) (fun i -> 0.5)", "n"),
    # triangular loops: sums over i < n of i and n - 1 - i and i²
    ("below the diagonal", "fun (n: Int) -> build n (fun i -> sum i (fun j -> 1.0))", "1/2·n² + 1/2·n"),
    ("above", "fun (n: Int) -> sum n (fun i -> sum (n - 1 - i) (fun j -> 1.0))", "1/2·n² + 1/2·n"),
    (
        "pyramid",
        "fun (n: Int) -> ifold (fun s i -> ifold (fun s j -> ifold (fun s k -> s + 1.0) s j) s i) 0.0 n",
        "1/6·n³ - 1/2·n² + 1/3·n",
    ),
    (
        "rows of a sparse matrix",
        """fun (ptr: Array<Int>) (x: Vector) -> build (length ptr - 1) (fun i ->
             sum (ptr[i + 1] - ptr[i]) (fun k -> x[ptr[i] + k]))""",
        "3·(ptr[i + 1] - ptr[i])·n(ptr) - 3·(ptr[i + 1] - ptr[i]) + 3·n(ptr) - 3",
    ),
    # branches, scopes, functions
    ("the dearer branch", "fun (x: Float) -> if x < 0.0 then exp x else x * x", "16"),
    (
        "growth decides first",
        "fun (v: Vector) (x: Float) -> if x < 0.0 then lgamma x else sum (length v) (fun i -> v[i])",
        "2·n(v) + 1",
    ),
    ("shared once", "fun (x: Float) -> let y = exp x in y * y", "16"),
    # destinations
    ("zero stored", "fun (n: Int) (m: Int) -> zero n m", "m·n"),
    ("delta stored", "fun (n: Int) (x: Float) -> delta n 1 (x * x)", "n + 2"),
    ("copy of rows", "fun (M: Matrix) -> build (length M) (fun i -> M[i])", "2·n(M)·n1(M)"),
    (
        "deltas summed are additions",
        "fun (g: Array<Int>) (v: Vector) (m: Int) -> sum (length v) (fun i -> delta m g[i] v[i])",
        "m + 3·n(v)",
    ),
    (
        "rows summed",
        "fun (M: Matrix) -> sum (length M) (fun i -> build (length M 1) (fun j -> 2.0 * M[i][j]))",
        "3·n(M)·n1(M) + n1(M)",
    ),
]


@pytest.mark.parametrize(("text", "expected"), [(t, e) for _, t, e in EXACT], ids=[name for name, _, _ in EXACT])
def test_exact_polynomial(text: str, expected: str):
    assert repr(cost(parse(text))) == expected


def test_difference_of_indices_is_exact():
    """Sum over j < i < n of (i - j) additions, plus one for each i and each (i, j)."""
    size = 12
    steps = sum(sum((i - j) + 1 for j in range(i)) + 1 for i in range(size))
    polynomial = cost(parse("fun (n: Int) -> sum n (fun i -> sum i (fun j -> sum (i - j) (fun k -> 1.0)))"))
    assert polynomial.at({s: size for monomial in polynomial.terms for s in monomial}) == pytest.approx(steps)


def test_a_function_bound_to_a_name_costs_where_it_is_called():
    x, y = Var("x", F64), Var("y", F64)
    body = Lam((y,), Prim(p.exp, (y,)))
    f = Var("f", body.type)
    assert repr(cost(Let(((f, body),), x))) == "0"
    twice = Let(((f, body),), App(f, (App(f, (x,)),)))
    assert repr(cost(twice)) == "30"


def test_a_parameter_is_the_size_of_its_argument():
    k, v = Var("k", INT), Var("w", Array(F64))
    loop = Lam((k, v), b.sum_(k, lambda i: Get(v, i)))
    assert repr(cost(App(loop, (b.minus(N, Const(1)), V)))) == "2·n - 1"
    size = Lam((v,), b.sum_(Length(v), lambda i: Get(v, i)))
    assert repr(cost(App(size, (b.build(N, lambda i: Const(0.0)),)))) == "3·n"


def test_sizes_of_one_name_are_told_apart():
    both = b.plus(b.sum_(Length(U), lambda i: Get(U, i)), b.sum_(Length(V), lambda i: Get(V, i)))
    assert repr(cost(both)) == "2·n(v) + 2·n(v)#2 + 1"


def test_unknown_sizes_are_different_sizes():
    a, c = Var("first_counts_of_the_rows", Array(INT)), Var("other_counts_of_the_rows", Array(INT))

    def loop(counts: Term) -> Term:
        return b.sum_(Get(counts, Const(0)), lambda i: Const(1.0))

    assert repr(cost(b.plus(loop(a), loop(c)))) == "m + m#2 + 3"
    assert repr(cost(b.plus(loop(a), loop(a)))) == "2·m + 3"


def test_a_binder_used_twice_is_unknown_rather_than_wrong():
    k = Var("k", INT)
    loop = b.sum_(k, lambda i: Const(1.0))
    branches = If(Var("c", BOOL), Let(((k, Const(3)),), loop), Let(((k, N),), loop))
    assert repr(cost(branches)) == "k"


def test_a_binder_that_shadows_what_its_value_mentions_is_unknown():
    k = Var("k", INT)
    again = Let(((k, b.plus(k, Const(1))),), b.sum_(k, lambda i: Const(1.0)))
    assert repr(cost(again)) == "k + 1"


def test_order_is_growth_then_a_thousand():
    assert (n * n).dearer(n * 5000) == n * n
    assert (n * 3).dearer(m * 2) == n * 3
    assert (n * 3).cheaper(m * 2) == m * 2
    assert n.dearer(m) is n
    assert (n * n + n).growth == 2
    assert (n * n + 7).at() == 1_000_007.0
    assert (n * m).big_o() == "O(m·n)"
    assert (n * n + m * m + n).big_o() == "O(m² + n²)"
    assert Polynomial.constant(7).big_o() == "O(1)"
    assert (Polynomial.of(b.minus(M, N)) * 2).big_o() == "O(m - n)"


def test_ring_laws_and_sums():
    p1, p2, p3 = n + 2 * m, n * n - 3, m * 5 + 1
    assert (p1 + p2) * p3 == p1 * p3 + p2 * p3
    assert p1 * p2 == p2 * p1
    assert p1 - p1 == Polynomial({})
    assert repr(p2 - n * n) == "-3"
    i = Var("i", INT)
    for power in range(6):
        summand = Polynomial.constant(1)
        for _ in range(power):
            summand = summand * Polynomial.of(i)
        assert summand.summed(i, Polynomial.constant(9)).number == sum(k**power for k in range(9))


ALONE = [
    ("an element that is a number", "build (length v) (fun i -> exp v[i])", "16·n(v)"),
    (
        "rows, each of a scope",
        "build n (fun k -> let a = exp v[k] in build (length v) (fun j -> a * v[j]))",
        "18·n·n(v)",
    ),
    (
        "sums of rows, each of a scope",
        "sum n (fun k -> let a = exp v[k] in build (length v) (fun j -> a * v[j]))",
        "18·n·n(v)",
    ),
    ("sums of deltas", "sum n (fun k -> delta (length v) k (exp v[k]))", "16·n"),
    ("rows, each of a loop", "build n (fun k -> ifold (fun u i -> u) v 3)", "0"),
    (
        "rows, each made by a loop",
        "build n (fun k -> ifold (fun (u: Vector) (i: Index) -> build (length u) (fun j -> exp u[j])) v 3)",
        "51·n·n(v)²",
    ),
    (
        "comparisons of indices are free",
        "build n (fun k -> let c = k == 0 in build 2 (fun j -> if c then v[j] else 0.0))",
        "2·n",
    ),
    ("of pairs, each evaluated at once", "build n (fun i -> let t = exp v[i] in [(t, t), (t, v[i])])", "33·n"),
]


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in ALONE], ids=[case[0] for case in ALONE])
def test_elements_that_are_evaluated_alone_repeat_what_they_share(text: str, expected: str) -> None:
    term = parse(f"fun (v: Vector) (n: Int) -> {text}")
    assert isinstance(term, Lam)
    assert repr(Costs().alone(term.body)) == expected


def test_known_lengths_are_numbers():
    term = b.sum_(Length(V), lambda i: Get(V, i))
    assert repr(Costs({(V, 0): 3}).of(term)) == "6"
    assert repr(Costs({(V, 1): 3}).of(term)) == "2·n(v)"


def test_one_object_knows_many_terms():
    costs = Costs()
    v = Var("v", Array(F64))
    inner = b.sum_(Length(v), lambda i: Get(v, i))
    assert repr(costs.of(inner)) == "2·n(v)"
    assert repr(costs.of(Prim(p.exp, (inner,)))) == "2·n(v) + 15"


def test_time_is_linear_and_depth_is_no_limit():
    x = Var("x", F64)
    deep: Term = x
    for _ in range(20_000):
        deep = Prim(p.add, (deep, x))
    names, previous = [], x
    for _ in range(20_000):
        fresh = Var("y", F64)
        names.append((fresh, Prim(p.add, (previous, previous))))
        previous = fresh
    shared: Term = x
    for _ in range(200):
        shared = Prim(p.add, (shared, shared))
    assert cost(deep).number == 20_000
    assert cost(Let(tuple(names), previous)).number == 20_000
    assert cost(shared).number == 2**200 - 1


def test_sizes_defined_one_by_the_other_do_not_recurse_or_explode():
    sizes, previous = [], N
    for _ in range(5000):
        fresh = Var("k", INT)
        sizes.append((fresh, Prim(p.add, (previous, previous))))
        previous = fresh
    total = cost(Let(tuple(sizes), b.sum_(previous, lambda i: Const(1.0))))
    assert total.growth == 1


def test_an_element_of_an_array_that_is_not_stored_is_evaluated_alone():
    assert repr(cost(parse("fun (n: Int) (k: Int) (x: Float) -> (build n (fun i -> exp x))[k]"))) == "15"
    triangle = "fun (n: Int) (k: Int) -> (build n (fun i -> sum i (fun j -> 1.0)))[k + 1]"
    assert repr(cost(parse(triangle))) == "k + 1"
    row = "fun (n: Int) (v: Vector) -> build n (fun k -> (build n (fun i -> build i (fun j -> v[j])))[2])"
    assert repr(cost(parse(row, elaborator=Exact))) == "4·n"


MEASURED = [
    "fun (u: Vector) (v: Vector) (A: Matrix) -> sum (length v) (fun i -> u[i] * v[i])",
    """fun (u: Vector) (v: Vector) (A: Matrix) -> sum (length u) (fun i -> sum (length v) (fun j ->
         log (u[i] * v[j]) + A[i][j] / (u[i] * v[j])))""",
    """fun (u: Vector) (v: Vector) (A: Matrix) -> build (length A) (fun i -> build (length A) (fun j ->
         sum (length A 1) (fun k -> A[i][k] * A[j][k])))""",
    "fun (u: Vector) (v: Vector) (A: Matrix) -> build (length u) (fun i -> sum i (fun j -> u[j] * u[i - j]))",
    """fun (u: Vector) (v: Vector) (A: Matrix) ->
         let e = build (length v) (fun i -> exp v[i]) in
         let s = sum (length v) (fun i -> e[i]) in build (length v) (fun i -> e[i] / s)""",
    "fun (u: Vector) (v: Vector) (A: Matrix) -> ifold (fun s i -> s * 0.5 + u[i] ** 1.5) 0.0 (length u)",
    "fun (u: Vector) (v: Vector) (A: Matrix) -> max (length v) (fun i -> if u[0] > 100.0 then v[i] else sqrt v[i])",
]


@pytest.mark.parametrize("text", MEASURED)
def test_the_interpreter_counts_what_the_polynomial_says(text: str):
    """Up to one addition of every sum (the first term is not added to anything) and the comparisons of a maximum."""
    term = parse(text)
    assert isinstance(term, Lam)
    u, v, A = np.linspace(1, 2, 23), np.linspace(2, 3, 19), np.ones((23, 19))
    given = [value_of(a, q.type) for a, q in zip((u, v, A), term.parameters, strict=True)]
    counted = Counting()
    evaluate(term.body, dict(zip(term.parameters, given, strict=True)), counted)
    polynomial = cost(term)
    names = {"n(u)": 23, "n(v)": 19, "n(A)": 23, "n1(A)": 19}
    predicted = polynomial.at({s: names[repr(s)] for monomial in polynomial.terms for s in monomial})
    assert 0.88 * predicted <= counted.total <= predicted
