"""Sizes of terms, as terms (docs/decisions/0001).

`size_of(e, axis)` gives an Int term for the length of `e` along `axis` that never evaluates an element of
`e`: for a variable it is `Length(x, axis)`, for a `build n` it is n, and so on.
"""

from __future__ import annotations

from collections.abc import Callable

from fsmooth import thresholds
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.derivative_sizes import size_of_derivative
from fsmooth.core.images import image
from fsmooth.core.rows import component_of, row_of, without_tape
from fsmooth.core.subst import substitute
from fsmooth.core.term import (
    App,
    Build,
    Call,
    Carrying,
    Collect,
    Const,
    Custom,
    Delta,
    Get,
    Header,
    If,
    IFold,
    Lam,
    Length,
    Let,
    MakeTuple,
    Plus,
    Proj,
    Pulled,
    Reduce,
    Require,
    Retained,
    Swept,
    Taped,
    Term,
    Update,
    Var,
    Vector,
    While,
    Zero,
)
from fsmooth.core.term.fields import Failing
from fsmooth.core.term.linear_maps import Apply, ApplyReverse
from fsmooth.core.types import Array, Tuple, leaf_of, rank_of


class Ragged(ValueError):
    """The size of an element depends on its index, so the value is not a rectangular array."""

    def __init__(self, term: Term) -> None:
        super().__init__(f"ragged: the size of the elements depends on the index in {term!r}")
        self.term = term


def shape_of(term: Term) -> tuple[Term, ...]:
    """The sizes of an array term, outermost first; () for anything else."""
    return tuple([size_of(term, axis) for axis in range(rank_of(term.type))])


def size_of(term: Term, axis: int = 0) -> Term:
    """The length of `term` along `axis`.

    Raises:
        Ragged: if that length depends on an index bound inside `term`.

    >>> from fsmooth.core.types import INT
    >>> n, i = Var("n", INT), Var("i", INT)
    >>> size_of(Build(n, i, Vector((i, i))), 1)
    2

    """
    known = size_of_derivative(term, axis, size_of)
    if known is not None:
        return known
    match term:
        case Build(size, index, body):
            return size if axis == 0 else _closed(size_of(body, axis - 1), (index,), term)
        case Vector(items):
            return Const(len(items)) if axis == 0 else size_of(items[0], axis - 1)
        case Zero(sizes):
            return sizes[axis]
        case Delta(size, _, value):
            return size if axis == 0 else size_of(value, axis - 1)
        case Collect(count, generators, _, body):
            indices = tuple([index for _, index in generators])
            return count if axis == 0 else _closed(size_of(body, axis - 1), indices, term)
        case Let(bindings, body):
            return _under(bindings, size_of(body, axis))
        case If(condition, then, otherwise):
            return _of_either(condition, size_of(then, axis), lambda: size_of(otherwise, axis))
        case Carrying(init=first) | Update(first):
            return size_of(first, axis)
        case Plus((first, *_)):
            return size_of(first, axis)
        case Reduce(_, _, index, body):
            return _closed(size_of(body, axis), (index,), term)
        case Require(_, body):
            return size_of(body, axis)
        case Taped(_, parameters, body):
            return without_tape(size_of(body, axis), parameters)
        case Swept(size) | Pulled(size):
            return size
        case Get(array):
            return size_of(array, axis + 1)
        case App(Lam(parameters, body), arguments) | App(Custom(Lam(parameters, body)), arguments):
            return substitute(size_of(body, axis), dict(zip(parameters, arguments, strict=True)))
        case Call(Header(model=Lam(parameters, body)), arguments):
            return substitute(size_of(body, axis), dict(zip(parameters, arguments, strict=True)))
        case Apply() | ApplyReverse():
            seen = image(term)
            return Length(term, axis) if seen is None else size_of(seen, axis)
        case Proj(tuple_, position):
            size = _component(tuple_, position, axis)
            unknown = isinstance(size, Length) and isinstance(size.array, Proj) and size.array.tuple is tuple_
            return Length(term, axis) if unknown else size
        case _:
            return Length(term, axis)


def _with_definition(size: Term, var: Var, value: Term) -> Term:
    """`size` with `var` replaced by its definition, lengths of it resolved rather than recomputed.

    What would be written several times, and is long, keeps a name: else a size that reads the last of many steps would be
    as long as two to their power.
    """
    from fsmooth.core.traverse import size_of_tree  # noqa: PLC0415  (keeps this module's imports to the shapes themselves)

    if isinstance(value.type, Array):
        size = _resolved(size, var, value)
    if isinstance(leaf_of(value.type), Tuple) and var in size.free:
        size = _parts_resolved(size, var, value)
    if var not in size.free:
        return size
    written = substitute(size, {var: value})
    if size_of_tree(written) <= max(thresholds.SIZE_NODES, size_of_tree(size) + size_of_tree(value)):
        return written
    own = var.renamed()
    return Let(((own, value),), substitute(size, {var: own}))


def _resolved(size: Term, var: Var, value: Term) -> Term:
    """`size` without lengths of the array `var`."""
    from fsmooth.core.traverse import transform  # noqa: PLC0415  (keeps this module's imports to the shapes themselves)

    lengths = {axis: size_of(value, axis) for axis in range(rank_of(value.type))}

    def change(t: Term) -> Term:
        match t:
            case Length(array, axis) if array is var:
                return lengths[axis]
            case _:
                return t

    return transform(size, change)


def _parts_resolved(size: Term, var: Var, value: Term) -> Term:
    """`size` without lengths of parts of the tuple `var`."""
    from fsmooth.core.traverse import transform  # noqa: PLC0415  (keeps this module's imports to the shapes themselves)

    def change(t: Term) -> Term:
        if not isinstance(t, Length) or var not in t.free:
            return t
        return size_of(substitute(t.array, {var: value}), t.axis)

    return transform(size, change)


def _of_either(condition: Term, size: Term, otherwise: Callable[[], Term]) -> Term:
    """The size of what one of two branches gives: that of the first, if it can be asked for where the other is taken.

    A branch without rows may be one that does not save what the other saves (differentiate/reverse/residuals.py), which is
    the only way in which branches are unlike.
    """
    may_differ = isinstance(size, Const) and size.value == 0
    if not may_differ and not may_fail(size):
        return size
    other = otherwise()
    return size if alpha_equal(size, other) else If(condition, size, other)


def may_fail(size: Term) -> bool:
    """Does a size read data, which may be there only where it is written?"""
    from fsmooth.core.traverse import subterms  # noqa: PLC0415  (keeps this module's imports to the shapes themselves)

    return any([t.failing is not Failing.NEVER for t in subterms(size)])


def _component(tuple_: Term, position: int, axis: int) -> Term:
    match tuple_:
        case MakeTuple(items):
            return size_of(items[position], axis)
        case Let(bindings, body):
            return size_of(Let(bindings, Proj(body, position)), axis)
        case If(condition, then, otherwise):
            size = _component(then, position, axis)
            return _of_either(condition, size, lambda: _component(otherwise, position, axis))
        case Carrying(init=init):
            return _component(init, position, axis)
        case Require(_, body):
            return _component(body, position, axis)
        case Taped(_, parameters, body):
            return without_tape(_component(body, position, axis), parameters)
        case Get(Build(_, index, body), _) | Reduce(_, _, index, body):
            return _closed(_component(body, position, axis), (index,), tuple_)
        case Get(Vector(items), _):
            return _component(items[0], position, axis)
        case Get(Delta(_, _, value), _):
            return _component(value, position, axis)
        case Get(Reduce(_, _, summed, body), index):
            return _closed(_component(Get(body, index), position, axis), (summed,), tuple_)
        case Get(Collect(_, generators, _, body), _):
            return _closed(_component(body, position, axis), tuple([index for _, index in generators]), tuple_)
        case Get(If(condition, then, otherwise), index):
            size = _component(Get(then, index), position, axis)
            return _of_either(condition, size, lambda: _component(Get(otherwise, index), position, axis))
        case Get(
            IFold(_, inner_array) | While(inner_array) | Update(inner_array) | Require(_, inner_array),
            index,
        ):
            return _component(Get(inner_array, index), position, axis)
        case Get(Plus((first, *_)), index):
            return _component(Get(first, index), position, axis)
        case Get(Let(bindings, body), index):
            return size_of(Let(bindings, Proj(Get(body, index), position)), axis)
        case Get(Proj(outer, inner), index):
            part = component_of(outer, inner)
            if part is None:
                return Length(Proj(tuple_, position), axis)
            return _component(Get(part, index), position, axis)
        case Get(Get() as inner, index):
            row = row_of(inner)
            if row is None:
                return Length(Proj(tuple_, position), axis)
            like, indices = row
            return _closed(_component(Get(like, index), position, axis), indices, tuple_)
        case Call(Header(model=Lam(parameters, body)), arguments):
            size = size_of(Proj(body, position), axis)
            return substitute(size, dict(zip(parameters, arguments, strict=True)))
        case Get(Call(Header(model=Lam(parameters, body)), arguments), index):
            like = substitute(body, dict(zip(parameters, arguments, strict=True)))
            return _component(Get(like, index), position, axis)
        case Apply() | ApplyReverse():
            seen = image(tuple_)
            return Length(Proj(tuple_, position), axis) if seen is None else _component(seen, position, axis)
        case Retained(_, parameters, body):
            return without_tape(size_of(body, axis), parameters)
        case Proj(outer, inner):
            part = component_of(outer, inner)
            return Length(Proj(tuple_, position), axis) if part is None else _component(part, position, axis)
        case App(Lam(parameters, body), arguments) | App(Custom(Lam(parameters, body)), arguments):
            inner_size = _component(body, position, axis)
            return substitute(inner_size, dict(zip(parameters, arguments, strict=True)))
        case _:
            return Length(Proj(tuple_, position), axis)


def _closed(size: Term, indices: tuple[Var, ...], term: Term) -> Term:
    if size.free.isdisjoint(indices):
        return size
    settled = _of_any_element(_settled(size), indices)
    if settled.free.isdisjoint(indices):
        return settled
    raise Ragged(term)


def _under(bindings: tuple[tuple[Var, Term], ...], size: Term) -> Term:
    """The size with what it needs of these definitions."""
    for var, value in reversed(bindings):
        if var in size.free:
            size = _with_definition(size, var, value)
    return size


def _settled(size: Term) -> Term:
    """`size` without lengths of arrays that are written out, and without definitions that it does not read: elements may
    mention an index, their sizes do not.
    """
    from fsmooth.core.traverse import transform  # noqa: PLC0415  (keeps this module's imports to the shapes themselves)

    def read(t: Term) -> Term:
        match t:
            case Length(array, axis):
                return size_of(array, axis)
            case Let(bindings, body):
                return _under(bindings, body)
            case _:
                return t

    return transform(size, read)


def _of_any_element(size: Term, indices: tuple[Var, ...]) -> Term:
    """`size` with lengths of parts of elements of arrays, `length a[i].0`, taken from the first: all have the same."""
    from fsmooth.core.traverse import transform  # noqa: PLC0415  (keeps this module's imports to the shapes themselves)

    def first(path: Term) -> Term:
        if isinstance(path, Proj):
            return Proj(first(path.tuple), path.position)
        if isinstance(path, Get):
            return Get(first(path.array), path.index if path.index.free.isdisjoint(indices) else Const(0))
        return path

    return transform(size, lambda t: Length(first(t.array), t.axis) if isinstance(t, Length) else t)
