"""Shapes of arrays that are combined element by element, as NumPy broadcasts them.

Axes are aligned from the last one; an array that lacks an axis, or has size 1 along it, is the same at each index of it.
Only a size that is known to be 1 while compiling stretches an axis: sizes that are found out at run time must be equal,
so that no loop asks at each step whether it moves along an array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from fsmooth.core.build import get
from fsmooth.core.term import Const, Term


class Aligned(Struct, frozen=True):
    """The axes of the result: along each, the sizes that must be equal; and which axes of each array are stretched."""

    sizes: tuple[tuple[Term, ...], ...]
    stretched: tuple[tuple[bool, ...], ...]
    singles: tuple[tuple[Term, ...], ...] = ()
    """Along each axis the sizes of arrays that are stretched if these are 1."""

    def element(self, k: int, array: Term, indices: Sequence[Term]) -> Term:
        """The element of array `k` that stands at `indices` of the result."""
        stretched = self.stretched[k]
        own = indices[len(indices) - len(stretched) :]
        return get(array, *[Const(0) if fixed else i for i, fixed in zip(own, stretched, strict=True)])


def aligned(
    shapes: Sequence[Sequence[Term]],
    is_one: Callable[[Term], bool],
    is_single: Callable[[Term], bool] = lambda _: False,
) -> Aligned:
    """How arrays of these shapes are combined; a size that is single is 0 or 1, and stretched over others that are not.

    >>> from fsmooth.core.term import Var
    >>> from fsmooth.core.types import INT
    >>> n, m = Var("n", INT), Var("m", INT)
    >>> aligned([[n, Const(1)], [m]], lambda size: isinstance(size, Const))
    Aligned(sizes=((n,), (m,)), stretched=((False, True), (False,)), singles=())
    """
    rank = max([len(shape) for shape in shapes], default=0)
    sizes: list[tuple[Term, ...]] = []
    singles: list[tuple[Term, ...]] = []
    fixed: list[list[bool]] = [[] for _ in shapes]
    for axis in range(rank):
        here = [(k, shape[axis - rank + len(shape)]) for k, shape in enumerate(shapes) if axis >= rank - len(shape)]
        ones = {k for k, size in here if is_one(size)}
        longer = [size for k, size in here if k not in ones]
        one_or_none = [size for size in longer if is_single(size)]
        if 0 < len(one_or_none) < len(longer):
            ones |= {k for k, size in here if is_single(size)}
            longer = [size for size in longer if not is_single(size)]
            singles.append(tuple(one_or_none))
        else:
            singles.append(())
        sizes.append(tuple(longer) if longer else (Const(1),))
        for k, _ in here:
            fixed[k].append(k in ones and bool(longer))
    return Aligned(tuple(sizes), tuple([tuple(one) for one in fixed]), tuple(singles) if any(singles) else ())
