"""What no step of a loop changes is not carried: the arrays of a tree whose nodes a loop goes through, for one."""

from __future__ import annotations

from collections.abc import Iterator

from fsmooth.core.build import part_of, tuple_of, whole_of
from fsmooth.core.subst import substitute1
from fsmooth.core.term import Carrying, If, IFold, Let, MakeTuple, Proj, Require, Term, Var, While, let
from fsmooth.core.traverse import subterms
from fsmooth.core.types import Tuple, Type, is_scalar
from fsmooth.optimise.paths import is_trivial
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import rule

Path = tuple[int, ...]


@rule(
    "examples: ifold (fun a i -> (e (fst a) (snd a) i, snd a)) (y, z) n"
    " ~> let b = ifold (fun b i -> e b z i) y n in (b, z)",
    source="fsmooth",
    heads=(IFold, While),
)
def unchanged_in_state(t: Term, facts: Facts) -> Term | None:
    """Components that each step leaves as they are stay outside of the loop: numbers, and arrays that have a name there.

    Not of a loop that claims something: its claims are evaluated only as long as what it gives is read.
    """
    if not isinstance(t, IFold | While) or not isinstance(t.state.type, Tuple):
        return None
    paths = list(_leaves(t.state.type))
    ends = list(_ends(t.body))
    free = [p for p in paths if _has_a_name(part_of(t.init, p)) and all([_is_unchanged(e, t.state, p) for e in ends])]
    kept = [p for p in paths if p not in free]
    if not free or not kept or any([isinstance(x, Require) for x in subterms(t.body)]):
        return None
    init = Var("start", t.init.type)
    state = Var(t.state.name, tuple_of([part_of(t.init, p) for p in kept]).type)
    inside = _whole(t.state.type, (), {p: _part(state, k, len(kept)) for k, p in enumerate(kept)}, init)
    body = _shortened(substitute1(t.body, t.state, inside), kept)
    first = tuple_of([part_of(init, p) for p in kept])
    loop: Carrying
    if isinstance(t, IFold):
        loop = IFold(t.size, first, state, t.index, body)
    else:
        loop = While(first, state, substitute1(t.condition, t.state, inside), body)
    after = Var(t.state.name, loop.type)
    whole = _whole(t.state.type, (), {p: _part(after, k, len(kept)) for k, p in enumerate(kept)}, init)
    return let(((init, t.init),), let(((after, loop),), whole))


def _has_a_name(part: Term) -> bool:
    return is_scalar(part.type) or is_trivial(part)


def _leaves(type_: Type) -> Iterator[Path]:
    """Where the numbers and arrays in a tuple are."""
    if not isinstance(type_, Tuple):
        yield ()
        return
    for k, item in enumerate(type_.items):
        for path in _leaves(item):
            yield (k, *path)


def _ends(body: Term) -> Iterator[Term]:
    """What a step may give."""
    stack = [body]
    while stack:
        match stack.pop():
            case Let(_, inner) | Require(_, inner):
                stack.append(inner)
            case If(_, then, otherwise):
                stack += [then, otherwise]
            case end:
                yield end


def _is_unchanged(end: Term, state: Var, path: Path) -> bool:
    whole, own = whole_of(part_of(end, path))
    return whole is state and own == path


def _part(whole: Term, k: int, count: int) -> Term:
    return whole if count == 1 else Proj(whole, k)


def _whole(type_: Type, at: Path, changed: dict[Path, Term], init: Term) -> Term:
    """The state as it was, of what the loop carries and of what it starts with."""
    if at in changed:
        return changed[at]
    if not isinstance(type_, Tuple):
        return part_of(init, at)
    items = tuple([_whole(item, (*at, k), changed, init) for k, item in enumerate(type_.items)])
    return MakeTuple(items, type_)


def _shortened(body: Term, kept: list[Path]) -> Term:
    """A step that gives the components that are kept."""
    match body:
        case Let(bindings, inner):
            return let(bindings, _shortened(inner, kept))
        case Require(condition, inner):
            return Require(condition, _shortened(inner, kept), body.failure, body.numbers, body.site)
        case If(condition, then, otherwise):
            return If(condition, _shortened(then, kept), _shortened(otherwise, kept))
        case end:
            return tuple_of([part_of(end, p) for p in kept])
