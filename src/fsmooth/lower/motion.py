"""What is decided of a loop once its body is known: checks and allocations before it, vectorisation."""

from __future__ import annotations

from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import replace
from fsmooth.loops.usage import bodies_of, changed, names_in, walk
from fsmooth.lower.checks import declared, hoist_checks
from fsmooth.lower.context import Context
from fsmooth.lower.vectorise import vectorise


def before_loop(ctx: Context, loop: t.For) -> list[t.Statement]:
    """Take from the loop what can be done once before it, and mark it if it can be vectorised."""
    before = hoist_checks(loop)
    allocated = _hoist_allocations(loop)
    if _allocates(loop.body):
        loop.body[:] = [t.Scope(ctx.fresh("mark"), loop.body[:])]
    vectorise(loop)
    return before + allocated


def _hoist_allocations(loop: t.For) -> list[t.Statement]:
    """Arena storage of the same size in every iteration is taken once."""
    if not any([isinstance(s, t.Allocate) for s in loop.body]):
        return []
    inside = {name for s in walk(loop.body) for name in declared(s)} | {loop.index} | changed(loop.body)
    definitions: dict[str, t.Expression] = {}
    moved: list[t.Statement] = []
    kept: list[t.Statement] = []
    for s in loop.body:
        if isinstance(s, t.Declare) and s.value is not None and not s.mutable and s.value.weight <= 8:
            value = _resolved(s.value, definitions)
            if value.weight <= 24:
                definitions[s.name] = value
        if isinstance(s, t.Allocate):
            count = _resolved(s.count, definitions)
            names: set[str] = set()
            names_in(count, names)
            if not names & inside:
                moved.append(t.Allocate(s.buffer, s.type, count))
                continue
        kept.append(s)
    loop.body[:] = kept
    return moved


def _resolved(e: t.Expression, definitions: dict[str, t.Expression]) -> t.Expression:
    names: set[str] = set()
    names_in(e, names)
    for name in names & definitions.keys():
        e = replace(e, name, definitions[name])
    return e


def _allocates(body: list[t.Statement]) -> bool:
    """Is memory taken in each iteration (and not given back by an inner scope)?"""
    for s in body:
        if isinstance(s, t.Allocate):
            return True
        if not isinstance(s, t.Scope | t.For | t.While) and any([_allocates(inner) for inner in bodies_of(s)]):
            return True
    return False
