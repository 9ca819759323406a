"""Many random programs that call definitions: `python tools/campaign.py COUNT [FIRST]`; over trees: `… COUNT FIRST trees`;
with function values: `… COUNT FIRST functions`; with loops that add to matrices and rows: `… COUNT FIRST updates`; with loops
that share arrays: `… COUNT FIRST loops`.

Interpreter, dual numbers, forward and reverse mode, the complex step, the ways backwards of papers 003 and 004, and the C
of program and gradient, on the stack and on records, agree, or a line says from which seed on they do not.  Seeds begin at
FIRST.  5,000 take an hour on one core.

Of programs over random data types it is Python, interpreter, C of objects and of columns, both modes, complex steps and
differences that agree: 500 take an hour.  Differences mislead near a branch: look at such a seed before you believe it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import fsmooth as fs
from tests.functions.test_random import check as check_function
from tests.functions.test_random import programs_of
from tests.recursion.test_random import cases, check_compiled, check_ways, deeper
from tests.reverse.test_programs import check
from tests.reverse.test_updates import check_loops, check_updates
from tests.trees.random_programs import case_at
from tests.trees.test_random import check as check_tree

BATCH = 25


def main(count: int, first: int) -> int:
    """How many batches had a mistake, at most 100."""
    failures = 0
    for done in range(0, count, BATCH):
        batch = list(cases(first + 1_000 * (done // BATCH), BATCH))
        try:
            check_compiled(batch)
            check_compiled(batch, lowering=deeper)
            for case in batch:
                check(case)
                check_ways(case)
        except AssertionError as error:
            failures += 1
            print(f"seeds from {batch[0].seed}: {error}", flush=True)
    print(f"{count} programs, {failures} batches with a mistake")
    return min(failures, 100)


def over_trees(count: int, first: int) -> int:
    """How many programs over trees had a mistake, at most 100."""
    with tempfile.TemporaryDirectory() as folder:
        failures = [
            seed for seed in range(first, first + count) if _fails(seed, lambda s: check_tree(case_at(s, Path(folder))))
        ]
    print(f"{count} programs over trees, {len(failures)} with a mistake")
    return min(len(failures), 100)


def with_functions(count: int, first: int) -> int:
    """How many programs with function values had a mistake, at most 100."""
    failures = 0
    for start in range(first, first + count, BATCH):
        with tempfile.TemporaryDirectory() as folder:
            made = programs_of(range(start, min(start + BATCH, first + count)), Path(folder))
            failures += sum([_fails(seed, lambda s: check_function(made[s], s)) for seed in made])  # noqa: B023
    print(f"{count} programs with function values, {failures} with a mistake")
    return min(failures, 100)


def with_updates(count: int, first: int) -> int:
    """How many programs that add to matrices and rows had a mistake, at most 100."""
    return _with("updates", check_updates, count, first)


def with_loops(count: int, first: int) -> int:
    """How many programs whose loops share arrays had a mistake, at most 100."""
    return _with("loops", check_loops, count, first)


def _with(what: str, check_one: Callable[[int], object], count: int, first: int) -> int:
    failures = [seed for seed in range(first, first + count) if _fails(seed, check_one)]
    print(f"{count} programs with {what}, {len(failures)} with a mistake")
    return min(len(failures), 100)


def _fails(seed: int, check: Callable[[int], object]) -> bool:
    """Does a program have a mistake?  Then a line says so."""
    try:
        check(seed)
    except (AssertionError, fs.Error) as error:
        print(f"seed {seed}: {type(error).__name__}: {error}", flush=True)
        return True
    return False


KINDS = {"trees": over_trees, "functions": with_functions, "updates": with_updates, "loops": with_loops}


if __name__ == "__main__":
    run = KINDS[sys.argv[3]] if len(sys.argv) > 3 else main
    sys.exit(run(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000))
