"""The surface tree of F̃ text: what was written, untyped, each node with its place in the text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """`start` and `end` are offsets into the text."""

    start: int
    end: int


# -- types ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class NamedType(Node):
    """`Float`, `Vector`, …; with an `element` `Array<element>`."""

    name: str
    element: Node | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TupleType(Node):
    """`(A, B)`, or with names `{x: A, y: B}`."""

    items: tuple[Node, ...]
    names: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class GroupType(Node):
    """A type in brackets: before `=>` it is one parameter, even if it is a tuple."""

    inner: Node


@dataclass(frozen=True, slots=True, eq=False)
class FunctionType(Node):
    """`(A, B) => C`, or as in the papers `A => B => C`."""

    parameters: tuple[Node, ...]
    result: Node


@dataclass(frozen=True, slots=True, eq=False)
class LinearType(Node):
    """`A ⊸ B`: linear maps."""

    source: Node
    target: Node


# -- expressions ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Name(Node):
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Number(Node):
    """A literal.  `grouped`: it stood in brackets, so that a minus before it is an operation."""

    value: int | float
    single: bool = False
    grouped: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Section(Node):
    """`(+)`: an operator as a function."""

    operator: str


@dataclass(frozen=True, slots=True, eq=False)
class Parameter(Node):
    name: str
    type: Node | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Fun(Node):
    parameters: tuple[Parameter, ...]
    body: Node


@dataclass(frozen=True, slots=True, eq=False)
class Binding(Node):
    """`let names = value in body`; several names take a tuple apart."""

    names: tuple[str, ...]
    type: Node | None
    value: Node
    body: Node


@dataclass(frozen=True, slots=True, eq=False)
class Clause(Node):
    """`name parameters : type = value`: a function that may call itself."""

    name: str
    parameters: tuple[Parameter, ...]
    type: Node
    value: Node


@dataclass(frozen=True, slots=True, eq=False)
class Recursion(Node):
    """`letrec clause and clause … in body`."""

    clauses: tuple[Clause, ...]
    body: Node


@dataclass(frozen=True, slots=True, eq=False)
class Conditional(Node):
    condition: Node
    then: Node
    otherwise: Node


@dataclass(frozen=True, slots=True, eq=False)
class Requirement(Node):
    """`require condition, numbers… in body`, of a kind: `size`, `empty`, …."""

    condition: Node
    numbers: tuple[Node, ...]
    body: Node
    kind: str = "size"


@dataclass(frozen=True, slots=True, eq=False)
class Collect(Node):
    """`collect count [i in n, …] guard body`."""

    count: Node
    generators: tuple[tuple[str, Node], ...]
    guard: Node
    body: Node


@dataclass(frozen=True, slots=True, eq=False)
class Apply(Node):
    function: Node
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Operation(Node):
    """An infix or prefix operator; `&&`, `||` and `!` among them."""

    operator: str
    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Index(Node):
    """`array[indices]`; `open_`: a comma followed the last, as in `grad[0,]`."""

    array: Node
    indices: tuple[Node, ...]
    open_: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Project(Node):
    """`e.0`, or `e.name` of a record."""

    tuple: Node
    position: int | str


@dataclass(frozen=True, slots=True, eq=False)
class MakeTuple(Node):
    items: tuple[Node, ...]
    names: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Display(Node):
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Module(Node):
    """Definitions one after the other, without a final expression."""

    definitions: tuple[tuple[str, Node], ...]
