"""The state of a loop keeps the sizes it starts with (docs/decisions/0001), so asking for them does not ask for the state."""

from __future__ import annotations

from fsmooth import thresholds
from fsmooth.core.build import components
from fsmooth.core.shape import Ragged
from fsmooth.core.subst import refresh
from fsmooth.core.term import Carrying, IFold, Length, Proj, Term, While
from fsmooth.core.traverse import bound_in, children, rebuild, size_of_tree, transform
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.seen_sizes import seen_size
from fsmooth.rewrite.strategy import rule


@rule(
    "examples: ifold (fun a i -> build (length a) (fun j -> e a i j)) u n"
    " ~> ifold (fun a i -> build (length u) (fun j -> e a i j)) u n",
    source="fsmooth",
    heads=(IFold, While),
)
def length_of_state(t: Term, facts: Facts) -> Term | None:
    """Wherever the body, or the condition of a `while`, asks for the length of an array of the state."""
    if not isinstance(t, Carrying) or not _asks(t):
        return None
    if t.state in t.init.free:  # the initial state is outside
        t = refresh(t)
        assert isinstance(t, Carrying)
    state, init = t.state, t.init

    def change(x: Term) -> Term:
        path = _of_state(x, state)
        if path is None or not isinstance(x, Length):
            return x
        start = init
        for k in path:
            start = components(start)[k]
        try:
            known = seen_size(start, x.axis, facts)
        except Ragged:
            return x
        return known if size_of_tree(known) <= thresholds.COPIED_SIZE else x

    old = children(t)
    new = [transform(x, change) if bound_in(t, k) else x for k, x in enumerate(old)]
    return None if all([a is b for a, b in zip(old, new, strict=True)]) else rebuild(t, new)


def _asks(t: Carrying) -> bool:
    """Only where lengths are asked for and the state is mentioned it may be its length that is asked for."""
    stack = [part for k, part in enumerate(children(t)) if bound_in(t, k)]
    seen: set[Term] = set()
    while stack:
        x = stack.pop()
        if x in seen or Length not in x.kinds or t.state not in x.free:
            continue
        seen.add(x)
        if _of_state(x, t.state) is not None:
            return True
        stack.extend(children(x))
    return False


def _of_state(term: Term, state: Term) -> tuple[int, ...] | None:
    """The positions of the part of the state whose length this is."""
    if not isinstance(term, Length):
        return None
    path: list[int] = []
    array = term.array
    while isinstance(array, Proj):
        path.insert(0, array.position)
        array = array.tuple
    return tuple(path) if array is state else None
