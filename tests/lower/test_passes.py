"""The schedule of passes over loops: each alone, each left out, in any selection, and what schedules of terms say of them."""

from __future__ import annotations

import random

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.names import Names
from fsmooth.loops.passes.schedule import ALL, MOVED, PLAIN, Passes, run
from fsmooth.loops.show import show_function
from fsmooth.loops.usage import bodies_of, walk
from fsmooth.lower.functions import lower
from fsmooth.optimise.schedules import DEFAULT, SCHEDULES
from fsmooth.rewrite.trace import Trace
from tests.accuracy.cases import cases
from tests.accuracy.judge import excess, flat, within
from tests.lower.harness import FAST, compile_all
from tests.lower.strip_programs import STRIP_PROGRAMS

ROOMS = ALL[-1]
NAMES = [name for name, _ in ALL]
LAWS = {
    "kept sums",
    "strips",
    "strips of columns",
    "nests multiplied",
    "updates gathered",
    "frames in order",
    "work before calls",
}


def _selections() -> list[Passes]:
    """Each pass alone, all but one, and random ones in their order; arrays in loops need rooms."""
    rest = ALL[:-1]
    chosen = [(one, ROOMS) for one in rest]
    chosen += [(*[each for each in rest if each is not one], ROOMS) for one in rest]
    seeded = random.Random(7)
    chosen += [(*[each for each in rest if seeded.random() < 0.5], ROOMS) for _ in range(8)]
    return [(ROOMS,), *chosen]


@pytest.mark.parametrize(
    "passes", _selections(), ids=lambda passes: ", ".join([name for name, _ in passes[:-1]]) or "none"
)
def test_programs_mean_the_same_by_any_selection_of_passes(passes: Passes) -> None:
    batch = list(cases(91_000, 8))
    terms = [DEFAULT(term) for case in batch for term in (case.program, case.gradient)]
    kernels = compile_all(terms, FAST, lambda term, name: lower(term, name, passes=passes))
    for k, case in enumerate(batch):
        for kernel, expected in ((kernels[2 * k], case.value), (kernels[2 * k + 1], case.slopes)):
            found = flat(kernel(*case.arguments))
            assert within(found, expected.value, expected.bound, 1e-12), (
                f"seed {case.seed}: {excess(found, expected.value, expected.bound)}"
            )


def _lowered(passes: Passes = ()) -> list[tuple[t.Function, Names]]:
    """Functions of loops as lowering makes them, after these passes."""
    found = []
    for case in cases(92_000, 6):
        found.append(lower(DEFAULT(case.gradient), "f", passes=passes).kernel)
    found += [lower(term, "f", passes=passes).kernel for term, _ in STRIP_PROGRAMS.values()]
    return [(function, _names_of(function)) for function in found]


def _names_of(function: t.Function) -> Names:
    names = Names()
    for s in walk(function.body):
        for field in ("name", "buffer", "index", "pointer"):
            if isinstance(getattr(s, field, None), str):
                names.fresh(getattr(s, field))
    return names


@pytest.mark.parametrize("name", [name for name in NAMES if name != "rooms"])
def test_a_pass_does_not_change_the_function_that_it_is_given(name: str) -> None:
    rewrite = dict(ALL)[name]
    for function, names in _lowered(ALL[: NAMES.index(name)]):
        before = show_function(function)
        rewrite(function, names)
        assert show_function(function) == before


@pytest.mark.parametrize(
    "name",
    [
        "checks before loops",
        "storage before loops",
        "operations on memory",
        "loops marked for vectors",
        "loops fused",
        "repeated checks dropped",
        "sums in vectors",
        "rooms",
    ],
)
def test_what_a_pass_does_not_change_is_the_same_object(name: str) -> None:
    rewrite = dict(ALL)[name]
    for function, names in _lowered(ALL[: NAMES.index(name)]):
        once = rewrite(function, names)
        assert (once is function) == (show_function(once) == show_function(function))


def test_statements_cannot_be_changed() -> None:
    s = t.For("i", t.Name("n", INT), (), t.Kind.PARALLEL)
    with pytest.raises(AttributeError, match="immutable"):
        s.simd = True  # type: ignore[misc]
    for kind in (t.For, t.While, t.If, t.Block, t.CheckAll, t.Declare, t.Store, t.Function, t.Program, t.Facts):
        assert kind.__struct_config__.frozen
        assert not [name for name in kind.__struct_fields__ if "list" in str(kind.__annotations__[name])]
    for function, _ in _lowered():
        assert all([isinstance(body, tuple) for s in walk(function.body) for body in bodies_of(s)])


def test_schedules_say_which_passes_follow_them() -> None:
    assert [SCHEDULES[name].loops for name in ("NONE", "LF", "LN")] == [PLAIN] * 3
    assert [name for name, _ in PLAIN] == [
        "repeated checks dropped",
        "dead code dropped",
        "rooms",
    ]
    assert [SCHEDULES[name].loops for name in ("LICM", "DPS")] == [MOVED, MOVED]
    assert [SCHEDULES[name].loops for name in ("DEFAULT", "REAL")] == [ALL, ALL]
    assert {name for name, _ in ALL} - {name for name, _ in MOVED} == LAWS
    assert {name for name, _ in PLAIN} <= {name for name, _ in MOVED}


def test_the_trace_has_the_passes_that_changed_the_function_in_their_order() -> None:
    for function, names in _lowered():
        trace, current, changed = Trace(), function, []
        for name, rewrite in ALL:
            new = rewrite(current, names)
            changed += [name] if new is not current else []
            current = new
        run(ALL, function, _names_of(function), trace)
        assert list(trace.fired) == changed


def rows_of_sums(A, x):
    return [np.tanh(sum([a * b for a, b in zip(row, x, strict=True)])) for row in A]


def test_explain_tells_what_was_done_to_the_loops() -> None:
    f = fs.function(rows_of_sums)
    text = f.explain(np.ones((5, 3)), np.ones(3))
    (section,) = [part for part in text.split("\n\n") if part.startswith("loops:\n")]
    assert section.splitlines()[1:] == [
        "  math split from loops",
        "  loops marked for vectors",
        "  nests jammed",
        "  sums in vectors",
    ]
    plain = fs.function(rows_of_sums, schedule="NONE").explain(np.ones((5, 3)), np.ones(3))
    assert "loops marked for vectors" not in plain
