"""A constructor that the compiler has never seen goes through every generic pass by what it declares of itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.cost import Costs
from fsmooth.core.dependence import Dependence
from fsmooth.core.evaluate import evaluate
from fsmooth.core.shape import size_of
from fsmooth.core.subst import refresh, substitute1
from fsmooth.core.term import Check, Const, Deriv, Get, IllTyped, Lam, Length, Let, Method, Prim, Term, Var, Verb
from fsmooth.core.term.base import want_int
from fsmooth.core.term.fields import Data, Failing, Index, Label, Part, Runs, State
from fsmooth.core.traverse import (
    binds,
    bound_in,
    children,
    is_loop,
    opens_region,
    rebuild,
    remade,
    size_of_tree,
    steps,
    subterms,
    transform,
)
from fsmooth.core.trips import Trips
from fsmooth.core.types import F64, INT, Array, has_float
from fsmooth.differentiate.continuations.evaluate import pulled_back as continued
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.dual import differentiate
from fsmooth.differentiate.linear.functions import by_composition
from fsmooth.differentiate.reverse.verbs import reverse
from fsmooth.lower.functions import lower
from fsmooth.lower.to_loops import Unsupported
from fsmooth.optimise.failing import failing_nodes, postorder
from fsmooth.optimise.motion import move
from fsmooth.optimise.occurrences import Occurrences
from fsmooth.optimise.replacement import Replacement
from fsmooth.optimise.rules.totality import cannot_fail
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE
from fsmooth.optimise.sharing import Graph
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import Strategy
from fsmooth.rewrite.trace import Trace
from fsmooth.rewrite.traversal import everywhere
from tests.core.test_typing import TYPES


class Scan(Term):
    """`scan size init (state, index. body)`: the array of the states before each step."""

    __slots__ = ("body", "index", "init", "kind", "size", "state")
    fields = (
        Part("size"),
        Part("init"),
        State("state", initial="init"),
        Index("index", below="size"),
        Part("body", Runs.MANY),
        Data("kind"),
    )
    failing = Failing.NEVER

    def __init__(self, size: Term, init: Term, state: Var, index: Var, body: Term, kind: str) -> None:
        want_int(size, "a size")
        self.size, self.init, self.state, self.index, self.body, self.kind = size, init, state, index, body, kind
        self._typed(Array(init.type))


X = Var("x", Array(F64))
Y = Var("y", F64)
N = Length(X)


def scan(body: str = "sum", kind: str = "all") -> Scan:
    """The sums, or products, of the elements of x before each one; `x[check i n]` is in bounds."""
    state, i = Var("s", F64), Var("i", INT)
    operation = p.add if body == "sum" else p.multiply
    return Scan(N, Y, state, i, Prim(operation, (state, Get(X, Check(i, N)))), kind)


def test_children_and_scopes() -> None:
    term = scan()
    assert children(term) == (N, Y, term.body)
    assert [bound_in(term, k) for k in range(3)] == [(), (), (term.state, term.index)]
    assert [opens_region(term, k) for k in range(3)] == [False, False, True]
    assert [step.given for step in steps(term)] == [None, None, Y, N, None]
    assert binds(term) and is_loop(term)
    assert term.free == {X, Y}
    assert Scan in term.kinds
    assert size_of_tree(term) == 1 + sum(size_of_tree(part) for part in children(term))
    assert term.body in list(subterms(term))


def test_rebuilding() -> None:
    term = scan()
    assert rebuild(term, list(children(term))) is term
    new = rebuild(term, [Const(3), Y, term.body])
    assert isinstance(new, Scan) and new.size.value == 3 and new.state is term.state and new.kind == "all"  # type: ignore[attr-defined]
    state = term.state.renamed()
    other = remade(term, steps(term), [N, Y, state, term.index, state])
    assert isinstance(other, Scan) and other.state is state and other.body is state
    doubled = transform(term, lambda t: Prim(p.add, (t, t)) if t is Y else t)
    assert isinstance(doubled, Scan) and isinstance(doubled.init, Prim)


def test_substitution_does_not_capture() -> None:
    term = scan()
    state = Var("s", F64)
    captured = Scan(N, Y, state, term.index, Prim(p.add, (state, Y)), "all")
    new = substitute1(captured, Y, state)
    assert isinstance(new, Scan)
    assert new.init is state and new.state is not state and new.free == {X, state}


def test_equality_up_to_names_and_by_data() -> None:
    assert alpha_equal(scan(), scan()) and alpha_equal(scan(), refresh(scan()))
    assert not alpha_equal(scan(), scan("product")) and not alpha_equal(scan(), scan(kind="some"))


def test_text() -> None:
    assert repr(scan()) == "scan (length x) y (fun s i -> s + x[check i (length x)])"


def test_facts_are_known_inside() -> None:
    """An index is below its size: the check goes, by the engine and by its definition."""
    from fsmooth.optimise.rules.conditional import discharge  # noqa: PLC0415

    expected = "scan (length x) y (fun s i -> s + x[i])"
    strategy = everywhere(Strategy("discharge", discharge.apply))
    assert repr(strategy.apply(scan(), Facts())) == expected
    assert repr(BEFORE_DERIVATIVE(Lam((X, Y), scan())).body) == expected  # type: ignore[attr-defined]


def test_uses_are_counted_for_each_step() -> None:
    table = Var("t", Array(F64))
    state, i = Var("s", F64), Var("i", INT)
    term = Let(((table, X),), Scan(Const(7), Y, state, i, Prim(p.add, (state, Get(table, i))), "all"))
    uses = Occurrences(term).get(table)
    assert uses is not None and uses.in_loop and uses.elements == 7.0


def test_equal_ones_are_one_node_and_are_replaced() -> None:
    graph = Graph()
    both = graph.of(Prim(p.add, (Get(scan(), Const(0)), Get(scan(), Const(1)))))
    assert len([t for t in subterms(both) if isinstance(t, Scan)]) == 1
    new = Replacement(graph, {Y: lambda _: Const(2.0)}).of(both)
    assert Y not in new.free


def test_what_does_not_depend_on_it_leaves_it_and_the_rest_stays() -> None:
    state, i = Var("s", F64), Var("i", INT)
    body = Prim(p.add, (Prim(p.multiply, (state, Prim(p.exp, (Y,)))), Prim(p.sin, (state,))))
    moved = move(Lam((X, Y), Scan(N, Y, state, i, body, "all")), Trace(), {})
    assert isinstance(moved, Lam) and isinstance(moved.body, Let)
    assert "exp y" in repr(moved.body.bindings[0][1])
    assert "sin s" in repr(moved.body.body) and isinstance(moved.body.body, Scan)


def test_what_can_fail() -> None:
    assert cannot_fail(Scan(N, Y, s := Var("s", F64), Var("i", INT), s, "all"), Facts())
    assert not cannot_fail(scan(), Facts())
    root = Lam((X, Y), scan())
    order = postorder(root)
    assert any(isinstance(t, Scan) and t in failing_nodes(root, order, {}) for t in order)


def test_trips_and_dependence() -> None:
    term = scan()
    trips = Trips()
    trips.enter(term)
    assert repr(trips.of(term.size)) == "n(x)"
    dependence = Dependence(Lam((X, Y), term), [Y], has_float)
    assert dependence.is_dependent(term)
    assert dependence.is_dependent(term.body.arguments[0])  # the state, which begins with y
    assert not Dependence(Lam((X, Y), term), [], has_float).is_dependent(term)


@pytest.mark.parametrize("term", [term for term, _ in TYPES], ids=[type(term).__name__ for term, _ in TYPES])
def test_every_constructor_is_made_of_its_fields(term: Term) -> None:
    """What is made again of its steps, or of its children, is the same term."""
    again = term.declared.made(term, [step.term for step in steps(term)])
    assert type(again) is type(term) and alpha_equal(again, term)
    assert alpha_equal(term.declared.rebuild(term, children(term)), term)
    assert children(term) == tuple([step.term for step in steps(term) if step.var is None])


def test_what_a_constructor_does_not_declare_is_an_error_when_it_is_defined() -> None:
    with pytest.raises(TypeError, match="declares no failing"):
        type("Unsaid", (Term,), {"fields": ()})
    with pytest.raises(TypeError, match="does not declare size"):
        type("Forgotten", (Scan,), {"fields": Scan.fields[1:], "failing": Failing.NEVER})
    with pytest.raises(TypeError, match="does not declare each field once"):
        type("Doubled", (Scan,), {"fields": (*Scan.fields, Label("size")), "failing": Failing.NEVER})


def _function() -> Lam:
    """The second element of a scan of two numbers."""
    state, i = Var("s", F64), Var("i", INT)
    return Lam((X, Y), Get(Scan(Const(2), Y, state, i, Prim(p.add, (state, Y)), "all"), Const(1)))


@pytest.mark.parametrize(
    ("asked", "error", "text"),
    [
        (lambda f: evaluate(f.body, {X: None, Y: 1.0}), TypeError, "no meaning of Scan"),
        (lambda f: continued(f, (1.0, 1.0), 1.0), TypeError, "no continuation of Scan"),
        (differentiate, NoDerivative, "no derivative of Scan"),
        (lambda f: reverse(Deriv(f, (1,), Verb.GRAD, Method.REVERSE)), NoDerivative, "no reverse derivative of Scan"),
        (lambda f: by_composition(f, (1,)), NoDerivative, "no derivative of Scan"),
        (lambda f: lower(f, "scan", {}), Unsupported, "Scan"),
    ],
    ids=["interpreter", "continuations", "forward", "reverse", "linear maps", "loops"],
)
def test_what_it_means_is_an_error_until_it_is_said(
    asked: Callable[[Lam], object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        asked(_function())


def test_what_is_said_by_default() -> None:
    """All the defaults there are: its size is its own, each part may matter to all of it, it costs its parts."""
    term = scan()
    assert alpha_equal(size_of(term), Length(term))
    assert Dependence(Lam((X, Y), term), [X], has_float).is_dependent(term)
    assert repr(Costs().of(term)) == "3·n(x)"


def test_a_constructor_still_has_a_typing_rule() -> None:
    with pytest.raises(IllTyped, match="a size"):
        Scan(Y, Y, Var("s", F64), Var("i", INT), Y, "all")
