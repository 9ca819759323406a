"""CL (paper 001, Fig. 9–11): to it and back, its typing rules, pruning."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fsmooth.core import primitives as p
from fsmooth.core.evaluate import OutOfBounds, RequirementFailed, Value, evaluate
from fsmooth.core.shape import Ragged
from fsmooth.core.term import Const, Failure, IllTyped, Lam, Prim, Reduction, Site, Term, Var
from fsmooth.core.types import F64, INT, UNIT, Array, Tuple, Type
from fsmooth.core.values import value_of
from fsmooth.differentiate.categorical.arrows import (
    Arrow,
    Bind,
    Call,
    Choose,
    Constant,
    Identity,
    Prune,
    Tabulate,
    Then,
    Together,
    environment,
    subarrows,
)
from fsmooth.differentiate.categorical.conversion import NotFirstOrder, to_categorical, to_pruned
from fsmooth.differentiate.categorical.loops import Demand, Filter, Fold, Repeat, Total
from fsmooth.differentiate.categorical.meaning import applied, function_of
from fsmooth.frontend.text import parse
from fsmooth.laws.outcomes import same
from tests.linear.programs import PROGRAMS
from tests.strategies import random_program

CONVERSIONS = [to_categorical, to_pruned]
both_ways = pytest.mark.parametrize("conversion", CONVERSIONS, ids=["plain", "pruned"])
Outcome = Value | type[Exception]


def outcome(function: Lam, values: list[Value]) -> Outcome:
    """The value, or which error there is."""
    try:
        return evaluate(function.body, dict(zip(function.parameters, values, strict=True)))
    except (OutOfBounds, RequirementFailed, Ragged) as error:
        return type(error)


def check_round_trip(function: Lam, arguments: list[object], conversion: Callable[[Lam], Arrow]) -> None:
    """The types are those of the judgement, and the way back computes the same."""
    arrow = conversion(function)
    assert arrow.source == Tuple(tuple([q.type for q in function.parameters]))
    assert arrow.target == function.body.type
    back = function_of(arrow)
    assert back.type == function.type
    values = [value_of(a, q.type) for a, q in zip(arguments, function.parameters, strict=True)]
    before, after = outcome(function, values), outcome(back, values)
    assert before == after if isinstance(before, type) else same(before, after, 0.0)


@both_ways
@pytest.mark.parametrize("type_", [F64, Array(F64), Tuple((F64, Array(F64)))], ids=repr)
def test_round_trips_of_random_programs(conversion: Callable[[Lam], Arrow], type_: Type) -> None:
    for seed in range(60):
        program, arguments = random_program(seed, depth=4, result=type_)
        check_round_trip(program, arguments, conversion)


@both_ways
@pytest.mark.parametrize("name", PROGRAMS)
def test_round_trip_of_each_construct(conversion: Callable[[Lam], Arrow], name: str) -> None:
    text, arguments = PROGRAMS[name]
    function = parse(text)
    assert isinstance(function, Lam)
    check_round_trip(function, arguments, conversion)


def test_every_form_is_met() -> None:
    found: set[type] = set()
    for text, _ in PROGRAMS.values():
        function = parse(text)
        assert isinstance(function, Lam)
        found |= {type(c) for c in subarrows(to_categorical(function))}
    assert found == {Constant, Prune, Call, Then, Together, Choose, Bind, Tabulate, Fold, Repeat, Total, Filter, Demand}


# -- pruning -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_a_pruned_form_gets_what_it_needs(seed: int) -> None:
    """No form reads past the pruning before it: each component of each environment is used."""
    program, _ = random_program(seed, depth=4)
    arrow = to_pruned(program)
    for form in subarrows(arrow):
        if isinstance(form, Then) and isinstance(form.first, Prune):
            kept = len(form.first.positions)
            assert used(form.after) == set(range(kept)), form
        if isinstance(form, Call) and form.name.startswith("π"):
            assert form.name == "π 0"
            assert len(environment(form.source).items) == 1


def used(arrow: Arrow) -> set[int]:
    """The components of its environment that a form reads."""
    match arrow:
        case Prune(positions):
            return set(positions)
        case Call(function):
            return {k for k, q in enumerate(function.parameters) if q in function.body.free}
        case Constant():
            return set()
        case Then(first, after):
            if isinstance(first, Prune):
                return {first.positions[k] for k in used(after)}
            return used(first)
        case _:
            size = len(environment(arrow.source).items)
            return {k for part in arrow.parts for k in used(part) if k < size}


def test_pruning_of_the_notes() -> None:
    """`let y = x * x in let z = x + y in y * z` (§9): the last product is computed from y and z alone."""
    function = parse("fun (x : Float) -> let y = x * x in let z = x + y in y * z")
    assert isinstance(function, Lam)
    last = "(𝒫[0/2] ; ℱ(π 0), 𝒫[1/2] ; ℱ(π 0)) ; ℱ(multiply)"
    sum_ = "(𝒫[0/2] ; ℱ(π 0), 𝒫[1/2] ; ℱ(π 0)) ; ℱ(add)"
    assert repr(to_pruned(function)) == f"ℒ(y, (ℱ(π 0), ℱ(π 0)) ; ℱ(multiply), ℒ(z, {sum_}, 𝒫[1, 2/3] ; {last}))"


def test_a_name_that_hides_another() -> None:
    function = parse("fun (x : Float) -> let y = x in let x = y + 1.0 in let y = x * 2.0 in x * y")
    assert isinstance(function, Lam)
    x = function.parameters[0]
    hiding = Lam((x,), function.body)
    for conversion in CONVERSIONS:
        check_round_trip(hiding, [3.0], conversion)
    again = Lam((x, x), Prim(p.add, (x, x)))
    for conversion in CONVERSIONS:
        check_round_trip(again, [1.0, 2.0], conversion)


def test_functions_are_no_values() -> None:
    for text in (
        "fun (f : Float => Float) (x : Float) -> f x",
        "fun (x : Float) -> (grad[0] (fun (y : Float) -> y * x)) x",
    ):
        function = parse(text)
        assert isinstance(function, Lam)
        with pytest.raises(NotFirstOrder):
            to_categorical(function)


# -- meaning and typing ------------------------------------------------------------------------------------------------

x, n = Var("x", F64), Var("n", INT)
S = Tuple((F64, INT))
plus = Call(Lam((x,), Prim(p.add, (x, x))), "double")
first = Call(Lam((x, n), x), "π 0")
second = Call(Lam((x, n), n), "π 1")
third = Call(Lam((x, n, Var("k", INT)), n), "π 1")
positive = Call(Lam((x, n), Prim(p.less, (Const(0), n))), "positive")

TYPES: list[tuple[Arrow, Type, Type]] = [
    (Identity(S), S, S),
    (Constant(Const(1.0)), UNIT, F64),
    (Prune(S, (1, 1, 0)), S, Tuple((INT, INT, F64))),
    (first, S, F64),
    (Then(Prune(S, (0,)), plus), S, F64),
    (Together(S, (first, second)), S, S),
    (Together(S, ()), S, UNIT),
    (Together(S, (first,), Tuple((F64,), ("a",))), S, Tuple((F64,), ("a",))),
    (Choose(positive, first, first), S, F64),
    (Bind("k", second, third), S, INT),
    (Tabulate(second, "k", third), S, Array(INT)),
    (Total(Reduction.ARGMAX, second, "k", third), S, INT),
    (Fold(second, second, ("s", "i"), Call(Lam((x, n, n, n), n), "π 3")), S, INT),
    (
        Repeat(
            first,
            "s",
            Call(Lam((x, n, Var("s", F64)), Const(False)), "false"),
            Call(Lam((x, n, Var("s", F64)), x), "π 0"),
        ),
        S,
        F64,
    ),
    (Filter(second, (second,), ("i",), Call(Lam((x, n, n), Const(True)), "true"), third), S, Array(INT)),
    (Demand(positive, first, (second,), Failure.SIZE, Site()), S, F64),
]

ILL_TYPED: list[tuple[Callable[[], Arrow], str]] = [
    (lambda: Prune(F64, ()), "a Float is no environment"),
    (lambda: Prune(S, (2,)), "components 2 of a (Float, Int)"),
    (lambda: Call(Lam((x,), n), "f"), "f mentions n"),
    (lambda: Then(first, first), "from (Float, Int) where Float is given"),
    (lambda: Together(S, (plus,)), "from (Float,) where (Float, Int) is given"),
    (lambda: Together(S, (first,), S), "to (Float,) where (Float, Int) is wanted"),
    (lambda: Choose(second, first, first), "to Int where Bool is wanted"),
    (lambda: Choose(positive, first, second), "to Int where Float is wanted"),
    (lambda: Bind("k", second, second), "from (Float, Int) where (Float, Int, Int) is given"),
    (lambda: Tabulate(first, "k", third), "to Float where Int is wanted"),
    (lambda: Total(Reduction.ALL, second, "k", third), "all of Int"),
    (lambda: Total(Reduction.SUM, second, "k", Call(Lam((x, n, n), Const(True)), "true")), "sum of Bool"),
    (lambda: Fold(second, first, ("s", "i"), third), "from (Float, Int, Int) where (Float, Int, Float, Int) is given"),
    (lambda: Filter(second, (second,), ("i",), third, third), "to Int where Bool is wanted"),
    (lambda: Repeat(second, "s", third, third), "to Int where Bool is wanted"),
    (lambda: Demand(first, first, (), Failure.SIZE, Site()), "to Float where Bool is wanted"),
]  # fmt: skip


@pytest.mark.parametrize(("arrow", "source", "target"), TYPES, ids=[type(c).__name__ for c, _, _ in TYPES])
def test_typing_rule(arrow: Arrow, source: Type, target: Type) -> None:
    assert (arrow.source, arrow.target) == (source, target)
    assert applied(Var("t", source), arrow).type == target


@pytest.mark.parametrize(("make", "text"), ILL_TYPED, ids=[text for _, text in ILL_TYPED])
def test_ill_typed(make: Callable[[], Arrow], text: str) -> None:
    with pytest.raises(IllTyped) as error:
        make()
    assert str(error.value) == text


def test_an_environment_of_another_type_is_refused() -> None:
    with pytest.raises(IllTyped, match=r"a Float where \(Float, Int\) is wanted"):
        applied(x, first)


def value(arrow: Arrow, *arguments: Value) -> Value:
    function = function_of(arrow)
    return evaluate(function.body, dict(zip(function.parameters, arguments, strict=True)))


def test_meaning() -> None:
    """Fig. 10, line by line."""
    assert value(Identity(S), 2.0, 3) == (2.0, 3)
    assert value(Prune(S, (1, 1)), 2.0, 3) == (3, 3)
    assert value(Constant(Const(1.0))) == 1.0
    assert value(plus, 2.0) == 4.0
    assert value(Then(Prune(S, (0,)), plus), 2.0, 3) == 4.0
    assert value(Together(S, (second, first)), 2.0, 3) == (3, 2.0)
    assert value(Choose(positive, first, Then(Prune(S, (0,)), plus)), 2.0, -1) == 4.0
    assert value(Bind("k", second, third), 2.0, 3) == 3
    index: Term = Var("k", INT)
    last = Call(Lam((x, n, index), Prim(p.multiply, (n, index))), "times")
    assert value(Tabulate(second, "k", last), 2.0, 3).items == (0, 3, 6)  # type: ignore[union-attr]
    assert value(Total(Reduction.SUM, second, "k", last), 2.0, 3) == 9


def test_a_composition_computes_its_middle_once() -> None:
    """(t ⋄ c₁) ⋄ c₂, where c₂ uses its environment twice."""
    costly = Then(
        Together(S, (Then(Prune(S, (0,)), Call(Lam((x,), Prim(p.sin, (x,))), "sin")),)), Call(Lam((x,), x), "I")
    )
    twice = Then(Together(S, (costly,)), Together(Tuple((F64,)), (plus, plus)))
    assert repr(function_of(twice)).count("sin") == 1
