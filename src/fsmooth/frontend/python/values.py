"""What a name can stand for while a program is elaborated.

A run-time value is a core term.  Everything else is known at compile time: Python objects (`Static`), functions
of the program (`Closure`), derivatives of programs (`Derived`), and ways of iterating (`Sequence`).
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Hashable, Mapping

from msgspec import Struct

from fsmooth.core.term import Deriv, Term
from fsmooth.core.term import Method as How
from fsmooth.frontend.batches import Axes
from fsmooth.frontend.lookup import Lookup
from fsmooth.frontend.programs import Program
from fsmooth.frontend.python.source import Source


class Static(Struct, frozen=True, eq=False):
    """A Python object known at compile time: a module, function, class, string, container; `fetch` says from where."""

    value: object
    fetch: Lookup | None = None


class Closure(Struct, frozen=True, eq=False):
    """A function defined inside the program, with the names around it and its defaults at that moment."""

    node: ast.FunctionDef | ast.Lambda
    source: Source
    names: dict[str, Value]
    signature: inspect.Signature


class Default(Struct, frozen=True, eq=False):
    """The default of a parameter of a function defined inside the program."""

    value: Value


class FunctionOf(Struct, frozen=True, eq=False):
    """Which function it is: its syntax, and of what it captured that which is known while compiling.  Equal by their keys.

    `live` are the names around it, if the function that they belong to goes on; otherwise `known` are those that stand for
    no run-time values.  `parts` are the names, and the parameters with defaults, that stand for the others.
    """

    key: Hashable
    node: ast.FunctionDef | ast.Lambda
    source: Source
    signature: inspect.Signature
    live: dict[str, Value] | None
    known: dict[str, Value]
    inner: tuple[tuple[str, Closure], ...]
    names: tuple[str, ...]
    defaults: tuple[str, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionOf) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        """What it is called."""
        return self.node.name if isinstance(self.node, ast.FunctionDef) else "a lambda"


class MadeOf(Struct, frozen=True, eq=False):
    """Which function it is that is made of others, or a method of what owns it: `make` makes it again of its parts.

    Equal by their keys.
    """

    key: Hashable
    make: Callable[..., Value]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MadeOf) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        """What it is."""
        return str(self.key)


class Derived(Struct, frozen=True, eq=False):
    """A derivative of a closure or program, written inside a program; of a term, if it is of one of several functions."""

    base: Closure | Static | Derived | Term
    verb: str
    wrt: object
    how: How = How.AUTO
    checkpoint: bool = False


class Batched(Struct, frozen=True, eq=False):
    """A function over batches (`fs.vmap`), waiting for its arguments; `signature` is that of the function."""

    function: Closure | Static | Derived | Term
    in_axes: Axes
    out_axes: Axes
    signature: inspect.Signature


class Method(Struct, frozen=True, eq=False):
    """A method of an array, a record or a dictionary, waiting for its arguments."""

    owner: Term | Keyed
    name: str


class Vectorized(Struct, frozen=True, eq=False):
    """np.vectorize(f): a function of numbers, for arrays."""

    function: Value


class Slice(Struct, frozen=True, eq=False):
    """`start:stop:step` in brackets, or a call of `slice`; a bound that is left out is None."""

    start: Term | None = None
    stop: Term | None = None
    step: Term | None = None


class Sequence(Struct, frozen=True, eq=False):
    """Something to iterate over: a number of steps, and the element at each."""

    size: Term
    element: Callable[[Term], Value]


class NodeList(Sequence, frozen=True, eq=False):
    """The nodes in a field, which is a list: empty, it does not hold."""


class Unrolled(Struct, frozen=True, eq=False):
    """Something to iterate over at compile time."""

    items: tuple[Value, ...]


class Listed(Unrolled, frozen=True, eq=False):
    """A list of the program's whose elements are known one by one: it may grow."""


class Uneven(Listed, frozen=True, eq=False):
    """A list of parts that need not be alike, as the caller gives it: it is no array even if they are of one type."""


class Keyed(Struct, frozen=True, eq=False):
    """A dictionary of the program's, whose keys are known."""

    entries: Mapping[object, Value]


class Growing(Struct, frozen=True, eq=False):
    """A list inside a loop that appends to it: the first `start + added` elements of `room`, which has space for all.

    `start` is how many there were when the step began, `added` how many came since, which is at most `most`; None where
    that is not known before.  `shared` says what memory its elements may have in common with others.
    """

    room: Term
    start: Term
    added: Term
    most: Term | None
    shared: frozenset[tuple[object, ...]] = frozenset()
    only: Term | None = None
    """The element that came since, if it is one and came in every case."""


class Tail(Growing, frozen=True, eq=False):
    """A list while its elements are counted: its room has the last one only."""


class Unfilled(Struct, frozen=True, eq=False):
    """An empty list inside the loop that appends its first element, while that element is looked for."""


class Text(Struct, frozen=True, eq=False):
    """A text in a node: the number that stands for it (fsmooth.core.nodes.texts)."""

    number: Term


class Pullback(Struct, frozen=True, eq=False):
    """The second part of what `fs.vjp(f)(x)` gives inside a program: a function of the cotangent of `value`."""

    derivative: Deriv
    arguments: tuple[Term, ...]
    value: Term


class Missing(Struct, frozen=True, eq=False):
    """A name that has no value here, and why."""

    why: str
    hint: str = ""


Compiled = Static | Closure | Derived | Batched | Method | Vectorized | Pullback | Slice
FUNCTIONS = Closure | Derived | Batched | Method | Vectorized | Pullback
"""Functions of the program."""
Container = Sequence | Unrolled | Keyed | Growing | Unfilled
Value = Term | Text | Compiled | Container | Missing

__all__ = [
    "FUNCTIONS",
    "Batched",
    "Closure",
    "Default",
    "Derived",
    "FunctionOf",
    "Growing",
    "Keyed",
    "Listed",
    "MadeOf",
    "Method",
    "Missing",
    "Program",
    "Pullback",
    "Sequence",
    "Slice",
    "Static",
    "Tail",
    "Text",
    "Uneven",
    "Unfilled",
    "Unrolled",
    "Value",
    "Vectorized",
]
