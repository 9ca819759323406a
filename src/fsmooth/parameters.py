"""What functions take and give, for type checkers and editors: a compiled function is called as the one it is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from typing_extensions import ParamSpec, TypeVar  # with defaults: a bare Function takes and gives anything

    from fsmooth.callables import Function

    P = ParamSpec("P", default=...)
    R = TypeVar("R", default=Any)
else:
    from typing import ParamSpec, TypeVar

    P, R = ParamSpec("P"), TypeVar("R")


class Compile(Protocol):
    """A decorator that compiles what it is given."""

    def __call__(self, f: Callable[P, R], /) -> Function[P, R]:
        """The compiled function, which is called as `f` is."""
