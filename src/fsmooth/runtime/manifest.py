"""The manifest: what a later process needs to call a compiled program without elaborating it (design §7).

An interface says what the parameters are and which sizes are built in; an object says where the shared object of
one set of sizes is, and what its C text was.  Both are files of the cache, sealed with their hash.
"""

from __future__ import annotations

import functools
import os
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from fsmooth.backend.c.program import CProgram
from fsmooth.core.types import Type
from fsmooth.frontend.lookup import Lookup
from fsmooth.frontend.programs import Program
from fsmooth.frontend.readings import BuiltIn, Readings, Ways, read_again
from fsmooth.runtime import cache
from fsmooth.runtime.kept import Kept

MOST_WAYS = 16
"""So many lists of ways are kept of one program; they are compared one after the other."""


class Input(Struct, frozen=True):
    """A parameter: an argument of the call by name, or a captured value that `fetch` reads anew."""

    name: str
    type: Type
    fetch: Lookup | None


class Interface(Struct, frozen=True):
    """How to call a program for arguments of given types."""

    inputs: tuple[Input, ...]
    built_in: tuple[BuiltIn, ...]
    axes: tuple[tuple[int, int], ...]
    single: bool
    """Does float32 occur in it, so that it matters which numbers are weak (core.weak)?"""


class Compiled(Struct, frozen=True):
    """A shared object in the cache and the program in it."""

    file: str
    code: CProgram
    module: str


class Manifest:
    """The files of one program for arguments of given types and one schedule.

    One lists the ways that elaborations of it have gone (they differ where what was found on the first steps does); all
    others are for what is found on these ways.
    """

    def __init__(self, program: Program, arguments: Mapping[str, Type | object], root: str) -> None:
        self.program = program
        self.arguments = arguments
        self.root = root
        self.key = root

    def interface(self) -> Interface | None:
        """The interface, if a process before this one stored it and found what is found now."""
        for ways in self._ways():
            readings = read_again(self.program, self.arguments, ways)
            if readings is not None:
                key = cache.key(self.root, readings.digest())
                found = self._load(self._path("interface", key))
                if isinstance(found, tuple):
                    self.key = key
                    return _here(found, readings)
        return None

    def is_for(self, readings: Readings) -> bool:
        """Is what is made after these readings what belongs here, and can a later process tell?"""
        return readings.is_complete and self.key in (self.root, cache.key(self.root, readings.digest()))

    def store_interface(self, interface: Interface, readings: Readings) -> None:
        """Keep the interface for later processes that find the same."""
        inputs = [(q.name, q.type, q.fetch and readings.where(q.fetch)) for q in interface.inputs]
        built_in = [readings.where(q.fetch) for q in interface.built_in]
        self.key = cache.key(self.root, readings.digest())
        self._write("interface", (inputs, built_in, interface.axes, interface.single))
        known = self._ways()
        if readings.ways not in known:
            self._store(self._path("ways", self.root), [readings.ways, *known][:MOST_WAYS])

    def compiled(self, sizes: tuple[int, ...] | None, half: str = "program") -> Compiled | None:
        """The compiled program for these sizes (or another half of it), if its object is still there."""
        found = self._read(f"{half}-{sizes}")
        return found if isinstance(found, Compiled) and cache.is_whole(cache.directory() / found.file) else None

    def store_compiled(self, sizes: tuple[int, ...] | None, compiled: Compiled, half: str = "program") -> None:
        """Keep where the compiled program is."""
        self._write(f"{half}-{sizes}", compiled)

    def kept(self, sizes: tuple[int, ...] | None) -> Kept | None:
        """What the second half of a vjp takes."""
        found = self._read(f"kept-{sizes}")
        return found if isinstance(found, Kept) else None

    def store_kept(self, sizes: tuple[int, ...] | None, kept: Kept) -> None:
        """Keep what the second half of a vjp takes."""
        self._write(f"kept-{sizes}", kept)

    def _ways(self) -> list[Ways]:
        found = self._load(self._path("ways", self.root))
        return found if isinstance(found, list) else []

    def _path(self, what: str, key: str) -> Path:
        return cache.directory() / f"{cache.key(key, what)}.pickle"

    def _read(self, what: str) -> object:
        return self._load(self._path(what, self.key))

    def _write(self, what: str, value: object) -> None:
        self._store(self._path(what, self.key), value)

    def _load(self, path: Path) -> object:
        content = cache.read(path)
        if content is None:
            return None
        try:
            found: object = pickle.loads(content)  # written by this user, sealed with its hash
        except Exception:
            return None
        return found

    def _store(self, path: Path, value: object) -> None:
        try:
            content = pickle.dumps(value)
        except (pickle.PicklingError, AttributeError, TypeError):
            return
        cache.write(path, content)


def _here(found: tuple[Any, ...], readings: Readings) -> Interface:
    """A stored interface, with what it captures where it is in this process."""
    inputs, built_in, axes, single = found
    fetches = [readings.lookup(where) for where in built_in]
    return Interface(
        tuple([Input(name, type_, where and readings.lookup(where)) for name, type_, where in inputs]),
        tuple([BuiltIn(fetch, fetch()) for fetch in fetches]),
        axes,
        single,
    )


def manifest_of(
    program: Program,
    arguments: Mapping[str, Type | object],
    schedule: str,
    compiler: str,
    narrow: frozenset[tuple[str, int]] = frozenset(),
) -> Manifest | None:
    """The manifest of a program for arguments of these types (or values known at compile time), if it can have one.

    `narrow` are the arrays among them that have integers of 32 bits.
    """
    start = Readings(program, arguments)
    if not start.is_complete:
        return None
    root = cache.key(start.digest(), own_sources(), schedule, compiler, cache.processor(), repr(sorted(narrow)))
    return Manifest(program, arguments, root)


@functools.lru_cache(maxsize=1)
def own_sources() -> str:
    """A hash of the state of fsmooth's own files: an edited compiler never uses what its past self made."""
    found: list[tuple[str, int, int]] = []
    folders = [Path(__file__).parent.parent]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    folders.append(Path(entry.path))
                elif not entry.name.endswith(".pyc"):
                    status = entry.stat()
                    found.append((entry.path, status.st_size, status.st_mtime_ns))
    return cache.key(*[repr(one) for one in sorted(found)])
