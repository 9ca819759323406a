"""Random Python programs whose loops fill and change tables: what they read back was written earlier, or is written again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tests.sources import RandomText, function_of

ROOM = 5
"""A table for indices i + 0, …, i + 4 of i below n has n + 5 rows."""

_INDICES = "ijk"


class Tables(RandomText):
    """A program of x with n numbers, a table p of n + 5 numbers and a table d of as many rows and columns."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.sums = 0

    def source(self) -> str:
        """Its text."""
        self.lines = ["def filled(x, p, d):", "    n = len(x)", "    p = p.copy()", "    d = d.copy()"]
        depth = 1
        if self.rng.random() < 0.25:
            self.lines.append("    for _ in range(2):")
            depth = 2
        for _ in range(self.rng.choice([1, 1, 2])):
            self.statement(depth, [])
        sines = "np.sin(d[i, j] + 0.3 * i) for i in range(n + 5) for j in range(n + 5)"
        self.lines.append(f"    return sum([np.sin(a) for a in p]) + sum([{sines}])")
        return self.text()

    def statement(self, depth: int, around: list[str]) -> None:
        """A loop, or an assignment to an element, or to a row."""
        if not around or (len(around) == 1 and self.rng.random() < 0.6):
            self.loop(depth, around)
        else:
            self.assignment(depth, around)

    def loop(self, depth: int, around: list[str]) -> None:
        """Upwards or downwards, of which the inner one may have more or fewer steps each time."""
        index = _INDICES[len(around)]
        limits = ["n", "n", f"{around[0]} + 1", around[0], f"{around[0]}, n"] if around else ["n"]
        steps = f"range({self.rng.choice(limits)})" if self.rng.random() < 0.85 else "range(n - 1, -1, -1)"
        if around and self.rng.random() < 0.2:
            at, row = self.near(index), self.near(around[0])
            self.write(depth, "row = [0.1 for _ in range(n + 5)]")
            self.write(depth, f"for {index} in {steps}:")
            self.write(depth + 1, f"row[{at}] = row[{self.near(index)}] * {self.number([around[0], index], 1)}")
            self.write(depth, f"d[{row}] = row")
            return
        self.write(depth, f"for {index} in {steps}:")
        for _ in range(self.rng.choice([1, 1, 1, 2])):
            if self.rng.random() < 0.25:
                self.write(depth + 1, f"if {self.condition([*around, index])}:")
                self.statement(depth + 2, [*around, index])
                if self.rng.random() < 0.5:
                    self.write(depth + 1, "else:")
                    self.statement(depth + 2, [*around, index])
            else:
                self.statement(depth + 1, [*around, index])

    def assignment(self, depth: int, around: list[str]) -> None:
        """Mostly to the element of the step itself."""
        value = f"{self.rng.choice(['=', '=', '=', '+='])} np.sin({self.number(around, 2)})"
        if len(around) == 1 or self.rng.random() < 0.2:
            index = around[0] if self.rng.random() < 0.8 else around[-1]
            self.write(depth, f"p[{self.near(index, (0, 0, 0, 1, -1))}] {value}")
        else:
            i, j = around if self.rng.random() < 0.8 else reversed(around)
            self.write(depth, f"d[{self.near(i, (0, 0, 0, 1, -1))}, {self.near(j, (0, 0, 0, 1, -1))}] {value}")

    def number(self, around: Sequence[str], depth: int) -> str:
        """What is computed from what was written before."""
        if depth == 0 or self.rng.random() < 0.2:
            return self.element(around)
        match self.rng.randrange(7):
            case 0 | 1:
                return f"({self.number(around, depth - 1)} + 0.5 * {self.number(around, depth - 1)})"
            case 2 | 3:
                return f"({self.number(around, depth - 1)} * {self.number(around, depth - 1)})"
            case 4:
                return f"np.exp(-0.1 * np.sin({self.number(around, depth - 1)}))"
            case 5:
                self.sums += 1
                index = f"s{self.sums}"
                limit = self.rng.choice([*around, f"{self.rng.choice(around)} + 1"])
                term = f"{self.number([*around, index], 1)} * {self.element([index, *around])}"
                return f"sum([0.1 * {term} for {index} in range({limit})])"
            case _:
                first, second = self.number(around, depth - 1), self.number(around, depth - 1)
                return f"({first} if {self.condition(around)} else {second})"

    def element(self, around: Sequence[str]) -> str:
        """Of a table, or of x."""
        first, second = self.rng.choice(around), self.rng.choice(around)
        if len(around) > 1 and self.rng.random() < 0.7:
            first, second = around[0], around[1]
        of_d = [f"d[{self.near(first)}, {self.near(second)}]", f"d[{self.near(first)}][{self.near(second)}]"]
        of_p = f"p[{self.near(first)}]"
        return self.rng.choice([*of_d * 2, f"x[{second}]", of_p] if len(around) > 1 else [of_p, of_p, f"x[{first}]"])

    def condition(self, around: Sequence[str]) -> str:
        """Of the indices, or of what is given."""
        a, b = self.rng.choice(around), self.rng.choice(around)
        return self.rng.choice([f"{a} == {b}", f"{a} < {b}", f"{a} > 1", f"{a} % 2 == 0", f"x[{a}] > 0.2"])

    def near(self, index: str, offsets: Sequence[int] = (-2, -1, -1, 0, 0, 1, 2)) -> str:
        """An index that is near."""
        return f"{index} + {2 + self.rng.choice(offsets)}"


def program(seed: int) -> Callable[..., object]:
    """The function, whose text the front end can find."""
    return function_of(Tables(seed).source(), f"<tables {seed}>", "filled")


def arguments(seed: int, n: int) -> list[np.ndarray]:
    """Numbers for it."""
    chance = np.random.default_rng(seed)
    return [chance.normal(size=shape) for shape in ((n,), (n + ROOM,), (n + ROOM, n + ROOM))]
