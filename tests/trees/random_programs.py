"""Random data types, structural recursion over them, and trees with shared nodes, as the text of a Python module.

Types have one to four constructors, whose fields are numbers, integers, truth values, texts, arrays, nodes of any type,
optional nodes and lists of nodes.  A function for each type takes its nodes apart by match, isinstance or methods, and calls
the functions of the types of what is in them.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

HEAD = """from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple, Optional

import numpy as np

import fsmooth as fs
"""

SIZE = 2
"""Of the arrays that are equal in all nodes."""


@dataclass(frozen=True)
class Field:
    """A field: its kind, and the type of its nodes."""

    name: str
    kind: str
    of: int = 0

    @property
    def annotation(self) -> str:
        """As a user writes it."""
        return {
            "number": "float",
            "integer": "int",
            "truth": "bool",
            "text": 'Literal["p", "q", "r"]',
            "equal": 'fs.Array["d"]',
            "ragged": "np.ndarray",
            "floats": "list[float]",
            "node": f"T{self.of}",
            "optional": f"Optional[T{self.of}]",
            "children": f"list[T{self.of}]",
        }[self.kind]


@dataclass(frozen=True)
class Class:
    """A constructor."""

    name: str
    fields: tuple[Field, ...]
    is_tuple: bool


Types = list[list[Class]]

FLAT = ("number", "number", "number", "integer", "truth", "text", "equal", "ragged", "floats")
DEEP = ("node", "node", "optional", "children")
NAMES = (
    "x",
    "node",
    "n",
    "length",
    "start",
    "left",
    "count",
    "row",
    "s",
    "double",
    "tag",
    "i",
    "value",
    "self_",
    "rest",
)


def random_types(rng: random.Random) -> Types:
    """One to three types; the first constructor of each has no nodes that must be there."""
    count = rng.randint(1, 3)
    types: Types = []
    for t in range(count):
        classes = []
        for c in range(rng.randint(1, 4)):
            names = rng.sample(NAMES, rng.randint(0 if c else 1, 4))
            kinds = [rng.choice((*FLAT, *(DEEP[2:] if c == 0 else DEEP))) for _ in names]
            if c == 1 and names and not set(kinds) & set(DEEP):
                kinds[0] = rng.choice(DEEP)
            if c == 0 and t == 0:
                names, kinds = [*names, "below"], [*kinds, rng.choice(DEEP[2:])]
            of = [t if rng.random() < 0.7 else rng.randrange(count) for _ in names]
            if c == 0 and t == 0:
                of[-1] = 0  # a data type, and no record
            fields = tuple([Field(*f) for f in zip(names, kinds, of, strict=True)])
            classes.append(Class(f"C{t}{c}", fields, rng.random() < 0.3))
        types.append(classes)
    return types


def text_of_types(types: Types) -> str:
    """The classes."""
    lines = []
    for classes in types:
        for c in classes:
            lines += ["", "", *(["@dataclass"] if not c.is_tuple else [])]
            lines.append(f"class {c.name}{'(NamedTuple)' if c.is_tuple else ''}:")
            lines += [f"    {f.name}: {f.annotation}" for f in c.fields] or ["    pass"]
    for t, classes in enumerate(types):
        lines.append(f"T{t} = {' | '.join([c.name for c in classes])}")
    return "\n".join(lines) + "\n"


class Writer:
    """Functions over the types."""

    def __init__(self, rng: random.Random, types: Types) -> None:
        self.rng = rng
        self.types = types

    def module(self) -> str:
        """Everything; `main(t, u, x)` is the program, of two trees of the first and the last type, and a number."""
        functions = [self.function(t) for t in range(len(self.types))]
        last = len(self.types) - 1
        main = [
            "def main(t, u, x):",
            f"    return f0(t, x, 0) + math.sin(f{last}(u, 0.5 * x, 1)) * x",
            "",
            "",
            "def over_forest(ts, x):",
            "    total = 0.0",
            "    for k, t in enumerate(ts):",
            "        total = 0.5 * total + f0(t, x + k, k)",
            "    return total",
        ]
        return (
            HEAD + text_of_types(self.types) + "\n\n" + "\n\n\n".join(["\n".join(f) for f in [*functions, main]]) + "\n"
        )

    def function(self, t: int) -> list[str]:
        """A function of the nodes of a type: of a real number and an integer beside them."""
        style = self.rng.choice(("match", "keywords", "isinstance", "statements"))
        lines = [f"def f{t}(t, x, k):"]
        classes = self.types[t]
        if style == "statements":
            lines.append("    result = x")
            for c in classes:
                lines += [f"    if isinstance(t, {c.name}):", *self.body(c, "        ", "result = result * 0.5 +")]
            return [*lines, "    return result"]
        if style == "isinstance":
            for c in classes[:-1]:
                lines += [f"    if isinstance(t, {c.name}):", *self.body(c, "        ", "return")]
            others = len(self.types) > 1  # whose fields may have these names
            lines += [f"    if isinstance(t, {classes[-1].name}):"] if others else []
            lines += self.body(classes[-1], "        " if others else "    ", "return")
            return [*lines, "    return x"] if others else lines
        lines.append("    match t:")
        for j, c in enumerate(classes):
            names = {f.name: f"a{i}" for i, f in enumerate(c.fields)}
            given = ", ".join([n if style == "match" else f"{f}={n}" for f, n in names.items()])
            numbers = [n for f, n in zip(c.fields, names.values(), strict=True) if f.kind == "number"]
            if numbers and self.rng.random() < 0.3:
                lines.append(f"        case {c.name}({given}) if {numbers[0]} > {self.number()}:")
                lines += self.body(c, "            ", "return", names)
            lines.append(
                "        case _:"
                if j == len(classes) - 1 and self.rng.random() < 0.2
                else f"        case {c.name}({given}):"
            )
            known = None if lines[-1].endswith("_:") else names
            lines += self.body(c, "            ", "return", known)
        return lines

    def body(self, c: Class, indent: str, to: str, names: dict[str, str] | None = None) -> list[str]:
        """Statements that compute a number of the fields of a node."""
        lines, parts = [], [self.rng.choice(("x", "0.3 * x", "1.0", "0.1 * k"))]
        for f in c.fields:
            given = names[f.name] if names else f"t.{f.name}"
            own, more = self.part(f, given, f"v_{c.name}_{f.name}")
            lines += more
            parts.append(own)
        self.rng.shuffle(parts)
        total = parts[0]
        for part in parts[1:]:
            total = self.rng.choice(("({} + {})", "({} - {})", "({} * {})", "({} + 0.5 * {})")).format(total, part)
        wrapped = self.rng.choice(("math.sin({})", "math.tanh({})", "np.cos({})", "math.tanh({}) + 0.1 * x")).format(
            total
        )
        return [f"{indent}{line}" for line in [*lines, f"{to} {wrapped}"]]

    def number(self) -> float:
        """A number that no field has by chance."""
        return round(self.rng.uniform(-1.0, 1.0), 3)

    def called(self, of: int, node: str) -> str:
        """A call of the function of a type."""
        x = self.rng.choice(("x", "0.7 * x", "x + 0.25", "math.sin(x)", str(self.number())))
        return f"f{of}({node}, {x}, {self.rng.choice(('k', 'k + 1', '0'))})"

    def part(self, f: Field, given: str, own: str) -> tuple[str, list[str]]:
        """What a field adds, and statements before."""
        choose = self.rng.choice
        match f.kind:
            case "number":
                return choose((given, f"math.sin({given})", f"{given} * {given}", f"{given} * x")), []
            case "integer":
                return choose((f"0.1 * {given}", f"(x if {given} > 0 else 0.5)", f"{given} * x")), []
            case "truth":
                return f"(x if {given} else {self.number()})", []
            case "text":
                test = choose((f'{given} == "p"', f'{given} in ("q", "r")', f'{given} != "q"'))
                return f"(x * x if {test} else {self.number()})", []
            case "equal":
                return choose((f"np.sum({given} * {given})", f"{given}[1] * {given}[0]", f"({given} @ {given})")), []
            case "ragged" | "floats":
                return choose(
                    (f"sum(w * w for w in {given})", f"len({given}) * x", f"sum(math.sin(w) for w in {given})")
                ), []
            case "node":
                return choose(
                    (self.called(f.of, given), f"{self.called(f.of, given)} * {self.called(f.of, given)}")
                ), []
            case "optional":
                return self.optional(f, given, own)
            case _:
                return self.children(f, given, own)

    def optional(self, f: Field, given: str, own: str) -> tuple[str, list[str]]:
        """A node that may be None: as an expression, a branch, or a loop along it."""
        call = self.called(f.of, given)
        way = self.rng.randrange(4)
        if way == 0:
            return f"({self.number()} if {given} is None else {call})", []
        if way == 1:
            return f"({call} if {given} else x)", []
        if way == 2:
            return own, [f"{own} = x", f"if {given} is not None:", f"    {own} = {own} * {call}"]
        at = f"n_{own}"
        first = self.types[f.of][0]
        along = next((g.name for g in first.fields if g.kind == "optional" and g.of == f.of), None)
        numbers = [g.name for g in first.fields if g.kind == "number"]
        if along is None or not numbers:
            return f"(x if {given} == None else {call})", []  # noqa: E711  (text)
        lines = [
            f"{own}, {at} = x, {given}",
            f"while {at} is not None and isinstance({at}, {first.name}):",
            f"    {own} = math.tanh({own} + {at}.{numbers[0]})",
            f"    {at} = {at}.{along}",
        ]
        return own, lines

    def children(self, f: Field, given: str, own: str) -> tuple[str, list[str]]:
        """A list of nodes: a sum, or a loop over nodes, or over numbers."""
        way = self.rng.randrange(4)
        if way == 0:
            return f"sum({self.called(f.of, 'c')} for c in {given})", []
        if way == 1:
            return f"(len({given}) * x if {given} else 0.5)", []
        if way == 2:
            step = f"{own} = {own} * 0.5 + {self.called(f.of, 'c')}"
            return own, [f"{own} = x", f"for c in {given}:", f"    {step}"]
        step = f"{own} = math.sin({own}) + j * {self.called(f.of, f'{given}[j]')}"
        return own, [f"{own} = 0.25", f"for j in range(len({given})):", f"    {step}"]


class Planter:
    """Random trees of the types; some nodes are met again."""

    def __init__(self, rng: random.Random, types: Types, module: ModuleType) -> None:
        self.rng = rng
        self.types = types
        self.module = module
        self.made: dict[int, list[Any]] = {}

    def tree(self, t: int, depth: int) -> Any:
        """A node of a type."""
        known = self.made.setdefault(t, [])
        if known and self.rng.random() < 0.15:
            return self.rng.choice(known)
        c = self.types[t][0] if depth <= 0 else self.rng.choice(self.types[t])
        made = getattr(self.module, c.name)(*[self.value(f, depth - 1) for f in c.fields])
        known.append(made)
        return made

    def number(self) -> float:
        """A real number."""
        return self.rng.uniform(-1.5, 1.5)

    def value(self, f: Field, depth: int) -> Any:
        """The value of a field."""
        rng = self.rng
        match f.kind:
            case "number":
                return self.number()
            case "integer":
                return rng.randint(-2, 3)
            case "truth":
                return rng.random() < 0.5
            case "text":
                return rng.choice("pqr")
            case "equal":
                return np.array([self.number() for _ in range(SIZE)])
            case "ragged":
                return np.array([self.number() for _ in range(rng.randint(0, 3))])
            case "floats":
                return [self.number() for _ in range(rng.randint(0, 3))]
            case "node":
                return self.tree(f.of, depth)
            case "optional":
                return None if depth < -1 or rng.random() < 0.3 else self.tree(f.of, depth)
            case _:
                return [self.tree(f.of, depth) for _ in range(0 if depth < 0 else rng.randint(0, 3))]


@dataclass(frozen=True)
class Case:
    """A program with arguments."""

    seed: int
    text: str
    program: Callable[..., Any]
    arguments: tuple[Any, ...]
    over_forest: Callable[..., Any]
    forest: list[Any]
    union: Any


def case_at(seed: int, folder: Path) -> Case:
    """The program of a seed; its text is a file in the folder, since compilers of functions read it."""
    rng = random.Random(seed)
    types = random_types(rng)
    text = Writer(rng, types).module()
    path = folder / f"random_trees_{seed}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    planter = Planter(rng, types, module)
    trees: Sequence[Any] = [planter.tree(0, 3), planter.tree(len(types) - 1, 2)]
    forest = [planter.tree(0, 2) for _ in range(rng.randint(1, 3))]
    return Case(seed, text, module.main, (*trees, rng.uniform(0.3, 1.2)), module.over_forest, forest, module.T0)
