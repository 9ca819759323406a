"""Compiles reference.c and makes calls on prepared pointers."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from fsmooth.runtime.compiler import find_compiler

FLAGS = ("-O3", "-march=native", "-ffast-math", "-fPIC")


class Reference:
    """The hand-written C, loaded."""

    def __init__(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="fsmooth-bench-"))
        compiler = [*find_compiler().command]
        source = Path(__file__).with_name("reference.c")
        subprocess.run([*compiler, *FLAGS, "-c", str(source), "-o", str(folder / "r.o")], check=True)
        subprocess.run([*compiler, "-shared", str(folder / "r.o"), "-o", str(folder / "r.so"), "-lm"], check=True)
        self.library = ctypes.CDLL(str(folder / "r.so"))

    def kernel(self, name: str, *arguments: object) -> Callable[[], object]:
        """A call without arguments; integers become int64_t, arrays pointers."""
        function = getattr(self.library, name)
        function.restype = None
        prepared = [
            ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else ctypes.c_int64(int(str(a)))
            for a in arguments
        ]
        held = list(arguments)
        return lambda: (function(*prepared), held)[1]
