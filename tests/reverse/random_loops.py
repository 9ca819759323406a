"""Random Python programs of several loops that share arrays, which they write in place: shifted, from the end, at indices from data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.sources import RandomText

FURTHEST = 2
"""A loop reads and writes as far from its own place."""
ARRAYS = ("u", "v", "w")


class Loops(RandomText):
    """A program of two vectors of one length, indices below it, a number of sweeps and a number."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.names = 0

    def source(self) -> str:
        """Its text."""
        self.lines = ["def looped(x, y, at, steps, a):", "    n = len(x)", "    s = 0.0"]
        for array in ARRAYS:
            made = self.rng.choice(
                ["np.zeros(n, x.dtype)", "x.copy()", "x * y", "np.array([a * x[i] for i in range(n)])"]
            )
            self.write(1, f"{array} = {made}")
        for _ in range(self.rng.choice([2, 3, 4])):
            self.statement(1, ARRAYS)
        self.write(1, "total = s", "for i in range(n):")
        self.write(2, "total += np.sin(u[i]) * (1.0 + 0.1 * i) + v[i] * w[n - 1 - i]")
        self.write(1, "return total")
        return self.text()

    def statement(self, depth: int, arrays: Sequence[str]) -> None:
        """A loop, or arrays as a whole, or several of them in sweeps."""
        kind = self.rng.random()
        if kind < 0.2 and depth == 1:
            self.write(1, self.rng.choice(["for t in range(steps):", "for t in range(3):"]))
            for _ in range(self.rng.choice([1, 2])):
                self.statement(2, arrays)
            if self.rng.random() < 0.5:
                one, other = self.rng.sample(list(arrays), 2)
                self.write(2, f"{one}, {other} = {other}, {one}")
        elif kind < 0.35:
            self.whole(depth)
        elif kind < 0.45:
            self.counted(depth)
        else:
            self.loop(depth)

    def loop(self, depth: int) -> None:
        """Over places, upwards or downwards, with one to three changes."""
        below, above = self.rng.randint(0, FURTHEST), self.rng.randint(0, FURTHEST)
        upwards = f"range({below}, n - {above})" if below or above else "range(n)"
        downwards = f"range(n - 1 - {above}, {below} - 1, -1)"
        self.write(depth, f"for i in {downwards if self.rng.random() < 0.25 else upwards}:")
        if self.rng.random() < 0.15:
            self.write(depth + 1, f"if {self.number(below, above)}.real > 0.97:")
            self.write(depth + 2, self.rng.choice(["break", "continue"]))
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            inner = depth + 1
            if self.rng.random() < 0.25:
                self.write(inner, f"if {self.number(below, above)}.real > 0.4:")
                inner += 1
            self.change(inner, below, above)

    def change(self, depth: int, below: int, above: int) -> None:
        """Of an element, or of a number."""
        value = self.value(below, above)
        kind = self.rng.random()
        if kind < 0.2:
            self.write(depth, f"s += 0.1 * {value}")
        elif kind < 0.3:
            self.write(depth, f"s = np.tanh(s + {value})")
        elif kind < 0.4:
            array, sizes = self.rng.choice(ARRAYS), ["3", "i", "n"]
            self.write(depth, f"for k in range({self.rng.choice(sizes)}):")
            place = self.rng.choice(["k", "i", "n - 1 - k", "at[k]"])
            self.write(depth + 1, f"{array}[{place}] += 0.01 * {value} * x[k]")
        else:
            array = self.rng.choice(ARRAYS)
            place = self.place(below, above)
            how = self.rng.choice(["=", "=", "+=", "+=", "-=", "*="])
            scaled = f"np.sin({value})" if how == "*=" else f"0.3 * {value}" if how != "=" else f"np.sin({value})"
            self.write(depth, f"{array}[{place}] {how} {scaled}")

    def counted(self, depth: int) -> None:
        """A while loop that stops at a number or at the end."""
        self.names += 1
        j, start = f"j{self.names}", self.rng.choice(["0", "1"])
        self.write(depth, f"{j} = {start}", f"while {j} < n and s.real < {self.rng.choice(['0.5', '2.0', '50.0'])}:")
        array, other = self.rng.choice(ARRAYS), self.rng.choice([*ARRAYS, "x", "y"])
        self.write(depth + 1, f"s += 0.2 * {other}[{j}]")
        if self.rng.random() < 0.6:
            self.write(depth + 1, f"{array}[{self.rng.choice([j, f'n - 1 - {j}', f'at[{j}]'])}] += 0.3 * np.sin(s)")
        self.write(depth + 1, f"{j} += {self.rng.choice(['1', '1', '2'])}")

    def whole(self, depth: int) -> None:
        """Arrays at once."""
        one, two, three = (self.rng.choice(ARRAYS), *self.rng.choices([*ARRAYS, "x", "y"], k=2))
        self.write(
            depth,
            self.rng.choice(
                [
                    f"{one}[1:-1] = 0.5 * {two}[2:] - np.sin({three}[:-2])",
                    f"{one} = np.sin({two}) * {three}",
                    f"{one} = {two} + 0.5 * {three}[::-1]",
                    f"{one}[::2] *= 0.5",
                    f"{one}[1::2] = {two}[1::2] * 0.7",
                    f"{one}[2:] += 0.1 * {two}[:-2] * {three}[1:-1]",
                    f"{one} = np.sin(np.cumsum({two}))",
                    f"{one} = np.where({two}.real > 0.5, {three}, 0.5 * {one})",
                    f"{one}[:] = {two}[::-1]",
                    f"s += np.sum({two} * {three}) / n",
                    f"{one} = {one} + 0.1 * {two}[at]",
                    f"{one} = np.array([np.sin({two}[i]) + {three}[n - 1 - i] for i in range(n)])",
                ]
            ),
        )

    def value(self, below: int, above: int) -> str:
        """Of one, two or three numbers."""
        one, two, three = (self.number(below, above) for _ in range(3))
        return self.rng.choice(
            [
                one,
                f"{one} * {two}",
                f"({one} + 0.5 * {two})",
                f"np.sin({one} + {two})",
                f"{one} / (1.5 + {two} * {two})",
                f"np.exp(-{one} * {one}) * {two}",
                f"({one} if {two}.real > 0.5 else {three})",
                f"np.tanh({one}) * s",
            ]
        )

    def number(self, below: int, above: int) -> str:
        """That is read."""
        return f"{self.rng.choice([*ARRAYS, 'x', 'y'])}[{self.place(below, above)}]"

    def place(self, below: int, above: int) -> str:
        """Within the arrays."""
        if self.rng.random() < 0.15:
            return self.rng.choice(["at[i]", "n - 1 - i"])
        by = self.rng.randint(-below, above)
        return f"i + {by}" if by > 0 else f"i - {-by}" if by else "i"


def arguments(seed: int) -> Sequence[object]:
    """Numbers between 0 and 1, indices, sweeps and a number."""
    rng = np.random.default_rng(seed)
    n = int(rng.choice([5, 8, 17, 40]))
    return rng.random(n), rng.random(n), rng.integers(0, n, n), int(rng.choice([0, 1, 4])), 0.7
