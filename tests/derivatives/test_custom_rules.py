"""`custom f jvp vjp`: what each stage makes of it, and that right rules give the derivatives of random programs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

import numpy as np
import pytest

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import plus
from fsmooth.core.cost import cost
from fsmooth.core.definitions import has_derivative
from fsmooth.core.own_rules import without_rules
from fsmooth.core.shape import size_of
from fsmooth.core.term import (
    App,
    Const,
    Custom,
    Deriv,
    Lam,
    Length,
    Method,
    Plus,
    Prim,
    Proj,
    Term,
    Var,
    Verb,
)
from fsmooth.core.term.custom import differentiable, jvp_type, vjp_type
from fsmooth.core.traverse import subterms
from fsmooth.core.types import F64, Array, Function
from fsmooth.differentiate.compare import OnItsWay
from fsmooth.differentiate.custom import sealed
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.remove import Before, Removal, remove_derivatives
from fsmooth.frontend.text import parse
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE, DEFAULT, NONE
from tests.accuracy.judge import bounded, excess, outcome, within
from tests.reverse.routes import derivative, made, result
from tests.strategies import FLOATS, X, random_program

SEEDS = [410_000, 411_000, 412_000]
COUNT = 10
METHODS = (Method.FORWARD, Method.REVERSE)
FORWARD, REVERSE = METHODS


def with_rules(program: Lam, *verbs: Verb) -> Lam:
    """A program as a function whose rules are its own derivatives, still to be made."""
    type_ = cast(Function, program.type)
    along = differentiable(type_)

    def rule(verb: Verb, wanted: Function) -> Term | None:
        if verb not in verbs:
            return None
        parameters = tuple([Var(f"a{k}", t) for k, t in enumerate(wanted.parameters)])
        return Lam(parameters, Proj(App(Deriv(program, along, verb), parameters), 1))

    parameters = tuple([q.renamed() for q in program.parameters])
    custom = Custom(program, rule(Verb.JVP, jvp_type(type_)), rule(Verb.VJP, vjp_type(type_)))
    called = App(custom, parameters)
    return Lam(parameters, Prim(p.multiply, (called, Prim(p.sin, (parameters[X],)))))


def without(program: Lam) -> Lam:
    """The same without rules."""
    return Lam(program.parameters, Prim(p.multiply, (program.body, Prim(p.sin, (program.parameters[X],)))))


@pytest.mark.parametrize("verbs", [(Verb.JVP,), (Verb.VJP,), (Verb.JVP, Verb.VJP)], ids=["jvp", "vjp", "both"])
@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.value)
@pytest.mark.parametrize("first", SEEDS)
def test_random_programs(first: int, method: Method, verbs: tuple[Verb, ...]) -> None:
    judged = 0
    for seed in range(first, first + 4 * COUNT):
        program, arguments = random_program(seed, 3, F64)
        if isinstance(outcome(program, arguments), str) or not bounded(program, arguments).is_sure:
            continue
        found = bounded(cast(Lam, without_rules(_gradient(with_rules(program, *verbs), method))), arguments)
        expected = bounded(_gradient(without(program), Method.FORWARD), arguments)
        if not (found.is_sure and expected.is_sure):
            continue
        bound = found.bound + expected.bound
        assert within(found.value, expected.value, bound, 1e-10), (
            f"seed {seed}: {excess(found.value, expected.value, bound)}"
        )
        judged += 1
        if judged == COUNT:
            break
    assert judged == COUNT


def _gradient(program: Lam, method: Method) -> Lam:
    return made(derivative(program, FLOATS, Verb.GRAD, method))


# -- one program, stage by stage -----------------------------------------------------------------------------------------

RULES = "(fun x t -> 10.0 * t) (fun x r -> (20.0 * r,))"
PROGRAM = f"fun (x : Float) -> (custom (fun (x : Float) -> sin x) {RULES}) (x * x)"


def test_it_means_its_function_and_costs_it() -> None:
    program, plain = parse(PROGRAM), parse("fun (x : Float) -> (fun (y : Float) -> sin y) (x * x)")
    assert result(program, 0.5) == result(plain, 0.5)
    assert cost(program) == cost(plain)
    assert without_rules(program).free == frozenset()
    assert alpha_equal(without_rules(program), plain)


def test_it_is_not_inlined_before_it_is_differentiated() -> None:
    kept = BEFORE_DERIVATIVE(parse(PROGRAM))
    assert [t for t in subterms(kept) if isinstance(t, Custom)]
    assert result(made(Deriv(kept, (0,), Verb.GRAD, FORWARD, single=True)), 0.5) == 10.0
    assert result(made(Deriv(kept, (0,), Verb.GRAD, REVERSE, single=True)), 0.5) == 20.0


def test_no_other_term_has_the_same_key() -> None:
    texts = [
        "custom (fun (x : Float) -> x) (fun x t -> t) ()",
        "custom (fun (x : Float) -> x) () (fun x t -> (t,))",
        "custom (fun (x : Float) -> x) (fun x t -> t) (fun x t -> (t,))",
        "custom (fun (x : Float) -> x) (fun x t -> x) ()",
    ]
    terms = [parse(text) for text in texts]
    again = [parse(text) for text in texts]
    for k, a in enumerate(terms):
        assert [alpha_equal(a, b) for b in again] == [k == j for j in range(len(texts))]


def test_common_calls_are_made_once_and_different_rules_kept_apart() -> None:
    one, other = parse("custom (fun (x : Float) -> sin x) (fun x t -> t) ()"), parse(PROGRAM)
    x = Var("x", F64)
    custom = next(t for t in subterms(other) if isinstance(t, Custom))
    body = Prim(p.add, (Prim(p.add, (App(one, (x,)), App(custom, (x,)))), App(custom, (x,))))
    program = cast(Lam, DEFAULT(Lam((x,), body)))
    applied = [t for t in subterms(program) if isinstance(t, App) and isinstance(t.function, Custom)]
    assert len(applied) == 2
    assert result(made(Deriv(program, (0,), Verb.GRAD, FORWARD, single=True)), 0.5) == 21.0


def test_sizes_are_those_of_the_function() -> None:
    v = Var("v", Array(F64))
    custom = parse(
        "custom (fun (v : Array<Float>) -> build (length v + 1) (fun i -> 0.0)) (fun v t -> build (length v + 1) (fun i -> 0.0)) ()"
    )
    size = size_of(App(custom, (v,)))
    assert alpha_equal(size, plus(Length(v), Const(1)))


def test_what_a_transposed_rule_does_with_arrays() -> None:
    """A rule that mentions the length of a tangent, and one whose cotangent nothing reaches."""
    text = """fun (v : Array<Float>) (k : Int) ->
      (custom (fun (v : Array<Float>) (k : Int) -> v[check k (length v)])
        (fun v k t -> if length t > k then t[check k (length t)] else 0.0) ()) v k"""
    program = cast(Lam, parse(text))
    for method in METHODS:
        gradient = made(derivative(program, (0,), Verb.GRAD, method, single=True))
        np.testing.assert_array_equal(result(gradient, np.array([1.0, 2.0, 3.0]), 1), [0.0, 1.0, 0.0])
    nothing = cast(
        Lam, parse("fun (v : Array<Float>) -> (custom (fun (v : Array<Float>) -> v[0]) (fun v t -> 0.0) ()) v")
    )
    for method in METHODS:
        gradient = made(derivative(nothing, (0,), Verb.GRAD, method, single=True))
        np.testing.assert_array_equal(result(gradient, np.array([1.0, 2.0])), [0.0, 0.0])


def test_what_it_mentions_beside_its_arguments_must_not_be_differentiated() -> None:
    text = """fun (x : Float) (y : Float) -> (custom (fun (z : Float) -> z * y) (fun z t -> t * y) ()) x"""
    program = cast(Lam, parse(text))
    for method in METHODS:
        assert result(made(derivative(program, (0,), Verb.GRAD, method, single=True)), 2.0, 3.0) == 3.0
        with pytest.raises(NoDerivative, match="a function has a derivative of its own, and mentions y, which is diff"):
            made(derivative(program, (1,), Verb.GRAD, method, single=True))


def test_derivatives_inside_rules_are_removed_too() -> None:
    rule = "(fun x t -> t * ((grad[0] (fun (y : Float) -> y * y)) x))"
    program = cast(Lam, parse(f"fun (x : Float) -> (custom (fun (x : Float) -> x) {rule} ()) x"))
    assert not has_derivative(remove_derivatives(derivative(program, (0,), Verb.GRAD, FORWARD), NONE.before))
    for method in METHODS:
        assert result(made(derivative(program, (0,), Verb.GRAD, method, single=True)), 3.0) == 6.0


def test_sums_of_arrays_that_rules_make() -> None:
    """Two contributions to one array."""
    v = Var("v", Array(F64))
    rule = "(fun (v : Array<Float>) r -> (build (length v) (fun i -> r * v[i]),))"
    custom = parse(f"custom (fun (v : Array<Float>) -> v[0]) () {rule}")
    body = Prim(p.add, (App(custom, (v,)), App(custom, (Plus((v, v)),))))
    gradient = made(derivative(Lam((v,), body), (0,), Verb.GRAD, REVERSE, single=True))
    np.testing.assert_allclose(result(gradient, np.array([1.0, 2.0])), [5.0, 10.0])


@dataclass
class _Seen:
    """What is done before a derivative, and the names of the primitives in all that it was asked for."""

    before: Before
    names: set[str] = field(default_factory=set)

    def __call__(self, term: Term) -> Term:
        self._see(term)
        return self.before(term)

    def run_once(self, term: Term) -> Term:
        self._see(term)
        return self.before.run_once(term)

    def alone(self, term: Term, static_sizes: object) -> OnItsWay:
        raise AssertionError("the modes are given")

    def _see(self, term: Term) -> None:
        self.names |= {t.primitive.name for t in subterms(term) if isinstance(t, Prim)}


@pytest.mark.parametrize(("method", "other"), [(FORWARD, "cos"), (REVERSE, "sin")], ids=["forward", "reverse"])
def test_what_a_mode_does_not_read_is_not_simplified(method: Method, other: str) -> None:
    text = (
        "fun (x : Float) -> (custom (fun (y : Float) -> exp y) (fun y t -> t * (sin y)) (fun y r -> (r * (cos y),))) x"
    )
    seen = _Seen(BEFORE_DERIVATIVE)
    removed = Removal(seen).run(derivative(parse(text), (0,), Verb.GRAD, method, single=True))
    assert other not in seen.names
    assert "exp" in seen.names
    assert result(cast(Lam, without_rules(removed)), 0.5) == {FORWARD: np.sin(0.5), REVERSE: np.cos(0.5)}[method]


def test_a_rule_of_which_others_are_made_is_read_once() -> None:
    """Both calls have the same rule, in one object."""
    custom = cast(Custom, parse("custom (fun (y : Float) -> exp y) () (fun y r -> (r * (cos y),))"))
    x = Var("x", F64)
    program = Lam((x,), Prim(p.add, (App(custom, (x,)), App(custom, (Prim(p.sin, (x,)),)))))
    asked: list[Term] = []

    class Once(_Seen):
        def __call__(self, term: Term) -> Term:
            asked.append(term)
            return super().__call__(term)

    Removal(Once(BEFORE_DERIVATIVE)).run(derivative(program, (0,), Verb.GRAD, REVERSE, single=True))
    assert len(asked) == 2  # the program and the rule


def test_sealed_functions_are_equal_if_their_rules_are() -> None:
    def of(rule: str) -> Custom:
        return sealed(cast(Custom, parse(f"custom (fun (y : Float) -> exp y) {rule} ()")))

    assert alpha_equal(of("(fun y t -> t * (sin y))"), of("(fun z s -> s * (sin z))"))
    assert not alpha_equal(of("(fun y t -> t * (sin y))"), of("(fun y t -> t * (cos y))"))


def test_a_rule_that_mentions_what_is_around_it_stays_a_part() -> None:
    """What it mentions may be inlined, or given another name, before the rule is read."""
    text = "fun (x : Float) -> let a = x * x in (custom (fun (y : Float) -> y * 2.0) (fun y t -> t * a) ()) x"
    program = cast(Lam, parse(text))
    custom = next(t for t in subterms(program) if isinstance(t, Custom))
    assert sealed(custom) is custom
    shut = cast(Lam, parse("fun (x : Float) -> (custom (fun (y : Float) -> y * 2.0) (fun y t -> t * 3.0) ()) x"))
    closed = next(t for t in subterms(shut) if isinstance(t, Custom))
    assert [type(t) for t in subterms(sealed(closed))].count(Lam) == 1
