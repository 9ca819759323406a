"""Children of a term, rebuilding it from new ones, iteration: from what its constructor declares (core/term/declared.py).

`children(t)` lists the immediate subterms in evaluation order; `rebuild(t, new)` makes the same construct
from new ones and returns `t` itself if nothing changed.  `bound_in(t, k)` names the variables that `t` binds
in child number k.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from fsmooth.core.term import Const, Term, Var
from fsmooth.core.term.fields import Part, Runs, Step

_NONE: tuple[Var, ...] = ()


def children(term: Term) -> tuple[Term, ...]:
    """The immediate subterms, in evaluation order.

    >>> from fsmooth.core.term import Build
    >>> from fsmooth.core.types import INT
    >>> n, i = Var("n", INT), Var("i", INT)
    >>> children(Build(n, i, i)) == (n, i)
    True
    """
    return term.declared.children(term)


def rebuild(term: Term, new: Sequence[Term]) -> Term:
    """`term` with its children replaced, binders unchanged; `term` itself if every child is the same object."""
    declared = term.declared
    if declared.children(term) == tuple(new):  # a term is equal to itself alone
        return term
    return declared.rebuild(term, new)


def bound_in(term: Term, child: int) -> tuple[Var, ...]:
    """The variables that `term` itself binds in its child number `child`, in scope order."""
    declared = term.declared
    return declared.bound(term, child) if declared.binds else _NONE


def binds(term: Term) -> bool:
    """Does this construct bind variables?"""
    return term.declared.binds


def is_loop(term: Term) -> bool:
    """Does it bind variables in what it evaluates many times?"""
    return term.declared.is_loop


def is_loop_free(term: Term) -> bool:
    """Is each part of it evaluated once, at most?"""
    return not any(map(is_loop, subterms(term)))


def opens_region(node: Term, child: int) -> bool:
    """Is child number `child` evaluated under its own conditions: a loop body, a branch, a function body?"""
    return node.declared.has_regions and runs(node)[child] is not Runs.ONCE


def runs(term: Term) -> Sequence[Runs]:
    """How often each child is evaluated when the term is."""
    return term.declared.runs(term)


def steps(term: Term) -> list[Step]:
    """Its children and the variables that it binds, in the order of scope: a variable is bound in all that follows it.

    >>> from fsmooth.core.term import Build
    >>> from fsmooth.core.types import INT
    >>> n, i = Var("n", INT), Var("i", INT)
    >>> [(step.term, step.var) for step in steps(Build(n, i, i))]
    [(n, None), (i, i), (i, None)]
    """
    return term.declared.steps(term)


def binders_around(term: Term, child: int) -> list[Step]:
    """The variables that `term` binds around its child number `child`."""
    bound = len(bound_in(term, child))
    return [step for step in steps(term) if step.var is not None][:bound]


def condition_of(term: Term, step: Step, before: Sequence[Term]) -> tuple[Term, bool] | None:
    """The condition that holds, or does not, in this part of `term`; None if it is evaluated in any case.

    `before` are the terms of the steps before it, or what became of them.
    """
    if not isinstance(step.field, Part) or not (step.field.where or step.field.unless):
        return None
    return before[place(term, step.field.where or step.field.unless)], bool(step.field.where)


def place(term: Term, name: str) -> int:
    """Which of the `steps` of the term is the field of that name."""
    return term.declared.place(term, name)


def remade(term: Term, old: Sequence[Step], new: Sequence[Term]) -> Term:
    """`term` with these in place of `old`, its `steps`, variables too; `term` itself if all are the same."""
    for step, item in zip(old, new, strict=True):
        if step.term is not item:
            return term.declared.made(term, new)
    return term


def size_of_tree(term: Term) -> int:
    """The number of nodes of the term as a tree (shared subterms count each time); cached, without recursion."""
    stack = [term]
    while stack:
        t = stack[-1]
        if t._size:
            stack.pop()
            continue
        parts = children(t)
        missing = [c for c in parts if not c._size]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        t._size = 1 + sum([c._size for c in parts])
    return term._size


def subterms(term: Term) -> Iterator[Term]:
    """Every distinct node of the term (shared ones once), each before its children."""
    seen: set[Term] = set()
    stack = [term]
    while stack:
        t = stack.pop()
        if t in seen:
            continue
        seen.add(t)
        yield t
        stack.extend(t.declared.children(t)[::-1])


def in_order(root: Term) -> list[Term]:
    """Every node that is no variable and no constant, once, after its parts and after the definitions of the names in it."""
    order: list[Term] = []
    seen: set[Term] = set()
    stack: list[tuple[Term, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif node not in seen and not isinstance(node, Var | Const):
            seen.add(node)
            stack.append((node, True))
            stack.extend([(c, False) for c in reversed(children(node)) if c not in seen])
    return order


def transform(term: Term, change: Callable[[Term], Term]) -> Term:
    """Bottom-up: rebuild each node from its transformed children, then apply `change` to it.

    Nodes shared inside `term` are transformed once.  No recursion.
    """
    done: dict[Term, Term] = {}
    stack: list[tuple[Term, bool]] = [(term, False)]
    while stack:
        t, ready = stack.pop()
        if t in done:
            continue
        parts = t.declared.children(t)
        if ready or not parts:
            done[t] = change(rebuild(t, [done[c] for c in parts]))
        else:
            stack.append((t, True))
            stack.extend([(c, False) for c in parts if c not in done])
    return done[term]
