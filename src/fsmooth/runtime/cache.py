"""Compiled objects on disk, safe under concurrent processes and kills (design §7).

An object is written under a temporary name and moved into place, so a reader sees it whole or not at all.  Its
name is the hash of everything it depends on: the C text, the compiler, its flags, the processor.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import platform
import shutil
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from fsmooth.errors import CacheError
from fsmooth.logs import tell, timed
from fsmooth.runtime.compiler import Compiler


class CacheWarning(UserWarning):
    """The cache cannot be used; a temporary directory serves for this process."""


def directory() -> Path:
    """The cache directory: `$FSMOOTH_CACHE_DIR`, else the user's cache directory; made if it does not exist.

    Raises:
        CacheError: if not even a temporary directory can be made.

    """
    return _directory(os.environ.get("FSMOOTH_CACHE_DIR"))


@functools.lru_cache(maxsize=8)
def _directory(chosen: str | None) -> Path:
    if chosen:
        wanted = Path(chosen)
    else:
        base = os.environ.get("XDG_CACHE_HOME")
        wanted = (Path(base) if base else Path.home() / ".cache") / "fsmooth"
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wanted):
            return wanted
    except OSError as error:
        warnings.warn(
            f"the cache {wanted} cannot be written ({error}); using a temporary directory", CacheWarning, stacklevel=2
        )
    try:
        own = Path(tempfile.mkdtemp(prefix="fsmooth-"))
    except OSError as error:
        raise CacheError(f"no directory for compiled programs: {error}\n  hint: set FSMOOTH_CACHE_DIR") from error
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return own


def key(*parts: str) -> str:
    """A name for everything in `parts`."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode())
        digest.update(b"\0")
    return digest.hexdigest()[:32]


@functools.lru_cache(maxsize=1)
def processor() -> str:
    """What `-march=native` depends on."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith(("flags", "Features")):
                return key(line)
    except OSError:
        pass
    return platform.processor() or platform.machine()


class Functions(Struct, frozen=True):
    """C functions that many programs share, and the level of optimisation at which they are built."""

    source: str
    level: str = "-O1"


def compiled(
    source: str, statements: int, compiler: Compiler, functions: Sequence[Functions] = (), prefix: str = ""
) -> Path:
    """The shared object of a C text, from the cache or newly built, linked with `functions`, each of which is built once.

    Its name begins with the prefix.

    What is not there yet is compiled at once, on as many processors as there are.
    """
    target = directory() / f"{prefix}{_name(compiler, source, *[f.source for f in functions])}.so"
    if not is_whole(target):
        with timed("C of %d statements compiled by %s", statements, compiler.version):
            files = [(_object_file(f, compiler), f) for f in functions]
            made = [file for file, _ in files if is_whole(file)]
            missing = [functools.partial(_object, file, f, compiler) for file, f in files if file not in made]
            _make(target, lambda work: _build(work, source, statements, compiler, made, missing))
    else:
        tell("C of %d statements found in the cache", statements)
    return target


def _name(compiler: Compiler, *texts: str) -> str:
    return key(*texts, compiler.version, *compiler.command, *compiler.flags, processor())


def _object_file(functions: Functions, compiler: Compiler) -> Path:
    return directory() / f"{_name(compiler, functions.source, functions.level)}.o"


def _object(target: Path, functions: Functions, compiler: Compiler) -> Path:
    """C functions, built as the object file `target`."""

    def build(work: Path) -> Path:
        text, made = work / "functions.c", work / "functions.o"
        text.write_text(functions.source)
        compiler.build_object(text, made, functions.level)
        return made

    _make(target, build)
    return target


def _build(
    work: Path,
    source: str,
    statements: int,
    compiler: Compiler,
    made: Sequence[Path],
    missing: Sequence[Callable[[], Path]],
) -> Path:
    text, target = work / "program.c", work / "program.so"
    text.write_text(source)
    compiler.build(text, target, statements, made, missing)
    return target


def _make(target: Path, make: Callable[[Path], Path]) -> None:
    """What `make` writes, sealed and moved to `target` in one step."""
    try:
        work = Path(tempfile.mkdtemp(prefix="build-", dir=target.parent))
    except OSError as error:
        raise CacheError(f"the cache {target.parent} cannot be written: {error}") from error
    try:
        made = make(work)
        with made.open("ab") as file:
            file.write(_seal(made.read_bytes()))
        made.replace(target)
    except OSError as error:
        raise CacheError(f"the cache {target.parent} cannot be written: {error}") from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def write(target: Path, content: bytes) -> None:
    """Store `content` at `target`, whole or not at all; a cache that cannot be written is left alone."""

    def make(work: Path) -> Path:
        made = work / target.name
        made.write_bytes(content)
        return made

    try:
        _make(target, make)
    except CacheError as error:
        warnings.warn(str(error), CacheWarning, stacklevel=2)


_MARK = b"fsmooth:"
_SEAL = len(_MARK) + 64


def _seal(content: bytes) -> bytes:
    return _MARK + hashlib.sha256(content).hexdigest().encode()


def read(path: Path) -> bytes | None:
    """What was written there, or None if there is nothing; what is corrupt is removed."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    if content[-_SEAL:] == _seal(content[:-_SEAL]):
        return content[:-_SEAL]
    path.unlink(missing_ok=True)
    return None


def is_whole(path: Path) -> bool:
    """Does the file exist, and is it what was written?  A corrupt one is removed."""
    return read(path) is not None


def clear() -> int:
    """Remove everything, what killed processes left too; gives the number of programs."""
    programs = 0
    for file in directory().iterdir():
        if file.is_dir() and file.name.startswith("build-"):
            shutil.rmtree(file, ignore_errors=True)
        elif file.suffix in (".so", ".o", ".pickle"):
            file.unlink(missing_ok=True)
            programs += file.suffix == ".so"
    return programs
