"""Statements: one case for each kind."""

from __future__ import annotations

import ast

from fsmooth.frontend.python.branches import branch_statement, returning_branch
from fsmooth.frontend.python.expressions import outside
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import closure
from fsmooth.frontend.python.instead import INSTEAD
from fsmooth.frontend.python.loops import loop
from fsmooth.frontend.python.syntax import returns
from fsmooth.frontend.python.targets import assign_target, augmented, named
from fsmooth.frontend.python.values import Value
from fsmooth.frontend.python.whiles import while_loop

INSTEAD_OF_STATEMENTS = {
    ast.Try: ("try", "compute a condition and use if"),
    ast.With: ("with", "do this outside the compiled function"),
    ast.ClassDef: ("a class", "define it outside the compiled function"),
    ast.Delete: ("del", "leave the name; unused values cost nothing"),
    ast.Global: ("global", "pass the value as an argument and return the new one"),
    ast.Nonlocal: ("nonlocal", "return the new value instead"),
    ast.Raise: ("raise", "check arguments outside the compiled function"),
    ast.Assert: ("assert", "check arguments outside the compiled function"),
    ast.Import: ("import", "import at the top of the file"),
    ast.ImportFrom: ("import", "import at the top of the file"),
    ast.AsyncFunctionDef: ("an asynchronous function", "use an ordinary function"),
    ast.Match: ("match", "use if and elif"),
}


def block(frame: Frame, body: list[ast.stmt]) -> Value | None:
    """Run statements; the value returned, or None if the end is reached."""
    for k, statement in enumerate(body):
        match statement:
            case ast.Return(value):
                if value is None:
                    frame.unsupported(statement, "return without a value", "return a number, an array or a tuple")
                result = frame.expression(value)
                frame.shared.returned = value
                return result
            case ast.If(test, then, otherwise) if returns(then) or returns(otherwise):
                return returning_branch(frame, statement, test, then, otherwise, body[k + 1 :])
            case _:
                frame.statement(statement)
    return None


def statement(frame: Frame, node: ast.stmt) -> None:
    """One statement that does not return."""
    match node:
        case ast.Assign(targets, value):
            result = frame.expression(value)
            for target in targets:
                assign_target(frame, target, named(frame, target, result), node)
        case ast.AnnAssign(target, _, value):
            if value is not None:
                assign_target(frame, target, named(frame, target, frame.expression(value)), node)
        case ast.AugAssign(target, op, value):
            augmented(frame, target, op, value, node)
        case ast.For():
            loop(frame, node)
        case ast.While():
            while_loop(frame, node)
        case ast.If(test, then, otherwise):
            branch_statement(frame, test, then, otherwise, node)
        case ast.FunctionDef():
            if node.decorator_list:
                frame.unsupported(node, "a decorator on an inner function", "decorate functions outside")
            frame.names[node.name] = closure(frame, node)
        case ast.Expr(ast.Constant()) | ast.Pass():
            return
        case ast.Expr(ast.Yield() | ast.YieldFrom() | ast.Await() as value):
            outside(frame, value)
        case ast.Expr(ast.Call(ast.Attribute(_, "append" | "extend" | "insert")) as value):
            frame.unsupported(value, "a list that grows", "use a comprehension, or fs.zeros(n) and x[i] = …")
        case ast.Expr(value):
            hint = "remove it, or assign it to a name"
            if isinstance(value, ast.Call):
                hint = INSTEAD.get(getattr(value.func, "attr", getattr(value.func, "id", "")), hint)
            frame.unsupported(value, "an expression whose value is not used", hint)
        case _:
            what, hint = INSTEAD_OF_STATEMENTS.get(type(node), (f"this statement ({type(node).__name__})", "remove it"))
            frame.unsupported(node, what, hint)
