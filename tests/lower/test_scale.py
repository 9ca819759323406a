"""Lowering and emission take time proportional to the size of the program."""

from __future__ import annotations

import random
import sys
import threading
import time

from fsmooth.backend.c.emit import emit
from fsmooth.core import primitives as p
from fsmooth.core.term import Build, Const, Get, If, Lam, Length, Let, Prim, Term, Var, Vector
from fsmooth.core.types import F64, INT, Array
from fsmooth.lower.functions import lower

BINDINGS = 20_000
SECONDS = 10.0


def _chain(start: Var, branches: bool) -> tuple[tuple[tuple[Var, Term], ...], list[Var]]:
    """Scalars, each computed from two of the fifty before it."""
    choose = random.Random(1)
    variables, bindings = [start], []
    for _ in range(BINDINGS):
        left, right = choose.choice(variables[-50:]), choose.choice(variables[-50:])
        value: Term = Prim(choose.choice([p.add, p.multiply, p.subtract]), (Prim(p.sin, (left,)), right))
        if branches:
            value = If(Prim(p.less, (left, Const(0.5))), value, right)
        variable = Var("t", F64)
        bindings.append((variable, value))
        variables.append(variable)
    return tuple(bindings), variables


def _seconds(term: Lam) -> float:
    """Of lowering and emission, in a thread with a deep stack as the driver has it."""
    taken: list[float] = []

    def work() -> None:
        start = time.process_time()
        emit(lower(term, "f"))
        taken.append(time.process_time() - start)

    limit, size = sys.getrecursionlimit(), threading.stack_size(256 * 2**20)
    sys.setrecursionlimit(1_000_000)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    return taken[0]


def test_a_scope_of_scalars() -> None:
    x = Var("x", F64)
    bindings, variables = _chain(x, branches=False)
    assert _seconds(Lam((x,), Let(bindings, variables[-1]))) < SECONDS


def test_a_scope_of_branches_in_a_loop() -> None:
    v, i, x = Var("v", Array(F64)), Var("i", INT), Var("x", F64)
    bindings, variables = _chain(x, branches=True)
    row = Let(((x, Get(v, i)), *bindings), Vector(tuple(variables[-6:])))
    assert _seconds(Lam((v,), Build(Length(v), i, row))) < SECONDS
