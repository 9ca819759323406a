"""Lowering and emission do work proportional to the size of the program."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable

import pytest

from fsmooth import thresholds
from fsmooth.backend.c.emit import emit
from fsmooth.core import primitives as p
from fsmooth.core.term import Build, Const, Get, If, Lam, Length, Let, Prim, Term, Var, Vector
from fsmooth.core.types import F64, INT, Array
from fsmooth.lower.functions import lower
from tests.calls import calls_of

FEW, MANY = 1_000, 8_000


def _chain(start: Var, count: int, branches: bool) -> tuple[tuple[tuple[Var, Term], ...], list[Var]]:
    """Scalars, each computed from two of the fifty before it."""
    choose = random.Random(1)
    variables, bindings = [start], []
    for _ in range(count):
        left, right = choose.choice(variables[-50:]), choose.choice(variables[-50:])
        value: Term = Prim(choose.choice([p.add, p.multiply, p.subtract]), (Prim(p.sin, (left,)), right))
        if branches:
            value = If(Prim(p.less, (left, Const(0.5))), value, right)
        variable = Var("t", F64)
        bindings.append((variable, value))
        variables.append(variable)
    return tuple(bindings), variables


def _work(term: Lam) -> int:
    """Of lowering and emission, in a thread with a deep stack as the driver has it."""
    found: list[int] = []

    limit, size = sys.getrecursionlimit(), threading.stack_size(256 * 2**20)
    sys.setrecursionlimit(1_000_000)
    try:
        thread = threading.Thread(target=lambda: found.append(calls_of(lambda: emit(lower(term, "f")))))
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    return found[0]


def _scalars(count: int) -> Lam:
    x = Var("x", F64)
    bindings, variables = _chain(x, count, branches=False)
    return Lam((x,), Let(bindings, variables[-1]))


def _branches_in_a_loop(count: int) -> Lam:
    v, i, x = Var("v", Array(F64)), Var("i", INT), Var("x", F64)
    bindings, variables = _chain(x, count, branches=True)
    row = Let(((x, Get(v, i)), *bindings), Vector(tuple(variables[-6:])))
    return Lam((v,), Build(Length(v), i, row))


@pytest.mark.parametrize("made", [_scalars, _branches_in_a_loop])
def test_a_long_scope(made: Callable[[int], Lam], monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with its statements in functions of their own, which short ones are not by themselves."""
    for name in ("OUTLINED_FROM", "OUTLINED_STRAIGHT"):
        monkeypatch.setattr(thresholds, name, 0)
    monkeypatch.setattr(thresholds, "OUTLINED_BELOW", 1_000_000)
    assert _work(made(MANY)) < 8.8 * _work(made(FEW))
