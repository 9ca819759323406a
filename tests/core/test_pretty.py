"""Terms as text: every construct, precedence, names, layout.  (`frontend/text` reads it back: tests/frontend/text.)"""

from __future__ import annotations

import math
from typing import get_args

import pytest

from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.pretty import show
from fsmooth.core.term import (
    AnyTerm,
    App,
    Build,
    Call,
    Check,
    Collect,
    Const,
    Custom,
    Delta,
    Deriv,
    Failure,
    Field,
    Get,
    Header,
    If,
    IFold,
    Inject,
    Lam,
    Length,
    Let,
    MakeTuple,
    MapTerm,
    Null,
    Plus,
    Prim,
    Proj,
    Pulled,
    Record,
    RecordRegion,
    RecordSum,
    Reduce,
    Reduction,
    Require,
    Retained,
    Swept,
    Tag,
    Taped,
    Term,
    Update,
    Var,
    Vector,
    Verb,
    While,
    Zero,
)
from fsmooth.core.types import BOOL, F32, F64, INT, Array, Data, Tuple

V, M = Array(F64), Array(Array(F64))
POINT = Tuple((F64, V), ("x", "tail"))
n, i, j = Var("n", INT), Var("i", INT), Var("j", INT)
x, y, z = Var("x", F64), Var("y", F64), Var("z", F64)
c, d = Var("c", BOOL), Var("d", BOOL)
v, m, q, r = Var("v", V), Var("m", M), Var("q", Tuple((F64, INT))), Var("r", POINT)
square = Lam((x,), b.times(x, x))
LIST = Data("List")
LIST.add((F64, LIST))
ls = Var("xs", LIST)
length_of = Header("length", (V,), INT)
length_of.define(Lam((v,), If(b.equals(Const(0), Length(v)), Const(0), Call(length_of, (v,)))))


def op(primitive: p.Primitive, *arguments: Term) -> Term:
    return Prim(primitive, arguments)


TEXTS: list[tuple[Term, str]] = [
    # constants
    (Const(1), "1"),
    (Const(-1), "-1"),
    (Const(True), "true"),
    (Const(False), "false"),
    (Const(0.1), "0.1"),
    (Const(1e300), "1e+300"),
    (Const(0.5, F32), "0.5f"),
    (Const(-0.0), "-0.0"),
    (Const(math.inf), "inf"),
    (Const(-math.inf, F32), "-inff"),
    (Const(math.nan), "nan"),
    # operators and how tightly they bind
    (b.plus(x, b.plus(y, z)), "x + (y + z)"),
    (b.plus(b.plus(x, y), z), "x + y + z"),
    (b.minus(x, b.minus(y, z)), "x - (y - z)"),
    (b.times(b.plus(x, y), z), "(x + y) * z"),
    (b.plus(b.times(x, y), z), "x * y + z"),
    (op(p.divide, x, b.times(y, z)), "x / (y * z)"),
    (op(p.modulo, op(p.floor_divide, n, i), j), "n // i % j"),
    (op(p.power, x, op(p.power, y, z)), "x ** y ** z"),
    (op(p.power, op(p.power, x, y), z), "(x ** y) ** z"),
    (op(p.negate, op(p.power, x, y)), "-x ** y"),
    (op(p.power, op(p.negate, x), y), "(-x) ** y"),
    (op(p.power, Const(-2.0), y), "(-2.0) ** y"),
    (op(p.negate, Const(2.0)), "-(2.0)"),
    (op(p.negate, op(p.negate, x)), "-(-x)"),
    (b.minus(x, op(p.negate, y)), "x - -y"),
    (b.times(op(p.negate, x), y), "-x * y"),
    (op(p.less, b.plus(x, y), z), "x + y < z"),
    (op(p.equal, op(p.less, x, y), c), "(x < y) == c"),
    (op(p.not_equal, n, i), "n <> i"),
    (op(p.logical_not, op(p.less, x, y)), "!(x < y)"),
    (op(p.sin, op(p.cos, x)), "sin (cos x)"),
    (b.plus(op(p.sin, x), y), "sin x + y"),
    (op(p.atan2, op(p.negate, x), Const(-1.0)), "atan2 (-x) (-1.0)"),
    (op(p.select, c, x, Const(0.0)), "select c x 0.0"),
    (b.both(c, b.both(d, c)), "c && d && c"),
    (b.both(b.both(c, d), c), "(c && d) && c"),
    (b.either(c, b.both(d, c)), "c || d && c"),
    (b.both(b.either(c, d), c), "(c || d) && c"),
    (b.both(op(p.logical_not, c), op(p.less, x, y)), "!c && x < y"),
    # branches, scopes, functions
    (If(c, x, b.plus(x, y)), "if c then x else x + y"),
    (b.plus(If(c, x, y), z), "(if c then x else y) + z"),
    (Let(((x, y), (z, b.plus(x, x))), z), "let x = y in\nlet z = x + x in\nz"),
    (b.times(Let(((x, y),), x), z), "(let x = y in\nx) * z"),
    (square, "fun (x : Float) -> x * x"),
    (Lam((), x), "fun () -> x"),
    (Lam((v, n), Get(v, n)), "fun (v : Array<Float>) (n : Int) -> v[n]"),
    (App(square, (y,)), "(fun (x : Float) -> x * x) y"),
    (App(Lam((), x), ()), "(fun () -> x) ()"),
    # arrays
    (Build(n, i, Get(v, i)), "build n (fun i -> v[i])"),
    (Build(b.plus(n, j), i, x), "build (n + j) (fun i -> x)"),
    (Get(Build(n, i, x), j), "(build n (fun i -> x))[j]"),
    (Get(Get(m, i), b.plus(j, n)), "m[i][j + n]"),
    (Vector((x, b.plus(x, y))), "[x, x + y]"),
    (Vector((If(c, x, y),)), "[(if c then x else y)]"),
    (Length(v), "length v"),
    (Length(m, 1), "length m 1"),
    (b.plus(Length(v), n), "length v + n"),
    (Zero(()), "zero Float"),
    (Zero((n, Length(v)), F32), "zero Float32 n (length v)"),
    (Delta(n, i, b.plus(x, y)), "delta n i (x + y)"),
    (Update(v, i, op(p.negate, x)), "update v i (-x)"),
    (Plus((v, v)), "plus v v"),
    (Check(i, Length(v)), "check i (length v)"),
    (Get(v, Check(i, Length(v))), "v[check i (length v)]"),
    (Collect(n, ((n, i), (b.plus(i, n), j)), c, Get(v, i)), "collect n [i in n, j in i + n] c v[i]"),
    (Plus((v, v)), "plus v v"),
    # loops
    (IFold(n, x, y, i, b.plus(y, x)), "ifold (fun y i -> y + x) x n"),
    (While(x, y, c, b.plus(y, x)), "while (fun y -> c) (fun y -> y + x) x"),
    *[(Reduce(k, n, i, x), f"{k.value} n (fun i -> x)") for k in Reduction if k not in (Reduction.ALL, Reduction.ANY)],
    (Reduce(Reduction.ALL, n, i, c), "all n (fun i -> c)"),
    (Reduce(Reduction.ANY, n, i, c), "any n (fun i -> c)"),
    (b.plus(b.sum_(n, lambda k: x), y), "sum n (fun i -> x) + y"),
    # tuples and records
    (MakeTuple(()), "()"),
    (MakeTuple((x,)), "(x,)"),
    (MakeTuple((x, MakeTuple((n, y)))), "(x, (n, y))"),
    (MakeTuple((x, v), POINT), "{x = x, tail = v}"),
    (Proj(q, 1), "q.1"),
    (Proj(r, 1), "r.tail"),
    (Proj(MakeTuple((x, y)), 0), "(x, y).0"),
    (Get(Proj(r, 1), i), "r.tail[i]"),
    # data
    (Inject(LIST, 0, (x, ls)), "List.0 x xs"),
    (b.plus(Field(ls, 0, 0), x), "xs.0.0 + x"),
    (Field(Field(ls, 0, 1), 0, 0), "xs.0.1.0.0"),
    (Tag(ls), "tag xs"),
    (Null(LIST), "null"),
    # requirements and derivatives
    (Require(b.equals(n, i), x, numbers=(n, i)), "require n == i, n, i in x"),
    (Require(c, x, Failure.EMPTY), "require empty c in x"),
    (Custom(square, Lam((x, y), y), None), "custom (fun (x : Float) -> x * x) (fun (x : Float) (y : Float) -> y) ()"),
    (Deriv(square, (0,), Verb.GRAD, single=True), "grad[0] (fun (x : Float) -> x * x)"),
    (Deriv(square, (0,), Verb.GRAD), "grad[0,] (fun (x : Float) -> x * x)"),
    (Deriv(Lam((x, y), x), (0, 1), Verb.JACOBIAN), "jacobian[0, 1] (fun (x : Float) (y : Float) -> x)"),
    (Deriv(square, (), Verb.DUAL), "dual[] (fun (x : Float) -> x * x)"),
    (App(Deriv(square, (0,), Verb.JVP, single=True), (y, z)), "(jvp[0] (fun (x : Float) -> x * x)) y z"),
    # tapes
    (Record((i, j), (x, y)), "record (i, x) (j, y)"),
    (RecordSum(n, i, MakeTuple((x, i, y))), "recordsum n (fun i -> (x, i, y))"),
    (Swept(n, i, j), "swept n i j"),
    (RecordRegion(2, n, (i,), (x, y)), "recordregion 2 n (i) (x, y)"),
    (Swept(n, i, j, (b.plus(i, n),), (Lam((x,), x),)), "swept n i j (i + n) (fun (x : Float) -> x)"),
    (Taped(n, (i,), Swept(n, i, j)), "taped n (fun i -> swept n i j)"),
    (Retained(n, (i,), x), "retained n (fun i -> x)"),
    (Pulled(n, i, (j, i), (x, y)), "pulled n i (j, x) (i, y)"),
    # definitions
    (
        Call(length_of, (v,)),
        "letrec length_1 (v : Array<Float>) : Int =\n  if 0 == length v then 0 else length_1 v\nin\nlength_1 v",
    ),
    # names
    (b.plus(x, Var("x", F64)), "x + x_1"),
    (Let(((Var("x", F64), x),), x), "let x_1 = x in\nx"),
    (b.plus(Var("sum", F64), Var("sin", F64)), "sum_1 + sin_1"),
    (Build(n, Var("n", INT), n), "build n (fun n_1 -> n)"),
    (Build(n, i, Build(n, Var("i", INT), i)), "build n (fun i -> build n (fun i_1 -> i))"),
    (b.plus(b.plus(x, Var("x_1", F64)), Var("x", F64)), "x + x_1 + x_2"),
]


@pytest.mark.parametrize(("term", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_text(term: Term, text: str):
    assert show(term) == text
    assert repr(term) == text


def test_every_construct_is_printed_here():
    """Linear maps are in tests/linear."""
    assert {type(t) for t, _ in TEXTS} | {Var, MapTerm} == set(get_args(AnyTerm))


def test_a_long_program_is_laid_out():
    long = Var("a_name_that_is_rather_long", V)
    other = Var("another_name_that_is_rather_long", V)
    total = b.sum_(
        Length(long),
        lambda k: If(
            op(p.less, Get(long, k), Get(other, k)),
            op(p.sin, b.times(Get(long, k), Get(other, k))),
            op(p.cos, b.plus(Get(long, k), Get(other, k))),
        ),
        "k",
    )
    assert show(Lam((long, other), Let(((x, total),), MakeTuple((x, Get(long, Const(0))))))) == (
        """\
fun (a_name_that_is_rather_long : Array<Float>) (another_name_that_is_rather_long : Array<Float>) ->
  let x = sum (length a_name_that_is_rather_long) (fun k ->
      if a_name_that_is_rather_long[k] < another_name_that_is_rather_long[k] then
        sin (a_name_that_is_rather_long[k] * another_name_that_is_rather_long[k])
      else
        cos (a_name_that_is_rather_long[k] + another_name_that_is_rather_long[k])) in
  (x, a_name_that_is_rather_long[0])"""
    )


def test_many_variables_of_one_name():
    variables = [Var("x", F64) for _ in range(3000)]
    text = show(Vector(tuple(variables)))
    assert text.startswith("[x,\n x_1,")
    assert text.endswith(" x_2999]")
