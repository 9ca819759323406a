"""The numbers that the outlined functions of a function change: it has them in a struct, and hands these on.

The struct has an array for each type, so that its text is as long for a hundred numbers as for a hundred thousand; each function
has names for the places of those that it uses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from fsmooth.backend.c.names import c_type
from fsmooth.loops import tree as t
from fsmooth.loops.usage import bodies_of

HANDLE = "fs_numbers"


class Access(Struct, frozen=True):
    """How a function comes to such numbers: what it calls each of them, the definition of the names of their places, and the
    parameters by which it is handed the struct, and the tape of the one that has it.
    """

    spelling: Mapping[str, str] = {}
    places: str = ""
    parameters: tuple[str, ...] = ()
    tape: bool = False


class Numbers(Struct, frozen=True):
    """Of one function: the types of these numbers, and their places in the arrays."""

    function: str
    types: Mapping[str, str]
    places: Mapping[str, int]
    sizes: Mapping[str, int]

    @property
    def type(self) -> str:
        """What the struct is called."""
        return f"{self.function}_numbers"

    @property
    def struct(self) -> str:
        """Its definition, if there are any numbers."""
        fields = "".join([f"    {type_} {_field(type_)}[{size}];\n" for type_, size in self.sizes.items()])
        return f"typedef struct {{\n{fields}}} {self.type};\n" if fields else ""

    def own(self) -> Access:
        """All of them, in the function that has the struct."""
        return self._access(self.types, ".", ())

    def handed(self, used: Sequence[str], *, tape: bool) -> Access:
        """Those that an outlined function uses, which is handed the struct, and the tape if it writes to that."""
        struct = (f"{self.type} *restrict {HANDLE}",) if used else ()
        found = self._access(used, "->", (*struct, *(("fs_entries *fs_tape",) if tape else ())))
        return replace(found, tape=tape)

    def _access(self, used: Collection[str], by: str, parameters: tuple[str, ...]) -> Access:
        places = ", ".join([f"{name} = {self.places[name]}" for name in used])
        spelling = {name: f"{HANDLE}{by}{_field(self.types[name])}[{name}]" for name in used}
        return Access(spelling, f"enum {{ {places} }}" if used else "", parameters)


def _field(type_: str) -> str:
    return {"double": "f64", "float": "f32", "int64_t": "i64", "bool": "truth"}[type_]


def changed_by_outlined(function: str, body: t.Body, types: Mapping[str, t.Parameter]) -> Numbers:
    """The numbers of a function; what is in a parallel loop is another function's."""
    found: dict[str, str] = {}
    places: dict[str, int] = {}
    sizes: dict[str, int] = {}
    stack = list(reversed(body))
    while stack:
        s = stack.pop()
        if isinstance(s, t.Outlined):
            for name in s.changes:
                if name not in found:
                    type_ = found[name] = c_type(types[name].type)
                    places[name] = sizes.get(type_, 0)
                    sizes[type_] = places[name] + 1
        elif not isinstance(s, t.Parallel):
            stack += [x for inner in bodies_of(s) for x in inner]
    return Numbers(function, found, places, sizes)
