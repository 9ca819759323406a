"""What something that is made may be called, and where it comes from: the name and the site of a variable, and of its parts."""

from __future__ import annotations

from msgspec import Struct

from fsmooth.core.term import NOWHERE, Site, Var
from fsmooth.core.types import Type


class Hint(Struct, frozen=True):
    """What something may be called, and where it comes from."""

    text: str
    site: Site = NOWHERE

    @classmethod
    def of(cls, var: Var) -> Hint:
        """The name of a variable."""
        return cls(var.name, var.site)

    def part(self, position: int, name: str | int) -> Hint:
        """Of a component of it."""
        return Hint(f"{self.text}_{name}", self.site.part(position))

    def inside(self, name: str) -> Hint:
        """Of something in it."""
        return Hint(f"{self.text}_{name}", self.site)

    def var(self, type_: Type) -> Var:
        """A variable so called."""
        return Var(self.text, type_, self.site)
