"""Expressions as trees, evaluated by `match` and by methods of their classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import fsmooth as fs


@dataclass
class Const:
    value: float

    def at(self, x):
        return self.value


@dataclass
class Var:
    index: int

    def at(self, x):
        return x[self.index]


@dataclass
class Add:
    left: Expression
    right: Expression

    def at(self, x):
        return self.left.at(x) + self.right.at(x)


@dataclass
class Mul:
    left: Expression
    right: Expression

    def at(self, x):
        return self.left.at(x) * self.right.at(x)


@dataclass
class Sin:
    of: Expression

    def at(self, x):
        return np.sin(self.of.at(x))


Expression = Const | Var | Add | Mul | Sin


def by_match(e, x):
    """The value of e where the variables have the numbers in x."""
    match e:
        case Const(value):
            return value
        case Var(k):
            return x[k]
        case Add(l, r):
            return by_match(l, x) + by_match(r, x)
        case Mul(l, r):
            return by_match(l, x) * by_match(r, x)
        case Sin(of):
            return np.sin(by_match(of, x))


def by_methods(e, x):
    """The same."""
    return e.at(x)


FORMS = {"by match": by_match, "by methods": by_methods}
VARIABLES = 8


def generate(nodes: int) -> tuple[fs.Packed, np.ndarray]:
    """A random expression of so many nodes, and numbers for its variables; factors are sines, so that nothing overflows."""
    rng = np.random.default_rng(nodes)
    columns: dict[str, dict[str, list[float]]] = {
        "Const": {"value": []},
        "Var": {"index": []},
        "Add": {"left": [], "right": []},
        "Mul": {"left": [], "right": []},
        "Sin": {"of": []},
    }
    kinds = {c.__name__: int(fs.references(Expression, c, 0)) for c in (Const, Var, Add, Mul, Sin)}
    top: list[float] = [0]
    waiting = [(nodes, False, top, 0)]
    while waiting:
        count, factor, column, place = waiting.pop()
        if count == 1:
            name = ("Const", "Var")[int(rng.integers(2))]
        elif count == 2 or factor:
            name = "Sin"
        else:
            name = ("Add", "Mul", "Sin")[int(rng.choice(3, p=(0.4, 0.35, 0.25)))]
        own = columns[name]
        row = len(next(iter(own.values())))
        column[place] = row << 3 | kinds[name]
        if name == "Const":
            own["value"].append(float(rng.uniform(-1.0, 1.0)))
        elif name == "Var":
            own["index"].append(int(rng.integers(VARIABLES)))
        else:
            for c in own.values():
                c.append(0)
            if name == "Sin":
                waiting.append((count - 1, False, own["of"], row))
            else:
                k = 1 + int((count - 2) * rng.uniform(0.2, 0.8)) if count > 3 else 1
                waiting += [(count - 1 - k, name == "Mul", own["right"], row), (k, name == "Mul", own["left"], row)]
    made = {
        name: {f: np.array(c, float if f == "value" else np.int64) for f, c in own.items()}
        for name, own in columns.items()
    }
    return fs.Packed.of(Expression, made, int(top[0])), rng.normal(size=VARIABLES)


def in_python(e: fs.Packed, x: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The value, and its derivatives by the constants and by x, without recursion: nodes in the order in which they are met."""
    names = {int(fs.references(Expression, c, 0)): c.__name__ for c in (Const, Var, Add, Mul, Sin)}
    columns = e.columns
    order, waiting = [], [int(e.parts[0])]
    below: dict[int, list[int]] = {}
    while waiting:
        node = waiting.pop()
        name, row = names[node & 7], node >> 3
        fields = {"Add": ("left", "right"), "Mul": ("left", "right"), "Sin": ("of",)}.get(name, ())
        below[node] = [int(columns[f"{name}.{f}"][row]) for f in fields]
        waiting += below[node]
        order.append(node)
    found: dict[int, float] = {}
    for node in reversed(order):
        name, row, c = names[node & 7], node >> 3, [found[k] for k in below[node]]
        if name == "Const":
            found[node] = float(columns["Const.value"][row])
        elif name == "Var":
            found[node] = float(x[columns["Var.index"][row]])
        else:
            found[node] = c[0] + c[1] if name == "Add" else c[0] * c[1] if name == "Mul" else float(np.sin(c[0]))
    bars = dict.fromkeys(order, 0.0)
    bars[order[0]] = 1.0
    by_constants, by_x = np.zeros(len(columns["Const.value"])), np.zeros(len(x))
    for node in order:
        name, row, d, c = names[node & 7], node >> 3, bars[node], below[node]
        if name == "Const":
            by_constants[row] += d
        elif name == "Var":
            by_x[columns["Var.index"][row]] += d
        elif name == "Sin":
            bars[c[0]] += d * float(np.cos(found[c[0]]))
        else:
            l, r = (1.0, 1.0) if name == "Add" else (found[c[1]], found[c[0]])
            bars[c[0]] += d * l
            bars[c[1]] += d * r
    return found[order[0]], by_constants, by_x
