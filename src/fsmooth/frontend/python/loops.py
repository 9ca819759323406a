"""`for`: a fold over the names that the body changes; and what it shares with `while`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.alternatives import holds_functions
from fsmooth.core.build import both, project, whole_of
from fsmooth.core.term import Const, IFold, Let, MakeTuple, Prim, Proj, Term, Var, While
from fsmooth.core.trees import known_parts
from fsmooth.core.types import INT, Array, Tuple, Type
from fsmooth.errors import TypeMismatchError
from fsmooth.frontend.agreement import Fold, steady
from fsmooth.frontend.python.aliases import places_of
from fsmooth.frontend.python.conversion import Model, convert
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.growth import Growth, are_bounded, as_arrays, opened, placed, recounted, tallied
from fsmooth.frontend.python.iterables import iterable, loop_index
from fsmooth.frontend.python.joins import branch
from fsmooth.frontend.python.jumps import flag_of, returned_flag, stopped_flag, without_jumps
from fsmooth.frontend.python.kinds import describe, identical, is_ever_new, join_kinds
from fsmooth.frontend.python.names import look_up
from fsmooth.frontend.python.narrowing import definition_of
from fsmooth.frontend.python.outer_sizes import inside_of, ways_to
from fsmooth.frontend.python.parts import seen
from fsmooth.frontend.python.sizes import FrameSizes
from fsmooth.frontend.python.syntax import assigned_names, element_assigned, target_names
from fsmooth.frontend.python.targets import assign_target
from fsmooth.frontend.python.unassigned import before_steps, is_live, next_round, require_assigned, settling
from fsmooth.frontend.python.unreturned import Unassigned, Unreturned
from fsmooth.frontend.python.values import Missing, Sequence, Unfilled, Unrolled, Value

Loop = ast.For | ast.While

FEW = 16
"""A loop of at most this many steps runs them all, after a `break` too: they are known, and may be unrolled."""


def loop(frame: Frame, node: ast.For) -> None:
    """for: a fold over the tuple of the names that the body changes."""
    loop_over(frame, node, iterable(frame, node.iter))


def loop_over(frame: Frame, node: ast.For, source: Sequence | Unrolled) -> None:
    """A loop whose iterable has been read."""
    before_steps(frame, node, assigned_names(node.body))
    if isinstance(source, Sequence):
        before_steps(frame, node, target_names(node.target))
    node = with_own_target(frame, node, source)
    flag = flag_of(node)
    node = ast.copy_location(ast.For(node.target, node.iter, without_jumps(node), []), node)
    if flag is not None:
        frame.names[flag] = Const(False)
    if isinstance(source, Unrolled):
        live = changes_what_it_reads(frame, node)
        for k, name in enumerate(held(frame, node, source)):
            current = iterable(frame, node.iter) if live else None
            item = current.items[k] if isinstance(current, Unrolled) else look_up(frame, name, node)
            assign_target(frame, node.target, item, node)
            for statement in node.body:
                frame.statement(statement)
        return
    mark = Var("mark", INT).id
    index = loop_index(frame, node.target, node, source.size)
    live = changes_what_it_reads(frame, node)
    targets = target_names(node.target)

    def begin(index: Var) -> None:
        current = iterable(frame, node.iter) if live else source
        assert isinstance(current, Sequence)
        assign_target(frame, node.target, current.element(index), node)

    def read(growth: Growth) -> None:
        followed(frame, node, carried_state(frame, node, targets, growth), lambda: begin(index))

    def run(growth: Growth) -> None:
        assert growth.index is not None
        at = growth.index
        state = carried_state(frame, node, targets, growth)
        forget_views(frame, node, state.names)
        body, var = settled(frame, node, state, lambda: begin(at))
        if not are_bounded(frame, growth, source.size):
            tallied(frame, growth, run)
        folded(frame, node, state, flag, Fold([], var, body, source.size, at))

    unless_unknown(frame, lambda: run(opened(frame, node, mark, index, read)))


def with_own_target(frame: Frame, node: ast.For, source: Sequence | Unrolled) -> ast.For:
    """A loop whose target is read behind it assigns that of another, so that no step behind a `break` does."""
    names = [n for n in target_names(node.target) if n in frame.names and is_live(frame, node, n)]
    if isinstance(source, Unrolled) or not names:
        return node
    own = f"_target_{node.lineno}_{node.col_offset}"
    given = ast.Assign([node.target], ast.Name(own, ast.Load()))
    made = ast.For(ast.Name(own, ast.Store()), node.iter, [given, *node.body], node.orelse)
    for part in (made, made.target, given, given.value):
        ast.copy_location(part, node if part is made else node.target)
    return made


def unless_unknown(frame: Frame, run: Callable[[], None]) -> None:
    """Run a loop, unless its steps need a value whose type is not known yet: then it is left out, for there may be none."""
    saved, scope = dict(frame.names), len(frame.scope)
    try:
        run()
    except Unreturned:
        frame.names.clear()
        frame.names.update(saved)
        del frame.scope[scope:]


def folded(frame: Frame, node: ast.For, state: Carried, flag: str | None, fold: Fold) -> None:
    """The names get their values after the loop whose step is known."""
    size, var, index = fold.count, fold.state, fold.index
    arrays = as_arrays(state.growth, state.names, fold)
    if arrays is not None:
        finish(frame, node, state, lambda _: arrays, [Const(0) for _ in state.names])
        return
    body = placed(frame, state, fold.step, size, node)
    inits = initial(frame, node, state, fold.step, var, index)
    inits, body = steady(FrameSizes(frame, node), Fold(inits, var, body, size, index))
    is_short = isinstance(size, Const) and int(size.value) <= FEW
    if is_short or flag is None or flag not in state.names:  # without a break, or with one that no step gets to
        finish(frame, node, state, lambda init: IFold(size, init, var, index, body), inits)
    else:
        at = state.names.index(flag)
        finish(frame, node, state, lambda init: stopping(size, init, (var, index, body), at), inits)


def held(frame: Frame, node: ast.For, source: Unrolled) -> list[str]:
    """Names for what each step of a loop goes over: it has no value any more once an array changes that it is a part of."""
    line = frame.site(node).line
    names = [f"what step {k + 1} of the loop on line {line} goes over" for k in range(len(source.items))]
    frame.names.update(zip(names, source.items, strict=True))
    return names


def stopping(size: Term, init: Term, step: tuple[Var, Var, Term], flag: int) -> Term:
    """A loop with `break`: steps are counted, until there are enough of them or the flag says that one was the last.

    While a step runs, the flag is known not to be set.
    """
    var, index, body = step
    counted = Var("loop", Tuple((INT, init.type)))
    count, state = Proj(counted, 0), Proj(counted, 1)
    stopped: Term = state
    running: Term = Const(False)
    if isinstance(init.type, Tuple):
        stopped = project(state, flag)
        running = MakeTuple(
            tuple([Const(False) if k == flag else project(state, k) for k in range(len(init.type.items))])
        )
    going_on = both(Prim(p.less, (count, size)), Prim(p.logical_not, (stopped,)))
    taken = MakeTuple((Prim(p.add, (count, Const(1))), Let(((index, count), (var, running)), body)))
    return Proj(While(MakeTuple((Const(0), init)), counted, going_on, taken), 1)


# -- what loops carry ------------------------------------------------------------------------------------------------


class Carried(Struct):
    """The names that a loop changes: those with a value before it, at the types they have in it; the others are local.

    If one is `returned`, a step that sets it leaves all others but `flags` as they are.
    """

    names: list[str]
    local: list[str]
    inits: list[Term]
    types: list[Type]
    growth: Growth
    returned: str | None
    flags: frozenset[str | None]


def carried_state(frame: Frame, node: Loop, targets: list[str], growth: Growth) -> Carried:
    """What the loop carries, at the types before it; not the lists whose first element is looked for."""
    assigned = [n for n in assigned_names(node.body) if not isinstance(frame.names.get(n), Unfilled)]
    carried = [n for n in assigned if n in frame.names and not isinstance(frame.names[n], Missing) and n not in targets]
    local = [n for n in [*assigned, *targets] if n not in carried]
    lists = growth.lists
    inits = [lists[n].carried() if n in lists else frame.as_part(frame.names[n], node) for n in carried]
    returned = returned_flag(node) if returned_flag(node) in carried else None
    flags = frozenset((returned, stopped_flag(node)))
    return Carried(carried, local, inits, [t.type for t in inits], growth, returned, flags)


def forget_views(frame: Frame, node: Loop, carried: list[str]) -> None:
    """Arrays whose elements the body assigns: their other names lose their value before the loop."""
    for name in element_assigned(node.body):
        array = frame.names.get(name)
        if isinstance(array, Term) and isinstance(array.type, Array) and name in carried:
            frame.changed(name, array, node)
    for name in carried:
        if isinstance(frame.names[name], Missing):
            look_up(frame, name, node)


def settled(frame: Frame, node: Loop, state: Carried, begin: Callable[[], None]) -> tuple[Term, Var]:
    """One step of the loop, and its state variable; `state` gets the types that each step keeps."""
    with settling(frame, state.names) as late:
        return settled_by_rounds(frame, node, state, begin, late)


def followed(frame: Frame, node: Loop, state: Carried, begin: Callable[[], None]) -> None:
    """The first steps are read, for what they are the first to append."""
    with settling(frame, state.names) as late:
        for _ in range(FEW):
            next_round(frame, late)
            _, given, _, _ = loop_body(frame, node, state, begin)
            new = [join_kinds(a, b) or a for a, b in zip(state.types, given, strict=True)]
            if all(map(identical, new, state.types)):
                break
            state.types = new


def settled_by_rounds(
    frame: Frame, node: Loop, state: Carried, begin: Callable[[], None], late: list[str]
) -> tuple[Term, Var]:
    """Likewise; the `late` names, which have no value before the loop, get their types in the first round."""
    rounds = 0
    while True:  # each time a type grows, or a name loses its value
        next_round(frame, late)
        try:
            body, given, var, lost = loop_body(frame, node, state, begin)
        except Unassigned:
            require_assigned(frame, late)
            raise
        rounds += 1
        if is_ever_new(rounds, *given):
            refuse_ever_new(frame, node, state, given)
        new = [join_kinds(a, b) for a, b in zip(state.types, given, strict=True)]
        for name, old, made, joined in zip(state.names, state.types, given, new, strict=True):
            if joined is None:
                frame.fail(
                    TypeMismatchError,
                    node,
                    f"{name} is {describe(old)} before the loop and {describe(made)} after one step",
                    f"start {name} with a value of the type that the loop gives it",
                )
        joined_types = [t for t in new if t is not None]
        if not all([identical(a, b) for a, b in zip(joined_types, state.types, strict=True)]) or lost:
            state.types = joined_types
            frame.names.update(lost)
            continue
        changed = recounted(frame, state.growth)
        if not changed:
            require_assigned(frame, late)
            return body, var
        for k, name in enumerate(state.names):
            if name in changed:
                state.inits[k] = state.growth.lists[name].carried()
                state.types[k] = Tuple((state.types[k], INT))


def refuse_ever_new(frame: Frame, node: Loop, state: Carried, given: list[Type]) -> None:
    """A function that holds the one of the step before is another one in each step."""
    for name, old, made in zip(state.names, state.types, given, strict=True):
        if holds_functions(old) and not identical(join_kinds(old, made) or made, old):
            what = f"{name}, which holds a function of the step before and so is another one in each step,"
            frame.unsupported(node, what, "carry the numbers that it needs, and apply them in a loop")


def initial(frame: Frame, node: Loop, state: Carried, step: Term, var: Var, index: Var | None) -> list[Term]:
    """The values that the loop starts with; what is of another kind before the first `step` has the arrays that it gives."""
    whole = step.body if isinstance(step, Let) else step
    own = {var, *[v for v, _ in step.bindings]} if isinstance(step, Let) else {var}
    hidden = own if index is None else own | {index}
    found: list[Term] = []
    for k, (term, wanted, name) in enumerate(zip(state.inits, state.types, state.names, strict=True)):
        value = whole if len(state.names) == 1 else project(whole, k)
        model = Model(value, lambda part: before_loop(frame, part, hidden, var, state.inits))
        found.append(frame.bind(convert(frame, term, wanted, node, [model]), name))
    return found


def before_loop(frame: Frame, term: Term, hidden: set[Var], var: Var, inits: list[Term]) -> Term | None:
    """What a part of what a step gives is before the loop, or a part of the state was: an array that may be of its size."""
    term = definition_of(frame, term)
    if term.free.isdisjoint(hidden):
        return term
    root, path = whole_of(term)
    if root is var:
        return inside_of(inits[path[0]], path[1:]) if len(inits) > 1 else inside_of(inits[0], path)
    found = (before_loop(frame, part, hidden | inside, var, inits) for part, inside in ways_to(frame, term))
    return next((part for part in found if part is not None), None)


def structure_of(type_: Type) -> object:
    """What of a type says where its arrays are."""
    if isinstance(type_, Tuple):
        return tuple([structure_of(item) for item in type_.items])
    return structure_of(type_.element) if isinstance(type_, Array) else None


def finish(frame: Frame, node: Loop, state: Carried, made: Callable[[Term], Term], inits: list[Term]) -> None:
    """Give the names their values after the loop that `made` makes from the initial state."""
    for name in state.local:
        frame.names[name] = Missing(
            f"{name} is assigned inside the loop on line {frame.site(node).line} only",
            f"assign {name} before the loop to use its last value after it",
        )
    if not state.names:
        return
    if len(state.names) == 1:
        frame.names[state.names[0]] = seen(frame.bind(made(inits[0]), state.names[0]))
    else:
        whole = frame.bind(made(MakeTuple(tuple(inits))), "loop")
        for k, name in enumerate(state.names):
            frame.names[name] = seen(frame.bind(project(whole, k), name))
    for name, grown in state.growth.lists.items():
        frame.names[name] = grown.afterwards(frame, name)


def changes_what_it_reads(frame: Frame, node: ast.For) -> bool:
    """Does the body assign elements of the array that the loop goes over?  Then each step reads what is there by then."""
    views = frame.shared.views
    arrays = {n: frame.names.get(n) for n in iterated(node.iter)}
    read = {place for a in arrays.values() if isinstance(a, Term) for place in views.within(a)}
    changed = {n: frame.names.get(n) for n in element_assigned(node.body)}
    is_shared = any([isinstance(a, Term) and not read.isdisjoint(views.within(a)) for a in changed.values()])
    if not is_shared and arrays.keys().isdisjoint(changed):
        return False
    for part in [part for statement in node.body for part in ast.walk(statement)]:
        if isinstance(part, ast.Assign) and any([isinstance(t, ast.Name) and t.id in arrays for t in part.targets]):
            frame.unsupported(part, "a new value for an array that a loop goes over", "go over a .copy() of it")
    return True


def iterated(node: ast.expr) -> set[str]:
    """The names of the arrays whose elements a loop over `node` reads in each step."""
    match node:
        case ast.Name(name):
            return {name}
        case ast.Subscript(value) | ast.Attribute(value, "T"):
            return iterated(value)
        case ast.Call(ast.Name("enumerate" | "zip" | "reversed" | "map"), arguments):
            return {name for a in arguments for name in iterated(a)}
        case _:
            return set()


def loop_body(
    frame: Frame, node: Loop, carried: Carried, begin: Callable[[], None]
) -> tuple[Term, list[Type], Var, dict[str, Value]]:
    """One step of a loop at the given types: its term, the types it gives, the state, the names that lose their value.

    `begin` is done before the statements of the body.
    """
    names, types = carried.names, carried.types
    state_type: Type = types[0] if len(types) == 1 else Tuple(tuple(types))
    state = Var(names[0] if len(names) == 1 else "state", state_type, frame.site(node))
    if names and all([structure_of(t) == structure_of(i.type) for t, i in zip(types, carried.inits, strict=True)]):
        frame.shared.models[state] = carried.inits[0] if len(names) == 1 else MakeTuple(tuple(carried.inits))
    saved = dict(frame.names)
    outer, frame.scope = frame.scope, []
    frame.conditional += 1
    try:
        enter(frame, carried, state)
        begin()
        for statement in node.body:
            frame.statement(statement)
        values = [step_value(frame, carried, n, node) for n in names]
        given = [v.type for v in values]
        wanted = [join_kinds(a, b) for a, b in zip(types, given, strict=True)]
        if all(
            [w == a and w is not None and known_parts(w) == known_parts(a) for w, a in zip(wanted, types, strict=True)]
        ):
            values = [convert(frame, v, t, node) for v, t in zip(values, types, strict=True)]
            values = unless_returned(frame, node, carried, values, state)
        refuse_shared(frame, node, carried)
        body = values[0] if len(values) == 1 else MakeTuple(tuple(values))
        scope = frame.scope
        lost: dict[str, Value] = {
            name: value
            for name, value in frame.names.items()
            if isinstance(value, Missing) and name in saved and not isinstance(saved[name], Missing)
        }
        return (Let(tuple(scope), body) if scope else body), given, state, lost
    finally:
        frame.conditional -= 1
        frame.scope = outer
        frame.names.clear()
        frame.names.update(saved)


def unless_returned(frame: Frame, node: Loop, carried: Carried, values: list[Term], state: Var) -> list[Term]:
    """What the names stand for after a step: after one that returns, what they stood for before it."""
    if carried.returned is None:
        return values
    before = [
        v if n in carried.flags else project(state, k)
        for k, (n, v) in enumerate(zip(carried.names, values, strict=True))
    ]
    returned = frame.bind(values[carried.names.index(carried.returned)], "returned")
    whole = frame.bind(branch(frame, returned, MakeTuple(tuple(before)), MakeTuple(tuple(values)), node), "step")
    return [project(whole, k) for k in range(len(values))]


def refuse_shared(frame: Frame, node: Loop, carried: Carried) -> None:
    """In Python an array that was appended to a list changes with the array: if a later step assigns its elements."""
    for name in element_assigned(node.body):
        if name not in carried.names or name in carried.growth.lists:
            continue
        places = places_of(frame.shared.views, frame.names[name])
        for to, grown in carried.growth.lists.items():
            if grown.after is not None and not places.isdisjoint(grown.after.shared):
                what = f"{name} is appended to {to}, and its elements are assigned in the next step,"
                frame.unsupported(node, what, f"append a copy: {to}.append({name}.copy())")


def enter(frame: Frame, carried: Carried, state: Var) -> None:
    """The carried names stand for the state; the others have no value yet, to functions of the step before neither."""
    for name in carried.local:
        why = f"{name} is assigned inside the loop only, and not before it is read in a step"
        frame.names.setdefault(
            name, Missing(why, f"assign {name} before the loop, or give it to the function: {name}={name}")
        )
    for k, name in enumerate(carried.names):
        part = state if len(carried.names) == 1 else Proj(state, k)
        grown = carried.growth.lists.get(name)
        frame.names[name] = seen(part) if grown is None else grown.inside(part)


def step_value(frame: Frame, carried: Carried, name: str, node: ast.AST) -> Term:
    """What a step gives to the next one."""
    grown = carried.growth.lists.get(name)
    return frame.as_part(frame.names[name], node) if grown is None else grown.given(frame, name, node)
