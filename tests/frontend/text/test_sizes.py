"""Sizes that must agree: an error in the text if they provably differ, a requirement if that is not known."""

from __future__ import annotations

import numpy as np
import pytest

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.evaluate import RequirementFailed, evaluate
from fsmooth.core.pretty import show
from fsmooth.core.term import Lam, Require, Term
from fsmooth.core.traverse import subterms
from fsmooth.core.values import plain, value_of
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.frontend.text import TextError, parse
from fsmooth.frontend.text.exact import Exact
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE, DEFAULT, NONE
from tests.lower.harness import STRICT, Failed, compile_all

PARAMETERS = "fun (c: Bool) (n: Int) (u: Vector) (v: Vector) (A: Matrix) ->\n"

BRANCHES, ROWS = "sizes {} and {} differ: the two branches", "sizes {} and {} differ: elements of one array"
LOOP = "sizes {} and {} differ: an array changes its size in the loop"
RAGGED = "the rows of this array have different lengths; arrays are rectangular"

WRONG = [
    ("«if c then build 3 (fun i -> 1.0) else build 2 (fun i -> 2.0)»", BRANCHES.format(3, 2)),
    ("let a = [1.0, 2.0] in let b = zero 3 in «(if c then (n, a) else (n, b))».1", BRANCHES.format(2, 3)),
    ("«if c then zero 2 3 else build 2 (fun i -> delta 4 i 1.0)»", BRANCHES.format(3, 4)),
    (
        "let k = n in let m = 2 + 1 in «if c then build (k - n + m) (fun i -> 1.0) else [1.0]»",
        BRANCHES.format(3, 1),
    ),
    ("«if c then build 2 (fun i -> (1.0, [1.0])) else build 2 (fun i -> (1.0, zero 2))»", BRANCHES.format(1, 2)),
    ("[[1.0, 2.0], «[3.0]»]", ROWS.format(2, 1)),
    ("[(1.0, [2.0]), «(3.0, zero 2)»]", ROWS.format(1, 2)),
    ("«build n (fun i -> build i (fun j -> v[j]))»", RAGGED),
    ("«build n (fun i -> (i, build i (fun j -> v[j])))»", RAGGED),
    ("«sum n (fun i -> build i (fun j -> v[j]))»", RAGGED),
    ("«collect n [i in n] (i >= 0) (zero i)»", RAGGED),
    ("ifold «(fun s i -> [1.0, 2.0])» (zero 3) n", LOOP.format(3, 2)),
    ("ifold «(fun s i -> (snd s, fst s))» (zero 3, zero 2) n", LOOP.format(3, 2)),
    ("«update (zero 2 2) 0 (zero 3)»", "sizes 2 and 3 differ: an element of an array"),
    (
        "let f = jvp[0] (fun (w: Vector) -> w[0]) in f [1.0, 2.0] «[1.0]»",
        "sizes 2 and 1 differ: a tangent has the shape of its argument",
    ),
]
"""Texts with the place of the mistake in «quotes»."""


@pytest.mark.parametrize(("marked", "message"), WRONG, ids=[t for t, _ in WRONG])
def test_sizes_that_provably_differ(marked: str, message: str) -> None:
    text = marked.replace("«", "").replace("»", "")
    caret = " " * marked.index("«") + "^" * (marked.index("»") - marked.index("«") - 1)
    with pytest.raises(TextError) as raised:
        parse(PARAMETERS + text)
    assert str(raised.value) == f"line 2: {message}\n    {text}\n    {caret}"


EQUAL = [
    "if c then build (length v) (fun i -> 1.0) else v",
    "if c then build (n + 1) (fun i -> 1.0) else build (1 + n) (fun i -> 2.0)",
    "let a = [1.0, 2.0] in let b = zero 2 in if c then a else b",
    "let m = n + 1 in let k = m in if c then zero m else build (n + 1) (fun i -> 1.0)",
    "let w = build (length v) (fun i -> 2.0 * v[i]) in let x = update w 0 1.0 in if c then v else x",
    "require length u == length v in if c then u else v",
    "require n > 0 && length v == length u in if c then (n, u) else (n, v)",
    "let w = build (length v) (fun i -> v[i]) in require length u == length v in if c then u else w",
    "if c then build 0 (fun i -> 1.0) else build (-1) (fun i -> 1.0)",
    "build n (fun i -> v)",
    "build n (fun i -> build n (fun j -> v[i] * v[j]))",
    "build n (fun i -> (i, update v i 1.0))",
    "ifold (fun s i -> build (length s) (fun j -> s[j] + 1.0)) v n",
    "ifold (fun s i -> (snd s, fst s)) (v, update v 0 1.0) n",
    "ifold (fun s i -> build n (fun k -> (1.0, v))) (build n (fun k -> (2.0, update v 0 1.0))) n",
]


@pytest.mark.parametrize("text", EQUAL)
def test_sizes_that_provably_agree_are_not_required(text: str) -> None:
    written = parse(PARAMETERS + text, elaborator=Exact)
    assert alpha_equal(parse(PARAMETERS + text), written)


U, V = [1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0, 8.0]
A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
UNKNOWN = [
    "if c then u else v",
    "let d = !c in if !d then [u] else [v]",
    "(if c then (n, [u]) else (n, [v])).1",
    "if c then build 2 (fun i -> u) else build n (fun i -> v)",
    "let p = if c then build 2 (fun i -> (1.0, u)) else build n (fun i -> (2.0, v)) in p[0].1",
    "[u, if c then u else v]",
    "[if c then 1.0 else sum (length u) (fun i -> [u, v][1][i])]",
    "ifold (fun s i -> v) u (if c then 0 else n)",
    "ifold (fun s i -> if i < 1 then s else build (length s + 1) (fun k -> 1.0)) u (if c then 1 else n)",
    "fst (ifold (fun s i -> (snd s, fst s)) (u, v) (if c then 0 else n))",
    "if c then A[0] else (update A 0 v)[0]",
    "if c then u else ((jvp[0] (fun (w: Vector) -> w)) u v).1",
]
"""Programs that are right if c, and where sizes differ if not: n = 2, u has 3 elements and v has 5."""


def _called(program: Term, holds: bool) -> object:
    assert isinstance(program, Lam)
    arguments = (holds, 2, U, V, A)
    values = {q: value_of(x, q.type) for q, x in zip(program.parameters, arguments, strict=True)}
    return plain(evaluate(program.body, values), program.body.type)


def _ready(text: str) -> Lam:
    term = remove_derivatives(parse(PARAMETERS + text), BEFORE_DERIVATIVE)
    assert isinstance(term, Lam)
    return term


@pytest.mark.parametrize("text", UNKNOWN)
@pytest.mark.parametrize("schedule", [lambda t: t, NONE, DEFAULT], ids=["written", "NONE", "DEFAULT"])
def test_sizes_that_are_not_known_to_agree_are_required(text: str, schedule) -> None:
    program = schedule(_ready(text))
    assert np.all(np.isfinite(np.asarray(_called(program, True), dtype=float)))
    with pytest.raises(RequirementFailed, match="sizes differ"):
        _called(program, False)


def test_the_c_fails_where_the_interpreter_does() -> None:
    programs = [schedule(_ready(text)) for text in UNKNOWN for schedule in (NONE, DEFAULT)]
    for program, kernel in zip(programs, compile_all(programs, STRICT), strict=True):
        np.testing.assert_allclose(kernel(True, 2, U, V, A), _called(program, True), rtol=1e-14)
        with pytest.raises(Failed, match="SIZE"):
            kernel(False, 2, U, V, A)


@pytest.mark.parametrize("text", UNKNOWN)
def test_what_is_required_is_read_back_as_it_is(text: str) -> None:
    term = parse(PARAMETERS + text)
    assert any([isinstance(t, Require) for t in subterms(term)])
    assert alpha_equal(parse(show(term)), term), show(term)
