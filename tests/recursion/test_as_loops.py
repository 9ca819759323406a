"""Linear recursion as loops: what is added or multiplied is accumulated, and counters say how often."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.term import IFold, While
from fsmooth.core.traverse import subterms
from fsmooth.optimise.calls.loops import calls_as_loops

X = 1.25


def product(x, n):
    return 1.0 if n == 0 else x * product(x, n - 1)


def added_on_both_sides(x, n):
    if n < 1:
        return x
    y = np.sin(n * x)
    return y + (added_on_both_sides(x, n - 1) + n) - x * x


def by_branches(x, n):
    if n > 3:
        return by_branches(0.5 * x, n - 1)
    return x if n <= 0 else by_branches(x + 1.0, n - 1) + x * n


def carried(x, n):
    return x if n == 0 else carried(x * x - 0.5, n - 1) * x


def added_and_multiplied(x, n):
    if n == 0:
        return x
    return x + added_and_multiplied(x, n - 1) if n > 3 else x * added_and_multiplied(x, n - 1)


def affine(x, n):
    return x if n == 0 else 1.0 + x * affine(x, n - 1)


def subtracted_from(x, n):
    return x if n == 0 else 1.0 - subtracted_from(x, n - 1)


def squared(x, n):
    return 0.5 if n == 0 else x + squared(x, n - 1) * squared_again(n)


def squared_again(n):
    return 1.0 / (n + 1.0)


def adding(x, n):
    return x if n == 0 else x * n + multiplying(x, n - 1)


def multiplying(x, n):
    return x * x if n == 0 else 1.0 + adding(x, n - 1)


def by_value(x, n):
    found = x if n == 0 else by_value(x, n - 1) if n % 2 == 0 else by_value(0.5 * x, n - 1) + x
    y = np.sin(x) * n
    return found + y


def in_operands(x, n):
    return np.cos(x * (1.0 if n == 0 else 2.0 + in_operands(x, n - 1) * (x if n > 2 else 0.5)))


ACCUMULATED = (product, added_on_both_sides, by_branches, carried, adding, by_value)
OTHERS = (added_and_multiplied, affine, subtracted_from, squared, in_operands)


def loops_of(program: Callable[..., object]) -> list[type]:
    compiled = fs.function(program)
    compiled(X, 5)
    term = compiled.stages.elaborated.term
    return [type(t) for t in subterms(calls_as_loops(term)(term)) if isinstance(t, IFold | While)]


def slope_of(program: Callable[..., float], x: float, n: int) -> float:
    step = 1e-6
    return (program(x + step, n) - program(x - step, n)) / (2.0 * step)


@pytest.mark.parametrize("program", ACCUMULATED + OTHERS)
@pytest.mark.parametrize("n", [0, 1, 6])
def test_values_and_derivatives(program, n):
    assert fs.function(program)(X, n) == pytest.approx(program(X, n), rel=1e-13)
    for method in ("forward", "reverse", "tape", "continuations"):
        found = fs.grad(program, wrt="x", method=method)(X, n)
        assert found == pytest.approx(slope_of(program, X, n), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("program", ACCUMULATED)
def test_what_is_added_is_accumulated(program):
    assert loops_of(program) == [While if program in (by_branches, adding) else IFold], (
        "one loop, and one comparison says how often"
    )


@pytest.mark.parametrize("program", OTHERS)
def test_what_else_becomes_of_the_values_needs_the_way_back(program):
    assert set(loops_of(program)) == {IFold}
    source = fs.function(program).compiled(X, 5).code.source
    assert "malloc" not in source, "a counter is not saved"


COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}
COUNTED = """
def f(x, n, end):
    return x if {condition} else 2.0 * n + f(x, n {step}, end)
"""
GO_ON = [
    (compare, step, turned)
    for compare, step, turned in itertools.product(COMPARISONS, ("+ 1", "- 1", "- 3"), (False, True))
    if compare != "!=" and not (turned and step == "- 3")
]


@pytest.mark.parametrize(("compare", "step", "turned"), GO_ON)
def test_how_often(tmp_path, compare, step, turned):
    """Each comparison with each step: as often as in Python, or an error where Python calls for ever."""
    condition = f"end {compare} n" if turned else f"n {compare} end"
    path = tmp_path / "counted.py"
    path.write_text(COUNTED.format(condition=condition, step=step))
    names: dict[str, Callable[..., float]] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    f = names["f"]
    compiled = fs.function(f)
    holds, change = COMPARISONS[compare], int(step.replace(" ", ""))
    reached = 0
    for n, end in itertools.product((-3, 0, 1, 4), (-2, 0, 3)):
        steps = [k for k in range(40) if holds(*((end, n + k * change) if turned else (n + k * change, end)))]
        if steps:
            reached += 1
            assert compiled(0.5, n, end) == f(0.5, n, end)
        elif abs(change) == 1:
            with pytest.raises(fs.RecursionDepthError, match="a function calls itself too often"):
                compiled(0.5, n, end)
    assert reached


def test_mutual_recursion_takes_no_stack():
    n = 1_000_000
    value, slope = fs.value_and_grad(adding, method="reverse")(0.5, n)
    even = float(sum(range(2, n + 1, 2)))
    assert value == pytest.approx(0.5 * even + n // 2 + 0.5, rel=1e-12)
    assert slope == pytest.approx(even + 1.0, rel=1e-12)


def test_many_branches_are_not_moved_out_of_one_another():
    """What follows would be written down once for each way through them."""

    def many(x, n):
        y = x if n == 0 else many(x, n - 1)
        y = y * x if n > 1 else y + 1.0 if n > 2 else y
        return np.sin(y) + (y if n > 3 else 2.0 * y)

    assert fs.function(many)(X, 5) == pytest.approx(many(X, 5), rel=1e-12)
    assert fs.grad(many)(X, 5) == pytest.approx(slope_of(many, X, 5), rel=1e-6)


def falling(x, n, end):
    return x if n <= end else 2.0 + falling(x, n - 1, end)


@pytest.mark.parametrize("n", [2**30, 2**59, 2**60])
def test_more_calls_than_there_may_be(n):
    """A distance that no integer holds is neither a small one nor none at all."""
    with pytest.raises(fs.RecursionDepthError, match="a function calls itself too often"):
        fs.function(lambda x, n: falling(x, 4 * n, -4 * n))(0.5, n)


@dataclass
class Cell:
    head: float
    tail: "Cell | None"


def squares(c: "Cell | None") -> float:
    return 0.0 if c is None else c.head * c.head + squares(c.tail)


def test_a_fold_of_a_list_takes_no_memory():
    cells = None
    for k in range(5):
        cells = Cell(k + 0.5, cells)
    fold = fs.function(squares)
    assert fold(cells) == pytest.approx(squares(cells), rel=1e-14)
    source = fold.compiled(cells).code.source
    body = source[source.index("int32_t squares(") :]
    assert body.count("while (") == 1
    assert "fs_take" not in body
