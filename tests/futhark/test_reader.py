"""The reader refuses what Futhark refuses: grammar, names, types, sizes, and arrays that are read after an update."""

from __future__ import annotations

import numpy as np
import pytest
from lark import UnexpectedInput

from tests.futhark.harness import Read
from tests.futhark.reader.types import FutharkError

MISTAKES = {
    "a name": ("entry f (x: f64): f64 = y", "y is not bound"),
    "a reserved name": ("entry f (val: f64): f64 = val", "val is reserved"),
    "two types": ("entry f (x: f64) (i: i64): f64 = x + i", r"the right operand of \+: i64 where f64"),
    "widths": ("entry f (x: f64) (y: f32): f64 = x * y", "f32 where f64"),
    "an integer for a number": ("entry f (x: f64): f64 = x + 1", "i64 where f64"),
    "a condition": ("entry f (x: f64): f64 = if x then x else x", "a condition: f64 where bool"),
    "an index": ("entry f [n] (v: [n]f64) (x: f64): f64 = v[x]", "an index: f64 where i64"),
    "an application": ("entry f [n] (v: [n]f64): f64 = v [0]", "v is not a function"),
    "rank": ("entry f [n] (v: [n]f64): f64 = v[0, 0]", "a f64 is indexed"),
    "a sum": ("entry f [n] (v: [n]i64): f64 = f64.sum v", "i64 where f64"),
    "sizes": (
        "entry f [n] [m] (v: [n]f64) (w: [m]f64): [n]f64 = map2 (+) v w",
        r"map2 over \[n\]f64 and \[m\]f64",
    ),
    "a size of the result": ("entry f [n] (v: [n]f64) (k: i64): [n]f64 = tabulate k (\\i -> v[i])", "the result of f"),
    "a size of no parameter": ("entry f [n] (x: f64): f64 = x", "are those of no parameter"),
    "rows that differ": (
        "entry f (n: i64): [][]f64 = tabulate n (\\i -> tabulate i (\\j -> 0.0f64))",
        "a size that depends on its argument",
    ),
    "a let of a size in a row": (
        "entry f (n: i64): [][]f64 = tabulate n (\\i -> let k = i + 1 in replicate k 0.0f64)",
        "a size that depends on its argument",
    ),
    "the state of a loop": (
        "entry f [n] (v: [n]f64) (k: i64): [n]f64 = loop s = v for i < k do replicate k 0.0f64",
        "the state of a loop after a step",
    ),
    "used after an update": (
        "entry f (n: i64): f64 = let a = replicate n 0.0f64 let b = a with [0] = 1.0f64 in a[0] + b[0]",
        "a is used after it was consumed",
    ),
    "another name for it": (
        "entry f (n: i64): f64 =\n"
        "let a = replicate n (replicate n 0.0f64) let r = a[0]\n"
        "let b = a with [0, 0] = 1.0f64 in r[0] + b[0, 0]",
        "r is used after it was consumed",
    ),
    "an update of a parameter": (
        "entry f [n] (v: [n]f64): [n]f64 = loop s = v for i < n do s with [i] = 0.0f64",
        "v is consumed",
    ),
    "an update in a function": (
        "entry f (n: i64): [][]f64 = let a = replicate n 0.0f64 in tabulate n (\\i -> a with [i] = 1.0f64)",
        "a is consumed",
    ),
    "an update in one branch": (
        "entry f (n: i64): f64 = let a = replicate n 0.0f64\n"
        "let b = if n < 3 then a with [0] = 1.0f64 else replicate n 0.0f64 in a[0] + b[0]",
        "a is used after it was consumed",
    ),
    "the next state is of outside": (
        "entry f [n] (v: [n]f64): [n]f64 =\nloop s = copy v for i < n do if i < 3 then s with [i] = 0.0f64 else v",
        "gives",
    ),
    "too many arguments": ("def g (x: f64): f64 = x\nentry f (x: f64): f64 = g x x", "2 arguments"),
    "defined later": ("entry f (x: f64): f64 = g x\ndef g (x: f64): f64 = x", "g is not bound"),
    "unknown": ("entry f (x: f64): f64 = f64.expm1 x", "f64.expm1 is not known"),
    "a component": ("entry f (x: f64): f64 = ((x, x)).2", "component 2 of a"),
    "i32": ("entry f (x: f64): f64 = let k = 3 in x", "gives i32"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_refused(name: str) -> None:
    text, message = MISTAKES[name]
    with pytest.raises(FutharkError, match=message):
        Read(text)


@pytest.mark.parametrize(
    "text",
    [
        "entry f (x: f64): f64 = x +",
        "entry f (x: f64): f64 = let y = x",
        "entry f (x: f64): f64 = 0 < x < 1",
        "entry f (x: f64) = x",
    ],
)
def test_what_is_not_in_the_grammar_is_refused(text: str) -> None:
    with pytest.raises(UnexpectedInput):
        Read(text)


RIGHT = {
    "precedence": ("entry f (x: f64): f64 = -x ** 2.0f64 + 2.0f64 * x / 4.0f64 - 1.0f64", [3.0], 9.5),
    "application binds": ("entry f (x: f64): f64 = f64.sqrt x * 2.0f64", [9.0], 6.0),
    "an element, not an application": ("entry f [n] (v: [n]f64): f64 = f64.abs v[0]", [np.array([-2.0])], 2.0),
    "floors": ("entry f (a: i64): i64 = a / 2 * 10 + a % 2", [np.int64(-3)], -19),
    "a scatter": (
        "entry f [n] (v: [n]f64): f64 =\n"
        "let h = reduce_by_index (replicate 2 0.0f64) (+) 0.0f64 (tabulate n (\\i -> i % 2 - 1)) v in h[0]",
        [np.array([1.0, 2.0, 4.0, 8.0])],
        10.0,
    ),
    "updates in a loop": (
        "entry f (n: i64): i64 = (loop a = replicate n 1i64 for i < n - 1 do a with [i + 1] = a[i] * 2)[n - 1]",
        [np.int64(5)],
        16,
    ),
    "in 32 bits": ("entry f (x: f32): f32 = x + 1.0f32", [np.float32(1e8)], 1e8),
}


@pytest.mark.parametrize("name", RIGHT)
def test_values(name: str) -> None:
    text, arguments, wanted = RIGHT[name]
    assert Read(text).run(arguments) == [wanted]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("entry f [n] (v: [n]f64): f64 = #[unsafe] v[3]", "index 3 of 1"),
        ("entry f [n] (v: [n]f64): f64 = v[-1]", "index -1 of 1"),
        ("entry f [n] (v: [n]f64): f64 = assert (2 < n) v[0]", "an assertion failed"),
        ("entry f [n] (v: [n]f64): f64 = (v :> [2]f64)[0]", "an array of 1 where 2"),
        ("entry f (v: [2]f64): f64 = v[0]", "an array of 1 where 2"),
        ("entry f [n] (v: [n]f64): i64 = 1 / (n - 1)", "division by zero"),
    ],
)
def test_failures(text: str, message: str) -> None:
    with pytest.raises(FutharkError, match=message):
        Read(text).run([np.ones(1)])
