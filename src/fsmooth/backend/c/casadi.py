"""Functions of a library as CasADi finds them in a shared object: by their names, with sizes, and matrices column by column.

CasADi's interface in C: `int NAME(arg, res, iw, w, mem)` computes, where a NULL among `arg` is zeros, and one among `res` is not
wanted; `NAME_n_in`, `NAME_sparsity_in`, … say what it takes and gives.  Derivatives are other functions, found by their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np
from msgspec import Struct

from fsmooth.backend.c.names import element_type
from fsmooth.backend.c.signature import laid_out
from fsmooth.core.types import Type


class Matrix(Struct, frozen=True):
    """An argument or a result of CasADi's, which is dense or, if it `is_nothing`, has no elements but zeros."""

    name: str
    rows: int
    columns: int
    is_nothing: bool = False


class Given(Struct, frozen=True):
    """What the function takes next: CasADi's argument of this number, with its shape."""

    source: int
    shape: tuple[int, ...]


class Constant(Struct, frozen=True):
    """An array that is built in, or a number of shape ()."""

    name: str
    type: Type
    array: np.ndarray

    def text(self) -> str:
        """Its definition."""
        values = [_literal(x) for x in self.array.ravel()] or ["0"]
        return f"static const {element_type(self.type)} {self.name}[] = {{{', '.join(values)}}};"


class Gives(Struct, frozen=True):
    """What the function gives next: CasADi's result of this number; indices of `shape` come before those of `by`, as in
    a Jacobian.
    """

    target: int
    shape: tuple[int, ...]
    by: tuple[int, ...] = ()


class Interface(Struct, frozen=True):
    """A function of the library, `function`, as CasADi's function `name`."""

    name: str
    function: str
    inputs: Sequence[Matrix]
    outputs: Sequence[Matrix]
    given: Sequence[Given]
    behind: Sequence[Given]
    results: Sequence[Gives]

    def text(self, constants: Sequence[Constant]) -> str:
        """Its C, with constants that the function takes between what is `given` and what is `behind`."""
        return "\n".join(
            [*[x.text() for x in constants], self._call(constants), *self._sizes(), self._work(), *self._descriptions()]
        )

    def _call(self, constants: Sequence[Constant]) -> str:
        name = laid_out(f"int {self.name}", _ARGUMENTS)
        lines = [f"{name};", f"{name} {{", "    (void)iw, (void)mem, (void)arg, (void)res;"]
        used = 0
        passed = []
        for x in (*self.given, *self.behind):
            rows, columns = matrix_of(x.shape)
            lines.append(f"    double *const given_{x.source} = w + {used};")
            lines.append(f"    fs_columns_to_rows(arg[{x.source}], {rows}, {columns}, given_{x.source});")
            used += prod(x.shape)
            passed.append(_passed(f"given_{x.source}", x.shape))
        first = len(self.given)
        arguments = [*passed[:first], *[_passed(x.name, x.array.shape) for x in constants], *passed[first:]]
        for k, y in enumerate(self.results):
            lines.append(f"    double *const result_{k} = w + {used};")
            used += prod(y.shape) * prod(y.by)
            arguments.append(f"result_{k}")
        lines.append(laid_out(f"    if ({self.function}", [*arguments, "NULL"]) + ") return 1;")
        for k, y in enumerate(self.results):
            sizes = ", ".join(map(str, (*matrix_of(y.shape), *matrix_of(y.by))))
            lines.append(f"    fs_rows_to_columns(result_{k}, {sizes}, res[{y.target}]);")
        return "\n".join([*lines, "    return 0;", "}"])

    def _sizes(self) -> Iterator[str]:
        for what, count in (("n_in", len(self.inputs)), ("n_out", len(self.outputs))):
            yield f"long long {self.name}_{what}(void);\nlong long {self.name}_{what}(void) {{ return {count}; }}"

    def _work(self) -> str:
        places = sum([prod(x.shape) for x in (*self.given, *self.behind)])
        places += sum([prod(y.shape) * prod(y.by) for y in self.results])
        parts = [f"long long *{x}" for x in ("sz_arg", "sz_res", "sz_iw", "sz_w")]
        head = laid_out(f"int {self.name}_work", parts)
        assigned = [
            f"    if (sz_{x}) *sz_{x} = {n};"
            for x, n in (("arg", len(self.inputs)), ("res", len(self.outputs)), ("iw", 0), ("w", places))
        ]
        return "\n".join([f"{head};", f"{head} {{", *assigned, "    return 0;", "}"])

    def _descriptions(self) -> Iterator[str]:
        for what, matrices in (("in", self.inputs), ("out", self.outputs)):
            names = [f"    case {k}: return {_quoted(x.name)};" for k, x in enumerate(matrices)]
            yield _switch(f"const char *{self.name}_name_{what}", [], names)
            tables = [f"    static const long long of_{k}[] = {_pattern(x)};" for k, x in enumerate(matrices)]
            cases = [f"    case {k}: return of_{k};" for k in range(len(matrices))]
            yield _switch(f"const long long *{self.name}_sparsity_{what}", tables, cases)


_ARGUMENTS = ("const double **arg", "double **res", "long long *iw", "double *w", "int mem")


def _switch(head: str, before: Sequence[str], cases: Sequence[str]) -> str:
    line = f"{head}(long long k)"
    return "\n".join(
        [f"{line};", f"{line} {{", *before, "    switch (k) {", *cases, "    default: return 0;", "    }", "}"]
    )


def _pattern(x: Matrix) -> str:
    """CasADi's: the size, and 1 if it is dense, else where each column begins among the elements, of which there are none."""
    numbers = [x.rows, x.columns, *([0] * (x.columns + 1) if x.is_nothing else [1])]
    return f"{{{', '.join(map(str, numbers))}}}"


def _passed(name: str, shape: tuple[int, ...]) -> str:
    """An array with its sizes, or a number, as an argument."""
    return ", ".join([name, *map(str, shape)]) if shape else f"{name}[0]"


def _literal(x: np.generic) -> str:
    if x.dtype.kind != "f":
        return str(int(x))
    value = float(x)
    if np.isfinite(value):
        return value.hex()
    return "NAN" if np.isnan(value) else "INFINITY" if value > 0 else "-INFINITY"


def _quoted(name: str) -> str:
    return f'"{name}"'


def matrix_of(shape: tuple[int, ...]) -> tuple[int, int]:
    """The rows and columns of what CasADi has for an array: a number is 1 by 1, a vector a column."""
    rows, columns = (*shape, 1, 1)[:2]
    return rows, columns


HELPERS = """\
#include <math.h>
/* CasADi has matrices column by column, and NULL for zeros and for what it does not want. */
static void fs_columns_to_rows(const double *columns, int64_t m, int64_t n, double *rows) {
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) rows[i * n + j] = columns ? columns[j * m + i] : 0.0;
}

/* m x n numbers, or those by p x q others: a matrix of m n rows and p q columns. */
static void fs_rows_to_columns(const double *rows, int64_t m, int64_t n, int64_t p, int64_t q, double *columns) {
    if (!columns) return;
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j)
            for (int64_t k = 0; k < p; ++k)
                for (int64_t l = 0; l < q; ++l) columns[(l * p + k) * m * n + j * m + i] = *rows++;
}
"""
