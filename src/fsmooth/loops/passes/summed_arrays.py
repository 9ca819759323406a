"""Which arrays loops only add to, row by row, and of which only sums of rows are read (kept_sums.py)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from fsmooth.core import primitives as p
from fsmooth.core.types import Float
from fsmooth.loops import tree as t
from fsmooth.loops.affine import row_of, rows_of
from fsmooth.loops.arithmetic import positive, same
from fsmooth.loops.usage import bodies_of, changed, declared, names_of, own_names, targets, walk, with_pointed_to

Pointers = Mapping[str, set[str]]
"""What pointers may point to."""


class _Use(Struct, frozen=True):
    """A statement that mentions an array, and the statement around it."""

    statement: t.Statement
    around: t.Statement | None


def summed_arrays(body: t.Body, pointers: Pointers) -> dict[str, t.Expression]:
    """The arrays of which only sums are read, with the number of elements in each sum."""
    allocated = {s.buffer: s for s in walk(body) if isinstance(s, t.Allocate) and isinstance(s.type, Float)}
    if not allocated:
        return {}
    uses: dict[str, list[_Use]] = {name: [] for name in allocated}
    stack: list[tuple[t.Statement | None, t.Body]] = [(None, body)]
    while stack:
        around, inside = stack.pop()
        for s in inside:
            for name in own_names(s) & uses.keys():
                uses[name].append(_Use(s, around))
            stack.extend([(s, inner) for inner in bodies_of(s)])
    assigned = {name for s in walk(body) if isinstance(s, t.Assign) for name in targets(s)}
    found: dict[str, t.Expression] = {}
    for name, allocation in allocated.items():
        size = _size(allocation, uses[name], pointers)
        if size is not None and assigned.isdisjoint(names_of(size)):
            found[name] = size
    return found


def _size(allocation: t.Allocate, uses: list[_Use], pointers: Pointers) -> t.Expression | None:
    """The number of elements in each sum over the array, if only sums of it are read."""
    stores = [u for u in uses if isinstance(u.statement, t.Store)]
    loops = [u.around for u in stores if isinstance(u.around, t.For)]
    size = loops[0].size if loops else None
    if size is None or size.weight != 1 or rows_of(allocation.count, size) is None:
        return None
    reads = [u.around for u in uses if isinstance(u.statement, t.Assign)]
    if not reads or any([loop is read for loop in loops for read in reads]):
        return None
    return size if all([_is_allowed(u, allocation.buffer, size, pointers) for u in uses]) else None


def _is_allowed(use: _Use, buffer: str, size: t.Expression, pointers: Pointers) -> bool:
    """Does the statement allocate the array, set it to zero, add to an element, or sum a row?"""
    match use.statement, use.around:
        case t.Allocate(), _:
            return True
        case t.Fill(_, offset, count), _:
            return rows_of(offset, size) is not None and rows_of(count, size) is not None
        case t.Store(_, at, value, True), t.For() as loop if buffer not in names_of(value):
            return _is_plain(loop, size) and row_in(at, loop, pointers) is not None
        case t.Assign(name, value, True), t.For() as loop if name in loop.reduced and _is_plain(loop, size):
            product = Product.of(value, loop, pointers)
            match product.varying:
                case [t.Load(read, at)] if read == buffer:
                    return row_in(at, loop, pointers) is not None
    return False


def _is_plain(loop: t.For, size: t.Expression) -> bool:
    """Is it a loop over all elements of a row, straight-line but for sums?"""
    if not same(loop.size, size) or loop.extrema or loop.kind not in (t.Kind.PARALLEL, t.Kind.REDUCTION):
        return False
    for s in loop.body:
        match s:
            case t.Declare(_, _, value) if value is not None and not s.mutable:
                pass
            case t.Assign(name, _, True) if name in loop.reduced:
                pass
            case t.Store():
                pass
            case _:
                return False
    return True


def is_steady(names: set[str], loop: t.For, pointers: Pointers) -> bool:
    """Are they the same in all iterations of the loop, and after it?"""
    return with_pointed_to(names, pointers).isdisjoint(changing_in(loop, pointers))


def changing_in(loop: t.For, pointers: Pointers) -> set[str]:
    """What differs from one iteration of the loop to the other."""
    inside = [name for s in walk(loop.body) for name in declared(s)]
    return with_pointed_to({loop.index, *changed(loop.body), *inside}, pointers)


def row_in(at: t.Expression, loop: t.For, pointers: Pointers) -> t.Expression | None:
    """The row of the element that belongs to an iteration, the same for all iterations."""
    row = row_of(at, loop.index, loop.size)
    return row if row is not None and is_steady(names_of(row), loop, pointers) else None


class Product(Struct):
    """A product, as what is the same in all iterations of a loop and what is not."""

    negative: bool = False
    fixed: list[t.Expression] = field(default_factory=list)
    varying: list[t.Expression] = field(default_factory=list)

    @staticmethod
    def of(e: t.Expression, loop: t.For, pointers: Pointers) -> Product:
        """Split an expression of a loop."""
        found = Product()
        stack = [e]
        while stack:
            x = stack.pop()
            if isinstance(x, t.Operation) and x.primitive is p.multiply:
                stack.extend(reversed(x.arguments))
            elif isinstance(x, t.Operation) and x.primitive is p.negate:
                found.negative = not found.negative
                stack.append(x.arguments[0])
            else:
                (found.fixed if is_steady(names_of(x), loop, pointers) else found.varying).append(x)
        return found if found.varying else Product(False, [], [e])

    def times(self, number: t.Expression) -> t.Expression:
        """What is fixed, times a number."""
        whole = multiplied([*self.fixed, number])
        return t.Operation(p.negate, (whole,), whole.type) if self.negative else whole

    def if_it_runs(self, s: t.Statement, loop: t.For) -> t.Statement:
        """A statement that computes what is fixed, which may be infinite, or not there, if the loop does not run."""
        runs = positive(loop.size)
        return t.If(runs, (s,)) if self.fixed and not holds(runs) else s


def multiplied(factors: list[t.Expression]) -> t.Expression:
    whole = factors[0]
    for factor in factors[1:]:
        whole = t.Operation(p.multiply, (whole, factor), whole.type)
    return whole


def holds(condition: t.Expression) -> bool:
    return isinstance(condition, t.Literal) and bool(condition.value)
