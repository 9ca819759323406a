"""Functions that have vector versions leave loops that cannot run in vectors (c-facts: a call for four or eight numbers).

    for i < n: { for j < m: sum += …;  a[i] = tanh(sum + b[i]) }

    ~>   for i < n: { for j < m: sum += …;  a[i] = sum + b[i] };   simd for i < n: a[i] = tanh(a[i])

That is a store and a load more for each element, and a fraction of a function that costs tens of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from fsmooth.loops import tree as t
from fsmooth.loops.names import Names
from fsmooth.loops.passes.own_elements import OwnElements
from fsmooth.loops.passes.vectorise import marked
from fsmooth.loops.rewriting import each_loop
from fsmooth.loops.usage import changed, declared, mentioned_reads, names_in, pointed_to, walk, with_pointed_to
from fsmooth.loops.vector_math import VECTOR_MATH


def split_math(function: t.Function, _: Names) -> t.Function:
    """Apply functions that have vector versions in loops of their own."""
    return each_loop(function, _split)


def _split(loop: t.For) -> Sequence[t.Statement]:
    """The loop without the function that its last statement stores, and the loop that applies it afterwards."""
    if loop.kind is not t.Kind.PARALLEL or not any([isinstance(s, t.For) for s in loop.body]):
        return (loop,)
    match loop.body[-1]:
        case t.Store(buffer, index, t.Operation(primitive, (argument,)) as value, False) if primitive in VECTOR_MATH:
            store = loop.body[-1]
        case _:
            return (loop,)
    if argument.type != value.type or not _is_free(store, loop):
        return (loop,)
    again = t.Store(buffer, index, t.Operation(primitive, (t.Load(buffer, index, value.type),), value.type))
    after = marked(t.For(loop.index, loop.size, (again,), t.Kind.PARALLEL, loop.site))
    if not after.simd or not OwnElements(after).all():
        return (loop,)
    return replace(loop, body=(*loop.body[:-1], t.Store(buffer, index, argument))), after


def _is_free(store: t.Store, loop: t.For) -> bool:
    """Does nothing else in the loop touch the buffer, and is the element's place known outside of its body?"""
    others = loop.body[:-1]
    pointers = pointed_to(others)
    touched = with_pointed_to(changed(others) | mentioned_reads(others), pointers)
    names_in(store.value, touched)
    names: set[str] = {store.buffer}
    names_in(store.index, names)
    inside = {name for s in walk(others) for name in declared(s)} | pointers.keys()
    return store.buffer not in touched and names.isdisjoint(inside)
