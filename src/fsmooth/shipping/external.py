"""`fs.casadi_external`: a program and its derivatives as a function of CasADi, which calls the compiled C."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fsmooth.api import function
from fsmooth.backend.c.casadi import Given, Gives, Interface, Matrix, matrix_of
from fsmooth.callables import Function
from fsmooth.core.term import Length, Term, Var
from fsmooth.core.traverse import children
from fsmooth.core.types import F64, INT, Array, Float, Type, leaf_of, parts_in, rank_of, unzipped
from fsmooth.errors import ArgumentError, UnsupportedError
from fsmooth.frontend.python.kinds import describe
from fsmooth.loops.identifiers import identifier
from fsmooth.pullbacks import Vjp
from fsmooth.rewrite.branch_sizes import sizes_in
from fsmooth.runtime.arrays import flatten
from fsmooth.shipping.libraries import arguments_in
from fsmooth.shipping.result_names import result_names

if TYPE_CHECKING:
    import casadi


def casadi_external(
    f: Callable[..., Any],
    /,
    *,
    example: Sequence[Any],
    name: str | None = None,
    order: int = 2,
    path: str | Path | None = None,
) -> casadi.Function:
    """A function and its derivatives, compiled, as a `casadi.Function`, for CasADi's expressions, solvers and integrators.

    `example` are arguments of the sizes that it is for.  Numbers, vectors (columns in CasADi) and matrices of real numbers are
    arguments and results; what the function captures is built in as it is now.  `order` is how often it can be differentiated:
    exact Hessians, which IPOPT asks for, take 2.  With a `path` the C is kept in `path.c` and the shared object in `path.so`,
    for `casadi.external(name, "path.so")` in other processes.

    Raises:
        UnsupportedError: if CasADi is not installed.
        ArgumentError: for arguments or results that CasADi has not, and names that it does not take.

    """
    if isinstance(f, Vjp):
        hint = "give the function itself: CasADi asks for its derivatives"
        raise ArgumentError(f"a vjp gives a function of Python\n  hint: {hint}")
    if order not in (0, 1, 2):
        raise ArgumentError(f"order={order!r}\n  hint: how often it can be differentiated, 0, 1 or 2")
    made = f if isinstance(f, Function) else function(f)
    called = name or identifier(made.program.name)
    if not _NAME.fullmatch(called) or called in _TAKEN or identifier(called) != called:
        hint = "letters and digits with single _ between them, name='v2'; no word of C, null, jac or hess"
        raise ArgumentError(f"{called!r} is no name of a function in CasADi\n  hint: {hint}")
    described = Described(made, arguments_in(example), called)
    try:
        import casadi  # noqa: PLC0415  (an extra)
    except ModuleNotFoundError:
        raise UnsupportedError("CasADi is not installed\n  hint: pip install 'fsmooth[casadi]'") from None
    from fsmooth.shipping.externals import compiled  # noqa: PLC0415  (the compiler is loaded when something is compiled)

    return casadi.external(called, str(compiled(described, order, path)), {"jac_penalty": _PENALTY})


_NAME = re.compile("[A-Za-z](_?[A-Za-z0-9])*")
_PENALTY = 4.0
"""CasADi takes a direction by `jac_f` where that has so many times fewer elements than there are directions.  By default, 2, it
does so for a gradient by one number, and `jac_f` has no derivative.
"""
_TAKEN = ("null", "jac", "hess")


class Described:
    """A program as CasADi sees it: the names and shapes of its arguments, the first of its parameters, and of its results."""

    def __init__(self, f: Function[..., Any], example: tuple[Any, ...], name: str) -> None:
        entry, values = f._entry(example, {})
        self.function, self.name, self.types = f, name, entry.types
        own = [q for q in entry.elaborated.parameters if q.fetch is None]
        self.arguments = [_real(f"argument {q.name}", q.type, values[q.name]) for q in own]
        if not own:
            raise ArgumentError(f"{f.program.name} has no argument of real numbers, and CasADi needs one")
        result = entry.elaborated.term.body.type
        if any([_reads_numbers(size) for size in sizes_in(entry.elaborated.term.body)]):
            hint = "CasADi's matrices have one size: fill the rest with zeros, or weight with 0 what is left out"
            raise ArgumentError(f"how many numbers {f.program.name} gives depends on its arguments\n  hint: {hint}")
        self.results = list(_shapes(f, example, result))
        named = result_names(f.program, [(q.name, q.type) for q in entry.elaborated.parameters], result)
        self.names_in, self.names_out = _names([q.name for q in own], named)

    def value(self) -> Interface:
        """The function itself."""
        results = [Gives(k, shape) for k, shape in enumerate(self.results)]
        return self._interface("", "value", self.inputs(), self.outputs(), [], results)

    def jacobian(self) -> Interface:
        """jac_NAME."""
        blocks = list(
            product(zip(self.results, self.names_out, strict=True), zip(self.arguments, self.names_in, strict=True))
        )
        outputs = [_block(f"jac_{y}_{x}", shape, by) for (shape, y), (by, x) in blocks]
        results = [Gives(k, shape, by) for k, ((shape, _), (by, _)) in enumerate(blocks)]
        return self._interface("jac_", "jacobian", [*self.inputs(), *self.outputs("out_", True)], outputs, [], results)

    def forward(self) -> Interface:
        """fwd1_NAME."""
        first = len(self.arguments) + len(self.results)
        more = [Given(first + k, shape) for k, shape in enumerate(self.arguments)]
        inputs = [*self.inputs(), *self.outputs("out_", True), *self.inputs("fwd_")]
        results = [Gives(k, shape) for k, shape in enumerate(self.results)]
        return self._interface("fwd1_", "forward", inputs, self.outputs("fwd_"), more, results)

    def reverse(self) -> Interface:
        """adj1_NAME."""
        results = [Gives(k, shape) for k, shape in enumerate(self.arguments)]
        inputs = [*self.inputs(), *self.outputs("out_", True), *self.outputs("adj_")]
        return self._interface("adj1_", "reverse", inputs, self.inputs("adj_"), self._seeds(), results)

    def second(self) -> Interface:
        """jac_adj1_NAME: of each cotangent by each argument, by each result, of which it does not depend, and by each seed."""
        outputs: list[Matrix] = []
        results: list[Gives] = []
        for x, name in zip(self.arguments, self.names_in, strict=True):
            for y, by in zip(self.arguments, self.names_in, strict=True):
                results.append(Gives(len(outputs), x, y))
                outputs.append(_block(f"jac_adj_{name}_{by}", x, y))
            for y, by in zip(self.results, self.names_out, strict=True):
                outputs.append(_block(f"jac_adj_{name}_out_{by}", x, y, is_nothing=True))
            for y, by in zip(self.results, self.names_out, strict=True):
                results.append(Gives(len(outputs), x, y))
                outputs.append(_block(f"jac_adj_{name}_adj_{by}", x, y))
        inputs = [*self.inputs(), *self.outputs("out_", True), *self.outputs("adj_"), *self.inputs("out_adj_", True)]
        return self._interface("jac_adj1_", "second", inputs, outputs, self._seeds(), results)

    def inputs(self, prefix: str = "", is_nothing: bool = False) -> list[Matrix]:
        """The arguments, or what has their sizes."""
        return [
            Matrix(prefix + n, *matrix_of(s), is_nothing) for n, s in zip(self.names_in, self.arguments, strict=True)
        ]

    def outputs(self, prefix: str = "", is_nothing: bool = False) -> list[Matrix]:
        """The results, or what has their sizes."""
        return [
            Matrix(prefix + n, *matrix_of(s), is_nothing) for n, s in zip(self.names_out, self.results, strict=True)
        ]

    def _seeds(self) -> list[Given]:
        first = len(self.arguments) + len(self.results)
        return [Given(first + k, shape) for k, shape in enumerate(self.results)]

    def _interface(
        self,
        prefix: str,
        kind: str,
        inputs: Sequence[Matrix],
        outputs: Sequence[Matrix],
        more: Sequence[Given],
        results: Sequence[Gives],
    ) -> Interface:
        own = [Given(k, shape) for k, shape in enumerate(self.arguments)]
        return Interface(prefix + self.name, f"{self.name}_{kind}", inputs, outputs, own, more, results)


def _block(name: str, shape: tuple[int, ...], by: tuple[int, ...], is_nothing: bool = False) -> Matrix:
    """A block of a Jacobian."""
    return Matrix(name, int(np.prod(shape)), int(np.prod(by)), is_nothing)


def _real(what: str, type_: Type, value: Any) -> tuple[int, ...]:
    """The shape of what CasADi can take or give.

    Raises:
        ArgumentError: for anything else.

    """
    own = unzipped(type_)
    if not isinstance(own, Array | Float) or leaf_of(own) != F64 or rank_of(own) > 2:
        hint = "numbers, vectors and matrices of float64; what is no argument of CasADi's can be built in, lambda x: f(x, 3)"
        raise ArgumentError(f"{what} is {describe(type_)}, which CasADi has not\n  hint: {hint}")
    return np.asarray(value).shape


def _shapes(f: Function[..., Any], example: tuple[Any, ...], type_: Type) -> Iterator[tuple[int, ...]]:
    """Of the results, as the example has them."""
    flat: list[Any] = []
    flatten(f(*example), unzipped(type_), "result", flat)
    parts, own = iter(flat), unzipped(type_)
    for k, leaf in enumerate(parts_in(own)):
        part = next(parts)
        yield _real(f"result {k}" if own is not leaf else "the result", leaf, part)
        for _ in range(rank_of(leaf)):
            next(parts)


def _reads_numbers(size: Term) -> bool:
    """Does a size depend on more than the sizes of the arguments?"""
    pending = [size]
    while pending:
        t = pending.pop()
        if isinstance(t, Var) and t.type != INT:
            return True
        if not isinstance(t, Length):
            pending.extend(children(t))
    return False


def _names(inputs: Sequence[str], outputs: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names that CasADi takes, each once."""
    taken: set[str] = set()

    def fresh(name: str, otherwise: str) -> str:
        found = name if _NAME.fullmatch(name) and name not in taken else otherwise
        taken.add(found)
        return found

    given = [fresh(x, f"i{k}") for k, x in enumerate(inputs)]
    return given, [fresh(x, f"o{k}") for k, x in enumerate(outputs)]
