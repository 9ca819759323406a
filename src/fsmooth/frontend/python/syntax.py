"""Questions about statements that their syntax answers, once for each statement: a function is read at each of its calls."""

from __future__ import annotations

import ast
from functools import lru_cache

CLAIMED = "_claimed"
"""The number that exists only if all that is claimed in loops and branches holds; no name of the user's is like it."""


def claims(body: list[ast.stmt]) -> bool:
    """Is there an assert or a raise among statements, at any depth?"""
    return any([_claims(statement) for statement in body])


_REMEMBERED = 4096
"""The statements whose answers are kept."""


@lru_cache(_REMEMBERED)
def _claims(statement: ast.stmt) -> bool:
    return any([isinstance(part, ast.Assert | ast.Raise) for part in ast.walk(statement)])


def raises(body: list[ast.stmt]) -> bool:
    """Is there a raise among statements, at any depth of branches but not in loops?"""
    for statement in body:
        if isinstance(statement, ast.Raise):
            return True
        if isinstance(statement, ast.If) and (raises(statement.body) or raises(statement.orelse)):
            return True
    return False


class Entered(ast.stmt):
    """What stands behind `with`; its block follows."""

    _fields = ("context",)

    def __init__(self, context: ast.Call) -> None:
        super().__init__()
        self.context = context


class Returning(ast.stmt):
    """A loop of which it is known that one of its steps returns."""

    _fields = ("loop",)

    def __init__(self, loop: ast.For | ast.While) -> None:
        super().__init__()
        self.loop = loop


class Held(ast.stmt):
    """A test of which it is known here whether it holds."""

    _fields = ("test",)

    def __init__(self, test: ast.expr, holds: bool) -> None:
        super().__init__()
        self.test = test
        self.holds = holds


class Unmatched(ast.stmt):
    """The end of a match: no case fits `subject`.

    `tried`: the classes that have cases, all the same; `returned`: do cases return, so that what follows would be missed?
    """

    _fields = ("subject", "tried")

    def __init__(self, subject: ast.expr, tried: list[ast.expr], returned: bool) -> None:
        super().__init__()
        self.subject = subject
        self.tried = tried
        self.returned = returned


class Positional(ast.expr):
    """What a pattern `C(p0, p1, …)` takes of a value for the pattern at a position."""

    _fields = ("owner", "cls")

    def __init__(self, owner: ast.expr, cls: ast.expr, position: int) -> None:
        super().__init__()
        self.owner = owner
        self.cls = cls
        self.position = position


class OfLength(ast.expr):
    """Is a value a tuple or list with so many elements, or at least as many?"""

    _fields = ("owner",)

    def __init__(self, owner: ast.expr, count: int, or_more: bool) -> None:
        super().__init__()
        self.owner = owner
        self.count = count
        self.or_more = or_more


def returns(body: list[ast.stmt]) -> bool:
    """Is there a return among statements, at any depth of branches and loops?"""
    for statement in body:
        if isinstance(statement, ast.Return | Returning):
            return True
        if isinstance(statement, ast.If) and (returns(statement.body) or returns(statement.orelse)):
            return True
        if isinstance(statement, ast.For | ast.While) and returns(statement.body):
            return True
    return False


def assigned_names(body: list[ast.stmt]) -> list[str]:
    """The names that statements assign, in order of first assignment; not those of inner functions."""
    return list(dict.fromkeys([name for statement in body for name in _assigned(statement)]))


@lru_cache(_REMEMBERED)
def _assigned(statement: ast.stmt) -> tuple[str, ...]:
    found: dict[str, None] = {}

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ListComp | ast.GeneratorExp):
            if isinstance(node, ast.FunctionDef):
                found.setdefault(node.name)
            return
        if isinstance(node, ast.Assert | ast.Raise):
            found.setdefault(CLAIMED)
        if isinstance(node, ast.stmt) and grown_name(node) is not None:
            found.setdefault(grown_name(node) or "")
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id)
        name = name_of_changed(node)
        if name is not None:
            found.setdefault(name)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(statement)
    return tuple(found)


def element_assigned(body: list[ast.stmt]) -> list[str]:
    """The names of arrays whose elements statements assign."""
    return list(dict.fromkeys([name for statement in body for name in _element_assigned(statement)]))


@lru_cache(_REMEMBERED)
def _element_assigned(statement: ast.stmt) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for node in ast.walk(statement):
        name = name_of_changed(node)
        if name is not None:
            found.setdefault(name)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.setdefault(node.target.id)
    return tuple(found)


def grown_names(body: list[ast.stmt]) -> list[str]:
    """The names of lists to which statements append, not those inside inner functions."""
    found: dict[str, None] = {}

    def visit(statement: ast.stmt) -> None:
        name = grown_name(statement)
        if name is not None:
            found.setdefault(name)
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.stmt) and not isinstance(statement, ast.FunctionDef):
                visit(child)

    for statement in body:
        visit(statement)
    return list(found)


def grown_name(statement: ast.stmt) -> str | None:
    """The name of the list to which a statement appends."""
    match statement:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "append" | "extend"))):
            return name
        case ast.AugAssign(ast.Name(name), ast.Add(), ast.List() | ast.ListComp()):
            return name
        case ast.Assign([ast.Name(name)], ast.BinOp(ast.Name(again), ast.Add(), ast.List() | ast.ListComp())):
            return name if name == again else None
        case _:
            return None


def name_of_changed(node: ast.AST) -> str | None:
    """The name of the array that a node by itself gives other elements: the target x[i], the statement x.fill(0)."""
    place: ast.expr | None = None
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        place = node
    elif isinstance(node, ast.Expr):
        place = changed_by_call(node.value)
    while isinstance(place, ast.Subscript):
        place = place.value
    return place.id if isinstance(place, ast.Name) else None


def changed_by_call(node: ast.expr) -> ast.expr | None:
    """What a call, written as a statement, changes: x of x.fill(0), np.fill_diagonal(x, 0), np.add.at(x, i, v)."""
    match node:
        case ast.Call(ast.Attribute(owner, "fill" | "sort")):
            return owner
        case ast.Call(
            ast.Attribute(_, "copyto" | "fill_diagonal" | "put_along_axis" | "put" | "place" | "putmask"), [first, *_]
        ):
            return first
        case ast.Call(ast.Attribute(ast.Attribute(), "at"), [first, *_]):
            return first
        case _:
            return None


def target_names(target: ast.expr) -> list[str]:
    """The names that a target assigns."""
    return [n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def as_load(target: ast.expr) -> ast.expr:
    """A target read as an expression."""
    match target:
        case ast.Name(id):
            made: ast.expr = ast.Name(id, ast.Load())
        case ast.Subscript(value, index):
            made = ast.Subscript(value, index, ast.Load())
        case ast.Attribute(value, attr):
            made = ast.Attribute(value, attr, ast.Load())
        case _:
            return target
    return ast.copy_location(made, target)
