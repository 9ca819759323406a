"""What every part of lowering shares: the block being written, the environment, names, sites.

`Context` is abstract: its four ways to lower a term are defined in `to_loops`, which dispatches to the modules of
this package, so that these need not import one another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from fsmooth import thresholds
from fsmooth.core import primitives as p
from fsmooth.core.hints import Hint
from fsmooth.core.term import Failure, Header, MakeTuple, Site, Term, Var
from fsmooth.core.types import INT, Int, Type
from fsmooth.loops.arithmetic import key_of, parts
from fsmooth.loops.identifiers import identifier
from fsmooth.loops.names import Names
from fsmooth.loops.tree import (
    Assign,
    Conditional,
    Declare,
    Expression,
    Facts,
    Literal,
    Load,
    Name,
    Operation,
    Statement,
    Store,
)
from fsmooth.lower.destination import Destination, Local, Mode, Value, View
from fsmooth.lower.fields import Fields

Added = tuple[bool, ...]
"""To which of its results, leaf by leaf, a function adds; the others it assigns."""


class Context(ABC):
    """The state of lowering one function.  `accumulators`: may values be computed where they are added or returned?"""

    accumulators = True

    def __init__(self) -> None:
        self.block: list[Statement] = []
        self.environment: dict[Var, Value] = {}
        self.sites: list[tuple[Failure | None, Site]] = []
        self.aliases: dict[str, str] = {}
        self.nonnegative: set[str] = set()
        self.positive: set[str] = set()
        self.lengths: set[str] = set()
        self.integers: dict[str, Expression] = {}
        self._site_numbers: dict[tuple[Failure | None, Site], int] = {}
        self.names = Names()
        self.row_sizes: dict[str, int] = {}
        self.sizes: dict[str, tuple[Expression, ...]] = {}
        self.functions: dict[tuple[Header, Added], str] = {}
        self.prefix = ""
        self.fields = Fields(MakeTuple(()))
        self._loaded: dict[int, tuple[list[Statement], int, set[object]]] = {}

    @abstractmethod
    def scalar(self, term: Term) -> Expression:
        """A scalar term as an expression; what must happen before goes to the block."""

    @abstractmethod
    def value(self, term: Term) -> Value:
        """Where the value of any term can be read; it is computed into storage if it is not somewhere already."""

    @abstractmethod
    def into(self, term: Term, dest: Destination, mode: Mode) -> None:
        """Compute `term` to (or, accumulating, onto) a destination that `term` does not read."""

    @abstractmethod
    def bind(self, var: Var, value: Term) -> None:
        """Make `var` stand for the value of a term in the environment."""

    def restore(self, saved: Sequence[tuple[Var, Value | None]]) -> None:
        """Leave a scope: make its variables mean what they meant before (None: nothing), the last one first."""
        for var, old in reversed(saved):
            if old is None:
                self.environment.pop(var, None)
            else:
                self.environment[var] = old

    # -- what is known to be in memory -------------------------------------------------------------------------------

    def note_rows(self, buffer: str, sizes: tuple[Expression, ...]) -> None:
        """Remember the sizes of an array, and how many scalars belong to each index of the first axis, if that is static."""
        self.sizes[buffer] = sizes
        row: int = 1
        for size in sizes[1:]:
            if not isinstance(size, Literal):
                return
            row *= int(size.value)
        if len(sizes) > 1:
            self.row_sizes[buffer] = row

    def is_loaded(self, load: Load) -> bool:
        """Has this element been read before in the same block, so that reading it again cannot fail?"""
        block, scanned, found = self._loaded.get(id(self.block), (self.block, 0, set()))
        for statement in self.block[scanned:]:
            if isinstance(statement, Declare) and statement.value is not None:
                _add_loads(statement.value, found)
        self._loaded[id(self.block)] = (block, len(self.block), found)
        return key_of(load) in found

    # -- statements ------------------------------------------------------------------------------------------------

    def emit(self, statement: Statement) -> None:
        """Append to the block."""
        self.block.append(statement)
        if isinstance(statement, Declare) and statement.value is not None and not statement.mutable:
            if isinstance(statement.type, Int):
                self.integers[statement.name] = statement.value

    def open_block(self) -> list[Statement]:
        """Start a nested block; gives the outer one, for `close_block`."""
        outer, self.block = self.block, []
        return outer

    @property
    def facts(self) -> Facts:
        """What is known of the names."""
        return Facts(frozenset(self.nonnegative), frozenset(self.lengths), dict(self.row_sizes), dict(self.sizes))

    def close_block(self, outer: list[Statement]) -> list[Statement]:
        """End a nested block; gives its statements."""
        inner, self.block = self.block, outer
        return inner

    def store(self, dest: View | Local, value: Expression, mode: Mode) -> None:
        """Write one scalar."""
        accumulate = mode is Mode.ACCUMULATE or dest.added
        if isinstance(dest, Local):
            if accumulate or not (isinstance(value, Name) and value.name == dest.name):
                self.emit(Assign(dest.name, value, accumulate))
        else:
            self.emit(Store(dest.buffer, dest.offset, value, accumulate))

    def named(self, value: Expression, hint: str | Hint) -> Expression:
        """`value` if it is a name or a literal, else a constant local that holds it."""
        if isinstance(value, Literal | Name):
            return value
        name = self.fresh(hint)
        self.emit(Declare(name, value.type, value))
        return Name(name, value.type)

    def extent(self, size: Expression) -> Expression:
        """A size as the length of an array: a negative one counts as 0."""
        if self._is_nonnegative(size):
            found = size if isinstance(size, Literal) else self.named(size, "n")
            if isinstance(found, Name):
                self.nonnegative.add(found.name)
            return found
        if isinstance(size, Literal):
            return Literal(0, INT)
        name = self.fresh("n")
        self.emit(Declare(name, INT, Operation(p.maximum, (size, Literal(0, INT)), INT)))
        self.nonnegative.add(name)
        return Name(name, INT)

    def _is_nonnegative(self, size: Expression) -> bool:
        match size:
            case Literal(value):
                return value >= 0
            case Name(name):
                return name in self.nonnegative
            case Operation(primitive, arguments) if primitive in (p.add, p.multiply):
                return all([self._is_nonnegative(a) for a in arguments])
            case Operation(p.subtract, (Name(name), Literal(value))):
                return name in self.positive and value <= 1
            case _:
                return False

    def light(self, value: Expression, hint: str | Hint = "t") -> Expression:
        """`value`, named if it is so heavy that nesting it further would be unreadable."""
        return self.named(value, hint) if value.weight > thresholds.EXPRESSION else value

    # -- names -----------------------------------------------------------------------------------------------------

    def fresh(self, hint: str | Hint) -> str:
        """A C identifier like `hint` that is not used yet in this function."""
        return self.names.fresh(hint)

    def beside(self, name: str, suffix: str) -> str:
        """One like a name, for what belongs to that."""
        return self.names.beside(name, suffix)

    def local(self, hint: str | Hint, type_: Type, value: Expression | None = None) -> Local:
        """Declare a mutable local."""
        name = self.fresh(hint)
        self.emit(Declare(name, type_, value, mutable=True))
        return Local(name, type_)

    def site(self, failure: Failure | None, site: Site) -> int:
        """The number under which the run time reports a place."""
        key = (failure, site)
        number = self._site_numbers.get(key)
        if number is None:
            number = self._site_numbers[key] = len(self.sites)
            self.sites.append(key)
        return number

    def function_of(self, header: Header, added: Added) -> str:
        """The name of the function for a definition that adds to these results, which is lowered because it is asked for."""
        name = self.functions.get((header, added))
        if name is None:
            wanted = name = identifier(f"{self.prefix}_{header.name}")
            while name in self.functions.values():
                name = f"{wanted}_{len(self.functions)}"
            self.functions[header, added] = name
        return name

    def share_sites(self, other: Context) -> None:
        """Number sites, and name functions, together with another function of the program."""
        self.functions, self.prefix, self.fields = other.functions, other.prefix, other.fields
        self.sites = other.sites
        self._site_numbers = other._site_numbers


def _add_loads(e: Expression, found: set[object]) -> None:
    """Add the keys of all loads that `e` makes in any case."""
    pending = [e]
    while pending:
        x = pending.pop()
        if isinstance(x, Load):
            found.add(key_of(x))
        pending.extend(parts(x)[:1] if isinstance(x, Conditional) else parts(x))
