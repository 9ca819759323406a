"""All rows in this process: `python -m benchmarks.arrays.measure [--quick]` prints JSON on its last line.

The programs of both forms are timed at their C entries with buffers made before, linear algebra and calls through Python.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import fsmooth as fs
from benchmarks import own
from benchmarks.arrays.calls import Case, calls
from benchmarks.arrays.matrices import Factorisation, factorisations
from benchmarks.arrays.programs import Form, forms, weighted
from benchmarks.flat import arrays_of
from benchmarks.reference import Kernel, Reference
from benchmarks.timing import alternated, fastest
from fsmooth.driver import Stages
from fsmooth.loops import tree
from fsmooth.loops.usage import walk

TOLERANCE = 1e-8
Length = tuple[int, float]
"""How many runs, and about how many seconds one takes."""
RUNS: Length = (101, 0.0005)
"""Many and short ones: few of them are interrupted, so that medians stay."""
ALL = (1000, 100, 300), (3, 8, 32, 64, 128, 256), RUNS
QUICK = (100, 20, 30), (3, 32), (5, 0.0005)
LINE, PLACES = 64, 100
"""Bytes of a line of the cache, and how many results are made to find two that lie alike."""
MOST = 5.0
"""About the seconds that all runs of a row take, where a call takes long."""
Row = dict[str, Any]


def of_form(form: Form, length: Length, reference: Reference) -> Iterator[Row]:
    """A row for the value and one for the gradient: the seconds of both forms and the arrays that their C stores."""
    values = {"whole": fs.function(form.whole), "spelled": fs.function(form.spelled)}
    yield _compared(form.name, "value", values, form.arguments, length, reference)
    given, wrt = form.arguments, form.wrt
    sums = {"whole": form.whole, "spelled": form.spelled}
    if form.weights is not None:
        given, wrt = (form.weights, *given), tuple([k + 1 for k in wrt])
        sums = {name: weighted(f, len(form.arguments)) for name, f in sums.items()}
    gradients = {name: fs.grad(f, wrt=wrt) for name, f in sums.items()}
    yield _compared(form.name, "gradient", gradients, given, length, reference)


def _compared(
    name: str,
    verb: str,
    functions: Mapping[str, fs.Function],
    arguments: tuple[Any, ...],
    length: Length,
    reference: Reference,
) -> Row:
    kernels, alike = _placed_alike(reference, functions, arguments)
    made = {form: function.compiled(*arguments) for form, function in functions.items()}
    notes = [] if alike else ["results lie differently"]
    if not _near(kernels["whole"](), kernels["spelled"]()):
        notes.append("the forms differ")
    if _text(made["whole"]) == _text(made["spelled"]):
        notes.append("the same C")
    return {
        "program": name,
        "of": verb,
        "seconds": alternated(kernels, *length, MOST),
        "arrays": {form: stored(stages) for form, stages in made.items()},
        "notes": notes,
    }


def _placed_alike(
    reference: Reference, functions: Mapping[str, fs.Function], arguments: tuple[Any, ...]
) -> tuple[dict[str, Kernel], bool]:
    """Kernels whose results begin at the same places in lines of the cache, and whether they do: what is added to memory
    takes up to 1.6 times as long where vectors cross two lines.
    """
    found: dict[tuple[int, ...], dict[str, Kernel]] = {}
    rng, between = np.random.default_rng(0), []
    for _ in range(PLACES):
        latest = {}
        for form, function in functions.items():
            between.append(np.empty(int(10 ** rng.uniform(0.0, 4.3))))  # else they lie in turn at the same two places
            kernel = latest[form] = own.kernel(reference, function, *arguments)
            place = tuple([array.ctypes.data % LINE for array in arrays_of(kernel.result) if array.ndim])
            alike = found.setdefault(place, {})
            alike.setdefault(form, kernel)
            if len(alike) == len(functions):
                return {name: alike[name] for name in functions}, True
    return latest, False


def stored(stages: Stages) -> int:
    """How many arrays the C stores besides its results: on the stack, in the arena or in a room."""
    assert stages.loops is not None
    return len([s for s in walk(stages.loops.kernel.body) if isinstance(s, tree.Allocate | tree.LocalArray)])


def _text(stages: Stages) -> str:
    """The C, whatever its function is called."""
    assert stages.code is not None
    return stages.code.source.replace(stages.code.name, "f")


def of_factorisation(problem: Factorisation, length: Length) -> Row:
    """The seconds of fsmooth's call and of NumPy's."""
    arguments = problem.arguments
    compiled = fs.function(problem.function) if problem.compiled is None else problem.compiled()
    found, expected = compiled(*arguments), problem.function(*arguments)
    contenders = {"fsmooth": lambda: compiled(*arguments), "NumPy": lambda: problem.function(*arguments)}
    return {
        "function": problem.name,
        "size": problem.size,
        "seconds": alternated(contenders, *length, MOST),
        "notes": [] if _near(problem.unique(expected), problem.unique(found)) else ["differs from NumPy"],
    }


def of_call(case: Case, length: Length) -> Row:
    """The seconds of a call: of several runs the fewest, which what else the machine does can only make more."""
    row: Row = {"call": case.name, "microseconds": case.microseconds, "seconds": {}, "notes": []}
    if case.make is None:
        return row
    call = case.make()
    if not _near(case.expected, call()):
        row["notes"].append("gives something else")
    return {**row, "seconds": fastest({"fsmooth": call}, *length)}


def _near(expected: object, found: object) -> bool:
    """Is each array or number as expected, up to rounding of its largest?"""
    xs, ys = arrays_of(expected), arrays_of(found)
    return len(xs) == len(ys) and all(
        [x.shape == y.shape and _difference(x, y) <= TOLERANCE * _largest(x) for x, y in zip(xs, ys, strict=True)]
    )


def _difference(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.max(np.abs(x - y), initial=0.0))


def _largest(x: np.ndarray) -> float:
    return float(np.max(np.abs(x), initial=1e-300))


def _told(rows: Iterator[Row], named: Callable[[Row], str]) -> list[Row]:
    """The rows, each told as it is made."""
    made = []
    for row in rows:
        times = "  ".join([f"{k} {v * 1e6:.3f}" for k, v in row["seconds"].items()])
        print(f"{named(row)}: {times} µs {row.get('arrays', '')} {row['notes']}", file=sys.stderr, flush=True)
        made.append(row)
    return made


def measured(shape: tuple[int, int, int], sizes: Sequence[int], length: Length) -> dict[str, Any]:
    """All rows: of forms at this shape (see `forms`), of linear algebra at these sizes, of calls."""
    reference = Reference()
    written = (row for form in forms(*shape) for row in of_form(form, length, reference))
    solved = (of_factorisation(problem, length) for size in sizes for problem in factorisations(size))
    called = (of_call(case, length) for case in calls())
    return {
        "runs": length[0],
        "shape": shape,
        "forms": _told(written, lambda row: f"{row['program']}, {row['of']}"),
        "linear algebra": _told(solved, lambda row: f"{row['function']} {row['size']}"),
        "calls": _told(called, lambda row: str(row["call"])),
    }


def main() -> None:
    quick = "--quick" in sys.argv
    print(json.dumps(measured(*(QUICK if quick else ALL))))


if __name__ == "__main__":
    main()
