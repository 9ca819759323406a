"""From the surface tree of F̃ text to typed core terms (paper 000, Fig. 3).

Types flow from the parts to the whole, and into the binders of `build`, `ifold` and the reductions.  A
function whose parameters are annotated is a core `Lam`; one without annotations has no type of its own and
is inlined where it is called, so `vectorMap v f` works at every element type and `f` may be any function.
A name bound in the text comes before a built-in function of that name.

Here is what all forms of text share, and what readers of several kinds of text do differently; `forms` and
`functions` say what each form means.  Arrays that meet must be of one size: it is an error if they provably are
not, and a requirement if that is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from fsmooth.core import primitives as p
from fsmooth.core.term import NOWHERE, Const, IllTyped, Lam, Length, Site, Term, Var
from fsmooth.core.types import F32, INT, Function, Type
from fsmooth.frontend import agreement
from fsmooth.frontend.text import builtins, forms, functions, recursion, tree
from fsmooth.frontend.text.joins import converted
from fsmooth.frontend.text.mistakes import TextError
from fsmooth.frontend.text.operators import operated
from fsmooth.frontend.text.sizes import TextSizes
from fsmooth.frontend.text.types import a, type_of
from fsmooth.frontend.text.values import Operator, Scope, Value

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
        self.definitions: dict[Var, Term] = {}
        self.required: list[Term] = []

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
            value = functions.typed(self, value, expected, node)
        if expected is not None and value.type != expected:
            fitted = converted(value, expected)
            if fitted is None:
                raise self.fail(f"{a(expected)} is wanted here, not {a(value.type)}", node)
            return fitted
        return value

    def value(self, node: tree.Node, scope: Scope, expected: Type | None = None) -> Value:
        """What an expression stands for: a term, or a function still to be inlined."""
        try:
            return _FORMS[type(node)](self, node, scope, expected)
        except IllTyped as error:
            raise self.fail(str(error), node) from None

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

    def on_arrays(self, name: str, arguments: list[Term]) -> Term | None:
        """A primitive, a function of numbers, on arrays: None here, where the library is not known."""
        return None

    def operate(self, operator: str, operands: list[Term], node: tree.Node) -> Term:
        """The infix or prefix operator on terms."""
        result = operated(operator, operands)
        if result is None:
            raise self.fail(f"`{operator}` between {' and '.join([repr(o.type) for o in operands])}", node)
        return result

    def requirement(self, node: tree.Requirement, scope: Scope, expected: Type | None) -> Term:
        """`require c, numbers… in e`."""
        return forms.requirement(self, node, scope, expected)

    # -- names and functions ------------------------------------------------------------------------------------

    def definition(self, node: tree.Binding, scope: Scope) -> Value:
        """The value of one let."""
        return self.value(node.value, scope)

    def bound(self, name: str, value: Term, bindings: list[tuple[Var, Term]]) -> Var:
        """A fresh variable for `value`, bound last."""
        variable = Var(name, value.type)
        bindings.append((variable, value))
        self.definitions[variable] = value
        return variable

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

    def matching(self, function: tree.Fun, count: int, node: tree.Node) -> tree.Fun:
        """`function` itself if it has `count` parameters."""
        if len(function.parameters) != count:
            raise self.fail(f"{count} arguments for {len(function.parameters)} parameters", node)
        return function

    def call(self, head: Value, values: list[Value], node: tree.Node) -> Term:
        """Any kind of function applied to values."""
        return functions.call(self, head, values, node)

    # -- sizes --------------------------------------------------------------------------------------------------

    def length(self, array: Term, axis: int) -> Term:
        """`length array axis`."""
        return Length(array, axis)

    def size(self, node: tree.Node, scope: Scope) -> Term:
        """How many: of elements, of steps."""
        return self.term(node, scope, INT)

    def within(self, index: Term, size: Term) -> Term:
        """An index into so many elements: as it is written, the core's."""
        return index

    def alike(self, value: Term, model: Term, node: tree.Node, what: str) -> Term:
        """`value`, which exists only if its arrays have the sizes of those of `model`."""
        return agreement.alike(TextSizes(self, node), value, model, what)

    def rectangular(self, array: Term, node: tree.Node) -> Term:
        """An array (or a sum of arrays) made element by element, if the sizes of all elements are the same."""
        agreement.rectangular(TextSizes(self, node), array)
        return array

    def steady(self, fold: agreement.Steps, node: tree.Node) -> tuple[Term, Term]:
        """The initial state and the step, which exist only if no array changes its size."""
        (init,), step = agreement.steady(TextSizes(self, node), fold)
        return init, step


_FORMS: dict[type, Callable[[Elaborator, Any, Scope, Type | None], Value]] = {
    tree.Name: forms.name,
    tree.Number: forms.number,
    tree.Section: forms.section,
    tree.Fun: functions.fun,
    tree.Binding: forms.binding,
    tree.Recursion: recursion.letrec,
    tree.Conditional: forms.conditional,
    tree.Requirement: lambda elaborator, *place: elaborator.requirement(*place),
    tree.Collect: forms.collect,
    tree.Operation: forms.operation,
    tree.Index: forms.index,
    tree.Project: forms.project,
    tree.MakeTuple: forms.make_tuple,
    tree.Display: forms.display,
    tree.Apply: functions.apply,
}
