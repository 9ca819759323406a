"""Statements: assignment, branches, loops, return."""

from __future__ import annotations

import ast

from fsmooth.core.term import Const, If, IFold, Let, MakeTuple, Proj, Term, Var
from fsmooth.core.types import Array, Tuple, Type
from fsmooth.errors import TypeMismatchError, UnsupportedError
from fsmooth.frontend.python.aliases import element_assigned
from fsmooth.frontend.python.derivatives import Derivatives
from fsmooth.frontend.python.frame import describe, join_types, project
from fsmooth.frontend.python.values import Closure, Missing, Sequence, Static, Unrolled, Value

_INSTEAD = {
    ast.While: ("a while loop", "use for … in range(n) with a bound, and carry a flag"),
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
    ast.Break: ("break", "carry a flag, and use it in a condition"),
    ast.Continue: ("continue", "put the rest of the loop body under an if"),
    ast.AsyncFunctionDef: ("an asynchronous function", "use an ordinary function"),
    ast.Match: ("match", "use if and elif"),
}


class Statements(Derivatives):
    """Everything on a line of its own."""

    def function_body(self, node: ast.FunctionDef) -> Value:
        """The value that a function returns."""
        result = self.block(node.body)
        if result is None:
            self.fail(
                UnsupportedError, node, f"{node.name} does not return a value on every path", "end it with return"
            )
        return result

    def block(self, body: list[ast.stmt]) -> Value | None:
        """Run statements; the value returned, or None if the end is reached."""
        for k, statement in enumerate(body):
            match statement:
                case ast.Return(value):
                    if value is None:
                        self.unsupported(statement, "return without a value", "return a number, an array or a tuple")
                    result = self.expression(value)
                    self.shared.returned = value
                    return result
                case ast.If(test, then, otherwise) if _returns(then) or _returns(otherwise):
                    return self.returning_branch(statement, test, then, otherwise, body[k + 1 :])
                case _:
                    self.statement(statement)
        return None

    def statement(self, node: ast.stmt) -> None:
        """One statement that does not return."""
        match node:
            case ast.Assign(targets, value):
                result = self.expression(value)
                for target in targets:
                    self.assign_target(target, self.named(target, result), node)
            case ast.AnnAssign(target, _, value):
                if value is not None:
                    self.assign_target(target, self.named(target, self.expression(value)), node)
            case ast.AugAssign(target, op, value):
                self.augmented(target, op, value, node)
            case ast.For():
                self.loop(node)
            case ast.If(test, then, otherwise):
                self.branch_statement(test, then, otherwise, node)
            case ast.FunctionDef():
                if node.decorator_list:
                    self.unsupported(node, "a decorator on an inner function", "decorate functions outside")
                closure = Closure(node, self.source, self.names)
                self.names[node.name] = closure
            case ast.Expr(ast.Constant()) | ast.Pass():
                return
            case ast.Expr(ast.Yield() | ast.YieldFrom() | ast.Await() as value):
                self.outside(value)
            case ast.Expr(ast.Call(ast.Attribute(_, "append" | "extend" | "insert")) as value):
                self.unsupported(value, "a list that grows", "use a comprehension, or fs.zeros(n) and x[i] = …")
            case ast.Expr(value):
                self.unsupported(value, "an expression whose value is not used", "remove it, or assign it to a name")
            case _:
                what, hint = _INSTEAD.get(type(node), (f"this statement ({type(node).__name__})", "remove it"))
                self.unsupported(node, what, hint)

    # -- assignment ----------------------------------------------------------------------------------------------------

    def named(self, target: ast.expr, value: Value) -> Value:
        """A value bound in the scope under the name of its target."""
        if isinstance(target, ast.Name) and isinstance(value, Term):
            return self.bind(value, target.id)
        return value

    def assign_target(self, target: ast.expr, value: Value, node: ast.AST) -> None:
        match target:
            case ast.Name(id):
                self.names[id] = value
            case ast.Tuple(elts) | ast.List(elts):
                self.unpack(elts, value, node)
            case ast.Subscript():
                self.assign_element(target, self.term(value, node), node)
            case ast.Attribute():
                self.unsupported(target, "assignment to an attribute", "make a new record with the changed field")
            case _:
                self.unsupported(target, "this target", "assign to plain names")

    def unpack(self, targets: list[ast.expr], value: Value, node: ast.AST) -> None:
        """a, b = value."""
        for target in targets:
            if isinstance(target, ast.Starred):
                self.unsupported(target, "a starred target", "name every part")
        if isinstance(value, Unrolled):
            items: list[Value] = list(value.items)
        elif isinstance(value, Static) and isinstance(value.value, tuple | list):
            items = [self.constant_or_static(x) for x in value.value]
        else:
            term = self.term(value, node)
            if isinstance(term.type, Array):
                array = self.bind(term, "a")
                size = self.size(array, node)
                self.same_size(size, Const(len(targets)), node, "unpacking")
                items = [self.element(array, Const(k)) for k in range(len(targets))]
            elif isinstance(term.type, Tuple):
                bound = term if isinstance(term, MakeTuple) else self.bind(term, "t")
                items = [project(bound, k) for k in range(len(term.type.items))]
            else:
                self.fail(TypeMismatchError, node, f"{describe(term.type)} cannot be unpacked")
        if len(items) != len(targets):
            self.fail(TypeMismatchError, node, f"{len(targets)} names for {len(items)} values")
        items = [self.named(t, v) for t, v in zip(targets, items, strict=True)]
        for target, item in zip(targets, items, strict=True):
            self.assign_target(target, item, node)

    def assign_element(self, target: ast.Subscript, value: Term, node: ast.AST) -> None:
        """x[i] = e, A[i, j] = e, A[i][j] = e: the name gets a new array."""
        indices: list[Term] = []
        place: ast.expr = target
        while isinstance(place, ast.Subscript):
            here = self.indices(place.slice)
            if any([isinstance(i, slice) for i in here]):
                self.unsupported(place, "assignment to a slice", "assign element by element in a loop")
            indices = [i for i in here if isinstance(i, Term)] + indices
            place = place.value
        if not isinstance(place, ast.Name):
            self.unsupported(target, "this target", "assign to an element of a named array")
        array = self.term(self.expression(place), place)
        if not isinstance(array.type, Array):
            self.fail(
                TypeMismatchError, node, f"{place.id} is {describe(array.type)}, whose elements cannot be assigned"
            )
        new = self.bind(self.updated(array, indices, value, node, place.id), place.id)
        self.changed(place.id, array, node)
        self.names[place.id] = new

    def augmented(self, target: ast.expr, op: ast.operator, value: ast.expr, node: ast.AST) -> None:
        """X += e, x[i] += e."""
        load = _as_load(target)
        old = self.value(load)
        amount = self.value(value)
        result = (
            self.library("matmul", [old, amount], node)
            if isinstance(op, ast.MatMult)
            else self.binary(op, old, amount, node)
        )
        if isinstance(target, ast.Name) and isinstance(old.type, Array):
            self.changed(target.id, old, node)
        self.assign_target(target, self.named(target, result), node)

    # -- branches --------------------------------------------------------------------------------------------------------

    def returning_branch(
        self, node: ast.If, test: ast.expr, then: list[ast.stmt], otherwise: list[ast.stmt], rest: list[ast.stmt]
    ) -> Value | None:
        """A branch that returns: what follows belongs to the branches that go on."""
        condition = self.truth(self.value(test), test)
        if isinstance(condition, Const):
            return self.block([*(then if condition.value else otherwise), *rest])
        first = self.closed_block([*then, *rest], node)
        second = self.closed_block([*otherwise, *rest], node)
        return self.branch(condition, first, second, node)

    def closed_block(self, body: list[ast.stmt], node: ast.AST) -> Term:
        """The value that a block returns, with names of its own."""
        saved = dict(self.names)

        def run() -> Term:
            result = self.block(body)
            if result is None:
                self.fail(
                    UnsupportedError, node, "the function returns only if a branch is taken", "end it with return"
                )
            return self.term(result, node)

        try:
            return self.inside(run, conditional=True)
        finally:
            self.names.clear()
            self.names.update(saved)

    def branch_statement(self, test: ast.expr, then: list[ast.stmt], otherwise: list[ast.stmt], node: ast.AST) -> None:
        """if: the names that the branches assign are joined."""
        condition = self.truth(self.value(test), test)
        if isinstance(condition, Const):
            for statement in then if condition.value else otherwise:
                self.statement(statement)
            return
        condition = self.bind(condition, "c")
        before = dict(self.names)
        first_scope, first = self.run_branch(then)
        second_scope, second = self.run_branch(otherwise)
        assigned = [n for n in _assigned([*then, *otherwise]) if n in first or n in second]
        joined: list[str] = []
        for name in assigned:
            a, b = first.get(name), second.get(name)
            if a is b:
                if a is not None:
                    self.names[name] = a
                continue
            if a is None or b is None or isinstance(a, Missing) or isinstance(b, Missing):
                why = f"{name} has a value only if the branch on line {self.source.site(node).line} is taken"
                self.names[name] = Missing(why, f"assign {name} before the if, or in both branches")
                continue
            if (
                not isinstance(a, Term)
                and not isinstance(b, Term)
                and not (isinstance(a, Static) and isinstance(b, Static))
            ):
                self.names[name] = Missing(
                    f"{name} is a different function in each branch", "call it inside the branches"
                )
                continue
            joined.append(name)
        for name, value in before.items():
            if name not in assigned:
                lost = [b[name] for b in (first, second) if isinstance(b.get(name), Missing)]
                self.names[name] = lost[0] if lost else value
        if not joined:
            return
        pairs = [(self.term(first[n], node), self.term(second[n], node)) for n in joined]
        types = [
            self.join(a.type, b.type, node, f"the values of {n} in the two branches")
            for n, (a, b) in zip(joined, pairs, strict=True)
        ]
        then_term = self.close_branch(first_scope, [a for a, _ in pairs], types, node)
        else_term = self.close_branch(second_scope, [b for _, b in pairs], types, node)
        result = If(condition, then_term, else_term)
        if len(joined) == 1:
            self.names[joined[0]] = self.bind(result, joined[0])
            return
        whole = self.bind(result, "branch")
        for k, name in enumerate(joined):
            self.names[name] = self.bind(project(whole, k), name)

    def run_branch(self, body: list[ast.stmt]) -> tuple[list[tuple[Var, Term]], dict[str, Value]]:
        """Run the statements of a branch in a scope and names of its own."""
        saved = dict(self.names)
        outer, self.scope = self.scope, []
        self.conditional += 1
        try:
            for statement in body:
                self.statement(statement)
            return self.scope, dict(self.names)
        finally:
            self.conditional -= 1
            self.scope = outer
            self.names.clear()
            self.names.update(saved)

    def close_branch(self, scope: list[tuple[Var, Term]], values: list[Term], types: list[Type], node: ast.AST) -> Term:
        """The tuple of a branch's values, at the joined types, with its bindings."""
        outer, self.scope = self.scope, scope
        made = [self.convert(v, t, node) for v, t in zip(values, types, strict=True)]
        self.scope = outer
        body = made[0] if len(made) == 1 else MakeTuple(tuple(made))
        return Let(tuple(scope), body) if scope else body

    # -- loops -----------------------------------------------------------------------------------------------------------

    def loop(self, node: ast.For) -> None:
        """for: a fold over the tuple of the names that the body changes."""
        if node.orelse:
            self.unsupported(node, "else on a for loop", "carry a flag and use if after the loop")
        if _returns(node.body):
            self.unsupported(
                node, "return inside a for loop", "carry the result in a variable and return it after the loop"
            )
        source = self.iterable(node.iter)
        if isinstance(source, Unrolled):
            for item in source.items:
                self.assign_target(node.target, item, node)
                for statement in node.body:
                    self.statement(statement)
            return
        assigned = _assigned(node.body)
        targets = _targets(node.target)
        carried = [
            n for n in assigned if n in self.names and not isinstance(self.names[n], Missing) and n not in targets
        ]
        local = [n for n in [*assigned, *targets] if n not in carried]
        inits = [self.term(self.names[n], node) for n in carried]
        types = [t.type for t in inits]
        index = self.index_name(node.target, node)
        for name in element_assigned(node.body):
            array = self.names.get(name)
            if isinstance(array, Term) and isinstance(array.type, Array) and name in carried:
                self.changed(name, array, node)
        carried_still = [n for n in carried if not isinstance(self.names[n], Missing)]
        if carried_still != carried:
            lost = next(n for n in carried if n not in carried_still)
            self.name(lost, node)
        for _ in range(4):
            attempt = self.loop_body(node, source, carried, types, index)
            new = [join_types(a, b) for a, b in zip(types, attempt[1], strict=True)]
            for name, old, made, joined in zip(carried, types, attempt[1], new, strict=True):
                if joined is None:
                    self.fail(
                        TypeMismatchError,
                        node,
                        f"{name} is {describe(old)} before the loop and {describe(made)} after one step",
                        f"start {name} with a value of the type that the loop gives it",
                    )
            joined_types = [t for t in new if t is not None]
            if joined_types == types:
                break
            types = joined_types
        body, _, state = attempt
        init_terms = [self.convert(t, w, node) for t, w in zip(inits, types, strict=True)]
        for name in local:
            self.names[name] = Missing(
                f"{name} is assigned inside the loop on line {self.source.site(node).line} only",
                f"assign {name} before the loop to use its last value after it",
            )
        if not carried:
            return
        if len(carried) == 1:
            result = self.bind(IFold(source.size, init_terms[0], state, index, body), carried[0])
            self.names[carried[0]] = result
            return
        whole = self.bind(IFold(source.size, MakeTuple(tuple(init_terms)), state, index, body), "loop")
        for k, name in enumerate(carried):
            self.names[name] = self.bind(project(whole, k), name)

    def loop_body(
        self, node: ast.For, source: Sequence, carried: list[str], types: list[Type], index: Var
    ) -> tuple[Term, list[Type], Var]:
        """One step of a loop at the given types: its term, the types it gives, the state."""
        state_type: Type = types[0] if len(types) == 1 else Tuple(tuple(types))
        state = Var(carried[0] if len(carried) == 1 else "state", state_type, self.source.site(node))
        saved = dict(self.names)
        outer, self.scope = self.scope, []
        self.conditional += 1
        try:
            for k, name in enumerate(carried):
                self.names[name] = state if len(carried) == 1 else Proj(state, k)
            self.assign_target(node.target, source.element(index), node)
            for statement in node.body:
                self.statement(statement)
            values = [self.term(self.names[n], node) for n in carried]
            given = [v.type for v in values]
            wanted = [join_types(a, b) or a for a, b in zip(types, given, strict=True)]
            if wanted == types and all([join_types(a, b) is not None for a, b in zip(types, given, strict=True)]):
                values = [self.convert(v, t, node) for v, t in zip(values, types, strict=True)]
            body = values[0] if len(values) == 1 else MakeTuple(tuple(values))
            scope = self.scope
            return (Let(tuple(scope), body) if scope else body), given, state
        finally:
            self.conditional -= 1
            self.scope = outer
            self.names.clear()
            self.names.update(saved)


def _returns(body: list[ast.stmt]) -> bool:
    for statement in body:
        if isinstance(statement, ast.Return):
            return True
        if isinstance(statement, ast.If) and (_returns(statement.body) or _returns(statement.orelse)):
            return True
        if isinstance(statement, ast.For) and _returns(statement.body):
            return True
    return False


def _targets(target: ast.expr) -> list[str]:
    return [n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def _assigned(body: list[ast.stmt]) -> list[str]:
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


def _as_load(target: ast.expr) -> ast.expr:
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
