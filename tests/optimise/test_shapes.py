"""Which loops of a graph are one node."""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.term import Build, Const, Get, Prim, Term, Var
from fsmooth.core.types import INT, Array
from fsmooth.library import parse
from fsmooth.optimise.schedules import DEFAULT
from fsmooth.optimise.sharing import Graph

_N, _X = Var("n", INT), Var("x", Array(INT))


def _plus(a: Term, b: Term) -> Term:
    return Prim(p.add, (a, b))


def _build(body: object) -> Term:
    index = Var("i", INT)
    return Build(_N, index, body(index))  # type: ignore[operator]


def _is_one(a: Term, b: Term) -> bool:
    graph = Graph()
    return graph.of(a) is graph.of(b)


def test_loops_that_differ_in_names_are_one() -> None:
    def nest() -> Term:
        return _build(lambda i: _build(lambda j: _plus(Get(_X, i), j)))

    assert _is_one(nest(), nest())


def test_which_loop_an_index_belongs_to_counts() -> None:
    """The inner loops stand at different depths in what is compared, with levels that might be taken for each other."""

    def own(i: Term) -> Term:
        return _build(lambda j: _build(lambda k: _plus(Get(_X, i), k)))

    def outer(i: Term) -> Term:
        return _build(lambda j: _build(lambda k: _plus(Get(_X, i), j)))

    assert not _is_one(_build(own), _build(outer))


def test_equal_constants_that_passes_make_are_one() -> None:
    """As the zeros of tables are, which are made for each table anew."""
    graph = Graph()
    loops = [graph.loop(_build(lambda i: graph.node(_plus(i, Const(7))))) for _ in range(2)]
    assert loops[0] is loops[1]
    assert graph.loop(_build(lambda i: Const(7))) is graph.loop(_build(lambda i: Const(7)))
    assert graph.loop(_build(lambda i: Const(7))) is not graph.loop(_build(lambda i: Const(8)))
    assert graph.loop(_build(lambda i: Const(0.0))) is not graph.loop(_build(lambda i: Const(-0.0)))


_SUM = """
  sum (length m) (fun k -> sum (length y) (fun r ->
    NAME (sum r (fun c -> x[check (c * (length y - c) // 2 + r) (length x)] * m[k][c]))))
"""


def test_two_nests_read_one_table() -> None:
    """Both take the same indices, which do not depend on the outermost loop."""
    nests = " * ".join([_SUM.replace("NAME", name) for name in ("sin", "cos")])
    text = repr(DEFAULT(parse(f"fun (x: Vector) (y: Vector) (m: Array<Vector>) -> {nests}")))
    assert text.count("//") == 1, text
