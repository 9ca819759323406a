"""A program for arguments of given types, compiled once for each set of static sizes (design §2, §7)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.core.narrow import Arrays, count_of_arrays
from fsmooth.core.trees import records
from fsmooth.core.types import F32, Type, leaf_of
from fsmooth.core.weak import weakness
from fsmooth.errors import ArgumentError
from fsmooth.frontend.programs import Program
from fsmooth.logs import Arguments, tell, tell_stages, timed
from fsmooth.progress import shown
from fsmooth.runtime.arrays import infer_type
from fsmooth.runtime.built_in import copied, same
from fsmooth.runtime.foreign import as_numpy

if TYPE_CHECKING:
    from pathlib import Path

    from fsmooth.backend.c.program import CProgram
    from fsmooth.driver import Stages
    from fsmooth.frontend.elaborate import Elaborated
    from fsmooth.optimise.schedule import Schedule
    from fsmooth.rewrite.trace import Trace
    from fsmooth.runtime.cache import Functions
    from fsmooth.runtime.library import Library
    from fsmooth.runtime.manifest import Compiled, Interface
    from fsmooth.runtime.pointers import CFunction, Wrapper

NOT_THERE = (LookupError, AttributeError, TypeError, ValueError)
"""What fetching a captured value raises when it is gone; elaborating anew says so at the user's line."""


class Entry:
    """A program for arguments of given types; compiled once for each set of static sizes."""

    def __init__(
        self,
        program: Program,
        schedule: str | Schedule,
        types: Mapping[str, Type | object],
        accept: Callable[[Stages], None] | None = None,
        narrow: frozenset[tuple[str, int]] = frozenset(),
    ) -> None:
        """`narrow` are the arrays with integers of 32 bits: the name of the argument, and which of the arrays in it."""
        from fsmooth.runtime.compiler import identity  # noqa: PLC0415  (loaded by the first call)
        from fsmooth.runtime.manifest import manifest_of  # noqa: PLC0415

        self.program = program
        self.schedule = schedule
        self.types = types
        self.accept = accept
        content = schedule if isinstance(schedule, str) else schedule.content
        self.manifest = manifest_of(program, types, content, identity(), narrow)
        self.libraries: dict[tuple[int, ...] | None, Library] = {}
        self.on_records: dict[tuple[int, ...] | None, Library | None] = {}
        self.made: dict[tuple[int, ...] | None, Stages] = {}
        self.latest: tuple[int, ...] | None = None
        self.lock = threading.RLock()
        self.quick: Callable[..., Any] | None = None
        self._elaborated: Elaborated | None = None
        found = self.manifest.interface() if self.manifest is not None else None
        if found is None:
            found = self._new_interface()
            if self.manifest is not None:
                self.manifest.store_interface(found, self.elaborated.readings)
        self.interface: Interface = found
        places = {q.name: k for k, q in enumerate(found.inputs) if q.fetch is None}
        self.narrow: Arrays = frozenset([(places[name], k) for name, k in narrow if name in places])
        self.snapshots = [copied(q.value) for q in found.built_in]
        self.captured = [(q.fetch, q.name, q.type) for q in found.inputs if q.fetch is not None]
        self.in_order = tuple([q.name for q in found.inputs if q.fetch is None]) == tuple(program.signature.parameters)

    def _new_interface(self) -> Interface:
        from fsmooth import driver  # noqa: PLC0415  (the compiler is loaded when something is compiled)
        from fsmooth.core.traverse import subterms  # noqa: PLC0415
        from fsmooth.runtime.manifest import Input, Interface  # noqa: PLC0415

        elaborated = self.elaborated
        inputs = [Input(q.name, q.type, q.fetch) for q in elaborated.parameters]
        single = any([leaf_of(part.type) == F32 for part in subterms(elaborated.term)])
        built_in = tuple(elaborated.readings.built_in)
        return Interface(tuple(inputs), built_in, tuple(sorted(driver.static_axes(elaborated))), single)

    @property
    def elaborated(self) -> Elaborated:
        """The program as a term."""
        if self._elaborated is None:
            from fsmooth import driver  # noqa: PLC0415

            with timed("%s(%s): read", self.program.name, Arguments(self.types)):
                self._elaborated = driver.to_term(self.program, self.types)
            if self.manifest is not None and not self.manifest.is_for(self._elaborated.readings):
                self.manifest = None
        return self._elaborated

    def is_current(self) -> bool:
        """Are the values that were built in still the same, and the captured ones of the same types?"""
        try:
            for built_in, snapshot in zip(self.interface.built_in, self.snapshots, strict=True):
                value = built_in.fetch()
                if value is not snapshot and not same(value, snapshot):
                    return False
            return all([self._fits(infer_type(fetch(), name), type_) for fetch, name, type_ in self.captured])
        except NOT_THERE:
            return False

    def _fits(self, found: Type, wanted: Type) -> bool:
        """Is it the type that was compiled for, where that matters also in which numbers are weak?"""
        if found != wanted or records(found) != records(wanted):
            return False
        return not self.interface.single or weakness(found) == weakness(wanted)

    def __call__(self, values: Mapping[str, object], out: object | None) -> object:
        library, inputs = self.library_for(values)
        self.quick = self.fast(library)
        return library(inputs, out)

    def inputs(self, values: Mapping[str, object]) -> list[object]:
        """The values of all parameters, captured ones fetched."""
        given = [(q.name, q.fetch() if q.fetch is not None else values[q.name]) for q in self.interface.inputs]
        return [as_numpy(value, name) for name, value in given]

    def library_for(self, values: Mapping[str, object]) -> tuple[Library, list[object]]:
        """The library for the sizes of these arguments, compiled if need be."""
        inputs = self.inputs(values)
        sizes = self.sizes(inputs)
        library = self.libraries.get(sizes)
        if library is None:
            with self.lock:
                if sizes not in self.libraries and len(self.libraries) >= thresholds.STATIC_SIGNATURES:
                    sizes = None
                if sizes not in self.libraries:
                    with shown(f"compiling {self.program.name}"):
                        self.libraries[sizes] = self.load(sizes, inputs)
                library = self.libraries[sizes]
        return library, inputs

    def fast(self, library: Library) -> Callable[..., Any] | None:
        """The quickest way to call this library: the shim, with captured values checked and fetched before."""
        call = library.fast
        if call is None or not self.in_order:
            return None
        if not self.interface.built_in and not self.captured:
            return call
        fetches = [fetch for fetch, _, _ in self.captured]
        checks = [(q.fetch, snapshot) for q, snapshot in zip(self.interface.built_in, self.snapshots, strict=True)]

        def fetched(*args: object, **out: object) -> object:
            try:
                for fetch, snapshot in checks:
                    value = fetch()
                    if value is not snapshot and not same(value, snapshot):
                        return None
                values = [fetch() for fetch in fetches]
            except NOT_THERE:
                return None
            return call(*args, *values, **out)

        return fetched

    def sizes(self, inputs: list[object]) -> tuple[int, ...] | None:
        """The sizes that are built in, or None for the program that serves all sizes."""
        if not self.interface.axes:
            return None
        found = []
        for position, axis in self.interface.axes:
            size = length(inputs[position], axis)
            if size > thresholds.STATIC_LENGTH:
                return None
            found.append(size)
        return tuple(found)

    def static(self, sizes: tuple[int, ...] | None) -> dict[tuple[int, int], int]:
        """The sizes that are built in, by position of the parameter and axis."""
        return {} if sizes is None else dict(zip(self.interface.axes, sizes, strict=True))

    def stages_for(self, values: Mapping[str, object]) -> Stages:
        """Every stage for these arguments, without compiling the C."""
        return self.stages(self.sizes(self.inputs(values)))

    def stages(self, sizes: tuple[int, ...] | None) -> Stages:
        """Every stage up to the C text."""
        with self.lock:
            if sizes not in self.made:
                name = self.program.name
                self.made[sizes] = self.compiled(sizes)
                tell_stages(name, self.made[sizes].seconds)
            self.latest = sizes
            return self.made[sizes]

    def compiled(self, sizes: tuple[int, ...] | None, trace: Trace | None = None) -> Stages:
        """The same, made anew; `trace` is what notes which rules fired."""
        from fsmooth import driver  # noqa: PLC0415  (the compiler is loaded when something is compiled)

        static = self.static(sizes)
        return driver.compile_program(self.elaborated, self.program.name, self.schedule, static, trace, self.narrow)

    def load(self, sizes: tuple[int, ...] | None, inputs: list[object]) -> Library:
        """Find the compiled program in the cache, or compile it, and load it.

        What is compiled for the first time is checked with these inputs, as far as users' rules are to be.  What is not
        accepted raises, before.
        """
        self.latest = sizes
        if self.accept is not None:
            self.ask(self.accept, sizes)
        compiled = self.manifest.compiled(sizes) if self.manifest is not None else None
        if compiled is None:
            from fsmooth.core.own_rules import checked_rules  # noqa: PLC0415  (loaded when something is compiled)

            rules = checked_rules(self.elaborated.term)
            if rules:
                from fsmooth.checking.rules import check_rules  # noqa: PLC0415  (with the interpreter)

                check_rules(self.elaborated.term, rules, inputs)
            compiled = self._compile(sizes)
            if self.manifest is not None:
                self.manifest.store_compiled(sizes, compiled)
        else:
            tell("%s: found in the cache", self.program.name)
        library = self.loaded(compiled, sizes)
        library.deeper = lambda: self.deeper(sizes)
        return library

    def ask(self, accept: Callable[[Stages], None], sizes: tuple[int, ...] | None) -> None:
        """Raise if what is compiled for these sizes is not accepted."""
        accept(self.stages(sizes))

    def loaded(self, compiled: Compiled, sizes: tuple[int, ...] | None) -> Library:
        """The shared object for these sizes."""
        return loaded(compiled, [q.name for q in self.interface.inputs], self.static(sizes))

    def deeper(self, sizes: tuple[int, ...] | None) -> Library | None:
        """The program for calls that are too deep for the stack of a thread; None if it has none."""
        with self.lock:
            if sizes not in self.on_records:
                compiled = self._kept(sizes, "on_records", lambda: self._on_records(sizes))
                found = None if compiled is None else self.loaded(compiled, sizes)
                if found is not None:
                    found.is_on_records = True
                self.on_records[sizes] = found
            return self.on_records[sizes]

    def _on_records(self, sizes: tuple[int, ...] | None) -> Compiled | None:
        from fsmooth import driver  # noqa: PLC0415  (the compiler is loaded when something is compiled)
        from fsmooth.runtime.manifest import Compiled  # noqa: PLC0415

        with shown(f"compiling {self.program.name} for deep recursion"):
            code = driver.on_records(self.stages(sizes))
            return None if code is None else Compiled(shared_object(code).name, without_units(code), "")

    def c_function(self, values: Mapping[str, object], wrapper: Callable[[CProgram], Wrapper]) -> CFunction:
        """The C function that calls this program, which is one of numbers."""
        if self.captured:
            raise ArgumentError(
                f"{self.program.name}: a C function has no place for the captured {self.captured[0][1]}\n"
                "  hint: make it a parameter"
            )
        sizes = self.sizes(self.inputs(values))
        with self.lock:
            found = self._kept(sizes, wrapper.__name__, lambda: self._wrapped(sizes, wrapper))
            assert found is not None
            return wrapper(found.code).of(self.loaded(found, sizes))

    def _wrapped(self, sizes: tuple[int, ...] | None, wrapper: Callable[[CProgram], Wrapper]) -> Compiled:
        from fsmooth.runtime.manifest import Compiled  # noqa: PLC0415  (loaded when something is compiled)

        code = self.stages(sizes).code
        assert code is not None
        return Compiled(shared_object(code, wrapper(code).text).name, without_units(code), "")

    def _kept(self, sizes: tuple[int, ...] | None, half: str, make: Callable[[], Compiled | None]) -> Compiled | None:
        """What the cache has, or what is made and kept there, unless that is None."""
        found = self.manifest.compiled(sizes, half) if self.manifest is not None else None
        if found is not None:
            return found
        made = make()
        if self.manifest is not None and made is not None:
            self.manifest.store_compiled(sizes, made, half)
        return made

    def _compile(self, sizes: tuple[int, ...] | None) -> Compiled:
        stages = self.stages(sizes)
        assert stages.code is not None
        given = [q.fetch is None for q in self.interface.inputs for _ in range(count_of_arrays(q.type))]
        chosen = frozenset([k for k in stages.code.narrow if given[k]])
        return self.built(stages, [q.type for q in self.interface.inputs], chosen)

    def built(self, stages: Stages, parameters: list[Type], chosen: frozenset[int] = frozenset()) -> Compiled:
        """The compiled program of these stages, in the cache; `chosen` are the arrays whose integers, if they have 32 bits, are
        for another program.
        """
        from fsmooth.runtime.cache import Functions  # noqa: PLC0415  (loaded when something is compiled)
        from fsmooth.runtime.manifest import Compiled  # noqa: PLC0415
        from fsmooth.runtime.shim import any_number, can_serve, shim_source, weak_or_strong  # noqa: PLC0415
        from fsmooth.runtime.shim_prelude import FUNCTIONS  # noqa: PLC0415

        code = stages.code
        assert code is not None
        module, shim = "", ""
        if can_serve(code.parameters, code.result):
            module = f"fs_{code.name}"
            test = weak_or_strong if self.interface.single else any_number
            shim = shim_source(code, module, parameters, stages.static_sizes, chosen, test)
        path = shared_object(code, shim, *((Functions(FUNCTIONS),) if shim else ()))
        return Compiled(path.name, without_units(code), module)


def without_units(code: CProgram) -> CProgram:
    """A program that is built, without the texts of what it is linked with, which later processes would read in vain."""
    return replace(code, kernels=(), outlined=())


def shared_object(code: CProgram, shim: str = "", *functions: Functions) -> Path:
    """A program as the machine has it, with a call shim and what it is linked with; kernels are built once for all programs."""
    from fsmooth.runtime.cache import Functions, compiled  # noqa: PLC0415  (loaded when something is compiled)
    from fsmooth.runtime.compiler import find_compiler, level_for, processors  # noqa: PLC0415

    linked = [*functions, *[Functions(text, "-O2") for text in code.kernels]]
    apart = "#define FS_KERNELS_APART\n" if code.kernels else ""
    if code.outlined and processors() > 1:
        linked += [Functions(apart + text, level_for(code.statements)) for text in code.outlined]
        apart += "#define FS_OUTLINED_APART\n"
    return compiled(apart + code.source + shim, code.statements, find_compiler(), linked)


def loaded(compiled: Compiled, names: list[str], static: Mapping[tuple[int, int], int]) -> Library:
    """The shared object of a compiled program, whose parameters have these names, and arrays of them these sizes."""
    from fsmooth.runtime.cache import directory  # noqa: PLC0415  (loaded when something is compiled)
    from fsmooth.runtime.library import Library  # noqa: PLC0415

    code = compiled.code
    library = Library(directory() / compiled.file, code, names, static)
    if compiled.module:
        library.load_shim(compiled.module)
    return library


def length(value: object, axis: int) -> int:
    """The length of an array or nested list along an axis."""
    shape = getattr(value, "shape", None)
    if shape is not None:
        return int(shape[axis])
    return length(value[0], axis - 1) if axis else len(value)  # type: ignore[index, arg-type]
