"""Programs with arrays that are only summed, and programs with arrays that look so and are not."""

from __future__ import annotations

import numpy as np

from fsmooth.core.term import Lam
from fsmooth.library import parse

SIZES = ((0, 3, 2), (3, 0, 2), (3, 4, 0), (1, 1, 1), (3, 4, 5), (2, 40, 3))


def _arguments(rows: int, points: int, columns: int) -> tuple[object, ...]:
    x = np.cos(np.arange(rows * points) * 1.1).reshape(rows, points)
    return x, np.sin(np.arange(float(rows))), np.cos(np.arange(float(columns)))


_HEAD = "fun (x : Matrix) (q : Vector) (f : Vector) -> let n = length x 1 in"
_ADDED = "build (length f) (fun c -> build n (fun i -> f[c] * x[r][i]))"
_TEXTS = {
    "one row": f"""{_HEAD}
        let a = sum (length q) (fun r -> build n (fun i -> q[r] * x[r][i])) in sum n (fun i -> a[i])""",
    "rows, and the sum before their loop": f"""{_HEAD}
        let a = sum (length q) (fun r -> {_ADDED}) in build (length f) (fun c -> sum n (fun i -> -(2.0 * a[c][i])))""",
    "summed twice": f"""{_HEAD}
        let a = sum (length q) (fun r -> {_ADDED}) in
        (build (length f) (fun c -> sum n (fun i -> a[c][i])), sum (length f) (fun c -> sum n (fun i -> f[c] * a[c][i])))""",
    "what is added differs from row to row": f"""{_HEAD}
        let a = sum (length q) (fun r -> build (length f) (fun c -> build n (fun i -> f[c] + x[r][i]))) in
        build (length f) (fun c -> sum n (fun i -> a[c][i]))""",
    "a quotient": f"""{_HEAD}
        let a = sum (length q) (fun r -> build (length f) (fun c -> build n (fun i -> q[r] / (2.0 + x[r][i])))) in
        build (length f) (fun c -> sum n (fun i -> a[c][i]))""",
}
KEPT_SUMS: dict[str, tuple[Lam, list[tuple[object, ...]]]] = {
    name: (parse(text), [_arguments(*sizes) for sizes in SIZES]) for name, text in _TEXTS.items()
}

_WHOLE = {
    "elements are read too": f"""{_HEAD}
        let a = sum (length q) (fun r -> {_ADDED}) in
        (build (length f) (fun c -> sum n (fun i -> a[c][i])), if n > 0 then build (length f) (fun c -> a[c][0]) else f)""",
    "squares are summed": f"""{_HEAD}
        let a = sum (length q) (fun r -> {_ADDED}) in build (length f) (fun c -> sum n (fun i -> a[c][i] * a[c][i]))""",
    "weighted sums": f"""{_HEAD}
        let a = sum (length q) (fun r -> {_ADDED}) in
        build (length f) (fun c -> sum n (fun i -> a[c][i] * to_float i))""",
    "sums of columns": f"""{_HEAD}
        let a = sum (length q) (fun r -> {_ADDED}) in build n (fun i -> sum (length f) (fun c -> a[c][i]))""",
    "sums of functions": f"""{_HEAD}
        let a = sum (length q) (fun r -> {_ADDED}) in build (length f) (fun c -> sum n (fun i -> exp a[c][i]))""",
}
WHOLE: dict[str, tuple[Lam, list[tuple[object, ...]]]] = {
    name: (parse(text), [_arguments(*sizes) for sizes in SIZES]) for name, text in _WHOLE.items()
}
