"""Functions that have vector versions leave loops that cannot run in vectors (c-facts: a call for four or eight numbers).

    for i < n: { for j < m: sum += …;  a[i] = tanh(sum + b[i]) }

    ~>   for i < n: { for j < m: sum += …;  a[i] = sum + b[i] };   simd for i < n: a[i] = tanh(a[i])

That is a store and a load more for each element, and a fraction of a function that costs tens of them.
"""

from __future__ import annotations

from fsmooth.loops import tree as t
from fsmooth.loops.usage import changed, mentioned_reads, names_in, pointed_to, walk, with_pointed_to
from fsmooth.loops.vector_math import VECTOR_MATH
from fsmooth.lower.checks import declared
from fsmooth.lower.own_elements import OwnElements
from fsmooth.lower.vectorise import vectorise


def split_math(loop: t.For) -> t.For | None:
    """Take the function that the last statement stores out of the loop; gives the loop that applies it afterwards."""
    if loop.kind is not t.Kind.PARALLEL or loop.simd or not any([isinstance(s, t.For) for s in loop.body]):
        return None
    match loop.body[-1]:
        case t.Store(buffer, index, t.Operation(primitive, (argument,)) as value, False) if primitive in VECTOR_MATH:
            store = loop.body[-1]
        case _:
            return None
    if argument.type != value.type or not _is_free(store, loop):
        return None
    again = t.Store(buffer, index, t.Operation(primitive, (t.Load(buffer, index, value.type),), value.type))
    after = t.For(loop.index, loop.size, [again], t.Kind.PARALLEL, loop.site)
    vectorise(after)
    if not after.simd or not OwnElements(after).all():
        return None
    loop.body[-1] = t.Store(buffer, index, argument)
    return after


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
