"""`checkpoint=True`: the derivatives of loops are as without, they save about √n states, and run the loop once more."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Sequence
from functools import cache
from typing import cast

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core import primitives as p
from fsmooth.core.arithmetic.floats import Floats
from fsmooth.core.evaluate import evaluate
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import App, Deriv, IFold, Lam, Method, Verb
from fsmooth.core.traverse import subterms
from fsmooth.core.types import Type
from fsmooth.core.values import value_of
from fsmooth.errors import ArgumentError, ProgramError
from fsmooth.optimise.schedules import DEFAULT
from tests.accuracy.judge import outcome
from tests.frontend.python.test_programs import elaborated
from tests.reverse.checkpoint_programs import (
    CASES,
    after_fold,
    array,
    fold_in_branch,
    folds_in_folds,
    long_in_few,
    ragged_folds,
    scalar,
    several,
    trajectory,
    until,
)
from tests.reverse.routes import made, vector
from tests.strategies import FLOATS, random_program

COUNTS = (0, 1, 2, 7, 20, 100)
each_case = pytest.mark.parametrize(("f", "x"), CASES, ids=[f.__name__ for f, _ in CASES])


@cache
def derivative(f: Callable[..., object], dimensions: int, *, checkpoint: bool) -> Lam:
    """(value, gradient), as a term."""
    program = elaborated(f, 0.5 if dimensions == 0 else np.ones(3), 3).term
    parameters = tuple([x.renamed() for x in program.parameters])
    deriv = Deriv(program, (0,), Verb.VALUE_AND_GRAD, Method.REVERSE, True, checkpoint)
    return made(Lam(parameters, App(deriv, parameters)))


# -- the same derivatives ----------------------------------------------------------------------------------------------


@each_case
def test_compiled_as_without(f: Callable[..., object], x: object) -> None:
    plain = fs.value_and_grad(f, method="reverse")
    blocks = fs.value_and_grad(f, method="reverse", checkpoint=True)
    forward = fs.grad(f, method="forward")
    for n in COUNTS:
        expected = vector(plain(x, n))
        np.testing.assert_allclose(vector(blocks(x, n)), expected, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(vector(forward(x, n)), expected[1:], rtol=1e-9, atol=1e-12)


@each_case
def test_interpreted_as_without(f: Callable[..., object], x: object) -> None:
    for n in (-1, 0, 1, 2, 5, 7):
        plain, blocks = [Sines().run(derivative(f, np.ndim(x), checkpoint=c), x, n) for c in (False, True)]
        optimised = Sines().run(cast(Lam, DEFAULT(derivative(f, np.ndim(x), checkpoint=True))), x, n)
        np.testing.assert_allclose(blocks, plain, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(optimised, plain, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("seeds", [range(first, first + 10) for first in range(310_000, 310_040, 10)], ids=str)
def test_random_programs(seeds: range) -> None:
    for seed in seeds:
        program, arguments = random_program(seed)
        if isinstance(outcome(program, arguments), str):
            continue
        parameters = tuple([x.renamed() for x in program.parameters])
        results = []
        for checkpoint in (False, True):
            deriv = Deriv(program, FLOATS, Verb.VALUE_AND_GRAD, Method.REVERSE, False, checkpoint)
            results.append(Sines().run(made(Lam(parameters, App(deriv, parameters))), *arguments))
        np.testing.assert_allclose(results[1], results[0], rtol=1e-9, atol=1e-9, err_msg=f"seed {seed}")


def test_every_verb() -> None:
    for n in COUNTS[:5]:
        for verb in (fs.grad, fs.jacobian, fs.hessian):
            found, expected = [verb(scalar, method="reverse", checkpoint=c)(0.8, n) for c in (True, False)]
            np.testing.assert_allclose(found, expected, rtol=1e-9)
        found, expected = [
            fs.hvp(array, method="reverse", checkpoint=c)(np.array([0.4, 0.9]), n, tangent=np.array([1.0, 2.0]))
            for c in (True, False)
        ]
        np.testing.assert_allclose(found, expected, rtol=1e-9)
        value, pullback = fs.vjp(array, checkpoint=True)(np.array([0.4, 0.9]), n)
        np.testing.assert_allclose(value, fs.function(array)(np.array([0.4, 0.9]), n))
        for r in (1.0, -2.0):
            np.testing.assert_allclose(pullback(r), r * fs.grad(array)(np.array([0.4, 0.9]), n), rtol=1e-9)


def test_inside_a_program() -> None:
    def slope(x: float, n: int):
        return x * fs.grad(scalar, method="reverse", checkpoint=True)(x, n)

    expected = 0.8 * fs.grad(scalar, method="forward")(0.8, 20)
    assert fs.function(slope)(0.8, 20) == pytest.approx(expected, rel=1e-11)
    assert "blocks" in fs.function(slope).c_source(0.8, 20)


def test_cached_apart() -> None:
    """The two derivatives are two programs, in the cache too."""
    sources = [fs.grad(scalar, method="reverse", checkpoint=c).c_source(0.8, 20) for c in (False, True, False, True)]
    assert sources[0] == sources[2]
    assert sources[1] == sources[3]
    assert ["blocks" in source for source in sources[:2]] == [False, True]


def test_too_much_to_save() -> None:
    hint = "give it less at a time; long loops save less in reverse derivatives with checkpoint=True, and nothing with method='forward'"
    message = re.escape(f"there is not enough memory for the temporaries of this call\n  hint: {hint}")
    with pytest.raises(fs.OutOfMemoryError, match=message):
        fs.grad(scalar, method="reverse")(0.8, 2**61)


def test_checkpoint_is_yes_or_no() -> None:
    with pytest.raises(ArgumentError, match=re.escape("checkpoint=3\n  hint: use True or False")):
        fs.grad(scalar, checkpoint=3)  # type: ignore[arg-type]

    def inside(x: float):
        return fs.grad(scalar, checkpoint="yes")(x, 3)  # type: ignore[arg-type]

    with pytest.raises(ProgramError, match=r"checkpoint='yes'(.|\n)*use True or False"):
        fs.function(inside)(0.5)


# -- what they cost ----------------------------------------------------------------------------------------------------


class Sines(Floats):
    """Arithmetic that counts sines, the work of a step."""

    def __init__(self) -> None:
        self.sines = 0

    def apply(self, primitive: Primitive, arguments: Sequence[object], type_: Type) -> object:
        self.sines += primitive is p.sin
        return super().apply(primitive, arguments, type_)

    def run(self, program: Lam, *arguments: object) -> np.ndarray:
        """All numbers of the result."""
        values = [value_of(a, x.type) for a, x in zip(arguments, program.parameters, strict=True)]
        result = evaluate(program.body, dict(zip(program.parameters, values, strict=True)), self)
        return np.array(list(_numbers(result)), dtype=float)


def _numbers(value: object) -> list[object]:
    inside = value if isinstance(value, tuple) else getattr(value, "items", None)
    return [value] if inside is None else [x for part in inside for x in _numbers(part)]


@pytest.mark.parametrize("f", [scalar, several, folds_in_folds, long_in_few, after_fold, fold_in_branch, until])
@pytest.mark.parametrize("n", COUNTS)
def test_runs_once_more(f: Callable[..., object], n: int) -> None:
    """A step runs forward once, with checkpoints at most twice; besides, the steps of a `while` loop are counted first."""
    counts = []
    for program in (
        elaborated(f, 0.5, 3).term,
        derivative(f, 0, checkpoint=False),
        derivative(f, 0, checkpoint=True),
    ):
        arithmetic = Sines()
        arithmetic.run(program, 0.8, n)
        counts.append(arithmetic.sines)
    own, plain, blocks = counts
    assert plain == (2 * own if f is until else own)
    assert plain <= blocks <= plain + own


def test_blocks_of_few_steps_are_not_made() -> None:
    """A loop of a small number of steps known at compile time is reversed as without."""

    def few(x: float):
        s = x
        for _ in range(16):
            s = np.sin(s) * x
        return s

    assert fs.grad(few, method="reverse", checkpoint=True).c_source(0.5) == fs.grad(few, method="reverse").c_source(0.5)


def test_states_as_long_as_the_loop_are_not_copied() -> None:
    """√n copies of n numbers would be more than the n numbers that are saved of them."""
    folds = [t for t in subterms(derivative(trajectory, 0, checkpoint=True)) if isinstance(t, IFold)]
    assert len(folds) == 2
    assert "blocks" not in fs.grad(trajectory, method="reverse", checkpoint=True).c_source(0.5, 3)


def test_no_allocation_in_a_loop() -> None:
    """In the C each loop has its memory before it starts; but for loops of different lengths in the steps of another."""
    for f, x in CASES:
        if f is ragged_folds:
            continue
        source = fs.grad(f, method="reverse", checkpoint=True).c_source(x, 20)
        loops: list[str] = []
        for line in source[source.index("int32_t grad_") :].split("\n"):
            indent = line[: len(line) - len(line.lstrip())]
            if line.strip().startswith("for ("):
                loops.append(indent)
            elif loops and line == loops[-1] + "}":
                loops.pop()
            assert "fs_take" not in line or not loops, (f.__name__, line)
        assert not loops


PEAK = """
    import resource
    import numpy as np
    import fsmooth as fs

    def recurrence(x: float, n: int):
        s = x
        for i in range(n):
            s = np.sin(s) * x + 0.1 * s
        return s

    gradient = fs.grad(recurrence, method="reverse", checkpoint=CHECKPOINT)
    gradient(0.9, 100)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    gradient(0.9, 10_000_000)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize(("checkpoint", "megabytes"), [(False, 2 * 80), (True, 1)])
def test_peak_memory_of_ten_million_steps(checkpoint: bool, megabytes: int, tmp_path) -> None:
    """A step needs two numbers, the state and its sine; a block and the states at starts of blocks are three times √n."""
    file = tmp_path / "peak.py"
    file.write_text(textwrap.dedent(PEAK).replace("CHECKPOINT", str(checkpoint)))
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=True)
    assert int(done.stdout) * 1024 <= megabytes * 1.05 * 1e6


def test_the_verbs_of_the_paper_take_it_and_jvp_does_not() -> None:
    for verb in (fs.diff, fs.jacob, fs.mgrad):
        plain, blocks = [verb(scalar, method="reverse", checkpoint=c) for c in (False, True)]
        assert plain(0.8, 20) == pytest.approx(blocks(0.8, 20), rel=1e-14)
        assert plain.c_source() != blocks.c_source()
    for verb in (fs.vdiff, fs.mdiff):
        assert "checkpoint" in inspect.signature(verb).parameters
    with pytest.raises(TypeError, match="checkpoint"):
        fs.jvp(scalar, checkpoint=True)  # type: ignore[call-arg]

    def inside(x: float) -> float:
        return fs.jvp(lambda y: y * y, checkpoint=True)(x, tangent=1.0)[1]  # type: ignore[call-arg, no-any-return]

    with pytest.raises(fs.ArgumentMismatchError, match=r"fs\.jvp has no argument checkpoint in a program"):
        fs.function(inside)(1.0)
