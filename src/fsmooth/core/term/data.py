"""Data: what constructors make of fields, and how they are read again."""

from __future__ import annotations

from fsmooth.core.term.base import IllTyped, Term
from fsmooth.core.term.fields import Data as Datum
from fsmooth.core.term.fields import Failing, Part, Parts
from fsmooth.core.types import INT, Data


class Inject(Term):
    """`K e …`: constructor number `constructor` of a data type, of its fields."""

    __slots__ = ("constructor", "data", "items")
    __match_args__ = ("data", "constructor", "items")
    fields = (Datum("data"), Datum("constructor"), Parts("items"))
    failing = Failing.NEVER

    def __init__(self, data: Data, constructor: int, items: tuple[Term, ...]) -> None:
        types = tuple([item.type for item in items])
        if types != data.constructors[constructor]:
            raise IllTyped(f"{data!r}.{constructor} is of {data.constructors[constructor]!r}, not {types!r}")
        self.data = data
        self.constructor = constructor
        self.items = items
        self._typed(data)


class Tag(Term):
    """`tag e`: the number of the constructor that made e, which is not null."""

    __slots__ = ("operand",)
    __match_args__ = ("operand",)
    fields = (Part("operand"),)
    failing = Failing.ALWAYS

    def __init__(self, operand: Term) -> None:
        if not isinstance(operand.type, Data):
            raise IllTyped(f"the tag of a {operand.type!r}")
        self.operand = operand
        self._typed(INT)


class Field(Term):
    """`e.k.j`: field j of what constructor k made.

    It is valid where it stands, where e is known to be made by that constructor, like an element that is not checked; there is
    nothing that says so wherever else it might stand.
    """

    __slots__ = ("constructor", "operand", "position")
    __match_args__ = ("operand", "constructor", "position")
    fields = (Part("operand"), Datum("constructor"), Datum("position"))
    failing = Failing.ALWAYS

    def __init__(self, operand: Term, constructor: int, position: int) -> None:
        data = operand.type
        if not isinstance(data, Data):
            raise IllTyped(f"a field of a {data!r}")
        known = data.constructors
        if not 0 <= constructor < len(known) or not 0 <= position < len(known[constructor]):
            raise IllTyped(f"field {constructor}.{position} of a {data!r}")
        self.operand = operand
        self.constructor = constructor
        self.position = position
        self._typed(known[constructor][position])


class Null(Term):
    """Nothing, in the place of data that nobody reads."""

    __slots__ = ("data",)
    __match_args__ = ("data",)
    fields = (Datum("data"),)
    failing = Failing.NEVER

    def __init__(self, data: Data) -> None:
        self.data = data
        self._typed(data)
