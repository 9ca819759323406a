"""Terms to loops: the one pass that dispatches on the construct (paper 000, §5.2; design §6).

Before: a closed function without derivatives and without inner functions but those applied at once.
After: a loops program that writes the result to memory given by the caller.
"""

from __future__ import annotations

from fsmooth.core.hints import Hint
from fsmooth.core.term import (
    App,
    Build,
    Call,
    Carrying,
    Check,
    Collect,
    Const,
    Delta,
    Field,
    Get,
    If,
    Inject,
    Lam,
    Length,
    Let,
    MakeTuple,
    Null,
    Plus,
    Prim,
    Proj,
    Pulled,
    Record,
    RecordRegion,
    RecordSum,
    Reduce,
    Require,
    Retained,
    Swept,
    Tag,
    Taped,
    Term,
    Update,
    Var,
    Vector,
    Zero,
)
from fsmooth.core.types import is_scalar
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import zero_of
from fsmooth.lower import arrays, calls, expressions, folds, frames, reductions, tape
from fsmooth.lower.accumulators import Allowed, Sinks, sinks_of, with_indices_first
from fsmooth.lower.aliases import alias
from fsmooth.lower.cardinality import is_path, length
from fsmooth.lower.components import by_component, is_part, with_named_tuple
from fsmooth.lower.context import Context
from fsmooth.lower.destination import (
    Destination,
    Group,
    Mode,
    Scalar,
    Value,
    View,
    added,
    is_added,
    load,
    readable,
    value_at,
)
from fsmooth.lower.linear import linear_binding, linear_into
from fsmooth.lower.placement.replacement import is_place, is_same_view
from fsmooth.lower.sink_places import accumulate, places_for, remaining
from fsmooth.lower.storage import storage_for
from fsmooth.lower.tape_regions import record_region


class Unsupported(TypeError):
    """A construct that an earlier stage should have removed: a bug there."""


def _allowed(dest: Destination, mode: Mode) -> Allowed:
    """In a destination that is assigned to a part may be computed in place, unless something was added to it before."""

    def whole(path: tuple[int, ...]) -> bool:
        part = dest
        for k in path:
            assert isinstance(part, Group)
            part = part.items[k]  # type: ignore[assignment]
        return mode is Mode.ASSIGN and not is_added(part)

    return Allowed(whole, lambda path: True)


class Lowering(Context):
    """The dispatch of one function."""

    def scalar(self, term: Term) -> t.Expression:
        match term:
            case Const():
                return expressions.lower_const(term)
            case Var():
                return expressions.as_expression(self.environment[term])
            case Prim():
                return expressions.lower_prim(self, term)
            case If():
                return expressions.lower_if(self, term)
            case Check():
                return expressions.lower_check(self, term)
            case Length(array, axis):
                return length(self, array, axis)
            case Zero() | Null():
                return zero_of(term.type)
            case Tag():
                return frames.tag(self, term)
            case Reduce():
                return reductions.reduce_scalar(self, term)
            case Record():
                return tape.record(self, term)
            case RecordRegion():
                return record_region(self, term)
            case Get() | Proj() | Let() | App() | Call() | Inject() | Field() | Require() | Carrying() | Taped():
                return expressions.as_expression(self.value(term))
            case _:
                raise Unsupported(f"lowering of {type(term).__name__}")

    def value(self, term: Term) -> Value:
        match term:
            case Var():
                return self.environment[term]
            case Let(bindings, body):
                saved = self._enter(bindings)
                result = self.value(body)
                self.restore(saved)
                return result
            case App(Lam(parameters, body), arguments):
                return self.value(Let(tuple(zip(parameters, arguments, strict=True)), body))
            case Require():
                expressions.demand(self, term)
                return self.value(term.body)
            case MakeTuple(items):
                return Group(tuple([self.value(item) for item in items]))
            case Proj(MakeTuple(items), position):
                return self.value(items[position])
            case Proj(inner, position):
                whole = self.value(inner)
                assert isinstance(whole, Group)
                return whole.items[position]  # type: ignore[return-value]
            case Get(array, index):
                return self._element(array, index)
            case Carrying():
                return folds.fold(self, term)
            case Call():
                return calls.call(self, term)
            case Inject():
                return frames.pack(self, term)
            case Field():
                return frames.field(self, term)
            case RecordSum():
                return tape.record_sum(self, term)
            case Taped() | Retained():
                return self._stored(term, "taped")
            case _ if is_scalar(term.type) and not (isinstance(term, If)):
                return Scalar(self.scalar(term))
            case If() if is_scalar(term.type):
                return Scalar(expressions.lower_if(self, term))
            case (
                If()
                | Build()
                | Vector()
                | Zero()
                | Delta()
                | Update()
                | Plus()
                | Reduce()
                | Collect()
                | Swept()
                | Pulled()
            ):
                return self._stored(term, "a")
            case _:
                raise Unsupported(f"lowering of {type(term).__name__}")

    def _stored(self, term: Term, hint: str | Hint) -> Value:
        place = storage_for(self, term, hint)
        self.into(term, place, Mode.ASSIGN)
        return readable(place)

    def _element(self, array: Term, index: Term) -> Value:
        """`array[index]` without making the array where possible."""
        if is_path(array):
            whole = self.value(array)
            return value_at(whole, self.light(self.scalar(index), "k"))
        match array:
            case Build(_, var, body):
                at = self.named(self.scalar(index), var.name)
                saved = self.environment.get(var)
                self.environment[var] = Scalar(at)
                result = self.value(body)
                self.restore([(var, saved)])
                return result
            case Vector(items) if isinstance(
                index, Const
            ):  # beyond them is nothing that is evaluated: a check fails first
                return self.value(items[int(index.value) if 0 <= index.value < len(items) else 0])
            case Zero(sizes) if len(sizes) == 1:
                return Scalar(zero_of(array.leaf))
            case Delta() if is_scalar(array.value.type):
                at = self.named(self.scalar(index), "k")
                return Scalar(expressions.lower_delta_element(self, array, at))
            case _:
                at = self.named(self.scalar(index), "k")
                return value_at(self.value(array), at)

    def bind(self, var: Var, value: Term) -> None:
        match value:
            case (
                Var()
                | Proj()
                | Get()
                | Let()
                | App()
                | Call()
                | Inject()
                | Field()
                | Require()
                | MakeTuple()
                | Carrying()
                | RecordSum()
            ):
                result = self._pinned(self.value(value), Hint.of(var))
            case _ if is_scalar(value.type):
                result = Scalar(self.named(self.scalar(value), Hint.of(var)))
            case Build():
                result = alias(self, value) or self._stored(value, Hint.of(var))
            case _:
                result = self._stored(value, Hint.of(var))
        self.environment[var] = result

    def _pinned(self, value: Value, hint: Hint) -> Value:
        """The value with its scalars in locals."""
        if isinstance(value, Scalar):
            return Scalar(self.named(value.expression, hint))
        if isinstance(value, View):
            return value if value.sizes else Scalar(self.named(load(value), hint))
        return Group(tuple([self._pinned(item, hint) for item in value.items]), value.sizes)  # type: ignore[arg-type]

    def _enter(self, bindings: tuple[tuple[Var, Term], ...]) -> list[tuple[Var, Value | None]]:
        saved = []
        for var, value in bindings:
            saved.append((var, self.environment.get(var)))
            self.bind(var, value)
        return saved

    def enter_accumulating(self, term: Let, sinks: Sinks, first: int = 0) -> list[tuple[Var, Value | None]]:
        """Bind from binding `first` on, with what has a sink computed there."""
        saved = []
        for k in range(first, len(term.bindings)):
            var, value = term.bindings[k]
            saved.append((var, self.environment.get(var)))
            if var in sinks.of:
                places_for(self, term, sinks, k)
            if var in sinks.of or var in sinks.places:
                accumulate(self, term, sinks, k)
            else:
                self.bind(var, value)
        return saved

    def into(self, term: Term, dest: Destination, mode: Mode) -> None:
        if is_added(dest):
            mode = Mode.ACCUMULATE
        match term:
            case Let() if self.accumulators and (plain := by_component(term)) is not term:
                self.into(plain, dest, mode)
            case Let():
                term = with_indices_first(term) if self.accumulators else term
                bindings, body = term.bindings, term.body
                sinks = sinks_of(term, _allowed(dest, mode)) if self.accumulators else None
                if sinks is not None:
                    sinks.places[None] = added(dest) if mode is Mode.ACCUMULATE else dest
                    saved = self.enter_accumulating(term, sinks)
                    self.into(sinks.body, remaining(sinks, dest), mode)
                    self.restore(saved)
                    return
                split = linear_binding(term)
                if split is None:
                    saved = self._enter(bindings)
                    self.into(body, dest, mode)
                else:
                    saved = self._enter(bindings[: split.binding] + bindings[split.binding + 1 :])
                    linear_into(self, term, split, dest, mode)
                self.restore(saved)
            case App(Lam(parameters, body), arguments):
                self.into(Let(tuple(zip(parameters, arguments, strict=True)), body), dest, mode)
            case Require():
                expressions.demand(self, term)
                self.into(term.body, dest, mode)
            case MakeTuple(items):
                assert isinstance(dest, Group)
                for item, place in zip(items, dest.items, strict=True):
                    self.into(item, place, mode)  # type: ignore[arg-type]
            case If() if not is_scalar(term.type) or mode is Mode.ACCUMULATE:
                arrays.if_into(self, term, dest, mode)
            case Carrying():
                folds.fold_into(self, term, dest, mode)
            case Call() if not is_scalar(term.type):
                calls.call_into(self, term, dest, mode)
            case Zero():
                if mode is Mode.ASSIGN:
                    arrays.fill_zero(self, dest)
            case Proj() if self.accumulators and not is_scalar(term.type) and (named := with_named_tuple(term)):
                self.into(named, dest, mode)
            case Reduce() if not is_scalar(term.type):
                reductions.sum_into(self, term, dest, mode)
            case Build():
                there = alias(self, term) if mode is Mode.ASSIGN and is_part(term) else None
                if there is None or not is_same_view(there, dest):
                    arrays.build_into(self, term, dest, mode)
            case Vector():
                arrays.vector_into(self, term, dest, mode)
            case Delta():
                arrays.delta_into(self, term, dest, mode)
            case Update():
                arrays.update_into(self, term, dest, mode)
            case Plus():
                arrays.plus_into(self, term, dest, mode)
            case Collect():
                arrays.collect_into(self, term, dest, mode)
            case Taped():
                tape.taped_into(self, term, dest, mode)
            case Swept():
                tape.swept_into(self, term, dest, mode)
            case Retained():
                tape.retained_into(self, term, dest)
            case Pulled():
                tape.pulled_into(self, term, dest, mode)
            case RecordSum():
                arrays.copy_into(self, self.value(term), dest, mode)
            case Get(Build(_, var, body), index):
                at = self.named(self.scalar(index), var.name)
                saved_index = self.environment.get(var)
                self.environment[var] = Scalar(at)
                self.into(body, dest, mode)
                self.restore([(var, saved_index)])
            case _ if is_scalar(term.type):
                assert not isinstance(dest, Group)
                self.store(dest, self.scalar(term), mode)
            case Var() | Proj() | Get() | Field():
                value = self.value(term)
                if mode is Mode.ACCUMULATE or not is_place(value, dest):
                    arrays.copy_into(self, value, dest, mode)
            case _:
                raise Unsupported(f"lowering of {type(term).__name__}")
