"""Text to term in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fsmooth.core.term import Term, Var
from fsmooth.core.types import Type
from fsmooth.frontend.text import tree
from fsmooth.frontend.text.elaborate import Elaborator
from fsmooth.frontend.text.parser import parse_tree
from fsmooth.frontend.text.values import Scope


def parse(
    text: str,
    environment: Mapping[str, Var | Type] | None = None,
    expected: Type | None = None,
    elaborator: Callable[[str], Elaborator] = Elaborator,
) -> Term:
    """The core term that `text` writes.

    `environment` gives the free names: a variable to use, or a type to make one of.  `expected` is the type
    of the whole, if it is known: that of a function types its parameters.  A text of definitions only means
    the last of them.  `elaborator` makes what elaborates the tree (the library M̃ passes one that knows its names).

    An access `a[i]` is the core's, without a check.

    Raises:
        TextError: with the line, and a caret under what is wrong in it.

    >>> from fsmooth.core.types import F64
    >>> parse("fun (x : Float) -> x + 1").type
    (Float) => Float
    >>> parse("x + true", {"x": F64})
    Traceback (most recent call last):
    fsmooth.frontend.text.mistakes.TextError: line 1: `+` between Float and Bool
        x + true
        ^^^^^^^^

    """
    scope: Scope = {}
    for name, given in (environment or {}).items():
        scope[name] = given if isinstance(given, Var) else Var(name, given)
    node = parse_tree(text)
    return elaborator(text).term(body_of(node), scope, expected)


def body_of(node: tree.Node) -> tree.Node:
    """The expression of a program: of a module, its last definition in the scope of those before."""
    if not isinstance(node, tree.Module):
        return node
    *before, (_, result) = node.definitions
    for name, value in reversed(before):
        result = tree.Binding(value.start, result.end, (name,), None, value, result)
    return result
