"""Random Python programs that change elements and rows at indices which data give, several times in each step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tests.sources import RandomText, function_of

COLUMNS = 3


class Places(RandomText):
    """A program of x with n numbers, a matrix with as many rows, and two arrays of indices below n."""

    def source(self) -> str:
        """Its text."""
        self.lines = [
            "def changed(x, A, first, second):",
            "    x, y, A = x.copy(), 0.5 * x, A.copy()",
            "    for k in range(len(first)):",
            "        a, b = first[k], second[k]",
        ]
        for _ in range(self.rng.choice([2, 2, 3, 4])):
            self.statement(2, nested=False)
        self.lines.append("    return np.sum(np.sin(x)) + np.sum(x * y) + np.sum(A * A)")
        return self.text()

    def statement(self, depth: int, *, nested: bool) -> None:
        """An assignment, or a branch or a loop with some."""
        kind = self.rng.random()
        if kind < 0.2 and not nested:
            self.write(depth, f"if {self.element()} > 0.6:")
            self.statement(depth + 1, nested=True)
            if self.rng.random() < 0.6:
                self.write(depth, "else:")
                self.statement(depth + 1, nested=True)
        elif kind < 0.35 and not nested:
            self.write(depth, "for m in range(2):")
            for _ in range(self.rng.choice([1, 2])):
                self.statement(depth + 1, nested=True)
        else:
            self.assignment(depth)

    def assignment(self, depth: int) -> None:
        """To an element, a row, or two elements at once."""
        kind = self.rng.random()
        if kind < 0.15:
            array = self.rng.choice("xy")
            self.write(depth, f"{array}[a], {array}[b] = {self.number()}, {self.number()}")
        elif kind < 0.3:
            row = f"A[{self.index()}]"
            self.write(depth, self.rng.choice([f"{row} = np.sin(A[{self.index()}])", f"{row} *= {self.element()}"]))
        else:
            self.write(depth, f"{self.element()} {self.rng.choice(['=', '=', '+=', '*='])} {self.number()}")

    def index(self) -> str:
        """One that data give."""
        return self.rng.choice(["a", "b", "a", "b", "(a + 1) % len(x)"])

    def element(self) -> str:
        """An element of one of the arrays."""
        return self.rng.choice(["x[%s]", "x[%s]", "y[%s]", f"A[%s, {self.rng.randrange(COLUMNS)}]"]) % self.index()

    def number(self) -> str:
        """What is assigned."""
        kind = self.rng.random()
        if kind < 0.35:
            return f"0.9 * {self.element()}"
        if kind < 0.6:
            return f"np.sin({self.element()})"
        if kind < 0.85:
            return f"{self.element()} * {self.element()}"
        return f"0.5 * {self.element()} + 0.3 * {self.element()}"


def program_of(source: str, seed: int) -> Callable[..., object]:
    """The function with this text."""
    return function_of(source, f"<places {seed}>", "changed")


def arguments(n: int, steps: int, seed: int) -> Sequence[np.ndarray]:
    """Numbers between 0.5 and 1, and indices."""
    rng = np.random.default_rng(seed)
    x, A = rng.uniform(0.5, 1.0, n), rng.uniform(0.5, 1.0, (n, COLUMNS))
    return x, A, rng.integers(0, n, steps), rng.integers(0, n, steps)
