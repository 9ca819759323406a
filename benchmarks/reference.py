"""Compiles hand-written C and makes calls on prepared pointers."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fsmooth.runtime.compiler import find_compiler

FORWARD = Path(__file__).with_name("reference.c")
FLAGS = ("-O3", "-march=native", "-ffast-math", "-fPIC")
NARROW, WIDE = 16, 48
"""Integers and pointers that the two trampolines of repeat.c pass."""
FLOATS = 4
"""Floating-point numbers that both pass."""


class Reference:
    """The hand-written C of one file beside `repeat.c`, loaded."""

    def __init__(self, source: Path = FORWARD, flags: Sequence[str] = (), libraries: Sequence[str] = ("-lm",)) -> None:
        compiler = [*find_compiler().command]
        with tempfile.TemporaryDirectory(prefix="fsmooth-bench-") as name:
            folder = Path(name)
            objects = []
            for k, part in enumerate((source, Path(__file__).with_name("repeat.c"))):
                objects.append(str(folder / f"{k}.o"))
                subprocess.run([*compiler, *FLAGS, *flags, "-c", str(part), "-o", objects[-1]], check=True)
            subprocess.run([*compiler, "-shared", *objects, "-o", str(folder / "r.so"), *libraries], check=True)
            self.library = ctypes.CDLL(str(folder / "r.so"))

    def kernel(self, name: str, *arguments: object) -> Kernel:
        """A call without arguments; integers become int64_t, arrays pointers."""
        return Kernel(self, getattr(self.library, name), arguments, list(arguments))


class Kernel:
    """A C function with prepared arguments: called once, or many times from C."""

    def __init__(self, reference: Reference, function: object, arguments: Sequence[object], result: object) -> None:
        self.result, self.held = result, list(arguments)
        integers = [_integer(a) for a in arguments if not isinstance(a, float)]
        floats = [a for a in arguments if isinstance(a, float)]
        if len(integers) > WIDE or len(floats) > FLOATS:
            raise ValueError("too many arguments for the trampoline")
        library = reference.library
        self.repeat = library.repeat if len(integers) <= NARROW else library.repeat_wide
        self.integers = (ctypes.c_int64 * WIDE)(*integers)
        self.floats = (ctypes.c_double * FLOATS)(*floats)
        self.function = ctypes.cast(function, ctypes.c_void_p)  # type: ignore[arg-type]

    def __call__(self) -> object:
        self.repeated(1)
        return self.result

    def repeated(self, times: int) -> int:
        """Call it `times` times; what the last call returns, which for functions that return nothing says nothing."""
        returned: int = self.repeat(ctypes.c_int64(times), self.function, self.integers, self.floats)
        return returned


def _integer(argument: object) -> int:
    if isinstance(argument, np.ndarray):
        return int(argument.ctypes.data)
    return int(argument)  # type: ignore[call-overload, no-any-return]
