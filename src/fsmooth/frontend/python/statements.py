"""Statements: one case for each kind."""

from __future__ import annotations

import ast

import numpy as np

from fsmooth.core.term import Const
from fsmooth.debugging import debug_print
from fsmooth.frontend.python.branches import branch_statement, returning_branch, where
from fsmooth.frontend.python.changing_calls import changing_call
from fsmooth.frontend.python.claims import (
    Raised,
    asserted,
    claim_asserted,
    claim_raised,
    refuse_raise,
    with_claims,
)
from fsmooth.frontend.python.containers import is_keyed, update
from fsmooth.frontend.python.expressions import outside
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import closure
from fsmooth.frontend.python.growing import extend, grow, is_list_value
from fsmooth.frontend.python.imports import imported
from fsmooth.frontend.python.instead import INSTEAD
from fsmooth.frontend.python.logic import condition, negated
from fsmooth.frontend.python.loops import loop
from fsmooth.frontend.python.matching import unmatched
from fsmooth.frontend.python.names import look_up
from fsmooth.frontend.python.new_objects import is_object
from fsmooth.frontend.python.returning import returning_loop
from fsmooth.frontend.python.syntax import (
    Entered,
    Held,
    Returning,
    Unmatched,
    changed_by_call,
    grown_name,
    raises,
    returns,
)
from fsmooth.frontend.python.targets import assign_target, augmented, named
from fsmooth.frontend.python.values import Missing, Static, Value
from fsmooth.frontend.python.whiles import while_loop

INSTEAD_OF_STATEMENTS = {
    ast.Try: ("try", "compute a condition and use if"),
    ast.With: ("with", "do this outside the compiled function"),
    ast.ClassDef: ("a class", "define it outside the compiled function"),
    ast.Global: ("global", "pass the value as an argument and return the new one"),
    ast.Nonlocal: ("nonlocal", "return the new value instead"),
    ast.AsyncFunctionDef: ("an asynchronous function", "use an ordinary function"),
    ast.Match: ("match with patterns like these", "use if and elif"),
}


def block(frame: Frame, body: list[ast.stmt]) -> Value | None:
    """Run statements; the value returned, or None if the end is reached."""
    for k, statement in enumerate(body):
        frame.shared.here = frame.site(statement)
        match statement:
            case ast.Return(value):
                if value is None:
                    frame.unsupported(statement, "return without a value", "return a number, an array or a tuple")
                result = with_claims(frame, frame.expression(value), value)
                frame.shared.returned = value
                return result
            case ast.Assert():
                return asserted(frame, statement, lambda k=k: frame.block(body[k + 1 :]))  # type: ignore[misc]
            case ast.Raise():
                if not frame.conditional:
                    refuse_raise(frame, statement)
                raise Raised(statement)
            case ast.If(test, then, otherwise) if leaves(then) or leaves(otherwise):
                return returning_branch(frame, statement, test, then, otherwise, body[k + 1 :])
            case ast.For() | ast.While() if returns([statement]):
                return returning_loop(frame, statement, body[k + 1 :])
            case Unmatched():
                if not body[k + 1 :]:
                    unmatched(frame, statement)
            case Held(test=test):
                return where(frame, condition(frame, test), statement.holds, lambda k=k: frame.block(body[k + 1 :]))  # type: ignore[misc]
            case Returning():
                return returning_loop(frame, statement.loop, None)
            case _:
                frame.statement(statement)
    return None


def is_debug_print(frame: Frame, callee: ast.Name | ast.Attribute) -> bool:
    """Is it fs.debug_print, which compiled programs leave out?"""
    name = callee.id if isinstance(callee, ast.Name) else callee.attr
    if name != debug_print.__name__:
        return False
    found = frame.expression(callee)
    return isinstance(found, Static) and found.value is debug_print


def leaves(body: list[ast.stmt]) -> bool:
    """Do statements return or raise, at any depth of branches?"""
    return returns(body) or raises(body)


def names_list(frame: Frame, name: ast.Name) -> bool:
    """Does a name stand for a list?"""
    return is_list_value(frame.names.get(name.id))


def statement(frame: Frame, node: ast.stmt) -> None:
    """One statement that does not return."""
    match node:
        case ast.Assign([ast.Name() as grown], ast.BinOp(_, _, more)) if grown_name(node) and names_list(frame, grown):
            extend(frame, grown, more, node)
        case ast.AugAssign(ast.Name() as grown, ast.Add(), more) if names_list(frame, grown):
            extend(frame, grown, more, node)
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
        case ast.If(test, [ast.Raise() as raised], otherwise):
            claim_raised(frame, raised, negated(condition(frame, test)))
            for part in otherwise:
                frame.statement(part)
        case ast.If(test, then, [ast.Raise() as raised]):
            claim_raised(frame, raised, condition(frame, test))
            for part in then:
                frame.statement(part)
        case ast.If(test, then, otherwise):
            branch_statement(frame, test, then, otherwise, node)
        case ast.Assert():
            claim_asserted(frame, node)
        case ast.Raise():
            claim_raised(frame, node, Const(False))
        case ast.FunctionDef():
            if node.decorator_list:
                frame.unsupported(node, "a decorator on an inner function", "decorate functions outside")
            frame.names[node.name] = closure(frame, node)
        case ast.Import() | ast.ImportFrom():
            imported(frame, node)
        case ast.Delete(targets):
            for target in targets:
                deleted(frame, target)
        case Unmatched():
            unmatched(frame, node)
        case Entered():
            ignored(frame, node.context)
        case ast.Expr(ast.Constant()) | ast.Pass():
            return
        case ast.Expr(ast.Yield() | ast.YieldFrom() | ast.Await() as value):
            outside(frame, value)
        case ast.Expr(ast.Call(ast.Attribute(ast.Name() as name, "append" | "extend" as method)) as value):
            grow(frame, value, name, method)
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "update")) as value) if is_keyed(frame, name):
            update(frame, name, value)
        case ast.Expr(ast.Call() as value) if changed_by_call(value) is not None:
            changing_call(frame, value)
        case ast.Expr(ast.Call(ast.Attribute(_, "append" | "extend" | "insert")) as value):
            frame.unsupported(value, "this way to let a list grow", "use append or extend on a list that has a name")
        case ast.Expr(ast.Call(ast.Name() | ast.Attribute() as callee)) if is_debug_print(frame, callee):
            return
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), method)) as value) if is_object(frame.names.get(name)):
            hint = "records do not change in a program: let it return a new one, dataclasses.replace(self, …), and assign that"
            frame.unsupported(value, f"the method {method}, called for what it changes,", hint)
        case ast.Expr(value):
            hint = "remove it, or assign it to a name"
            if isinstance(value, ast.Call):
                hint = "assign what it returns to a name; what a function does to names around it is not seen"
                hint = INSTEAD.get(getattr(value.func, "attr", getattr(value.func, "id", "")), hint)
            frame.unsupported(value, "an expression whose value is not used", hint)
        case _:
            what, hint = INSTEAD_OF_STATEMENTS.get(type(node), (f"this statement ({type(node).__name__})", "remove it"))
            frame.unsupported(node, what, hint)


def deleted(frame: Frame, target: ast.expr) -> None:
    """del x: the name has no value any more."""
    if not isinstance(target, ast.Name):
        frame.unsupported(target, "del of an element", "build an array without it")
    look_up(frame, target.id, target)
    line = frame.site(target).line
    why = f"{target.id} was deleted on line {line}"
    frame.names[target.id] = Missing(why, "read it before that line, or leave out del: unused values cost nothing")


def ignored(frame: Frame, context: ast.Call) -> None:
    """with np.errstate(…): floating-point errors are never reported here."""
    found = frame.expression(context.func)
    if not isinstance(found, Static) or found.value is not np.errstate:
        what, hint = INSTEAD_OF_STATEMENTS[ast.With]
        frame.unsupported(context, what, hint)
