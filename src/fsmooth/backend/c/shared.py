"""What no call changes: parameters that functions which call one another only hand on (loops/handed_on.py) are in one struct,
which the kernel fills.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fsmooth.backend.c.leaving import Returned
from fsmooth.backend.c.names import c_type, element_type
from fsmooth.loops import tree as t
from fsmooth.loops.handed_on import in_order, unchanged
from fsmooth.loops.usage import names_in, own_names, walk


class Shared:
    """Of a program: which parameters of its functions are in the struct, by function, and what they are called there."""

    def __init__(self, program: t.Program, returned: Returned | None) -> None:
        """What functions give by value, as `returned` says, is in no struct."""
        self.type = f"{program.name}_shared"
        self._functions = {f.name: f for f in program.definitions}
        self.fields: dict[str, dict[str, str]] = {name: {} for name in self._functions}
        self.declarations: list[str] = []
        for k, members in enumerate(unchanged(program.definitions, {} if returned is None else returned.outputs)):
            function, name = members[0]
            parameter = next(q for q in self._functions[function].parameters if q.name == name)
            field = f"{name}_{k}"
            self.declarations.append(f"{_type(parameter)}{field}")
            for function, name in members:
                self.fields[function][name] = field

    def handed(
        self, s: t.Invoke, by_value: Sequence[str] = ()
    ) -> Iterator[tuple[t.Expression | t.Place | str, str | None]]:
        """Arguments and results of a call, each with its name in the struct, or None if it is handed over.

        The outputs that are returned `by_value` are not handed over.
        """
        function = self._functions[s.function]
        fields = self.fields[s.function]
        for parameter, value in zip(in_order(function), (*s.arguments, *s.results), strict=True):
            if parameter.name not in by_value:
                yield value, fields.get(parameter.name)

    def loaded(self, function: t.Function) -> list[str]:
        """The definitions with which a function with loops begins: what of the struct it reads itself."""
        fields = {} if not _loops(function) else self.fields.get(function.name, {})
        read = self._read(function.body) if fields else set()
        found = []
        for q in function.parameters:
            if q.name in fields and q.name in read:
                restrict = "restrict " if q.pointer else ""
                found.append(f"{_type(q)}{restrict}{q.name} = fs_own->{fields[q.name]};")
        return found

    def elsewhere(self, function: t.Function) -> dict[str, str]:
        """What a function without loops reads in the struct where it needs it: so much is not kept across calls."""
        if _loops(function):
            return {}
        return {name: f"fs_own->{field}" for name, field in self.fields.get(function.name, {}).items()}

    def _read(self, body: Sequence[t.Statement]) -> set[str]:
        found: set[str] = set()
        for s in walk(body):
            if not isinstance(s, t.Invoke):
                found |= own_names(s)
                continue
            for value, field in self.handed(s):
                if field is None:
                    _mention(value, found)
        return found

    def text(self) -> str:
        """The struct."""
        fields = "".join([f"    {declaration};\n" for declaration in self.declarations])
        return f"typedef struct {{\n    fs_common common;\n{fields}}} {self.type};\n"


def _loops(function: t.Function) -> bool:
    """Is there a loop, or a pointer to what was handed over?"""
    return any([isinstance(s, t.For | t.While | t.Block | t.CheckAll | t.Choose | t.Swap) for s in walk(function.body)])


def _mention(value: t.Expression | t.Place | str, found: set[str]) -> None:
    if isinstance(value, str):
        found.add(value)
    elif isinstance(value, t.Place):
        found.add(value.buffer)
        names_in(value.offset, found)
    else:
        names_in(value, found)


def _type(q: t.Parameter) -> str:
    if q.pointer:
        return f"{'' if q.output else 'const '}{element_type(q.type)} *"
    return f"{c_type(q.type)} "
