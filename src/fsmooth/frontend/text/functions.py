"""Functions, and what is applied: functions written on the spot, known ones, those built in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsmooth.core import primitives as p
from fsmooth.core.term import App, Deriv, Lam, Term, Var, Verb, let
from fsmooth.core.types import Function, Type
from fsmooth.frontend.text import builtins, derivatives, tree
from fsmooth.frontend.text.joins import applied, converted
from fsmooth.frontend.text.operators import SYMBOLS
from fsmooth.frontend.text.types import a, type_of
from fsmooth.frontend.text.values import Closure, Native, Operator, Scope, Value, is_path

if TYPE_CHECKING:
    from fsmooth.frontend.text.elaborate import Elaborator

_VERBS = {verb.value: verb for verb in Verb}


def fun(elaborator: Elaborator, node: tree.Fun, scope: Scope, expected: Type | None) -> Value:
    """A `Lam` if the types of all parameters are known, else a closure."""
    if all([q.type is not None for q in node.parameters]):
        types = tuple([type_of(q.type, elaborator.text) for q in node.parameters if q.type is not None])
        return elaborator.lam(node, scope, types)
    if isinstance(expected, Function) and len(expected.parameters) == len(node.parameters):
        return elaborator.lam(node, scope, expected.parameters)
    return Closure(node, dict(scope), elaborator.text)


def apply(elaborator: Elaborator, node: tree.Apply, scope: Scope, expected: Type | None) -> Value:
    """An application: of a function written on the spot, of a known one, of one built in."""
    arguments = node.arguments
    if isinstance(node.function, tree.Index) and (verb := _verb(node.function, scope)) is not None:
        return derivatives.written_out(elaborator, verb, node, scope)
    if isinstance(node.function, tree.Fun):
        if not node.function.parameters and len(arguments) == 1 and derivatives.is_unit(arguments[0]):
            arguments = ()
        terms = [elaborator.term(a, scope) for a in arguments]
        written = elaborator.matching(node.function, len(terms), node)
        return App(elaborator.lam(written, scope, tuple([t.type for t in terms])), tuple(terms))
    if isinstance(node.function, tree.Name) and node.function.name not in scope:
        name = node.function.name
        if name in builtins.FORMS:
            result = builtins.FORMS[name](elaborator, node, scope)
            if result is not None:
                return result
    head = elaborator.value(node.function, scope)
    if isinstance(head, Term):
        return _apply_term(elaborator, head, node, scope)
    return call(elaborator, head, [elaborator.value(a, scope) for a in arguments], node)


def _apply_term(elaborator: Elaborator, head: Term, node: tree.Apply, scope: Scope) -> Term:
    """A core function applied: the arguments are of the types that it wants, tangents in the shapes of values."""
    arguments = node.arguments
    if not isinstance(head.type, Function):
        raise elaborator.fail(f"{a(head.type)} is no function", node.function)
    wanted = head.type.parameters
    if not wanted and len(arguments) == 1 and derivatives.is_unit(arguments[0]):
        arguments = ()
    if len(wanted) != len(arguments):
        raise elaborator.fail(f"{len(arguments)} arguments for {head.type!r}", node)
    terms = [elaborator.term(a, scope, w) for a, w in zip(arguments, wanted, strict=True)]
    known = elaborator.definitions.get(head) if isinstance(head, Var) else head
    if isinstance(known, Deriv) and known.verb is Verb.JVP:
        first = len(terms) - len(known.wrt)
        for k, position in enumerate(known.wrt, first):
            what = "a tangent has the shape of its argument"
            terms[k] = elaborator.alike(terms[k], terms[position], arguments[k], what)
    return App(head, tuple(terms))


def _verb(node: tree.Index, scope: Scope) -> Verb | None:
    """The verb of `grad[0]`, if that is what is written."""
    if not isinstance(node.array, tree.Name) or node.array.name in scope:
        return None
    return _VERBS.get(node.array.name)


# -- calls with values -----------------------------------------------------------------------------------------------


def call(elaborator: Elaborator, head: Value, values: list[Value], node: tree.Node) -> Term:
    """Any kind of function applied to values.  A closure is inlined (paper 000, Fig. 8a)."""
    match head:
        case Operator():
            return _call_operator(elaborator, head, values, node)
        case Native():
            return _call_native(elaborator, head, values, node)
        case Closure():
            return _call_closure(elaborator, head, values, node)
    if not isinstance(head.type, Function) or len(head.type.parameters) != len(values):
        raise elaborator.fail(f"{len(values)} arguments for {a(head.type)}", node)
    wanted = zip(values, head.type.parameters, strict=True)
    return App(head, tuple([_given(elaborator, v, w, node) for v, w in wanted]))


def _call_closure(elaborator: Elaborator, head: Closure, values: list[Value], node: tree.Node) -> Term:
    if len(head.function.parameters) != len(values):
        wanted = len(head.function.parameters)
        raise elaborator.fail(f"{head.name} takes {wanted} argument{'s' * (wanted != 1)}, not {len(values)}", node)
    bound: list[tuple[Var, Term]] = []
    passed: list[Value] = []
    for parameter, value in zip(head.function.parameters, values, strict=True):
        if isinstance(value, Term) and not is_path(value) and head.uses_of(parameter.name) > 1:
            passed.append(elaborator.bound(parameter.name, value, bound))
        else:
            passed.append(value)
    outside, elaborator.text = elaborator.text, head.text
    body = elaborator.body(head.function, head.scope, passed)
    elaborator.text = outside
    return let(bound, body)


def _call_native(elaborator: Elaborator, head: Native, values: list[Value], node: tree.Node) -> Term:
    """A Python function on values; what it refuses with a `TypeError` is a mistake in the text."""
    try:
        return head.function(values)
    except TypeError as error:
        raise elaborator.fail(str(error), node) from None


def _call_operator(elaborator: Elaborator, head: Operator, values: list[Value], node: tree.Node) -> Term:
    """`sin`, `pair`, `(+)` applied as values."""
    terms = [v for v in values if isinstance(v, Term)]
    if len(terms) == len(values):
        if head.name in p.TABLE:
            result = applied(p.TABLE[head.name], terms) or elaborator.on_arrays(head.name, terms)
            if result is not None:
                return result
        elif head.name in builtins.ON_TERMS:
            return builtins.ON_TERMS[head.name](elaborator, node, *terms)
        elif head.name in SYMBOLS:
            return elaborator.operate(head.name, terms, node)
    shown = ", ".join([repr(v.type) if isinstance(v, Term) else "a function" for v in values])
    raise elaborator.fail(f"`{head.name}` of {shown}", node)


def _given(elaborator: Elaborator, value: Value, wanted: Type, node: tree.Node) -> Term:
    """A value as an argument of type `wanted`."""
    if not isinstance(value, Term):
        if not isinstance(wanted, Function):
            raise elaborator.fail(f"{a(wanted)} is wanted here, not a function", node)
        return typed(elaborator, value, wanted, node)
    fitted = converted(value, wanted)
    if fitted is None:
        raise elaborator.fail(f"{a(wanted)} is wanted here, not {a(value.type)}", node)
    return fitted


def typed(elaborator: Elaborator, value: Value, wanted: Function, node: tree.Node) -> Lam:
    """A closure or operator as a `Lam` of a known type."""
    names = [q.name for q in value.function.parameters] if isinstance(value, Closure) else []
    names += [f"x{k}" for k in range(len(names), len(wanted.parameters))]
    variables = tuple([Var(n, t) for n, t in zip(names, wanted.parameters, strict=False)])
    result = call(elaborator, value, list(variables), node)
    return Lam(variables, _given(elaborator, result, wanted.result, node))
