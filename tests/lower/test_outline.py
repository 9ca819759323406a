"""Statements in functions of their own: the same values as the interpreter's wherever a program is cut, in one text or in several."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs
from fsmooth import thresholds
from fsmooth.backend.c.emit import emit
from fsmooth.core.term import Lam
from fsmooth.loops import tree as t
from fsmooth.loops.continuations import machines
from fsmooth.loops.evaluate import evaluate
from fsmooth.loops.passes.schedule import ALL, PLAIN, Passes, with_threads
from fsmooth.loops.usage import walk
from fsmooth.lower.functions import lower
from fsmooth.optimise.schedule import Schedule
from fsmooth.optimise.schedules import DEFAULT, NONE
from tests.accuracy.cases import cases
from tests.accuracy.judge import bounded, disagreement, flat
from tests.lower.harness import COMPILER, FAST, STRICT, Compiled, compile_all
from tests.lower.random_folds import Generator, Nested, Whiles
from tests.lower.strip_programs import STRIP_PROGRAMS
from tests.recursion.test_random import cases as recursive_cases
from tests.recursion.test_random import check_compiled, deeper
from tests.tape.programs import GRADIENTS
from tests.tape.test_random import check_compiled as check_taped

BATCH = 25
TOLERANCE = 1e-12


pytestmark = pytest.mark.usefixtures("deep")


@pytest.fixture(params=[1, 6])
def cut(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs are cut after so many statements."""
    monkeypatch.setattr(thresholds, "OUTLINED", request.param)
    for name in ("OUTLINED_FROM", "OUTLINED_STRAIGHT", "OUTLINED_LEAST"):
        monkeypatch.setattr(thresholds, name, 0)


def is_cut(function: t.Function) -> bool:
    return any([isinstance(s, t.Outlined) for s in walk(function.body)])


def outlined(kernel: Compiled) -> int:
    return len(kernel.program.outlined)


@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize(
    ("flags", "passes"),
    [(STRICT, PLAIN), (FAST, ALL), (STRICT, with_threads(ALL, 0))],
    ids=["strict", "fast", "threads"],
)
@pytest.mark.parametrize("first", [150_000])
def test_random_programs_cut(first: int, flags: tuple[str, ...], passes: Passes) -> None:
    batch = list(cases(first, BATCH))
    terms = [DEFAULT(term) for case in batch for term in (case.program, case.gradient)]
    kernels = compile_all(terms, flags, lambda term, name: lower(term, name, passes=passes))
    assert len([kernel for kernel in kernels if outlined(kernel)]) > BATCH
    for k, case in enumerate(batch):
        for kernel, expected in ((kernels[2 * k], case.value), (kernels[2 * k + 1], case.slopes)):
            wrong = disagreement(kernel(*case.arguments), expected, TOLERANCE)
            assert not wrong, f"seed {case.seed}: {wrong}"


@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize(("generator", "start"), [(Generator, 7000), (Nested, 7000), (Whiles, 7000)])
def test_random_folds_cut(generator: type[Generator], start: int) -> None:
    """Loops that change numbers, exchange pointers and stop early."""
    terms = [generator(start + k).function() for k in range(30)]
    for optimised, passes in ((False, PLAIN), (True, ALL)):
        chosen = [DEFAULT(term) if optimised else term for term in terms]
        kernels = compile_all(chosen, STRICT, lambda term, name, passes=passes: lower(term, name, passes=passes))
        assert any(outlined(kernel) for kernel in kernels)
        for term, kernel in zip(terms, kernels, strict=True):
            for n in (3, 70):
                given = np.cos(np.arange(n) + 0.5), np.sin(3.0 * np.arange(n)), 2
                expected = bounded(term, list(given))
                assert not expected.is_sure or not disagreement(kernel(*given), expected, TOLERANCE)


@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize("name", STRIP_PROGRAMS)
def test_strips_cut(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    term, arguments = STRIP_PROGRAMS[name]
    apart = compile_all([DEFAULT(term)], FAST)[0]
    monkeypatch.setattr(thresholds, "OUTLINED_FROM", 1_000_000)
    plain = compile_all([DEFAULT(term)], FAST)[0]
    assert outlined(apart)
    assert not outlined(plain)
    for given in arguments:
        for one, wanted in zip(flat(apart(*given)), flat(plain(*given)), strict=True):
            np.testing.assert_allclose(one, wanted, rtol=1e-11, atol=1e-12)


@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize("schedule", [NONE, DEFAULT], ids=["plain", "optimised"])
def test_what_calls_itself_cut(schedule: Schedule) -> None:
    """Functions that call one another, and what calls them: their calls and their frames stay where they are."""
    batch = list(recursive_cases(45_000, 10))
    cut: list[bool] = []

    def lowering(term: Lam, name: str) -> t.Program:
        program = lower(term, name)
        cut.append(any([is_cut(f) for f in program.definitions]))
        return program

    check_compiled(batch, STRICT, schedule, lowering)
    assert sum(cut) > 5


@pytest.mark.usefixtures("cut")
def test_what_runs_on_records_cut() -> None:
    """What lives across a call is saved in the record, also where outlined functions change it."""
    cut: list[bool] = []

    def lowering(term: Lam, name: str) -> t.Program:
        program = deeper(term, name)
        cut.extend([is_cut(f) for group in machines(program.definitions) for f in group])
        return program

    check_compiled(list(recursive_cases(46_000, 16)), STRICT, lowering=lowering)
    assert sum(cut) > 5


@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize("schedule", [NONE, DEFAULT], ids=["plain", "optimised"])
def test_tapes_cut(schedule: Schedule) -> None:
    """What writes to a tape stays where it is."""
    check_taped(list(cases(283_000, 10)), STRICT, schedule)
    check_taped(list(recursive_cases(47_000, 10)), STRICT, schedule)


@pytest.mark.usefixtures("cut")
@pytest.mark.parametrize("method", ["forward", "reverse"])
def test_names_that_two_loops_have(method: str) -> None:
    """What checks a loop has copies of its statements: their names are not those of what functions share."""
    matrix, v = np.array([[1.0, 2.0, -1.0], [0.5, -0.25, 3.0], [2.0, 1.0, 4.0]]), np.array([0.5, -1.5, 2.0])
    gradient = fs.grad(lambda m, v: sum(np.linalg.solve(m, v)), wrt=(0, 1), method=method)
    by_matrix, by_vector = gradient(matrix, v)
    np.testing.assert_allclose(by_vector, np.linalg.solve(matrix.T, np.ones(3)), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(by_matrix, -np.outer(by_vector, np.linalg.solve(matrix, v)), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("name", "method"),
    [(name, ("forward", "reverse", "tape")[k % 3]) for k, name in enumerate(GRADIENTS) if name != "record"],
)
def test_programs_of_users_cut(name: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all that they have of the library."""
    program, arguments = GRADIENTS[name]
    wrt = tuple(range(len(arguments)))
    whole = fs.value_and_grad(program, wrt=wrt, method="reverse")(*arguments)
    monkeypatch.setattr(thresholds, "OUTLINED", 4)
    for threshold in ("OUTLINED_FROM", "OUTLINED_STRAIGHT", "OUTLINED_LEAST"):
        monkeypatch.setattr(thresholds, threshold, 0)
    with tempfile.TemporaryDirectory() as folder:  # what is in the cache was made whole
        monkeypatch.setenv("FSMOOTH_CACHE_DIR", folder)
        made = fs.value_and_grad(program, wrt=wrt, method=method)
        assert "FS_OUTLINED_APART" in made.c_source(*arguments)
        for one, wanted in zip(flat(made(*arguments)), flat(whole), strict=True):
            np.testing.assert_allclose(one, wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.usefixtures("cut")
def test_units_beside_the_program(tmp_path: Path) -> None:
    """Each function as a translation unit, without warnings, and linked."""
    for k, case in enumerate(cases(155_000, 4)):
        program = emit(lower(DEFAULT(case.gradient), f"program_{k}"))
        apart = "#define FS_OUTLINED_APART\n"
        for number, text in enumerate([apart + program.source, *program.outlined]):
            (tmp_path / f"{k}_{number}.c").write_text(text)
        library = tmp_path / f"{k}.so"
        files = [str(file) for file in sorted(tmp_path.glob(f"{k}_*.c"))]
        # helpers that only the others use are in the program's own text too
        flags = [*STRICT, "-Wno-unused-function"]
        done = subprocess.run([*COMPILER, *flags, "-o", str(library), *files, "-lm"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:4000]
        kernel = Compiled(program, ctypes.CDLL(str(library)))
        wrong = disagreement(kernel(*case.arguments), case.slopes, TOLERANCE)
        assert not wrong, f"seed {case.seed}: {wrong}"


def large(x):
    """Rows of sums, of which the last ones read what all before gave."""
    total = 0.0
    found = []
    for _ in fs.unroll(range(40)):
        a = np.sum(np.sin(x) * total)
        total = total + a * a + np.sum(np.cumsum(x * a))
        found.append(total)
    return np.array(found) * total


def test_large_programs_are_cut() -> None:
    """As the interpreter of loops has them too; a small one is not."""
    x = np.linspace(0.1, 0.3, 5)
    program = fs.function(large)
    kernel = program.compiled(x).loops.kernel
    parts = [s for s in walk(kernel.body) if isinstance(s, t.Outlined)]
    assert len(parts) > 1
    assert all(thresholds.OUTLINED_LEAST <= len(list(walk(s.body))) <= thresholds.OUTLINED for s in parts)
    result: list[float | None] = [None] * 40
    evaluate(kernel, {"x": list(x), "x_n0": 5, "result": result})
    np.testing.assert_allclose(program(x), result, rtol=1e-12)
    assert "FS_OUTLINED_APART" in program.c_source(x)
    assert "FS_OUTLINED" not in fs.function(lambda x: np.sum(np.sin(x))).c_source(x)


def branching(x, k):
    """Calls itself twice; its step is long."""
    if k < 1:
        return x[0] + k
    total = branching(x, k - 1) * branching(0.5 * x, k - 2)
    for _ in fs.unroll(range(60)):
        a = np.sum(np.sin(x) * total)
        total = 0.5 * total + a / (1.0 + a * a) + np.sum(np.cumsum(0.1 * x)) * 0.01
    return total


def long_steps(x, k):
    """Steps of a loop, each a straight line."""
    a, b = x[0], x[1]
    for _ in range(k):
        for _ in fs.unroll(range(300)):
            a, b = 0.5 * b + np.sin(a), a * np.cos(b)
    return a * b


@pytest.mark.parametrize(("program", "method"), [(branching, "forward"), (branching, "reverse"), (long_steps, "tape")])
def test_large_functions_that_are_called_and_large_tapes_are_cut(program: Callable, method: str) -> None:
    x = np.linspace(0.1, 0.3, 5)
    gradient = fs.grad(program, wrt="x", method=method)
    loops = gradient.compiled(x, 3).loops
    assert any([is_cut(f) for f in (loops.definitions if program is branching else [loops.kernel])])
    assert "statements outlined" in gradient.explain()
    step = 1e-6
    around = [(program(x + step * e, 3) - program(x - step * e, 3)) / (2.0 * step) for e in np.eye(len(x))]
    np.testing.assert_allclose(gradient(x, 3), around, rtol=1e-5, atol=1e-9)
