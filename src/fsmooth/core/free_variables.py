"""The free variables of a term, computed once for each node and kept there (`Term.free`), and those of them that are read."""

from __future__ import annotations

from fsmooth.core.term import Const, Length, Term, Var
from fsmooth.core.traverse import binds, children, steps


def compute_free(root: Term) -> None:
    """Fill the cache of free variables of `root` and everything in it, without recursion."""
    stack: list[Term] = [root]
    while stack:
        term = stack[-1]
        if term._free is not None:
            stack.pop()
            continue
        parts = term.declared.children(term)
        missing = [c for c in parts if c._free is None]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        term._free = _free_of(term, parts)
        term._kinds = _kinds_of(term, parts)


def _kinds_of(term: Term, parts: tuple[Term, ...]) -> frozenset[type]:
    """The constructors of a term but for variables and constants.  Equal sets are one object."""
    found: frozenset[type] = frozenset()
    for part in parts:
        if part._kinds is not found:
            found = found | part._kinds if found else part._kinds
    if type(term) not in found and not isinstance(term, Const):
        found = found | {type(term)}
    return _KINDS.setdefault(found, found)


_KINDS: dict[frozenset[type], frozenset[type]] = {}

_EMPTY: frozenset[Var] = frozenset()


def _free_of(term: Term, parts: tuple[Term, ...]) -> frozenset[Var]:
    if not binds(term):
        if not parts:
            return _EMPTY
        first = parts[0]._free or _EMPTY
        rest = [p._free for p in parts[1:] if p._free and not p._free <= first]
        return first.union(*rest) if rest else first
    free: set[Var] = set()
    for step in reversed(steps(term)):
        if step.var is not None:
            free.discard(step.var)
        else:
            free |= step.term._free or _EMPTY
    return frozenset(free)


def read_variables(root: Term) -> frozenset[Var]:
    """The free variables of which a term asks more than lengths."""
    found: set[Var] = set()
    seen: set[Term] = set()
    stack = [root]
    while stack:
        term = stack.pop()
        if isinstance(term, Var):
            found.add(term)
        elif term not in seen and not (isinstance(term, Length) and isinstance(term.array, Var)):
            seen.add(term)
            stack.extend(children(term))
    return root.free & found
