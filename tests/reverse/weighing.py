"""What a program costs when every array is computed where it belongs (design §5 and §6), measured while it runs.

Operations, loads and stores are counted as in `Counting`.  A sum of arrays adds each summand to one place: one-hot
arrays cost what they hold, zeros cost nothing; memory is cleared once, where a sum of zeros and one-hot arrays is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce as folded

import numpy as np

from fsmooth.core.arithmetic import Arithmetic
from fsmooth.core.arithmetic.counting import Counting
from fsmooth.core.evaluate import ArrayValue, Value, _Evaluation
from fsmooth.core.term import Build, Delta, If, Lam, Let, MakeTuple, Plus, Reduce, Reduction, Require, Term, Var, Zero
from fsmooth.core.types import Array, Tuple, Type
from fsmooth.core.values import value_of


def weight(term: Lam, arguments: list[object]) -> int:
    """The weight of one run."""
    counting = Counting()
    values = [value_of(a, q.type) for q, a in zip(term.parameters, arguments, strict=True)]
    result = Weighing(counting).of(term.body, dict(zip(term.parameters, values, strict=True)))
    _read(result)
    return counting.total


def size(value: object) -> int:
    """The number of numbers in arguments or a result."""
    return sum([size(x) for x in value]) if isinstance(value, tuple) else int(np.size(value))  # type: ignore[call-overload]


class Elements(Sequence[Value]):
    """Those of an array of zeros but for `hot`: written out where they are read."""

    def __init__(self, shape: tuple[int, ...], element: Type, hot: dict[int, Value], arithmetic: Arithmetic) -> None:
        self.shape, self.element, self.hot, self.arithmetic = shape, element, hot, arithmetic
        self.written: tuple[Value, ...] | None = None

    def all(self) -> tuple[Value, ...]:
        """All elements."""
        if self.written is None:
            if not isinstance(self.element, Array):
                self.arithmetic.store(self.shape[0] * _leaves(self.element))
            blank = _blank(self.element, self.shape[1:], self.arithmetic)
            self.written = tuple([self.hot.get(k, blank) for k in range(self.shape[0])])
        return self.written

    def __len__(self) -> int:
        return len(self.all())

    def __getitem__(self, position: int) -> Value:  # type: ignore[override]
        return self.all()[position]


class Sparse(ArrayValue, frozen=True):
    """Zeros but for what was added."""

    items: Elements  # type: ignore[assignment]


def sparse(shape: tuple[int, ...], element: Type, hot: dict[int, Value], arithmetic: Arithmetic) -> Sparse:
    """Zeros but for `hot`."""
    return Sparse(shape, Elements(shape, element, hot, arithmetic))


class Weighing(_Evaluation):
    """The interpreter, where arrays that are added are not stored first."""

    def of(self, term: Term, env: dict[Var, Value]) -> Value:
        match term:
            case Zero(sizes, _) if sizes:
                shape = tuple([max(self.integer(s, env), 0) for s in sizes])
                return _zero(term.type, shape, self.a)
            case Build(n, index, body) if _is_zero(body) and _is_regular(body.type):
                count = max(self.integer(n, env), 0)
                inner = self.of(body, {**env, index: 0})
                return _zero(term.type, (count, *(inner.shape if isinstance(inner, ArrayValue) else ())), self.a)
            case Delta(n, index, value):
                hot, at = self.added(value, env), self.integer(index, env)
                shape = (self.integer(n, env), *(hot.shape if isinstance(hot, ArrayValue) else ()))
                return sparse(shape, value.type, {at: hot}, self.a)
            case Plus(items):
                values = [self.added(x, env) for x in items]
                return folded(lambda a, b: self.add(a, b, term.type), values)
            case Reduce(Reduction.SUM, n, index, body) if isinstance(term.type, Array | Tuple):
                values = [self.added(body, {**env, index: i}) for i in range(self.integer(n, env))]
                if not values:
                    return self.empty_sum(term, env)
                return folded(lambda a, b: self.add(a, b, term.type), values)
            case _:
                return super().of(term, env)

    def added(self, term: Term, env: dict[Var, Value]) -> Value:
        """The value of a summand: what is made for it is added where it is made, not stored."""
        match term:
            case Let(bindings, body):
                env = dict(env)
                for var, value in bindings:
                    env[var] = self.of(value, env)
                return self.added(body, env)
            case If(condition, then, otherwise):
                return self.added(then if self.of(condition, env) else otherwise, env)
            case Require(_, body):
                return self.added(body, env)
            case MakeTuple(items):
                return tuple([self.added(x, env) for x in items])
            case Build(n, index, body) if not (_is_zero(body) and _is_regular(body.type)):
                count = max(self.integer(n, env), 0)
                items = tuple([self.added(body, {**env, index: i}) for i in range(count)])
                shape = items[0].shape if items and isinstance(items[0], ArrayValue) else ()
                return ArrayValue((count, *shape), items) if items else self.of(term, env)
            case _:
                return self.of(term, env)

    def add(self, a: Value, b: Value, type_: Type) -> Value:
        if isinstance(a, Sparse) and isinstance(b, ArrayValue) and isinstance(type_, Array):
            if not isinstance(b, Sparse) or b.items.written is not None:
                return self.add(b, a, type_)
            hot = dict(a.items.hot)
            for k, value in b.items.hot.items():
                hot[k] = self.add(hot[k], value, type_.element) if k in hot else self.counted(value)
            return sparse(a.shape, a.items.element, hot, self.a)
        if isinstance(a, ArrayValue) and isinstance(b, Sparse) and isinstance(type_, Array):
            items = list(a.items)
            for k, value in b.items.hot.items():
                items[k] = self.add(items[k], value, type_.element)
            return ArrayValue(a.shape, tuple(items))
        return super().add(a, b, type_)

    def counted(self, value: Value) -> Value:
        """A value added to zeros: as many additions as it holds."""
        self.a.store(_held(value))
        return value


def _held(value: Value) -> int:
    match value:
        case Sparse():
            return sum([_held(x) for x in value.items.hot.values()])
        case ArrayValue(_, items):
            return sum([_held(x) for x in items])
        case tuple():
            return sum([_held(x) for x in value])
        case _:
            return 1


def _is_zero(term: Term) -> bool:
    match term:
        case Zero():
            return True
        case MakeTuple(items):
            return all([_is_zero(x) for x in items])
        case Build(_, _, body):
            return _is_zero(body)
        case _:
            return False


def _is_regular(type_: Type) -> bool:
    """Is there no array in a tuple?"""
    match type_:
        case Array(element):
            return _is_regular(element)
        case Tuple(items):
            return not any([isinstance(t, Array) or not _is_regular(t) for t in items])
        case _:
            return True


def _zero(type_: Type, shape: tuple[int, ...], arithmetic: Arithmetic) -> Value:
    return (
        sparse(shape, type_.element, {}, arithmetic) if isinstance(type_, Array) else _blank(type_, shape, arithmetic)
    )


def _blank(type_: Type, shape: tuple[int, ...], arithmetic: Arithmetic) -> Value:
    match type_:
        case Array(element):
            blank = _blank(element, shape[1:], arithmetic)
            if not isinstance(element, Array):
                arithmetic.store(shape[0] * _leaves(element))
            return ArrayValue(shape, (blank,) * shape[0])
        case Tuple(items):
            return tuple([_blank(t, (), arithmetic) for t in items])
        case _:
            return arithmetic.constant(0.0, type_)


def _leaves(type_: Type) -> int:
    return sum([_leaves(t) for t in type_.items]) if isinstance(type_, Tuple) else 1


def _read(value: Value) -> None:
    if isinstance(value, ArrayValue | tuple):
        for x in value.items if isinstance(value, ArrayValue) else value:
            _read(x)
