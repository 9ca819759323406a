"""Which names of memory may be names of the same."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct

from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk


class Places(Struct, frozen=True):
    """Which pointers may point to the same memory: `near` has all that a pointer was ever made from.

    `different` are pairs that never do at the same time.
    """

    near: dict[str, set[str]]
    different: set[frozenset[str]]

    @staticmethod
    def of(body: t.Body) -> Places:
        """Those of a function."""
        near: dict[str, set[str]] = {}
        different: set[frozenset[str]] = set()
        for s in walk(body):
            match s:
                case t.Choose(pointer, _, then, _, _, otherwise):
                    if s.beside is not None:
                        different.add(frozenset((pointer, s.beside)))
                    found = {b for b in (then, otherwise) if b is not None}
                    near[pointer] = found.union(*[near.get(b, set()) for b in found])
                case t.Swap(left, right):
                    different.add(frozenset((left, right)))
                case _:
                    pass
        return Places(near, different)

    def apart(self, a: str, b: str) -> bool:
        """Are two buffers of different names different memory?"""
        if frozenset((a, b)) in self.different:
            return True
        return self.memory(a).isdisjoint(self.memory(b))

    def all_apart(self, some: Iterable[str], others: Collection[str]) -> bool:
        """Is each of some buffers different memory from each of others?"""
        return all([self.apart(a, b) for a in some for b in others])

    def memory(self, name: str) -> set[str]:
        """The name, and what else may be a name of what it is a name of."""
        return self.near.get(name, set()) | {name}
