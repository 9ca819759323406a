"""F̃ text to its surface tree: an LALR(1) parser driven by the tables of `grammar.lark`.

It keeps its own stack, so that programs may be as long and as deep as one likes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import cast

from msgspec.structs import replace

from fsmooth.frontend.text import tree
from fsmooth.frontend.text.lexer import Token, laid_out, tokens
from fsmooth.frontend.text.mistakes import TextError
from fsmooth.frontend.text.tables import tables
from fsmooth.frontend.text.tree import Node

Nodes = tuple[Node, ...]


def parse_tree(text: str) -> Node:
    """The surface tree of a program; a `tree.Module` if it is definitions only.

    Raises:
        TextError: where the text stops being F̃.

    >>> parse_tree("fun x -> x + 1").parameters[0].name
    'x'

    """
    found = tokens(text)
    lets = sum([t.kind in ("LET", "REQUIRE") for t in found])
    if sum([t.kind == "IN" for t in found]) < lets:
        return _parse(text, laid_out(text, found))
    try:
        return _parse(text, found)
    except TextError as explicit:
        try:
            return _parse(text, laid_out(text, found))
        except TextError as error:
            raise max(explicit, error, key=_place) from None


def _place(error: TextError) -> tuple[int, int]:
    return error.line, error.column


def _parse(text: str, found: list[Token]) -> Node:
    start, final, rules, shift, reduce = tables()
    states, values = [start], cast(list[object], [])
    for token in found:
        kind = token.kind
        while True:
            state = states[-1]
            target = shift[state].get(kind)
            if target is not None:
                states.append(target)
                values.append(token)
                break
            number = reduce[state].get(kind)
            if number is None:
                raise _unexpected(text, token, state)
            origin, length, action = rules[number]
            if action:
                parts = values[-length:]
                del values[-length:]
                values.append(_ACTIONS[action](*parts))
            del states[-length:]
            states.append(shift[states[-1]][origin])
            if states[-1] == final and kind == "$END":
                return cast(Node, values[0])
    raise AssertionError("the last token is $END")


def _unexpected(text: str, token: Token, state: int) -> TextError:
    _, _, _, shift, reduce = tables()
    wanted = {*shift[state], *reduce[state]}
    if token.kind == "$END":
        message = "the text ends before the program does"
    elif token.kind == "IN" and not token.text:
        message = "the bound expression ends here, by the layout, but it is not complete"
    else:
        message = f"`{token.text}` cannot stand here"
    if "IN" in wanted and token.kind != "IN":
        message += "; a let goes on with `in`, or on a new line under the `let`"
    elif "NAME" in wanted and "INT" in wanted:
        message += "; an expression was expected"
    elif len(shown := [_SHOWN[w] for w in sorted(wanted) if w in _SHOWN]) == 1:
        message += f"; {shown[0]} was expected"
    return TextError(message, text, token.start, token.end)


_SHOWN = {
    "THEN": "`then`",
    "ELSE": "`else`",
    "ARROW": "`->`",
    "EQ": "`=`",
    "RPAR": "`)`",
    "RBRACKET": "`]`",
    "RBRACE": "`}`",
    "NAME": "a name",
}


# -- actions: one for each named alternative of the grammar ----------------------------------------------------------


def _binary(left: Node, operator: Token, right: Node) -> Node:
    return tree.Operation(left.start, right.end, operator.text, (left, right))


def _negative(minus: Token, operand: Node) -> Node:
    if isinstance(operand, tree.Number) and not operand.grouped and operand.value >= 0:
        return tree.Number(minus.start, operand.end, -operand.value, operand.single)
    if isinstance(operand, tree.Name) and operand.name in ("inf", "inff"):
        return tree.Number(minus.start, operand.end, -math.inf, operand.name == "inff")
    return tree.Operation(minus.start, operand.end, "-", (operand,))


def _real(token: Token) -> Node:
    single = token.text.endswith("f")
    return tree.Number(token.start, token.end, float(token.text.rstrip("f")), single)


def _group(opening: Token, inner: Node, closing: Token) -> Node:
    """What is in the brackets; its place has them in it, so that what ends with it ends with them."""
    if isinstance(inner, tree.Number):
        return replace(inner, start=opening.start, end=closing.end, grouped=True)
    return replace(inner, start=opening.start, end=closing.end)


def _none(opening: Token, closing: Token) -> list[Node]:
    return []


def _single(item: Node) -> list[Node]:
    return [item]


def _two(first: Node, comma: Token, second: Node) -> list[Node]:
    return [first, second]


def _append(items: list[Node], comma: Token, item: Node) -> list[Node]:
    items.append(item)
    return items


def _more(items: list[Node], item: Node) -> list[Node]:
    items.append(item)
    return items


def _first_field(name: Token, equals: Token, item: Node) -> list[tuple[Token, Node]]:
    return [(name, item)]


def _next_field(
    fields: list[tuple[Token, Node]], comma: Token, name: Token, equals: Token, item: Node
) -> list[tuple[Token, Node]]:
    fields.append((name, item))
    return fields


def _record(opening: Token, fields: list[tuple[Token, Node]], closing: Token) -> Node:
    names = tuple([name.text for name, _ in fields])
    return tree.MakeTuple(opening.start, closing.end, tuple([item for _, item in fields]), names)


def _collect(
    collect: Token, count: Node, o: Token, generators: list[tuple[Token, Node]], c: Token, guard: Node, body: Node
) -> Node:
    named = tuple([(name.text, size) for name, size in generators])
    return tree.Collect(collect.start, body.end, count, named, guard, body)


def _record_type(opening: Token, fields: list[tuple[Token, Node]], closing: Token) -> Node:
    names = tuple([name.text for name, _ in fields])
    return tree.TupleType(opening.start, closing.end, tuple([item for _, item in fields]), names)


def _definition(
    let: Token, name: Token, equals: Token, value: Node, in_: Token, rest: tree.Module | None = None
) -> tree.Module:
    """Definitions come last first, so each is put before those already there; `parse_tree` needs them few."""
    later = rest.definitions if rest is not None else ()
    return tree.Module(let.start, value.end, ((name.text, value), *later))


def _function_type(parameter: Node, arrow: Token, result: Node) -> Node:
    """`(A, B) => C` has two parameters, and so has `A => B => C`: no function gives a function."""
    if isinstance(parameter, tree.TupleType) and parameter.names is None:
        return tree.FunctionType(parameter.start, result.end, parameter.items, result)
    if isinstance(result, tree.FunctionType):
        return tree.FunctionType(parameter.start, result.end, (parameter, *result.parameters), result.result)
    return tree.FunctionType(parameter.start, result.end, (parameter,), result)


_ACTIONS: dict[str, Callable[..., object]] = {
    "module": lambda m: m,
    "first_definition": _definition,
    "next_definition": _definition,
    "let": lambda let, x, eq, e, in_, b: tree.Binding(let.start, b.end, (x.text,), None, e, b),
    "let_typed": lambda let, x, c, t, eq, e, in_, b: tree.Binding(let.start, b.end, (x.text,), t, e, b),
    "let_tuple": lambda let, o, xs, c, eq, e, in_, b: tree.Binding(
        let.start, b.end, tuple([x.text for x in xs]), None, e, b
    ),
    "letrec": lambda letrec, cs, in_, b: tree.Recursion(letrec.start, b.end, tuple(cs), b),
    "clause": lambda x, ps, c, t, eq, e: tree.Clause(x.start, e.end, x.text, tuple(ps), t, e),
    "fun": lambda fun, ps, arrow, b: tree.Fun(fun.start, b.end, tuple(ps), b),
    "conditional": lambda i, c, t, a, e, b: tree.Conditional(i.start, b.end, c, a, b),
    "require": lambda r, cs, in_, b: tree.Requirement(r.start, b.end, cs[0], tuple(cs[1:]), b),
    "require_kind": lambda r, k, cs, in_, b: tree.Requirement(r.start, b.end, cs[0], tuple(cs[1:]), b, k.text),
    "collect": _collect,
    "none": _none,
    "single": _single,
    "two": _two,
    "append": _append,
    "more": _more,
    "parameter": lambda x: tree.Parameter(x.start, x.end, x.text),
    "parameter_typed": lambda o, x, colon, t, c: tree.Parameter(o.start, c.end, x.text, t),
    "binary": _binary,
    "negative": _negative,
    "negation": lambda n, e: tree.Operation(n.start, e.end, "!", (e,)),
    "apply": lambda f, xs: tree.Apply(f.start, xs[-1].end, f, tuple(xs)),
    "index": lambda a, o, xs, c: tree.Index(a.start, c.end, a, tuple(xs)),
    "index_one": lambda a, o, xs, comma, c: tree.Index(a.start, c.end, a, tuple(xs), True),
    "index_none": lambda a, o, c: tree.Index(a.start, c.end, a, ()),
    "project": lambda e, p: tree.Project(e.start, p.end, e, int(p.text[1:])),
    "field": lambda e, p: tree.Project(e.start, p.end, e, p.text[1:]),
    "name": lambda x: tree.Name(x.start, x.end, x.text),
    "integer": lambda x: tree.Number(x.start, x.end, int(x.text)),
    "real": _real,
    "section": lambda x: tree.Section(x.start, x.end, x.text[1:-1].strip()),
    "unit": lambda o, c: tree.MakeTuple(o.start, c.end, ()),
    "group": _group,
    "tuple_one": lambda o, e, comma, c: tree.MakeTuple(o.start, c.end, (e,)),
    "tuple": lambda o, e, comma, es, *c: tree.MakeTuple(o.start, c[-1].end, (e, *es)),
    "display": lambda o, es, c: tree.Display(o.start, c.end, tuple(es)),
    "record": _record,
    "first_field": _first_field,
    "next_field": _next_field,
    "type_function": _function_type,
    "type_linear": lambda a, arrow, b: tree.LinearType(a.start, b.end, a, b),
    "type_pair": lambda a, star, b: tree.TupleType(a.start, b.end, (a, b)),
    "type_name": lambda x: tree.NamedType(x.start, x.end, x.text),
    "type_array": lambda x, o, t, c: tree.NamedType(x.start, c.end, x.text, t),
    "type_unit": lambda o, c: tree.TupleType(o.start, c.end, ()),
    "type_group": lambda o, t, c: tree.GroupType(o.start, c.end, t),
    "type_one": lambda o, t, comma, c: tree.TupleType(o.start, c.end, (t,)),
    "type_tuple": lambda o, ts, c: tree.TupleType(o.start, c.end, tuple(ts)),
    "type_record": _record_type,
}
