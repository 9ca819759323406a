"""Random Python programs that step arrays forward in time, elements from their neighbours, and look at a few elements in the end.

What a few elements depend on is a cone: the hardest case for optimise/windows/supports.py, which must find all of it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.sources import RandomText, function_of

PARAMETERS = (
    "u, v, c, steps, k, l",
    *['u: fs.Array["n"], v: fs.Array["n"], c: fs.Array["n"], steps: int, k: int, l: int'] * 8,
)
SHIFTS = ((-1, 0), (0, 1), (-1, 0, 0, 1), (-1, 0, 1), (-2, -1, 0, 1), (-3, 0, 2), (-3, -2, -1, -1, 0, 0, 1, 1, 2, 3))


class Stencils(RandomText):
    """A program of states u and v and coefficients c with n numbers each, a number of steps, and two indices."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.sums = 0
        self.shifts = self.rng.choice(SHIFTS)
        self.is_near = self.rng.random() < 0.75

    def source(self) -> str:
        """Its text."""
        states = ["u", "v", "w"][: self.rng.choice([1, 1, 2, 2, 3])]
        self.lines = [f"def stepped({self.rng.choice(PARAMETERS)}):", "    n = len(u)", "    total = 0.0"]
        if "w" in states:
            self.write(1, f"w = {self.rng.choice(['[x * 0.5 for x in u]', '[0.0 for _ in range(n)]', 'c', 'v'])}")
        self.write(
            1, f"for t in {self.rng.choice(['range(steps)'] * 6 + ['range(steps - 1, -1, -1)', 'range(1, steps)'])}:"
        )
        depth = 2
        if self.rng.random() < 0.12:
            self.write(2, f"for _ in range({self.rng.choice(['2', '2', 't'])}):")
            depth = 3
        self.step(depth, states)
        if self.rng.random() < 0.15:
            self.write(2, f"total = total + {self.sensor(states, 't')}")
        self.write(1, f"return {self.loss(states)}")
        return self.text()

    def step(self, depth: int, states: list[str]) -> None:
        """Arrays of its own, and the next states: one after the other, or at once."""
        arrays = [*states]
        for name in ["a", "b", "d"][: self.rng.choice([0, 0, 1, 1, 2, 3])]:
            self.array(depth, name, arrays)
            arrays.append(name)
        if len(states) > 1 and self.rng.random() < 0.4:
            self.write(depth, f"{', '.join(states)} = {', '.join([self.elements(arrays) for _ in states])}")
        else:
            kept = self.rng.choice(states[1:]) if len(states) > 1 and self.rng.random() < 0.2 else ""
            for name in states:
                if name != kept:
                    self.array(depth, name, arrays)

    def array(self, depth: int, name: str, arrays: list[str]) -> None:
        """An array, by its elements, by what is added to them, or with other ends."""
        how = self.rng.random()
        if how < 0.6:
            self.write(depth, f"{name} = {self.elements(arrays)}")
        elif how < 0.7:
            self.write(depth, f"z = {self.elements(arrays)}")
            self.write(
                depth,
                f"if {self.rng.choice(['t > 0', 't % 2 == 0', 'c[k] > 0.0', f'{self.rng.choice(arrays)}[l] > 0.1', 't < k'])}:",
            )
            self.write(depth + 1, f"z = {self.elements(arrays)}")
            self.write(depth, f"{name} = z")
        elif how < 0.82:
            shift = self.rng.choice(self.shifts)
            self.write(
                depth, f"z = {self.rng.choice(['[0.0 for _ in range(n)]', f'[x for x in {self.rng.choice(arrays)}]'])}"
            )
            self.write(depth, "for i in range(n):")
            self.write(depth + 1, f"if {self.inside(shift)}:")
            self.write(depth + 2, f"z[i + {shift}] += {self.number(arrays, 1)}")
            self.write(depth, f"{name} = z")
        elif how < 0.92:
            self.write(depth, f"z = {self.elements(arrays)}")
            place = self.rng.choice(["0", "n - 1", "k", "l"])
            self.write(
                depth,
                f"z[{place}] = {self.rng.choice(['1.0', '0.0', f'{self.rng.choice(arrays)}[{place}] * 0.5', 'z[0] * 2.0'])}",
            )
            self.write(depth, f"{name} = z")
        else:
            other = self.rng.choice(arrays)
            self.write(
                depth, f"{name} = {other}" if name not in ("a", "b", "d") else f"{name} = [0.3 * x for x in {other}]"
            )

    def elements(self, arrays: list[str]) -> str:
        """A comprehension."""
        body = self.number(arrays, self.rng.choice([1, 2, 2, 3]))
        return f"[{body} for i in range(n)]"

    def number(self, arrays: list[str], depth: int) -> str:
        """An element i."""
        if depth == 0 or self.rng.random() < 0.15:
            return self.read(arrays)
        one, two = self.number(arrays, depth - 1), self.number(arrays, depth - 1)
        match self.rng.randrange(9):
            case 0 | 1:
                return f"({one} + 0.5 * {two})"
            case 2:
                return f"({one} - {two})"
            case 3 | 4:
                return f"({one} * {two})"
            case 5:
                return f"np.sin({one})"
            case 6:
                return f"({one} if {self.condition(arrays)} else {self.rng.choice([two, two, '0.0', '1.0'])})"
            case 7:
                return f"({one} / (2.0 + np.sin({two})))"
            case _:
                return f"(0.7 * {one} + {two})"

    def read(self, arrays: list[str]) -> str:
        """An element near i, or a coefficient; rarely one that is the same for all, or the mirrored one."""
        name = self.rng.choice(arrays)
        how = self.rng.random()
        if how < 0.6:
            shift = self.rng.choice(self.shifts)
            outside = self.rng.choice(["0.0", "0.0", "0.0", "1.0", f"{name}[i]", "c[i]"])
            return f"({name}[i + {shift}] if {self.inside(shift)} else {outside})"
        if how < 0.75:
            return f"{name}[i]"
        if self.is_near or how < 0.93:
            return self.rng.choice(["c[i]", "c[i]", "0.4", "c[n - 1 - i]"])
        self.sums += 1
        s = f"s{self.sums}"
        far = [f"{name}[{self.rng.choice(['0', 'k', 'n - 1', 'l'])}]", f"{name}[n - 1 - i]", f"{name}[(i + 1) % n]"]
        far.append(f"sum([0.1 * {name}[{s}] * c[{s}] for {s} in range({self.rng.choice(['n', 'i', 'i + 1'])})])")
        return self.rng.choice(far)

    def inside(self, shift: int) -> str:
        """Is i + shift an index?"""
        if self.rng.random() < 0.5:
            return f"0 <= i + {shift} < n"
        if shift < 0:
            return f"i > {-shift - 1}" if self.rng.random() < 0.5 else f"i >= {-shift}"
        return f"i + {shift} < n" if self.rng.random() < 0.5 else f"i < n - {shift}"

    def condition(self, arrays: list[str]) -> str:
        """Of the index, the step, or of data."""
        name = self.rng.choice(arrays)
        choices = ["i > k", "i == k", "i < l", "t % 2 == 0", "t > 0", "i + t < n", "i > t", "k <= i and i < l"]
        return self.rng.choice([*choices, f"{name}[i] > 0.1", "c[i] > 0.0", f"{name}[k] > 0.0"])

    def sensor(self, states: list[str], step: str = "") -> str:
        """An element that is looked at; with a step, one that may move."""
        places = ["k", "k", "k", "l", "0", "n - 1"]
        if step:
            places += ["(k + t) % n", "min(k + t, n - 1)", "max(l - t, 0)"]
        return f"{self.rng.choice(states)}[{self.rng.choice(places)}]"

    def loss(self, states: list[str]) -> str:
        """What is made of a few elements in the end."""
        one, two = self.sensor(states), self.sensor(states)
        return "total + " + self.rng.choice(
            [
                one,
                one,
                f"np.sin({one})",
                f"{one} * {two}",
                f"2.0 * {one} - 3.0 * {two}",
                f"({one} if {two} > 0.0 else c[k] * {two})",
                f"{one} + 0.001 * sum(u)",
                "sum([u[i] * u[i] for i in range(min(k, l), max(k, l))])",
                f"sum([(i + 1) * {self.rng.choice(states)}[i] for i in range(k)])",
            ]
        )


def program(seed: int) -> Callable[..., object]:
    """The function, whose text the front end can find."""
    return function_of(Stencils(seed).source(), f"<stencils {seed}>", "stepped")


def arguments(seed: int, most: int = 24) -> tuple[object, ...]:
    """Arrays of a size, a number of steps, and indices."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, most + 1))
    arrays = [rng.normal(size=n) * 0.6 for _ in range(3)]
    return (*arrays, int(rng.integers(0, 7)), int(rng.integers(n)), int(rng.integers(n)))
