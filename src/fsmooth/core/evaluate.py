"""The definitional interpreter: what a term means.

Scalars are Python numbers, or whatever the chosen `Arithmetic` makes of them (core/arithmetic); tuples are Python
tuples, functions callables; arrays keep their shape when they are empty; linear maps: `core.map_values`.

>>> from fsmooth.core import build as b
>>> from fsmooth.core.types import INT
>>> evaluate(b.sum_(Const(4), lambda i: i), {})
6
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from fsmooth.core.arithmetic import FLOATS, Arithmetic
from fsmooth.core.array_value import ArrayValue, DataValue, Value
from fsmooth.core.build import zero_like
from fsmooth.core.evaluation_errors import OutOfBounds, RequirementFailed
from fsmooth.core.map_values import meaning
from fsmooth.core.shape import shape_of
from fsmooth.core.tape import Entries, Pairs, Whole
from fsmooth.core.term import (
    App,
    Build,
    Call,
    Check,
    Collect,
    Const,
    Custom,
    Delta,
    Deriv,
    Field,
    Get,
    If,
    IFold,
    Inject,
    Lam,
    Length,
    Let,
    MakeTuple,
    MapTerm,
    Null,
    Plus,
    Prim,
    Proj,
    Pulled,
    Record,
    RecordRegion,
    RecordSum,
    Reduce,
    Reduction,
    Require,
    Retained,
    Swept,
    Tag,
    Taped,
    Term,
    Update,
    Var,
    Vector,
    While,
    Zero,
)
from fsmooth.core.types import F64, Array, Float, Tuple, Type, rank_of
from fsmooth.core.values import zero_of

__all__ = ["ArrayValue", "Environment", "OutOfBounds", "RequirementFailed", "Value", "added", "evaluate"]
Environment = Mapping[Var, Value]


def evaluate(term: Term, environment: Environment, arithmetic: Arithmetic = FLOATS) -> Value:
    """The value of `term`, where `environment` gives the values of its free variables.

    Raises:
        OutOfBounds: where a `Check` fails.
        RequirementFailed: where a `Require` fails.

    """
    return _Evaluation(arithmetic).of(term, dict(environment))


def added(a: Value, b: Value, type_: Type, arithmetic: Arithmetic) -> Value:
    """The sum of two values of one shape."""
    return _Evaluation(arithmetic).add(a, b, type_)


class _Evaluation:
    def __init__(self, arithmetic: Arithmetic) -> None:
        self.a = arithmetic
        self.tape = Entries(arithmetic)

    def of(self, term: Term, env: dict[Var, Value]) -> Value:
        match term:
            case Var():
                return env[term]
            case Const(value):
                return self.a.constant(value, term.type)
            case Prim(primitive, arguments):
                return self.a.apply(primitive, [self.of(x, env) for x in arguments], term.type)
            case Let(bindings, body):
                env = dict(env)
                for var, value in bindings:
                    env[var] = self.of(value, env)
                return self.of(body, env)
            case If(condition, then, otherwise):
                return self.of(then if self.of(condition, env) else otherwise, env)
            case Lam(parameters, body):
                return lambda *xs: self.of(body, {**env, **dict(zip(parameters, xs, strict=True))})
            case App(function, arguments):
                f = self.of(function, env)
                assert callable(f)
                result: object = f(*[self.of(x, env) for x in arguments])
                return result
            case Call(header, arguments):
                self.a.call(header.name)
                return self.called(header.definition, [self.of(x, env) for x in arguments])
            case Build(size, index, body):
                n = max(self.integer(size, env), 0)
                items = tuple([self.of(body, {**env, index: i}) for i in range(n)])
                return self.array(n, items, body, {**env, index: 0})
            case Vector(items):
                values = tuple([self.of(x, env) for x in items])
                return self.array(len(values), values, items[0], env)
            case IFold(size, init, state, index, body):
                current = self.of(init, env)
                for i in range(self.integer(size, env)):
                    current = self.of(body, {**env, state: current, index: i})
                return current
            case While(init, state, condition, body):
                current = self.of(init, env)
                while self.of(condition, {**env, state: current}):
                    current = self.of(body, {**env, state: current})
                return current
            case Reduce():
                return self.reduction(term, env)
            case Collect(count, generators, guard, body):
                found: list[Value] = []
                self.collect(generators, guard, body, env, found)
                if len(found) != self.integer(count, env):
                    raise AssertionError("the count of a comprehension disagrees with its guard")
                zeros = {**env, **{index: 0 for _, index in generators}}
                return self.array(len(found), tuple(found), body, zeros)
            case Get(array, index):
                if not isinstance(term.type, Array):
                    self.a.load()
                return self.array_of(array, env).items[self.integer(index, env)]
            case Length(array, axis):
                return self.array_of(array, env).shape[axis]
            case MakeTuple(items):
                return tuple([self.of(x, env) for x in items])
            case Proj(tuple_, position):
                whole = self.of(tuple_, env)
                assert isinstance(whole, tuple)
                part: object = whole[position]
                return part
            case Inject(_, constructor, items):
                fields = tuple([self.of(x, env) for x in items])
                self.a.store(sum([_scalars_in(x) for x in fields]))
                return DataValue(constructor, fields)
            case Null():
                return None
            case Tag(operand):
                return self.data_of(operand, env).constructor
            case Field(operand, constructor, position):
                made = self.data_of(operand, env)
                if made.constructor != constructor:
                    raise AssertionError(f"constructor {made.constructor} made what is read as made by {constructor}")
                if not isinstance(term.type, Array):
                    self.a.load()
                return made.fields[position]
            case Zero(sizes, leaf):
                shape = tuple([max(self.integer(s, env), 0) for s in sizes])
                if shape:
                    self.a.store(math.prod(shape))
                return self.zeros(shape, leaf)
            case Delta(size, index, value):
                n, at, hot = self.integer(size, env), self.integer(index, env), self.of(value, env)
                empty = zero_of(hot, value.type, self.a)
                return self.array(n, tuple([hot if i == at else empty for i in range(n)]), value, env)
            case Update(array, index, value):
                old, at = self.array_of(array, env), self.integer(index, env)
                new = self.of(value, env)
                self.a.store(1)
                return ArrayValue(old.shape, (*old.items[:at], new, *old.items[at + 1 :]))
            case Plus(items):
                total, *rest = [self.of(x, env) for x in items]
                for item in rest:
                    total = self.add(total, item, term.type)
                return total
            case Check(index, size):
                i, n = self.integer(index, env), self.integer(size, env)
                if not 0 <= i < n:
                    raise OutOfBounds(term.site, i, n)
                return i
            case Require(condition, body):
                if not self.of(condition, env):
                    numbers = tuple([self.integer(x, env) for x in term.numbers])
                    raise RequirementFailed(term.failure, term.site, numbers)
                return self.of(body, env)
            case Record(ids, slopes):
                pairs = zip([self.integer(d, env) for d in ids], [self.of(s, env) for s in slopes], strict=True)
                return self.tape.entered(list(pairs))
            case RecordSum():
                return self.recorded_sum(term, env)
            case RecordRegion(number, size, places, saved):
                given = [tuple([self.of(x, env) for x in part]) for part in (places, saved)]
                return self.tape.region(Whole(number, self.integer(size, env), *given))
            case Taped(size, (start,), body):
                with self.tape.scope(self.integer(size, env)) as first:
                    return self.of(body, {**env, start: first})
            case Swept(size, start, id_):
                n, first, root = [self.integer(part, env) for part in (size, start, id_)]
                back = lambda whole, r: self.way_back(term, whole, r, env)  # noqa: E731
                return ArrayValue((n,), tuple(self.tape.swept(n, first, root, back)))
            case Retained(size, (start,), body):
                whole = self.of(body, {**env, start: self.tape.opened(self.integer(size, env))})
                return (whole, self.tape.retained())
            case Pulled(size, tape, ids, cotangents):
                sums = self.tape.sums(self.integer(tape, env))
                for id_, cotangent in zip(ids, cotangents, strict=True):
                    self.contribute(sums, self.of(id_, env), self.of(cotangent, env))
                n = self.integer(size, env)
                return ArrayValue((n,), tuple(self.tape.pulled(self.integer(tape, env), n, sums)))
            case MapTerm():
                return meaning(term, env, self)
            case Custom(function):
                return self.of(function, env)
            case Deriv():
                raise TypeError("remove derivatives before evaluating (differentiate.remove)")
            case _:
                raise TypeError(f"no meaning of {type(term).__name__}")

    def called(self, function: Lam, arguments: list[Value]) -> Value:
        """The value of a closed function."""
        return self.of(function.body, dict(zip(function.parameters, arguments, strict=True)))

    # -- parts -----------------------------------------------------------------------------------------------------

    def integer(self, term: Term, env: dict[Var, Value]) -> int:
        value = self.of(term, env)
        assert isinstance(value, int)
        return value

    def array_of(self, term: Term, env: dict[Var, Value]) -> ArrayValue:
        value = self.of(term, env)
        assert isinstance(value, ArrayValue)
        return value

    def data_of(self, term: Term, env: dict[Var, Value]) -> DataValue:
        value = self.of(term, env)
        assert isinstance(value, DataValue)
        return value

    def array(self, n: int, items: tuple[Value, ...], element: Term, env: dict[Var, Value]) -> ArrayValue:
        """An array of n elements; the shape of an element is computed only if there is none to look at."""
        if not isinstance(element.type, Array):
            self.a.store(n)
            return ArrayValue((n,), items)
        if items:
            shapes = {i.shape for i in items if isinstance(i, ArrayValue)}
            if len(shapes) != 1:
                raise ValueError(f"ragged: elements of shapes {sorted(shapes)}")
            return ArrayValue((n, *shapes.pop()), items)
        try:
            return ArrayValue((n, *self.shape(element, env)), ())
        except OutOfBounds:
            raise
        except IndexError:  # only elements tell, in what it would be made of, and there are none
            return ArrayValue((n,) + (0,) * rank_of(element.type), ())

    def shape(self, element: Term, env: dict[Var, Value]) -> tuple[int, ...]:
        return tuple([max(self.integer(s, env), 0) for s in shape_of(element)])

    def zeros(self, shape: tuple[int, ...], leaf: Type) -> Value:
        if not shape:
            return self.a.constant(0.0 if isinstance(leaf, Float) else 0, leaf)
        return ArrayValue(shape, (self.zeros(shape[1:], leaf),) * shape[0])

    def collect(
        self,
        generators: tuple[tuple[Term, Var], ...],
        guard: Term,
        body: Term,
        env: dict[Var, Value],
        found: list[Value],
    ) -> None:
        if not generators:
            if self.of(guard, env):
                found.append(self.of(body, env))
            return
        (size, index), *rest = generators
        for i in range(self.integer(size, env)):
            self.collect(tuple(rest), guard, body, {**env, index: i}, found)

    def reduction(self, term: Reduce, env: dict[Var, Value]) -> Value:
        n = self.integer(term.size, env)
        element = term.body
        match term.reduction:
            case Reduction.ALL | Reduction.ANY:
                stop = term.reduction is Reduction.ANY
                for i in range(n):
                    if bool(self.of(element, {**env, term.index: i})) is stop:
                        return stop
                return not stop
            case Reduction.SUM | Reduction.PRODUCT:
                values = [self.of(element, {**env, term.index: i}) for i in range(n)]
                if term.reduction is Reduction.PRODUCT:
                    total: Value = self.a.constant(1.0 if isinstance(term.type, Float) else 1, term.type)
                    for v in values:
                        total = self.a.multiply(total, v, term.type)
                    return total
                if not values:
                    return self.empty_sum(term, env)
                total = values[0]
                for v in values[1:]:
                    total = self.add(total, v, element.type)
                return total
            case _:
                values = [self.of(element, {**env, term.index: i}) for i in range(n)]
                arg = term.reduction in (Reduction.ARGMAX, Reduction.ARGMIN)
                if not values:
                    if arg:
                        return 0
                    raise ValueError(f"{term.reduction.value} of nothing")
                smallest = term.reduction in (Reduction.MIN, Reduction.ARGMIN)
                best = self.a.first_extremum(values, smallest)
                return best if arg else values[best]

    def recorded_sum(self, term: RecordSum, env: dict[Var, Value]) -> Value:
        """The sum, and one entry for it."""
        total: Value | None = None
        pairs: Pairs = []
        for i in range(self.integer(term.size, env)):
            summand = self.of(term.body, {**env, term.index: i})
            assert isinstance(summand, tuple)
            x, *rest = summand
            total = x if total is None else self.a.add(total, x, F64)
            pairs.extend(zip(rest[::2], rest[1::2], strict=True))
        return (self.zeros((), F64) if total is None else total, self.tape.entered(pairs))

    def way_back(
        self, term: Swept, whole: Whole, r: list[Value], env: dict[Var, Value]
    ) -> tuple[list[Value], list[Value]]:
        """What a region adds to cotangents, and the places that all regions of that number have."""
        way = term.back[whole.number]
        assert isinstance(way, Lam)
        given = dict(zip(way.parameters, (*whole.places, *whole.saved, ArrayValue((len(r),), tuple(r))), strict=True))
        added, where = self.of(way.body, {**env, **given}), self.of(term.where[whole.number], env)
        assert isinstance(added, tuple)
        assert isinstance(where, tuple)
        return list(added), list(where)

    def contribute(self, sums: list[object], id_: Value, cotangent: Value) -> None:
        """Add cotangents to those of the numbers with these ids."""
        if isinstance(id_, ArrayValue) and isinstance(cotangent, ArrayValue):
            for d, c in zip(id_.items, cotangent.items, strict=True):
                self.contribute(sums, d, c)
            return
        assert isinstance(id_, int)
        sums[id_] = self.a.add(sums[id_], cotangent, F64)

    def empty_sum(self, term: Reduce, env: dict[Var, Value]) -> Value:
        return self._zero_of(term.body, {**env, term.index: 0}, term.type)

    def _zero_of(self, term: Term, env: dict[Var, Value], type_: Type) -> Value:
        if isinstance(type_, Array | Tuple):
            return self.of(zero_like(term), env)
        return self.zeros((), type_)

    def zero_at(self, point: Term, env: dict[Var, Value]) -> Value:
        """The zero of the space in which the tangents of `point` are."""
        return self.of(zero_like(point), env)

    def multiply(self, a: Value, b: Value, type_: Type) -> Value:
        """The product of two numbers."""
        return self.a.multiply(a, b, type_)

    def add(self, a: Value, b: Value, type_: Type) -> Value:
        """The sum of two values."""
        if isinstance(a, ArrayValue) and isinstance(b, ArrayValue):
            assert isinstance(type_, Array)
            pairs = zip(a.items, b.items, strict=True)
            return ArrayValue(a.shape, tuple([self.add(x, y, type_.element) for x, y in pairs]))
        if isinstance(a, tuple) and isinstance(b, tuple):
            assert isinstance(type_, Tuple)
            return tuple([self.add(x, y, t) for x, y, t in zip(a, b, type_.items, strict=True)])
        return self.a.add(a, b, type_)


def _scalars_in(value: Value) -> int:
    """How many numbers are stored for it."""
    if isinstance(value, ArrayValue):
        return math.prod(value.shape)
    return sum([_scalars_in(x) for x in value]) if isinstance(value, tuple) else 1
