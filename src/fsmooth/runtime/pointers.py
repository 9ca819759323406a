"""Compiled programs as C functions, for whoever calls C: ctypes, numba, `scipy.LowLevelCallable`."""

from __future__ import annotations

import ctypes
from typing import Any

from fsmooth.backend.c.program import CProgram
from fsmooth.core.types import BOOL, F32, F64, INT, Type, unzipped
from fsmooth.errors import ArgumentError
from fsmooth.runtime.arrays import C_TYPES
from fsmooth.runtime.library import Library

_IN_C = {F64: "double", F32: "float", INT: "int64_t", BOOL: "bool"}


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


class OfNumbers:
    """The C function of numbers that gives a number, for a program that is one; `packed`: its arguments are one array."""

    def __init__(self, code: CProgram, *, packed: bool) -> None:
        """Raises ArgumentError if the program takes or gives something else."""
        types = [unzipped(q) for q in (*code.parameters, code.result)]
        *given, result = types
        other = next((q for q in types if q not in _IN_C), None)
        allowed = (F64,) if packed else tuple(_IN_C)
        if other is not None or result not in (F64, F32) or not all([q in allowed for q in (*given, result)]):
            wanted = "float64" if packed else "numbers"
            raise ArgumentError(
                f"{code.name}: a C function of {wanted} takes {wanted} and gives a real number; "
                f"this one takes {', '.join(map(str, given)) or 'nothing'} and gives {result}\n"
                "  hint: .pointer() is the C function of any program"
            )
        self.name = f"{code.name}_{'packed' if packed else 'value'}"
        self._code, self._packed, self._given, self._result = code, packed, given, result

    @property
    def prototype(self) -> str:
        """What C knows of it."""
        parts = [f"{_IN_C[q]} x{k}" for k, q in enumerate(self._given)] or ["void"]
        parameters = "int count, double *x" if self._packed else ", ".join(parts)
        return f"{_IN_C[self._result]} {self.name}({parameters})"

    @property
    def text(self) -> str:
        """It in C.  Where the program reports a failure it gives NaN, which its callers understand."""
        kind, count = _IN_C[self._result], len(self._given)
        arguments = "".join([f"x[{k}], " if self._packed else f"x{k}, " for k in range(count)])
        lines = [f"{self.prototype};", f"{self.prototype} {{", "    fs_error error;", f"    {kind} result;"]
        if self._packed:
            lines.append(f"    if (count != {count}) return NAN;")
        lines += [f"    return {self._code.name}({arguments}&result, &error) ? ({kind})NAN : result;", "}", ""]
        return "\n".join(["", "#include <math.h>", *lines])

    def of(self, library: Library) -> CFunction:
        """It, in a library that has its text."""
        function = getattr(library.handle, self.name)
        function.restype = _ctype(self._result)
        function.argtypes = (
            [ctypes.c_int, ctypes.POINTER(ctypes.c_double)] if self._packed else [_ctype(q) for q in self._given]
        )
        return CFunction(function, self.prototype)


def _ctype(type_: Type) -> Any:
    return C_TYPES[type_]
