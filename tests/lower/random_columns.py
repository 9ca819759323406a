"""Random loops over columns, as text: sums, folds and arrays of a column, and branches that differ from column to column."""

from __future__ import annotations

import random


def program(seed: int) -> str:
    """A function of a matrix with a row at least, a number for each row, and one for each column."""
    return _Program(random.Random(seed)).whole()


class _Program:
    def __init__(self, choose: random.Random) -> None:
        self.choose = choose
        self.count = 0

    def whole(self) -> str:
        body = self.column(["c[i]", "0.5"], 3)
        over = self.choose.choice(["sum", "build"])
        if over == "sum":
            body = self.added(body)
        return f"fun (a: Matrix) (b: Vector) (c: Vector) -> {over} (length a[0]) (fun i -> {body})"

    def added(self, body: str) -> str:
        """What is summed: a number, or what it contributes to places that columns share."""
        which = self.choose.choice(["number", "all", "one", "some"])
        if which == "number":
            return body
        x = self.name("x")
        if which == "all":
            return f"let {x} = {body} in build (length b) (fun r -> {x} * b[r])"
        at = "0" if which == "one" else f"(if {x} > 0.5 then 1 else 0)"
        return f"let {x} = {body} in if {x} > 0.0 then delta (length b) {at} {x} else zero Float (length b)"

    def name(self, hint: str) -> str:
        self.count += 1
        return f"{hint}{self.count}"

    def number(self, known: list[str], depth: int = 2) -> str:
        """A number of what is known, which stays small."""
        if depth == 0 or self.choose.random() < 0.3:
            return self.choose.choice(known)
        a, b = self.number(known, depth - 1), self.number(known, depth - 1)
        return self.choose.choice(
            [
                f"({a} + {b})",
                f"({a} - {b})",
                f"({a} * {b})",
                f"sin ({a})",
                f"exp (-(({a}) * ({a})))",
                f"{a} / (1.5 + {b} * {b})",
            ]
        )

    def column(self, known: list[str], depth: int) -> str:
        """What is computed of a column."""
        kind = self.choose.choice(["sum", "sum", "two", "fold", "array", "if", "largest"]) if depth else "number"
        if kind == "number":
            return self.number(known)
        if kind == "if":
            condition = f"{self.number(known, 1)} > {self.number(known, 1)}"
            return f"(if {condition} then {self.column(known, depth - 1)} else {self.column(known, depth - 1)})"
        k, found = self.name("k"), self.name("x")
        element = [f"a[{k}][i]", f"b[{k}]", *known]
        if kind == "sum":
            value = f"sum (length a) (fun {k} -> {self.number(element)})"
        elif kind == "two":
            value = f"sum (length a) (fun {k} -> ({self.number(element)}, {self.number(element)}))"
        elif kind == "fold":
            state = self.name("s")
            step = f"0.5 * {state} + {self.number([*element, state])}"
            value = f"ifold (fun {state} {k} -> {step}) ({self.number(known)}) (length a)"
        elif kind == "largest":
            state = self.name("s")
            step = f"if {state} > a[{k}][i] then {state} else {self.number([f'a[{k}][i]', state], 1)}"
            value = f"ifold (fun {state} {k} -> {step}) ({self.number(known, 1)}) (length a)"
        else:
            w, j = self.name("w"), self.name("j")
            row = f"build (length a) (fun {k} -> {self.number(element)})"
            return (
                f"(let {w} = {row} in let {found} = sum (length a) (fun {j} -> {w}[{j}] * {w}[length a - 1 - {j}] + a[{j}][i]) in "
                f"{self.column([*known, found], depth - 1)})"
            )
        new = [f"{found}.0", f"{found}.1"] if kind == "two" else [found]
        return f"(let {found} = {value} in {self.column([*known, *new], depth - 1)})"
