"""Small programs that between them use every construct, with arguments."""

from __future__ import annotations

import numpy as np

from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.term import (
    App,
    Build,
    Check,
    Collect,
    Const,
    Delta,
    Failure,
    Get,
    If,
    IFold,
    Lam,
    Length,
    Let,
    MakeTuple,
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
from fsmooth.core.types import BOOL, F32, F64, INT, Array, Float, Tuple

V, M = Array(F64), Array(Array(F64))
IV = Array(INT)
v3 = np.array([0.5, -1.25, 2.0])
w3 = np.array([1.5, 0.25, -3.0])
m23 = np.arange(6.0).reshape(2, 3) - 2.5
g4 = np.array([2, 0, 1, 2])

PROGRAMS: dict[str, tuple[Lam, list[tuple[object, ...]]]] = {}


def _program(name: str, parameters: tuple[tuple[str, object], ...], body, *arguments: tuple[object, ...]) -> None:
    PROGRAMS[name] = (b.lam(parameters, body), list(arguments))


def mul(x: Term, y: Term) -> Term:
    return b.prim(p.multiply, x, y)


def _or_nothing(x: Term) -> Term:
    """A number, or infinity where it is none."""
    return b.bind(x, lambda x: If(b.prim(p.is_nan, x), b.number(np.inf, F64), x), "x")


def add(x: Term, y: Term) -> Term:
    return b.prim(p.add, x, y)


def less(x: Term, y: Term) -> Term:
    return b.prim(p.less, x, y)


def real(x: Term) -> Term:
    return b.prim(p.to_float, x)


VV = (("v", V), ("w", V))
_program("dot", VV, lambda v, w: b.sum_(Length(v), lambda i: mul(Get(v, i), Get(w, i))), (v3, w3), (v3[:0], v3[:0]))
_program("copy", (("v", V),), lambda v: b.build(Length(v), lambda i: Get(v, i)), (v3,), (v3[:0],))
_program("argument", (("v", V),), lambda v: v, (v3,))
_program("twice", (("v", V),), lambda v: MakeTuple((v, v, Length(v))), (v3,))
_program(
    "transpose",
    (("m", M),),
    lambda m: b.nested_build((Length(m, 1), Length(m)), lambda ij: b.get(m, ij[1], ij[0])),
    (m23,),
)
_program(
    "checked",
    (("v", V), ("g", IV)),
    lambda v, g: b.build(Length(g), lambda i: Get(v, Check(Get(g, i), Length(v)))),
    (v3, g4),
)
_program(
    "ends",
    (("v", V),),
    lambda v: b.build(b.minus(Length(v), Const(1)), lambda i: Get(v, Check(b.plus(i, Const(1)), Length(v)))),
    (v3,),
)
_program(
    "matmul",
    (("a", M), ("c", M)),
    lambda a, c: b.nested_build(
        (Length(a), Length(c, 1)), lambda ij: b.sum_(Length(c), lambda k: mul(b.get(a, ij[0], k), b.get(c, k, ij[1])))
    ),
    (m23, m23.T.copy()),
)
_program(
    "zip", VV, lambda v, w: b.build(Length(v), lambda i: MakeTuple((Get(v, i), mul(Get(w, i), Get(v, i))))), (v3, w3)
)


def _let_array(v: Term, w: Term) -> Term:
    s = Var("squares", V)
    return Let(
        ((s, b.build(Length(v), lambda i: mul(Get(v, i), Get(w, i)))),),
        b.build(Length(s), lambda i: b.sum_(Length(s), lambda j: mul(Get(s, i), Get(s, j)))),
    )


_program("let_array", VV, _let_array, (v3, w3))


def _let_tuples(v: Term, w: Term) -> Term:
    s = Var("pairs", Array(Tuple((F64, V))))
    pairs = b.build(
        Length(v), lambda i: MakeTuple((Get(v, i), b.build(Length(w), lambda j: mul(Get(v, i), Get(w, j)))))
    )
    return Let(((s, pairs),), b.build(Length(s), lambda i: add(Proj(Get(s, i), 0), Get(Proj(Get(s, i), 1), Const(1)))))


_program("let_tuples", VV, _let_tuples, (v3, w3))
_program(
    "local_vector",
    (("x", F64), ("k", INT)),
    lambda x, k: b.bind(
        Vector((x, mul(x, x), Const(2.0))), lambda t: add(Get(t, Check(k, Const(3))), Get(t, Const(0)))
    ),
    (1.5, 2),
    (1.5, 0),
)
_program("vector_of_rows", VV, lambda v, w: Vector((v, w, b.build(Length(v), lambda i: Const(1.0)))), (v3, w3))
_program(
    "sum_of_deltas",
    (("v", V), ("g", IV), ("n", INT)),
    lambda v, g, n: b.sum_(Length(g), lambda k: Delta(n, Get(g, k), Get(v, Get(g, k)))),
    (v3, g4, 4),
)
_program("one_hot", (("n", INT), ("k", INT)), lambda n, k: Delta(n, k, Const(1.0)), (4, 2))
_program("eye", (("n", INT),), lambda n: b.build(n, lambda i: Delta(n, i, Const(1.0))), (3,), (0,))
_program("zeros", (("n", INT),), lambda n: Zero((n, b.plus(n, Const(1)))), (3,), (0,))
_program("zero_scalar", (("x", F64),), lambda x: add(Zero(()), x), (3.5,))
_program(
    "get_delta", (("n", INT), ("x", F64)), lambda n, x: b.build(n, lambda i: Get(Delta(n, Const(1), x), i)), (3, 2.5)
)
_program(
    "get_delta_rows", (("n", INT), ("v", V)), lambda n, v: b.build(n, lambda i: Get(Delta(n, Const(1), v), i)), (3, v3)
)
_program("get_build", (("n", INT),), lambda n: Get(b.build(n, lambda i: real(i)), Const(2)), (4,))
_program("update", (("v", V), ("x", F64)), lambda v, x: Update(v, Const(1), x), (v3, 9.0))
_program(
    "sum_of_updates",
    (("v", V), ("n", INT)),
    lambda v, n: b.sum_(n, lambda i: Update(v, Const(1), real(i))),
    (v3, 3),
)
_program(
    "if_array",
    (("v", V), ("w", V), ("c", BOOL)),
    lambda v, w, c: If(c, v, b.build(Length(v), lambda i: mul(Get(w, i), Get(w, i)))),
    (v3, w3, True),
    (v3, w3, False),
)
_program(
    "sum_if_array",
    (("v", V), ("n", INT)),
    lambda v, n: b.sum_(n, lambda i: If(less(i, Const(2)), v, Zero((Length(v),)))),
    (v3, 3),
)
_program(
    "clamped",
    (("v", V),),
    lambda v: b.build(Length(v), lambda i: If(less(Get(v, i), Const(0.0)), Zero(()), Get(v, i))),
    (v3,),
)
_program(
    "guarded_get",
    (("v", V), ("n", INT)),
    lambda v, n: b.build(n, lambda i: If(less(i, Length(v)), Get(v, Check(i, Length(v))), Const(-1.0))),
    (v3, 5),
)
_program(
    "product", (("v", V),), lambda v: b.reduce(Reduction.PRODUCT, Length(v), lambda i: Get(v, i)), (v3,), (v3[:0],)
)
for _r in (Reduction.MAX, Reduction.MIN, Reduction.ARGMAX, Reduction.ARGMIN):
    _program(
        _r.value,
        (("v", V),),
        lambda v, r=_r: b.reduce(r, Length(v), lambda i: Get(v, i)),
        (v3,),
        (np.array([1.0, np.nan, 3.0, np.nan]),),
        (np.array([2.0, 2.0, 1.0, 1.0]),),
        (np.array([-np.inf]),),
        (np.array([np.inf, np.inf]),),
        (np.sin(np.arange(1000.0)),),
        (np.where(np.arange(1000) == 613, np.nan, np.sin(np.arange(1000.0))),),
    )
    _program(
        _r.value + "_of_squares",
        (("v", V),),
        lambda v, r=_r: b.reduce(r, Length(v), lambda i: mul(Get(v, i), Get(v, i))),
        (v3,),
        (np.array([1.0, np.nan, 3.0, np.nan]),),
        (np.array([np.nan, 0.0, np.inf]),),
        (np.array([2.0, 1.0, -2.0, -1.0]),),
        (np.array([np.inf, -np.inf]),),
        (np.array([-0.0, 0.0, -1.0, 1.0]),),
        (np.sin(np.arange(1000.0)),),
        (np.where(np.isin(np.arange(1000), (613, 620, 900)), np.nan, np.sin(np.arange(1000.0))),),
    )
    _program(
        _r.value + "_of_numbers",
        (("v", V),),
        lambda v, r=_r: b.reduce(r, Length(v), lambda i: _or_nothing(mul(Get(v, i), Get(v, i)))),
        (v3,),
        (np.array([np.nan, 4.0, 3.0, np.nan]),),
        (np.concatenate((np.full(70, np.nan), v3, [0.25], np.full(70, 1.0))),),
    )
    _program(
        _r.value + "_of_rows",
        (("v", V),),
        lambda v, r=_r: b.build(Length(v), lambda k: b.reduce(r, Length(v), lambda i: mul(Get(v, i), Get(v, k)))),
        (v3,),
        (np.array([1.0, np.nan, 3.0]),),
    )
    _program(
        _r.value + "_of_sums",
        (("v", V),),
        lambda v, r=_r: b.reduce(r, Length(v), lambda i: b.sum_(Length(v), lambda k: mul(Get(v, i), Get(v, k)))),
        (v3,),
        (np.array([1.0, np.nan, 3.0]),),
        (np.array([2.0, 1.0, -2.0, -1.5]),),
    )
    _program(
        _r.value + "_of_numbers_in_rows",
        (("v", V),),
        lambda v, r=_r: b.build(
            Length(v), lambda k: b.reduce(r, Length(v), lambda i: _or_nothing(mul(Get(v, i), Get(v, k))))
        ),
        (v3,),
        (np.array([np.nan, 4.0, 3.0, -np.inf]),),
    )
    _program(
        _r.value + "_of_squares_int",
        (("g", IV),),
        lambda g, r=_r: b.reduce(r, Length(g), lambda i: mul(Get(g, i), Get(g, i))),
        (g4,),
        (np.array([-2, 1, 2, -1]),),
        (np.arange(200) * 37 % 101,),
    )
    _program(_r.value + "_int", (("g", IV),), lambda g, r=_r: b.reduce(r, Length(g), lambda i: Get(g, i)), (g4,))
for _r in (Reduction.ALL, Reduction.ANY):
    _program(
        _r.value,
        (("v", V),),
        lambda v, r=_r: b.reduce(r, Length(v), lambda i: less(Const(0.0), Get(v, Check(i, Const(2))))),
        (v3[:2],),
        (-v3[:2],),
        (v3[:0],),
    )
_program(
    "collect",
    (("v", V),),
    lambda v: Collect(
        b.sum_(Length(v), lambda i: If(less(Const(0.0), Get(v, i)), Const(1), Const(0))),
        ((Length(v), (i := Var("i", INT))),),
        less(Const(0.0), Get(v, i)),
        mul(Get(v, i), Const(2.0)),
    ),
    (v3,),
    (v3[:0],),
)
_program(
    "fold_scalar",
    (("x", F64), ("n", INT)),
    lambda x, n: b.ifold(n, x, lambda s, i: mul(s, add(x, real(i)))),
    (1.1, 4),
    (1.1, 0),
)
_program(
    "fibonacci",
    (("n", INT),),
    lambda n: Proj(
        b.ifold(
            n, MakeTuple((Const(0), Const(1))), lambda s, i: MakeTuple((Proj(s, 1), b.plus(Proj(s, 0), Proj(s, 1))))
        ),
        0,
    ),
    (0,),
    (1,),
    (10,),
)
_program(
    "fold_array",
    (("v", V), ("n", INT)),
    lambda v, n: b.ifold(
        n,
        v,
        lambda s, i: b.build(Length(s), lambda j: add(Get(s, j), Get(s, b.minus(b.minus(Length(s), Const(1)), j)))),
    ),
    (v3, 0),
    (v3, 1),
    (v3, 2),
    (np.arange(100.0), 3),
)
_program(
    "histogram",
    (("g", IV), ("n", INT)),
    lambda g, n: b.ifold(
        Length(g), Zero((n,)), lambda s, i: Update(s, Get(g, i), add(Get(s, Get(g, i)), Const(1.0))), "counts"
    ),
    (g4, 3),
    (np.zeros(0, np.int64), 3),
)
_program(
    "sieve",
    (("n", INT),),
    lambda n: b.ifold(
        n,
        b.build(n, lambda i: Const(True)),
        lambda s, i: If(
            b.both(less(Const(1), i), Get(s, i)),
            b.ifold(
                n,
                s,
                lambda r, j: If(
                    b.both(less(i, j), b.equals(b.prim(p.modulo, j, i), Const(0))), Update(r, j, Const(False)), r
                ),
                "r",
            ),
            s,
        ),
    ),
    (30,),
)
_program(
    "fold_matrix_and_count",
    (("m", M), ("n", INT)),
    lambda m, n: b.ifold(
        n,
        MakeTuple((m, Const(1.0))),
        lambda s, i: MakeTuple(
            (
                b.nested_build((Length(m), Length(m, 1)), lambda ij: mul(b.get(Proj(s, 0), ij[0], ij[1]), Proj(s, 1))),
                add(Proj(s, 1), b.get(Proj(s, 0), Const(0), Const(0))),
            )
        ),
    ),
    (m23, 3),
    (m23, 0),
)
_program(
    "swap",
    VV + (("n", INT),),
    lambda v, w, n: b.ifold(n, MakeTuple((v, w)), lambda s, i: MakeTuple((Proj(s, 1), Proj(s, 0)))),
    (v3, w3, 3),
    (v3, w3, 2),
)
_program(
    "prefix_sums",
    (("v", V),),
    lambda v: b.ifold(
        Length(v),
        v,
        lambda s, i: If(less(Const(0), i), Update(s, i, add(Get(s, i), Get(s, b.minus(i, Const(1))))), s),
    ),
    (v3,),
)
_program(
    "nested_fold_update",
    (("m", M),),
    lambda m: b.ifold(
        Length(m),
        Zero((Length(m, 1),)),
        lambda s, i: b.ifold(Length(m, 1), s, lambda r, j: Update(r, j, add(Get(r, j), b.get(m, i, j))), "r", "j"),
    ),
    (m23,),
)
_program(
    "update_rows",
    (("m", M), ("v", V)),
    lambda m, v: b.ifold(
        Length(m), m, lambda s, i: Update(s, i, b.build(Length(v), lambda j: add(Get(v, j), b.get(s, Const(0), j))))
    ),
    (m23, v3),
)


def _lets_of_updates(v: Term, n: Term) -> Term:
    def step(s: Var, i: Var) -> Term:
        a, c = Var("a", V), Var("c", F64)
        return Let(
            ((a, Update(s, Const(0), add(Get(s, Const(1)), real(i)))), (c, Get(a, Const(0)))),
            Update(a, Const(2), mul(c, Get(a, Const(1)))),
        )

    return b.ifold(n, v, step)


_program("lets_of_updates", (("v", V), ("n", INT)), _lets_of_updates, (v3, 3), (v3, 0))


def _two_states(v: Term, n: Term) -> Term:
    def step(s: Var, i: Var) -> Term:
        x, y = Proj(s, 0), Proj(s, 1)
        return MakeTuple(
            (Update(x, Const(0), Get(y, Const(1))), Update(y, Const(1), add(Get(x, Const(0)), Get(x, Const(2)))))
        )

    return b.ifold(n, MakeTuple((v, v)), step)


_program("two_states", (("v", V), ("n", INT)), _two_states, (v3, 3))
_program(
    "required",
    (("v", V), ("w", V)),
    lambda v, w: Require(
        b.equals(Length(v), Length(w)),
        b.sum_(Length(v), lambda i: mul(Get(v, i), Get(w, i))),
        Failure.SIZE,
        (Length(v), Length(w)),
    ),
    (v3, w3),
)
_program("beta", (("x", F64),), lambda x: App(Lam((y := Var("y", F64),), mul(y, y)), (add(x, Const(1.0)),)), (1.5,))
_program(
    "tuple_argument",
    (("a", Tuple((F64, Array(Tuple((F64, INT)))), ("x", "pairs"))),),
    lambda a: b.sum_(
        Length(Proj(a, 1)),
        lambda i: mul(Proj(a, 0), mul(Proj(Get(Proj(a, 1), i), 0), real(Proj(Get(Proj(a, 1), i), 1)))),
    ),
    ((2.0, (v3, np.array([1, 2, 3]))),),
)
_program(
    "single",
    (("v", Array(F32)), ("x", F32)),
    lambda v, x: b.build(Length(v), lambda i: b.prim(p.sin, mul(Get(v, i), x))),
    (np.float32([0.5, 0.25]), 0.5),
)
_program(
    "same_name",
    (("x", F64), ("x_1", F64), ("double", F64)),
    lambda x, y, z: b.bind(mul(x, y), lambda t: b.bind(mul(t, z), lambda u: mul(mul(t, u), mul(u, u)), "x"), "x"),
    (1.5, 2.0, -0.5),
)
_program(
    "sum_of_tuples",
    VV,
    lambda v, w: b.sum_(Length(v), lambda i: MakeTuple((Get(v, i), w, mul(Get(v, i), Get(w, i))))),
    (v3, w3),
)
_program(
    "slices",
    (("v", V), ("m", M)),
    lambda v, m: b.bind(
        b.build(Const(2), lambda i: Get(v, b.plus(i, Const(1)))),
        lambda s: b.bind(
            b.build(Length(m, 1), lambda j: Get(Get(m, Const(1)), j)),
            lambda r: b.build(Length(s), lambda i: add(Get(s, i), Get(r, i))),
            "row",
        ),
        "tail",
    ),
    (v3, m23),
)


def _linear(v: Term, g: Term) -> Term:
    a, c = Var("a", V), Var("c", V)
    return Let(
        (
            (a, b.sum_(Length(g), lambda k: Delta(Length(v), Get(g, k), Get(v, Get(g, k))))),
            (c, b.build(Length(v), lambda i: real(i))),
        ),
        MakeTuple(
            (
                b.build(Length(a), lambda i: add(mul(Get(c, i), Get(c, i)), Get(a, i))),
                b.sum_(Length(c), lambda i: Get(c, i)),
            )
        ),
    )


_program("linear", (("v", V), ("g", IV)), _linear, (v3, g4), (v3[:0], g4[:0]))
_program(
    "linear_nested",
    (("m", M), ("v", V), ("g", IV)),
    lambda m, v, g: b.build(
        Length(m),
        lambda i: b.bind(
            b.sum_(Length(g), lambda k: Delta(Length(v), Get(g, k), b.get(m, i, Get(g, k)))),
            lambda a: b.build(Length(v), lambda j: b.prim(p.subtract, Get(a, j), mul(Get(v, j), b.get(m, i, j)))),
        ),
    ),
    (m23, v3, g4),
)
_program(
    "fold_dual_array",
    (("v", V), ("n", INT)),
    lambda v, n: b.ifold(
        n,
        b.build(Length(v), lambda i: MakeTuple((Get(v, i), Const(1.0)))),
        lambda s, i: b.build(
            Length(v),
            lambda j: MakeTuple(
                (
                    add(Proj(Get(s, b.minus(b.minus(Length(v), Const(1)), j)), 0), Proj(Get(s, j), 1)),
                    mul(Proj(Get(s, j), 0), Proj(Get(s, Const(0)), 1)),
                )
            ),
        ),
    ),
    (v3, 0),
    (v3, 3),
    (np.arange(100.0), 2),
)
_program(
    "views",
    (("m", M), ("k", INT)),
    lambda m, k: b.bind(
        b.nested_build((Length(m, 1), Length(m)), lambda ij: b.get(m, ij[1], ij[0])),
        lambda tr: b.bind(
            b.build(Length(m), lambda i: b.get(m, i, i)),
            lambda diagonal: b.bind(
                b.build(Const(2), lambda i: Get(tr, b.plus(b.times(Const(2), i), Const(0)))),
                lambda rows: b.bind(
                    b.build(Const(2), lambda i: Get(Get(m, k), b.prim(p.subtract, Const(1), i))),
                    lambda reverse: MakeTuple(
                        (tr, diagonal, rows, b.build(Const(2), lambda i: mul(Get(reverse, i), Get(diagonal, i))))
                    ),
                    "reverse",
                ),
                "rows",
            ),
            "diagonal",
        ),
        "transposed",
    ),
    (m23, 1),
)
_program(
    "half_of_a_sum",
    VV,
    lambda v, w: b.bind(
        b.sum_(Length(v), lambda i: MakeTuple((Get(v, i), mul(Get(v, i), Get(w, i))))), lambda s: Proj(s, 1), "s"
    ),
    (v3, w3),
)
for _primitive in p.TABLE.values():
    for _type in (F64, INT, BOOL):
        _types = (BOOL, _type, _type) if _primitive.arity == 3 else (_type,) * _primitive.arity
        if _primitive.signature(_types) is None:
            continue
        _samples = {
            F64: [0.3, 0.0, -0.75, 2.5, 1e9, -np.inf, np.nan, 1.0, -3.0],
            INT: [3, 0, -4, 7, -1, 2],
            BOOL: [True, False],
        }
        _grid = [_samples[t] for t in _types]
        _cases = [()]
        for _values in _grid:
            _cases = [(*c, x) for c in _cases for x in _values]
        _program(
            f"prim_{_primitive.name}_{_type!r}",
            tuple((f"x{k}", t) for k, t in enumerate(_types)),
            lambda *xs, q=_primitive: b.prim(q, *xs),
            *_cases,
        )
__all__ = ["PROGRAMS", "Build", "Float", "IFold", "Reduce"]


def _while(v: Term, x: Term) -> Term:
    """Elements set in turn as long as those before are small, and how many were."""
    state = Var("s", Tuple((V, INT)))
    array, k = Proj(state, 0), Proj(state, 1)
    goes_on = b.both(less(k, Length(v)), less(Reduce(Reduction.SUM, k, i := Var("i", INT), Get(array, i)), x))
    step = MakeTuple(
        (Update(array, Check(k, Length(array)), mul(x, Get(array, Check(k, Length(array))))), add(k, Const(1)))
    )
    return While(MakeTuple((v, Const(0))), state, goes_on, step)


_program("while", (("v", V), ("x", F64)), _while, (v3, 1.5), (v3, -1.0), (np.zeros(0), 2.0), (np.ones(100), 3.0))


def _while_of_new_arrays(m: Term, x: Term) -> Term:
    """A state in which each step reads all of the array before; in a loop that makes one such state for each row."""
    row = Var("r", INT)
    state = Var("s", V)
    j, i = Var("j", INT), Var("i", INT)
    total = Reduce(Reduction.SUM, Length(state), i, Get(state, i))
    loop = While(Get(m, row), state, less(total, x), Build(Length(state), j, add(Get(state, j), b.prim(p.exp, total))))
    return Build(Length(m), row, loop)


_program(
    "while of new arrays",
    (("m", M), ("x", F64)),
    _while_of_new_arrays,
    (m23, 5.0),
    (m23, -100.0),
    (np.ones((2, 90)), 1e5),
)
