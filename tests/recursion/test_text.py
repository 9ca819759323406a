"""Definitions as F̃ text: what is printed parses to what means the same, and mistakes are said where they are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import fsmooth as fs
from fsmooth.core.evaluate import ArrayValue, evaluate
from fsmooth.core.pretty import show
from fsmooth.core.types import F64, INT
from fsmooth.frontend.text.mistakes import TextError
from fsmooth.frontend.text.parse import parse
from tests.recursion.programs import PROGRAMS
from tests.recursion.test_calls import as_value


@pytest.mark.parametrize("program", [pytest.param(f, id=f.__name__) for f in PROGRAMS])
def test_what_is_printed_means_the_same(program: Callable[..., object]):
    arguments = PROGRAMS[program]
    compiled = fs.function(program)
    expected = compiled(*arguments)
    for stage in ("definition", "optimised"):
        text = show(compiled.stages.terms[stage])
        again = parse(text)
        function = evaluate(again, {})
        assert callable(function)
        value = function(*[as_value(x) for x in arguments])
        assert (value.items if isinstance(value, ArrayValue) else value) == pytest.approx(
            expected, rel=1e-12, abs=1e-12
        )


def test_mutual_recursion_and_what_is_around():
    text = """
letrec even (n : Int) : Bool = if n == 0 then true else odd (n - 1)
and odd (n : Int) : Bool = n <> 0 && even (n - 1)
in
fun (x : Float) (n : Int) ->
  let y = x * x in
  letrec total (k : Int) : Float = if k == 0 then 0 else y + total (k - 1) in
  if even n then total n else -(total n)
"""
    function = evaluate(parse(text), {})
    assert callable(function)
    assert [function(1.5, n) for n in (2, 3)] == [4.5, -6.75]


MISTAKES = {
    "letrec f x : Float = x in f 1.0": "x needs a type: f may call itself",
    "letrec f (x : Float) : Float = f x in f true": "f wants a Float, not a Bool",
    "letrec f (x : Float) : Float = f x in f 1.0 2.0": "2 arguments for <f : Float -> Float>",
    "letrec f (x : Float) : Int = x in f 1.0": "an Int is wanted here, not a Float",
    "letrec f (v : Array<Float>) : Array<Float> = f v in length (f w)": "f gives an array of a size that is known nowhere",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes(text: str):
    with pytest.raises(TextError) as error:
        parse(text, {"w": F64, "n": INT})
    assert MISTAKES[text] in str(error.value)
