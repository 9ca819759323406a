"""A frame that reads: the one place where expressions, statements and values meet."""

from __future__ import annotations

import ast

from fsmooth.core.term import Term
from fsmooth.frontend.python.alternatives import narrowed, operand
from fsmooth.frontend.python.displays import as_term, part_term
from fsmooth.frontend.python.expressions import expression
from fsmooth.frontend.python.far_integers import with_near_operands
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.parts import seen
from fsmooth.frontend.python.statements import block, statement
from fsmooth.frontend.python.values import Value


class Reader(Frame):
    """One function being elaborated, in all of the language."""

    def expression(self, node: ast.expr) -> Value:
        value = with_near_operands(self, expression(self, node), node)
        return narrowed(self, seen(value)) if isinstance(value, Term) else value

    def value(self, node: ast.expr) -> Term:
        return self.term(operand(self, self.expression(node), node), node)

    def as_term(self, value: Value, node: ast.AST) -> Term:
        return as_term(self, value, node)

    def as_part(self, value: Value, node: ast.AST) -> Term:
        return part_term(self, value, node)

    def statement(self, node: ast.stmt) -> None:
        outside, self.shared.here = self.shared.here, self.site(node)
        try:
            statement(self, node)
        finally:
            self.shared.here = outside

    def block(self, body: list[ast.stmt]) -> Value | None:
        outside = self.shared.here
        try:
            return block(self, body)
        finally:
            self.shared.here = outside
