"""Lowering alone: the interpreter of loops agrees with that of terms, and reads only what was written."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from fsmooth.core.term import Lam
from fsmooth.core.types import Array, Tuple, Type, rank_of, unzipped
from fsmooth.loops import tree as t
from fsmooth.loops.evaluate import Failed, evaluate
from fsmooth.lower.functions import lower
from tests.lower.block_programs import BLOCK_PROGRAMS
from tests.lower.harness import agree, expected
from tests.lower.programs import PROGRAMS
from tests.lower.random_folds import Generator
from tests.lower.test_checks import CASES

ALL = {**PROGRAMS, **BLOCK_PROGRAMS}


def flat(given: object, type_: Type, out: list[object]) -> None:
    """The arguments of the C function, in order."""
    if isinstance(type_, Tuple):
        for x, item in zip(given, type_.items, strict=True):
            flat(x, item, out)
    elif isinstance(type_, Array):
        a = np.asarray(given)
        out.extend([a.ravel().tolist(), *a.shape])
    else:
        out.append(given)


def leaf_types(type_: Type) -> list[Type]:
    """The leaves of an unzipped type."""
    return [x for item in type_.items for x in leaf_types(item)] if isinstance(type_, Tuple) else [type_]


def run(
    term: Lam,
    *arguments: object,
    unwritten: float | None = None,
    changed: Callable[[t.Function], t.Function] = lambda f: f,
) -> list[np.ndarray]:
    """The results of the loops, `changed` before, one array for each leaf.  `unwritten`: see `evaluate`."""
    program = lower(term, "f")
    inputs: list[object] = []
    for given, p in zip(arguments, term.parameters, strict=True):
        flat(given, unzipped(p.type), inputs)
    leaves = leaf_types(unzipped(term.body.type))
    sizes: list[object] = [None] * sum([rank_of(x) for x in leaves])
    if program.shape is not None:
        names = [p.name for p in program.shape.parameters]
        evaluate(program.shape, dict(zip(names, [*inputs, sizes], strict=True)))
    pending = iter(sizes)
    shapes = [tuple([next(pending) for _ in range(rank_of(x))]) for x in leaves]
    outputs = [[unwritten] * int(np.prod(shape)) for shape in shapes]
    names = [p.name for p in program.kernel.parameters]
    evaluate(changed(program.kernel), dict(zip(names, [*inputs, *outputs], strict=True)), unwritten)
    return [np.array(o, dtype=float).reshape(shape) for o, shape in zip(outputs, shapes, strict=True)]


def leaves_of(value: object) -> list[object]:
    """A result's leaves."""
    return [x for item in value for x in leaves_of(item)] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize("name", [n for n in ALL if not n.startswith("prim_") and n != "single"])
def test_loops_agree_with_terms(name: str) -> None:
    term, cases = ALL[name]
    for arguments in cases:
        got = run(term, *arguments)
        for a, b in zip(got, leaves_of(expected(term, *arguments)), strict=True):
            agree(a, np.asarray(b, dtype=float))


@pytest.mark.parametrize("seed", range(20000, 20040))
def test_random_folds_in_checked_memory(seed: int) -> None:
    term = Generator(seed).function()
    v, w = np.cos(np.arange(3) + 0.5), np.sin(3.0 * np.arange(3))
    for a, b in zip(run(term, v, w, 2), leaves_of(expected(term, v, w, 2)), strict=True):
        agree(a, np.asarray(b, dtype=float), 1e-10)


@pytest.mark.parametrize(("g", "numbers"), [([0, 3, 9, -1], (9, 4)), ([-1, 3], (-1, 4))])
def test_checks_report_the_first(g: list[int], numbers: tuple[int, int]) -> None:
    with pytest.raises(Failed) as caught:
        run(CASES["gather"], np.arange(4.0), np.array(g))
    assert caught.value.numbers == numbers
