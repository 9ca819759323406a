"""Elaboration: types inferred, functions inlined, numbers joined."""

import pytest

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import (
    App,
    Build,
    Const,
    Delta,
    Get,
    If,
    IFold,
    Lam,
    Length,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Term,
    Var,
    Vector,
    Zero,
)
from fsmooth.core.types import BOOL, F32, F64, INT, Array, Function, Tuple, Type
from fsmooth.frontend.text import TextError, parse

V = Array(F64)
M = Array(V)
x, y, n, i, c = Var("x", F64), Var("y", F64), Var("n", INT), Var("i", INT), Var("c", BOOL)
v, m, q = Var("v", V), Var("m", M), Var("q", Tuple((F64, INT)))
ENVIRONMENT = {u.name: u for u in (x, y, n, i, c, v, m, q)}


def one(primitive: p.Primitive, *arguments: Term) -> Term:
    return Prim(primitive, arguments)


CASES: list[tuple[str, Term]] = [
    ("1", Const(1)),
    ("-1.5", Const(-1.5)),
    ("-(1.5)", one(p.negate, Const(1.5))),
    ("1.5f", Const(1.5, F32)),
    ("-inf", Const(float("-inf"))),
    ("true", Const(True)),
    ("x + y * x", one(p.add, x, one(p.multiply, y, x))),
    ("x - y - x", one(p.subtract, one(p.subtract, x, y), x)),
    ("-x ** y", one(p.negate, one(p.power, x, y))),
    ("x ** y ** x", one(p.power, x, one(p.power, y, x))),
    ("x ** 2", one(p.power, x, Const(2.0))),
    ("n ** 2", one(p.integer_power, n, Const(2))),
    ("n / 2", one(p.divide, one(p.to_float, n), Const(2.0))),
    ("n // 2 % 3", one(p.modulo, one(p.floor_divide, n, Const(2)), Const(3))),
    ("x + 1", one(p.add, x, Const(1.0))),
    ("x + n", one(p.add, x, one(p.to_float, n))),
    ("sin n", one(p.sin, one(p.to_float, n))),
    ("atan2 x y", one(p.atan2, x, y)),
    ("select c x 0", one(p.select, c, x, Const(0.0))),
    ("x = y", one(p.equal, x, y)),
    ("n <> 1", one(p.not_equal, n, Const(1))),
    ("!c", one(p.logical_not, c)),
    ("c && x < y", If(c, one(p.less, x, y), Const(False))),
    ("c || c", If(c, Const(True), c)),
    ("if c then 1 else x", If(c, Const(1.0), x)),
    ("v[i]", Get(v, i)),
    ("v.[i + 1]", Get(v, one(p.add, i, Const(1)))),
    ("m[i, n]", Get(Get(m, i), n)),
    ("m[i][n]", Get(Get(m, i), n)),
    ("length m", Length(m, 0)),
    ("length m 1", Length(m, 1)),
    ("(x, n)", MakeTuple((x, n))),
    ("(x,)", MakeTuple((x,))),
    ("()", MakeTuple(())),
    ("{a = x, b = n}", MakeTuple((x, n), Tuple((F64, INT), ("a", "b")))),
    ("{a = x, b = n}.b", Proj(MakeTuple((x, n), Tuple((F64, INT), ("a", "b"))), 1)),
    ("fst q", Proj(q, 0)),
    ("q.1", Proj(q, 1)),
    ("[x, 1]", Vector((x, Const(1.0)))),
    ("build n (fun k -> k)", Build(n, i, i)),
    ("build n sin", Build(n, i, one(p.sin, one(p.to_float, i)))),
    ("sum n (fun k -> v[k])", Reduce(Reduction.SUM, n, i, Get(v, i))),
    ("argmax n (fun k -> v[k])", Reduce(Reduction.ARGMAX, n, i, Get(v, i))),
    ("delta n i x", Delta(n, i, x)),
    ("zero n 2", Zero((n, Const(2)))),
    ("zero Int n", Zero((n,), INT)),
    ("zero", Zero(())),
]


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[t for t, _ in CASES])
def test_terms(text: str, expected: Term) -> None:
    assert alpha_equal(parse(text, ENVIRONMENT), expected), parse(text, ENVIRONMENT).type


def test_a_chain_of_lets_is_one_scope() -> None:
    term = parse("let a = x in let b = a in a + b", ENVIRONMENT)
    assert isinstance(term, Let)
    assert len(term.bindings) == 2


def test_a_fold_that_begins_with_an_integer_literal() -> None:
    term = parse("ifold (fun s k -> s + v[k]) 0 n", ENVIRONMENT)
    assert isinstance(term, IFold)
    assert alpha_equal(term.init, Const(0.0))


def test_a_function_without_types_is_inlined_at_every_type() -> None:
    term = parse("let twice = fun f a -> f (f a) in (twice (fun a -> a + 1) n, twice sin x)", ENVIRONMENT)
    assert term.type == Tuple((INT, F64))


def test_an_argument_used_often_is_bound_and_one_used_once_is_not() -> None:
    assert isinstance(parse("let f = fun a -> a * a in f (x + y)", ENVIRONMENT), Let)
    assert isinstance(parse("let f = fun a -> a * 2 in f (x + y)", ENVIRONMENT), Prim)
    assert isinstance(parse("let f = fun a -> a * a in f v[i]", ENVIRONMENT), Prim)
    assert isinstance(parse("let f = fun a -> build n (fun k -> a) in f (x + y)", ENVIRONMENT), Let)


def test_an_annotated_function_is_a_term() -> None:
    term = parse("let f = fun (a : Float) -> a in f x", ENVIRONMENT)
    assert isinstance(term, Let)
    assert isinstance(term.bindings[0][1], Lam)
    assert isinstance(term.body, App)


def test_a_function_applied_where_it_is_written() -> None:
    term = parse("(fun a b -> a + snd b) 1 (2, x)", ENVIRONMENT)
    assert isinstance(term, App)
    assert term.type == F64


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("Float", F64),
        ("Array<Array<Int>>", Array(Array(INT))),
        ("(Float, Int)", Tuple((F64, INT))),
        ("Double * Bool", Tuple((F64, BOOL))),
        ("{x: Float, n: Int}", Tuple((F64, INT), ("x", "n"))),
        ("(Float, Int) => Float", Function((F64, INT), F64)),
        ("Vector => Double => Matrix", Function((V, F64), M)),
        ("((Float, Int)) => Float", Function((Tuple((F64, INT)),), F64)),
        ("() => (Float,)", Function((), Tuple((F64,)))),
    ],
)
def test_types(text: str, type_: Type) -> None:
    assert parse(f"fun (a : {text}) -> 1").type == Function((type_,), INT)


def test_the_type_of_the_whole_types_a_function() -> None:
    assert parse("fun a -> a[0]", {}, Function((V,), F64)).type == Function((V,), F64)


ERRORS = [
    ("x + c", "line 1: `+` between Float and Bool\n    x + c\n    ^^^^^"),
    ("let a = 1\nb", "line 2: `b` is not defined\n    b\n    ^"),
    ("build x (fun k -> k)", "line 1: an Int is wanted here, not a Float\n    build x (fun k -> k)\n          ^"),
    ("if x then 1 else 2", "line 1: a Bool is wanted here, not a Float\n    if x then 1 else 2\n       ^"),
    (
        "if c then 1 else c",
        "line 1: the branches are an Int and a Bool\n    if c then 1 else c\n    ^^^^^^^^^^^^^^^^^^",
    ),
    ("x[0]", "line 1: a Float cannot be indexed\n    x[0]\n    ^^^^"),
    ("[x, c]", "line 1: the elements are of types Float, Bool\n    [x, c]\n    ^^^^^^"),
    ("q.2", "line 1: a (Float, Int) has 2 components, counted from 0\n    q.2\n    ^^^"),
    (
        "let f = fun a -> a in f 1 2",
        "line 1: f takes 1 argument, not 2\n    let f = fun a -> a in f 1 2\n                          ^^^^^",
    ),
    ("let f = fun a -> a in f", "line 1: a function cannot stand here: its parameters have no types"),
    ("fun (a : Real) -> a", "line 1: `Real` is no type; there are Float, Int, Bool, Array<…>\n"),
    ("f (x", "line 1: the text ends before the program does; `)` was expected\n    f (x\n        ^"),
    ("let a 1 in a", "line 1: `1` cannot stand here; `=` was expected\n    let a 1 in a\n          ^"),
    ("x ? y", "line 1: this character has no meaning here\n    x ? y\n      ^"),
    ("(let a = x) + 1", "line 1: `)` cannot stand here; a let goes on with `in`, or on a new line under the `let`"),
]


@pytest.mark.parametrize(("text", "message"), ERRORS, ids=[t for t, _ in ERRORS])
def test_mistakes_are_shown_in_their_line(text: str, message: str) -> None:
    with pytest.raises(TextError) as raised:
        parse(text, ENVIRONMENT)
    assert str(raised.value).startswith(message)
