"""Arrays of integers that lie in memory with 32 bits (core/narrow.py): the last thing done to a program before it is written.

Such an array is read element by element, and each element is a number of 64 bits from then on; what is copied is copied so.
An array that is searched as a whole, pointed to or handed to another function must have 64 bits, and who calls the program
converts it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from msgspec.structs import replace

from fsmooth.core.narrow import NARROW, Arrays, count_of_arrays, stored_narrow
from fsmooth.core.types import INT, Type
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import inside, plus
from fsmooth.loops.rewriting import with_bodies
from fsmooth.loops.substitution import with_loads
from fsmooth.loops.usage import buffers_of, expressions_of, mentioned, targets, walk


def storable(program: t.Program) -> frozenset[int]:
    """Which of the arrays that the program is given, counted by themselves, may be narrow."""
    if program.definitions:
        return frozenset()
    functions = _functions(program)
    whole = [_used_whole(f.body) for f in functions]
    given = [_given(f) for f in functions]
    return frozenset(
        [
            k
            for k, q in enumerate(given[0])
            if q.type == INT and not any([own[k].name in used for own, used in zip(given, whole, strict=True)])
        ]
    )


def with_narrow(program: t.Program, wanted: Arrays) -> t.Program:
    """The program for arguments of which these arrays have 32 bits, as far as they may."""
    positions = frozenset(_counted(program.parameters, wanted)) & storable(program) if wanted else frozenset()
    if not positions:
        return program
    starts = _starts(program.parameters)
    parameters = [
        stored_narrow(type_, frozenset([k - start for k in positions]))
        for type_, start in zip(program.parameters, starts, strict=True)
    ]
    kernel = _narrow(program.kernel, positions)
    shape = None if program.shape is None else _narrow(program.shape, positions)
    return replace(program, kernel=kernel, shape=shape, parameters=tuple(parameters))


def _functions(program: t.Program) -> list[t.Function]:
    return [program.kernel] if program.shape is None else [program.kernel, program.shape]


def _given(function: t.Function) -> list[t.Parameter]:
    """The arrays that it is given."""
    return [q for q in function.parameters if q.pointer and not q.output]


def _starts(parameters: Sequence[Type]) -> list[int]:
    """Where the arrays of each parameter begin, counted by themselves."""
    counts = [count_of_arrays(type_) for type_ in parameters]
    return [sum(counts[:k]) for k in range(len(counts))]


def _counted(parameters: Sequence[Type], arrays: Arrays) -> Iterator[int]:
    starts = _starts(parameters)
    return iter([starts[position] + k for position, k in arrays])


def _used_whole(body: t.Body) -> set[str]:
    """The buffers that are used otherwise than by reading an element, or copying elements to another."""
    found: set[str] = set()
    for s in walk(body):
        found |= targets(s)
        if isinstance(s, t.Choose):
            found |= buffers_of(s)
        for e in inside(*expressions_of(s)):
            if isinstance(e, t.Name):
                found.add(e.name)
            elif isinstance(e, t.Search):
                found.add(e.buffer)
    return found


def _narrow(function: t.Function, positions: frozenset[int]) -> t.Function:
    """The function with parameters that point to 32 bits, of which it reads 64."""
    names = {q.name for k, q in enumerate(_given(function)) if k in positions}
    parameters = [replace(q, type=NARROW) if q.name in names else q for q in function.parameters]
    body = with_loads(_copied_by_elements(function.body, names), names, NARROW)
    return replace(function, parameters=tuple(parameters), body=body)


def _copied_by_elements(body: t.Body, names: set[str]) -> t.Body:
    """The statements, where what copies these arrays is a loop."""
    if not any([isinstance(s, t.Copy) and s.source in names for s in walk(body)]):
        return body
    taken = mentioned(body)
    index = next(name for k in count() if (name := f"element_{k}") not in taken)

    def changed(statements: t.Body) -> t.Body:
        return tuple([_by_elements(with_bodies(s, changed), names, index) for s in statements])

    return changed(body)


def _by_elements(s: t.Statement, names: set[str], index: str) -> t.Statement:
    if not isinstance(s, t.Copy) or s.source not in names:
        return s
    k = t.Name(index, INT)
    value = t.Load(s.source, plus(s.source_offset, k), INT)
    return t.For(index, s.count, (t.Store(s.target, plus(s.target_offset, k), value),), t.Kind.PARALLEL)
