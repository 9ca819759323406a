"""Maps put beside and above one another: tuples, arrays and functions of maps, and folds (paper 001, Fig. 3, Fig. 12)."""

from __future__ import annotations

from fsmooth.core.term.base import IllTyped, Term, want_int
from fsmooth.core.term.fields import Data, Failing, Part, Parts
from fsmooth.core.term.linear_maps.basic import MapTerm, map_type, space_of
from fsmooth.core.types import (
    INT,
    Array,
    Function,
    Int,
    Linear,
    Tuple,
    Type,
    is_additive,
)


class VCat(MapTerm):
    """`m₁ × … × mₙ`: one vector to a tuple of vectors; with `like` to a record.  The source is that of the maps; its vectors
    can be added, as ⊙ᴿ does.
    """

    __slots__ = ("items",)
    __match_args__ = ("items",)
    fields = (Parts("items"), Data("like"))
    failing = Failing.NEVER

    def __init__(self, items: tuple[Term, ...], like: Type | None = None) -> None:
        if not items:
            raise IllTyped("× of no maps has no source (use a zero map)")
        types = [map_type(item) for item in items]
        if any(t.source != types[0].source for t in types) or not is_additive(types[0].source):
            raise IllTyped(f"× of {', '.join(map(repr, types))}")
        self.items = items
        self._typed(Linear(types[0].source, _tuple_of([t.target for t in types], like)))

    @property
    def like(self) -> Type:
        """The tuple or record of what it gives."""
        assert isinstance(self.type, Linear)
        return self.type.target


class HCat(MapTerm):
    """`m₁ ⋈ … ⋈ mₙ`: a tuple of vectors to the sum of their images; with `like` from a record."""

    __slots__ = ("items",)
    __match_args__ = ("items",)
    fields = (Parts("items"), Data("like"))
    failing = Failing.NEVER

    def __init__(self, items: tuple[Term, ...], like: Type | None = None) -> None:
        if not items:
            raise IllTyped("⋈ of no maps has no target (use a zero map)")
        types = [map_type(item) for item in items]
        if any(t.target != types[0].target for t in types) or not is_additive(types[0].target):
            raise IllTyped(f"⋈ of {', '.join(map(repr, types))}")
        self.items = items
        self._typed(Linear(_tuple_of([t.source for t in types], like), types[0].target))

    @property
    def like(self) -> Type:
        """The tuple or record of what it takes."""
        assert isinstance(self.type, Linear)
        return self.type.source


def _tuple_of(items: list[Type], like: Type | None) -> Tuple:
    if not isinstance(like, Tuple):
        return Tuple(tuple(items))
    if len(like.items) != len(items):
        raise IllTyped(f"{len(items)} maps for {like!r}")
    return Tuple(tuple(items), like.names, like.record)


class VCatArray(MapTerm):
    """`𝒱(v)`: one vector to the array of its images under the maps of an array."""

    __slots__ = ("maps",)
    __match_args__ = ("maps",)
    fields = (Part("maps"),)
    failing = Failing.NEVER

    def __init__(self, maps: Term) -> None:
        element = _element_map(maps)
        if not is_additive(element.source):
            raise IllTyped(f"the sum of vectors of type {element.source!r}")
        self.maps = maps
        self._typed(Linear(element.source, Array(element.target)))


class HCatArray(MapTerm):
    """`ℋ(v)`: an array of vectors to the sum of their images, each under its own map."""

    __slots__ = ("maps",)
    __match_args__ = ("maps",)
    fields = (Part("maps"),)
    failing = Failing.NEVER

    def __init__(self, maps: Term) -> None:
        element = _element_map(maps)
        if not is_additive(element.target):
            raise IllTyped(f"the sum of vectors of type {element.target!r}")
        self.maps = maps
        self._typed(Linear(Array(element.source), element.target))


def _element_map(maps: Term) -> Linear:
    if not isinstance(maps.type, Array) or not isinstance(maps.type.element, Linear):
        raise IllTyped(f"a {maps.type!r} is no array of linear maps")
    return maps.type.element


class LambdaMap(MapTerm):
    """`ℒ(λi. m)`: a vector to the function that gives its image under m at each i.

    Vectors of functions are on 0 … size-1, so that the sum of the transpose, infinite in the paper, is finite.
    """

    __slots__ = ("function", "size")
    __match_args__ = ("size", "function")
    fields = (Part("size"), Part("function"))
    failing = Failing.NEVER

    def __init__(self, size: Term, function: Term) -> None:
        each = _indexed(size, function)
        self.size = size
        self.function = function
        self._typed(Linear(each.source, Function((INT,), each.target)))


class SumMap(MapTerm):
    """`ℒ′(λi. m)`: a function to the sum over 0 … size-1 of its values' images, the transpose of ℒ."""

    __slots__ = ("function", "size")
    __match_args__ = ("size", "function")
    fields = (Part("size"), Part("function"))
    failing = Failing.NEVER

    def __init__(self, size: Term, function: Term) -> None:
        each = _indexed(size, function)
        self.size = size
        self.function = function
        self._typed(Linear(Function((INT,), each.source), each.target))


def _indexed(size: Term, function: Term) -> Linear:
    want_int(size, "a size")
    match function.type:
        case Function((Int(),), Linear() as each):
            return each
        case other:
            raise IllTyped(f"a {other!r} is no linear map for each index")


class FoldMap(MapTerm):
    """`lmFold`: the derivative of `ifold step init n`, from (environment, initial state) to the final state.

    `step` takes a state and an index to the next state, `slope` to the derivative of that with respect to
    (environment, state).
    """

    __slots__ = ("init", "size", "slope", "step")
    __match_args__ = ("step", "slope", "init", "size")
    fields = (Part("step"), Part("slope"), Part("init"), Part("size"))
    failing = Failing.NEVER

    def __init__(self, step: Term, slope: Term, init: Term, size: Term) -> None:
        want_int(size, "a trip count")
        state = space_of(init)
        if step.type != Function((init.type, INT), init.type):
            raise IllTyped(f"a {step.type!r} is no step from a {init.type!r}")
        match slope.type:
            case Function(parameters, Linear(Tuple((environment, before)), after)) if (
                parameters == (init.type, INT) and before == after == state
            ):
                pass
            case other:
                raise IllTyped(f"a {other!r} is no derivative of a step from a {init.type!r}")
        self.step = step
        self.slope = slope
        self.init = init
        self.size = size
        self._typed(Linear(Tuple((environment, state)), state))
