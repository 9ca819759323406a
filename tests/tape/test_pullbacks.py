"""`fs.vjp` by a tape: the pullback keeps the tape, which ends with it."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs
from tests.recursion.programs import PROGRAMS, REAL
from tests.tape.programs import ARRAYS, GRADIENTS, M, V, product_of_sines
from tests.tape.test_programs import agree


def like(value: object) -> object:
    """A cotangent for a value."""
    if isinstance(value, tuple | list):
        return type(value)([like(part) for part in value])
    return np.cos(1.0 + np.arange(np.size(value), dtype=float)).reshape(np.shape(value)) if np.shape(value) else 0.7


@pytest.mark.parametrize("name", [*ARRAYS, *[name for name in GRADIENTS if name != "record"]])
def test_it_agrees(name: str) -> None:
    f, arguments = {**ARRAYS, **GRADIENTS}[name]
    wrt = tuple(range(len(arguments)))
    value, pullback = fs.vjp(f, wrt=wrt, method="tape")(*arguments)
    wanted, other = fs.vjp(f, wrt=wrt, method="reverse")(*arguments)
    agree(value, wanted)
    for _ in range(2):
        agree(pullback(like(value)), other(like(value)), 1e-9)


@pytest.mark.parametrize("f", REAL, ids=lambda f: f.__name__)
def test_recursion(f) -> None:  # type: ignore[no-untyped-def]
    value, pullback = fs.vjp(f, method="tape")(*PROGRAMS[f])
    _, other = fs.vjp(f, method="reverse")(*PROGRAMS[f])
    agree(pullback(like(value)), other(like(value)))


@pytest.mark.parametrize("schedule", ["NONE", "LF", "REAL"])
def test_schedules(schedule: str) -> None:
    f, arguments = ARRAYS["matrix times vector"]
    value, pullback = fs.vjp(f, wrt=(0, 1), method="tape", schedule=schedule)(*arguments)
    _, other = fs.vjp(f, wrt=(0, 1), method="reverse")(*arguments)
    agree(pullback(like(value)), other(like(value)))


def test_what_the_caller_changes_does_not_matter() -> None:
    v = V.copy()
    value, pullback = fs.vjp(lambda v: v * v * v[0], method="tape")(v)
    before = pullback(np.ones(3))
    v[:] = 100.0
    assert np.array_equal(pullback(np.ones(3)), before)
    del value


def test_inside_a_program() -> None:
    def f(v):
        value, pullback = fs.vjp(lambda v: fs.outer(v, v) * v[0], method="tape")(v)
        return pullback(value)

    def g(v):
        value, pullback = fs.vjp(lambda v: fs.outer(v, v) * v[0])(v)
        return pullback(value)

    agree(fs.function(f)(V), fs.function(g)(V))


def test_copies_share_the_tape_and_it_ends_once() -> None:
    _, pullback = fs.vjp(product_of_sines, method="tape")(V)
    before = pullback(1.0)
    others = [copy.copy(pullback), copy.deepcopy(pullback.__dict__["_tape"])]
    with pytest.raises(TypeError):
        pickle.dumps(others[1])
    del pullback
    gc.collect()
    fs.vjp(product_of_sines, method="tape")(2.0 * V)  # would take the memory
    assert np.array_equal(others[0](1.0), before)


def test_how_much_it_keeps() -> None:
    _, pullback = fs.vjp(product_of_sines, method="tape")(np.ones(1000))
    kept = int(repr(pullback).split("keeps ")[1].split(" ")[0])
    assert 28 * 1000 < kept < 50 * 1000


def test_threads() -> None:
    pull = fs.vjp(product_of_sines, method="tape")
    pullbacks = [pull(np.linspace(0.0, 1.0, 1000 + 100 * k))[1] for k in range(4)]
    wanted = [back(1.0) for back in pullbacks]
    with ThreadPoolExecutor(8) as pool:
        for k, found in enumerate(pool.map(lambda k: pullbacks[k % 4](1.0), range(200))):
            assert np.array_equal(found, wanted[k % 4])


PROGRAM = """
import numpy as np, fsmooth as fs
value, pullback = fs.vjp(lambda v: v * v[0], method="tape")(np.array([2.0, 3.0]))
print(pullback(np.ones(2)))
"""


def test_a_later_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path / "cache"))
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    for _ in range(2):
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
        assert done.stdout == "[7. 2.]\n"


def test_files(tmp_path: Path) -> None:
    pull = fs.vjp(lambda a: a @ a, method="tape")
    pull.save(tmp_path / "square", M)
    header = (tmp_path / "square.h").read_text()
    assert "_free_tape(int64_t tape);" in header
    assert "vjp: tape, as asked" in pull.explain()
