"""Programs whose loops run over blocks of iterations, with arguments of lengths around the size of a block."""

from __future__ import annotations

import numpy as np

from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.term import Check, Const, Get, If, Lam, Length, MakeTuple, Term, Var, Vector, Zero
from fsmooth.core.types import F32, F64, INT, Array

V, M, IV = Array(F64), Array(Array(F64)), Array(INT)
LENGTHS = (0, 1, 7, 8, 9, 16, 37)

BLOCK_PROGRAMS: dict[str, tuple[Lam, list[tuple[object, ...]]]] = {}


def mul(x: Term, y: Term) -> Term:
    return b.prim(p.multiply, x, y)


def add(x: Term, y: Term) -> Term:
    return b.prim(p.add, x, y)


def _vector(n: int) -> np.ndarray:
    return np.cos(np.arange(n) * 1.1)


def _matrix(n: int, m: int) -> np.ndarray:
    return np.sin(np.arange(n * m) * 0.7).reshape(n, m)


def _places(n: int, below: int) -> np.ndarray:
    return (np.arange(n) * 7 + 3) % below


def _powers(v: Term) -> Term:
    def row(i: Var) -> Term:
        x = Get(v, i)
        return b.bind(mul(x, x), lambda y: Vector((x, y, mul(x, y), mul(y, y), b.prim(p.sin, y))), "square")

    return b.build(Length(v), row)


BLOCK_PROGRAMS["powers"] = (b.lam((("v", V),), _powers), [(_vector(n),) for n in LENGTHS])


def _pieces(v: Term) -> Term:
    def row(i: Var) -> Term:
        x = Get(v, i)
        wide = Vector((Vector((x, Const(0.0), mul(x, x))), Zero((Const(3),)), Vector((Const(1.0), x, Const(2.5)))))
        narrow = Vector((x, b.prim(p.exp, x)))
        return MakeTuple((wide, narrow, mul(x, Const(3.0)), i, b.prim(p.less, x, Const(0.0))))

    return b.build(Length(v), row)


BLOCK_PROGRAMS["pieces"] = (b.lam((("v", V),), _pieces), [(_vector(n),) for n in LENGTHS[1:]])


def _by_table(m: Term, g: Term, v: Term) -> Term:
    """A table of rows, read by computed index, partly in branches."""

    def entry(c: Var) -> Term:
        x, y = b.get(m, c, Const(0)), b.get(m, c, Const(1))
        return Vector((add(x, y), mul(x, y), b.prim(p.cos, x), mul(y, y), Const(1.0), b.prim(p.subtract, x, y)))

    def rows(table: Term) -> Term:
        def row(k: Var) -> Term:
            return b.bind(Check(Get(g, k), Length(m)), lambda c: by_row(k, c), "c")

        def by_row(k: Var, c: Term) -> Term:
            return b.bind(Get(v, Check(k, Length(v))), lambda x: entries(c, x), "x")

        def entries(c: Term, x: Term) -> Term:
            t = [b.get(table, c, Const(j)) for j in range(6)]
            chosen = If(b.prim(p.less, x, Const(0.0)), mul(t[5], x), add(t[1], x))
            return Vector((mul(t[0], x), chosen, mul(t[2], t[3]), add(t[4], b.get(m, c, Const(2))), x, Const(0.0)))

        return b.build(Length(g), row, "k")

    return b.bind(b.build(Length(m), entry, "c"), rows, "table")


BLOCK_PROGRAMS["by_table"] = (
    b.lam((("m", M), ("g", IV), ("v", V)), _by_table),
    [(_matrix(5, 4), _places(n, 5), _vector(n)) for n in LENGTHS] + [(_matrix(19, 3), _places(9, 19), _vector(9))],
)


def _nested(m: Term, v: Term) -> Term:
    def row(i: Var, j: Var) -> Term:
        x = mul(b.get(m, i, j), Get(v, i))
        return Vector((x, mul(x, x), add(x, Const(1.0)), b.get(m, i, j), Const(4.0), x, mul(x, Get(v, i))))

    return b.nested_build((Length(m), Length(m, 1)), lambda ij: row(*ij))


BLOCK_PROGRAMS["nested"] = (
    b.lam((("m", M), ("v", V)), _nested),
    [(_matrix(3, n), _vector(3)) for n in LENGTHS],
)


def _single(v: Term) -> Term:
    def row(i: Var) -> Term:
        x = Get(v, i)
        return Vector((x, mul(x, x), b.prim(p.sin, x), add(x, x), Const(1.0, F32)))

    return b.build(Length(v), row)


BLOCK_PROGRAMS["single"] = (b.lam((("v", Array(F32)),), _single), [(_vector(n).astype(np.float32),) for n in LENGTHS])


def _names(v: Term, lane: Term, j: Term) -> Term:
    """Names that the generated code might use itself."""

    def row(k: Var) -> Term:
        x = mul(Get(v, k), lane)
        return Vector((x, add(x, j), mul(x, j), lane, j))

    return b.build(Length(v), row, "k_block")


BLOCK_PROGRAMS["names"] = (
    b.lam((("result_tile", V), ("lane", F64), ("j", F64)), _names),
    [(_vector(n), 2.0, 3.0) for n in LENGTHS],
)
