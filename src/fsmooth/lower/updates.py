"""One step of a fold: the next state replaces the old one, in place where nothing else needs it.

Everything that reads the old state is computed first; then parts are changed in place, in an order in which none reads
what was already changed; then the others are replaced.
"""

from __future__ import annotations

from fsmooth.core import primitives as p
from fsmooth.core.term import Build, If, IFold, Let, MakeTuple, Require, Term, Update, Var
from fsmooth.core.types import BOOL, Tuple, is_scalar
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import same
from fsmooth.lower.arrays import build_into, copy_into
from fsmooth.lower.cardinality import SMALL
from fsmooth.lower.context import Context
from fsmooth.lower.destination import (
    Destination,
    Group,
    Local,
    Mode,
    Scalar,
    Value,
    View,
    destination_at,
    leaves,
    load,
    readable,
)
from fsmooth.lower.expressions import demand
from fsmooth.lower.loop import Loop
from fsmooth.lower.places import Part, reads, stays, under
from fsmooth.lower.storage import array, storage_for


def advance(ctx: Context, term: Term, parts: list[Part], top: list[t.Statement] | None) -> None:
    """Compute `term` from the present contents of the parts and put it in their place.

    `top` is the block of the loop itself, in which every step passes, so that buffers may be exchanged; elsewhere
    (None) they are copied.
    """
    match term:
        case Let(bindings, body):
            saved = []
            for k, (var, value) in enumerate(bindings):
                saved.append((var, ctx.environment.get(var)))
                _bind(
                    ctx,
                    var,
                    value,
                    parts,
                    [v for _, v in bindings[k + 1 :]] if _is_candidate(value, parts) else [],
                    body,
                )
            advance(ctx, body, parts, top)
            _restore(ctx, saved)
        case Require():
            demand(ctx, term)
            advance(ctx, term.body, parts, top)
        case If(condition, then, otherwise) if len(parts) > 1 or not is_scalar(parts[0].type):
            test = ctx.light(ctx.scalar(condition), "condition")
            outer = ctx.open_block()
            advance(ctx, then, _copies(parts), None)
            first = ctx.close_block(outer)
            outer = ctx.open_block()
            advance(ctx, otherwise, _copies(parts), None)
            second = ctx.close_block(outer)
            if not first:
                test, first, second = t.Operation(p.logical_not, (test,), BOOL), second, []
            if first:
                ctx.emit(t.If(test, first, second))
        case IFold() if _nests(term, parts):
            _inner_fold(ctx, term, parts)
        case _:
            _replace(ctx, _components(ctx, term, parts), top)


def _copies(parts: list[Part]) -> list[Part]:
    return [Part(q.path, q.place, q.type, set(q.holders), set(q.readers)) for q in parts]


def _restore(ctx: Context, saved: list[tuple[Var, Value | None]]) -> None:
    for var, old in reversed(saved):
        if old is None:
            ctx.environment.pop(var, None)
        else:
            ctx.environment[var] = old


def _is_candidate(value: Term, parts: list[Part]) -> bool:
    return isinstance(value, Update | If | IFold | Build | Let | Require) and any(
        [not is_scalar(q.type) and q.type == value.type and stays(value, q) for q in parts]
    )


def _bind(ctx: Context, var: Var, value: Term, parts: list[Part], later: list[Term], body: Term) -> None:
    """Bind `var`; an update of a part that nothing reads afterwards changes the part itself."""
    if _is_candidate(value, parts):
        for q in parts:
            if q.type == value.type and stays(value, q) and not any([reads(x, q) for x in (*later, body)]):
                mutate(ctx, value, q)
                ctx.environment[var] = readable(q.place)
                q.holders, q.readers = {(var, ())}, {(var, ())}
                return
    ctx.bind(var, value)
    for q in parts:
        inner = under(q, ((var, value),))
        q.holders, q.readers = inner.holders, inner.readers


def _nests(term: IFold, parts: list[Part]) -> bool:
    """Can an inner fold over the whole state run in the place of the outer one?"""
    return len(parts) > 1 and not any([reads(term.body, q) for q in parts])


def _inner_fold(ctx: Context, term: IFold, parts: list[Part]) -> None:
    size = ctx.named(ctx.scalar(term.size), "n")
    advance(ctx, term.init, parts, None)
    _loop(ctx, term, size, parts)


def _loop(ctx: Context, term: IFold, size: t.Expression, parts: list[Part]) -> None:
    """Run the steps of an inner fold on parts that hold its initial state."""
    saved = ctx.environment.get(term.state)
    prefix = min([len(q.path) for q in parts]) if len(parts) == 1 else 0
    inner = [Part(q.path[prefix:], q.place, q.type, set(), set()) for q in parts]
    for q in inner:
        q.holders = {(term.state, q.path)}
        q.readers = {(term.state, q.path)}
    with Loop(ctx, term.index, size, t.Kind.SEQUENTIAL):
        ctx.environment[term.state] = _whole(term, inner)
        advance(ctx, term.body, inner, None)
    _restore(ctx, [(term.state, saved)])


def _whole(term: IFold, parts: list[Part]) -> Value:
    """The state as a value, from its parts in order."""
    pending = iter(parts)

    def build(type_: object) -> Value:
        if isinstance(type_, Tuple):
            return Group(tuple([build(item) for item in type_.items]))
        return readable(next(pending).place)

    return build(term.state.type)


def mutate(ctx: Context, term: Term, part: Part) -> None:
    """Compute a term that `stays` in the place of the part."""
    if part.is_held(term):
        return
    match term:
        case Update(array, index, value):
            at = ctx.named(ctx.scalar(index), "k")
            place = destination_at(part.place, at)
            if is_scalar(value.type):
                new = ctx.named(ctx.scalar(value), "new")
                mutate(ctx, array, part)
                assert not isinstance(place, Group)
                ctx.store(place, new, Mode.ASSIGN)
                return
            if not reads(value, part):
                mutate(ctx, array, part)
                ctx.into(value, place, Mode.ASSIGN)
                return
            held = storage_for(ctx, value, "new")
            ctx.into(value, held, Mode.ASSIGN)
            mutate(ctx, array, part)
            copy_into(ctx, readable(held), place, Mode.ASSIGN)
        case If(condition, then, otherwise):
            test = ctx.light(ctx.scalar(condition), "condition")
            outer = ctx.open_block()
            mutate(ctx, then, part)
            first = ctx.close_block(outer)
            outer = ctx.open_block()
            mutate(ctx, otherwise, part)
            second = ctx.close_block(outer)
            if not first:
                test, first, second = t.Operation(p.logical_not, (test,), BOOL), second, []
            if first:
                ctx.emit(t.If(test, first, second))
        case Require():
            demand(ctx, term)
            mutate(ctx, term.body, part)
        case Let(bindings, body):
            saved = []
            for var, value in bindings:
                saved.append((var, ctx.environment.get(var)))
                ctx.bind(var, value)
            mutate(ctx, body, under(part, bindings))
            _restore(ctx, saved)
        case IFold():
            size = ctx.named(ctx.scalar(term.size), "n")
            mutate(ctx, term.init, part)
            _loop(ctx, term, size, [part])
        case Build():
            build_into(ctx, term, part.place, Mode.ASSIGN)
        case _:
            raise AssertionError(f"{type(term).__name__} does not stay in place")


New = Term | Value


def _components(ctx: Context, term: Term, parts: list[Part]) -> list[tuple[Part, New]]:
    """The next value of each part: a term where there is one, else a value in storage of its own."""
    if len(parts) == 1 and not isinstance(term.type, Tuple):
        return [(parts[0], term)]
    assert isinstance(term.type, Tuple)
    found: list[tuple[Part, New]] = []
    position = 0
    whole: Value | None = None
    for k, item in enumerate(term.type.items):
        count = _count(item)
        mine = parts[position : position + count]
        position += count
        if isinstance(term, MakeTuple):
            found.extend(_components(ctx, term.items[k], mine))
            continue
        if whole is None:
            whole = ctx.value(term)
        assert isinstance(whole, Group)
        found.extend(_values(whole.items[k], mine))  # type: ignore[arg-type]
    return found


def _values(value: Value, parts: list[Part]) -> list[tuple[Part, New]]:
    if len(parts) == 1 and not (isinstance(value, Group) and not value.sizes):
        return [(parts[0], value)]
    assert isinstance(value, Group)
    found: list[tuple[Part, New]] = []
    position = 0
    for item in value.items:
        count = len(leaves(item))
        found.extend(_values(item, parts[position : position + count]))  # type: ignore[arg-type]
        position += count
    return found


def _count(type_: object) -> int:
    if not isinstance(type_, Tuple):
        return 1
    return sum([_count(item) for item in type_.items])


def _replace(ctx: Context, components: list[tuple[Part, New]], top: list[t.Statement] | None) -> None:
    """Compute what reads the old state, change in place what can be, then replace the rest."""
    in_place = _in_place(components)
    locals_ = {q.place.name for q, _ in components if isinstance(q.place, Local)}
    buffers = {view.buffer for q, _ in components for view in leaves(q.place) if isinstance(view, View)}
    after: list[tuple[Part, Value, bool]] = []
    for q, new in components:
        if q in in_place:
            continue
        if isinstance(new, Term):
            if q.is_held(new):
                continue
            if isinstance(q.place, Local):
                expression = ctx.scalar(new)
                if len(components) > 1:
                    expression = _fixed(ctx, expression, q.place, locals_)
                after.append((q, Scalar(expression), False))
                continue
            if top is not None and not q.spares and all([_exchangeable(x) for x in leaves(q.place)]):
                spare = _spare(ctx, q.place, q.spares)
                ctx.into(new, spare, Mode.ASSIGN)
                after.append((q, readable(spare), True))
                continue
            held = storage_for(ctx, new, "next")
            ctx.into(new, held, Mode.ASSIGN)
            after.append((q, readable(held), False))
        elif isinstance(new, Scalar) and isinstance(q.place, Local):
            after.append((q, Scalar(_fixed(ctx, new.expression, q.place, locals_)), False))
        elif not _is_place(new, q.place):
            after.append((q, _apart(ctx, new, buffers), False))
    for q in in_place:
        [term] = [new for part, new in components if part is q]
        assert isinstance(term, Term)
        mutate(ctx, term, q)
    for q, value, exchange in after:
        if exchange:
            for view in leaves(q.place):
                assert isinstance(view, View)
                ctx.emit(t.Swap(view.buffer, q.spares[view.buffer], view.leaf))
        else:
            copy_into(ctx, value, q.place, Mode.ASSIGN)


def _is_place(value: Value, place: Destination) -> bool:
    """Is the value what the place contains?"""
    for v, d in zip(leaves(value), leaves(place), strict=True):
        if not (isinstance(v, View) and isinstance(d, View) and v.buffer == d.buffer and same(v.offset, d.offset)):
            return False
    return True


def _apart(ctx: Context, value: Value, buffers: set[str]) -> Value:
    """The value, copied if it is in memory that is about to change."""
    if isinstance(value, Group):
        return Group(tuple([_apart(ctx, item, buffers) for item in value.items]), value.sizes)  # type: ignore[arg-type]
    if not isinstance(value, View) or value.buffer not in buffers:
        return value
    if not value.sizes:
        return Scalar(ctx.named(load(value), "held"))
    held = array(ctx, value.sizes, value.leaf, "held")
    copy_into(ctx, value, held, Mode.ASSIGN)
    return held


def _fixed(ctx: Context, e: t.Expression, place: Local, locals_: set[str]) -> t.Expression:
    """The expression, in a constant unless it needs none; other parts of the state may be assigned before it is."""
    if isinstance(e, t.Literal) or (isinstance(e, t.Name) and e.name not in locals_ - {place.name}):
        return e
    name = ctx.fresh(f"{place.name}_next")
    ctx.emit(t.Declare(name, e.type, e))
    return t.Name(name, e.type)


def _spare(ctx: Context, place: Destination, spares: dict[str, str]) -> Destination:
    """The place that the next contents go to; `spares` gets its pointers."""
    if isinstance(place, Group):
        return Group(tuple([_spare(ctx, item, spares) for item in place.items]), place.sizes)  # type: ignore[arg-type]
    assert isinstance(place, View)
    pointer = spares[place.buffer] = ctx.fresh(f"{place.buffer}_next")
    return View(pointer, place.offset, place.strides, place.sizes, place.leaf)


def _exchangeable(place: View | Scalar | Local) -> bool:
    """Is it one large array?  (Small static ones are better copied: then they live in registers.)"""
    if not isinstance(place, View) or not place.dense:
        return False
    count = place.count()
    return not (isinstance(count, t.Literal) and int(count.value) <= SMALL)


def _in_place(components: list[tuple[Part, New]]) -> list[Part]:
    """The parts to change in place, in an order in which none reads one that was changed before."""
    pending = [(q, new) for q, new in components if isinstance(new, Term) and not is_scalar(q.type) and stays(new, q)]
    ordered: list[Part] = []
    while pending:
        for k, (q, _) in enumerate(pending):
            if not any([reads(new, q) for other, new in pending if other is not q]):
                ordered.append(q)
                del pending[k]
                break
        else:
            del pending[0]
    return ordered
