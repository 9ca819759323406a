"""Every constructor: the type it computes, and that an ill-typed term cannot be built (with the text of the error)."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import pytest

from fsmooth.core import primitives as p
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
    Field,
    Get,
    Header,
    If,
    IFold,
    IllTyped,
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
    let,
    scalar_constant,
)
from fsmooth.core.traverse import children, rebuild
from fsmooth.core.types import BOOL, F32, F64, INT, UNIT, Array, Data, Function, Tuple, Type
from tests.core.constructors import constructors

V, M = Array(F64), Array(Array(F64))
x, single, n, i, c = Var("x", F64), Var("s", F32), Var("n", INT), Var("i", INT), Var("c", BOOL)
v, m, pair = Var("v", V), Var("m", M), Var("pair", Tuple((F64, INT)))
f = Lam((x,), x)
g = Lam((v, n), Get(v, n))
f_jvp, f_vjp = Lam((x, x), x), Lam((x, x), MakeTuple((x,)))
g_jvp = Lam((v, n, v), Get(v, n))
higher = Lam((Var("f", f.type),), x)
point = Tuple((F64, V), ("a", "b"))
element = Header("element", (V, INT), F64)
LIST = Data("List")
LIST.add((F64, LIST))
xs = Var("xs", LIST)

TYPES: list[tuple[Term, Type]] = [
    (Const(1), INT),
    (Const(True), BOOL),
    (Const(1.0), F64),
    (Const(1.0, F32), F32),
    (Let(((x, Const(1.0)),), v), V),
    (f, Function((F64,), F64)),
    (App(g, (v, n)), F64),
    (Call(element, (v, n)), F64),
    (Inject(LIST, 0, (x, xs)), LIST),
    (Tag(xs), INT),
    (Field(xs, 0, 0), F64),
    (Null(LIST), LIST),
    (If(c, v, v), V),
    (Build(n, i, v), M),
    (Build(n, i, pair), Array(Tuple((F64, INT)))),
    (Vector((v, v)), M),
    (IFold(n, pair, pair, i, pair), Tuple((F64, INT))),
    (Plus((v, v)), V),
    (While(pair, pair, c, pair), Tuple((F64, INT))),
    (Reduce(Reduction.SUM, n, i, v), V),
    (Reduce(Reduction.SUM, n, i, MakeTuple((x, v))), Tuple((F64, V))),
    (Reduce(Reduction.MAX, n, i, i), INT),
    (Reduce(Reduction.ARGMIN, n, i, x), INT),
    (Reduce(Reduction.ALL, n, i, c), BOOL),
    (Collect(n, ((n, i), (i, n)), c, v), M),
    (Get(m, i), V),
    (Length(m, 1), INT),
    (MakeTuple((x, n)), Tuple((F64, INT))),
    (MakeTuple(()), UNIT),
    (MakeTuple((x, v), point), point),
    (Proj(pair, 1), INT),
    (Prim(p.less, (x, x)), BOOL),
    (Prim(p.add, (single, single)), F32),
    (Prim(p.select, (c, n, n)), INT),
    (Prim(p.to_float32, (c,)), F32),
    (Zero(()), F64),
    (Zero((n, n), INT), Array(Array(INT))),
    (Delta(n, i, v), M),
    (Update(m, i, v), M),
    (Plus((v, v, v)), V),
    (Check(i, n), INT),
    (Require(c, v), V),
    (Custom(f, f_jvp, f_vjp), Function((F64,), F64)),
    (Custom(g, g_jvp, None), Function((V, INT), F64)),
    (Deriv(g, (), Verb.DUAL), Function((Array(Tuple((F64, F64))), INT), Tuple((F64, F64)))),
    (Deriv(g, (0,), Verb.JVP), Function((V, INT, V), Tuple((F64, F64)))),
    (Deriv(g, (0,), Verb.GRAD), Function((V, INT), Tuple((V,)))),
    (Deriv(g, (0,), Verb.GRAD, single=True), Function((V, INT), V)),
    (Deriv(g, (0,), Verb.VALUE_AND_GRAD, single=True), Function((V, INT), Tuple((F64, V)))),
    (Deriv(Lam((v,), v), (0,), Verb.JACOBIAN, single=True), Function((V,), M)),
    (Record((n, i), (x, single)), INT),
    (RecordSum(n, i, MakeTuple((single, n, x))), Tuple((F32, INT))),
    (Taped(n, (i,), pair), Tuple((F64, INT))),
    (Swept(n, i, i), V),
    (RecordRegion(0, n, (i,), (x, v)), INT),
    (Retained(n, (i,), v), Tuple((V, INT))),
    (Pulled(n, i, (i,), (single,)), V),
]

ILL_TYPED: list[tuple[Callable[[], Term], str]] = [
    (lambda: Const(1, F64), "1 is no Float"),
    (lambda: Const(True, INT), "True is no Int"),
    (lambda: Const(1.0, INT), "1.0 is no Int"),
    (lambda: Const(0, BOOL), "0 is no Bool"),
    (lambda: Const(1.0, V), "1.0 is no Array<Float>"),
    (lambda: Let(((x, n),), x), "x : Float cannot be bound to a Int"),
    (lambda: Let(((x, Const(1.0, F32)),), x), "x : Float cannot be bound to a Float32"),
    (lambda: Inject(LIST, 0, (x,)), "List.0 is of (Float, List), not (Float,)"),
    (lambda: Tag(x), "the tag of a Float"),
    (lambda: Field(x, 0, 0), "a field of a Float"),
    (lambda: Field(xs, 0, 2), "field 0.2 of a List"),
    (lambda: Call(element, (v,)), "element takes (Array<Float>, Int), not (Array<Float>,)"),
    (lambda: Header("f", (f.type,), F64), "f is a definition of or to functions"),
    (lambda: element.define(Lam((x,), x)), "element : (Array<Float>, Int) => Float is defined as a (Float) => Float"),
    (lambda: Record((n,), (x, x)), "1 operands with 2 slopes"),
    (lambda: Record((x,), (x,)), "the id of an operand is an Int, not a Float"),
    (lambda: Record((n,), (n,)), "a slope is a number, not a Int"),
    (lambda: RecordSum(n, i, MakeTuple((x, i))), "a summand of a recorded sum is no (Float, Int)"),
    (lambda: RecordSum(n, i, MakeTuple((x, x, x))), "an id is no Float"),
    (lambda: RecordSum(x, i, MakeTuple((x,))), "a size is an Int, not a Float"),
    (lambda: Taped(n, (), x), "a tape has one start"),
    (lambda: Taped(n, (x,), x), "an id is an Int, not a Float"),
    (lambda: Taped(n, (i,), f), "a tape around a function"),
    (lambda: Pulled(n, x, (), ()), "a tape is an Int, not a Float"),
    (lambda: Pulled(n, i, (i,), ()), "1 numbers with 0 cotangents"),
    (lambda: Pulled(n, i, (i,), (v,)), "ids Int for cotangents Array<Float>"),
    (lambda: RecordRegion(0, x, (), ()), "how many numbers a region gives is an Int, not a Float"),
    (lambda: RecordRegion(0, n, (v,), ()), "an id is no Array<Float>"),
    (lambda: RecordRegion(0, n, (), (f,)), "a region saves a function"),
    (lambda: Swept(n, x, i), "an id is an Int, not a Float"),
    (lambda: App(x, (x,)), "a Float cannot be applied"),
    (lambda: App(f, (n,)), "(Float) => Float applied to (Int)"),
    (lambda: App(f, ()), "(Float) => Float applied to ()"),
    (lambda: App(g, (n, v)), "(Array<Float>, Int) => Float applied to (Int, Array<Float>)"),
    (lambda: If(n, x, x), "a condition is a Bool, not a Int"),
    (lambda: If(c, x, n), "branches of types Float and Int"),
    (lambda: If(c, v, m), "branches of types Array<Float> and Array<Array<Float>>"),
    (lambda: Build(x, i, x), "a size is an Int, not a Float"),
    (lambda: Build(n, x, x), "an index is an Int, not a Float"),
    (lambda: Build(n, i, f), "an array of functions"),
    (lambda: Build(n, i, MakeTuple((x, f))), "an array of functions"),
    (lambda: Vector(()), "an array display needs an element (use zero or build for an empty array)"),
    (lambda: Vector((x, n)), "array elements of types Float, Int"),
    (lambda: Vector((v, x)), "array elements of types Array<Float>, Float"),
    (lambda: Vector((f,)), "array elements of types (Float) => Float"),
    (lambda: IFold(c, x, x, i, x), "a trip count is an Int, not a Bool"),
    (lambda: IFold(n, x, x, x, x), "an index is an Int, not a Float"),
    (lambda: IFold(n, n, x, i, x), "fold state Float, initially Int, then Float"),
    (lambda: IFold(n, x, x, i, n), "fold state Float, initially Float, then Int"),
    (lambda: While(x, x, n, x), "a condition is a Bool, not a Int"),
    (lambda: While(n, x, c, x), "loop state Float, initially Int, then Float"),
    (lambda: While(x, x, c, n), "loop state Float, initially Float, then Int"),
    (lambda: Reduce(Reduction.SUM, x, i, x), "a size is an Int, not a Float"),
    (lambda: Reduce(Reduction.SUM, n, c, x), "an index is an Int, not a Bool"),
    (lambda: Reduce(Reduction.SUM, n, i, c), "sum of Bool"),
    (lambda: Reduce(Reduction.SUM, n, i, MakeTuple((x, c))), "sum of (Float, Bool)"),
    (lambda: Reduce(Reduction.PRODUCT, n, i, v), "product of Array<Float>"),
    (lambda: Reduce(Reduction.MAX, n, i, c), "max of Bool"),
    (lambda: Reduce(Reduction.MIN, n, i, pair), "min of (Float, Int)"),
    (lambda: Reduce(Reduction.ARGMAX, n, i, v), "argmax of Array<Float>"),
    (lambda: Reduce(Reduction.ARGMIN, n, i, c), "argmin of Bool"),
    (lambda: Reduce(Reduction.ALL, n, i, n), "all of Int"),
    (lambda: Reduce(Reduction.ANY, n, i, x), "any of Float"),
    (lambda: Collect(x, ((n, i),), c, x), "a count is an Int, not a Float"),
    (lambda: Collect(n, ((x, i),), c, x), "a size is an Int, not a Float"),
    (lambda: Collect(n, ((n, x),), c, x), "an index is an Int, not a Float"),
    (lambda: Collect(n, ((n, i),), n, x), "a guard is a Bool, not a Int"),
    (lambda: Collect(n, ((n, i),), c, f), "an array of functions"),
    (lambda: Get(x, i), "a Float cannot be indexed"),
    (lambda: Get(v, x), "an index is an Int, not a Float"),
    (lambda: Length(x), "axis 0 of a Float"),
    (lambda: Length(v, 1), "axis 1 of a Array<Float>"),
    (lambda: Length(v, -1), "axis -1 of a Array<Float>"),
    (lambda: MakeTuple((x,), point), "1 items for {a: Float, b: Array<Float>}"),
    (lambda: Proj(x, 0), "component 0 of a Float"),
    (lambda: Proj(pair, 2), "component 2 of a (Float, Int)"),
    (lambda: Proj(pair, -1), "component -1 of a (Float, Int)"),
    (lambda: Prim(p.add, (x, n)), "add wants numbers of one type, not (Float, Int)"),
    (lambda: Prim(p.add, (x, single)), "add wants numbers of one type, not (Float, Float32)"),
    (lambda: Prim(p.add, (x,)), "add wants numbers of one type, not (Float)"),
    (lambda: Prim(p.add, (c, c)), "add wants numbers of one type, not (Bool, Bool)"),
    (lambda: Prim(p.divide, (n, n)), "divide wants real numbers of one width, not (Int, Int)"),
    (lambda: Prim(p.sin, (v,)), "sin wants real numbers of one width, not (Array<Float>)"),
    (lambda: Prim(p.modulo, (x, x)), "modulo wants integers, not (Float, Float)"),
    (lambda: Prim(p.less, (c, c)), "less wants two numbers of one type, not (Bool, Bool)"),
    (lambda: Prim(p.equal, (x, n)), "equal wants two scalars of one type, not (Float, Int)"),
    (lambda: Prim(p.equal, (v, v)), "equal wants two scalars of one type, not (Array<Float>, Array<Float>)"),
    (lambda: Prim(p.logical_not, (n,)), "not wants truth values, not (Int)"),
    (lambda: Prim(p.is_nan, (n,)), "isnan wants a real number, not (Int)"),
    (lambda: Prim(p.select, (n, x, x)), "select wants a truth value and two scalars of one type, not (Int, Float, Float)"),
    (lambda: Prim(p.select, (c, x, n)), "select wants a truth value and two scalars of one type, not (Bool, Float, Int)"),
    (lambda: Prim(p.to_float, (v,)), "to_float wants a number, not (Array<Float>)"),
    (lambda: Zero((x,)), "a size is an Int, not a Float"),
    (lambda: Zero((), BOOL), "zero of Bool"),
    (lambda: Zero((), V), "zero of Array<Float>"),
    (lambda: Delta(x, i, x), "a size is an Int, not a Float"),
    (lambda: Delta(n, x, x), "an index is an Int, not a Float"),
    (lambda: Delta(n, i, c), "delta of Bool"),
    (lambda: Update(v, i, n), "a Int into a Array<Float>"),
    (lambda: Update(m, i, x), "a Float into a Array<Array<Float>>"),
    (lambda: Update(x, i, x), "a Float into a Float"),
    (lambda: Update(v, x, x), "an index is an Int, not a Float"),
    (lambda: Plus((v,)), "plus adds two arrays or more"),
    (lambda: Plus((v, m)), "plus of Array<Float>, Array<Array<Float>>"),
    (lambda: Plus((x, x)), "plus of Float, Float"),
    (lambda: Plus((v, x)), "plus of Array<Float>, Float"),
    (lambda: Check(x, n), "an index is an Int, not a Float"),
    (lambda: Check(i, x), "a size is an Int, not a Float"),
    (lambda: Require(n, x), "a requirement is a Bool, not a Int"),
    (lambda: Require(c, x, numbers=(x,)), "a number in a message is an Int, not a Float"),
    (lambda: Custom(x, f_jvp, None), "a derivative for a Float"),
    (lambda: Custom(f, None, None), "a derivative is given by a jvp, a vjp, or both"),
    (lambda: Custom(f, f, None), "a rule for (Float) => Float is a (Float, Float) => Float, not a (Float) => Float"),
    (lambda: Custom(f, None, f_jvp), "a rule for (Float) => Float is a (Float, Float) => (Float,), not a (Float, Float) => Float"),
    (lambda: Custom(higher, f_jvp, None), "a derivative for a function of or to functions: ((Float) => Float) => Float"),
    (lambda: Custom(Lam((x,), n), f_jvp, None), "a derivative for a function from or to values without real numbers: (Float) => Int"),
    (lambda: Custom(Lam((n,), x), f_jvp, None), "a derivative for a function from or to values without real numbers: (Int) => Float"),
    (lambda: Deriv(x, (0,), Verb.GRAD), "the derivative of a Float"),
    (lambda: Deriv(f, (1,), Verb.GRAD), "wrt (1,) of (Float) => Float"),
    (lambda: Deriv(f, (-1,), Verb.GRAD), "wrt (-1,) of (Float) => Float"),
    (lambda: Deriv(g, (0, 1), Verb.GRAD, single=True), "wrt (0, 1) of (Array<Float>, Int) => Float"),
    (lambda: Deriv(g, (1,), Verb.GRAD), "a derivative with respect to something without real numbers"),
    (lambda: Deriv(Lam((v,), v), (0,), Verb.GRAD), "the gradient of a function that gives a Array<Float>"),
    (lambda: Deriv(Lam((x,), n), (0,), Verb.VALUE_AND_GRAD), "the gradient of a function that gives a Int"),
    (lambda: Deriv(higher, (0,), Verb.JVP), "a derivative of or with respect to functions: ((Float) => Float) => Float"),
    (lambda: Deriv(Lam((x,), f), (0,), Verb.JACOBIAN), "a derivative of or with respect to functions: (Float) => (Float) => Float"),
]  # fmt: skip


@pytest.mark.parametrize(("term", "type_"), TYPES, ids=[type(t).__name__ for t, _ in TYPES])
def test_type(term: Term, type_: Type):
    assert term.type == type_


@pytest.mark.parametrize(("make", "text"), ILL_TYPED, ids=[text for _, text in ILL_TYPED])
def test_ill_typed(make: Callable[[], Term], text: str):
    with pytest.raises(IllTyped) as error:
        make()
    assert str(error.value) == text


def test_every_constructor_is_tested_here():
    """Those of linear maps are in tests/linear."""
    declared = set(get_args(AnyTerm))
    assert {type(t) for t, _ in TYPES} == declared - {Var, MapTerm}
    assert declared == constructors()


@pytest.mark.parametrize("term", [t for t, _ in TYPES], ids=[type(t).__name__ for t, _ in TYPES])
def test_rebuilding_with_ill_typed_parts_is_refused(term: Term):
    """No pass can make an ill-typed term: `rebuild` goes through the constructors."""
    assert rebuild(term, children(term)) is term
    new = [t.renamed() if isinstance(t, Var) else t for t in children(term)]
    assert rebuild(term, new).type == term.type
    for k, part in enumerate(children(term)):
        wrong = Var("wrong", UNIT if isinstance(term, Deriv) else Function((), UNIT))
        free = isinstance(term, Lam | MakeTuple) or (isinstance(term, Let | Require) and part is children(term)[-1])
        if free:  # any type will do there
            continue
        with pytest.raises(IllTyped):
            rebuild(term, [wrong if j == k else t for j, t in enumerate(children(term))])


def test_terms_have_no_dictionary_and_no_equality_but_identity():
    for term, _ in TYPES:
        assert not hasattr(term, "__dict__")
        assert type(term).__eq__ is object.__eq__


def test_scalar_constants_follow_the_type():
    assert [scalar_constant(1, t).value for t in (F64, F32, INT, BOOL)] == [1.0, 1.0, 1, True]
    assert [scalar_constant(1, t).type for t in (F64, F32, INT, BOOL)] == [F64, F32, INT, BOOL]
    with pytest.raises(IllTyped, match="no constant of type Array<Float>"):
        scalar_constant(1, V)


def test_let_merges_scopes():
    a, b = Var("a", F64), Var("b", F64)
    inner = Let(((b, a),), b)
    merged = let([(a, x)], inner)
    assert isinstance(merged, Let)
    assert merged.bindings == ((a, x), (b, a))
    assert merged.body is b
    assert let((), x) is x
