"""Folds whose steps record a state whole, by what becomes of the state: with few steps, and states of few numbers.

After optimisation, which knows that what is recorded has the length of a row.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from fsmooth.core.term import Lam
from fsmooth.library import parse
from fsmooth.optimise.schedules import DEFAULT

STEPS = (0, 1, 2, 3, 8)
WIDTHS = (0, 1, 3, 70)

_LONGER = "(build (length v + 1) (fun j -> 1.0), zero n (length v + 1))"
_STEP = "build (length v) (fun j -> v[j] + a.0[length v - 1 - j] * 0.5)"


def _fold(step: str, end: str = "(%s, update a.1 i a.0)", first: str = "(v, zero n (length v))") -> str:
    return f"fun (v: Vector) (n: Int) -> ifold (fun a i -> {end % step}) {first} n"


RECORDED = {
    "made of all of it": _fold(_STEP),
    "a name for what is next": _fold(_STEP, "let b = %s in (b, update a.1 i a.0)"),
    "names for the parts": _fold(_STEP, "let s = a.0 in let r = a.1 in let b = %s in (b, update r i s)"),
    "one number changes": _fold("update a.0 (length v) (2.0 * a.0[0])", first=_LONGER),
    "each number by itself": _fold("build (length v) (fun j -> 2.0 * a.0[j])"),
    "added to": _fold("plus a.0 v"),
    "a loop in a step": _fold("ifold (fun b k -> build (length v) (fun j -> b[j] + v[k] * a.0[j])) a.0 (length v)"),
    "a loop that changes numbers": _fold("ifold (fun b k -> update b k (b[k] + a.0[k])) a.0 (length v)"),
    "a sum in a step": _fold("sum (length v) (fun k -> build (length v) (fun j -> a.0[k] * v[j]))"),
    "a branch": _fold(f"(if modulo i 2 = 0 then {_STEP} else a.0)"),
    "another branch": _fold("(if modulo i 2 = 0 then update a.0 0 1.5 else plus a.0 a.0)", first=_LONGER),
    "recorded twice": _fold(
        _STEP, "(%s, update a.1 i a.0, update a.2 i a.0)", "(v, zero n (length v), zero n (length v))"
    ),
    "a row is kept too": _fold(
        _STEP, "let b = %s in (b, update a.1 i a.0, update a.2 i b)", "(v, zero n (length v), zero n (length v))"
    ),
    "two states": _fold(
        _STEP,
        "(a.1, %s, update a.2 i a.0, update a.3 i a.1)",
        "(v, build (length v) (fun j -> 1.0 * j), zero n (length v), zero n (length v))",
    ),
    "one state of two": _fold(
        "build (length v) (fun j -> a.0.0[j] + a.0.1)",
        "((%s, a.0.1 * 0.5), update a.1 i a.0.0)",
        "((v, 1.0), zero n (length v))",
    ),
    "in rows that are not zero": _fold(_STEP, first="(v, build n (fun k -> build (length v) (fun j -> 1.0 * j)))"),
    "in rows that are looked up": _fold(
        _STEP, first="(v, build n (fun k -> build (length v) (fun j -> v[length v - 1 - j])))"
    ),
    "in the first rows": f"""
        fun (v: Vector) (n: Int) ->
          let m = minimum n 3 in ifold (fun a i -> ({_STEP}, update a.1 i a.0)) (v, zero n (length v)) m""",
    "a table": """
        fun (v: Vector) (n: Int) -> ifold (fun a i ->
            (build (length v) (fun j -> build 3 (fun k -> a.0[length v - 1 - j][2 - k] + v[j])), update a.1 i a.0))
          (build (length v) (fun j -> build 3 (fun k -> v[j] * k)), zero n (length v) 3) n""",
    "inside a loop": """
        fun (v: Vector) (n: Int) -> ifold (fun a k ->
            let t = ifold (fun b i -> (build (length v) (fun j -> b.0[length v - 1 - j] + v[j]), update b.1 i b.0))
                      (a.0, zero n (length v)) n in
            (t.0, update a.1 k t.1)) (v, zero 3 n (length v)) 3""",
    "only the rows are wanted": f"""
        fun (v: Vector) (n: Int) -> let t = ifold (fun a i -> ({_STEP}, update a.1 i a.0)) (v, zero n (length v)) n in t.1""",
}
"""Each step makes the next state in the row after the one that the state is in."""


ELSEWHERE = {
    "rows of another length": _fold(_STEP, first="(v, zero n (length v + 1))"),
    "fewer rows than steps may be": _fold(
        _STEP, "if i < 3 then (%s, update a.1 i a.0) else a", "(v, zero 3 (length v))"
    ),
    "recorded in another row": _fold(_STEP, "(%s, update a.1 (n - 1 - i) a.0)"),
    "the rows are read": _fold("build (length v) (fun j -> a.0[j] + a.1[n - 1][j])"),
    "a part of the state is recorded": _fold(_STEP, "(%s, update a.1 i (build (length v) (fun j -> a.0[j] + 1.0)))"),
}
"""These do not."""
FAILING = ("rows of another length", "fewer rows than steps may be", "the rows are read")


def _cases() -> list[tuple[object, ...]]:
    return [(np.cos(np.arange(width) * 1.3), steps) for width in WIDTHS for steps in STEPS]


RECORDED_PROGRAMS: dict[str, tuple[Lam, list[tuple[object, ...]]]] = {
    name: (cast(Lam, DEFAULT(parse(text))), _cases() if name not in FAILING else [])
    for name, text in {**RECORDED, **ELSEWHERE}.items()
}
