"""The demonstration of the notes (paper 001, §9)."""

from __future__ import annotations

import pytest

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import Lam, MapTerm, Term
from fsmooth.core.traverse import subterms
from fsmooth.differentiate.linear.demonstration import Passes, demonstrate, is_short
from fsmooth.differentiate.linear.functions import Jacobian, by_composition, by_substitution
from fsmooth.frontend.text import parse
from fsmooth.optimise.linear_maps import COMPOSED, ELIMINATE, JACOBIAN, SHARE
from tests.accuracy.judge import bounded, within
from tests.accuracy.slopes import by_duals
from tests.linear.programs import PROGRAMS
from tests.linear.test_linear_time import chain

PASSES = Passes(JACOBIAN, COMPOSED, ELIMINATE, SHARE)
F2 = "fun (x : Float) -> let y = x * x in let z = x + y in y * z"
AHEAD = "fun (x : Float) (dx : Float) ->"
BACK = "fun (x : Float) (dr : Float) ->"
SLOPE = "(x + y) * (x + x) + y * (1.0 + (x + x))"
SHARED = "let t = x + x in let y = x * x in ((x + y) * t + y * (1.0 + t))"
TEXTS = [
    ("Original definition", F2),
    ("Anf-ised original definition", F2),
    (
        "The full Jacobian (unoptimised)",
        "fun (x : Float) -> let Dx = lmOne zero in let y = x * x in"
        " let Dy = lmCompose (lmHCat (lmScale x) (lmScale x)) (lmVCat Dx Dx) in let z = x + y in"
        " let Dz = lmCompose (lmHCat (lmOne zero) (lmOne zero)) (lmVCat Dx Dy) in"
        " lmCompose (lmHCat (lmScale z) (lmScale y)) (lmVCat Dy Dz)",
    ),
    ("The full Jacobian (optimised)", f"fun (x : Float) -> let y = x * x in lmScale ({SLOPE})"),
    ("Forward derivative (unoptimised)", f"{AHEAD} lmApply (let y = x * x in lmScale ({SLOPE})) dx"),
    ("Forward-mode derivative (optimised)", f"{AHEAD} let y = x * x in ({SLOPE}) * dx"),
    ("Forward-mode derivative (CSE'd)", f"{AHEAD} {SHARED} * dx"),
    ("Transposed Jacobian", f"fun (x : Float) -> lmTranspose (let y = x * x in lmScale ({SLOPE}))"),
    ("Optimised transposed Jacobian", f"fun (x : Float) -> let y = x * x in lmScale ({SLOPE})"),
    ("Reverse-mode derivative (unoptimised)", f"{BACK} lmApplyR dr (let y = x * x in lmScale ({SLOPE}))"),
    ("Reverse-mode derivative (optimised)", f"{BACK} let y = x * x in ({SLOPE}) * dr"),
    ("Reverse-mode derivative (CSE'd)", f"{BACK} {SHARED} * dr"),
]


def function_of(text: str) -> Lam:
    function = parse(text)
    assert isinstance(function, Lam)
    return function


def test_f2_of_the_notes() -> None:
    """What §9 prints, but that there one product is wrong (`demonstration`)."""
    stages = demonstrate(function_of(F2), PASSES).terms
    assert list(stages) == [title for title, _ in TEXTS]
    for (title, term), (_, text) in zip(stages.items(), TEXTS, strict=True):
        assert alpha_equal(term, parse(text)), f"{title}: {term}"


def test_what_the_notes_print_is_not_the_derivative() -> None:
    """At x = 1 it is 7, not 8."""
    stages = demonstrate(function_of(F2), PASSES).terms
    for name in ("Forward-mode derivative (CSE'd)", "Reverse-mode derivative (CSE'd)"):
        assert value(stages[name], 1.0, 1.0) == 7.0
    printed = parse("fun (x : Float) -> let y = x * x in (x + y) * (x + x) + (x + y) * (x + x)")
    assert value(printed, 1.0) == 8.0


def value(term: Term, *arguments: object) -> object:
    assert isinstance(term, Lam)
    return evaluate(term.body, dict(zip(term.parameters, arguments, strict=True)))


def test_a_let_as_a_composition_gives_one_factor_too() -> None:
    stages = demonstrate(function_of(F2), PASSES, jacobian=by_composition).terms
    wanted = parse("fun (x : Float) -> let y = x * x in lmScale (y + (x + y + y) * (x + x))")
    assert alpha_equal(stages["The full Jacobian (optimised)"], wanted)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("jacobian", [by_substitution, by_composition])
def test_any_function(name: str, jacobian: Jacobian) -> None:
    """The laws on maps change no derivative, and no map is left in the end."""
    text, arguments = PROGRAMS[name]
    function = function_of(text)
    made = demonstrate(function, PASSES, jacobian=jacobian)
    stages = made.terms
    assert len(stages) == len(TEXTS)
    for title in ("Forward-mode derivative (CSE'd)", "Reverse-mode derivative (CSE'd)"):
        assert not [t for t in subterms(stages[title]) if isinstance(t, MapTerm)]
    gradient = stages["Reverse-mode derivative (CSE'd)"]
    assert isinstance(gradient, Lam)
    exact, own = by_duals(function, arguments, (0,)), bounded(gradient, [*arguments, 1.0])
    assert within(own.value, exact.value, own.bound + exact.bound, 1e-10)
    assert str(made).count("-" * 29) == 2 * len(TEXTS)


def test_long_functions_are_composed() -> None:
    for length, jacobian in ((12, by_substitution), (13, by_composition)):
        full = demonstrate(chain(length), PASSES).terms["The full Jacobian (unoptimised)"]
        assert alpha_equal(full, jacobian(chain(length), (0,)))


def test_definitions_count_in_every_scope() -> None:
    inner = "".join([f"let b{k} = s * s in " for k in range(13)])
    assert is_short(function_of("fun (x : Float) -> ifold (fun s i -> let b = s * s in b + x) x 3"))
    assert not is_short(function_of(f"fun (x : Float) -> ifold (fun s i -> {inner}b12 + b0) x 3"))


def test_text() -> None:
    text = str(demonstrate(function_of("fun (x : Float) -> x * x"), PASSES))
    assert text.startswith(
        "-----------------------------\nOriginal definition\n-----------------------------\n"
        "fun (x : Float) -> x * x\n\n-----------------------------\nAnf-ised original definition\n"
    )
    assert text.endswith("fun (x : Float) (dr : Float) -> (x + x) * dr")


def test_sixty_doublings_by_composition() -> None:
    stages = demonstrate(chain(60), PASSES).terms
    assert value(stages["Reverse-mode derivative (CSE'd)"], 1.0, 1.0) == 2.0**60
