"""Calls of functions that may call themselves."""

from __future__ import annotations

from enum import Enum

from fsmooth.core.term.base import NOWHERE, IllTyped, Site, Term
from fsmooth.core.term.calculus import Lam
from fsmooth.core.term.fields import Data, Failing, Parts
from fsmooth.core.types import Type, has_function


class Running(Enum):
    """Where a call of a definition that calls itself keeps what it needs when what it calls returns.

    STACK    on the C stack, which ends
    RECORDS  in a record of its own, which is the continuation of paper 004: the code between two calls is a block, and whatever
             runs next is the block that a record names
    """

    STACK = "stack"
    RECORDS = "records"


class Header:
    """A function that calls itself, or may: its name, the types of its parameters and of its result.

    A header is its own identity, like a `Var`.  What it stands for, its `definition`, is a closed function that may
    call it again, so it is given once the header exists.  Where there are arrays in the result, `model` is a function of
    the same parameters that does not call it, and gives arrays of the same sizes.  `derivatives` has the headers that were made
    of it to differentiate it, by the mode and which of the arguments vary (differentiate/definitions.py); `pairs` what saves for
    its way back (differentiate/reverse/saved.py).  `running` is what a derivative of it is, too.
    """

    __slots__ = ("_definition", "derivatives", "model", "name", "pairs", "parameters", "result", "running", "site")

    def __init__(
        self,
        name: str,
        parameters: tuple[Type, ...],
        result: Type,
        site: Site = NOWHERE,
        model: Lam | None = None,
        running: Running = Running.STACK,
    ) -> None:
        if has_function(result) or any(map(has_function, parameters)):
            raise IllTyped(f"{name} is a definition of or to functions")
        self.name = name
        self.parameters = parameters
        self.result = result
        self.site = site
        self.model = model
        self.running = running
        self.derivatives: dict[tuple[object, ...], Header] = {}
        self.pairs: dict[tuple[object, ...], object] = {}
        self._definition: Lam | None = None

    @property
    def definition(self) -> Lam:
        """What it stands for.

        Raises:
            LookupError: as long as it was not given.

        """
        if self._definition is None:
            raise LookupError(f"{self.name} has no definition yet")
        return self._definition

    def define(self, function: Lam) -> None:
        """Give it its definition, once."""
        if self._definition is not None:
            raise ValueError(f"{self.name} is defined twice")
        if tuple([q.type for q in function.parameters]) != self.parameters or function.body.type != self.result:
            raise IllTyped(f"{self.name} : {self.parameters!r} => {self.result!r} is defined as a {function.type!r}")
        self._definition = function

    def renewed(self) -> Header:
        """Another header like it, which stands for nothing yet."""
        return Header(self.name, self.parameters, self.result, self.site, self.model, self.running)

    def __repr__(self) -> str:
        return f"<{self.name} : {' -> '.join([repr(t) for t in (*self.parameters, self.result)])}>"


class Call(Term):
    """`h a b …`: the value of the definition of a header for arguments.

    It may not end, so whatever is known of the arguments it may fail.
    """

    __slots__ = ("arguments", "header")
    __match_args__ = ("header", "arguments")
    fields = (Data("header"), Parts("arguments"))
    failing = Failing.ALWAYS

    def __init__(self, header: Header, arguments: tuple[Term, ...]) -> None:
        types = tuple([a.type for a in arguments])
        if types != header.parameters:
            raise IllTyped(f"{header.name} takes {header.parameters!r}, not {types!r}")
        self.header = header
        self.arguments = arguments
        self._typed(header.result)
