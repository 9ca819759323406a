"""What `core/pretty.py` prints, `frontend.text` parses back to the same term (up to names of bound variables)."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.pretty import show
from fsmooth.core.term import (
    App,
    Build,
    Check,
    Collect,
    Const,
    Custom,
    Deriv,
    Failure,
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
    Require,
    Term,
    Update,
    Var,
    Vector,
    Verb,
    While,
    Zero,
    let,
)
from fsmooth.core.traverse import transform
from fsmooth.core.types import BOOL, F32, F64, INT, Array, Function, Tuple
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.frontend import text as front
from fsmooth.frontend.text.exact import Exact
from fsmooth.library import parse
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE, DEFAULT, LN, NONE
from tests.strategies import random_program

V = Array(F64)
x, y, n, i, j, c = Var("x", F64), Var("y", F64), Var("n", INT), Var("i", INT), Var("j", INT), Var("c", BOOL)
v, m, q = Var("v", V), Var("m", Array(V)), Var("q", Tuple((F64, INT)))
r = Var("r", Tuple((F64, INT), ("left", "right")))
s = Var("s", F32)
f = Var("f", Function((F64, Tuple((F64, INT))), F64))
x2, sum_, let_ = Var("x", F64), Var("sum", F64), Var("let", F64)


def one(primitive: p.Primitive, *arguments: Term) -> Term:
    return Prim(primitive, arguments)


def one_scope(term: Term) -> Term:
    """A `let` directly inside the body of another is the same scope, and is read as such."""
    return let(term.bindings, term.body) if isinstance(term, Let) else term


def back(term: Term) -> None:
    term = transform(term, one_scope)
    text = show(term)
    environment = {u.name: u for u in term.free}
    again = front.parse(text, environment, elaborator=Exact)
    assert alpha_equal(again, term), f"{text}\n\nparses to\n\n{show(again)}"


TERMS: list[Term] = [
    Const(-1),
    Const(-1.5e-300),
    Const(1e16),
    Const(-0.0),
    Const(float("inf")),
    Const(float("-inf")),
    Const(float("nan")),
    Const(1.5, F32),
    Const(float("-inf"), F32),
    Const(float("nan"), F32),
    one(p.negate, Const(1.0)),
    one(p.negate, Const(-1.0)),
    one(p.negate, one(p.negate, x)),
    one(p.negate, one(p.power, x, y)),
    one(p.power, one(p.negate, x), y),
    one(p.power, one(p.power, x, y), x),
    one(p.power, x, one(p.negate, y)),
    one(p.power, x, Const(-2.0)),
    one(p.subtract, x, one(p.subtract, y, Const(-1.0))),
    one(p.divide, one(p.multiply, x, y), one(p.divide, x, y)),
    one(p.add, one(p.add, x, y), one(p.add, x, y)),
    one(p.multiply, one(p.negate, x), one(p.add, x, y)),
    one(p.floor_divide, n, one(p.modulo, n, Const(3))),
    one(p.integer_power, n, Const(2)),
    one(p.equal, one(p.less, x, y), c),
    one(p.logical_not, one(p.logical_not, c)),
    one(p.select, one(p.logical_not, c), one(p.negate, x), Const(-1.0)),
    one(p.add, s, Const(1.0, F32)),
    If(If(c, c, Const(False)), c, Const(False)),
    If(c, If(c, c, Const(False)), Const(False)),
    If(If(c, Const(True), c), c, Const(False)),
    If(c, Const(True), If(c, c, Const(False))),
    If(c, Const(True), Const(False)),
    If(If(c, c, c), If(c, x, y), If(c, y, x)),
    one(p.add, If(c, x, y), Const(1.0)),
    MakeTuple(()),
    MakeTuple((x,)),
    MakeTuple((MakeTuple((x, n)), If(c, x, y))),
    MakeTuple((x, n), r.type),
    Proj(MakeTuple((x, n)), 1),
    Proj(r, 1),
    Proj(Proj(MakeTuple((q, x)), 0), 0),
    Vector((x, one(p.negate, y))),
    Get(Vector((x, y)), n),
    Get(Get(m, n), one(p.add, n, Const(1))),
    Get(Build(n, i, x), n),
    Length(m, 1),
    Length(Build(n, i, v), 1),
    Zero(()),
    Zero((n, Const(2)), INT),
    Zero((n,), F32),
    Build(n, i, Build(Length(v), j, one(p.multiply, Get(v, j), one(p.to_float, i)))),
    Reduce(Reduction.ARGMIN, n, i, Get(v, i)),
    Reduce(Reduction.ALL, n, i, one(p.less, Get(v, i), x)),
    IFold(n, MakeTuple((x, n)), q, i, MakeTuple((Proj(q, 0), one(p.add, Proj(q, 1), i)))),
    While(MakeTuple((x, n)), q, one(p.less, Proj(q, 1), n), MakeTuple((Proj(q, 0), one(p.add, Proj(q, 1), n)))),
    Update(v, Check(n, Length(v)), x),
    Collect(n, ((n, i), (i, j)), one(p.less, i, j), one(p.add, i, j)),
    Require(one(p.equal, n, Const(2)), x, Failure.SIZE, (n, Const(2))),
    Require(one(p.greater, n, Const(0)), x, Failure.EMPTY),
    Require(one(p.logical_not, c), x, Failure.DIVISION),
    one(p.add, Require(c, x, Failure.STEP), y),
    Let(((x2, y),), one(p.add, x2, x)),
    Let(((x2, Let(((y, x), (Var("t", F64), y)), y)), (y, x2)), one(p.add, x2, y)),
    Let(((Var("g", Function((F64,), F64)), Lam((x,), x)),), y),
    App(Lam((x, q), one(p.add, x, Proj(q, 0))), (y, MakeTuple((y, n)))),
    App(f, (x, q)),
    App(Lam((), x), ()),
    Lam((f,), App(f, (x, q))),
    Lam((r, s), Proj(r, 0)),
    Deriv(Lam((x,), one(p.sin, x)), (0,), Verb.GRAD, single=True),
    App(Deriv(Lam((x, y), one(p.multiply, x, y)), (0, 1), Verb.JVP), (x, y, x, y)),
    App(Deriv(Lam((x,), one(p.sin, x)), (), Verb.DUAL), (MakeTuple((x, y)),)),
    Deriv(Lam((x,), one(p.sin, x)), (0,), Verb.VALUE_AND_GRAD),
    Custom(Lam((x,), one(p.sin, x)), Lam((x, y), one(p.multiply, x, y)), None),
    Custom(Lam((x, n), x), None, Lam((x, n, y), MakeTuple((y,)))),
    App(
        Custom(
            Lam((q,), Proj(q, 0)),
            Lam((q, Var("t", Tuple((F64, Tuple(()))))), x),
            Lam((q, x), MakeTuple((MakeTuple((x, MakeTuple(()))),))),
        ),
        (q,),
    ),
    Let(((sum_, x),), Reduce(Reduction.SUM, n, i, sum_)),
    Build(n, Var("in", INT), x),
    Lam((let_,), let_),
]


@pytest.mark.parametrize("term", TERMS, ids=[f"{k}-{show(t)[:40]}" for k, t in enumerate(TERMS)])
def test_every_construct(term: Term) -> None:
    back(term)


PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.ft"))


@pytest.mark.parametrize("path", PROGRAMS, ids=[q.stem for q in PROGRAMS])
@pytest.mark.parametrize("stage", [lambda t: t, NONE, LN], ids=["elaborated", "NONE", "LN"])
def test_programs(path: Path, stage: Callable[[Term], Term]) -> None:
    back(stage(parse(path.read_text())))


def test_derivatives() -> None:
    text = "fun (u: Vector) (M: Matrix) (v: Vector) -> deriv (vectorDot u (matrixVectorMul M v)) M"
    term = parse(text)
    back(term)
    term = remove_derivatives(term, BEFORE_DERIVATIVE)
    back(term)
    back(LN(term))


@pytest.mark.parametrize("seed", range(120))
def test_sizes_in_random_programs_provably_agree(seed: int) -> None:
    program = transform(random_program(seed, 4, (F64, V, Array(V))[seed % 3])[0], one_scope)
    again = front.parse(show(program))
    assert alpha_equal(again, program), f"{show(program)}\n\nparses to\n\n{show(again)}"


@pytest.mark.parametrize("seed", range(120))
def test_random_programs(seed: int) -> None:
    result = (F64, V, Array(V))[seed % 3]
    program, _ = random_program(seed, 4, result)
    back(program)
    if seed % 4 == 0:
        back(DEFAULT(program))
        derivative = Deriv(program, (0,), Verb.JVP)
        back(derivative)
