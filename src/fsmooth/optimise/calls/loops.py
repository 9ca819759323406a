"""Functions that call themselves at most once on any way become loops, before anything is differentiated.

    f x = if c x then e x else f (g x)          ~>    e (while (fun x -> ! c x) (fun x -> g x) x)
    f x = if c x then e x else h x + f (g x)    ~>    let r, y = while (fun _ x -> ! c x) (fun r x -> r + h x, g x) (0, x)
                                                      in r + e y
    f x = if c x then e x else h x (f (g x))    ~>    let n, y = (how often, and the last x) in
                                                      ifold (fun r i -> h (x at step n - 1 - i) r) (e y) n

In a tail call, if the condition is dear or there is more before it, the loop also carries whether it goes on, and the value
once it does not.  What is only added to, or multiplied with, the value of the call is accumulated on the way there, by the law
of associativity, as the sums of all loops are.  In the last form, "there and back again" (O. Danvy, M. Goldberg, 2005), the
arguments of each step are saved, but for counters.  Where a counter says how often a function calls itself, loops are counted.
Branches with a call that are operands, or values with names, are ends after what becomes of them has been moved into them.
Arguments that each call hands on stay outside.  Loops take no stack, and have derivatives in all modes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from msgspec import Struct

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.build import blank_of, both, minus, number, plus, times, tuple_of
from fsmooth.core.definitions import called, reachable, with_calls
from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    Build,
    Call,
    Const,
    Failure,
    Get,
    Header,
    If,
    IFold,
    Lam,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Require,
    Term,
    Update,
    Var,
    While,
    let,
)
from fsmooth.core.traverse import is_loop, size_of_tree, subterms
from fsmooth.core.types import BOOL, INT, Float, Int, Tuple, has_array
from fsmooth.optimise.calls.accumulating import UNITS, operand
from fsmooth.optimise.calls.counters import distance
from fsmooth.optimise.calls.lifting import lifted


def calls_as_loops(term: Term) -> Callable[[Term], Term]:
    """What puts a loop in place of each definition that calls itself at most once on any way, in the term and its parts."""
    headers = reachable(term)
    loops = {h: loop for h in headers if (loop := _loop(h)) is not None}
    if not loops:
        return lambda part: part
    others = {h: h.renewed() for h in headers if h not in loops}

    def change(call: Call) -> Term:
        if call.header in others:
            return Call(others[call.header], call.arguments)
        loop = cast(Lam, refresh(with_calls(loops[call.header], change)))
        return let(tuple(zip(loop.parameters, call.arguments, strict=True)), loop.body)

    for h, new in others.items():
        new.define(cast(Lam, with_calls(h.definition, change)))
    return lambda part: with_calls(part, change)


def _loop(header: Header) -> Lam | None:
    """The function as a loop; None if it calls itself twice on a way, or carries arrays."""
    function = cast(Lam, refresh(header.definition))
    if header not in called(function):
        return None
    body, tree = function.body, _Tree(header, function.parameters)
    whole = tree.of(body)
    if whole is None and (ends := lifted(body, header)) is not None:
        body, tree = ends, _Tree(header, function.parameters)
        whole = tree.of(body)
    if whole is None or header in reachable(whole):
        return None
    if any([has_array(q.type) for q in tree.carried]) or has_array(header.result):
        return None
    if tree.is_tail:
        return Lam(function.parameters, tree.looped(body))
    made = tree.accumulated(body) or tree.there_and_back(body)
    return None if made is None else Lam(function.parameters, made)


_NEVER = Var("never", Tuple(()))
"""The end of a body that is not reached: a condition that was tested before leads to another."""


_MOST = 2**31
"""So many calls, one in the other, are an endless recursion."""


class _Leaf(Struct):
    """What stands at the ends of a body: for a call its arguments, a name for its value, what becomes of that; else a value."""

    call: Callable[[Sequence[Term], Var, Term], Term]
    value: Callable[[Term], Term]


class _Tree:
    """A body whose ends are calls of the function itself, and values."""

    def __init__(self, header: Header, parameters: tuple[Var, ...]) -> None:
        self.header = header
        self.parameters = parameters
        self.carried: tuple[Var, ...] = ()
        self.is_tail = True
        self.given: list[Sequence[Term]] = []
        self.after: list[tuple[Var, Term]] = []

    def of(self, body: Term) -> Term | None:
        """All that is in the body but its calls of itself, if there is one at most on any way; `carried` is what they change."""
        changed = set[Var]()
        beside: list[Term] = []

        def call(arguments: Sequence[Term], var: Var, rest: Term) -> Term:
            changed.update([q for q, a in zip(self.parameters, arguments, strict=True) if a is not q])
            self.is_tail = self.is_tail and rest is var
            self.given.append(arguments)
            self.after.append((var, rest))
            beside.extend([*arguments, rest])
            return blank_of(self.header.result)

        made = self._with(body, _Leaf(call, lambda value: value))
        self.carried = tuple([q for q in self.parameters if q in changed])
        if made is None:
            return None
        whole = MakeTuple((made, *beside))
        return None if self.header in called(whole) else whole

    def looped(self, body: Term) -> Term:
        """The loop."""
        goes_on = self._goes_on(body)
        if size_of_tree(goes_on) <= thresholds.TAIL_CONDITION and not any(map(is_loop, subterms(goes_on))):
            return self._tested(body, goes_on)
        return self._flagged(body)

    def _tested(self, body: Term, goes_on: Term) -> Term:
        """While it goes on the arguments change; the value is that of the last ones."""
        following = self._ends(body, self._next, lambda _: _NEVER)
        last = self._last(body)
        state = Var("arguments", tuple_of(self.carried).type)
        there = self._named(state)
        loop = While(tuple_of(self.carried), state, let(there, goes_on), let(there, following))
        after = Var("arguments", loop.type)
        return cast(Lam, refresh(Lam((), let(((after, loop), *self._named(after)), last)))).body

    def _flagged(self, body: Term) -> Term:
        """Each step evaluates the body once."""
        given = tuple_of(self.carried)
        blank = blank_of(self.header.result)
        step = self._ends(
            body,
            lambda *at: MakeTuple((Const(True), self._next(*at), blank)),
            lambda value: MakeTuple((Const(False), given, value)),
        )
        state = Var("state", Tuple((BOOL, given.type, self.header.result)))
        init = MakeTuple((Const(True), given, blank))
        there = self._named(Proj(state, 1))
        return Proj(While(init, state, Proj(state, 0), let(there, step)), 2)

    def accumulated(self, body: Term) -> Term | None:
        """A loop with what is added to, or multiplied with, the values of the calls; None if something else becomes of them."""
        by = self._accumulation()
        if by is None:
            return None
        sofar = Var("sofar", self.header.result)

        def more(arguments: Sequence[Term], var: Var, rest: Term) -> Term:
            found = operand(rest, var)
            assert found is not None
            whole = sofar if found.term is None else Prim(by, (sofar, found.term))
            return MakeTuple((whole, self._next(arguments, var, rest)))

        step = self._ends(body, more, lambda _: _NEVER)
        start = MakeTuple((number(UNITS[by], self.header.result), tuple_of(self.carried)))
        bindings: list[tuple[Var, Term]] = []
        steps = self._steps(body, bindings)
        if steps is not None:
            state = Var("accumulated", start.type)
            there = ((sofar, Proj(state, 0)), *self._named(Proj(state, 1)))
            loop: Term = IFold(steps, start, state, Var("i", INT), let(there, step))
        else:
            counted = Var("counted", Tuple((INT, start.type)))
            arguments = self._named(Proj(Proj(counted, 1), 1))
            one_more = let(((sofar, Proj(Proj(counted, 1), 0)), *arguments), step)
            loop = Proj(self._while(counted, start, let(arguments, self._goes_on(body)), one_more), 1)
        after = Var("after", start.type)
        value = Prim(by, (Proj(after, 0), self._last(body)))
        whole = let([*bindings, (after, loop), *self._named(Proj(after, 1))], value)
        return cast(Lam, refresh(Lam((), whole))).body

    def _accumulation(self) -> p.Primitive | None:
        """The one operation by which the values of all calls become those of the function, with other operands."""
        if not isinstance(self.header.result, Float | Int):
            return None
        found = [operand(rest, var) for var, rest in self.after]
        used = {one.by for one in found if one is not None and one.term is not None}
        return used.pop() if None not in found and len(used) == 1 else None

    def _while(self, counted: Var, start: Term, goes_on: Term, following: Term) -> While:
        """The loop of a state with the number of calls before it, which must not grow for ever."""
        calls = Proj(counted, 0)
        step = MakeTuple((plus(calls, Const(1)), following))
        ends = Prim(p.less, (calls, Const(_MOST)))
        one_more = Require(ends, step, Failure.DEPTH, (), self.header.site)
        return While(MakeTuple((Const(0), start)), counted, goes_on, one_more)

    def _steps(self, body: Term, bindings: list[tuple[Var, Term]]) -> Var | None:
        """How often the function calls itself, if a counter says so; with what it needs among the bindings."""
        slopes = {q: slope for q in self.carried if (slope := self._slope(q)) is not None}
        often = distance(self._goes_on(body), slopes, self.carried)
        if often is None:
            return None
        calls, steps = Var("calls", INT), Var("steps", INT)
        ends = both(Prim(p.less_equal, (Const(0), calls)), Prim(p.less_equal, (calls, Const(_MOST))))
        bindings.extend([(calls, often), (steps, Require(ends, calls, Failure.DEPTH, (), self.header.site))])
        return steps

    def there_and_back(self, body: Term) -> Term | None:
        """A loop that counts, one that saves the arguments of each step, and one back with what becomes of each value."""
        if any([isinstance(q.type, Tuple) for q in self.carried]):
            return None
        following = self._ends(body, self._next, lambda _: _NEVER)
        bindings: list[tuple[Var, Term]] = []
        steps = self._steps(body, bindings) or self._counted(body, following, bindings)
        back, i = Var("back", INT), Var("i", INT)
        at, last = self._saved(following, steps, back, bindings)
        value = Var("value", self.header.result)
        become = self._ends(body, lambda _, var, rest: let(((var, value),), rest), lambda _: _NEVER)
        step = let(((back, minus(minus(steps, i), Const(1))), *at), become)
        return cast(
            Lam, refresh(Lam((), let(bindings, IFold(steps, let(last, self._last(body)), value, i, step))))
        ).body

    def _counted(self, body: Term, following: Term, bindings: list[tuple[Var, Term]]) -> Var:
        """How often the function calls itself, by a loop among the bindings."""
        given = tuple_of(self.carried)
        counted = Var("counted", Tuple((INT, given.type)))
        there = self._named(Proj(counted, 1))
        count = self._while(counted, given, let(there, self._goes_on(body)), let(there, following))
        after, steps = Var("after", count.type), Var("steps", INT)
        bindings.extend([(after, count), (steps, Proj(after, 0))])
        return steps

    def _saved(
        self, following: Term, steps: Var, back: Var, bindings: list[tuple[Var, Term]]
    ) -> tuple[tuple[tuple[Var, Term], ...], tuple[tuple[Var, Term], ...]]:
        """The arguments of step number `back` and those of the last call, saved in a loop among the bindings if need be."""
        counters = {q: slope for q in self.carried if (slope := self._slope(q)) is not None}
        saved = [q for q in self.carried if q not in counters]
        at: dict[Var, Term] = {q: plus(q, times(Const(slope), back)) for q, slope in counters.items()}
        last: dict[Var, Term] = {q: plus(q, times(Const(slope), steps)) for q, slope in counters.items()}
        if saved:
            i, given = Var("i", INT), tuple_of(self.carried)
            tables = MakeTuple(tuple([Build(steps, Var("k", INT), blank_of(q.type)) for q in saved]))
            state = Var("saved", Tuple((given.type, tables.type)))
            there = self._named(Proj(state, 0))
            rows = [Update(Proj(Proj(state, 1), k), i, q) for k, q in enumerate(saved)]
            step = let(there, MakeTuple((following, MakeTuple(tuple(rows)))))
            kept = Var("kept", state.type)
            bindings.append((kept, IFold(steps, MakeTuple((given, tables)), state, i, step)))
            at |= {q: Get(Proj(Proj(kept, 1), k), back) for k, q in enumerate(saved)}
            ends = dict(self._named(Proj(kept, 0)))
            last |= {q: ends[q] for q in saved}
        return tuple(at.items()), tuple(last.items())

    def _slope(self, parameter: Var) -> int | None:
        """By how much an integer changes in each call, if that is always the same number."""
        place = self.parameters.index(parameter)
        found = set[int]()
        for arguments in self.given:
            match arguments[place]:
                case Prim(p.add, (start, Const(value))) if start is parameter and parameter.type == INT:
                    found.add(int(value))
                case Prim(p.subtract, (start, Const(value))) if start is parameter and parameter.type == INT:
                    found.add(-int(value))
                case _:
                    return None
        return found.pop() if len(found) == 1 else None

    def _goes_on(self, body: Term) -> Term:
        return _decided(self._ends(body, lambda *_: Const(True), lambda _: Const(False)))

    def _last(self, body: Term) -> Term:
        return self._ends(body, lambda *_: _NEVER, lambda value: value)

    def _next(self, arguments: Sequence[Term], _: Var, __: Term) -> Term:
        return tuple_of([a for q, a in zip(self.parameters, arguments, strict=True) if q in self.carried])

    def _named(self, state: Term) -> tuple[tuple[Var, Term], ...]:
        """The parameters, as what the state holds."""
        if len(self.carried) == 1:
            return ((self.carried[0], state),)
        return tuple([(q, Proj(state, k)) for k, q in enumerate(self.carried)])

    def _ends(
        self, body: Term, call: Callable[[Sequence[Term], Var, Term], Term], value: Callable[[Term], Term]
    ) -> Term:
        made = self._with(body, _Leaf(call, value))
        assert made is not None
        return made

    def _with(self, term: Term, leaf: _Leaf) -> Term | None:
        """The term with other ends; None if a call of itself is in a condition."""
        match term:
            case Let(bindings, body) if body is bindings[-1][0]:
                before, last = bindings[:-1], bindings[-1][1]
                return self._with(let(before, last) if before else last, leaf)
            case Let(bindings, body) if (place := self._called_in(bindings)) is not None:
                var, value = bindings[place]
                assert isinstance(value, Call)
                rest = let(bindings[place + 1 :], body) if place + 1 < len(bindings) else body
                end = leaf.call(value.arguments, var, rest)
                return end if end is _NEVER else let(bindings[:place], end)
            case Let(bindings, body):
                inner = self._with(body, leaf)
                return inner if inner is None or inner is _NEVER else let(bindings, inner)
            case If(condition, then, otherwise):
                first, second = self._with(then, leaf), self._with(otherwise, leaf)
                if first is None or second is None:
                    return None
                if first is _NEVER or second is _NEVER:
                    return second if first is _NEVER else first
                return If(condition, first, second)
            case Require(condition, body):
                inner = self._with(body, leaf)
                if inner is None or inner is _NEVER:
                    return inner
                return Require(condition, inner, term.failure, term.numbers, term.site)
            case Call(header, arguments) if header is self.header:
                var = Var(header.name, header.result)
                return leaf.call(arguments, var, var)
            case _:
                return leaf.value(term)

    def _called_in(self, bindings: tuple[tuple[Var, Term], ...]) -> int | None:
        """Which binding is a call of the function itself."""
        places = [k for k, (_, v) in enumerate(bindings) if isinstance(v, Call) and v.header is self.header]
        return places[0] if places else None


def _decided(goes_on: Term) -> Term:
    """The condition without what it does not depend on."""
    match goes_on:
        case If(condition, then, otherwise):
            first, second = _decided(then), _decided(otherwise)
            if isinstance(first, Const) and isinstance(second, Const) and first.value == second.value:
                return first
            return If(condition, first, second)
        case Let(bindings, body):
            inner = _decided(body)
            return inner if isinstance(inner, Const) else let(bindings, inner)
        case Require(condition, body):
            inner = _decided(body)
            if isinstance(inner, Const):
                return inner
            return Require(condition, inner, goes_on.failure, goes_on.numbers, goes_on.site)
        case _:
            return goes_on
