"""Functions with derivatives of their own: as `fs.custom_derivative` has them, but for the comparison with differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from fsmooth.frontend.programs import CustomProgram


class Ruled(Struct, frozen=True, eq=False):
    """A function that is differentiated by its rules; `program` is what a call of it in a program reads."""

    program: CustomProgram

    def __call__(self, *arguments: Any) -> Any:
        return self.program.function(*arguments)


def ruled(*, jvp: Callable[..., object], vjp: Callable[..., object]) -> Callable[[Callable[..., object]], Ruled]:
    """A decorator: `jvp` and `vjp` are rules as in `fs.custom_derivative`, and both are given.

    The one is never made of the other, so the value of the function may be one of its arguments, found out once for the
    function and for its rules.
    """
    return lambda function: Ruled(CustomProgram(function, jvp, vjp, check=False))
