"""Thresholds say what pays, not what is right: with each at its extremes, C and interpreter agree, in both modes."""

from __future__ import annotations

from functools import lru_cache
from math import inf

import numpy as np
import pytest

from fsmooth import thresholds
from fsmooth.core.term import Lam, Method, Verb
from fsmooth.lower.functions import lower
from fsmooth.optimise.schedules import DEFAULT
from tests.accuracy.cases import Case, cases, differentiated
from tests.accuracy.judge import Answer, bounded, disagreement
from tests.frontend.python.test_programs import elaborated
from tests.lower.harness import STRICT, compile_all
from tests.lower.random_folds import Nested, Whiles
from tests.reverse.random_stencils import arguments, program
from tests.reverse.routes import derivative, made, result, vector
from tests.strategies import FLOATS

EXTREMES: dict[str, tuple[float, float]] = {
    "TRIPS": (1.0, 1e6),
    "SIZE_NODES": (0, 10_000),
    "COPIED_SIZE": (0, 10_000),
    "COPIED_CONDITION": (0, 10_000),
    "COPIED_CHOICES": (0, 8),
    "COPIED_NODES": (0, 1_000_000),
    "UNEVEN": (0, 1_000),
    "PRODUCT_TERMS": (0, 1_000),
    "CASES": (0, 4),
    "CARRIED_TERMS": (0, 10_000),
    "CARRIED_BOUNDS": (0, 20),
    "MAGNITUDE_DEPTH": (0, 30),
    "REWRITES": (2_000, 1_000_000),
    "SIMPLIFIED": (1, 100),
    "TAIL_CONDITION": (0, 1_000_000),
    "UNROLLED": (0, 100),
    "GROWTH": (0, 200_000),
    "INLINED_NODES": (0, 10_000),
    "CALLS": (0.5, 1e6),
    "DISPLAY": (0, 200),
    "SUMMED_DISPLAY": (0, 200),
    "SPECULATION": (0.0, 1e6),
    "GUARDED_PARTS": (0, 16),
    "GATHERED_PARTS": (0, 32),
    "GATHERED_NODES": (0, 100_000),
    "SCATTER": (0.0, 1e6),
    "FACTORS": (0, 100),
    "MATRIX_SIDE": (0, 1_000),
    "WIDE_PRODUCT": (-1, 1_000_000),
    "FACTOR_ROWS": (1, 1_000_000),
    "IN_TILES": (0.0, 1e6),
    "GATHERED_UPDATES": (1, 100),
    "TAKEN_APART": (0.0, 1e6),
    "MERGING_ROUNDS": (0, 100),
    "MERGING_TRIES": (0, 100),
    "SHARED_SCOPE": (0, 100_000),
    "ENTRY": (0.0, 1e6),
    "LOOP": (0.0, 1e9),
    "SCATTERED_TEST": (0.0, 1e6),
    "UNSWITCHED": (0, 100_000),
    "ABSENT_WEIGHT": (0, 1_000_000),
    "ABSENT_NODES": (0, 10_000),
    "RECOMPUTED": (0.0, 1e6),
    "STATE_NUMBER": (0.0, 1e6),
    "STATE_ARRAY": (0.0, 1e6),
    "WINDOW_TRIPS": (0, 10_000),
    "DEMAND_ROUNDS": (0, 20),
    "DEMAND_MOST_ROUNDS": (0, 40),
    "COMPARED_NODES": (0, 20_000),
    "COMPARED_OPERATIONS": (0.0, inf),
    "BELIEVED": (0.0, inf),
    "SPARSER": (0.0, inf),
    "FORWARD_BELOW": (0.0, inf),
    "REVERSE_BELOW": (0.0, inf),
    "SAVED": (0.0, inf),
    "SAVED_IN_BRANCHES": (0.0, inf),
    "EARLY_VALUES": (0, 10_000),
    "TABLE_WRITES": (0, 1_000),
    "SUMMED_COTANGENTS": (1, 1_000),
    "DEFINITIONS": (1, 100),
    "INDEX_NODES": (0, 10_000),
    "JACOBIAN_ROWS": (0, 64),
    "HELD": (0.0, inf),
    "STEPS_WITHOUT_BLOCKS": (0, 1_000),
    "ON_STACK": (0, 4_096),
    "ROOMS_ON_STACK": (0, 1_000),
    "TOO_SHORT_FOR_VECTORS": (0, 1_000),
    "FEW_GATHERED": (0, 1_000_000),
    "MOVED_COUNT": (0, 1_000),
    "INVARIANT_STATEMENTS": (0, 100_000),
    "REPEATED_CHECK": (0, 10_000),
    "COMPARED_DEFINITIONS": (0, 1_000),
    "STREAMS": (0, 1_000),
    "CHOICES": (0, 100),
    "KEPT_SUM": (0, 1_000),
    "KEPT_IN_STRIPS": (0, 1_000),
    "COLUMNS_FOR_STRIPS": (0, 1_000),
    "RECURRENCES_FOR_STRIPS": (0, 1_000),
    "COLUMN_IN_STRIPS": (0, 1_000_000),
    "NUMBERS_IN_STRIP": (0, 1_000),
    "MATH_KEPT": (0, 100),
    "ROWS_IN_STRIP": (4, 64),
    "STRIP_ROWS_ON_STACK": (0, 128),
    "JAMMED": (1, 8),
    "JAMMED_ROWS": (1, 8),
    "JAMMED_STATEMENTS": (0, 1_000_000),
    "FIXED_PLACES": (0, 100),
    "UPDATE_WEIGHT": (0, 10_000),
    "ROW_IN_VECTORS": (0, 100),
    "BLOCK_STORES": (1, 1_000),
    "BLOCK_DEFINITIONS": (1, 1_000),
    "TILE": (0, 1_024),
    "ROW_COLUMNS": (1, 1_000),
    "ROW_GAPS": (0, 1_000),
    "ROW_WIDTH": (0, 1_000),
    "SEARCHED": (0, 1_000),
    "EXCHANGED_LOOP": (0, 1_000),
    "REST_OF_BRANCHES": (0, 10_000),
    "BOTH_BRANCHES": (0, 10_000),
    "CHOSEN_EXPRESSION": (0, 10_000),
    "EXPRESSION": (1, 10_000),
    "LOOKED_BACK": (1, 10_000),
    "OUTLINED_FROM": (0, 1_000_000),
    "OUTLINED_BELOW": (0, 1_000_000),
    "OUTLINED_STRAIGHT": (0, 1_000_000),
    "OUTLINED": (1, 1_000_000),
    "OUTLINED_LEAST": (0, 1_000_000),
}
OF_CALLS = frozenset(("STATIC_LENGTH", "STATIC_SIGNATURES"))
"""They say which program a call takes (tests/api/test_calls.py)."""
OF_THREADS = frozenset(
    (
        "MOST_CHUNKS",
        "CHUNK_WORK",
        "CHUNK_UNIT",
        "COLUMN_CHUNKS",
        "COLUMN_UNIT",
        "PRODUCT_WORK",
        "PRODUCT_ROWS",
        "PRODUCT_UNIT",
        "COPIED_SUMS",
        "UNKNOWN_TRIPS",
    )
)
"""They say how long chunks are where there are threads (tests/lower/test_parallel.py)."""
OF_BLAS = frozenset(("BLAS_WORK", "BLAS_VECTOR_WORK"))
"""They say which products a BLAS takes, if there is one (tests/lower/test_blas.py)."""

QUICKLY = tuple(["-O0" if flag == "-O1" else flag for flag in STRICT])


def test_each_threshold_has_extremes() -> None:
    """So that a new one is tried too; and what it is now lies between them."""
    assert EXTREMES.keys() | OF_CALLS | OF_THREADS | OF_BLAS == {name for name in vars(thresholds) if name.isupper()}
    assert all([low <= getattr(thresholds, name) <= high for name, (low, high) in EXTREMES.items()])


@lru_cache(maxsize=8)
def chosen(group: int) -> list[Case]:
    """Random programs with what the interpreter gives; thresholds share them."""
    return list(cases(610_000 + 1_000 * group, 1))


@pytest.mark.parametrize("end", [0, 1], ids=["least", "most"])
@pytest.mark.parametrize("name", EXTREMES)
@np.errstate(all="ignore")
def test_programs_do_not_depend_on_it(name: str, end: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each end a random program and its derivatives; at one of them random folds, at the other the gradient of a stencil."""
    place = list(EXTREMES).index(name)
    known = chosen(place % 8)
    has_folds = (place + end) % 2 == 0
    folds = [Nested(7 * place + end).function(), Whiles(7 * place + end).function()] if has_folds else []
    stencils = [] if has_folds else [_stencil(150 + 2 * place + end)]
    given = arguments(place, most=18)
    wanted = [result(stencil, *given) for stencil in stencils]
    monkeypatch.setattr(thresholds, name, EXTREMES[name][end])
    terms: list[Lam] = []
    for case in known:
        terms.append(case.program)
        terms += [differentiated(case.program, FLOATS, Verb.VALUE_AND_GRAD, mode) for mode in Method]
    made_of_cases = len(terms)
    compiled = compile_all(
        [*[DEFAULT(term) for term in [*terms, *stencils]], *folds],
        QUICKLY,
        lambda term, name: lower(term, name, passes=DEFAULT.loops),
    )
    for k in range(made_of_cases):
        case = known[k // (1 + len(Method))]
        expected = case.value if terms[k] is case.program else case.slopes
        assert not disagreement(compiled[k](*case.arguments), expected, 1e-10), f"seed {case.seed}, {k}"
    for kernel, gradient in zip(compiled[made_of_cases:], wanted, strict=False):
        flat = vector(gradient)
        largest = np.max(np.abs(flat), initial=1.0)
        if largest < 1e8:
            np.testing.assert_allclose(vector(kernel(*given)), flat, rtol=0.0, atol=1e-10 * largest)
    for fold, kernel in zip(folds, compiled[made_of_cases + len(stencils) :], strict=True):
        v, w = np.cos(np.arange(9) + 0.5), np.sin(3.0 * np.arange(9))
        told: Answer = bounded(fold, [v, w, 2])
        assert not told.is_sure or not disagreement(kernel(v, w, 2), told, 1e-12)


def _stencil(seed: int) -> Lam:
    """The gradient of a random stencil, not optimised."""
    whole = elaborated(program(seed), *arguments(seed)).term
    return made(derivative(whole, (0, 1, 2), Verb.VALUE_AND_GRAD, Method.REVERSE))
