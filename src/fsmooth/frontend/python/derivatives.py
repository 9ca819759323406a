"""Derivatives inside programs: `fs.grad(f, wrt=…)(x)` becomes `App(Deriv(fun …), …)` (design §2)."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from types import FunctionType
from typing import assert_never

from fsmooth.core.build import equals
from fsmooth.core.shape import size_of
from fsmooth.core.term import App, Deriv, Failure, IllTyped, Lam, MakeTuple, Require, Term, Var, Verb
from fsmooth.core.term import Method as How
from fsmooth.core.types import Float, Function, Int, Tuple, has_float, rank_of
from fsmooth.errors import NotDifferentiableError, ProgramError, TypeMismatchError, UnknownMethodError
from fsmooth.frontend.programs import DerivedProgram, LibraryProgram, Program, SourceProgram
from fsmooth.frontend.python.calls import VERBS, ArgumentMismatch, Calls, signature_of
from fsmooth.frontend.python.frame import describe, project
from fsmooth.frontend.python.source import source_of
from fsmooth.frontend.python.values import Closure, Derived, Static, Value


class Derivatives(Calls):
    """Calls of derivatives, and derivatives as values."""

    def derive(self, verb: str, node: ast.Call) -> Value:
        """fs.grad(f, wrt=…) inside a program."""
        if not node.args:
            self.fail(ArgumentMismatch, node, f"fs.{verb} needs a function")
        base = self.expression(node.args[0])
        wrt: object = self.static_object(node.args[1]) if len(node.args) > 1 else None
        for keyword in node.keywords:
            if keyword.arg == "wrt":
                wrt = self.static_object(keyword.value)
            elif keyword.arg == "method":
                method = self.static_object(keyword.value)
                if method not in ("auto", "forward"):
                    self.fail(UnknownMethod, node, f"there is no method {method!r}", "use 'auto' or 'forward'")
            else:
                self.fail(ArgumentMismatch, node, f"fs.{verb} has no argument {keyword.arg}")
        if not isinstance(base, Closure | Static | Derived):
            self.fail(TypeMismatchError, node, f"fs.{verb} wants a function")
        return Derived(base, verb, wrt)  # type: ignore[arg-type]

    def derivative(self, derived: Derived, node: ast.Call) -> Value:
        """The call of a derivative: App(Deriv(fun …), arguments)."""
        verb = VERBS[derived.verb]
        signature = self.signature_of_value(derived.base, node)
        directions: list[Term] = []
        call = node
        if verb is Verb.JVP:
            given = [k for k in node.keywords if k.arg == "tangent"]
            if not given:
                self.fail(ArgumentMismatch, node, "the call of a jvp needs tangent=…")
            call = ast.copy_location(
                ast.Call(node.func, node.args, [k for k in node.keywords if k.arg != "tangent"]), node
            )
            part = given[0].value
            directions = [self.value(e) for e in part.elts] if isinstance(part, ast.Tuple) else [self.value(part)]
        values = self.matched(signature, call)
        names = list(signature.parameters)
        wrt = derived.wrt if derived.wrt is not None else 0
        single = not isinstance(wrt, tuple)
        if not single and len(directions) == 1 and isinstance(directions[0].type, Tuple):
            whole = self.bind(directions[0], "tangent")
            directions = [project(whole, k) for k in range(len(directions[0].type.items))]
        chosen = self.positions(wrt if isinstance(wrt, tuple) else (wrt,), names, node)
        kept = [n for n in names if n in values and isinstance(values[n], Term)]
        terms = {n: self.bind(values[n], n) for n in kept}  # type: ignore[arg-type]
        for k in chosen:
            name = names[k]
            value = values.get(name)
            if isinstance(value, Static):
                terms[name] = self.bind(self.as_term(value, node), name)
                kept.append(name)
            if name in terms and isinstance(terms[name].type, Int):
                self.fail(
                    NotDifferentiableError, node, f"{name} is an integer, which has no derivative", "pass a real number"
                )
            if name in terms and not has_float(terms[name].type):
                self.fail(
                    NotDifferentiableError,
                    node,
                    f"{name} holds no real numbers",
                    "differentiate with respect to another argument",
                )
        kept = [n for n in names if n in terms]
        parameters = {n: Var(n, terms[n].type) for n in kept}
        body_names: dict[str, Value] = {**{n: v for n, v in values.items() if n not in parameters}, **parameters}
        body = self.lambda_body(derived.base, body_names, node)
        function = Lam(tuple([parameters[n] for n in kept]), body)
        positions = tuple([kept.index(names[k]) for k in chosen])
        if verb in (Verb.GRAD, Verb.VALUE_AND_GRAD) and not isinstance(body.type, Float):
            self.fail(
                NotDifferentiableError,
                node,
                f"fs.{derived.verb} wants a function that gives a real number, not {describe(body.type)}",
                "use fs.jacobian, or sum the result",
            )
        if verb is Verb.JACOBIAN and not has_float(body.type):
            self.fail(
                NotDifferentiableError, node, f"the function gives {describe(body.type)}, which has no derivative"
            )
        deriv = Deriv(function, positions, verb, How.AUTO, single)
        assert isinstance(deriv.type, Function)
        arguments = [*[terms[n] for n in kept]]
        if verb is Verb.JVP:
            wanted = deriv.type.parameters[len(kept) :]
            if len(wanted) != len(directions):
                self.fail(ArgumentMismatch, node, f"{len(wanted)} tangents wanted, {len(directions)} given")
            for k, d, w in zip(positions, directions, wanted, strict=True):
                arguments.append(self.alike(arguments[k], self.convert(d, w, node), node))
        try:
            return self.bind(App(deriv, tuple(arguments)), "derivative")
        except IllTyped as error:
            self.fail(TypeMismatchError, node, str(error))

    def alike(self, value: Term, direction: Term, node: ast.AST) -> Term:
        """A tangent, required to have the sizes of the value that it belongs to."""
        direction = self.bind(direction, "tangent")
        if isinstance(value.type, Tuple) and isinstance(direction.type, Tuple):
            parts = [
                self.alike(project(value, k), project(direction, k), node) for k in range(len(direction.type.items))
            ]
            return MakeTuple(tuple(parts), direction.type)
        required = direction
        for axis in range(min(rank_of(value.type), rank_of(direction.type))):
            wanted, have = size_of(value, axis), size_of(direction, axis)
            if not self.conditional and (wanted.free | have.free) <= self.entry:
                self.same_size(wanted, have, node, "a tangent has the shape of its argument")
            else:
                site = self.source.site(node, self.source.segment(node))
                required = Require(equals(wanted, have), required, Failure.SIZE, (wanted, have), site)
        return required

    def lambda_body(self, base: Closure | Static | Derived, names: dict[str, Value], node: ast.AST) -> Term:
        """The body of the differentiated function, a scope of its own with requirements of its own."""
        outer_requirements, self.requirements = self.requirements, []
        outer_entry, self.entry = self.entry, frozenset([v for v in names.values() if isinstance(v, Var)])
        try:
            body = self.inside(lambda: self.term(self.applied(base, names, node), node))
            for r in reversed(self.requirements):
                body = Require(r.condition, body, r.failure, r.numbers, r.site)
            return body
        finally:
            self.requirements, self.entry = outer_requirements, outer_entry

    def applied(self, base: Closure | Static | Derived, names: dict[str, Value], node: ast.AST) -> Value:
        """A function value with its parameters by name."""
        match base:
            case Closure(definition, source, around):
                return self.run(definition, source, around, names, node)
            case Derived():
                return self.derivative_of_names(base, names, node)
            case Static(value):
                program = getattr(value, "program", None)
                if isinstance(program, SourceProgram | LibraryProgram | DerivedProgram):
                    return self.program_of_names(program, names, node)
                assert isinstance(value, FunctionType)
                source = source_of(value)
                if value not in self.shared.helpers:
                    self.shared.helpers.append(value)
                return self.run(source.node, source, {}, names, node)

    def derivative_of_names(self, derived: Derived, names: dict[str, Value], node: ast.AST) -> Value:
        """A derivative called with its parameters by name."""
        saved = dict(self.names)
        keys = {n: f"_by_name_{n}" for n in names}
        self.names.update({keys[n]: v for n, v in names.items()})
        keywords = [ast.keyword(n, ast.Name(keys[n], ast.Load())) for n in names]
        made = ast.Call(ast.Name("_", ast.Load()), [], keywords)
        for part in ast.walk(made):
            ast.copy_location(part, node)
        try:
            return self.derivative(derived, made)
        finally:
            self.names.clear()
            self.names.update(saved)

    def program_of_names(self, program: Program, names: dict[str, Value], node: ast.AST) -> Value:
        """A program with its parameters by name."""
        if isinstance(program, SourceProgram):
            source = source_of(program.function)
            if program.function not in self.shared.helpers:
                self.shared.helpers.append(program.function)
            return self.run(source.node, source, {}, names, node)
        if isinstance(program, LibraryProgram):
            return self.expanded(program.name, [self.term(v, node) for v in names.values()], node)
        return self.derivative_of_names(self.derived_of(program), names, node)

    def derived_of(self, program: DerivedProgram) -> Derived:
        """A derivative made outside, as one made inside."""
        inner = program.program
        base = self.derived_of(inner) if isinstance(inner, DerivedProgram) else Static(_Holder(inner))
        return Derived(base, program.verb.value, program.wrt[0] if program.single else program.wrt)  # type: ignore[arg-type]

    def call_program(self, program: Program, node: ast.Call) -> Value:
        """A call of an fs.function, inlined."""
        if isinstance(program, SourceProgram):
            source = source_of(program.function)
            if program.function not in self.shared.helpers:
                self.shared.helpers.append(program.function)
            return self.inline(source.node, source, {}, node)
        if isinstance(program, LibraryProgram):
            return self.library_call(program.name, node)
        return self.derivative(self.derived_of(program), node)

    def signature_of_value(self, base: Closure | Static | Derived, node: ast.AST) -> inspect.Signature:
        """The parameters of a function value."""
        match base:
            case Closure(definition, source, _):
                return signature_of(definition, source)
            case Derived(inner):
                return self.signature_of_value(inner, node)
            case Static(value):
                program = getattr(value, "program", None)
                if isinstance(program, SourceProgram | LibraryProgram | DerivedProgram):
                    return program.signature
                if isinstance(value, FunctionType):
                    return inspect.signature(value)
                self.fail(TypeMismatchError, node, f"{value!r} is not a function that fsmooth can differentiate")
            case _:
                assert_never(base)

    def positions(self, wrt: tuple[object, ...], names: list[str], node: ast.AST) -> list[int]:
        """The positions that `wrt` names."""
        result = []
        for one in wrt:
            if isinstance(one, str) and one in names:
                result.append(names.index(one))
            elif isinstance(one, int) and -len(names) <= one < len(names):
                result.append(one % len(names))
            else:
                self.fail(ArgumentMismatch, node, f"wrt={one!r}: the function has the parameters {', '.join(names)}")
        return result


@dataclasses.dataclass(frozen=True, eq=False)
class _Holder:
    program: Program


class UnknownMethod(ProgramError, UnknownMethodError):
    """A differentiation method that does not exist, named inside a program."""
