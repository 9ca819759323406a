"""Arrays without loops: displays, elements, lengths, sparse arrays, updates, sums of arrays."""

from __future__ import annotations

from fsmooth.core.term.base import IllTyped, Term, want_int
from fsmooth.core.term.fields import Data, Failing, Part, Parts
from fsmooth.core.types import F64, INT, Array, Type, array_of, has_function, is_additive, is_numeric, rank_of


class Vector(Term):
    """An array written out: `[e0, e1, …]`, of at least one element."""

    __slots__ = ("items",)
    __match_args__ = ("items",)
    fields = (Parts("items"),)
    failing = Failing.NEVER

    def __init__(self, items: tuple[Term, ...]) -> None:
        if not items:
            raise IllTyped("an array display needs an element (use zero or build for an empty array)")
        if any(item.type != items[0].type for item in items) or has_function(items[0].type):
            raise IllTyped(f"array elements of types {', '.join(repr(i.type) for i in items)}")
        self.items = items
        self._typed(Array(items[0].type))


class Get(Term):
    """`a[i]`.  The index is in bounds: whoever is not sure writes `a[check i n]`."""

    __slots__ = ("array", "index")
    __match_args__ = ("array", "index")
    fields = (Part("array"), Part("index"))
    failing = Failing.BOUNDS

    def __init__(self, array: Term, index: Term) -> None:
        if not isinstance(array.type, Array):
            raise IllTyped(f"a {array.type!r} cannot be indexed")
        want_int(index, "an index")
        self.array = array
        self.index = index
        self._typed(array.type.element)


class Length(Term):
    """The number of elements of `array` along `axis`.  Depends on the shape of `array` only, never on its elements."""

    __slots__ = ("array", "axis")
    __match_args__ = ("array", "axis")
    fields = (Part("array"), Data("axis"))
    failing = Failing.NEVER

    def __init__(self, array: Term, axis: int = 0) -> None:
        if not 0 <= axis < rank_of(array.type):
            raise IllTyped(f"axis {axis} of a {array.type!r}")
        self.array = array
        self.axis = axis
        self._typed(INT)


class Zero(Term):
    """The structural zero of shape `sizes` (outermost first) and scalar type `leaf`.

    The laws on it are exact: zero + e = e and zero * e = zero whatever e is.  `Zero((), F64)` is a number.
    """

    __slots__ = ("leaf", "sizes")
    __match_args__ = ("sizes", "leaf")
    fields = (Parts("sizes"), Data("leaf"))
    failing = Failing.NEVER

    def __init__(self, sizes: tuple[Term, ...], leaf: Type = F64) -> None:
        for size in sizes:
            want_int(size, "a size")
        if not is_numeric(leaf):
            raise IllTyped(f"zero of {leaf!r}")
        self.sizes = sizes
        self.leaf = leaf
        self._typed(array_of(leaf, len(sizes)))


class Unread(Zero):
    """A zero that nothing reads: it need not be written (made by optimise/windows/in_windows.py, last of all)."""

    __slots__ = ()
    fields = Zero.fields
    failing = Failing.NEVER


class Delta(Term):
    """`delta n i v`: the array of n elements that is v at i and zero elsewhere.  The index is in bounds."""

    __slots__ = ("index", "size", "value")
    __match_args__ = ("size", "index", "value")
    fields = (Part("size"), Part("index"), Part("value"))
    failing = Failing.BOUNDS

    def __init__(self, size: Term, index: Term, value: Term) -> None:
        want_int(size, "a size")
        want_int(index, "an index")
        if not is_additive(value.type):
            raise IllTyped(f"delta of {value.type!r}")
        self.size = size
        self.index = index
        self.value = value
        self._typed(Array(value.type))


class Update(Term):
    """`update a i v`: the array a with v at i.  The index is in bounds."""

    __slots__ = ("array", "index", "value")
    __match_args__ = ("array", "index", "value")
    fields = (Part("array"), Part("index"), Part("value"))
    failing = Failing.BOUNDS

    def __init__(self, array: Term, index: Term, value: Term) -> None:
        if not isinstance(array.type, Array) or array.type.element != value.type:
            raise IllTyped(f"a {value.type!r} into a {array.type!r}")
        want_int(index, "an index")
        self.array = array
        self.index = index
        self.value = value
        self._typed(array.type)


class Plus(Term):
    """`plus a b …`: arrays of equal shape added element by element (⊕ of cotangents, paper 001, Fig. 4).

    A constructor rather than a `build` of sums, so that the summands can be accumulated one after another into one
    place: `plus (delta n i v) (delta n k w)` costs two additions, whatever n is.
    """

    __slots__ = ("items",)
    __match_args__ = ("items",)
    fields = (Parts("items"),)
    failing = Failing.NEVER

    def __init__(self, items: tuple[Term, ...]) -> None:
        if len(items) < 2:
            raise IllTyped("plus adds two arrays or more")
        first = items[0].type
        if not isinstance(first, Array) or not is_additive(first) or any(item.type != first for item in items):
            raise IllTyped(f"plus of {', '.join(repr(i.type) for i in items)}")
        self.items = items
        self._typed(first)
