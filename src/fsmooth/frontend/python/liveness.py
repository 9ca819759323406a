"""Which names are live at a statement: their values may be read before others are assigned.

A backward analysis of the syntax, of one function at a time; of a loop it gives what is live where it begins or behind it, of
another statement what is live behind it.  What it does not know keeps names live.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache

Place = tuple[int, int]
_NOTHING: frozenset[str] = frozenset()


def live_at(function: ast.FunctionDef | ast.Lambda, node: ast.AST) -> frozenset[str]:
    """The names that are live where a loop of the function begins, or behind it, or behind another of its statements."""
    return _analysed(function).get((getattr(node, "lineno", 0), getattr(node, "col_offset", 0)), _NOTHING)


@lru_cache(1024)
def _analysed(function: ast.FunctionDef | ast.Lambda) -> dict[Place, frozenset[str]]:
    found: dict[Place, frozenset[str]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.FunctionDef):
            _Walk(found, {}).block(node.body, _NOTHING)
    return found


class _Walk:
    """What is live, from the end of a function to its beginning; `found` is told of each loop and branch."""

    def __init__(self, found: dict[Place, frozenset[str]], exposed: dict[ast.stmt, frozenset[str]]) -> None:
        self.found = found
        self.exposed = exposed
        """Of loops, what a step reads that it does not assign before."""
        self.jumps: list[tuple[frozenset[str], frozenset[str]]] = []
        """Of the loops around: what is live where the next step begins, and behind the loop."""

    def block(self, body: Iterable[ast.stmt], after: frozenset[str]) -> frozenset[str]:
        """What is live before statements of which it is known what is live behind them."""
        for statement in reversed(list(body)):
            after = self.statement(statement, after)
        return after

    def statement(self, node: ast.stmt, after: frozenset[str]) -> frozenset[str]:
        """Likewise of one."""
        match node:
            case ast.For(target, iterable, body, otherwise):
                return self.loop(node, body, self.block(otherwise, after), after, _stored(target)) | _read(iterable)
            case ast.While(test, body, otherwise):
                return self.loop(node, body, self.block(otherwise, after) | _read(test), after, _NOTHING)
            case ast.If(test, then, otherwise):
                self.tell(node, after)
                return self.block(then, after) | self.block(otherwise, after) | _read(test)
            case ast.Match(subject, cases):
                self.tell(node, after)
                parts = [self.block(c.body, after) | (_NOTHING if c.guard is None else _read(c.guard)) for c in cases]
                return after.union(*parts) | _read(subject)
            case ast.Assign(targets, value):
                assigned = _NOTHING.union(*map(_stored, targets))
                return after - assigned | _NOTHING.union(*map(_read, targets)) | _read(value)
            case ast.AnnAssign(target, _, ast.expr() as value):
                return after - _stored(target) | _read(target) | _read(value)
            case ast.AugAssign(target, _, value):
                return after | _stored(target) | _read(target) | _read(value)
            case ast.FunctionDef(name):
                return after - {name} | _read(node)
            case ast.Return() | ast.Raise():
                return _read(node)
            case ast.Continue() if self.jumps:
                return self.jumps[-1][0]
            case ast.Break() if self.jumps:
                return self.jumps[-1][1]
            case ast.With(_, body):
                return self.block(body, after) | _read(node)
            case _:
                return after | _read(node)

    def loop(
        self,
        node: ast.For | ast.While,
        body: list[ast.stmt],
        ended: frozenset[str],
        behind: frozenset[str],
        targets: frozenset[str],
    ) -> frozenset[str]:
        """What is live where a loop begins: behind it, or in its steps, which follow one another."""
        if node not in self.exposed:
            self.exposed[node] = _Walk({}, self.exposed).block(body, _NOTHING)
        live = ended | behind | (self.exposed[node] - targets)
        self.jumps.append((live, behind))
        self.block(body, live)
        self.jumps.pop()
        self.tell(node, live)
        return live

    def tell(self, node: ast.stmt, live: frozenset[str]) -> None:
        """Note what is live at a statement."""
        place = (node.lineno, node.col_offset)
        self.found[place] = self.found.get(place, _NOTHING) | live


def _read(node: ast.AST) -> frozenset[str]:
    """The names that are read, not those that functions and comprehensions inside have for themselves."""
    match node:
        case ast.Name(name, ast.Load()):
            return frozenset((name,))
        case ast.FunctionDef() | ast.Lambda():
            arguments = node.args
            own = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
            own |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}
            body = node.body if isinstance(node.body, list) else [node.body]
            assigned = _NOTHING.union(*map(_stored, body))
            return _read(arguments) | (_NOTHING.union(*map(_read, body)) - assigned - own)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            targets = _NOTHING.union(*[_stored(g.target) for g in node.generators])
            return _read(node.generators[0].iter) | (_in_parts(node) - targets)
        case _:
            return _in_parts(node)


def _in_parts(node: ast.AST) -> frozenset[str]:
    return _NOTHING.union(*map(_read, ast.iter_child_nodes(node)))


def _stored(node: ast.AST) -> frozenset[str]:
    """The names that are given another value, whole."""
    return frozenset([n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)])
