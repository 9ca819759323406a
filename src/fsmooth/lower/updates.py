"""One step of a fold: the next state replaces the old one, in place where nothing else needs it.

Everything that reads the old state is computed first; then parts are changed in place, in an order in which none reads
what was already changed; then the others are replaced.
"""

from __future__ import annotations

from collections.abc import Callable

from fsmooth.core import primitives as p
from fsmooth.core.hints import Hint
from fsmooth.core.term import Build, Carrying, If, IFold, Let, Plus, Require, Term, Update, Var, While
from fsmooth.core.types import BOOL, Array, Tuple, is_scalar
from fsmooth.loops import tree as t
from fsmooth.lower.accumulators import Sinks, with_indices_first
from fsmooth.lower.aliases import alias
from fsmooth.lower.arrays import build_into, copy_into
from fsmooth.lower.components import by_component
from fsmooth.lower.context import Context
from fsmooth.lower.destination import (
    Group,
    Local,
    Mode,
    Scalar,
    Value,
    View,
    destination_at,
    leaves,
    readable,
    started,
)
from fsmooth.lower.expressions import demand
from fsmooth.lower.fold_sinks import step_sinks
from fsmooth.lower.loop import Loop
from fsmooth.lower.placement.branches import with_rest_in_branches
from fsmooth.lower.placement.continuing import continued_in, initial_of, with_loops_named
from fsmooth.lower.placement.extents import changes
from fsmooth.lower.placement.places import (
    Part,
    Way,
    after,
    copies_of,
    first_summand,
    hold,
    lets_change,
    reads,
    row_of,
    stays,
    step_reads,
    under,
    ways,
)
from fsmooth.lower.placement.recorded_states import into_next_row, is_recorded
from fsmooth.lower.placement.replaced_elements import with_replaced_first
from fsmooth.lower.placement.replacement import (
    New,
    apart,
    components_of,
    exchangeable,
    few_numbers,
    fixed,
    in_place_order,
    in_spare,
    is_made_anew,
    is_place,
    renamed,
    spare_place,
)
from fsmooth.lower.sink_places import accumulate, places_for
from fsmooth.lower.storage import storage_for, stored
from fsmooth.lower.whiles import as_long_as


def advance(ctx: Context, term: Term, parts: list[Part], top: list[t.Statement] | None) -> None:
    """Compute `term` from the present contents of the parts and put it in their place.

    `top` is the block of the loop itself, in which every step passes, so that buffers may be exchanged; elsewhere
    (None) they are copied.
    """
    term = with_loops_named(term)
    match term:
        case Let() if ctx.accumulators and (plain := by_component(term)) is not term:
            advance(ctx, plain, parts, top)
        case Let(bindings, body):
            has_arrays = any([not is_scalar(q.type) for q in parts])
            inside = with_rest_in_branches(term) if has_arrays and ctx.accumulators else None
            if inside is not None:
                advance(ctx, inside, parts, top)
                return
            if ctx.accumulators:
                term = with_indices_first(term)
            term, replaced = with_replaced_first(term)
            bindings, body = term.bindings, term.body
            saved = []
            continued = continued_in(ctx, term, parts) if ctx.accumulators else {}
            sinks = step_sinks(ctx, term, parts, continued, top=top is not None) if ctx.accumulators else None
            sinks = Sinks({}, {}, body) if sinks is None else sinks
            for k, (var, value) in enumerate(bindings):
                saved.append((var, ctx.environment.get(var)))
                if var in continued or var in sinks.of or var in sinks.places:
                    own = {path: parts[at] for path, at in continued.get(var, {}).items()}
                    for path, q in own.items():
                        assert isinstance(value, Carrying)
                        mutate(ctx, initial_of(value, path), q)
                    places_for(ctx, term, sinks, k)
                    accumulate(ctx, term, sinks, k, {path: started(q.place) for path, q in own.items()})
                    for path, q in own.items():
                        hold(q, var, path)
                    continue
                if var in replaced:
                    ctx.environment[var] = stored(ctx, value, Hint.of(var))
                    continue
                _bind(ctx, var, value, parts, [v for _, v in bindings[k + 1 :]] + [body])
            advance(ctx, sinks.body, parts, top)
            ctx.restore(saved)
        case Require():
            demand(ctx, term)
            advance(ctx, term.body, parts, top)
        case If(condition, then, otherwise) if len(parts) > 1 or not is_scalar(parts[0].type):
            _branch(
                ctx,
                condition,
                lambda: advance(ctx, then, copies_of(parts), None),
                lambda: advance(ctx, otherwise, copies_of(parts), None),
            )
        case Carrying() if _nests(term, parts):
            _inner_fold(ctx, term, parts)
        case _:
            _replace(ctx, components_of(ctx, term, parts), top)


def _branch(ctx: Context, condition: Term, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
    """Emit what each of the two emits, under the condition."""
    test = ctx.light(ctx.scalar(condition), "condition")
    outer = ctx.open_block()
    then()
    first = ctx.close_block(outer)
    outer = ctx.open_block()
    otherwise()
    second = ctx.close_block(outer)
    if not first:
        test, first, second = t.Operation(p.logical_not, (test,), BOOL), second, []
    if first:
        ctx.emit(t.If(test, tuple(first), tuple(second)))


def _bind(ctx: Context, var: Var, value: Term, parts: list[Part], later: list[Term]) -> None:
    """Bind `var`; an update of a part that nothing reads afterwards changes the part itself; `later` ends with the body."""
    for q in parts:
        if changes(ctx, value, q, later):
            mutate(ctx, value, q)
            ctx.environment[var] = readable(q.place)
            hold(q, var, ())
            return
    if any([lets_change(var, value, q, later) for q in parts]):
        _copy(ctx, var, value)
        return
    ctx.bind(var, value)
    _readers(parts, var, value)


def _copy(ctx: Context, var: Var, value: Term) -> None:
    """Bind `var` to memory of its own."""
    own = storage_for(ctx, value, Hint.of(var))
    ctx.into(value, own, Mode.ASSIGN)
    ctx.environment[var] = readable(own)


def _readers(parts: list[Part], var: Var, value: Term) -> None:
    """From here on `var` may share memory with what `value` reads."""
    for q in parts:
        inner = under(q, ((var, value),))
        q.holders, q.readers, q.rows = inner.holders, inner.readers, inner.rows


def _nests(term: Carrying, parts: list[Part]) -> bool:
    """Can an inner fold over the whole state run in the place of the outer one?"""
    return len(parts) > 1 and not any([q.following is not None or step_reads(term, q) for q in parts])


def _inner_fold(ctx: Context, term: Carrying, parts: list[Part]) -> None:
    size = _steps(ctx, term)
    advance(ctx, term.init, parts, None)
    _loop(ctx, term, size, parts)


def _steps(ctx: Context, term: Carrying) -> t.Expression | None:
    """How many steps there are, if that is known before the first."""
    return ctx.named(ctx.scalar(term.size), "n") if isinstance(term, IFold) else None


def _loop(ctx: Context, term: Carrying, size: t.Expression | None, parts: list[Part]) -> None:
    """Run the steps of an inner fold on parts that hold its initial state."""
    saved = ctx.environment.get(term.state)
    prefix = min([len(q.path) for q in parts]) if len(parts) == 1 else 0
    inner = [Part(q.path[prefix:], q.place, q.type, set(), set()) for q in parts]
    for q in inner:
        q.holders = {(term.state, q.path)}
        q.readers = {(term.state, q.path)}
    if isinstance(term, While):
        ctx.environment[term.state] = _whole(term, inner)
        with as_long_as(ctx, term):
            advance(ctx, term.body, inner, None)
    else:
        assert size is not None
        assert isinstance(term, IFold)
        with Loop(ctx, term.index, size, t.Kind.SEQUENTIAL):
            ctx.environment[term.state] = _whole(term, inner)
            advance(ctx, term.body, inner, None)
    ctx.restore([(term.state, saved)])


def _whole(term: Carrying, parts: list[Part]) -> Value:
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
    if is_made_anew(term, part):
        ctx.into(term, part.place, Mode.ASSIGN)
        return
    match term:
        case Update(array, index, value):
            where = ctx.scalar(index)
            place = destination_at(part.place, ctx.named(where, "k"))
            if is_scalar(value.type):
                new = renamed(ctx.scalar(value), destination_at(part.place, where), place)
                new = new if part.is_held(array) else ctx.named(new, "new")
                mutate(ctx, array, part)
                assert not isinstance(place, Group)
                ctx.store(place, new, Mode.ASSIGN)
                return
            if not reads(value, part):
                mutate(ctx, array, part)
                there = alias(ctx, value) if isinstance(value, Build) else None
                if (there is None or not is_place(there, place)) and not is_recorded(ctx, value, part):
                    ctx.into(value, place, Mode.ASSIGN)
                return
            if part.is_held(array) and isinstance(value.type, Array):
                row = row_of(part, index, place, value.type)
                if stays(value, row):
                    mutate(ctx, value, row)
                    return
            held = stored(ctx, value, "new")
            mutate(ctx, array, part)
            copy_into(ctx, held, place, Mode.ASSIGN)
        case Plus(items):
            own = next(k for k, item in enumerate(items) if item is first_summand(items, part))
            before = {k: few_numbers(ctx, x, part.place) for k, x in enumerate(items) if k != own and reads(x, part)}
            mutate(ctx, items[own], part)
            for k, item in enumerate(items):
                if k in before:
                    for place, number in before[k]:
                        ctx.store(place, number, Mode.ACCUMULATE)
                elif k != own:
                    ctx.into(item, part.place, Mode.ACCUMULATE)
        case If(condition, then, otherwise):
            _branch(ctx, condition, lambda: mutate(ctx, then, part), lambda: mutate(ctx, otherwise, part))
        case Require():
            demand(ctx, term)
            mutate(ctx, term.body, part)
        case Let(bindings, body):
            saved = []
            for (way, here), (var, value) in zip(ways(part, bindings, body), bindings, strict=False):
                saved.append((var, ctx.environment.get(var)))
                if way is Way.IN_PLACE:
                    mutate(ctx, value, here)
                    ctx.environment[var] = readable(here.place)
                elif way is Way.COPIED:
                    _copy(ctx, var, value)
                else:
                    ctx.bind(var, value)
            mutate(ctx, body, after(part, bindings, body))
            ctx.restore(saved)
        case Carrying():
            size = _steps(ctx, term)
            mutate(ctx, term.init, part)
            _loop(ctx, term, size, [part])
        case Build():
            build_into(ctx, term, part.place, Mode.ASSIGN)
        case _:
            raise AssertionError(f"{type(term).__name__} does not stay in place")


def _replace(ctx: Context, components: list[tuple[Part, New]], top: list[t.Statement] | None) -> None:
    """Compute what reads the old state, change in place what can be, then replace the rest."""
    in_place = in_place_order(components)
    locals_ = {q.place.name for q, _ in components if isinstance(q.place, Local)}
    buffers = {view.buffer for q, _ in components for view in leaves(q.place) if isinstance(view, View)}
    after: list[tuple[Part, Value, bool]] = []
    for q, new in components:
        if q in in_place:
            continue
        if q.following is not None:
            into_next_row(ctx, new, q, q.following)
            continue
        if isinstance(new, Term):
            if q.is_held(new):
                continue
            there = in_spare(ctx, new, q)
            if there is not None:
                after.append((q, there, True))
                continue
            if isinstance(q.place, Local):
                expression = ctx.scalar(new)
                if len(components) > 1:
                    expression = fixed(ctx, expression, q.place, locals_)
                after.append((q, Scalar(expression), False))
                continue
            if top is not None and not q.spares and not q.settled and all([exchangeable(x) for x in leaves(q.place)]):
                spare = spare_place(ctx, q.place, q.spares)
                ctx.into(new, spare, Mode.ASSIGN)
                after.append((q, readable(spare), True))
                continue
            after.append((q, stored(ctx, new, "next"), False))
        elif isinstance(new, Scalar) and isinstance(q.place, Local):
            after.append((q, Scalar(fixed(ctx, new.expression, q.place, locals_)), False))
        elif not is_place(new, q.place):
            after.append((q, apart(ctx, new, buffers), False))
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
