"""Random programs that choose, keep, carry and make functions, and values of one of several kinds: Python text.

What decides does not depend on what is differentiated, so that derivatives are there at every point.
"""

from __future__ import annotations

import random

HEAD = '''"""Random programs."""

import functools
import math

import numpy as np


def times(a):
    return lambda y: a * y


def damped(f, a):
    return lambda y: f(y) / (2.0 + a * a)



'''


class Author:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def number(self) -> str:
        return f"{self.random.uniform(-1.5, 1.5):.2f}"

    def value(self, names: list[str]) -> str:
        """A number made of names."""
        name, other = self.random.choice(names), self.random.choice(names)
        return self.random.choice(
            [
                name,
                f"0.5 * {name}",
                f"{name} * {other}",
                f"{name} + {self.number()}",
                f"math.sin({name})",
                self.number(),
            ]
        )

    def function(self, names: list[str], depth: int = 2) -> str:
        """A function of one number."""
        a = self.value(names)
        plain = [
            "np.sin",
            "math.cos",
            "np.tanh",
            f"(lambda y: y * {self.number()})",
            f"(lambda y, a={a}: y + a)",
            f"(lambda y: y * {self.random.choice(names)} - {self.number()})",
            f"times({a})",
            f"functools.partial(lambda a, y: a - y, {a})",
        ]
        if depth:
            inner, other = self.function(names, depth - 1), self.function(names, depth - 1)
            plain += [f"damped({inner}, {a})", f"({inner} if {self.condition()} else {other})"] * 2
        return self.random.choice(plain)

    def condition(self) -> str:
        return self.random.choice(["c > 0.0", "n > 2", "c * c < 1.0", "n % 2 == 0", "c < -0.5 or n > 3"])

    def step(self) -> str:
        return self.random.choice(["i > 0", "i % 2 == 1", "i == n - 1", "c > 0.0 and i > 0"])

    def branch(self) -> list[str]:
        lines = [
            f"    f = {self.function(['x', 'c'])}",
            f"    if {self.condition()}:",
            f"        f = {self.function(['x', 'c'])}",
        ]
        return [*lines, "    s = s + f(x)"]

    def loop(self) -> list[str]:
        lines = [
            f"    f = {self.function(['x', 'c'], 1)}",
            "    for i in range(n):",
            "        s = 0.5 * f(s) + 0.1 * i",
        ]
        lines.append(f"        if {self.step()}:")
        return [
            *lines,
            f"            f = {self.function(['x', 'c', 's'], 1)}"
            if self.random.random() < 0.5
            else f"            f = {self.fixed()}",
        ]

    def fixed(self) -> str:
        return self.random.choice(["np.sin", "math.cos", "times(x)", "times(s)", "(lambda y: y * y)"])

    def table(self) -> list[str]:
        items = ", ".join([self.function(["x", "c"], 1) for _ in range(3)])
        return [f"    table = [{items}]", "    for i in range(n):", "        s = s + table[(i + n) % 3](0.3 * x)"]

    def returned(self) -> list[str]:
        lines = ["    def pick(k):", "        if k % 2 == 0:", f"            return {self.function(['x', 'c'], 1)}"]
        lines += [f"        return {self.function(['x', 'c'], 1)}"]
        return [*lines, "    s = s * 0.5 + pick(n)(s) + pick(1)(x)"]

    def optional(self) -> list[str]:
        lines = ["    best = None", "    for i in range(n):", f"        if {self.step()}:"]
        lines += [f"            best = {self.value(['x', 's'])}"]
        return [*lines, f"    s = s + ({self.value(['x', 'c'])} if best is None else 0.5 * best)"]

    def text(self) -> list[str]:
        lines = [f"    mode = 'a' if {self.condition()} else 'b'", f"    if {self.condition()}:", "        mode = 'c'"]
        lines += [f"    table = {{'a': {self.value(['x'])}, 'b': {self.value(['x', 's'])}, 'c': {self.number()}}}"]
        return [*lines, "    s = s + table[mode] if mode in ('a', 'c') else s * 0.7 - table[mode]"]

    def applied(self) -> list[str]:
        f = self.function(["c"], 1)
        return [
            f"    f = {f}",
            f"    g = {self.function(['x', 'c'], 1)} if {self.condition()} else f",
            "    s = s + sum(map(g, [x, s, 0.5]))",
            "    s = s + sum([h(x) for h in (f, g)])",
        ]

    def program(self, name: str) -> str:
        """A function of x, which is differentiated, and of c and n, which decide."""
        kinds = [self.branch, self.loop, self.table, self.returned, self.optional, self.text, self.applied]
        parts = [line for _ in range(self.random.randint(2, 3)) for line in self.random.choice(kinds)()]
        return "\n".join([f"def {name}(x, c, n):", "    s = 0.3 * x", *parts, "    return s", ""])
