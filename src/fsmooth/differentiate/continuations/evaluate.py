"""An evaluator of the core in continuation-passing style, with a cell beside each number (paper 004, Fig. 11).

An operation gives its result to what follows, and when that has returned adds to the cells of its operands.  Branches share the
continuation (IF, §4.2), a loop calls itself in tail position until it calls what follows it (WHILE, §4.3), a function takes a
continuation beside its arguments (FUN, §4.4).  Sums of arrays are one step, as tensors are in the paper (§5.1).  What has no real
number in its type is evaluated as ever: nothing goes back through it.

>>> from fsmooth.core import build as b
>>> from fsmooth.core.term import Lam, Var
>>> from fsmooth.core.types import F64
>>> x, y = Var("x", F64), Var("y", F64)
>>> pulled_back(Lam((x, y), b.plus(b.times(x, y), x)), (3.0, 4.0), 1.0)
(15.0, (5.0, 3.0))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce

from fsmooth.core.arithmetic import FLOATS, Arithmetic, Paired, PairedNumber, Slopes
from fsmooth.core.array_value import ArrayValue, DataValue, Value
from fsmooth.core.evaluate import Environment, added, evaluate
from fsmooth.core.term import (
    App,
    Build,
    Call,
    Collect,
    Const,
    Custom,
    Delta,
    Field,
    Get,
    If,
    IFold,
    Inject,
    Lam,
    Let,
    MakeTuple,
    Null,
    Plus,
    Prim,
    Proj,
    Reduce,
    Reduction,
    Require,
    Term,
    Update,
    Var,
    Vector,
    While,
    Zero,
)
from fsmooth.core.types import Function, Type, has_float
from fsmooth.core.values import lifted, zero_of
from fsmooth.differentiate.backpropagators.stage import Seeds
from fsmooth.differentiate.backpropagators.wrap import deep, deinterleaved, interleaved, primal, rebuilt
from fsmooth.differentiate.continuations.cells import Cells, Number

Continuation = Callable[[Value], None]
OfSeveral = Callable[[tuple[Value, ...]], None]


def pulled_back(
    program: Lam,
    arguments: Sequence[Value],
    cotangent: Value,
    cells: Recorded | None = None,
    wrt: Sequence[int] | None = None,
) -> tuple[Value, tuple[Value, ...]]:
    """As `backpropagators.wrap.pulled_back`, by continuations: `Transform(f)` of Fig. 11."""
    cells = cells or Recorded()
    chosen = range(len(arguments)) if wrt is None else wrt
    environment = {}
    for k, (parameter, x) in enumerate(zip(program.parameters, arguments, strict=True)):
        given = interleaved(x, parameter.type, cells) if k in chosen else lifted(x, parameter.type, cells)
        environment[parameter] = given
    results: list[Value] = []

    def last(result: Value) -> None:
        results.append(primal(result))
        cells.pulled(list(deinterleaved(result, cotangent)))

    with deep():
        _Continuing(cells).of(program.body, environment, last)
    return results[0], rebuilt(program, arguments, cells.collected(), chosen)


class Recorded(Cells):
    """Numbers with cells, which keep the operations of one step until it has continued."""

    def __init__(self, inner: Arithmetic = FLOATS) -> None:
        super().__init__(inner)
        self.step: list[tuple[Number, Slopes]] = []

    def operation(self, value: object, slopes: Slopes, type_: Type) -> Number:
        """One more of this step."""
        result = self.number(value)
        self.step.append((result, slopes))
        return result

    def pulled(self, seeds: Seeds) -> list[object]:
        """The innermost continuation."""
        self.seed(seeds)
        return self.collected()


class _Still(Paired):
    """The same numbers where nothing goes back: in conditions and indices."""

    def operation(self, value: object, slopes: Slopes, type_: Type) -> PairedNumber:
        return self.fixed(value)


class _Closure:
    """A function: called with a continuation, or without one where nothing goes back through its result."""

    def __init__(self, function: Lam, env: Environment, continuing: _Continuing) -> None:
        self.function, self.env, self.continuing = function, env, continuing

    def inside(self, arguments: Sequence[Value]) -> Environment:
        return {**self.env, **dict(zip(self.function.parameters, arguments, strict=True))}

    def __call__(self, *arguments: Value) -> Value:
        return evaluate(self.function.body, self.inside(arguments), self.continuing.still)

    def then(self, arguments: Sequence[Value], k: Continuation) -> None:
        self.continuing.of(self.function.body, self.inside(arguments), k)


class _Continuing:
    def __init__(self, cells: Recorded) -> None:
        self.cells = cells
        self.still = _Still(cells.inner)

    def of(self, term: Term, env: Environment, k: Continuation) -> None:
        """D⟦term⟧ k."""
        if not isinstance(term.type, Function) and not has_float(term.type):
            k(self.at_once(term, env))
            return
        match term:
            case Var():
                k(env[term])
            case Const() | Zero():
                k(self.at_once(term, env))
            case Prim(primitive, arguments):
                self.all(arguments, env, lambda xs: self.step(lambda: self.cells.apply(primitive, xs, term.type), k))
            case Let(bindings, body):
                self.let(bindings, body, dict(env), k)
            case If(condition, then, otherwise):
                self.of(then if self.at_once(condition, env) else otherwise, env, k)
            case Lam():
                k(_Closure(term, env, self))
            case Call(header, arguments):
                parameters, body = header.definition.parameters, header.definition.body
                self.all(arguments, env, lambda xs: self.of(body, dict(zip(parameters, xs, strict=True)), k))
            case App(function, arguments):
                self.all([function, *arguments], env, lambda xs: _closure(xs[0]).then(xs[1:], k))
            case Build(size, index, body):
                self.each(body, self.rounds(size, index, env), lambda xs: k(self.array(term, xs, env)))
            case Vector(items):
                self.all(items, env, lambda xs: k(self.array(term, xs, env)))
            case Collect(_, generators, guard, body):
                places = list(self.found(generators, guard, env))
                self.each(body, places, lambda xs: k(self.array(term, xs, env)))
            case IFold(size, init, state, index, body):
                rounds = self.rounds(size, index, env)
                self.of(init, env, lambda x: self.fold(rounds, state, body, x, k))
            case While(init, state, condition, body):
                self.of(init, env, lambda x: self.loop(state, condition, body, env, x, k))
            case Reduce(_, size, index, body):
                places = self.rounds(size, index, env)
                self.each(body, places, lambda xs: self.step(lambda: self.reduced(term, xs, env), k))
            case Get(array, index):
                at = self.integer(index, env)
                self.of(array, env, lambda a: k(_array(a).items[at]))
            case MakeTuple(items):
                self.all(items, env, k)
            case Inject(_, constructor, items):
                self.all(items, env, lambda xs: k(DataValue(constructor, tuple(xs))))
            case Null():
                k(None)
            case Field(operand, _, position):
                self.of(operand, env, lambda x: k(_data(x).fields[position]))
            case Proj(whole, position):
                self.of(whole, env, lambda x: k(_tuple(x)[position]))
            case Delta(size, index, value):
                n, at = self.integer(size, env), self.integer(index, env)
                self.of(value, env, lambda x: k(_replaced(self.zeros(n, x, value.type), at, x)))
            case Update(array, index, value):
                at = self.integer(index, env)
                self.all([array, value], env, lambda xs: k(_replaced(_array(xs[0]), at, xs[1])))
            case Plus(items):
                self.all(items, env, lambda xs: self.step(lambda: self.total(xs, term.type), k))
            case Require(condition, body):
                if not self.at_once(condition, env):
                    self.at_once(term, env)  # raises
                self.of(body, env, k)
            case Custom(function):
                self.of(function, env, k)
            case _:
                raise TypeError(f"no continuation of {type(term).__name__}")

    # -- continuations -----------------------------------------------------------------------------------------------

    def step(self, compute: Callable[[], Value], k: Continuation) -> None:
        """`let ŷ = … in @ k ŷ; x' += …`."""
        result = compute()
        made, self.cells.step = self.cells.step, []
        k(result)
        for number, slopes in reversed(made):
            self.cells.back(number, slopes)

    def all(self, terms: Sequence[Term], env: Environment, k: OfSeveral) -> None:
        """Several terms, one after the other."""
        self.many([(term, env) for term in terms], k)

    def each(self, body: Term, places: Sequence[Environment], k: OfSeveral) -> None:
        """One term in several environments, one after the other."""
        self.many([(body, place) for place in places], k)

    def many(self, parts: Sequence[tuple[Term, Environment]], k: OfSeveral) -> None:
        values: list[Value] = []

        def next_one(x: Value) -> None:
            values.append(x)
            start()

        def start() -> None:
            if len(values) == len(parts):
                k(tuple(values))
            else:
                term, env = parts[len(values)]
                self.of(term, env, next_one)

        start()

    def let(self, bindings: Sequence[tuple[Var, Term]], body: Term, inside: dict[Var, Value], k: Continuation) -> None:
        if not bindings:
            self.of(body, inside, k)
            return
        (var, value), *rest = bindings

        def bound(x: Value) -> None:
            inside[var] = x
            self.let(rest, body, inside, k)

        self.of(value, inside, bound)

    def fold(self, places: Sequence[Environment], state: Var, body: Term, x: Value, k: Continuation) -> None:
        """A loop of so many steps."""

        def loop(step: int, current: Value) -> None:
            if step == len(places):
                k(current)
            else:
                self.of(body, {**places[step], state: current}, lambda new: loop(step + 1, new))

        loop(0, x)

    def loop(self, state: Var, condition: Term, body: Term, env: Environment, x: Value, k: Continuation) -> None:
        """`loop x = if c x then D⟦b⟧ loop else k x` (§4.3)."""
        inside = {**env, state: x}
        if self.at_once(condition, inside):
            self.of(body, inside, lambda new: self.loop(state, condition, body, env, new, k))
        else:
            k(x)

    # -- values --------------------------------------------------------------------------------------------------------

    def at_once(self, term: Term, env: Environment) -> Value:
        """The value of what nothing goes back through."""
        return evaluate(term, env, self.still)

    def integer(self, term: Term, env: Environment) -> int:
        value = self.at_once(term, env)
        assert isinstance(value, int)
        return value

    def rounds(self, size: Term, index: Var, env: Environment) -> list[Environment]:
        return [{**env, index: i} for i in range(self.integer(size, env))]

    def found(self, generators: Sequence[tuple[Term, Var]], guard: Term, env: Environment) -> Iterator[Environment]:
        """Where the guard of a comprehension holds."""
        if not generators:
            if self.at_once(guard, env):
                yield env
            return
        (size, index), *rest = generators
        for place in self.rounds(size, index, env):
            yield from self.found(rest, guard, place)

    def array(self, term: Term, items: tuple[Value, ...], env: Environment) -> Value:
        """An array of these elements, whose shape must be one."""
        if not items:
            return self.at_once(term, env)
        shapes = {x.shape if isinstance(x, ArrayValue) else () for x in items}
        if len(shapes) != 1:
            raise ValueError(f"ragged: elements of shapes {sorted(shapes)}")
        return ArrayValue((len(items), *shapes.pop()), items)

    def zeros(self, n: int, like: Value, type_: Type) -> ArrayValue:
        inner = like.shape if isinstance(like, ArrayValue) else ()
        return ArrayValue((n, *inner), (zero_of(like, type_, self.still),) * n)

    def reduced(self, term: Reduce, items: tuple[Value, ...], env: Environment) -> Value:
        """A reduction to reals; to truth values and places they are computed at once."""
        if not items:
            return self.at_once(term, env)
        match term.reduction:
            case Reduction.SUM:
                return self.total(items, term.body.type)
            case Reduction.PRODUCT:
                return reduce(lambda a, b: self.cells.multiply(a, b, term.type), items)
            case _:
                return items[self.cells.first_extremum(items, term.reduction is Reduction.MIN)]

    def total(self, items: tuple[Value, ...], type_: Type) -> Value:
        return reduce(lambda a, b: added(a, b, type_, self.cells), items)


def _array(value: Value) -> ArrayValue:
    assert isinstance(value, ArrayValue)
    return value


def _tuple(value: Value) -> tuple[Value, ...]:
    assert isinstance(value, tuple)
    return value


def _data(value: Value) -> DataValue:
    assert isinstance(value, DataValue)
    return value


def _closure(value: Value) -> _Closure:
    assert isinstance(value, _Closure)
    return value


def _replaced(array: ArrayValue, at: int, value: Value) -> ArrayValue:
    return ArrayValue(array.shape, tuple([value if i == at else old for i, old in enumerate(array.items)]))
