"""From the surface tree of F̃ text to typed core terms (paper 000, Fig. 3).

Types flow from the parts to the whole, and into the binders of `build`, `ifold` and the reductions.  A
function whose parameters are annotated is a core `Lam`; one without annotations has no type of its own and
is inlined where it is called, so `vectorMap v f` works at every element type and `f` may be any function.
A name bound in the text comes before a built-in function of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from fsmooth.core import primitives as p
from fsmooth.core.term import (
    NOWHERE,
    App,
    Collect,
    Const,
    Failure,
    Get,
    If,
    IllTyped,
    Lam,
    Length,
    MakeTuple,
    Proj,
    Require,
    Site,
    Term,
    Var,
    Vector,
    Verb,
    Zero,
    let,
)
from fsmooth.core.types import BOOL, F32, INT, Array, Function, Tuple, Type
from fsmooth.frontend.text import builtins, derivatives, tree
from fsmooth.frontend.text.joins import applied, converted, together
from fsmooth.frontend.text.mistakes import TextError
from fsmooth.frontend.text.operators import SYMBOLS, operated
from fsmooth.frontend.text.types import a, type_of
from fsmooth.frontend.text.values import Closure, Native, Operator, Scope, Value, is_path

_VERBS = {verb.value: verb for verb in Verb}
_CONSTANTS = {
    "true": Const(True),
    "false": Const(False),
    "inf": Const(float("inf")),
    "nan": Const(float("nan")),
    "inff": Const(float("inf"), F32),
    "nanf": Const(float("nan"), F32),
    "pi": Const(3.141592653589793),
}


class Elaborator:
    """One elaboration.  `find` looks up what is defined outside the text; `text` is for messages."""

    def __init__(
        self, text: str, find: Callable[[str], Value | None] = lambda name: None, site: Site = NOWHERE
    ) -> None:
        self.text = text
        self.find = find
        self.site = site

    def fail(self, message: str, node: tree.Node) -> TextError:
        """The error to raise for `node`."""
        return TextError(message, self.text, node.start, node.end)

    # -- expressions --------------------------------------------------------------------------------------------

    def term(self, node: tree.Node, scope: Scope, expected: Type | None = None) -> Term:
        """The core term of an expression; of type `expected` if it is given."""
        value = self.value(node, scope, expected)
        if not isinstance(value, Term):
            if not isinstance(expected, Function):
                raise self.fail("a function cannot stand here: its parameters have no types", node)
            value = self.function(value, expected, node)
        if expected is not None and value.type != expected:
            fitted = converted(value, expected)
            if fitted is None:
                raise self.fail(f"{a(expected)} is wanted here, not {a(value.type)}", node)
            return fitted
        return value

    def value(self, node: tree.Node, scope: Scope, expected: Type | None = None) -> Value:
        """What an expression stands for: a term, or a function still to be inlined."""
        try:
            form: Callable[[tree.Node, Scope, Type | None], Value] = getattr(self, _FORMS[type(node)])
            return form(node, scope, expected)
        except IllTyped as error:
            raise self.fail(str(error), node) from None

    def name(self, node: tree.Name, scope: Scope, expected: Type | None) -> Value:
        """A variable, a constant, or a function known by its name."""
        found = self.lookup(node.name, scope)
        if found is None:
            raise self.fail(f"`{node.name}` is not defined", node)
        return Zero(()) if isinstance(found, Operator) and found.name == "zero" else found

    def lookup(self, name: str, scope: Scope) -> Value | None:
        """The value of a name: bound in the text, defined outside it, or built in."""
        if name in scope:
            return scope[name]
        found = self.find(name)
        if found is not None:
            return found
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        return Operator(name) if name in builtins.FORMS or name in p.TABLE else None

    def number(self, node: tree.Number, scope: Scope, expected: Type | None) -> Term:
        """A literal."""
        return Const(node.value, F32) if node.single else Const(node.value)

    def section(self, node: tree.Section, scope: Scope, expected: Type | None) -> Value:
        """An operator in brackets."""
        return Operator(node.operator)

    def fun(self, node: tree.Fun, scope: Scope, expected: Type | None) -> Value:
        """A `Lam` if the types of all parameters are known, else a closure."""
        if all([q.type is not None for q in node.parameters]):
            types = tuple([type_of(q.type, self.text) for q in node.parameters if q.type is not None])
            return self.lam(node, scope, types)
        if isinstance(expected, Function) and len(expected.parameters) == len(node.parameters):
            return self.lam(node, scope, expected.parameters)
        return Closure(node, dict(scope), self.text)

    def lam(self, node: tree.Fun, scope: Scope, types: tuple[Type, ...]) -> Lam:
        """The function at the given types of its parameters."""
        variables = tuple([Var(q.name, t) for q, t in zip(node.parameters, types, strict=True)])
        return Lam(variables, self.body(node, scope, variables))

    def body(self, node: tree.Fun, scope: Scope, values: Iterable[Value], expected: Type | None = None) -> Term:
        """The body of a function with `values` for its parameters."""
        inner = dict(scope)
        for parameter, value in zip(node.parameters, values, strict=True):
            if parameter.type is not None and isinstance(value, Term):
                wanted = type_of(parameter.type, self.text)
                fitted = converted(value, wanted)
                if fitted is None:
                    raise self.fail(f"{parameter.name} is {a(wanted)}, but is given {a(value.type)}", parameter)
                value = fitted
            inner[parameter.name] = value
        return self.term(node.body, inner, expected)

    def binding(self, node: tree.Binding, scope: Scope, expected: Type | None) -> Term:
        """A chain of lets, as one scope."""
        inner, bound = dict(scope), list[tuple[Var, Term]]()
        here: tree.Node = node
        while isinstance(here, tree.Binding):
            wanted = type_of(here.type, self.text) if here.type is not None else None
            if wanted is None and len(here.names) == 1:
                value = self.definition(here, inner)
            else:
                value = self.term(here.value, inner, wanted)
            self.bind(here, value, inner, bound)
            here = here.body
        return let(bound, self.term(here, inner, expected))

    def definition(self, node: tree.Binding, scope: Scope) -> Value:
        """The value of one let."""
        return self.value(node.value, scope)

    def bind(self, node: tree.Binding, value: Value, scope: Scope, bound: list[tuple[Var, Term]]) -> None:
        """Give the names of one let their value, in `scope` and, if it is a term, among the bindings."""
        if not isinstance(value, Term):
            name = node.names[0]
            scope[name] = (
                Closure(value.function, value.scope, value.text, name) if isinstance(value, Closure) else value
            )
        elif len(node.names) == 1:
            variable = self.bound(node.names[0], value, bound)
            scope[variable.name] = variable
        else:
            if not isinstance(value.type, Tuple) or len(value.type.items) != len(node.names):
                raise self.fail(f"{len(node.names)} names for {a(value.type)}", node.value)
            if not is_path(value):
                value = self.bound("_".join(node.names), value, bound)
            for k, name in enumerate(node.names):
                scope[name] = Proj(value, k)

    def bound(self, name: str, value: Term, bindings: list[tuple[Var, Term]]) -> Var:
        """A fresh variable for `value`, bound last."""
        variable = Var(name, value.type)
        bindings.append((variable, value))
        return variable

    def conditional(self, node: tree.Conditional, scope: Scope, expected: Type | None) -> Term:
        """`if`; an Int branch follows a Float one."""
        condition = self.term(node.condition, scope, BOOL)
        then = self.term(node.then, scope, expected)
        otherwise = self.term(node.otherwise, scope, expected)
        branches = together([then, otherwise])
        if branches is None:
            raise self.fail(f"the branches are {a(then.type)} and {a(otherwise.type)}", node)
        return If(condition, branches[0], branches[1])

    def requirement(self, node: tree.Requirement, scope: Scope, expected: Type | None) -> Term:
        """`require c, numbers… in e`."""
        condition = self.term(node.condition, scope, BOOL)
        numbers = tuple([self.term(n, scope, INT) for n in node.numbers])
        body = self.term(node.body, scope, expected)
        return Require(condition, body, Failure[node.kind.upper()], numbers, self.site)

    def collect(self, node: tree.Collect, scope: Scope, expected: Type | None) -> Term:
        """`collect count [i in n, …] guard body`."""
        inner, generators = dict(scope), list[tuple[Term, Var]]()
        for name, written in node.generators:
            size = self.term(written, inner, INT)
            index = Var(name, INT)
            generators.append((size, index))
            inner[name] = index
        count = self.term(node.count, scope, INT)
        guard = self.term(node.guard, inner, BOOL)
        return Collect(count, tuple(generators), guard, self.term(node.body, inner))

    def operation(self, node: tree.Operation, scope: Scope, expected: Type | None) -> Term:
        """An operator between or before its operands."""
        wanted = BOOL if node.operator in ("&&", "||") else None
        return self.operate(node.operator, [self.term(o, scope, wanted) for o in node.operands], node)

    def operate(self, operator: str, operands: list[Term], node: tree.Node) -> Term:
        """The infix or prefix operator on terms."""
        result = operated(operator, operands)
        if result is None:
            raise self.fail(f"`{operator}` between {' and '.join([repr(o.type) for o in operands])}", node)
        return result

    def index(self, node: tree.Index, scope: Scope, expected: Type | None) -> Term:
        """`a[i]`, `a[i, j]`."""
        result = self.term(node.array, scope)
        for index in node.indices:
            if not isinstance(result.type, Array):
                raise self.fail(f"{a(result.type)} cannot be indexed", node)
            result = Get(result, self.term(index, scope, INT))
        return result

    def project(self, node: tree.Project, scope: Scope, expected: Type | None) -> Term:
        """`e.0`, `e.name`."""
        inner = self.term(node.tuple, scope)
        if not isinstance(inner.type, Tuple):
            raise self.fail(f"{a(inner.type)} has no components", node)
        position = node.position
        if isinstance(position, str):
            names = inner.type.names or ()
            if position not in names:
                raise self.fail(f"{a(inner.type)} has no component `{position}`", node)
            position = names.index(position)
        if position >= len(inner.type.items):
            raise self.fail(f"{a(inner.type)} has {len(inner.type.items)} components, counted from 0", node)
        return Proj(inner, position)

    def length(self, array: Term, axis: int) -> Term:
        """`length array axis`."""
        return Length(array, axis)

    def tuple(self, node: tree.MakeTuple, scope: Scope, expected: Type | None) -> Term:
        """A tuple or a record."""
        wanted: Iterable[Type | None] = [None] * len(node.items)
        if isinstance(expected, Tuple) and len(expected.items) == len(node.items):
            wanted = expected.items
        items = tuple([self.term(item, scope, w) for item, w in zip(node.items, wanted, strict=True)])
        if node.names is None:
            return MakeTuple(items)
        return MakeTuple(items, Tuple(tuple([i.type for i in items]), node.names))

    def display(self, node: tree.Display, scope: Scope, expected: Type | None) -> Term:
        """`[a, b]`."""
        wanted = expected.element if isinstance(expected, Array) else None
        items = [self.term(item, scope, wanted) for item in node.items]
        same = together(items)
        if same is None:
            raise self.fail(f"the elements are of types {', '.join([repr(i.type) for i in items])}", node)
        return Vector(tuple(same))

    # -- calls --------------------------------------------------------------------------------------------------

    def apply(self, node: tree.Apply, scope: Scope, expected: Type | None) -> Value:
        """An application: of a function written on the spot, of a known one, of one built in."""
        arguments = node.arguments
        if isinstance(node.function, tree.Index) and (verb := self.verb(node.function, scope)) is not None:
            return derivatives.written_out(self, verb, node, scope)
        if isinstance(node.function, tree.Fun):
            if not node.function.parameters and len(arguments) == 1 and _is_unit(arguments[0]):
                arguments = ()
            terms = [self.term(a, scope) for a in arguments]
            function: Term = self.lam(
                self.matching(node.function, len(terms), node), scope, tuple([t.type for t in terms])
            )
            return App(function, tuple(terms))
        if isinstance(node.function, tree.Name) and node.function.name not in scope:
            name = node.function.name
            if name in builtins.FORMS:
                result = builtins.FORMS[name](self, node, scope)
                if result is not None:
                    return result
        head = self.value(node.function, scope)
        if isinstance(head, Term):
            return self.apply_term(head, node, scope)
        return self.call(head, [self.value(a, scope) for a in arguments], node)

    def apply_term(self, head: Term, node: tree.Apply, scope: Scope) -> Term:
        """A core function applied: the arguments are of the types that it wants."""
        arguments = node.arguments
        if not isinstance(head.type, Function):
            raise self.fail(f"{a(head.type)} is no function", node.function)
        wanted = head.type.parameters
        if not wanted and len(arguments) == 1 and _is_unit(arguments[0]):
            arguments = ()
        if len(wanted) != len(arguments):
            raise self.fail(f"{len(arguments)} arguments for {head.type!r}", node)
        return App(head, tuple([self.term(a, scope, w) for a, w in zip(arguments, wanted, strict=True)]))

    def verb(self, node: tree.Index, scope: Scope) -> Verb | None:
        """The verb of `grad[0]`, if that is what is written."""
        if not isinstance(node.array, tree.Name) or node.array.name in scope:
            return None
        return _VERBS.get(node.array.name)

    def matching(self, function: tree.Fun, count: int, node: tree.Node) -> tree.Fun:
        """`function` itself if it has `count` parameters."""
        if len(function.parameters) != count:
            raise self.fail(f"{count} arguments for {len(function.parameters)} parameters", node)
        return function

    def call(self, head: Value, values: list[Value], node: tree.Node) -> Term:
        """Any kind of function applied to values.  A closure is inlined (paper 000, Fig. 8a)."""
        if isinstance(head, Operator):
            return self.call_operator(head, values, node)
        if isinstance(head, Native):
            return self.call_native(head, values, node)
        if isinstance(head, Term):
            if not isinstance(head.type, Function) or len(head.type.parameters) != len(values):
                raise self.fail(f"{len(values)} arguments for {a(head.type)}", node)
            return App(head, tuple([self.given(v, w, node) for v, w in zip(values, head.type.parameters, strict=True)]))
        if len(head.function.parameters) != len(values):
            wanted = len(head.function.parameters)
            raise self.fail(f"{head.name} takes {wanted} argument{'s' * (wanted != 1)}, not {len(values)}", node)
        bound: list[tuple[Var, Term]] = []
        passed: list[Value] = []
        for parameter, value in zip(head.function.parameters, values, strict=True):
            if isinstance(value, Term) and not is_path(value) and head.uses_of(parameter.name) > 1:
                passed.append(self.bound(parameter.name, value, bound))
            else:
                passed.append(value)
        outside, self.text = self.text, head.text
        body = self.body(head.function, head.scope, passed)
        self.text = outside
        return let(bound, body)

    def call_native(self, head: Native, values: list[Value], node: tree.Node) -> Term:
        """A Python function on values; what it refuses with a `TypeError` is a mistake in the text."""
        try:
            return head.function(values)
        except TypeError as error:
            raise self.fail(str(error), node) from None

    def given(self, value: Value, wanted: Type, node: tree.Node) -> Term:
        """A value as an argument of type `wanted`."""
        if not isinstance(value, Term):
            if not isinstance(wanted, Function):
                raise self.fail(f"{a(wanted)} is wanted here, not a function", node)
            return self.function(value, wanted, node)
        fitted = converted(value, wanted)
        if fitted is None:
            raise self.fail(f"{a(wanted)} is wanted here, not {a(value.type)}", node)
        return fitted

    def function(self, value: Value, wanted: Function, node: tree.Node) -> Lam:
        """A closure or operator as a `Lam` of a known type."""
        names = [q.name for q in value.function.parameters] if isinstance(value, Closure) else []
        names += [f"x{k}" for k in range(len(names), len(wanted.parameters))]
        variables = tuple([Var(n, t) for n, t in zip(names, wanted.parameters, strict=False)])
        return Lam(variables, self.given(self.call(value, list(variables), node), wanted.result, node))

    def call_operator(self, head: Operator, values: list[Value], node: tree.Node) -> Term:
        """`sin`, `pair`, `(+)` applied as values."""
        terms = [v for v in values if isinstance(v, Term)]
        if len(terms) == len(values):
            if head.name in p.TABLE:
                result = applied(p.TABLE[head.name], terms)
                if result is not None:
                    return result
            elif head.name in builtins.ON_TERMS:
                return builtins.ON_TERMS[head.name](*terms)
            elif head.name in SYMBOLS:
                return self.operate(head.name, terms, node)
        shown = ", ".join([repr(v.type) if isinstance(v, Term) else "a function" for v in values])
        raise self.fail(f"`{head.name}` of {shown}", node)


def _is_unit(node: tree.Node) -> bool:
    return isinstance(node, tree.MakeTuple) and not node.items


_FORMS: dict[type, str] = {
    tree.Name: "name",
    tree.Number: "number",
    tree.Section: "section",
    tree.Fun: "fun",
    tree.Binding: "binding",
    tree.Conditional: "conditional",
    tree.Requirement: "requirement",
    tree.Collect: "collect",
    tree.Operation: "operation",
    tree.Index: "index",
    tree.Project: "project",
    tree.MakeTuple: "tuple",
    tree.Display: "display",
    tree.Apply: "apply",
}
