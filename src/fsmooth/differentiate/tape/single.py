"""Which names of a scope belong to one statement: only that reads them, so that they need no entry of their own.

    let a = x * y in let b = sin a in let c = a + b in (c, f c)        a and b belong to the statement c

A name that several statements read, or something else than arithmetic, or a scope inside, has an entry.  Names are looked at
from the last to the first: by then it is known to which statement each of those belongs that read it.
"""

from __future__ import annotations

from collections.abc import Collection

from fsmooth.core.build import flat_scope
from fsmooth.core.term import Let, Prim, Term, Var
from fsmooth.core.traverse import children, opens_region, subterms
from fsmooth.core.types import Float
from fsmooth.differentiate.activity import has_tangent

_SEVERAL = object()
"""What reads a name that several statements read."""


def owned_names(term: Let, shared: Collection[Term]) -> frozenset[Var]:
    """The names that a scope binds to operations which belong to one other statement; `shared` terms have entries."""
    bindings, body = flat_scope(term)
    found = _Readers({x for x, value in bindings if isinstance(x.type, Float) and isinstance(value, Prim)}, shared)
    found.read(body, None)
    owned: list[Var] = []
    for var, value in reversed(bindings):
        reader = found.readers.get(var, _SEVERAL)
        if var in found.names and value not in shared and reader is not _SEVERAL:
            owned.append(var)
            found.read(value, reader)
        else:
            found.read(value, var)
    return frozenset(owned)


class _Readers:
    """The statement that reads each of the `names`."""

    def __init__(self, names: set[Var], shared: Collection[Term]) -> None:
        self.names = names
        self.shared = shared
        self.readers: dict[Var, object] = {}
        self.met: set[Term] = set()

    def read(self, term: Term, statement: object | None) -> None:
        """Note what a term reads, as a part of a statement if it is arithmetic."""
        pending: list[tuple[Term, object | None]] = [(term, statement if isinstance(term, Prim) else None)]
        while pending:
            t, reader = pending.pop()
            if not has_tangent(t.type):
                continue  # a condition, an index: no entries are made for these
            if t in self.shared:
                if t in self.met:
                    continue
                self.met.add(t)
            if isinstance(t, Var):
                if t in self.names:
                    known = self.readers.get(t, reader)
                    self.readers[t] = reader if reader is not None and known is reader else _SEVERAL
                continue
            if isinstance(t, Prim) and isinstance(t.type, Float):
                own = t if reader is None or t in self.shared else reader
                pending.extend([(x, own) for x in t.arguments])
                continue
            for k, child in enumerate(children(t)):
                if opens_region(t, k):
                    for x in subterms(child):
                        if isinstance(x, Var) and x in self.names:
                            self.readers[x] = _SEVERAL
                else:
                    pending.append((child, None))
