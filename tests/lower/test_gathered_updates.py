"""Updates of a matrix, and of its rows, are gathered in loops and over calls, and added as products of matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk

RNG = np.random.default_rng(11)
STEPS = (0, 1, 2, 31, 32, 33, 64, 70)


def multiplications(function: fs.Function, *args: object) -> list[t.Multiply]:
    program = function.compiled(*args).loops
    return [s for f in (program.kernel, *program.definitions) for s in walk(f.body) if isinstance(s, t.Multiply)]


def outer_products(x, y):
    total = np.zeros((x.shape[1], y.shape[1]))
    for k in range(len(x)):
        total = total + np.outer(np.sin(x[k]), y[k])
    return total


def of_parts(x, y):
    total = np.zeros((x.shape[1] + 2, 2 * y.shape[1]))
    for k in range(len(x)):
        for i in range(x.shape[1]):
            for j in range(y.shape[1]):
                total[i + 2, j + 3] += x[k, i] * (2.0 * y[k, j])
    return total


def under_a_condition(x, y):
    total = np.zeros((x.shape[1], y.shape[1]))
    for k in range(len(x)):
        if x[k, 0] > 0.0:
            total = total + np.outer(x[k], y[k])
    return total


def read_in_the_loop(x, y):
    total, seen = np.zeros((x.shape[1], y.shape[1])), 0.0
    for k in range(len(x)):
        total = total + np.outer(x[k], y[k])
        seen += total[1, 1]
    return total, seen


def of_a_triangle(x, y):
    total = np.zeros((x.shape[1], y.shape[1]))
    for k in range(len(x)):
        for i in range(x.shape[1]):
            for j in range(i):
                total[i, j] += x[k, i] * y[k, j]
    return total


def twice(x, y):
    """Two updates of one matrix in each step, one of them to a part of it whose size steps compute."""
    total = np.zeros((x.shape[1], y.shape[1]))
    for k in range(len(x)):
        for i in range(x.shape[1]):
            for j in range(y.shape[1]):
                total[i, j] += x[k, i] * y[k, j]
        for i in range(x.shape[1] - 1):
            for j in range(y.shape[1]):
                total[i + 1, j] += np.sin(x[k, i]) * y[k, j]
    return total


def while_small(x, y):
    total, k = np.zeros((x.shape[1], y.shape[1])), 0
    while k < len(x):
        if x[k, 1] < 0.5:
            total += np.outer(x[k], y[k])
        k += 1
    return total


def rows(x, y):
    """Rows are added to, the same ones again and again: the transposed product of a matrix and a vector."""
    total = np.zeros((7, x.shape[1]))
    weights = [[np.cos(i + 2.0 * j) for j in range(x.shape[1])] for i in range(y.shape[1])]
    for k in range(len(x)):
        place = (3 * k * k + k) % 7
        for i in range(y.shape[1]):
            for j in range(x.shape[1]):
                total[place, j] += np.sin(y[k, i]) * weights[i][j]
    return total


def rows_by_sums(x, y):
    """Likewise, where each number is summed up by itself, to a part of a row, and under a condition."""
    total = np.zeros((7, x.shape[1] + 2))
    weights = np.array([[np.cos(i + 2.0 * j) for j in range(y.shape[1])] for i in range(x.shape[1])])
    for k in range(len(x)):
        if x[k, 0] < 0.8:
            place = (3 * k * k + k) % 7
            for j in range(x.shape[1]):
                total[place, j + 1] += sum(weights[j, i] * y[k, i] for i in range(y.shape[1]))
    return total


def rows_of_what_changes(x, y):
    """The weights are other ones in each step."""
    total = np.zeros((7, x.shape[1]))
    weights = np.array([[np.cos(i + 2.0 * j) for j in range(x.shape[1])] for i in range(y.shape[1])])
    for k in range(len(x)):
        for i in range(y.shape[1]):
            for j in range(x.shape[1]):
                total[k % 7, j] += y[k, i] * weights[i, j]
        weights[0, 0] += x[k, 0]
    return total


def rows_that_are_read(x, y):
    total = np.zeros((7, x.shape[1]))
    weights = np.array([[np.cos(i + 2.0 * j) for j in range(x.shape[1])] for i in range(y.shape[1])])
    for k in range(len(x)):
        for i in range(y.shape[1]):
            for j in range(x.shape[1]):
                total[k % 7, j] += y[k, i] * weights[i, j] * 0.1
        total[(k + 1) % 7, 0] += np.sin(total[k % 7, 1])
    return total


SUMS = (
    outer_products,
    of_parts,
    under_a_condition,
    read_in_the_loop,
    of_a_triangle,
    twice,
    while_small,
    rows,
    rows_by_sums,
    rows_of_what_changes,
    rows_that_are_read,
)


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("program", SUMS, ids=lambda f: f.__name__)
def test_sums(program, steps: int) -> None:
    x, y = RNG.normal(size=(steps, 5)), RNG.normal(size=(steps, 7))
    _close(fs.function(program)(x, y), program(x, y))


def _close(found: object, wanted: object) -> None:
    if isinstance(wanted, tuple):
        for a, b in zip(found, wanted, strict=True):  # type: ignore[call-overload]
            _close(a, b)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("program", "count"),
    [
        (of_parts, 2),
        (under_a_condition, 2),
        (read_in_the_loop, 0),
        (of_a_triangle, 0),
        (twice, 2),
        (while_small, 2),
        (rows, 2),
        (rows_by_sums, 2),
        (rows_of_what_changes, 0),
        (rows_that_are_read, 0),
    ],
    ids=lambda f: getattr(f, "__name__", f),
)
def test_what_is_gathered(program, count: int) -> None:
    """Once where 32 are there, and once for those that are left; not what the loop reads, nor half a matrix."""
    x, y = RNG.normal(size=(9, 5)), RNG.normal(size=(9, 7))
    assert len(multiplications(fs.function(program), x, y)) == count


def test_schedules_without_laws_add_each_by_itself() -> None:
    x, y = RNG.normal(size=(9, 5)), RNG.normal(size=(9, 7))
    assert not multiplications(fs.function(of_parts, schedule="DPS"), x, y)


def recurrence(w, u, b, xs):
    h = np.zeros(len(b))
    for x in xs:
        h = np.tanh(w @ x + u @ h + b)
    return np.sum(h * h)


def gradient(w, u, b, xs):
    states = [np.zeros(len(b))]
    for x in xs:
        states.append(np.tanh(w @ x + u @ states[-1] + b))
    r, bars = 2.0 * states[-1], [np.zeros_like(w), np.zeros_like(u), np.zeros_like(b)]
    for x, before, after in zip(xs[::-1], states[-2::-1], states[:0:-1], strict=True):
        inner = r * (1.0 - after**2)
        bars[0] += np.outer(inner, x)
        bars[1] += np.outer(inner, before)
        bars[2] += inner
        r = u.T @ inner
    return bars


@pytest.mark.parametrize("steps", STEPS)
def test_the_weights_of_a_recurrence(steps: int) -> None:
    w, u, b, xs = (RNG.normal(size=shape) for shape in ((6, 4), (6, 6), (6,), (steps, 4)))
    g = fs.grad(recurrence, wrt=("w", "u", "b"), method="reverse")
    _close(tuple(g(w, u, b, xs)), tuple(gradient(w, u, b, xs)))
    if steps == 70:
        assert len(multiplications(g, w, u, b, xs)) == 4


def embedding(words, table, w, u):
    h = np.zeros(len(u))
    for word in words:
        h = np.tanh(w @ table[word] + u @ h)
    return np.sum(h * h)


def embedding_by_rows(words, table, w, u):
    h = np.zeros(len(u))
    for word in words:
        h = np.tanh(table[word] @ w.T + u @ h)
    return np.sum(h * h)


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("program", [embedding, embedding_by_rows], ids=lambda f: f.__name__)
def test_a_table_that_steps_look_up_in(program, steps: int) -> None:
    table, w, u = (RNG.normal(size=shape) / 2 for shape in ((4, 3), (6, 3), (6, 6)))
    words = RNG.integers(4, size=steps)
    states = [np.zeros(6)]
    for word in words:
        states.append(np.tanh(w @ table[word] + u @ states[-1]))
    r, bar = 2.0 * states[-1], np.zeros_like(table)
    for word, after in zip(words[::-1], states[:0:-1], strict=True):
        inner = r * (1.0 - after**2)
        bar[word] += w.T @ inner
        r = u.T @ inner
    g = fs.grad(program, wrt="table", method="reverse")
    _close(g(words, table, w, u), bar)
    if steps == 70:
        assert len(multiplications(g, words, table, w, u)) == 2


# -- over calls ----------------------------------------------------------------------------------------------------------


@dataclass
class Leaf:
    word: int


@dataclass
class Node:
    left: Leaf | Node
    right: Leaf | Node


def state(t, p):
    match t:
        case Leaf(word):
            return np.tanh(p["leaf"] @ p["words"][word])
        case Node(left, right):
            return np.tanh(p["left"] @ state(left, p) + p["right"] @ state(right, p))


def loss(trees, p):
    total = 0.0
    for one in trees:
        total += np.sum(state(one, p) ** 2)
    return total


def tree(words: int, rng: np.random.Generator) -> Leaf | Node:
    if words == 1:
        return Leaf(int(rng.integers(5)))
    k = int(rng.integers(1, words))
    return Node(tree(k, rng), tree(words - k, rng))


def in_numpy(t: Leaf | Node, p, bars):
    if isinstance(t, Leaf):
        h = np.tanh(p["leaf"] @ p["words"][t.word])

        def back(r):
            inner = r * (1 - h**2)
            bars["leaf"] += np.outer(inner, p["words"][t.word])
            bars["words"][t.word] += p["leaf"].T @ inner

        return h, back
    (l, back_left), (r, back_right) = in_numpy(t.left, p, bars), in_numpy(t.right, p, bars)
    h = np.tanh(p["left"] @ l + p["right"] @ r)

    def back(bar):
        inner = bar * (1 - h**2)
        bars["left"] += np.outer(inner, l)
        bars["right"] += np.outer(inner, r)
        back_left(p["left"].T @ inner)
        back_right(p["right"].T @ inner)

    return h, back


@pytest.mark.parametrize("sizes", [(1,), (2, 40), (1, 90, 3), ()], ids=str)
def test_weights_of_a_tree(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(12)
    trees = [tree(n, rng) for n in sizes]
    shapes = {"words": (5, 4), "leaf": (6, 4), "left": (6, 6), "right": (6, 6)}
    p = {name: rng.normal(size=shape) / 2 for name, shape in shapes.items()}
    bars = {name: np.zeros_like(a) for name, a in p.items()}
    for one in trees:
        h, back = in_numpy(one, p, bars)
        back(2 * h)
    packed = fs.pack(trees, Leaf | Node)
    for method in ("reverse", "tape", "continuations"):
        found = fs.grad(loss, wrt="p", method=method)(packed, p)
        for name, bar in bars.items():
            np.testing.assert_allclose(found[name], bar, rtol=1e-11, atol=1e-11, err_msg=f"{method} {name}")


def test_updates_are_gathered_over_calls() -> None:
    rng = np.random.default_rng(13)
    packed = fs.pack([tree(9, rng)], Leaf | Node)
    shapes = {"words": (5, 4), "leaf": (6, 4), "left": (6, 6), "right": (6, 6)}
    p = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    g = fs.grad(loss, wrt="p", method="reverse")
    assert len(multiplications(g, packed, p)) == 8
    assert "updates gathered over calls" in str(g.explain(packed, p))


def test_updates_are_gathered_on_the_tape() -> None:
    """The three weights and the table: where 32 are there, and after the sweep."""
    rng = np.random.default_rng(13)
    packed = fs.pack([tree(9, rng)], Leaf | Node)
    shapes = {"words": (5, 4), "leaf": (6, 4), "left": (6, 6), "right": (6, 6)}
    p = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    assert len(multiplications(fs.grad(loss, wrt="p", method="tape"), packed, p)) == 8


def test_deep_calls_add_the_same_bits() -> None:
    """On records as on the stack (decision 32)."""

    def chain(t, p):
        match t:
            case Leaf(word):
                return p["words"][word]
            case Node(left, right):
                return np.tanh(p["left"] @ chain(left, p) + p["right"] @ chain(right, p))

    comb: Leaf | Node = Leaf(0)
    for k in range(200):
        comb = Node(comb, Leaf(k % 5))
    rng = np.random.default_rng(14)
    p = {name: rng.normal(size=shape) / 2 for name, shape in {"words": (5, 6), "left": (6, 6), "right": (6, 6)}.items()}
    packed = fs.pack(comb, Leaf | Node)
    on_stack = fs.grad(lambda t, p: np.sum(chain(t, p)), wrt="p", method="reverse")(packed, p)
    on_records = fs.grad(lambda t, p: np.sum(chain(t, p)), wrt="p", method="continuations")(packed, p)
    for name in p:
        np.testing.assert_allclose(on_stack[name], on_records[name], rtol=1e-13, atol=1e-13)


def of_weights(t, w):
    match t:
        case Leaf(word):
            return np.full(len(w), 0.1 * word)
        case Node(left, right):
            return np.tanh(w @ of_weights(left, w) - w @ of_weights(right, w) + 0.3)


def weights_for_each(trees, weights):
    """The matrix is another one in each of the outer calls."""
    total = 0.0
    for k in range(len(trees)):
        total += np.sum(of_weights(trees[k], weights[k]))
    return total


def weights_that_are_read(trees, weights):
    """What has been added up is read between the calls, by the way back of the loop around them."""
    total, w = 0.0, weights[0]
    for k in range(len(trees)):
        total += np.sum(of_weights(trees[k], w))
        w = 0.5 * w + weights[k]
    return total


@pytest.mark.parametrize("program", [weights_for_each, weights_that_are_read], ids=lambda f: f.__name__)
def test_other_weights_in_each_call(program) -> None:
    rng = np.random.default_rng(15)
    packed = fs.pack([tree(n, rng) for n in (3, 40, 1, 35)], Leaf | Node)
    weights = rng.normal(size=(4, 6, 6)) / 2
    found = fs.grad(program, wrt="weights", method="reverse")(packed, weights)
    np.testing.assert_allclose(
        found, fs.grad(program, wrt="weights", method="tape")(packed, weights), rtol=1e-11, atol=1e-12
    )
    direction = rng.normal(size=weights.shape)
    _, slope = fs.jvp(program, wrt="weights")(packed, weights, tangent=direction)
    np.testing.assert_allclose(np.sum(found * direction), slope, rtol=1e-11)
