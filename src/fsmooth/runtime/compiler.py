"""Finding a C compiler and calling it.

The order is `$FSMOOTH_CC`, then `cc`, `gcc`, `clang`, then the `ziglang` wheel.  Flags are those that the emitted
code is written for; `$FSMOOTH_CFLAGS` is appended.  With gcc on x86-64 glibc `-lm` is a linker script that brings in
libmvec as needed.  Never `-ffast-math`: linking with it changes the floating-point mode of the whole process.
"""

from __future__ import annotations

import functools
import importlib.util
import itertools
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from fsmooth.errors import CompilationError, CompilerNotFoundError

LARGE, HUGE = 5_000, 10_000
"""Programs of more statements are built with -O1, with -O0: register allocation takes quadratic time in these."""
LONG = 400
"""Programs of more statements are built without what takes gcc a third of its time and buys them nothing: ranges of integers
(gcc 12 took minutes for a program of 5,000 lines), common subexpressions of registers, and loops that are split or written
twice for a condition, as our own passes share and split.  Of seven programs of 400 to 800 statements, measured one by one, six
run as fast and one, the derivative of a hand, in 0.87 of the time.
"""


_SHARED = ("-shared", "-Wl,-Bsymbolic")
"""The second: the C library may have a function of the program's name, such as `step` or `advance`."""


def level_for(statements: int) -> str:
    """The level of optimisation for a program of so many statements, and for all parts of it."""
    return "-O0" if statements > HUGE else "-O1" if statements > LARGE else "-O3"


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Compiler(Struct, frozen=True):
    """A C compiler: how to call it, what it is, its flags, those besides for long programs, and those that choose a linker."""

    command: tuple[str, ...]
    version: str
    flags: tuple[str, ...]
    for_long: tuple[str, ...] = ()
    linker: tuple[str, ...] = ()

    def line(self, source: Path, target: Path, statements: int = 0, objects: Sequence[Path] = ()) -> list[str]:
        """The command that builds a shared object, linked with object files."""
        linked = [str(file) for file in (source, *objects)]
        return [*self._for_programs(statements), *self.linker, *_SHARED, "-o", str(target), *linked, "-lm"]

    def _for_programs(self, statements: int) -> list[str]:
        """The compiler with its flags for a program of so many statements."""
        besides = self.for_long if statements > LONG else ()
        return [*self.command, level_for(statements), *besides, *self.flags]

    def build(
        self,
        source: Path,
        target: Path,
        statements: int = 0,
        objects: Sequence[Path] = (),
        others: Sequence[Callable[[], Path]] = (),
    ) -> None:
        """Compile `source` to the shared object `target`, with object files, and with those that `others` make.

        Where there are processors for it, these are made while `source` is compiled.

        Raises:
            CompilationError: with what a compiler printed.

        """
        if others and processors() > 1:
            from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  (for the first program on a machine)

            own = target.with_suffix(".o")
            with ThreadPoolExecutor(processors()) as pool:
                made = [pool.submit(other) for other in others]
                self._run([*self._for_programs(statements), "-c", "-o", str(own), str(source)])
                objects = [*objects, *[other.result() for other in made]]
            source = own
        else:
            objects = [*objects, *[other() for other in others]]
        try:
            self._run(self.line(source, target, statements, objects))
        except CompilationError:
            if not self.linker:
                raise
            self._run(replace(self, linker=()).line(source, target, statements, objects))

    def build_object(self, source: Path, target: Path, level: str = "-O1") -> None:
        """Compile `source` to the object file `target`, at a level of optimisation.

        Raises:
            CompilationError: with what the compiler printed.

        """
        self._run([*self.command, level, "-c", *self.flags, "-o", str(target), str(source)])

    def _run(self, line: list[str]) -> None:
        try:
            result = subprocess.run(line, capture_output=True, text=True, check=False)
        except OSError as error:
            raise CompilationError(f"the C compiler cannot be run: {shlex.join(line)}\n{error}") from error
        if result.returncode != 0:
            raise CompilationError(f"the C compiler failed: {shlex.join(line)}\n{result.stderr[:4000]}")


def find_compiler() -> Compiler:
    """The compiler to use.

    Raises:
        CompilerNotFoundError: if there is none; the message says what to install.

    """
    return _find(*_environment())


def identity() -> str:
    """What distinguishes this machine's compiler and flags from another, found without running it."""
    chosen, extra, path = _environment()
    try:
        command = _command(chosen, path)
    except CompilerNotFoundError:
        return "none"
    found = Path(shutil.which(command[0]) or command[0]).resolve()
    try:
        status = found.stat()
    except OSError:
        return "none"
    return repr((command, str(found), status.st_size, status.st_mtime_ns, extra))


def _environment() -> tuple[str | None, str, str]:
    return os.environ.get("FSMOOTH_CC"), os.environ.get("FSMOOTH_CFLAGS", ""), os.environ.get("PATH", "")


@functools.lru_cache(maxsize=8)
def _find(chosen: str | None, extra: str, path: str) -> Compiler:
    return _identified(_command(chosen, path), extra)


@functools.lru_cache(maxsize=8)
def _command(chosen: str | None, path: str) -> tuple[str, ...]:
    if chosen:
        command = tuple(shlex.split(chosen))
        if not command or shutil.which(command[0], path=path) is None:
            raise CompilerNotFoundError(f"$FSMOOTH_CC is {chosen!r}, which is not a program on this machine")
        return command
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name, path=path) is not None:
            return (name,)
    if importlib.util.find_spec("ziglang") is not None:
        return (sys.executable, "-m", "ziglang", "cc")
    raise CompilerNotFoundError(
        "no C compiler was found (looked for $FSMOOTH_CC, cc, gcc, clang and the ziglang package)\n"
        "  hint: install gcc or clang, or: pip install ziglang"
    )


def _identified(command: tuple[str, ...], extra: str) -> Compiler:
    try:
        printed = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError as error:
        raise CompilerNotFoundError(f"{command[0]} cannot be run: {error}") from error
    version = (printed.splitlines() or [""])[0]
    flags = ["-march=native", "-std=gnu99", "-fPIC", "-fno-math-errno", "-fwrapv", "-fopenmp-simd"]
    for_long: tuple[str, ...] = ()
    linker: tuple[str, ...] = ()
    if "clang" not in printed.lower():  # zig is a clang
        linker = _fast_linker(command, extra)
        for_long = ("-fno-tree-vrp", "-fno-gcse", "-fno-split-loops", "-fno-unswitch-loops")
        flags.append("-fno-trapping-math")
        flags.append(
            "-falign-functions=64"
        )  # the loop of a sparse product takes a fifth longer at some other addresses
        flags.append("-fno-gcse")  # a sixth of the time of large programs, for what is shared in the C already
        flags.append("-fno-split-loops")  # the second half of a loop that gcc splits loses its `omp simd`
        flags.extend(_without_gathers(command))
    elif platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc":
        flags.append("-fveclib=libmvec")
    return Compiler(command, version, (*flags, *shlex.split(extra)), for_long, linker)


def _fast_linker(command: tuple[str, ...], extra: str) -> tuple[str, ...]:
    """The flag for gold, if it is there: GNU ld takes twice as long to read the C library's names.

    Whoever chose a compiler, or a linker, gets what it links with; what gold cannot link, GNU ld does.
    """
    if command not in (("cc",), ("gcc",)) or "-fuse-ld" in extra or shutil.which("ld.gold") is None:
        return ()
    return ("-fuse-ld=gold",)


NO_GATHERS = "-mtune-ctrl=^use_gather"


def _without_gathers(command: tuple[str, ...]) -> list[str]:
    """The flag, if this gcc has it, with which x[i[k]] is read element by element on AMD processors with AVX-512.

    There that is up to twice as fast as a gather instruction, which gcc 12 writes: it takes these processors for older ones
    with wider vectors.
    """
    if not _has_slow_gathers():
        return []
    line = [*command, "-march=native", NO_GATHERS, "-fsyntax-only", "-x", "c", os.devnull]
    try:
        found = subprocess.run(line, capture_output=True, check=False)
    except OSError:
        return []
    return [NO_GATHERS] if found.returncode == 0 else []


def _has_slow_gathers(description: Path = Path("/proc/cpuinfo")) -> bool:
    """Is the processor one of AMD's that has AVX-512?"""
    try:
        with description.open(encoding="utf-8") as lines:
            first = list(itertools.takewhile(str.strip, lines))
    except OSError:
        return False
    return any(["AuthenticAMD" in x for x in first]) and any(
        [x.startswith("flags") and " avx512f " in x for x in first]
    )
