"""What a program of Futhark computes: arrays are lists, numbers are NumPy's.

An index out of bounds is an error, and behind `#[unsafe]`, where Futhark would not see it, it is one too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from lark import Tree

from tests.futhark.reader.differences import jvp, vjp
from tests.futhark.reader.types import FutharkError
from tests.futhark.reader.values import OPERATORS, TYPES, constant, of_module

Environment = dict[str, Any]


class Program:
    """The definitions of a program that was parsed, and checked."""

    def __init__(self, tree: Tree) -> None:
        self.declarations = {str(t.children[0]): t for t in tree.children}

    def run(self, name: str, arguments: list[Any]) -> list[Any]:
        """The results of an entry point for arrays and numbers of NumPy."""
        with np.errstate(all="ignore"):
            result = self._called(name, arguments)
        return list(result) if isinstance(result, tuple) else [result]

    def _called(self, name: str, arguments: list[Any]) -> Any:
        _, *parts, _, body = self.declarations[name].children
        env: Environment = {}
        parameters = [t for t in parts if t.data == "parameter"]
        if len(parameters) != len(arguments):
            raise FutharkError(f"{name} takes {len(parameters)} arguments")
        for parameter, given in zip(parameters, arguments, strict=True):
            shape = np.shape(given)
            self._bind_sizes(parameter.children[1], shape, env)
            env[str(parameter.children[0])] = _listed(given)
        return self.of(body, env)

    def _bind_sizes(self, type_: Tree, shape: tuple[int, ...], env: Environment) -> None:
        while type_.data == "array_type":
            dimension, type_ = type_.children
            size, *rest = shape
            known = env.setdefault(str(dimension.children[0]), np.int64(size))
            if str(dimension.children[0]).isdigit():
                known = np.int64(dimension.children[0])
            if known != size:
                raise FutharkError(f"an array of {size} where {known} are expected")
            shape = tuple(rest)
            if not rest:
                return

    # -- expressions -----------------------------------------------------------------------------------------------

    def of(self, tree: Tree, env: Environment) -> Any:
        """The value of an expression."""
        return getattr(self, f"_{tree.data}")(tree.children, env)

    def _let(self, parts: list[Any], env: Environment) -> Any:
        pattern, value, body = parts
        inner = dict(env)
        _bind(pattern, self.of(value, env), inner)
        return self.of(body, inner)

    def _if_(self, parts: list[Any], env: Environment) -> Any:
        condition, then, otherwise = parts
        return self.of(then if self.of(condition, env) else otherwise, env)

    def _loop(self, parts: list[Any], env: Environment) -> Any:
        pattern, init, form, body = parts
        state = self.of(init, env) if init is not None else _of_pattern(pattern, env)
        if form.data == "for_":
            index, _, bound = form.children
            for i in range(int(self.of(bound, env))):
                inner = {**env, str(index): np.int64(i)}
                _bind(pattern, state, inner)
                state = self.of(body, inner)
            return state
        while True:
            inner = dict(env)
            _bind(pattern, state, inner)
            if not self.of(form.children[0], inner):
                return state
            state = self.of(body, inner)

    def _unsafe(self, parts: list[Any], env: Environment) -> Any:
        return self.of(parts[1], env)

    def _assert_(self, parts: list[Any], env: Environment) -> Any:
        if not self.of(parts[0], env):
            raise FutharkError("an assertion failed")
        return self.of(parts[1], env)

    def _with_(self, parts: list[Any], env: Environment) -> Any:
        array, *indices, value = parts
        places = [self.of(i, env) for i in indices]
        return _replaced(self.of(array, env), places, self.of(value, env))

    def _coerce(self, parts: list[Any], env: Environment) -> Any:
        value, type_ = self.of(parts[0], env), parts[1]
        self._demand_sizes(value, type_, env)
        return value

    def _demand_sizes(self, value: Any, type_: Tree, env: Environment) -> None:
        if type_.data == "tuple_type":
            for part, t in zip(value, type_.children, strict=True):
                self._demand_sizes(part, t, env)
        if type_.data == "array_type":
            dimension, element = type_.children
            name = str(dimension.children[0])
            wanted = int(name) if name.isdigit() else int(env[name])
            if len(value) != wanted:
                raise FutharkError(f"an array of {len(value)} where {wanted} are expected")
            for item in value:
                self._demand_sizes(item, element, env)

    def _or_(self, parts: list[Any], env: Environment) -> Any:
        return np.bool_(self.of(parts[0], env) or self.of(parts[1], env))

    def _and_(self, parts: list[Any], env: Environment) -> Any:
        return np.bool_(self.of(parts[0], env) and self.of(parts[1], env))

    def _not_(self, parts: list[Any], env: Environment) -> Any:
        return np.bool_(not self.of(parts[0], env))

    def _negate(self, parts: list[Any], env: Environment) -> Any:
        return -self.of(parts[-1], env)

    def _infix(self, parts: list[Any], env: Environment) -> Any:
        left, symbol, right = parts
        return OPERATORS[str(symbol)](self.of(left, env), self.of(right, env))

    def _apply(self, parts: list[Any], env: Environment) -> Any:
        function, *arguments = parts
        name = str(function.children[0])
        if function.data == "qualified":
            module, _, operation = name.partition(".")
            return of_module(module, operation, [self.of(a, env) for a in arguments])
        if name in self.declarations:
            return self._called(name, [self.of(a, env) for a in arguments])
        return getattr(self, f"_call_{name}")(arguments, env)

    def _name(self, parts: list[Any], env: Environment) -> Any:
        return env[str(parts[0])]

    def _qualified(self, parts: list[Any], env: Environment) -> Any:
        module, _, name = str(parts[0]).partition(".")
        return constant(module, name)

    def _float(self, parts: list[Any], env: Environment) -> Any:
        return TYPES[parts[0][-3:]](float(parts[0][:-3]))

    def _int(self, parts: list[Any], env: Environment) -> Any:
        return np.int64(parts[0].removesuffix("i64"))

    def _true(self, parts: list[Any], env: Environment) -> Any:
        return np.bool_(True)

    def _false(self, parts: list[Any], env: Environment) -> Any:
        return np.bool_(False)

    def _tuple(self, parts: list[Any], env: Environment) -> Any:
        return tuple([self.of(t, env) for t in parts])

    def _display(self, parts: list[Any], env: Environment) -> Any:
        return [self.of(t, env) for t in parts]

    def _name_index(self, parts: list[Any], env: Environment) -> Any:
        name, _, *indices = parts
        return _element(env[str(name)], [self.of(i, env) for i in indices])

    def _index(self, parts: list[Any], env: Environment) -> Any:
        array, _, *indices = parts
        return _element(self.of(array, env), [self.of(i, env) for i in indices])

    def _name_field(self, parts: list[Any], env: Environment) -> Any:
        return env[str(parts[0])][int(parts[1][1:])]

    def _field(self, parts: list[Any], env: Environment) -> Any:
        return self.of(parts[0], env)[int(parts[1][1:])]

    # -- functions -------------------------------------------------------------------------------------------------

    def function(self, tree: Tree, env: Environment) -> Callable[..., Any]:
        """What is given to tabulate, map, reduce, …."""
        if tree.data == "section":
            return OPERATORS["+"]
        if tree.data == "apply":
            inner = self.function(tree.children[1], env)
            return lambda xs, ys: [inner(x, y) for x, y in zip(xs, ys, strict=True)]
        if tree.data == "name":
            return lambda *xs: self._called(str(tree.children[0]), list(xs))
        *patterns, body = [t for t in tree.children if isinstance(t, Tree)]

        def call(*arguments: Any) -> Any:
            own = dict(env)
            for pattern, value in zip(patterns, arguments, strict=True):
                _bind(pattern, value, own)
            return self.of(body, own)

        return call

    def _indices(self, size: Tree, env: Environment) -> Iterator[Any]:
        n = int(self.of(size, env))
        if n < 0:
            raise FutharkError(f"an array of {n}")
        return map(np.int64, range(n))

    def _call_tabulate(self, parts: list[Tree], env: Environment) -> Any:
        f = self.function(parts[1], env)
        return [f(i) for i in self._indices(parts[0], env)]

    def _call_tabulate_2d(self, parts: list[Tree], env: Environment) -> Any:
        f = self.function(parts[2], env)
        return [[f(i, j) for j in self._indices(parts[1], env)] for i in self._indices(parts[0], env)]

    def _call_tabulate_3d(self, parts: list[Tree], env: Environment) -> Any:
        f = self.function(parts[3], env)
        inner = [list(self._indices(p, env)) for p in parts[1:3]]
        return [[[f(i, j, k) for k in inner[1]] for j in inner[0]] for i in self._indices(parts[0], env)]

    def _call_map(self, parts: list[Tree], env: Environment) -> Any:
        f = self.function(parts[0], env)
        return [f(x) for x in self.of(parts[1], env)]

    def _call_map2(self, parts: list[Tree], env: Environment) -> Any:
        f = self.function(parts[0], env)
        return [f(x, y) for x, y in zip(self.of(parts[1], env), self.of(parts[2], env), strict=True)]

    def _call_reduce(self, parts: list[Tree], env: Environment) -> Any:
        """From both ends, as a parallel machine might: the operator must be associative."""
        f, neutral, xs = self.function(parts[0], env), self.of(parts[1], env), self.of(parts[2], env)
        middle = len(xs) // 2
        one, other = neutral, neutral
        for x in xs[:middle]:
            one = f(one, x)
        for x in reversed(xs[middle:]):
            other = f(x, other)
        return f(one, other)

    def _call_reduce_by_index(self, parts: list[Tree], env: Environment) -> Any:
        start, function, _, places, values = parts
        f, found = self.function(function, env), list(self.of(start, env))
        for i, x in zip(self.of(places, env), self.of(values, env), strict=True):
            if 0 <= i < len(found):
                found[i] = f(found[i], x)
        return found

    def _call_replicate(self, parts: list[Tree], env: Environment) -> Any:
        value = self.of(parts[1], env)
        return [value for _ in self._indices(parts[0], env)]

    def _call_iota(self, parts: list[Tree], env: Environment) -> Any:
        return list(self._indices(parts[0], env))

    def _call_zip(self, parts: list[Tree], env: Environment) -> Any:
        return list(zip(self.of(parts[0], env), self.of(parts[1], env), strict=True))

    def _call_unzip(self, parts: list[Tree], env: Environment) -> Any:
        pairs = self.of(parts[0], env)
        return [a for a, _ in pairs], [b for _, b in pairs]

    def _call_all(self, parts: list[Tree], env: Environment) -> Any:
        return np.bool_(all(list(self._call_map(parts, env))))

    def _call_any(self, parts: list[Tree], env: Environment) -> Any:
        return np.bool_(any(list(self._call_map(parts, env))))

    def _call_filter(self, parts: list[Tree], env: Environment) -> Any:
        f = self.function(parts[0], env)
        return [x for x in self.of(parts[1], env) if f(x)]

    def _call_vjp(self, parts: list[Tree], env: Environment) -> Any:
        return vjp(self.function(parts[0], env), self.of(parts[1], env), self.of(parts[2], env))

    def _call_vjp2(self, parts: list[Tree], env: Environment) -> Any:
        return self.function(parts[0], env)(self.of(parts[1], env)), self._call_vjp(parts, env)

    def _call_jvp(self, parts: list[Tree], env: Environment) -> Any:
        return jvp(self.function(parts[0], env), self.of(parts[1], env), self.of(parts[2], env))

    def _call_jvp2(self, parts: list[Tree], env: Environment) -> Any:
        return self.function(parts[0], env)(self.of(parts[1], env)), self._call_jvp(parts, env)

    def _call_copy(self, parts: list[Tree], env: Environment) -> Any:
        return self.of(parts[0], env)


def _listed(value: Any) -> Any:
    """Arrays of NumPy as lists of its numbers."""
    return [_listed(x) for x in value] if isinstance(value, np.ndarray) else value


def _bind(pattern: Tree, value: Any, env: Environment) -> None:
    if pattern.data == "name_pattern":
        env[str(pattern.children[0])] = value
        return
    for part, item in zip(pattern.children, value, strict=True):
        _bind(part, item, env)


def _of_pattern(pattern: Tree, env: Environment) -> Any:
    if pattern.data == "name_pattern":
        return env[str(pattern.children[0])]
    return tuple([_of_pattern(part, env) for part in pattern.children])


def _element(array: Any, indices: list[Any]) -> Any:
    for i in indices:
        if not 0 <= i < len(array):
            raise FutharkError(f"index {i} of {len(array)}")
        array = array[i]
    return array


def _replaced(array: Any, indices: list[Any], value: Any) -> Any:
    i, *rest = indices
    if not 0 <= i < len(array):
        raise FutharkError(f"index {i} of {len(array)}")
    return [*array[:i], _replaced(array[i], rest, value) if rest else value, *array[i + 1 :]]
