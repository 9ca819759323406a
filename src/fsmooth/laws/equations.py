"""A law as text, read: `left ~> right where conditions`, in F̃ text (rewrite/strategy.py, `Rule`)."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from enum import Enum
from functools import cache

from msgspec import Struct

from fsmooth.core.types import Type
from fsmooth.errors import LawError
from fsmooth.frontend.text import TextError, parse
from fsmooth.frontend.text.parser import parse_tree
from fsmooth.frontend.text.tree import Apply, Name, Node
from fsmooth.optimise import rules
from fsmooth.rewrite.strategy import REGISTRY, Rule

EXAMPLES = "examples:"
ARROW = "~>"
UNSAID = "…"
"""The right side of a law that a function in Python makes."""


def all_rules() -> list[Rule]:
    """Every rule of every module of optimise/rules."""
    for module in pkgutil.iter_modules(rules.__path__, f"{rules.__name__}."):
        importlib.import_module(module.name)
    return list(REGISTRY.values())


class Kind(Enum):
    """What `where` can say of the term that a metavariable stands for."""

    VARIABLE = "variable"
    TOTAL = "total"
    SMALL = "small"
    STRICT = "strict"


class Equation(Struct, frozen=True, eq=False):
    """One law.  `arity` counts the arguments of each metavariable; `known` are conditions that hold at the place."""

    left: str
    right: str
    arity: dict[str, int]
    kinds: dict[str, Kind]
    types: dict[str, Type]
    known: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.left} {ARROW} {self.right}"


def by_examples(rule: Rule) -> bool:
    """Is the rule no equation, so that examples have to say what it does?"""
    return rule.law.startswith(EXAMPLES)


@cache
def equations(rule: Rule) -> list[Equation]:
    """The equations in the heading of a rule."""
    return [] if by_examples(rule) else read(rule.law)


def read(law: str) -> list[Equation]:
    """The equations of a text, which `;` separates.

    Raises:
        LawError: for what is no law, at the part that is wrong.

    """
    return [_equation(" ".join(part.split())) for part in law.split(";")]


def _equation(law: str) -> Equation:
    law, _, where = law.partition(" where ")
    sides = [side.strip() for side in law.split(ARROW)]
    if len(sides) != 2 or not all(sides):
        hint = f'write "left {ARROW} right", or "left {ARROW} right where condition and condition"'
        raise LawError(f"{law!r} is no law\n  hint: {hint}")
    left, right = sides
    if right == UNSAID:
        right = left
    kinds: dict[str, Kind] = {}
    types: dict[str, Type] = {}
    known = []
    for condition in where.split(" and ") if where else []:
        if described := re.fullmatch(r"(\w+(?:, \w+)*) (?:is|are) (?:a )?(\w+?)s?", condition):
            for name in described[1].split(", "):
                kinds[name] = _kind(described[2], condition)
        elif typed := re.fullmatch(r"(\w+) : (.+)", condition):
            types[typed[1]] = _type(typed[2])
        else:
            known.append(condition)
    arity: dict[str, int] = {}
    for text in (left, right, *known):
        for name, count in _metavariables(_tree(text), frozenset()):
            if arity.setdefault(name, count) != count:
                raise LawError(f"{name} has {arity[name]} arguments at one place, and {count} at another, in {law!r}")
    return Equation(left, right, arity, kinds, types, tuple(known))


def _kind(word: str, condition: str) -> Kind:
    known = {kind.value: kind for kind in Kind}
    if word not in known:
        raise LawError(
            f"{condition!r} says nothing that is known\n  hint: a term is a variable, total, small or strict"
        )
    return known[word]


def _type(text: str) -> Type:
    try:
        return parse(f"fun (x : {text}) -> x").type.parameters[0]  # type: ignore[union-attr]
    except TextError as error:
        raise LawError(f"{text!r} is no type\n  hint: write Float, Int, Bool, Array<Float>, (Float, Int), …") from error


def _tree(text: str) -> Node:
    try:
        return parse_tree(text)
    except TextError as error:
        raise LawError(str(error)) from error


def _metavariables(node: object, bound: frozenset[str]) -> Iterator[tuple[str, int]]:
    """Names of one letter that nothing binds, with the number of arguments that they are applied to."""
    match node:
        case Apply(function=Name(name=name), arguments=arguments) if len(name) == 1:
            if name not in bound:
                yield name, len(arguments)
            for argument in arguments:
                yield from _metavariables(argument, bound)
        case Name(name=name):
            if len(name) == 1 and name not in bound:
                yield name, 0
        case Node():
            inner = bound | frozenset(_binders(node))
            for field in node.__struct_fields__:
                part = getattr(node, field)
                for item in part if isinstance(part, tuple) else (part,):
                    outside = field == "value"
                    yield from _metavariables(item, bound if outside else inner)
        case _:
            return


def _binders(node: Node) -> Iterator[str]:
    names = getattr(node, "names", None) or ()
    yield from names
    for parameter in getattr(node, "parameters", ()):
        yield parameter.name
