"""The combinators and traversals, and the figure's own rules put together by hand (paper 000, §5.1; paper 002, §2)."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable

import pytest

import fsmooth as fs
from fsmooth import strategies as st
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import Build, Check, Const, MakeTuple, Site, Term, Var
from fsmooth.core.traverse import size_of_tree
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
from fsmooth.rewrite.strategy import (
    Strategy,
    attempt,
    choice,
    debug,
    fail,
    identity,
    mu,
    not_,
    repeat,
    seq,
    try_until,
    where,
)
from fsmooth.rewrite.traversal import all_, at, bottom_up, everywhere, normalise, one, some, top_down
from tests.rules.test_engine import flat
from tests.strategies import random_program

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
    "a part of a constructor": (
        st.Build.body(multiply_one),
        "build (n * 1) (fun i -> x * 1.0)",
        "build (n * 1) (fun i -> x)",
    ),
    "of another": (st.Build.body(multiply_one), "x * 1.0", None),
    "of any that has it": (st.body(multiply_one), "sum n (fun i -> x * 1.0)", "sum n (fun i -> x)"),
    "a branch": (st.If.then(multiply_one), "if c then x * 1.0 else x * 1.0", "if c then x else x * 1.0"),
    "one of many": (st.items(multiply_one), "(x, y * 1.0, x * 1.0)", "(x, y, x * 1.0)"),
    "some": (some(multiply_one), "(x, y * 1.0, x * 1.0)", "(x, y, x)"),
    "none": (some(multiply_one), "(x, y)", None),
    "at a loop": (
        at(st.body(multiply_one), loop="i"),
        "(sum n (fun i -> x * 1.0), sum n (fun j -> x * 1.0))",
        "(sum n (fun i -> x), sum n (fun j -> x * 1.0))",
    ),
    "at no loop": (at(st.body(multiply_one), loop="k"), "sum n (fun i -> x * 1.0)", None),
    "is a": (st.is_a(Build) >> st.size(multiply_one), "build n (fun i -> x)", None),
    "let_subst": (st.let_subst(1), "let a = sin x in a * 2.0", "sin x * 2.0"),
    "let_subst too often": (st.let_subst(1), "let a = sin x in a * a", None),
    "let_subst often": (st.let_subst(2), "let a = sin x in a * a", "sin x * sin x"),
    "renamed where it would capture": (
        st.let_subst(1),
        "let a = v[0] in build n (fun i -> a * x)",
        "build n (fun i -> v[0] * x)",
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


# -- the laws of the combinators (paper 002, §5), on random programs -------------------------------------------------------

SOME = (
    beta,
    inline,
    drop_unused,
    multiply_one,
    fold_constants,
    if_same,
    project_tuple,
    get_build,
    length_build,
    flatten_let,
)

EQUAL: dict[str, Callable[[Strategy, Strategy], tuple[Strategy, Strategy]]] = {
    "identity >> a = a": lambda a, b: (identity >> a, a),
    "a >> identity = a": lambda a, b: (a >> identity, a),
    "fail | a = a": lambda a, b: (fail | a, a),
    "a | fail = a": lambda a, b: (a | fail, a),
    "fail >> a = fail": lambda a, b: (fail >> a, fail),
    "identity | a = identity": lambda a, b: (identity | a, identity),
    "attempt(a) = a | identity": lambda a, b: (attempt(a), a | identity),
    "repeat of the paper: mu x. (a >> x) | identity": lambda a, b: (
        attempt(repeat(a)),
        mu(lambda x: (a >> x) | identity),
    ),
    "top_down(a) = a | one(top_down(a))": lambda a, b: (top_down(a), mu(lambda x: a | one(x))),
    "bottom_up(a) = one(bottom_up(a)) | a": lambda a, b: (bottom_up(a), mu(lambda x: one(x) | a)),
    "not_(not_(a)) >> a = a": lambda a, b: (not_(not_(a)) >> a, a),
    "not_(a) >> a = fail": lambda a, b: (not_(a) >> a, fail),
    "try_until(a, 2) = attempt(a >> attempt(a))": lambda a, b: (try_until(a, 2), attempt(a >> attempt(a))),
    "where(true) >> a = a": lambda a, b: (where(lambda term: True) >> a, a),
    "where(false) >> a = fail": lambda a, b: (where(lambda term: False) >> a, fail),
    "debug(text) >> a = a": lambda a, b: (debug("here") >> a, a),
    "some(a) = all_(attempt(a)) where one(a) applies": lambda a, b: (
        some(a),
        not_(not_(one(a))) >> all_(attempt(a)),
    ),
    "(a | b) | a = a | (b | a)": lambda a, b: ((a | b) | a, a | (b | a)),
    "(a >> b) >> a = a >> (b >> a)": lambda a, b: (
        (attempt(a) >> attempt(b)) >> attempt(a),
        attempt(a) >> (attempt(b) >> attempt(a)),
    ),
    "normalise(a) = attempt(repeat(top_down(a)))": lambda a, b: (st.normalise(a), attempt(repeat(top_down(a)))),
}


@pytest.mark.parametrize("name", EQUAL)
def test_laws_of_combinators(name: str) -> None:
    rng = random.Random(name)
    applied = 0
    for seed in range(25):
        program, _ = random_program(seed, depth=3)
        if size_of_tree(program) > 150:
            continue
        a, b = rng.choice(SOME), rng.choice(SOME)
        if name.startswith(("repeat", "normalise", "try", "(a >> b)")):
            a, b = rng.choice((beta, inline, flatten_let)), rng.choice((beta, inline, flatten_let))
        inside = not name.startswith(("top", "bottom", "some", "normalise"))
        first, second = EQUAL[name](top_down(a), top_down(b)) if inside else EQUAL[name](a, b)
        one_way, other = first(program), second(program)
        assert (one_way is None) == (other is None), f"{a} {b} {program}"
        if one_way is not None and other is not None:
            assert alpha_equal(flat(one_way), flat(other)), f"{a} {b}\n{program}\n{one_way}\n{other}"
            applied += not alpha_equal(one_way, program)
    assert applied or name in NEVER


NEVER = frozenset({"fail >> a = fail", "identity | a = identity", "not_(a) >> a = fail", "where(false) >> a = fail"})


def test_random_families_reach_the_definition() -> None:
    """The fast engine, against `repeat(top_down(family))`, on random programs and families."""
    rng = random.Random(7)
    families = [rng.sample(SOME[:1] + SOME[3:], 3) for _ in range(20)]
    for seed in range(300):
        program, _ = random_program(seed, depth=2)
        if size_of_tree(program) <= 120:
            family = families[seed % len(families)]
            fast, slow = st.normalise(choice(*family))(program), normalise(choice(*family))(program)
            assert fast is not None
            assert slow is not None
            assert alpha_equal(flat(fast), flat(slow)), f"{family}\n{program}\n{fast}\n{slow}"


def test_parts_that_are_not_there() -> None:
    with pytest.raises(AttributeError, match="Build has no part 'then'; its parts are size, body"):
        st.Build.then(multiply_one)
    with pytest.raises(AttributeError, match="there is no rule, family, constructor or part 'nonsense'"):
        _ = st.nonsense


def test_at_a_line() -> None:
    term = Check(Var("k", INT), Var("n", INT), Site("v", "file.py", 12))
    law = fs.law("check k n ~> check n n", check=False)
    result = at(law, line=12)(MakeTuple((Const(1), term)))
    assert str(result) == "(1, check n n)"
    assert at(law, line=13)(MakeTuple((Const(1), term))) is None


def test_normal_forms() -> None:
    redex, normal = parse("(build n (fun i -> x))[0]", NAMES), parse("build n (fun i -> x)", NAMES)
    assert not st.FUSED.holds(redex)
    assert st.FUSED.holds(normal)
    assert st.BENF.holds(normal)
    assert not st.BENF.holds(parse("build (length v) (fun i -> v[i])", NAMES))
    assert st.FUSED.check()(normal) is normal
    assert st.FUSED.check()(redex) is None


@pytest.mark.parametrize(
    "strategy",
    [
        attempt(beta) >> (inline | drop_unused),
        st.normalise(beta | st.let_subst(1)),
        not_(beta) >> identity | fail,
        try_until(beta, 3),
        st.body(st.FUSION) >> at(beta, loop="i") >> st.share,
        st.differentiate("reverse") >> st.BENF >> debug("end"),
        st.is_a(Build) >> top_down(beta) >> everywhere(beta) >> bottom_up(beta),
    ],
    ids=str,
)
def test_strategies_survive_pickling_and_are_their_own_text(strategy: Strategy) -> None:
    again = pickle.loads(pickle.dumps(strategy))
    assert again.name == strategy.name
    assert again.content == strategy.content


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "seq": (lambda: seq(beta, 3), "seq of 3, which is no strategy"),
    "choice": (lambda: choice(beta, None), "choice of None, which is no strategy"),
    "one": (lambda: one("beta"), "one of 'beta', which is no strategy"),
    "times": (lambda: try_until(beta, "often"), "try_until: 'often' times\n  hint: give a number from 0 on"),
    "uses": (lambda: st.let_subst(-1), "let_subst: -1 times"),
    "where": (lambda: where(3), "give a function of a term that says whether it is meant"),
    "at": (lambda: at(beta), "give a loop, by its index, or a line"),
    "part": (lambda: st.part("nonsense"), "no constructor has a part 'nonsense'; there are "),
    "with_rules": (lambda: st.DEFAULT.with_rules("x ~> x"), "with_rules of 'x ~> x', which is no strategy"),
    "no rule": (lambda: st.DEFAULT.with_rules(st.share), "with_rules of share, which is no rule"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    make, told = MISTAKES[name]
    with pytest.raises(fs.StrategyError) as error:
        make()
    assert told in str(error.value)


def test_operators_of_what_is_no_strategy() -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = beta | None
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = beta >> 3


def test_families_are_rules_for_schedules() -> None:
    assert st.NONE.with_rules(st.FUSION).content != st.NONE.content
    f = fs.function(
        lambda v: sum([x * 2.0 for x in v][i] for i in range(len(v))), schedule=st.NONE.with_rules(st.FUSION)
    )
    assert f([1.0, 2.0]) == 6.0
