"""Parameters that functions which call one another only hand on.

Two parameters are one if a call hands the one on as the other.  What is one with nothing but parameters is the same in all calls
that follow from one call of the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk

Parameter = tuple[str, str]
"""A function and the name of one of its parameters."""


def in_order(function: t.Function) -> list[t.Parameter]:
    """The parameters as calls have them: arguments, then results."""
    return [q for q in function.parameters if not q.output] + [q for q in function.parameters if q.output]


def unchanged(definitions: Sequence[t.Function], by_value: Mapping[str, Sequence[str]]) -> list[list[Parameter]]:
    """The parameters that are one, as far as they are the same in all calls.  A result that is returned `by_value` is none.

    A function has one parameter in each.  Where it could have two, as where an array is as long as one that is handed on, the
    one with the same name is the one that is handed on.
    """
    kinds = {(f.name, q.name): (q.type, q.pointer, q.output) for f in definitions for q in f.parameters}
    varying: set[Parameter] = {(function, name) for function, names in by_value.items() for name in names}
    handed: list[tuple[Parameter, Parameter]] = []
    for callee, own in _handed(definitions):
        if own is None or kinds.get(own) != kinds[callee]:
            varying.add(callee)
        else:
            handed.append((callee, own))
    members: dict[Parameter, list[Parameter]] = {x: [x] for x in kinds}
    for callee, own in sorted(handed, key=lambda pair: pair[0][1] != pair[1][1]):
        first, second = members[callee], members[own]
        if first is second:
            continue
        if {f for f, _ in first}.isdisjoint({f for f, _ in second}):
            second += first
            members.update(dict.fromkeys(first, second))
        else:
            varying.add(callee)
    classes = {found[0]: found for found in members.values()}
    return [found for found in classes.values() if varying.isdisjoint(found)]


def _handed(definitions: Sequence[t.Function]) -> Iterator[tuple[Parameter, Parameter | None]]:
    """For each parameter of a function that is called, what of the caller's it is; None if it is no parameter."""
    by_name = {f.name: f for f in definitions}
    for caller in definitions:
        moved = _moved(caller)
        for s in walk(caller.body):
            if not isinstance(s, t.Invoke):
                continue
            for q, value in zip(in_order(by_name[s.function]), (*s.arguments, *s.results), strict=True):
                name = _plain(value)
                yield (s.function, q.name), None if name is None or name in moved else (caller.name, name)


def _moved(function: t.Function) -> set[str]:
    """Parameters that are something else later."""
    found: set[str] = set()
    for s in walk(function.body):
        if isinstance(s, t.Assign):
            found.add(s.name)
        elif isinstance(s, t.Swap):
            found |= {s.left, s.right}
    return found


def _plain(value: t.Expression | t.Place | str) -> str | None:
    """The name that is handed on as it is."""
    match value:
        case t.Name(name):
            return name
        case t.Place(buffer, t.Literal(offset)) if offset == 0:
            return buffer
        case _:
            return None
