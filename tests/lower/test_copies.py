"""Lowering without destinations (the ablation): the same answers, with storage for every array."""

import numpy as np

import fsmooth as fs
from fsmooth.core.term import Lam
from fsmooth.library import parse
from fsmooth.loops import tree as t
from fsmooth.loops.passes.schedule import MOVED
from fsmooth.loops.usage import walk
from fsmooth.lower.copies import Copying
from fsmooth.lower.functions import lower
from fsmooth.optimise.schedules import LICM
from tests.accuracy.cases import cases
from tests.accuracy.judge import excess, flat, within
from tests.lower.harness import FAST, compile_all


def lower_with_copies(term, name):
    return lower(term, name, passes=MOVED, lowering=Copying)


def test_copies_agree_with_the_interpreter():
    batch = list(cases(36_000, 40))
    kernels = compile_all(
        [LICM(term) for case in batch for term in (case.program, case.gradient)], FAST, lower_with_copies
    )
    for k, case in enumerate(batch):
        for kernel, expected in ((kernels[2 * k], case.value), (kernels[2 * k + 1], case.slopes)):
            found = flat(kernel(*case.arguments))
            assert within(found, expected.value, expected.bound, 1e-12), (
                f"seed {case.seed}: {excess(found, expected.value, expected.bound)}"
            )


def test_only_copies_take_storage_for_rows():
    term = parse("fun (v: Vector) (n: Index) -> build n (fun i -> build (length v) (fun j -> v[j] * v[i]))")
    assert isinstance(term, Lam)
    assert not _allocated(lower(term, "f"))
    assert _allocated(lower_with_copies(term, "f"))


def chosen(x, places):
    rows = np.zeros((2, 2))
    for _ in range(2):
        rows[1] += np.where(places > 0, 1.0, x[places[0]])
    return rows


def test_what_is_read_before_a_loop_that_surely_runs_is_not_defined_in_it_again():
    """The index is checked before the loop over the row, which leaves the loop of two steps with what it needs."""
    expected = np.zeros((2, 2, 2))
    expected[1, 0, 0] = 2.0
    found = fs.jacobian(chosen, method="reverse", schedule="NONE")(np.array([0.3, 0.7]), np.array([0, 1]))
    np.testing.assert_array_equal(found, expected)


def _allocated(program: t.Program) -> list[t.Statement]:
    return [s for s in walk(program.kernel.body) if isinstance(s, t.Allocate)]
