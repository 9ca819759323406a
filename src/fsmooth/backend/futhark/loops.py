"""Clauses of loops that carry a state, and of comprehensions with a guard."""

from __future__ import annotations

from collections.abc import Iterator

from fsmooth.backend.futhark.code import (
    APPLY,
    ATOM,
    LINE,
    LOW,
    OR,
    Code,
    Dim,
    Sizes,
    bracketed,
    call,
    function,
    indented,
    tupled,
)
from fsmooth.backend.futhark.scope import (
    After,
    Branch,
    Leaf,
    Named,
    Scope,
    as_code,
    is_used,
    leaves,
    path,
    pattern,
)
from fsmooth.backend.futhark.writer import Writer
from fsmooth.core.term import Carrying, Collect, IFold, MakeTuple, Term, While
from fsmooth.core.types import Tuple, Type


def ifold(writer: Writer, term: IFold, scope: Scope, after: After | None) -> Code:
    n = writer.size(term.size, scope)
    state, starts = _started(writer, term, scope, After((term.body,), after))
    inner = _inside(state, scope)
    scope_names = writer.index(term.index, inner)
    inner.names[term.state] = state
    body = _stepped(writer, term, state, inner)
    return _loop(writer, state, starts, f"for {scope_names} < {n}", body, scope, After((term.body,), after))


def while_(writer: Writer, term: While, scope: Scope, after: After | None) -> Code:
    around = After((term.condition, term.body), after)
    state, starts = _started(writer, term, scope, around)
    deciding = scope.repeated()
    deciding.names[term.state] = state
    condition = writer.block(term.condition, deciding, None)
    inner = _inside(state, scope)
    inner.names[term.state] = state
    body = _stepped(writer, term, state, inner)
    return _loop(writer, state, starts, f"while {condition.at(OR)}", body, scope, around)


def _inside(state: Named, scope: Scope) -> Scope:
    """The body of a loop: the arrays of the state are its own."""
    return scope.repeated([leaf.name for leaf in leaves(state) if leaf.sizes is not None])


def _started(writer: Writer, term: Carrying, scope: Scope, after: After | None) -> tuple[Named, list[Code]]:
    """Names for the state, and the value of each at first."""
    starts = _initial(writer, term.init, term.state.name, scope, after)
    sizes = iter([code.sizes for code in starts])
    return _names_for(writer, term.state.name, term.init, sizes), starts


def _initial(writer: Writer, term: Term, hint: str, scope: Scope, after: After | None) -> list[Code]:
    """The value of each component of a state, at first."""
    if isinstance(term, MakeTuple):
        found = []
        for k, item in enumerate(term.items):
            others = (*term.items[:k], *term.items[k + 1 :])
            found += _initial(writer, item, f"{hint}_{k}", scope, After(others, after))
        return found
    if not isinstance(term.type, Tuple):
        return [writer.code(term, scope, after)]
    named = path(term, scope)
    if named is None:
        named = writer.kept(f"{hint}_0", term, scope, after)
    return [as_code(leaf, ATOM) for leaf in leaves(named)]


def _names_for(writer: Writer, hint: str, init: Term, sizes: Iterator[Sizes]) -> Named:
    def names(name: str, type_: Type) -> Named:
        if isinstance(type_, Tuple):
            parts = zip(type_.names or range(len(type_.items)), type_.items, strict=True)
            return Branch(tuple([names(f"{name}_{k}", t) for k, t in parts]))
        return Leaf(writer.names.fresh(name), next(sizes))

    return names(hint, init.type)


def _stepped(writer: Writer, term: Carrying, state: Named, inner: Scope) -> Code:
    """The body, as a block; a copy of its value where that could be memory that the next step must not change."""
    sizes = as_code(state, ATOM).sizes
    code = writer.fitted(term.body, inner, sizes)
    own = {leaf.name for leaf in leaves(state)}
    outside = {leaf.name for named in inner.names.values() for leaf in leaves(named)} - own
    consumes = bool(own & inner.consumed)
    if consumes and (code.aliases & outside - inner.owned or _gives_twice(term.body, inner)):
        code = writer.copied(code)
    return Code(inner.block(code.text), LOW if inner.lines else code.level, sizes, code.aliases - own)


def _gives_twice(body: Term, scope: Scope) -> bool:
    """Is one array given as two components?"""
    if not isinstance(body, MakeTuple):
        return False
    given = [x for item in body.items if (x := path(item, scope)) is not None]
    names = [leaf.name for named in given for leaf in leaves(named) if leaf.sizes is not None]
    return len(names) > len(set(names))


def _loop(
    writer: Writer, state: Named, starts: list[Code], form: str, body: Code, scope: Scope, after: After | None
) -> Code:
    """`loop state = … form do body`; an array that the loop changes is a copy of what is read afterwards."""
    texts, aliases = [], set(body.aliases)
    seen: set[str] = set()
    for leaf, start in zip(leaves(state), starts, strict=True):
        if leaf.name not in scope.consumed or not start.aliases:
            texts.append(start.text)
            aliases |= start.aliases
        elif start.text in scope.owned and start.text not in seen and not is_used(start.text, after, scope):
            scope.consumed.add(start.text)
            texts.append(start.text)
        else:
            texts.append(writer.copied(start).text)
        seen |= start.aliases
    init = _tree(state, iter(texts))
    visible = {leaf.name for named in scope.names.values() for leaf in leaves(named)}
    code = as_code(state, ATOM)
    head = f"loop {pattern(state)} = {init if len(init) <= LINE else indented(init)} {form} do"
    gap = "\n  " if "\n" in body.text or len(head) + len(body.text) > LINE else " "
    return Code(f"{head}{gap}{indented(body.text)}", LOW, code.sizes, frozenset(aliases & visible))


def _tree(named: Named, texts: Iterator[str]) -> str:
    if isinstance(named, Branch):
        return tupled([_tree(x, texts) for x in named.items])
    return next(texts)


def collect(writer: Writer, term: Collect, scope: Scope, after: After | None) -> Code:
    """`filter` of the indices for one generator; for several, a loop that writes one element after the other."""
    sizes = writer.shape(term, scope)
    assert isinstance(sizes, Dim)
    if len(term.generators) > 1:
        return _written_in_turn(writer, term, sizes, scope)
    ((size, index),) = term.generators
    n = writer.size(size, scope)
    writer.checked = True
    guarded = scope.repeated()
    i = writer.index(index, guarded)
    guard = writer.block(term.guard, guarded, None)
    inner = scope.repeated()
    j = writer.index(index, inner)
    body = writer.block(term.body, inner, sizes.element)
    chosen = call("filter", function(i, guard.text), f"(iota {n})")
    text = call("map", function(j, body.text), f"({indented(chosen)} :> [{sizes.length}]i64)")
    return Code(text, APPLY, sizes)


def _written_in_turn(writer: Writer, term: Collect, sizes: Dim, scope: Scope) -> Code:
    found, count = writer.names.fresh("found"), writer.names.fresh("count")
    inner, heads = scope, []
    for size, index in term.generators:
        inner = inner.repeated()
        heads.append((inner, writer.size(size, inner), writer.index(index, inner)))
    guarded = inner.repeated()
    guard = writer.block(term.guard, guarded, None)
    written = inner.repeated()
    body = writer.block(term.body, written, sizes.element)
    text = f"if {guard.at(OR)}\nthen ({found} with [{count}] = {bracketed(body.text)}, {count} + 1)\nelse ({found}, {count})"
    for block, n, i in reversed(heads):
        text = block.block(f"loop ({found}, {count}) for {i} < {n} do\n  {indented(text)}")
    empty = writer.zero(term.type, sizes)
    outermost = text.replace(f"loop ({found}, {count}) for", f"loop ({found}, {count}) = ({empty.text}, 0i64) for", 1)
    return Code(f"({indented(outermost, 1)}).0", ATOM, sizes)
