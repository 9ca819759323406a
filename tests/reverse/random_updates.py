"""Random Python programs in whose loops matrices and their rows are added to, at places that overlap, repeat, or that data give."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.sources import RandomText

SIDE = 64
"""The matrices have so many rows and columns, the vectors so many numbers."""
SIZES = {"t": "m", "i": "n", "k": "q"}


class Updates(RandomText):
    """A program of a vector x, a matrix y, indices below 12, three sizes and a number."""

    def source(self) -> str:
        """Its text."""
        self.lines = ["def updated(x, y, at, m, n, q, a):", "    r = np.zeros(y.shape, y.dtype)", "    s = 0.0"]
        if self.rng.random() < 0.67:
            self.write(1, "for t in range(m):")
        else:
            self.write(1, "t = -1", "while t < m - 1:", "    t += 1")
        if self.rng.random() < 0.3:
            self.write(2, "s = np.tanh(s + x[t])")
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            depth = 2
            if self.rng.random() < 0.3:
                self.write(depth, "if x[t].real > 0.6:")
                depth += 1
            self.update(depth)
        self.write(1, "total = s", "for i in range(len(r)):", "    for k in range(len(r[0])):")
        self.write(3, "total += np.sin(0.1 * r[i, k]) * (i + 0.3 * k)")
        self.write(1, "return total")
        return self.text()

    def update(self, depth: int) -> None:
        """Of elements in a nest, of each by a sum, or of a number by one of them."""
        kind = self.rng.random()
        if kind < 0.7:
            for k, index in enumerate(self.rng.sample("ik", 2)):
                self.write(depth + k, f"for {index} in range({SIZES[index]}):")
            factors = [self.factor("tik") for _ in range(self.rng.choice([1, 2, 2, 3]))]
            if self.rng.random() < 0.15:
                factors.append("s")
            self.write(depth + 2, f"{self.element('tik')} += {' * '.join(factors)}")
        elif kind < 0.85:
            self.write(depth, "for i in range(n):")
            summed = f"sum({self.factor('tik')} * {self.factor('ik')} for k in range(q))"
            self.write(depth + 1, f"{self.element('ti')} += {summed}")
        else:
            self.write(depth, f"s += {self.factor('t')} * r[t, at[t]]")

    def index(self, names: str) -> str:
        """The sum of some of these."""
        return " + ".join([name for name in names if self.rng.random() < 0.75] or [self.rng.choice(names)])

    def element(self, names: str) -> str:
        """One that is added to."""
        one, other = self.rng.choice(names), self.rng.choice(names)
        places = [
            f"{self.index(names)}, {one}",
            f"{one}, {self.index(names)}",
            f"at[{one}], {other}",
            f"{one}, {other}",
        ]
        return f"r[{self.rng.choice(places)}]"

    def factor(self, names: str) -> str:
        """A number that is read."""
        one, other, index = self.rng.choice(names), self.rng.choice(names), self.index(names)
        x, y = f"x[{index}]", f"y[{one}, {index}]"
        return self.rng.choice([x, x, y, y, f"np.sin({x})", f"x[at[{index}]]", f"y[at[{one}], {other}]", "a"])


def arguments(seed: int) -> Sequence[object]:
    """Numbers between 0.1 and 1.1, indices, and sizes such that all indices are below `SIDE`."""
    rng = np.random.default_rng(seed)
    m, n, q = (int(rng.choice(sizes)) for sizes in ((3, 20, 34), (2, 8, 13), (3, 9, 14)))
    x, y = rng.random(SIDE) + 0.1, rng.random((SIDE, SIDE)) + 0.1
    return x, y, rng.integers(0, 12, SIDE), m, n, q, 0.7
