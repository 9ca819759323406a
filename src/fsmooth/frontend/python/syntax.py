"""Questions about statements that their syntax answers."""

from __future__ import annotations

import ast


def returns(body: list[ast.stmt]) -> bool:
    """Is there a return among statements, at any depth of branches and loops?"""
    for statement in body:
        if isinstance(statement, ast.Return):
            return True
        if isinstance(statement, ast.If) and (returns(statement.body) or returns(statement.orelse)):
            return True
        if isinstance(statement, ast.For | ast.While) and returns(statement.body):
            return True
    return False


def assigned_names(body: list[ast.stmt]) -> list[str]:
    """The names that statements assign, in order of first assignment; not those of inner functions."""
    found: dict[str, None] = {}

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.Lambda | ast.ListComp | ast.GeneratorExp):
            if isinstance(node, ast.FunctionDef):
                found.setdefault(node.name)
            return
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.setdefault(node.id)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            place: ast.expr = node
            while isinstance(place, ast.Subscript):
                place = place.value
            if isinstance(place, ast.Name):
                found.setdefault(place.id)
        for child in ast.iter_child_nodes(node):
            visit(child)

    for statement in body:
        visit(statement)
    return list(found)


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
