"""Dictionaries, slices of lists and tuples, starred parts, iterators; each program runs as Python too, with the same answer."""

# ruff: noqa: B905, C404, C408, C416, C417, E731, PLW2901, RUF005, PERF401, PLR5501

from __future__ import annotations

import functools
import itertools

import numpy as np

from tests.frontend.python.cases import MATRIX, Cases, X

case = CASES = Cases()
SCALES = {"a": 2.0, "b": 3.0}


@case(X)
def dictionary(x):
    p = {"a": x[0], "b": x[1], 3: 2.0}
    q = dict(p, c=x[3])
    q["a"] = q["a"] * 2
    q.update(d=1.5, b=q["a"] + 1)
    total = sum(v for k, v in q.items() if k in ("a", "c"))
    return p["a"] * q["b"] + len(q) + q.get("z", 7.0) + total if 3 in q and "z" not in q else 0.0


@case(X, X[1:] + 1.0)
@case(X, -X)
def what_is_in_both_of_two_selections(x, y):
    u, v = x[x > 0.5], y[y > 0.5]
    return np.array([p for p in u if any(p == q for q in v)]), len(u)


@case(X)
def dictionary_in_a_loop(x):
    p = {"w": x, "b": x[0]}
    for _ in range(3):
        g = {k: v * 0.5 for k, v in p.items()}
        p = {k: p[k] - 0.1 * g[k] for k in p}
    return np.sum(p["w"]) * p["b"]


@case(X)
@case(-X)
def dictionary_in_a_branch(x):
    p = {"w": x[0], "b": x[1]}
    if x[2] > 0:
        p["w"] = x[3]
    else:
        p["b"] = 2.0
    return p["w"] * p["b"]


@case(X)
def counted_in_a_dictionary(x):
    found = {"sum": 0.0, "count": 0}
    for v in x:
        if v > 0:
            found["sum"] += v
            found["count"] += 1
    return found["sum"] / found["count"]


@case(X)
def list_of_dictionaries(x):
    layers = [{"w": x[0], "b": x[1]}, {"w": x[2], "b": x[3]}]
    v = 1.0
    for p in layers:
        v = p["w"] * v + p["b"]
    return v


@case(X)
def comprehended_names(x):
    p = {f"w{k}": x[k] ** 2 for k in range(4) if k != 1}
    remainders = {k % 2 for k in range(4)}
    return p["w0"] * p["w3"] + len(remainders) + len({**p, "z": 1.0})


@case(X)
def starred_targets(x):
    first, *middle, last = x
    *start, end = (x[0], x[1], 3.0)
    return first * last + sum(middle) + len(middle) + start[1] * end


@case(X)
def starred_arguments(x):
    def f(a, b, c, d):
        return a * b + c * d

    def g(*args, **kwargs):
        return sum(v * v for v in args) * kwargs["s"] + kwargs.get("t", 0.5) + len(args)

    def h(v, a, b=1.0):
        return a * v[0] + b

    return f(*x[1:]), f(*x[:2], *(x[2], x[3])), g(x[0], *(x[2], x[3]), s=x[1]), h(x, **SCALES), max(*x[:3], 0.5)


@case(X)
def starred_lists(x):
    xs = [x[0], *x, 2.0, *[3.0, x[1]]]
    t = (1.0, *(x[0], x[1]))
    return sum(xs), t[2], len(xs)


@case(X)
def sums_of_lists_and_tuples(x):
    xs = [x[0], x[1]]
    ys = xs + xs + [x[2]]
    t = (1.0, x[2]) + (x[0],)
    return sum(list(x) + [x[0] ** 2]), sum(ys), t[2] * len(t)


@case(X)
def columns(x):
    points = [(x[0], x[1]), (x[2], x[3])]
    us, vs = zip(*points, strict=True)
    return us[0] * vs[1] + sum(us)


@case(X)
def slices(x):
    total = sum(range(10)[::-1][k] * x[k] for k in range(4)) + (1.0, 2.0, x[0])[1:][1]
    mixed = [x[0], "a", x[2]][::2]
    for i in range(len(x))[::-1]:
        total = total * 0.5 + x[i] * i
    for i in range(len(x))[1:-1]:
        total = total * 0.5 + x[i] * i
    return total + range(len(x))[1] + mixed[1] + sum(x[j] for j in range(4)[1:3])


@case(X)
def walrus(x):
    total = sum(y * y for v in x if (y := v * 2) > 0)
    kept = [z * z for v in x if (z := v * 2) > 0]
    if (n := len(x)) > 2:
        total *= n
    t = x[0]
    while (r := t * t) < 50:
        t = t * 1.5 + r
    return total, kept, t + r


@case(X)
def bits(x):
    odd = sum(x[i] for i in range(len(x)) if i & 1)
    shifts = [(i * 37 - 80) >> i for i in range(8)] + [1 << i for i in range(8)]
    masks = [(i * 37) | 21 for i in range(8)] + [(i * 37 - 80) & (i * 11 - 3) for i in range(8)]
    more = [(i * 5 - 3) ^ 9 for i in range(8)] + [~i & 6 for i in range(8)] + [(i - 4) & -3 for i in range(8)]
    return odd, shifts, masks, more, 13 ^ 7


@case(X)
def best_by_key(x):
    return max(x, key=lambda v: abs(v)), min(x[0], x[1], x[2], key=lambda v: -v), max((v * v for v in x), key=np.sin)


@case(X)
def filtered(x):
    return list(filter(lambda v: v > 0, x)), sum(map(lambda v: v * v, filter(None, x)))


@case(X)
def reduced(x):
    return functools.reduce(lambda a, b: a * 0.5 + b * b, x, 0.0), functools.reduce(lambda a, b: a * b, x)


@case(X)
def combined(x):
    pairs = sum(x[i] * x[j] for i, j in itertools.combinations(range(4), 2))
    products = sum(u * v * k for k, (u, v) in enumerate(itertools.product(x, x[1:])))
    orders = sum(a * b + c for a, b, c in itertools.permutations((x[0], 2.0, x[1])))
    return pairs, products, orders, sum(u * v for u, v in itertools.product((1, 2), range(3)))


@case(X)
def one_after_the_other(x):
    neighbours = sum(u * v for u, v in itertools.pairwise(x))
    return (
        neighbours,
        list(itertools.chain(x, x * x, [1.0])),
        list(itertools.accumulate(x)),
        list(itertools.accumulate(x, max)),
    )


@case(MATRIX)
def indices(a):
    first = sum((i + 2 * j) * v for (i, j), v in np.ndenumerate(a))
    return first, sum(a[i, j] * i for i, j in np.ndindex(2, 3)), sum(a[i, j] * j for i, j in np.ndindex(a.shape))


@case(X)
def vectorized(x):
    square = np.vectorize(lambda v, w: v * v if v > 0 else w)
    return square(x, 2.0)


@case(X)
def classes(x):
    one = isinstance(x, np.ndarray) and not isinstance(x, list) and isinstance(x[0], float | int)
    return np.sum(x) if one and isinstance([1.0], list) and isinstance((1, 2), tuple) else 0.0


@case(X)
def truth_of_containers(x):
    xs = []
    if not xs:
        xs.append(x[0])
    return (1.0 if xs else 2.0) + (1.0 if () else 3.0) + (4.0 if {"a": 1} else 5.0)


@case(X)
def arrays_compared(x):
    inside = (x > 0) & (x < 2)
    y = x if x[0] > 0 else -2 * x
    return np.sum(inside), np.where((x > 0) | ~(x < -3), x, -x), y


WEIGHTS = {1: 2.0, 5: -3.0, 7: 1.5}
ROWS = {0: np.array([1.0, 2.0]), 1: np.array([3.0, -4.0])}


@case(X, np.array([1, 7, 5, 5, 1]))
def asked_for_integers(x, kinds):
    scales = {1: x[0], 5: x[1] * x[2]}
    return sum([WEIGHTS[k] * v + scales.get(k, 0.5) + WEIGHTS.get(k + 2, v) for k, v in zip(kinds, x)])


@case(X, np.array([1, 0, 1, 1, 0]))
def rows_for_integers(x, kinds):
    total = np.zeros(2)
    for k, v in zip(kinds, x):
        total = total + ROWS[k] * v
    return total


@case(X)
def asked_for_truth_values(x):
    signs = {True: lambda v: v, False: lambda v: -2.0 * v}
    return [signs[v > 0.0](v) for v in x]


@case(X)
def a_default_for_one_of_several_texts(x):
    name = "a" if x[0] > 0.5 else "q" if x[1] > 0.0 else "b"
    other = "z" if x[2] > 0.0 else "y"
    return SCALES.get(name, 4.0) * x[0] + SCALES.get(other, x[1]) + {"z": 3.0}.get(other, 1.0)
