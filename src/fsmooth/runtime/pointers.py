"""Compiled programs as C functions, for whoever calls C: ctypes, numba, `scipy.LowLevelCallable`."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from fsmooth.backend.c.names import c_type
from fsmooth.backend.c.program import CProgram
from fsmooth.core.integers import FARTHEST
from fsmooth.core.types import BOOL, F32, F64, INT, Type, unzipped
from fsmooth.errors import ArgumentError
from fsmooth.runtime.arrays import C_TYPES
from fsmooth.runtime.library import Library


class CFunction:
    """A C function of a compiled program, which lasts as long as the process.

    Attributes:
        ctypes: it, for ctypes, numba and `scipy.LowLevelCallable`.
        address: where it is.
        prototype: what C knows of it.

    """

    def __init__(self, function: Any, prototype: str) -> None:
        self.ctypes = function
        self.prototype = prototype
        self.address = ctypes.cast(function, ctypes.c_void_p).value

    @property
    def symbol_name(self) -> str:
        """Its name in C."""
        name: str = self.ctypes.__name__
        return name

    def __call__(self, *args: object) -> object:
        """A call through ctypes."""
        return self.ctypes(*args)

    def __repr__(self) -> str:
        return f"<C function {self.prototype}>"


def kernel_of(library: Library) -> CFunction:
    """The kernel itself."""
    name = library.code.name
    start = library.code.header.index(f"int32_t {name}(")
    prototype = library.code.header[start : library.code.header.index(";", start)]
    return CFunction(library.kernel, " ".join(prototype.split()))


class Wrapper(Struct, frozen=True):
    """A C function that calls a program and gives its number: its prototype, its body, and its types for ctypes."""

    name: str
    prototype: str
    body: str
    result: Any
    parameters: tuple[Any, ...]

    @property
    def text(self) -> str:
        """It in C, behind the text of the program."""
        return f"\n#include <math.h>\n{self.prototype};\n{self.prototype} {{\n{self.body}}}\n"

    def of(self, library: Library) -> CFunction:
        """It, in a library that has its text."""
        function = getattr(library.handle, self.name)
        function.restype, function.argtypes = self.result, list(self.parameters)
        return CFunction(function, self.prototype)


def of_numbers(code: CProgram) -> Wrapper:
    """`double f(double, …)`, for a program of numbers.

    Raises:
        ArgumentError: if it is none.

    """
    given, result = _types(code, (F64, F32, INT, BOOL), "numbers")
    names = [f"x{k}" for k in range(len(given))]
    parameters = ", ".join([f"{c_type(q)} {name}" for q, name in zip(given, names, strict=True)]) or "void"
    name = f"{code.name}_value"
    deciding = [names[k] for k in sorted(code.deciding_numbers) if given[k] == INT]
    return Wrapper(
        name,
        f"{c_type(result)} {name}({parameters})",
        _body(code, result, names, [f"{x} < -{FARTHEST} || {x} > {FARTHEST}" for x in deciding]),
        C_TYPES[result],
        tuple([C_TYPES[q] for q in given]),
    )


def of_an_array(code: CProgram) -> Wrapper:
    """`double f(int, double *)`, for a program of float64 numbers, which are the elements of an array.

    Raises:
        ArgumentError: if it takes or gives anything else.

    """
    given, result = _types(code, (F64,), "float64")
    name = f"{code.name}_integrand"
    return Wrapper(
        name,
        f"double {name}(int count, double *x)",
        _body(code, result, [f"x[{k}]" for k in range(len(given))], [f"count != {len(given)}"]),
        C_TYPES[F64],
        (ctypes.c_int, ctypes.POINTER(ctypes.c_double)),
    )


def _types(code: CProgram, allowed: Sequence[Type], what: str) -> tuple[list[Type], Type]:
    """What a program of numbers takes and gives."""
    given, result = [unzipped(q) for q in code.parameters], unzipped(code.result)
    if result not in (F64, F32) or result not in allowed or any([q not in allowed for q in given]):
        raise ArgumentError(
            f"{code.name}: a C function of {what} takes {what} and gives a real number; "
            f"this one takes {', '.join(map(str, given)) or 'nothing'} and gives {result}\n"
            "  hint: .pointer() is the C function of any program"
        )
    return given, result


def _body(code: CProgram, result: Type, arguments: Sequence[str], refused: Sequence[str]) -> str:
    """The call; what is refused, or fails, gives NaN, which callers understand.

    Numbers from which sizes are computed must not make them wrap around (runtime/library.py).
    """
    lines = [f"    if ({condition}) return NAN;" for condition in refused]
    handed = "".join([f"{x}, " for x in arguments])
    call = f"{code.name}({handed}&result, &error)"
    lines += [
        "    fs_error error;",
        f"    {c_type(result)} result;",
        f"    return {call} ? ({c_type(result)})NAN : result;",
    ]
    return "".join([f"{line}\n" for line in lines])
