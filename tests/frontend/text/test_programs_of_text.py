"""Programs, laws and schedules that a text defines (`fs.text`)."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs
from fsmooth import strategies as st
from fsmooth.frontend.text import TextError
from fsmooth.optimise.schedule import Schedule
from fsmooth.rewrite.strategy import Strategy

SOURCE = """
let scale = 2.0   # of norm2
let dot = fun (u : Array<Float>) (v : Array<Float>) ->
  ifold (fun s i -> s + u[i] * v[i]) 0 (length u)
let norm2 = fun v -> scale * dot v v
let pick = fun (v : Vector) (k : Int) -> v[k]
let largest = fun (v : Vector) -> max (length v) (fun i -> v[i])
let third = fun (a : Int) (b : Int) -> a // b + modulo a b
let hot = fun (n : Int) (k : Int) -> delta n k 1.0
let put = fun (v : Vector) (k : Int) -> update v k 9.0
let smooth = fun v k -> vectorSum (vectorMap v (fun x -> sin (k * x)))
let matvec = fun (A : Matrix) (v : Vector) -> build (length A) (fun i -> dot A[i] v)
let count = fun (n : Int) -> sum n (fun i -> 1.0)
let ramp = fun (n : Int) -> length (build n (fun i -> i))
let positive = fun (v : Vector) (n : Int) -> collect n [i in length v] (v[i] > 0.0) v[i]
let mean = fun p -> (p.0 + p.1) / 2.0
law [real] hoist: x / y + z / y   (* once *)
  ~> (x + z) / y where z : Float
let shares = fun (a : Float) (b : Float) (c : Float) -> a / c + b / c
schedule mine = normalise(hoist | fusion) >> differentiate forward >> share
schedule more = with_rules(DEFAULT, hoist)
"""

U, V = np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.5, 4.0])
A = np.arange(6.0).reshape(2, 3)

SAME = [
    ("dot", lambda u, v: sum(u[i] * v[i] for i in range(len(u))), (U, V)),
    ("norm2", lambda v: 2.0 * sum(x * x for x in v), (V,)),
    ("smooth", lambda v, k: sum(fs.sin(k * x) for x in v), (V, 3.0)),
    ("pick", lambda v, k: v[k], (V, 2)),
    ("largest", lambda v: max(v), (V,)),
    ("mean", lambda p: (p[0] + p[1]) / 2.0, ((1.0, 4.0),)),
]


@pytest.fixture(scope="module")
def text():
    return fs.text(SOURCE)


@pytest.mark.parametrize(("name", "python", "arguments"), SAME, ids=[case[0] for case in SAME])
def test_a_program_and_its_gradient_are_those_of_the_same_in_python(text, name, python, arguments) -> None:
    np.testing.assert_allclose(text[name](*arguments), fs.function(python)(*arguments), rtol=1e-15)
    for method in ("forward", "reverse"):
        found, wanted = (fs.grad(f, method=method)(*arguments) for f in (text[name], python))
        np.testing.assert_allclose(found, wanted, rtol=1e-13)


def test_other_verbs_take_a_program_of_a_text(text) -> None:
    np.testing.assert_array_equal(fs.jacobian(text["matvec"], wrt="v")(A, U), A)
    np.testing.assert_array_equal(fs.hessian(text["norm2"])(V), 4.0 * np.eye(3))
    assert fs.jvp(text["dot"], wrt=("u", "v"))(U, V, tangent=(V, U))[1] == V @ V + U @ U
    value, pullback = fs.vjp(text["matvec"])(A, U)
    np.testing.assert_array_equal(value, A @ U)
    np.testing.assert_array_equal(pullback(np.array([1.0, 0.0])), np.array([U, 0 * U]))


def test_a_program_in_python_calls_one_of_a_text(text) -> None:
    dot = text["dot"]
    f = fs.function(lambda w: 3.0 * dot(w, w) + 1.0)
    assert f(U) == 43.0
    np.testing.assert_array_equal(fs.grad(lambda w: dot(w, v=w))(U), 2 * U)


def test_parameters_take_the_types_of_arguments_or_convert_them(text) -> None:
    assert text["dot"]([1, 2], np.array([1.0, 2.0], np.float32)) == 5.0
    assert text["smooth"](np.array([1.0, 2.0], np.float32), 1.0) == pytest.approx(np.sin(1.0) + np.sin(2.0), rel=1e-6)
    assert text["count"](-2) == 0.0
    assert text["ramp"](-2) == 0
    assert text["third"](-7, 2) == -3
    np.testing.assert_array_equal(text["positive"](V, 2), [0.5, 4.0])
    np.testing.assert_array_equal(text["put"](U, 1), [1.0, 9.0, 3.0])


def test_a_name_that_python_keeps_for_itself_gets_a_mark() -> None:
    f = fs.text("let f = fun (lambda : Float) (x' : Float) -> lambda - x'")["f"]
    assert str(f.__signature__) == "(lambda_, x_)"
    assert f(lambda_=3.0, x_=1.0) == 2.0


FAILS = [
    ("pick", (V, 3), fs.IndexOutOfBoundsError, "index 3 is out of bounds for v, which has size 3"),
    ("pick", (V, -1), fs.IndexOutOfBoundsError, "index -1 is out of bounds for v, which has size 3"),
    ("put", (V, 3), fs.IndexOutOfBoundsError, "index 3 is out of bounds for update v k 9.0, which has size 3"),
    ("hot", (3, 3), fs.IndexOutOfBoundsError, "index 3 is out of bounds for delta n k 1.0, which has size 3"),
    ("hot", (-1, 0), fs.IndexOutOfBoundsError, "index 0 is out of bounds for delta n k 1.0, which has size 0"),
    ("dot", (V, V[:2]), fs.IndexOutOfBoundsError, "index 2 is out of bounds for v, which has size 2"),
    ("largest", (V[:0],), fs.EmptyError, "the maximum or minimum of nothing"),
    ("positive", (V, 3), fs.SizeError, "sizes 3 and 2 differ"),
    ("positive", (V, 1), fs.SizeError, "sizes 1 and 2 differ"),
    ("third", (1, 0), fs.DivisionError, "integer division by zero"),
]


@pytest.mark.parametrize(("name", "arguments", "error", "message"), FAILS)
def test_what_fails_is_shown_at_its_place(text, name, arguments, error, message) -> None:
    with pytest.raises(error) as caught:
        text[name](*arguments)
    first, place, line, *_ = str(caught.value).split("\n")
    number = 1 + next(k for k, x in enumerate(SOURCE.split("\n")) if line.strip() == x.strip())
    assert first == message
    assert place.endswith(f", line {number}")


def test_arguments_that_do_not_fit_are_refused(text) -> None:
    message = "dot: v is an Array<Float>, but is given a Float\n  hint: give it what the text says, or leave the type out there"
    with pytest.raises(fs.ArgumentError) as caught:
        text["dot"](V, 1.0)
    assert str(caught.value) == message
    dot = text["dot"]
    with pytest.raises(fs.ArgumentMismatchError, match=r"v is an Array<Float>, but is given a Float\n  File .*, line"):
        fs.function(lambda w: dot(w, w[0]))(V)


WRONG = [
    ("let f = fun (x : Float) -> x + true", "line 1: `+` between Float and Bool", "x + true"),
    (
        "let f = fun (x : Float) -> lmApply (lmScale 2.0) x",
        "line 1: linear maps are not for programs yet; write what they do, or `grad`, `jacob`",
        "lmApply (lmScale 2.0) x",
    ),
    ("\nlet f = fun (x : Float) ->\n  y", "line 3: `y` is not defined", "y"),
]


@pytest.mark.parametrize(("source", "message", "place"), WRONG)
def test_a_mistake_in_a_program_shows_its_place(source, message, place) -> None:
    with pytest.raises(TextError) as caught:
        fs.text(source)["f"](1.0)
    first, shown, caret = str(caught.value).split("\n")
    assert first == message
    assert shown[caret.index("^") : caret.rindex("^") + 1] == place


MISTAKES = [
    ("let f = fun x -> x\nlet f = fun x -> x", "line 2: `f` is defined twice"),
    ("let f = fun x -> x\nin f 1", "line 1: a text of definitions is"),
    ("let f = fun x -> (x", "line 1: "),
    ("let f = fun x x -> x", "line 1: `x` is a parameter of `f` twice\n    let f = fun x x -> x\n                  ^"),
    ("let f = fun (x : Foo) -> x", "line 1: `Foo` is no type; there are Float, Int, Bool, Array<…>"),
    ("let f = fun x -> x let g = fun x -> x", "line 1: "),
    ("let f = 1.0 in let g = fun x -> x", "line 1: the `let` of `g` does not begin its line"),
    ("law x + y ~> y + x", "line 1: a law is `law name: left ~> right`, or `law [real] name: …`"),
    ("law [quick] a: x + y ~> y + x", "line 1: `quick` is no option of a law; there are real, discards, keeps exact, "),
    ("schedule a: beta", "line 1: a schedule is `schedule name = strategy >> strategy …`"),
    ("schedule a = bta", "line 1: there is no law, rule or strategy `bta`; did you mean beta?\n    schedule a = bta\n"),
    ("schedule a = beta >>", "line 1: a strategy was expected"),
    ("schedule a = beta beta", "line 1: `beta` cannot stand here; `>>`, `|` or the end was expected"),
    ("schedule a = differentiate sideways", "line 1: a method was expected: auto, "),
    ("schedule a = try_until(beta)", "line 1: 2 arguments were expected, with a comma between them"),
    ("schedule a = beta >> DEFAULT", "line 1: a schedule stands first; strategies follow it with `>>`"),
    ("schedule a = normalise(beta", "line 1: `)` was expected"),
    ("schedule a = beta + eta", "line 1: this character has no meaning here"),
    ("schedule a = mu(beta)", "line 1: `.` was expected after `beta`"),
    ("schedule a = mu x", "line 1: `mu(x. strategy)` was expected"),
    ("schedule a = mu(3. x)", "line 1: the name of what is defined was expected"),
    ("schedule a = mu(x. y)", "line 1: there is no law, rule or strategy `y`"),
    ("schedule a = mu(x. beta) | x", "line 1: there is no law, rule or strategy `x`"),
    ("schedule a = mu(x. DEFAULT)", "line 1: a strategy was expected, not a schedule"),
    ("schedule a = where x", "line 1: the left side of a law, in quotes, was expected"),
    ('schedule a = where "x +"', "line 1: "),
    ("schedule a = is_a Bild", "line 1: a constructor of terms was expected: App, "),
    ("schedule a = at beta", 'line 1: `at(strategy, loop="i")` or `at(strategy, line=3)` was expected'),
    ("schedule a = at(beta)", 'line 1: `, loop="i"` or `, line=3` was expected'),
    ("schedule a = at(beta, place=3)", 'line 1: `loop="i"` or `line=3` was expected'),
    ("schedule a = at(beta, line 3)", "line 1: `=` was expected after `line`"),
    ("schedule a = at(beta, line=i)", "line 1: a number was expected"),
    ("schedule a = at(beta, loop=i)", "line 1: a text in quotes was expected"),
]


@pytest.mark.parametrize(("source", "message"), MISTAKES)
def test_a_mistake_in_a_text_shows_its_place(source, message) -> None:
    with pytest.raises(TextError) as caught:
        fs.text(source)
    assert str(caught.value).startswith(message)


def test_a_law_that_does_not_hold_is_refused_with_its_line() -> None:
    with pytest.raises(fs.LawError, match=r"^line 2, law zero: refused: x \+ 0.0 is 0.0 where x = -0.0"):
        fs.text("\nlaw zero: x + 0.0 ~> x")


def test_laws_and_schedules_are_used(text) -> None:
    assert isinstance(text["mine"], Strategy)
    assert isinstance(text["more"], Schedule)
    assert str(text["mine"]) == "normalise(hoist | FUSION) >> differentiate('forward') >> share"
    f = fs.function(text["shares"].__wrapped__, schedule=text["more"])
    assert f(1.0, 2.0, 4.0) == 0.75
    assert "(a + b) / c" in str(f.stages.terms["optimised"])
    assert fs.grad(text["shares"], wrt="b", schedule=text["mine"])(1.0, 2.0, 4.0) == 0.25


WRITTEN = """
schedule places = at(beta, loop="i") | at(is_a Build >> beta, line=3)
schedule products = where "x * y" >> debug "here"
schedule deep = mu(x. (beta >> x) | one x | identity)
schedule nested = mu(x. mu(y. beta | one x | one y))
schedule shadowed = mu(x. mu(x. beta | one x))
"""


def test_schedules_with_places_conditions_and_recursion() -> None:
    """They are those of Python, for other processes too."""
    text = fs.text(WRITTEN)
    product = st.where("x * y") >> st.debug("here")
    wanted = {
        "places": st.at(st.beta, loop="i") | st.at(st.is_a(st.Build.constructor) >> st.beta, line=3),
        "products": product,
        "deep": st.mu(lambda x: (st.beta >> x) | st.one(x) | st.identity),
        "nested": st.mu(lambda x: st.mu(lambda y: st.beta | st.one(x) | st.one(y))),
        "shadowed": st.mu(lambda _: st.mu(lambda x: st.beta | st.one(x))),
    }
    for name, strategy in wanted.items():
        assert text[name].content == strategy.content
        assert pickle.loads(pickle.dumps(text[name])).content == strategy.content
    assert len({strategy.content for strategy in text.values()}) == len(text)
    f = fs.function(lambda a, b: (a + b) * b, schedule=st.attempt(st.bottom_up(text["products"])))
    assert [step.rule for step in f.trace(1.0, 2.0) if step.rule == "here"] == ["here"]


def test_recursion_in_a_text_does_what_it_says() -> None:
    deep = fs.text("schedule all = mu(x. attempt((beta | let_subst 9) >> x) >> attempt(some x))")["all"]
    steps = fs.function(lambda x: (lambda y: (lambda z: z * z)(y + 1.0))(x * 2.0), schedule=deep).trace(3.0)
    assert steps.replay() is not None
    assert {step.rule for step in steps} & {"beta", "let_subst(9)"}


def test_a_text_tells_what_it_defines(text) -> None:
    lines = repr(text).split("\n")
    assert lines[0] == "text:"
    assert "  dot: <fsmooth dot(u, v)>" in lines
    assert "scale" not in text
    assert "  more: DEFAULT with hoist" in lines
    with pytest.raises(KeyError, match="text defines no program, law or schedule 'dott'; it defines dot, norm2"):
        text["dott"]


def test_a_text_may_be_empty_or_indented() -> None:
    assert len(fs.text("")) == 0
    assert len(fs.text("(* let f = fun x -> x *)\nlet scale = 2.0")) == 0
    made = fs.text("""
        let f = fun f x ->
          f + x
        let g = fun x -> f x 1.0
    """)
    assert made["f"](1.0, 2.0) == 3.0
    assert made["g"](1.0) == 2.0


def test_parameters_that_python_cannot_tell_apart_are_refused() -> None:
    with pytest.raises(fs.ArgumentError, match="f: two of its parameters are called x', x_\n  hint: name them apart"):
        fs.text("let f = fun x' x_ -> x'")


def test_a_text_is_a_string_or_a_path() -> None:
    with pytest.raises(fs.ArgumentError, match=r"hint: give a text, or the pathlib.Path of a file"):
        fs.text(3)


def test_a_file_is_named_in_mistakes(tmp_path) -> None:
    file = tmp_path / "model.ft"
    file.write_text("let f = fun (x : Vector) ->\n  x[1]\nlet g = fun (x : Float) -> y\n")
    text = fs.text(file)
    assert text["f"](U) == 2.0
    with pytest.raises(TextError, match=r"model.ft, line 3: `y` is not defined"):
        text["g"](1.0)
    with pytest.raises(fs.IndexOutOfBoundsError) as caught:
        text["f"](U[:1])
    assert f'File "{file}", line 2' in str(caught.value)


def test_a_program_is_pickled_as_its_text(text) -> None:
    again = pickle.loads(pickle.dumps(fs.grad(text["norm2"])))
    np.testing.assert_array_equal(again(V), 4.0 * V)


LATER = """
import logging, sys
import numpy as np
import fsmooth as fs
fs.set_log("info")
f = fs.text(sys.argv[1])["f"]
print(fs.grad(f)(np.array([1.0, 2.0])))
"""


def test_a_later_process_finds_what_was_compiled_while_the_text_is_the_same(tmp_path: Path) -> None:
    def run(source: str) -> tuple[str, str]:
        environment = {**os.environ, "FSMOOTH_CACHE_DIR": str(tmp_path)}
        command = [sys.executable, "-c", LATER, source]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        return done.stdout, done.stderr

    squares = "let f = fun v -> sum (length v) (fun i -> v[i] * v[i])"
    first, second, other = run(squares), run(squares), run(squares.replace("* v[i]", "* 3.0"))
    assert first[0] == second[0] == "[2. 4.]\n"
    assert other[0] == "[3. 3.]\n"
    assert ["found in the cache" in shown for _, shown in (first, second, other)] == [False, True, False]
