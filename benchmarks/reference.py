"""Compiles reference.c and makes calls on prepared pointers."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fsmooth.runtime.compiler import find_compiler

FLAGS = ("-O3", "-march=native", "-ffast-math", "-fPIC")


class Reference:
    """The hand-written C, loaded."""

    def __init__(self) -> None:
        compiler = [*find_compiler().command]
        source = Path(__file__).with_name("reference.c")
        with tempfile.TemporaryDirectory(prefix="fsmooth-bench-") as name:
            folder = Path(name)
            subprocess.run([*compiler, *FLAGS, "-c", str(source), "-o", str(folder / "r.o")], check=True)
            subprocess.run([*compiler, "-shared", str(folder / "r.o"), "-o", str(folder / "r.so"), "-lm"], check=True)
            self.library = ctypes.CDLL(str(folder / "r.so"))

    def kernel(self, name: str, *arguments: object) -> Kernel:
        """A call without arguments; integers become int64_t, arrays pointers."""
        return Kernel(self, getattr(self.library, name), arguments, list(arguments))

    def repeat(self, times: int, function: object, integers: object, floats: object) -> None:
        """Call a C function `times` times from C."""
        self.library.repeat(ctypes.c_int64(times), function, integers, floats)


class Kernel:
    """A C function with prepared arguments: called once, or many times from C."""

    def __init__(self, reference: Reference, function: object, arguments: Sequence[object], result: object) -> None:
        self.reference, self.result, self.held = reference, result, list(arguments)
        integers = [_integer(a) for a in arguments if not isinstance(a, float)]
        floats = [a for a in arguments if isinstance(a, float)]
        if len(integers) > 16 or len(floats) > 2:
            raise ValueError("too many arguments for the trampoline")
        self.integers = (ctypes.c_int64 * 16)(*integers)
        self.floats = (ctypes.c_double * 2)(*floats)
        self.function = ctypes.cast(function, ctypes.c_void_p)  # type: ignore[arg-type]

    def __call__(self) -> object:
        self.repeated(1)
        return self.result

    def repeated(self, times: int) -> None:
        """Call it `times` times."""
        self.reference.repeat(times, self.function, self.integers, self.floats)


def _integer(argument: object) -> int:
    if isinstance(argument, np.ndarray):
        return int(argument.ctypes.data)
    return int(argument)  # type: ignore[call-overload, no-any-return]
