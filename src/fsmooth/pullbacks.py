"""`fs.vjp`: a value, and the pullback that takes cotangents of it to cotangents of the arguments (paper 001, §6.1).

The program is compiled in two halves.  The first gives the value and what the second needs; the second can be called
as often as one likes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from fsmooth.callables import Function, write
from fsmooth.core.alternatives import holds_alternatives
from fsmooth.core.trees import holds_nodes, tangents_whole
from fsmooth.core.types import Array, Type, unzipped
from fsmooth.entries import Entry, loaded
from fsmooth.errors import ArgumentError, OutOfMemoryError
from fsmooth.frontend.programs import DerivedProgram
from fsmooth.logs import tell_stages
from fsmooth.parameters import P, R
from fsmooth.runtime.arrays import leaves
from fsmooth.runtime.kept import Kept
from fsmooth.runtime.snapshots import (
    fitted,
    measured,
    of_its_kinds,
    private,
    shapes_of,
    size_in_bytes,
    snapshot,
    written,
)
from fsmooth.runtime.tapes import KeptTape

if TYPE_CHECKING:
    from fsmooth.driver import Compilation, Stages
    from fsmooth.optimise.schedule import Schedule
    from fsmooth.runtime.library import Library


class Second(Struct, frozen=True):
    """The second half: its library, what it takes, and the sizes built into both."""

    library: Library
    kept: Kept
    sizes: tuple[int, ...] | None


class SplitEntry(Entry):
    """The two halves of a vjp for arguments of given types."""

    def __init__(
        self,
        program: DerivedProgram,
        schedule: str | Schedule,
        types: Mapping[str, Type | object],
        narrow: frozenset[tuple[str, int]],
        accept: Callable[[Stages], None] | None = None,
    ) -> None:
        super().__init__(program, schedule, types, accept, narrow)
        self.seconds: dict[Library, Second] = {}
        self._both: dict[tuple[int, ...] | None, Compilation] = {}

    def stages(self, sizes: tuple[int, ...] | None) -> Stages:
        """The stages of the first half."""
        return self.both(sizes).forward

    def both(self, sizes: tuple[int, ...] | None) -> Compilation:
        """The stages of both halves, up to the C text."""
        from fsmooth import driver  # noqa: PLC0415  (the compiler is loaded when something is compiled)

        with self.lock:
            if sizes not in self._both:
                static = self.static(sizes)
                made = driver.compile_halves(self.elaborated, self.program.name, self.schedule, static, self.narrow)
                tell_stages(self.program.name, made.forward.seconds)
                tell_stages(self.program.name.replace("vjp", "pullback", 1), made.backward.seconds)
                self._both[sizes] = made
                self.made[sizes] = made.forward
            self.latest = sizes
            return self._both[sizes]

    def ask(self, accept: Callable[[Stages], None], sizes: tuple[int, ...] | None) -> None:
        """Both halves are to be accepted."""
        made = self.both(sizes)
        accept(made.forward)
        accept(made.backward)

    def load(self, sizes: tuple[int, ...] | None, inputs: list[object]) -> Library:
        """Find both halves in the cache, or compile them, and load them."""
        first = super().load(sizes, inputs)
        manifest = self.manifest
        compiled = manifest.compiled(sizes, "pullback") if manifest is not None else None
        found = manifest.kept(sizes) if manifest is not None else None
        if compiled is None or found is None:
            made = self.both(sizes)
            parameters = made.backward.elaborated.parameters
            types = [q.type for q in parameters]
            deciding = _private_but_last(made.backward, types)
            compiled = self.built(made.backward, types)
            names = [q.name for q in parameters]
            own_deciding = frozenset([k for i, k in enumerate(made.kept) if i in deciding])
            found = Kept(made.kept, made.read, names, own_deciding, made.tape)
            if self.manifest is not None:
                self.manifest.store_compiled(sizes, compiled, "pullback")
                self.manifest.store_kept(sizes, found)
        kept = found.positions
        own = {(kept.index(k), axis): n for (k, axis), n in self.static(sizes).items() if k in kept}
        self.seconds[first] = Second(loaded(compiled, found.names, own), found, sizes)
        return first

    def trees(self, inputs: list[object]) -> tuple[object, ...]:
        """The arguments that the vjp is with respect to, if there is a tree among them."""
        program = self.program
        assert isinstance(program, DerivedProgram)
        by_name = {q.name: (q.type, value) for q, value in zip(self.interface.inputs, inputs, strict=True)}
        along = [by_name[name] for name in program.wrt if name in by_name]
        return tuple([value for _, value in along]) if any([holds_nodes(t) for t, _ in along]) else ()

    def kept(self, second: Second, inputs: list[object]) -> tuple[object, ...]:
        """The arguments that the second half takes, as they are now, whatever happens to them afterwards."""
        types, names = [unzipped(t) for t in second.library.parameters], [q.name for q in self.interface.inputs]
        kept = second.kept
        found = []
        for k, t in zip(kept.positions, types, strict=False):
            take = private if k in kept.deciding else snapshot if k in kept.read else measured
            found.append(take(inputs[k], t, names[k]))
        return tuple(found)


def _private_but_last(stages: Stages, types: list[Type]) -> frozenset[int]:
    """Take note in the code that only the last parameter, the cotangent, is memory of others; gives the parameters whose
    arrays decide where memory is read or written.
    """
    code = stages.code
    assert code is not None
    owners = [k for k, type_ in enumerate(types) for leaf in leaves(unzipped(type_)) if isinstance(leaf, Array)]
    last = frozenset([n for n, owner in enumerate(owners) if owner == len(types) - 1])
    stages.code = replace(code, deciding=code.deciding & last, sizing=code.sizing & last)
    return frozenset([owners[n] for n in code.deciding])


class Pullback:
    """What `fs.vjp(f)(x)` gives beside the value: call it with cotangents of the value, as often as you like.

    It gives the cotangents of the arguments that the vjp is with respect to, in their structure.  It keeps what it needs:
    the arguments are copied, unless they are read-only or nothing but their lengths is needed, so what the caller does to
    them afterwards does not matter.
    It can be called from several threads at once.

    Raises (when called):
        ArgumentError: for a cotangent that has not the structure, the shapes and the dtypes of the value.
    """

    def __init__(
        self,
        entry: SplitEntry,
        second: Second,
        kept: tuple[object, ...],
        given: tuple[object, tuple[object, ...]],
        along: tuple[object, ...],
        tape: KeptTape | None = None,
    ) -> None:
        self._entry, self._second, self._kept, self._along = entry, second, kept, along
        value, self._residuals = given
        self._tape = tape
        self._type = unzipped(second.library.parameters[-1])
        self._shapes = shapes_of(value, self._type)

    def __call__(self, cotangent: object, *, out: object | None = None) -> Any:
        given = fitted(cotangent, self._type, self._shapes, "cotangent")
        values = (*self._kept, *self._residuals, given)
        library = self._second.library
        fast = library.fast
        if fast is not None:
            result = fast(*values) if out is None else fast(*values, out=out)
            if result is not None:
                return self._whole(result)
        return self._whole(library(values, out))

    def _whole(self, cotangents: object) -> Any:
        """The cotangents, in which trees have the nodes of the arguments."""
        if not self._along:
            return cotangents
        program = self._entry.program
        assert isinstance(program, DerivedProgram)
        return tangents_whole(self._along, cotangents, program.single)

    def of_its_kinds(self, value: object) -> Any:
        """The value that it is a pullback of, as what it is if it is of one of several kinds."""
        return of_its_kinds(value, self._type) if holds_alternatives(self._type) else value

    def __repr__(self) -> str:
        program = self._entry.program
        assert isinstance(program, DerivedProgram)
        inner = program.program
        kept = self._second.kept
        own = tuple([x for k, x in zip(kept.positions, self._kept, strict=True) if k in kept.read])
        memory = size_in_bytes(own) + size_in_bytes(self._residuals) + (0 if self._tape is None else self._tape.size)
        return (
            f"<pullback of {inner.name}{inner.signature} with respect to {', '.join(program.wrt)}: "
            f"takes {written(self._type, self._shapes)}, keeps {memory} bytes>"
        )

    @property
    def stages(self) -> Stages:
        """The stages of its compilation."""
        return self._entry.both(self._second.sizes).backward

    def c_source(self) -> str:
        """The C that runs when it is called."""
        code = self.stages.code
        assert code is not None
        return code.source

    def explain(self) -> str:
        """What was made and why, as `Function.explain` says it."""
        from fsmooth.explain import explanation  # noqa: PLC0415  (only for those who ask)

        return explanation(self._entry.program.name.replace("vjp", "pullback", 1), self._entry.schedule, self.stages)


KEPT = "out[1]"
"""The part of what the first half gives that the pullback keeps."""


def saved(library: Library, inputs: list[object]) -> object:
    """What the first half gives: the value, and what the pullback keeps."""
    try:
        return library(inputs)
    except OutOfMemoryError as error:
        if error.part is None or not error.part.startswith(KEPT):
            raise
        raise OutOfMemoryError(
            "there is not enough memory for what the pullback keeps of this call\n"
            "  hint: loops save less with checkpoint=True, nothing in forward mode: fs.jvp"
        ) from None


class Vjp(Function[P, tuple[R, Pullback]]):
    """The vjp of a program: called with its arguments, it gives `(value, pullback)`."""

    def _new_entry(self, types: Mapping[str, Type | object], narrow: frozenset[tuple[str, int]]) -> Entry:
        assert isinstance(self.program, DerivedProgram)
        return SplitEntry(self.program, self.schedule, types, narrow, self._accept if self.asked else None)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> tuple[R, Pullback]:  # type: ignore[override]
        entry, values = self._entry(args, kwargs)
        assert isinstance(entry, SplitEntry)
        library, inputs = entry.library_for(values)
        second = entry.seconds[library]
        kept = entry.kept(second, inputs)
        for position, own in zip(second.kept.positions, kept, strict=True):
            inputs[position] = own  # what the first half checks is what the second uses
        given = library.fast(*inputs) if library.fast is not None else None
        if given is None:
            given = saved(library, inputs)
        place = second.kept.tape
        tape = None if place is None else KeptTape(library, given[1][place])  # type: ignore[index]
        pullback = Pullback(entry, second, kept, given, entry.trees(inputs), tape)  # type: ignore[arg-type]
        return pullback.of_its_kinds(given[0]), pullback  # type: ignore[index]

    def c_source(self, *args: object, **kwargs: object) -> str:
        """The C of both halves for arguments like these (those of the last call, if none are given)."""
        return "\n".join([half.code.source for half in self._halves(args, kwargs) if half.code is not None])

    def explain(self, *args: object, linear_maps: object = None, **kwargs: object) -> str:
        """What was made and why, for both halves; `linear_maps` as in `Function.explain`."""
        from fsmooth.explain import demonstration, explanation  # noqa: PLC0415  (only for those who ask)

        if linear_maps is not None and "linear_maps" in self._names:
            kwargs, linear_maps = {**kwargs, "linear_maps": linear_maps}, None
        names = (self.program.name, self.program.name.replace("vjp", "pullback", 1))
        halves = self._halves(args, kwargs)
        texts = [explanation(name, self.schedule, stages) for name, stages in zip(names, halves, strict=True)]
        return "\n\n".join([*texts, demonstration(halves[0])] if linear_maps else texts)

    def cost(self, *args: object, **kwargs: object) -> str:
        """The costs of the two halves as polynomials in the sizes."""
        from fsmooth.explain import cost_of  # noqa: PLC0415  (only for those who ask)

        first, second = [cost_of(half) for half in self._halves(args, kwargs)]
        return f"{first}; the pullback {second}"

    def save(self, path: str | Path, *args: object, **kwargs: object) -> tuple[Path, Path]:
        """Write the C files and headers of both halves; gives the paths of the first.

        Those of the second are beside them, with `_pullback` at the end of their names.
        """
        first, second = self._halves(args, kwargs)
        for half in (first, second):
            self._accept(half)
        place = Path(path).with_suffix("")
        write(second, place.with_name(place.name + "_pullback"))
        return write(first, place)

    def _halves(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> tuple[Stages, Stages]:
        if args or kwargs or not (self._names or self._entries):
            entry, values = self._entry(args, kwargs)
            assert isinstance(entry, SplitEntry)
            both = entry.both(entry.sizes(entry.inputs(values)))
            return both.forward, both.backward
        for entry in reversed(self._entries.values()):
            if entry.libraries or entry.made:
                assert isinstance(entry, SplitEntry)
                both = entry.both(entry.latest)
                return both.forward, both.backward
        raise ArgumentError(f"{self.program.name} has not been compiled; call it, or give example arguments")
