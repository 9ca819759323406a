"""What all terms have in common: a type, free variables, a place in the user's source."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from fsmooth.core.term.declared import Declaration
from fsmooth.core.term.fields import Failing, Field
from fsmooth.core.types import Int, Type

if TYPE_CHECKING:
    from fsmooth.core.term.calculus import Var


class IllTyped(TypeError):
    """A core term without a type: a bug in whichever stage tried to build it."""


class Site(Struct, frozen=True):
    """Where in the user's source something is, and what the user calls it.

    `what` is the name of the array or construct; `line` and `column` count from 1 and 0; `file` may be "".
    """

    what: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0

    def part(self, position: int) -> Site:
        """Where component `position` of a tuple is that is there."""
        return self


class FromEnd(Site, frozen=True):
    """Where an index is checked that counted from the end if it was negative: one that still is was too far from it."""

    @classmethod
    def at(cls, site: Site) -> FromEnd:
        """The same place."""
        return cls(site.what, site.file, site.line, site.column, site.end_line, site.end_column)


class Annotated(Site, frozen=True):
    """Where an integer that is annotated as an index, and called `what`, is checked."""

    @classmethod
    def at(cls, site: Site) -> Annotated:
        """The same place."""
        return cls(site.what, site.file, site.line, site.column, site.end_line, site.end_column)


class Flow(Enum):
    """What reverse mode makes of a value, or beside it."""

    COTANGENT = "its cotangent"
    LEAVING = "what the loop or branch that makes it gives to cotangents"
    BOTH = "the value itself, and what the loop that makes it gives to cotangents"
    STATE = "the cotangents of the state of a loop, which runs back"
    SAVED = "what the way back needs of the loop or branch that makes it"


class Backwards(Site, frozen=True):
    """Where something is that reverse mode makes of the value called `what`, which is there."""

    flow: Flow = Flow.COTANGENT

    @classmethod
    def of(cls, var: Var, flow: Flow) -> Backwards:
        """What it makes of a variable."""
        s = var.site
        return cls(var.name, s.file, s.line, s.column, s.end_line, s.end_column, flow)

    def part(self, position: int) -> Site:
        if self.flow is not Flow.BOTH:
            return self
        return NOWHERE if position == 0 else replace(self, flow=Flow.LEAVING)


NOWHERE = Site()

_PRINTED = 1_000_000
"""Larger terms are not printed by `repr`: shared parts would be written out each time."""


Kinds = frozenset[type]
"""Constructors of terms."""

_NONE: Kinds = frozenset()


class Term:
    """Base of all terms.  `type` is computed at construction.

    Each constructor declares its `fields`, and whether evaluating it can fail (core/term/fields.py).
    """

    __slots__ = ("_free", "_key", "_kinds", "_size", "mark", "type")
    fields: ClassVar[tuple[Field, ...]]
    failing: ClassVar[Failing]
    declared: ClassVar[Declaration]
    type: Type
    _free: frozenset[Var] | None
    _key: object
    _kinds: Kinds
    _size: int
    mark: object

    def __init_subclass__(cls, *, abstract: bool = False) -> None:
        if abstract:
            return
        for name in ("fields", "failing"):
            if name not in cls.__dict__:
                raise TypeError(f"the constructor {cls.__name__} declares no {name}")
        cls.declared = Declaration(cls, cls.fields)

    def _typed(self, type_: Type) -> None:
        self.type = type_
        self._free = None
        self._key = None
        self._size = 0
        self._kinds = _NONE
        self.mark = None

    @property
    def free(self) -> frozenset[Var]:
        """The free variables, computed once."""
        if self._free is None:
            from fsmooth.core.free_variables import compute_free  # noqa: PLC0415  (the one knot: a cached attribute)

            compute_free(self)
        assert self._free is not None
        return self._free

    @property
    def kinds(self) -> Kinds:
        """The constructors of which it is made, but for variables and constants; computed with the free variables."""
        if self._free is None:
            from fsmooth.core.free_variables import compute_free  # noqa: PLC0415  (the one knot: a cached attribute)

            compute_free(self)
        return self._kinds

    def __repr__(self) -> str:
        from fsmooth.core.pretty import show  # noqa: PLC0415  (only for people who print terms)
        from fsmooth.core.traverse import size_of_tree  # noqa: PLC0415

        size = size_of_tree(self)
        return show(self) if size <= _PRINTED else f"<{type(self).__name__} of {size} nodes>"


def want_int(term: Term, what: str) -> None:
    """Refuse what is not an Int."""
    if not isinstance(term.type, Int):
        raise IllTyped(f"{what} is an Int, not a {term.type!r}")
