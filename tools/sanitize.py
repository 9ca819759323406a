"""Run generated C under the address and undefined-behaviour sanitizers.

Random programs and their gradients, whole and cut into functions, every program that the tests of the Python front-end read
(updates, folds, filters, records, …) with its Jacobian and through the call shim, gradients of sensors in fields, functions that
call themselves, derivatives by a tape and by continuations, programs over trees, loops on threads, and products of matrices of
many sizes, are compiled with
`-fsanitize=address,undefined` and called; anything that a sanitizer finds ends the process.  The address sanitizer has to be
loaded before Python, so the script starts itself again with it, twice: each process runs a part of the programs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# gcc warns more with sanitizers, of what cannot happen too: of sizes below 0 where a loop over them does not run
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-stringop-overflow")
FLAGS = ("-std=gnu99", "-O1", "-g", *WARNINGS, "-fPIC", "-shared", "-fno-math-errno")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-sanitize=float-divide-by-zero")


def main() -> int:
    """Start again under the sanitizer, or run a part of the programs if this is the second start."""
    part = os.environ.get("FSMOOTH_SANITIZING")
    if part:
        os.environ.pop("LD_PRELOAD", None)  # the compiler is slow under it
        for programs in PARTS[part]:
            called = programs()
            print(f"{programs.__name__.replace('_', ' ')}: {called} calls under the sanitizers", flush=True)
        return 0
    library = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    with tempfile.TemporaryDirectory() as cache:
        environment = {
            **os.environ,
            "LD_PRELOAD": library.stdout.strip(),
            "ASAN_OPTIONS": "detect_leaks=0",
            "PYTHONPATH": str(ROOT),
            "FSMOOTH_CACHE_DIR": cache,
            "FSMOOTH_CC": "gcc",
            "FSMOOTH_CFLAGS": " ".join(["-O1", "-g", *SANITIZERS]),
        }
        command = [sys.executable, str(Path(__file__))]
        started = [subprocess.Popen(command, env={**environment, "FSMOOTH_SANITIZING": part}) for part in PARTS]
        return max([abs(process.wait()) for process in started])


def random_programs() -> int:
    """Each as it is, and its gradient, before and after optimisation."""
    return _random(50_000, 60)


def outlined_programs() -> int:
    """Others, cut after every few statements, each part a function of its own."""
    from fsmooth import thresholds

    before = {name: getattr(thresholds, name) for name in vars(thresholds) if name.startswith("OUTLINED")}
    for name in before:
        setattr(thresholds, name, 0)
    thresholds.OUTLINED, thresholds.OUTLINED_BELOW = 4, 1_000_000
    try:
        return _random(51_000, 20)
    finally:
        for name, value in before.items():
            setattr(thresholds, name, value)


def _random(seeds: int, count: int) -> int:
    from fsmooth.core.term import Lam, Verb
    from fsmooth.optimise.schedules import SCHEDULES
    from tests.accuracy.cases import differentiated
    from tests.lower.harness import Failed, compile_all
    from tests.strategies import FLOATS, random_program

    sys.setrecursionlimit(100_000)
    called = 0
    for first in range(0, count, 20):
        cases = []
        for seed in range(first, first + 20):
            program, arguments = random_program(seed + seeds)
            for term in (program, differentiated(program, FLOATS, Verb.VALUE_AND_GRAD)):
                for schedule in ("NONE", "DEFAULT"):
                    made = SCHEDULES[schedule](term)
                    assert isinstance(made, Lam)
                    cases.append((made, arguments))
        for kernel, (_, arguments) in zip(
            compile_all([c[0] for c in cases], (*FLAGS, *SANITIZERS)), cases, strict=True
        ):
            try:
                kernel(*arguments)
            except Failed:
                continue
            called += 1
    return called


def products() -> int:
    """Products of matrices, also by loops over elements, convolutions, the gradients of all, and updates that are gathered, of
    many sizes.
    """
    from itertools import product

    import numpy as np

    import fsmooth as fs
    from tests.lower.test_gathered_updates import SUMS, embedding, recurrence
    from tests.lower.test_multiplied import by_rows
    from tests.reverse.test_contractions import of_any_size
    from tests.reverse.test_matrix_products import squares

    called, rng = 0, np.random.default_rng(0)
    gradient = fs.grad(squares, wrt=("a", "b"), method="reverse")
    weights = fs.grad(recurrence, wrt=("w", "u", "b"), method="reverse")
    table = fs.grad(embedding, wrt="table", method="reverse")
    for dtype, m, k, n in product((np.float64, np.float32), (0, 1, 13, 40), (0, 1, 31, 260), (0, 5, 8, 33)):
        a, b = rng.normal(size=(m, k)).astype(dtype), rng.normal(size=(k, n)).astype(dtype)
        gradient(a, b)
        gradient(np.asfortranarray(a), b[:, ::-1])
        fs.function(by_rows)(a, b)
        weights(*[rng.normal(size=shape) for shape in ((m, n), (m, m), (m,), (k, n))])
        table(rng.integers(0, 3, k), *[rng.normal(size=shape) for shape in ((3, n), (m, n), (m, m))])
        called += 5
    for program, steps in product(SUMS, (0, 3, 33)):
        fs.function(program)(rng.normal(size=(steps, 5)), rng.normal(size=(steps, 7)))
        called += 1
    back = fs.grad(lambda w, x: np.sum(np.array(of_any_size(w, x)) ** 2), wrt=("w", "x"), method="reverse")
    for filters, channels, height, width, side in product((0, 1, 9), (0, 1, 10), (0, 3, 12), (1, 4, 19), (1, 2, 5)):
        w, x = rng.normal(size=(filters, channels, side, 2)), rng.normal(size=(channels, height, width))
        fs.function(of_any_size)(w, x)
        back(w, x)
        called += 2
    return called


def threads() -> int:
    """Loops in chunks, on threads of a pool."""
    import fsmooth as fs
    from fsmooth import thresholds
    from tests.api.test_threads import PROGRAMS
    from tests.lower.test_parallel import X, by_hand, histogram, overlapping, rows

    called = 0
    for name in ("CHUNK_WORK", "CHUNK_UNIT", "PRODUCT_WORK", "PRODUCT_UNIT", "COPIED_SUMS"):
        setattr(thresholds, name, 1)  # as many chunks as can be
    for verb, program, arguments in PROGRAMS:
        called += _called(verb(program, threads=3), arguments)
    for program, arguments in (
        (rows, (X[:3000].reshape(30, 100),)),
        (overlapping, (X[:500], X[:10])),
        (by_hand, (X[:500], 7)),
        (histogram, ((X[:500] > 0).astype(int), X[:500])),
    ):
        called += _called(fs.function(program, threads=3), arguments)
    return called


def python_programs() -> int:
    """Each as it is, and its Jacobian in the first argument where there is one."""
    import numpy as np
    from benchmarks.programs import project

    import fsmooth as fs
    from tests.frontend.python import more_programs, programs

    called = 0
    for function, arguments in (*programs.CASES, *more_programs.CASES):
        called += _called(fs.function(function), arguments)
        try:
            called += _called(fs.jacobian(function), arguments)
        except fs.ProgramError:  # the argument or the result has no derivative
            continue
    points = np.arange(60.0).reshape(20, 3) + 1.0
    for count in (0, 3, 8, 20):  # of points, eight of which make a block
        called += _called(fs.function(project), (np.arange(1.0, 12.0), points[:count]))
    return called


def sensors() -> int:
    """Gradients whose loops are kept to windows, also at the ends of arrays and beyond."""
    from tests.reverse.cone_programs import PROGRAMS
    from tests.reverse.test_cones import given, gradient

    called = 0
    for program in PROGRAMS:
        for size, steps in ((1, 2), (20, 0), (20, 3), (33, 40)):
            for k in (0, size // 2, size - 1):
                called += _called(gradient(program), given(program, size, steps, k, size - 1 - k))
    return called


def recursive_programs() -> int:
    """Each as it is, along a tangent and backwards where there is one; random ones; and one that calls itself too often."""
    import numpy as np

    import fsmooth as fs
    from fsmooth import driver
    from tests.recursion.programs import PROGRAMS, REAL, widened
    from tests.recursion.test_deep import total
    from tests.recursion.test_random import cases, kernels_of
    from tests.recursion.test_saved import PROGRAMS as TREES
    from tests.recursion.test_saved import SHAPES, made

    driver._RECORDS = 2.0**27  # recursion without end fills it, slowly here
    called = 0
    for program, arguments in PROGRAMS.items():
        called += _called(fs.function(program), arguments)
        if program in REAL:
            fs.jvp(program)(*arguments, tangent=arguments[0])
            value, pullback = fs.vjp(program, wrt=0)(*arguments)
            pullback(tuple(map(np.ones_like, value)) if isinstance(value, tuple) else np.ones_like(value))
            called += 2
    for over_trees in TREES:
        backwards = fs.value_and_grad(over_trees, wrt="value", method="reverse")
        along = fs.hvp(over_trees, wrt="value", method="reverse")
        for shape in SHAPES.values():
            for leaves in (1, 2, 9, 700):
                tree = made(shape, leaves)
                called += _called(backwards, tree.arguments)
                along(*tree.arguments, tangent=tree.value)
    batch = list(cases(9_000, 20))
    for case, both in zip(batch, kernels_of(batch, (*FLAGS, *SANITIZERS)), strict=True):
        for kernel in both[:2]:
            kernel(*case.arguments)
            called += 1
    fs.grad(total, method="reverse")(0.5, 200_000)
    try:
        fs.function(widened)(1.0, 10**9)
    except fs.RecursionDepthError:
        called += 1
    return called


def taped_programs() -> int:
    """Derivatives by tapes that grow, tapes in tapes, of what calls itself, and of random programs."""
    import numpy as np

    import fsmooth as fs
    from tests.recursion.programs import PROGRAMS, REAL
    from tests.tape.programs import ARRAYS, GRADIENTS, nested, product_of_sines

    called = 0
    for program in REAL:
        called += _called(fs.jacobian(program, method="tape"), PROGRAMS[program])
    for f, arguments in GRADIENTS.values():
        called += _called(fs.grad(f, wrt=tuple(range(len(arguments))), method="tape"), arguments)
    for f, arguments in ARRAYS.values():
        called += _called(fs.jacobian(f, method="tape"), arguments)
        value, pullback = fs.vjp(f, method="tape")(*arguments)
        pullback(value)
    called += _called(fs.grad(nested, method="tape"), (1.5, np.ones(3)))
    gradient = fs.grad(product_of_sines, method="tape")
    for size in (0, 1, 1000, 100_000):
        called += _called(gradient, (np.ones(size),))
    return called + _random_tapes()


def _random_tapes() -> int:
    from fsmooth.core.term import Lam
    from fsmooth.optimise.schedules import SCHEDULES
    from tests.lower.harness import Failed, compile_all
    from tests.strategies import random_program
    from tests.tape.programs import taped

    made = []
    for seed in range(20):
        program, arguments = random_program(seed + 60_000)
        for schedule in ("NONE", "DEFAULT"):
            term = SCHEDULES[schedule](taped(program))
            assert isinstance(term, Lam)
            made.append((term, arguments))
    called = 0
    for kernel, (_, arguments) in zip(compile_all([c[0] for c in made], (*FLAGS, *SANITIZERS)), made, strict=True):
        try:
            kernel(*arguments)
        except Failed:
            continue
        called += 1
    return called


def tree_programs() -> int:
    """Each as it is and its gradients both ways, of objects and of columns without a byte to spare; and random ones."""
    import inspect
    from pathlib import Path as Folder

    import fsmooth as fs
    from fsmooth.checking.structures import as_columns
    from tests.trees.objects import reals
    from tests.trees.programs import PROGRAMS, letters, of_weights, ragged, rose_product, tree_lstm, two_kinds
    from tests.trees.random_programs import case_at

    called = 0
    chosen = {
        program: PROGRAMS[program] for program in (letters, of_weights, ragged, rose_product, tree_lstm, two_kinds)
    }
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(4):
            case = case_at(seed, Folder(folder))
            chosen[case.program] = case.arguments
        for program, arguments in chosen.items():
            columns = [as_columns(a) for a in arguments]
            called += bool(fs.function(program)(*arguments) == fs.function(program)(*columns))
            for k in range(len(inspect.signature(program).parameters)):
                for method in ("forward", "reverse") if reals(arguments[k]) else ():
                    fs.grad(program, wrt=k, method=method)(*columns)
                    called += 1
    return called


def on_records() -> int:
    """Derivatives of what calls itself, by continuations: deep, with arrays across calls, and with little memory."""
    import fsmooth as fs
    from tests.continuations.programs import ON_TREES, balanced, comb, on_tree, product
    from tests.recursion.programs import PROGRAMS, REAL

    called = 0
    for program in REAL:
        called += _called(fs.jacobian(program, method="continuations"), PROGRAMS[program])
    for f, x in ON_TREES.items():
        for links in (comb(1), comb(300), balanced(6)):
            called += _called(fs.grad(f, wrt=(0, 1), method="continuations"), (x, *on_tree(links)))
    arguments = on_tree(comb(100_000))
    return called + _called(fs.grad(product, wrt="value", method="continuations"), (1.0, *arguments))


def random_on_records() -> int:
    """Gradients of random programs that call definitions."""
    from fsmooth.optimise.schedules import SCHEDULES
    from tests.continuations.test_random import by_continuations, optimised
    from tests.lower.harness import compile_all
    from tests.recursion.test_random import cases

    batch = list(cases(40_000, 15))
    terms = [optimised(by_continuations(c.program), SCHEDULES[s]) for s in ("NONE", "DEFAULT") for c in batch]
    kernels = compile_all(terms, (*FLAGS, *SANITIZERS))
    for kernel, case in zip(kernels, [*batch, *batch], strict=True):
        kernel(*case.arguments)
    return len(kernels)


def _called(program: Callable[..., object], arguments: Sequence[object]) -> bool:
    """Through ctypes, through the shim, and once more into the same memory."""
    result = program(*arguments)
    program(*arguments)
    program(*arguments, out=result)
    return True


PARTS = {
    "written": (python_programs, on_records, tree_programs, products),
    "others": (
        random_programs,
        outlined_programs,
        random_on_records,
        sensors,
        recursive_programs,
        taped_programs,
        threads,
    ),
}


if __name__ == "__main__":
    raise SystemExit(main())
