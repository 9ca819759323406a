"""The surface tree of F̃ text: what was written, untyped, each node with its place in the text."""

from __future__ import annotations

from msgspec import Struct


class Node(Struct, frozen=True, eq=False):
    """`start` and `end` are offsets into the text."""

    start: int
    end: int


# -- types ---------------------------------------------------------------------------------------------------------


class NamedType(Node, frozen=True, eq=False):
    """`Float`, `Vector`, …; with an `element` `Array<element>`."""

    name: str
    element: Node | None = None


class TupleType(Node, frozen=True, eq=False):
    """`(A, B)`, or with names `{x: A, y: B}`."""

    items: tuple[Node, ...]
    names: tuple[str, ...] | None = None


class GroupType(Node, frozen=True, eq=False):
    """A type in brackets: before `=>` it is one parameter, even if it is a tuple."""

    inner: Node


class FunctionType(Node, frozen=True, eq=False):
    """`(A, B) => C`, or as in the papers `A => B => C`."""

    parameters: tuple[Node, ...]
    result: Node


class LinearType(Node, frozen=True, eq=False):
    """`A ⊸ B`: linear maps."""

    source: Node
    target: Node


# -- expressions ---------------------------------------------------------------------------------------------------


class Name(Node, frozen=True, eq=False):
    name: str


class Number(Node, frozen=True, eq=False):
    """A literal.  `grouped`: it stood in brackets, so that a minus before it is an operation."""

    value: int | float
    single: bool = False
    grouped: bool = False


class Section(Node, frozen=True, eq=False):
    """`(+)`: an operator as a function."""

    operator: str


class Parameter(Node, frozen=True, eq=False):
    name: str
    type: Node | None = None


class Fun(Node, frozen=True, eq=False):
    parameters: tuple[Parameter, ...]
    body: Node


class Binding(Node, frozen=True, eq=False):
    """`let names = value in body`; several names take a tuple apart."""

    names: tuple[str, ...]
    type: Node | None
    value: Node
    body: Node


class Clause(Node, frozen=True, eq=False):
    """`name parameters : type = value`: a function that may call itself."""

    name: str
    parameters: tuple[Parameter, ...]
    type: Node
    value: Node


class Recursion(Node, frozen=True, eq=False):
    """`letrec clause and clause … in body`."""

    clauses: tuple[Clause, ...]
    body: Node


class Conditional(Node, frozen=True, eq=False):
    condition: Node
    then: Node
    otherwise: Node


class Requirement(Node, frozen=True, eq=False):
    """`require condition, numbers… in body`, of a kind: `size`, `empty`, …."""

    condition: Node
    numbers: tuple[Node, ...]
    body: Node
    kind: str = "size"


class Collect(Node, frozen=True, eq=False):
    """`collect count [i in n, …] guard body`."""

    count: Node
    generators: tuple[tuple[str, Node], ...]
    guard: Node
    body: Node


class Apply(Node, frozen=True, eq=False):
    function: Node
    arguments: tuple[Node, ...]


class Operation(Node, frozen=True, eq=False):
    """An infix or prefix operator; `&&`, `||` and `!` among them."""

    operator: str
    operands: tuple[Node, ...]


class Index(Node, frozen=True, eq=False):
    """`array[indices]`; `open_`: a comma followed the last, as in `grad[0,]`."""

    array: Node
    indices: tuple[Node, ...]
    open_: bool = False


class Project(Node, frozen=True, eq=False):
    """`e.0`, or `e.name` of a record."""

    tuple: Node
    position: int | str


class MakeTuple(Node, frozen=True, eq=False):
    items: tuple[Node, ...]
    names: tuple[str, ...] | None = None


class Display(Node, frozen=True, eq=False):
    items: tuple[Node, ...]


class Module(Node, frozen=True, eq=False):
    """Definitions one after the other, without a final expression."""

    definitions: tuple[tuple[str, Node], ...]
