"""The law in the heading of a rule, read: `left ~> right where conditions`, in F̃ text (rewrite/strategy.py, `rule`)."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache

from fsmooth.core.types import Type
from fsmooth.frontend.text import parse
from fsmooth.frontend.text.parser import parse_tree
from fsmooth.frontend.text.tree import Apply, Name, Node
from fsmooth.optimise import rules
from fsmooth.rewrite.strategy import REGISTRY, Rule

EXAMPLES = "examples:"


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


@dataclass(frozen=True, eq=False)
class Equation:
    """One law.  `arity` counts the arguments of each metavariable; `known` are conditions that hold at the place."""

    left: str
    right: str
    arity: dict[str, int]
    kinds: dict[str, Kind]
    types: dict[str, Type]
    known: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.left} ~> {self.right}"


def by_examples(rule: Rule) -> bool:
    """Is the rule no equation, so that examples have to say what it does?"""
    return rule.law.startswith(EXAMPLES)


@cache
def equations(rule: Rule) -> list[Equation]:
    """The equations in the heading of a rule."""
    return [] if by_examples(rule) else [_equation(law.strip()) for law in rule.law.split(";")]


def _equation(law: str) -> Equation:
    law, _, where = law.partition(" where ")
    left, right = law.split(" ~> ")
    kinds: dict[str, Kind] = {}
    types: dict[str, Type] = {}
    known = []
    for condition in where.split(" and ") if where else []:
        if described := re.fullmatch(r"(\w+(?:, \w+)*) (?:is|are) (?:a )?(\w+?)s?", condition):
            for name in described[1].split(", "):
                kinds[name] = Kind(described[2])
        elif typed := re.fullmatch(r"(\w+) : (.+)", condition):
            types[typed[1]] = parse(f"fun (x : {typed[2]}) -> x").type.parameters[0]  # type: ignore[union-attr]
        else:
            known.append(condition)
    arity: dict[str, int] = {}
    for text in (left, right, *known):
        for name, count in _metavariables(parse_tree(text), frozenset()):
            assert arity.setdefault(name, count) == count, f"{name} has {count} arguments in {law}"
    return Equation(left, right, arity, kinds, types, tuple(known))


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
