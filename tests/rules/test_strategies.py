"""The combinators and traversals, and the figure's own rules put together by hand (paper 000, §5.1; paper 002, §2)."""

from __future__ import annotations

import pytest

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import Term, Var
from fsmooth.core.types import BOOL, F64, INT, Array, Tuple, Type
from fsmooth.frontend.text import parse
from fsmooth.optimise.rules.conditional import if_known, if_same
from fsmooth.optimise.rules.fusion import eta_build, get_build, length_build
from fsmooth.optimise.rules.lambda_calculus import (
    beta,
    drop_unused,
    flatten_let,
    inline,
    let_out_of_argument,
    share_definition,
    swap_definitions,
)
from fsmooth.optimise.rules.loop_fission import project_fold, split_fold
from fsmooth.optimise.rules.loop_normalisation import fold_empty, fold_single, fold_unroll_once
from fsmooth.optimise.rules.ring import add_zero, fold_constants, multiply_one, signs
from fsmooth.optimise.rules.tuples import project_tuple
from fsmooth.rewrite.strategy import Strategy, attempt, choice, repeat, seq
from fsmooth.rewrite.traversal import all_, bottom_up, everywhere, normalise, one, top_down

TYPES: dict[str, Type] = {
    **dict.fromkeys("xy", F64),
    "c": BOOL,
    "n": INT,
    "v": Array(F64),
    "M": Array(Array(F64)),
    "p": Tuple((F64, F64)),
}
NAMES = {name: Var(name, type_) for name, type_ in TYPES.items()}
CALCULUS = beta | inline | let_out_of_argument

CASES: dict[str, tuple[Strategy, str, str | None]] = {
    "seq": (signs >> multiply_one, "-(-(x * 1.0))", "x"),
    "seq fails with its second": (signs >> multiply_one, "-(-x)", None),
    "seq of three": (seq(signs, signs, multiply_one), "-(-(-(-(x * 1.0))))", "x"),
    "choice takes the first that applies": (choice(multiply_one, add_zero), "x + 0.0", "x"),
    "choice": (add_zero | multiply_one, "sin x", None),
    "attempt": (attempt(multiply_one), "sin x", "sin x"),
    "repeat": (
        repeat(flatten_let),
        "let a = (let b = (let d = x in d) in b) in a",
        "let d = x in let b = d in let a = b in a",
    ),
    "repeat fails if it never applies": (repeat(multiply_one), "sin x", None),
    "one takes the first child": (one(multiply_one), "(x * 1.0, y * 1.0)", "(x, y * 1.0)"),
    "one goes one level down": (one(multiply_one), "sin (cos (x * 1.0))", None),
    "all": (all_(multiply_one), "(x * 1.0, y * 1.0)", "(x, y)"),
    "all fails if one child does": (all_(multiply_one), "(x * 1.0, y)", None),
    "top_down": (top_down(multiply_one), "sin (x * 1.0 * 1.0)", "sin (x * 1.0)"),
    "top_down takes the outermost": (
        top_down(if_same),
        "if c then (if c then x else x) else (if c then x else x)",
        "if c then x else x",
    ),
    "bottom_up takes the innermost": (
        bottom_up(drop_unused),
        "let a = 1.0 in sin (let b = 2.0 in x)",
        "let a = 1.0 in sin x",
    ),
    "everywhere": (everywhere(multiply_one), "(x * 1.0) * (y * 1.0) * 1.0", "x * y"),
    "everywhere never fails": (everywhere(multiply_one), "sin x", "sin x"),
    "normalise": (normalise(multiply_one | signs), "sin (-(-(x * 1.0 * 1.0)))", "sin x"),
    "normalise never fails": (normalise(multiply_one), "sin x", "sin x"),
    "conditions are known in branches": (
        top_down(if_known),
        "if c then (if c then x else y) else y",
        "if c then x else y",
    ),
    "ranges are known in loops": (
        top_down(if_known),
        "sum n (fun i -> if i < n then x else y)",
        "sum n (fun i -> x)",
    ),
    "definitions are known in scopes": (top_down(project_tuple), "let q = (x, y) in fst q", "let q = (x, y) in x"),
    "swapped definitions can be shared": (
        one(swap_definitions) >> one(share_definition),
        "fun () -> let a = sin x in let b = cos y in let d = cos y in a + b + d",
        "fun () -> let b = cos y in let a = sin x in let d = b in a + b + d",
    ),
    "fission with projection": (
        one(split_fold) >> project_tuple,
        "fst (ifold (fun a i -> (fst a + x, snd a * y)) (x, y) n)",
        "ifold (fun a i -> a + x) x n",
    ),
    "unrolling a static loop": (
        repeat(fold_unroll_once) >> fold_empty >> normalise(CALCULUS | fold_constants | project_tuple),
        "ifold (fun a i -> a * v[i]) x 3",
        "x * v[0] * v[1] * v[2]",
    ),
    "Example 5, the transpose of the transpose": (
        normalise(CALCULUS | get_build | length_build | eta_build),
        """
        let T = build (length M 1) (fun i -> build (length M) (fun j -> M[j][i])) in
        build (length T 1) (fun i -> build (length T) (fun j -> T[j][i]))
        """,
        "M",
    ),
    "Example 6, the last steps": (
        normalise(CALCULUS | fold_single | add_zero | eta_build),
        "build (length v) (fun i -> ifold (fun a j -> if j == i then a + v[j] else a) 0.0 (length v))",
        "v",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_strategy(name: str) -> None:
    strategy, before, after = CASES[name]
    result = strategy(parse(before, NAMES))
    if after is None:
        assert result is None
    else:
        assert result is not None
        assert alpha_equal(result, parse(after, NAMES)), f"gives {result}"


def test_projection_of_a_loop_is_fission_with_projection() -> None:
    """`project_fold` does in one step what the two rules of the figure do, where they apply."""
    compound = one(split_fold) >> project_tuple
    term: Term = parse("snd (ifold (fun a i -> (fst a + x, snd a * v[i])) p n)", NAMES)
    together, apart = project_fold(term), compound(term)
    assert together is not None
    assert apart is not None
    assert alpha_equal(normalise(project_tuple)(together) or together, apart)


def test_a_strategy_shows_what_it_is_made_of() -> None:
    assert repr(normalise(beta | attempt(inline) >> drop_unused)) == "normalise(beta | attempt(inline) >> drop_unused)"
