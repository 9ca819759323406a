"""Clauses of the lambda calculus: constants, names, scopes, branches, primitives, tuples, requirements."""

from __future__ import annotations

from fsmooth.backend.futhark.code import AND, ATOM, COMPARE, LINE, LOW, OR, Code, Items, bracketed, indented, tupled
from fsmooth.backend.futhark.marks import covered
from fsmooth.backend.futhark.scope import After, Branch, Closure, Scope, as_code, component_of, path, pattern
from fsmooth.backend.futhark.spelling import constant, spelled
from fsmooth.backend.futhark.writer import Writer
from fsmooth.core.term import (
    App,
    Check,
    Const,
    Custom,
    Get,
    If,
    Lam,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Require,
    Term,
    Var,
)
from fsmooth.core.types import Bool, Tuple, has_array


def const(writer: Writer, term: Const, scope: Scope, after: After | None) -> Code:
    return constant(term.value, term.type)


def var(writer: Writer, term: Var, scope: Scope, after: After | None) -> Code:
    named = scope.names.get(term)
    if named is None:
        writer.refuse("Lam")
    return as_code(named, ATOM)


def prim(writer: Writer, term: Prim, scope: Scope, after: After | None) -> Code:
    codes = []
    for k, argument in enumerate(term.arguments):
        others = (*term.arguments[:k], *term.arguments[k + 1 :])
        codes.append(writer.code(argument, scope, After(others, after)))
    code = spelled(term.primitive, term.arguments, codes, writer.helper)
    if code is None:
        writer.refuse(term.primitive.name)
    return code


def let(writer: Writer, term: Let, scope: Scope, after: After | None) -> Code:
    with scope.restored():
        for k, (x, value) in enumerate(term.bindings):
            later = (*[e for _, e in term.bindings[k + 1 :]], term.body)
            writer.bind(x, value, scope, After(later, after))
        return writer.code(term.body, scope, after)


def if_(writer: Writer, term: If, scope: Scope, after: After | None) -> Code:
    sizes = writer.shape(term, scope) if has_array(term.type) else None
    condition = writer.code(term.condition, scope, After((term.then, term.otherwise), after))
    if isinstance(term.type, Bool) and isinstance(term.otherwise, Const) and not term.otherwise.value:
        return _both(writer, condition, term.then, scope, after)
    if isinstance(term.type, Bool) and isinstance(term.then, Const) and term.then.value:
        return _either(writer, condition, term.otherwise, scope, after)
    if sizes is None and isinstance(term.type, Tuple):
        sizes = writer.shape(term, scope)
    then, otherwise = [writer.block(t, scope.branch(), sizes, after) for t in (term.then, term.otherwise)]
    return chosen(condition, then, otherwise)


def chosen(condition: Code, then: Code, otherwise: Code) -> Code:
    """`if condition then … else …`, on a line or on three."""
    aliases = then.aliases | otherwise.aliases
    line = f"if {condition.at(OR)} then {then.at(OR)} else {otherwise.at(OR)}"
    if len(line) <= LINE and "\n" not in line:
        return Code(line, LOW, then.sizes, aliases)
    text = f"if {condition.at(OR)}\nthen {indented(then.at(OR), 5)}\nelse {indented(otherwise.at(OR), 5)}"
    return Code(text, LOW, then.sizes, aliases)


def _both(writer: Writer, left: Code, right: Term, scope: Scope, after: After | None) -> Code:
    inner = scope.branch()
    code = writer.code(right, inner, after)
    if inner.lines:
        return chosen(left, Code(inner.block(code.text), LOW), Code("false", ATOM))
    return Code(f"{left.at(AND)} && {code.at(COMPARE)}", AND)


def _either(writer: Writer, left: Code, right: Term, scope: Scope, after: After | None) -> Code:
    inner = scope.branch()
    code = writer.code(right, inner, after)
    if inner.lines:
        return chosen(left, Code("true", ATOM), Code(inner.block(code.text), LOW))
    return Code(f"{left.at(OR)} || {code.at(AND)}", OR)


def app(writer: Writer, term: App, scope: Scope, after: After | None) -> Code:
    """The body of the function, with its parameters bound: what is called is always known."""
    function: Term = term.function
    while isinstance(function, Custom):
        function = function.function
    match function:
        case Let(bindings, body):
            given = tuple([Var("x", a.type) for a in term.arguments])
            with scope.restored():
                _bind_arguments(writer, given, function, term.arguments, scope, after)
                return writer.code(Let(bindings, App(body, given)), scope, after)
        case Lam(parameters, body):
            with scope.restored():
                _bind_arguments(writer, parameters, body, term.arguments, scope, after)
                return writer.code(body, scope, after)
        case Var() if function in scope.functions:
            return _called(writer, scope.functions[function], term.arguments, scope, after)
        case _:
            writer.refuse("Lam")


def _called(writer: Writer, closure: Closure, arguments: tuple[Term, ...], scope: Scope, after: After | None) -> Code:
    """A function with a name: its arguments mean what they mean here, its body what it means where it is written."""
    stands_for = tuple([Var("x", a.type) for a in arguments])
    with scope.restored():
        _bind_arguments(writer, stands_for, closure.function, arguments, scope, after)
        scope.names = {**closure.names, **{x: scope.names[x] for x in stands_for if x in scope.names}}
        scope.functions = {**closure.functions, **{x: scope.functions[x] for x in stands_for if x in scope.functions}}
        return writer.code(App(closure.function, stands_for), scope, after)


def _bind_arguments(
    writer: Writer,
    parameters: tuple[Var, ...],
    body: Term,
    arguments: tuple[Term, ...],
    scope: Scope,
    after: After | None,
) -> None:
    """Arguments do not see parameters: all are written first."""
    fresh = [Var(q.name, q.type) for q in parameters]
    for k, (x, argument) in enumerate(zip(fresh, arguments, strict=True)):
        writer.bind(x, argument, scope, After((*arguments[k + 1 :], body), after))
    for q, x in zip(parameters, fresh, strict=True):
        if x in scope.functions:
            scope.functions[q] = scope.functions[x]
        else:
            scope.names[q] = scope.names[x]


def make_tuple(writer: Writer, term: MakeTuple, scope: Scope, after: After | None) -> Code:
    codes = []
    for k, item in enumerate(term.items):
        others = (*term.items[:k], *term.items[k + 1 :])
        codes.append(writer.code(item, scope, After(others, after)))
    sizes = Items(tuple([c.sizes for c in codes]))
    aliases = frozenset().union(*[c.aliases for c in codes])
    if len(codes) == 1:
        return Code(codes[0].text, codes[0].level, sizes, aliases)
    line = tupled([c.at(OR) for c in codes])
    if len(line) > LINE or "\n" in line:
        line = "( " + "\n, ".join([indented(c.at(OR)) for c in codes]) + "\n)"
    return Code(line, ATOM, sizes, aliases)


def proj(writer: Writer, term: Proj, scope: Scope, after: After | None) -> Code:
    named = path(term, scope)
    if named is not None:
        return as_code(named, ATOM)
    if isinstance(term.tuple, MakeTuple):
        return writer.code(term.tuple.items[term.position], scope, after)
    whole = writer.code(term.tuple, scope, after)
    assert isinstance(term.tuple.type, Tuple)
    sizes = component_of(whole.sizes, term.position)
    if len(term.tuple.type.items) == 1:
        return Code(whole.text, whole.level, sizes, whole.aliases)
    if isinstance(term.tuple, Get) or whole.text.isidentifier():
        return Code(f"({whole.text}).{term.position}", ATOM, sizes, whole.aliases)
    apart = writer.named(f"part_{term.position}", term.tuple.type, whole.sizes)
    assert isinstance(apart, Branch)
    writer.line(pattern(apart), whole.text, scope)
    return as_code(apart.items[term.position], ATOM)


def check(writer: Writer, term: Check, scope: Scope, after: After | None) -> Code:
    index = writer.atom(term.index, scope, after, "i")
    size = writer.size(term.size, scope)
    writer.checked = True
    return Code(f"assert (0 <= {index.text} && {index.text} < {size}) {index.text}", LOW)


def require(writer: Writer, term: Require, scope: Scope, after: After | None) -> Code:
    condition = writer.code(term.condition, scope, After((term.body,), after))
    sizes = writer.shape(term, scope)
    body, is_checked = writer.watched(lambda: writer.block(term.body, scope.branch(), sizes, after))
    writer.checked = True
    inner = body.text if is_checked else covered(body.text)
    text = inner if body.level == ATOM and "\n" not in inner else bracketed(inner)
    gap = "\n" if len(text) + len(condition.text) > LINE or "\n" in text else " "
    return Code(f"assert {condition.atom}{gap}{text}", LOW, body.sizes, body.aliases)


def custom(writer: Writer, term: Custom, scope: Scope, after: After | None) -> Code:
    return writer.code(term.function, scope, after)


def lam(writer: Writer, term: Lam, scope: Scope, after: After | None) -> Code:
    writer.refuse("Lam")
