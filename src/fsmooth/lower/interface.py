"""The C interface of a function: parameters and outputs from its type.

For every leaf of the unzipped type of a parameter: an array is a pointer and its dimensions, a scalar is itself.
For every leaf of the unzipped result: a pointer.  `NAME_shape` writes the dimensions of all array leaves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from fsmooth.core.term import Lam, Term
from fsmooth.core.types import INT, Array, Tuple, Type, array_of, leaf_of, rank_of, scalars_of, unzipped
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import ZERO, integer
from fsmooth.loops.identifiers import public
from fsmooth.lower.cardinality import leaf_shapes
from fsmooth.lower.context import Added, Context
from fsmooth.lower.destination import Destination, Group, Mode, Scalar, Value, View, dense_view, leaves

StaticSizes = Mapping[tuple[int, int], int]


class Interface:
    """Parameters of one function, entered in the environment of its context.

    `static_sizes` gives the sizes that are known, by position of the parameter and axis; `to_add` says to which leaves of
    the result it adds.
    """

    def __init__(self, ctx: Context, term: Lam, static_sizes: StaticSizes, to_add: Added = ()) -> None:
        self.ctx = ctx
        self.to_add = to_add or tuple([False for _ in scalars_of(term.body.type)])
        self._result = term.body.type
        self.inputs: list[t.Parameter] = []
        self.results: list[t.Parameter] = []
        for position, var in enumerate(term.parameters):
            known = {axis: size for (k, axis), size in static_sizes.items() if k == position}
            ctx.environment[var] = self._input(unzipped(var.type), var.type, var.name, known)

    def parameters(self) -> tuple[t.Parameter, ...]:
        """Of the kernel: inputs, then outputs."""
        return (*self.inputs, *self.results)

    def shape_parameters(self) -> tuple[t.Parameter, ...]:
        """Of the shape function: inputs, then the place for the dimensions."""
        return (*self.inputs, t.Parameter("shape", INT, pointer=True, output=True))

    def _input(self, type_: Type, original: Type, hint: str, known: Mapping[int, int]) -> Value:
        if isinstance(type_, Tuple):
            names = type_.names or tuple([str(k) for k in range(len(type_.items))])
            originals = _components(original)
            items = [
                self._input(item, whole, f"{hint}_{name}", {})
                for item, whole, name in zip(type_.items, originals, names, strict=True)
            ]
            return Group(tuple(items), self._shared_sizes(items, rank_of(original)))
        name = self.ctx.fresh(public(hint))
        leaf = leaf_of(type_)
        if not isinstance(type_, Array):
            self.inputs.append(t.Parameter(name, leaf))
            return Scalar(t.Name(name, leaf))
        self.inputs.append(t.Parameter(name, leaf, pointer=True))
        sizes: list[t.Expression] = []
        for axis in range(rank_of(type_)):
            size = self.ctx.fresh(f"{name}_n{axis}")
            self.inputs.append(t.Parameter(size, INT))
            sizes.append(integer(known[axis]) if axis in known else t.Name(size, INT))
            self.ctx.nonnegative.add(size)
            self.ctx.lengths.add(size)
        self.ctx.note_rows(name, tuple(sizes))
        return dense_view(name, tuple(sizes), leaf)

    def _shared_sizes(self, items: list[Value], rank: int) -> tuple[t.Expression, ...]:
        for item in items:
            if rank and isinstance(item, View | Group) and len(item.sizes) >= rank:
                return item.sizes[:rank]
        return tuple([ZERO] * rank)

    def outputs(self, body: Term) -> Destination:
        """The destination of the result, whose sizes are computed in the context."""
        shapes = leaf_shapes(body)
        return _with_sizes(self._output(unzipped(body.type), iter(shapes), "result"), body.type)

    def _output(self, type_: Type, shapes: Iterator[tuple[Type, tuple[Term, ...]]], hint: str) -> Destination:
        if isinstance(type_, Tuple):
            names = type_.names or tuple([str(k) for k in range(len(type_.items))])
            items = [
                self._output(item, shapes, f"{hint}_{name}") for item, name in zip(type_.items, names, strict=True)
            ]
            return Group(tuple(items))
        leaf, sizes = next(shapes)
        name = self.ctx.fresh(hint)
        self.results.append(t.Parameter(name, leaf, pointer=True, output=True))
        extents = tuple([self.ctx.extent(self.ctx.scalar(size)) for size in sizes])
        self.ctx.sizes[name] = extents
        view = dense_view(name, extents, leaf)
        return replace(view, added=self.to_add[len(self.results) - 1])

    def is_assigned(self, path: tuple[int, ...]) -> bool:
        """Is that part of the result assigned to, all of it?"""
        type_, first = self._result, 0
        for k in path:
            assert isinstance(type_, Tuple)
            first += sum([len(list(scalars_of(item))) for item in type_.items[:k]])
            type_ = type_.items[k]
        return not any(self.to_add[first : first + len(list(scalars_of(type_)))])

    def has_arrays(self, type_: Type) -> bool:
        """Does a value of this type contain an array?"""
        if isinstance(type_, Tuple):
            return any([self.has_arrays(item) for item in type_.items])
        return isinstance(type_, Array)

    def shapes(self, body: Term) -> None:
        """Store the sizes of every array leaf of the result; a negative one counts as 0."""
        position = 0
        for _, sizes in leaf_shapes(body):
            for size in sizes:
                value = self.ctx.extent(self.ctx.scalar(size))
                self.ctx.store(View("shape", integer(position), (), (), INT), value, Mode.ASSIGN)
                position += 1


def _with_sizes(dest: Destination, type_: Type) -> Destination:
    """A destination that knows the sizes of its arrays of tuples, since what is put there may be read again."""
    if not isinstance(dest, Group):
        return dest
    items = tuple(
        [_with_sizes(part, item) for part, item in zip(dest.items, _components(type_), strict=True)]  # type: ignore[arg-type]
    )
    sizes = [leaf.sizes for part in items for leaf in leaves(part) if isinstance(leaf, View)]
    return Group(items, sizes[0][: rank_of(type_)] if sizes and isinstance(type_, Array) else ())


def _components(type_: Type) -> tuple[Type, ...]:
    """The components of a tuple, or of an array of tuples as arrays."""
    if isinstance(type_, Tuple):
        return type_.items
    leaf = leaf_of(type_)
    assert isinstance(leaf, Tuple)
    return tuple([array_of(item, rank_of(type_)) for item in leaf.items])
