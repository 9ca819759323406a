"""What a name can stand for while text is elaborated: a core term, or a function that is inlined at its call."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field

from fsmooth.core.term import Check, Const, Get, Length, Prim, Proj, Term, Var
from fsmooth.core.types import Int
from fsmooth.frontend.text import tree


class Closure(Struct, frozen=True, eq=False):
    """A function whose parameters have no types yet: elaborated anew at each call, so it works at every type."""

    function: tree.Fun
    scope: Scope
    text: str
    name: str = "this function"
    uses: dict[str, int] = field(default_factory=dict)

    def uses_of(self, name: str) -> int:
        """How often the parameter `name` is evaluated, at most: 0, 1, or 2 for more (a use in a loop is many)."""
        if name not in self.uses:
            self.uses[name] = min(2, _uses(self.function.body, name))
        return self.uses[name]


class Operator(Struct, frozen=True):
    """A built-in function or an infix operator as a value: `sin`, `pair`, `(+)`."""

    name: str


class Native(Struct, frozen=True):
    """A function written in Python, from values to a term."""

    function: Callable[[list[Value]], Term]
    name: str = "this function"


Value = Term | Closure | Operator | Native
Scope = dict[str, Value]


def is_path(term: Term) -> bool:
    """Is `term` as cheap as a variable?  Constants, variables, and what is got, projected or measured from them."""
    while True:
        match term:
            case Const() | Var():
                return True
            case Get(array, index):
                if not _is_index(index):
                    return False
                term = array
            case Proj(inner, _) | Length(inner, _):
                term = inner
            case _:
                return False


def _is_index(term: Term) -> bool:
    match term:
        case Prim(_, arguments) if isinstance(term.type, Int):
            return all([is_path(a) for a in arguments])
        case Check(index, size):
            return is_path(index) and is_path(size)
        case _:
            return is_path(term)


def _uses(node: tree.Node, name: str) -> int:
    match node:
        case tree.Name():
            return int(node.name == name)
        case tree.Fun():
            if any([q.name == name for q in node.parameters]):
                return 0
            return 2 * _uses(node.body, name)
        case tree.Binding():
            inside = 0 if name in node.names else _uses(node.body, name)
            return _uses(node.value, name) + inside
        case tree.Recursion():
            return 2 * sum([_uses(c.value, name) for c in node.clauses]) + _uses(node.body, name)
        case tree.Apply():
            return _uses(node.function, name) + sum([_uses(a, name) for a in node.arguments])
        case tree.Operation():
            return sum([_uses(a, name) for a in node.operands])
        case tree.Conditional():
            return _uses(node.condition, name) + _uses(node.then, name) + _uses(node.otherwise, name)
        case tree.Requirement():
            parts = (node.condition, *node.numbers, node.body)
            return sum([_uses(a, name) for a in parts])
        case tree.Index():
            return _uses(node.array, name) + sum([_uses(a, name) for a in node.indices])
        case tree.Project():
            return _uses(node.tuple, name)
        case tree.MakeTuple() | tree.Display():
            return sum([_uses(a, name) for a in node.items])
        case _:
            return 0
