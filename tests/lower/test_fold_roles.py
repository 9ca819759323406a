"""What a step reads of the rows that it fills, it reads as they were at first: zero."""

from __future__ import annotations

import numpy as np
import pytest

from fsmooth.library import parse
from tests.lower.harness import agree, expected
from tests.lower.test_loops import leaves_of, run

READS = {
    "an element": "let d = s.1[n - 1][0] in",
    "through a name": "let a = s.1 in let d = a[n - 1][0] in",
    "through a component": "let d = (sum 3 (fun k -> delta 3 k (s.1[n - 1][k], 1.0)))[0].0 in",
    "through a tuple": "let p = (s.1[n - 1][0], 1.0) in let d = p.0 in",
    "through a loop": "let d = (ifold (fun a k -> (a.0 + s.1[n - 1][k], a.1)) (0.0, 1.0) (length v)).0 in",
    "not at all": "let d = (s.0, s.1).0 in",
}


@pytest.mark.parametrize("name", READS)
def test_rows_that_are_read_are_zero_at_first(name: str) -> None:
    """The interpreter of loops knows what was written."""
    program = parse(f"""
        fun (v: Vector) (n: Index) ->
          ifold (fun s i -> {READS[name]} (s.0 + d + 1.0, update s.1 i (build (length v) (fun j -> v[j] * s.0))))
            (0.5, zero Float n (length v)) n""")
    v = np.array([0.5, -2.0, 3.0])
    for a, b in zip(run(program, v, 3), leaves_of(expected(program, v, 3)), strict=True):
        agree(a, np.asarray(b, dtype=float))
