"""Programs over trees and lists of the user's own classes, each with arguments; as Python they are their own specification."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Optional, Union

import numpy as np

import fsmooth as fs

# -- expressions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Const:
    value: float


@dataclass(frozen=True)
class Name:
    slot: int


@dataclass(frozen=True)
class Binary:
    op: Literal["+", "*", "-", "/"]
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Call1:
    function: str
    of: Expr


@dataclass(frozen=True)
class Let:
    bound: Expr
    body: Expr


Expr = Union[Const, Name, Binary, Call1, Let]  # noqa: UP007  (as users write it too)


def evaluated(e, env):
    """By match, with literals in patterns, nested patterns, and guards."""
    match e:
        case Const(v):
            return v
        case Name(slot=k):
            return env[k]
        case Binary("+", a, b):
            return evaluated(a, env) + evaluated(b, env)
        case Binary("-", a, b):
            return evaluated(a, env) - evaluated(b, env)
        case Binary("*", Const(0.0), _) | Binary("*", _, Const(0.0)):
            return 0.0
        case Binary("*", a, b):
            return evaluated(a, env) * evaluated(b, env)
        case Binary(op, a, b) if op == "/":
            return evaluated(a, env) / evaluated(b, env)
        case Call1("sin", x):
            return math.sin(evaluated(x, env))
        case Call1(f, x) if f in ("exp", "e"):
            return math.exp(evaluated(x, env))
        case Call1(of=x):
            return evaluated(x, env) ** 2
        case Let(bound, body):
            value = evaluated(bound, env)
            return evaluated(body, np.array([env[1], value]))
        case _:
            return 0.0


def an_expression() -> Expr:
    shared = Call1("sin", Binary("+", Name(0), Const(0.3)))
    product = Binary("*", shared, Binary("-", shared, Const(2.0)))
    return Binary(
        "/",
        Let(Binary("*", Name(1), Const(1.5)), Binary("+", product, Call1("exp", Binary("*", Const(0.25), Name(1))))),
        Binary("+", Call1("square", Name(1)), Const(1.0)),
    )


class Shape:
    """A base with what all have."""

    scale = 2.0

    def area(self):
        return 0.0

    def weighted(self, w, *, offset=0.5):
        return w * self.area() * self.scale + offset


@dataclass
class Circle(Shape):
    r: float

    def area(self):
        return 3.0 * self.r * self.r


@dataclass
class Box(Shape):
    a: float
    b: float
    scale = 3.0

    def area(self):
        return self.a * self.b

    @property
    def diagonal(self):
        return math.sqrt(self.a**2 + self.b**2)


@dataclass
class Group(Shape):
    members: list[Circle | Box | Group | Nowhere]
    weight: float = 1.0

    def area(self):
        return self.weight * sum(m.area() for m in self.members)


def either(shape):
    """An or-pattern that gives a name, a guard on what a pattern names, and one with a comprehension."""
    match shape:
        case Circle(x) | Box(_, x):
            return x * x
        case Group(members, w) if w > 1.0 and sum(either(m) for m in members) > 0.5:
            return w * sum(either(m) for m in members)
        case Group(members=_, weight=w):
            return 1.0 + w * len(shape.members)
    return 3.0


@dataclass
class Nowhere(Shape):
    """A class without fields, which inherits everything."""


def area_by_methods(shape, w):
    return shape.weighted(w) + shape.area() ** 2


def diagonals(shape):
    """isinstance, and a property after it; a field read of another class after a branch."""
    if isinstance(shape, Box):
        return shape.diagonal
    if isinstance(shape, Circle):
        return shape.r
    total = 0.0
    if isinstance(shape, Group):
        for m in shape.members:
            total += shape.weight * diagonals(m)
    return total


def shapes() -> Group:
    box = Box(2.0, 0.5)
    return Group([Circle(1.5), box, Group([box, Nowhere(), Circle(0.25)], 0.7), Group([])], 1.25)


# -- lists -----------------------------------------------------------------------------------------------------------


@dataclass
class Cell:
    head: float
    tail: Optional[Cell] = None  # noqa: UP045


def cells(*numbers: float) -> Cell:
    result = None
    for x in reversed(numbers):
        result = Cell(x, result)
    assert result is not None
    return result


def folded(cell, x):
    """foldr: what comes after is needed."""
    if cell is None:
        return x
    return math.sin(cell.head) * folded(cell.tail, x) + cell.head


def horner(cell, x):
    """A loop whose state is a node."""
    total, node = 0.0, cell
    while node is not None:
        total = total * x + node.head
        node = node.tail
    return total


def by_truth(cell):
    """The truth of an optional node, two nodes in the state."""
    slow, fast, total = cell, cell, 1.0
    while fast and fast.tail:
        total += slow.head * fast.tail.head
        slow = slow.tail
        fast = fast.tail.tail
    return total * slow.head


def last(cell):
    """A node comes out of a loop, and is read after it."""
    while cell.tail is not None:
        cell = cell.tail
    return cell.head**2


def largest(cell):
    """A node is chosen in a loop with a branch."""
    best, node = cell, cell.tail
    while node is not None:
        if node.head > best.head:
            best = node
        node = node.tail
    return best.head**3 + cell.head


def pairwise(a, b):
    """Two lists at once, the shorter one ends it; a tuple is matched."""
    match a, b:
        case None, _:
            return 0.0
        case _, None:
            return 0.0
        case Cell(x, xs), Cell(y, ys):
            return x * y + pairwise(xs, ys)


class Nil(NamedTuple):
    pass


class Cons(NamedTuple):
    node: float
    n: int
    length: Cons | Nil


def with_odd_names(c):
    """A NamedTuple; its fields have names that the columns have."""
    match c:
        case Nil():
            return 1.0
        case Cons(node, n, length):
            return node * n + math.cos(node) * with_odd_names(length)


def while_it_holds(c):
    """A NamedTuple without fields is an empty tuple, which does not hold."""
    result = 1.0
    while c:
        result = result * c.node + c.n
        c = c.length
    return result if not c else 0.0


@dataclass
class Keywords:
    """Fields with names that C and Python's library take."""

    int: float
    double: float
    register: Keywords | None
    sin: float = 1.0
    row: float = 2.0
    start: float = 3.0


def keywords(k):
    here = k.int * k.double + math.sin(k.sin) * k.row - k.start**2
    return here if k.register is None else here * keywords(k.register)


# -- trees -----------------------------------------------------------------------------------------------------------


@dataclass
class Leaf:
    x: float


@dataclass
class Node:
    left: Tree
    right: Tree
    weight: float


Tree = Leaf | Node


def product_sum(t, a, b):
    match t:
        case Leaf(x):
            return a * x
        case Node(l, r, w):
            return w * product_sum(l, a, b) * product_sum(r, a, b) + b


def a_tree(depth: int = 3, seed: float = 0.5) -> Tree:
    if depth == 0:
        return Leaf(seed)
    return Node(a_tree(depth - 1, 0.9 * seed + 0.2), a_tree(depth - 2 if depth > 1 else 0, 1.1 - seed), 1.0 + seed / 3)


def a_shared_tree() -> Tree:
    leaf = Leaf(0.7)
    low = Node(leaf, leaf, 1.2)
    return Node(low, Node(low, leaf, 0.3), 0.9)


def mirrored(t, u):
    """Two trees at once, nested patterns."""
    match t, u:
        case Leaf(x), Leaf(y):
            return x * y
        case Node(Leaf(x), r, w), Node(l, _, _):
            return x * w + mirrored(r, l)
        case Node(l, _, w), Node(_, r, v):
            return w * v * mirrored(l, r)
        case Leaf(x) as leaf, _:
            return x * leaf.x
        case _, Leaf(y):
            return -y


def spine(t, x):
    """A loop that goes down, as the number says."""
    while isinstance(t, Node):
        x = x * t.weight
        if x > 1.0:
            t = t.left
            x = x - 0.5
        else:
            t = t.right
    return x * t.x


def tilted(t):
    """Counts down a depth as well; a field of another class after a branch."""

    def go(t, depth):
        scale = 1.0
        if isinstance(t, Leaf):
            scale = t.x
            depth = depth + 1
        if isinstance(t, Node):
            scale = t.weight * go(t.left, depth + 1) + go(t.right, depth + 2)
        return scale * (1.0 + 0.1 * depth)

    return go(t, 0)


@dataclass
class Search:
    key: int
    value: float
    below: Search | None = None
    above: Search | None = None


def looked_up(t, key):
    if t is None:
        return 0.0
    if key < t.key:
        return 0.5 * looked_up(t.below, key)
    if key > t.key:
        return looked_up(t.above, key) + 0.1 * t.key
    return t.value * t.value


def a_search_tree() -> Search:
    return Search(5, 1.0, Search(2, 2.0, None, Search(3, 7.0)), Search(8, 4.0, Search(6, 0.5)))


@dataclass
class Split:
    feature: int
    threshold: float
    below: Split | Answer
    above: Split | Answer


@dataclass
class Answer:
    values: list[float]


def soft_decision(t, x):
    match t:
        case Answer(values):
            return sum(v * v for v in values) + len(values)
        case Split(feature=k, threshold=at, below=a, above=b):
            p = 1.0 / (1.0 + math.exp(at - x[k]))
            return (1.0 - p) * soft_decision(a, x) + p * soft_decision(b, x)


def hard_decision(t, x):
    while isinstance(t, Split):
        t = t.below if x[t.feature] < t.threshold else t.above
    return t.values[0] * x[0]


def a_decision_tree() -> Split:
    return Split(
        1, 0.5, Answer([1.0, 2.0]), Split(0, -0.25, Answer([]), Split(1, 2.0, Answer([3.0]), Answer([0.5, 4.0, 1.0])))
    )


def hard_tree() -> Split:
    return Split(1, 0.5, Answer([1.0]), Split(0, 0.5, Answer([2.0, 3.0]), Answer([4.0])))


@dataclass
class Rose:
    value: float
    children: list[Rose] = field(default_factory=list)


def rose_sum(t):
    return t.value + sum(math.sin(t.value) * rose_sum(c) for c in t.children)


def rose_product(t, depth):
    """len, an index, and a loop with an index over children."""
    if len(t.children) == 0:
        return t.value * depth
    total = t.children[0].value
    for i in range(len(t.children)):
        total = total * t.value + (i + 1.0) * rose_product(t.children[i], depth + 1)
    return total


def rose_leaves(t, scale):
    """No way out of it but by the loop, and a truth value of a list."""
    if not t.children:
        return t.value * scale
    total = 0.0
    for k, c in enumerate(t.children):
        total += rose_leaves(c, scale * (k + 0.5))
    return total


def a_rose() -> Rose:
    low = Rose(0.5, [Rose(1.5), Rose(-0.75)])
    return Rose(1.1, [low, Rose(2.0), Rose(0.3, [low, Rose(0.1, [])])])


@dataclass
class Trie:
    key: str
    weight: float
    children: tuple[Trie, ...] = ()


def found_in_trie(t, first, second):
    for c in t.children:
        if c.key == first:
            for d in c.children:
                if d.key in (second, "*"):
                    return c.weight * d.weight
    return t.weight


def letters(t):
    here = t.weight if t.key in ("a", "b") else 2.0 if t.key != "" else 1.0
    return here * (1.0 + sum(letters(c) for c in t.children))


def a_trie() -> Trie:
    return Trie("", 0.5, (Trie("a", 2.0, (Trie("b", 3.0), Trie("c", 5.0))), Trie("ä", 7.0, (Trie("*", 11.0),))))


# -- cells of networks -----------------------------------------------------------------------------------------------


@dataclass
class Word:
    x: fs.Array["d"]  # noqa: F821, UP037


@dataclass
class Phrase:
    left: Word | Phrase
    right: Word | Phrase
    label: int


def tree_rnn(t, W, b):  # noqa: N803
    match t:
        case Word(x):
            return np.tanh(x)
        case Phrase(l, r, _):
            return np.tanh(W @ (tree_rnn(l, W, b) - 0.5 * tree_rnn(r, W, b)) + b)


def tree_rnn_loss(t, W, b):  # noqa: N803
    h = tree_rnn(t, W, b)
    return np.sum(h * h)


def labelled_loss(t, W, b):  # noqa: N803
    """A loss at each node, two results."""

    def go(t):
        match t:
            case Word(x):
                return np.tanh(x), 0.0
            case Phrase(l, r, k):
                hl, a = go(l)
                hr, b2 = go(r)
                h = np.tanh(W @ (hl * hr) + b)
                return h, a + b2 + h[k] ** 2
        return None

    return go(t)[1]


class Weights(NamedTuple):
    E: np.ndarray
    U: np.ndarray
    V: np.ndarray
    b: np.ndarray


@dataclass
class Token:
    word: int


@dataclass
class Merge:
    left: Token | Merge
    right: Token | Merge


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def state(t, p):
    """The hidden state and the memory of a TreeLSTM."""
    match t:
        case Token(w):
            c = sigmoid(p.V @ p.E[w]) * np.tanh(p.E[w])
            return np.tanh(c), c
        case Merge(l, r):
            hl, cl = state(l, p)
            hr, cr = state(r, p)
            i, f = sigmoid(p.U @ (hl + hr) + p.b), sigmoid(p.V @ hl)
            c = i * np.tanh(p.U @ hr) + f * cl + (1.0 - f) * cr
            return sigmoid(p.b) * np.tanh(c), c


def tree_lstm(t, p):
    h, c = state(t, p)
    return np.sum(h * p.b) + 0.1 * np.sum(c)


def weights(d: int = 3, words: int = 4) -> Weights:
    rng = np.random.default_rng(5)
    return Weights(*[rng.normal(size=s) for s in ((words, d), (d, d), (d, d), (d,))])


def a_phrase(d: int = 3) -> Phrase:
    rng = np.random.default_rng(6)
    words = [Word(rng.normal(size=d)) for _ in range(3)]
    low = Phrase(words[0], words[1], 1)
    return Phrase(Phrase(low, words[2], 0), low, 2)


def a_sentence() -> Merge:
    return Merge(Merge(Token(0), Token(3)), Merge(Token(1), Merge(Token(0), Token(2))))


@dataclass
class Ragged:
    values: np.ndarray
    flags: fs.Array["*"]  # noqa: F722
    rest: Ragged | None


def ragged(t):
    """Arrays of any length, empty ones too."""
    total = 1.0
    while t is not None:
        total = total * np.sum(t.values) + sum(f for f in t.flags)
        t = t.rest
    return total


def a_ragged() -> Ragged:
    empty = np.array([])
    return Ragged(
        np.array([1.0, 2.0]), np.array([0.5]), Ragged(empty, empty, Ragged(np.array([3.0]), np.arange(3.0), None))
    )


# -- several trees, and trees in other things -------------------------------------------------------------------------


def total(t):
    match t:
        case Leaf(x):
            return x
        case Node(l, r, w):
            return w * (total(l) + total(r))


def forest_total(trees, scale):
    result = 0.0
    for k, t in enumerate(trees):
        result += scale[k] * total(t)
    return result + total(trees[0]) * len(trees)


def two_kinds(t, cell, rose):
    """Three data types in one program."""
    return total(t) * folded(cell, 1.0) + rose_sum(rose) * horner(cell, 0.5)


def in_a_dict(data, x):
    return total(data["tree"]) * x + folded(data["cells"], data["scale"])


def in_a_tuple(data):
    t, (cell, y) = data
    return total(t) * horner(cell, y)


@dataclass
class Both:
    """One class in two unions: a Leaf is a Tree, and an End of these."""

    first: Leaf | Both
    second: Tree


def both(t):
    match t:
        case Both(f, s):
            return both(f) * total(s)
        case Leaf(x):
            return x


A_TREE = a_tree(2)


@dataclass
class Sum:
    """Fields of one name, kept in different columns, are read without asking for the class."""

    terms: list[Sum | Product | Number]
    label: str = "+"


@dataclass
class Product:
    terms: tuple[Sum | Product | Number, ...]
    weights: np.ndarray
    label: str = "*"


@dataclass
class Number:
    weights: list[float]
    label: str = ""


def of_either(t):
    if t.label == "":
        return sum(w * w for w in t.weights)
    total = 1.0 if t.label == "*" else 0.0
    for k, c in enumerate(t.terms):
        if t.label == "*":
            total = total * (of_either(c) + k)
        else:
            total = total + of_either(c)
    return total * (1.0 + len(t.terms))


def of_weights(t):
    """Arrays of other lengths in other classes."""
    if isinstance(t, Sum):
        return sum(of_weights(c) for c in t.terms)
    more = sum(of_weights(c) for c in t.terms) if isinstance(t, Product) else 0.0
    return sum(k * math.sin(w) for k, w in enumerate(t.weights)) + more


def a_sum() -> Sum:
    number = Number([0.5, 1.5, -0.5])
    product = Product((number, Sum([Number([2.0]), number]), Number([])), np.array([1.0, 0.25]))
    return Sum([product, Number([1.0, 0.5]), Product((), np.array([0.1, 0.2, 0.3, 0.4])), Sum([])])


def captured(x):
    return x * x * total(A_TREE)


def by_default(x, t=A_TREE):
    return x * total(t)


@fs.custom_derivative(vjp=lambda x, c: math.cos(x) * c)
def own_sin(x):
    return math.sin(x)


def with_rules(t):
    match t:
        case Leaf(x):
            return own_sin(x)
        case Node(l, r, w):
            return w * with_rules(l) * own_sin(with_rules(r))


def even_level(t):
    """Functions that call one another."""
    match t:
        case Leaf(x):
            return x
        case Node(l, r, w):
            return w * odd_level(l) + odd_level(r)


def odd_level(t):
    if isinstance(t, Leaf):
        return -t.x
    return even_level(t.left) * even_level(t.right)


def with_a_function(f, t):
    """A function as an argument."""
    match t:
        case Leaf(x):
            return f(x)
        case Node(l, r, w):
            return w * with_a_function(f, l) + with_a_function(f, r)


def mapped(t, a):
    return with_a_function(lambda x: a * x * x, t) - with_a_function(math.sin, t)


def leftmost(t):
    """Gives a node."""
    return t if isinstance(t, Leaf) else leftmost(t.left)


def of_a_node(t):
    return leftmost(t).x ** 2 * total(t)


PROGRAMS: dict[Callable[..., Any], tuple[Any, ...]] = {
    evaluated: (an_expression(), np.array([0.4, 1.3])),
    area_by_methods: (shapes(), 0.8),
    diagonals: (shapes(),),
    either: (shapes(),),
    folded: (cells(0.5, -1.0, 2.0, 0.25), 1.5),
    horner: (cells(1.0, -2.0, 0.5), 0.75),
    by_truth: (cells(1.0, 2.0, -0.5, 1.5, 0.75),),
    last: (cells(1.0, 2.0, 3.0),),
    largest: (cells(1.0, 0.5, 4.0, -2.0, 3.0),),
    pairwise: (cells(1.0, 2.0, 3.0), cells(0.5, -1.5)),
    with_odd_names: (Cons(0.5, 2, Cons(1.5, -3, Nil())),),
    while_it_holds: (Cons(0.5, 2, Cons(1.5, -3, Nil())),),
    keywords: (Keywords(1.0, 2.0, Keywords(0.5, 0.25, None, 2.0)),),
    product_sum: (a_tree(), 0.9, 0.4),
    mirrored: (a_tree(), a_shared_tree()),
    spine: (a_tree(), 1.1),
    tilted: (a_tree(),),
    looked_up: (a_search_tree(), 3),
    soft_decision: (a_decision_tree(), np.array([0.3, 0.6])),
    hard_decision: (hard_tree(), np.array([0.3, 0.6])),
    rose_sum: (a_rose(),),
    rose_product: (a_rose(), 1),
    rose_leaves: (a_rose(), 1.5),
    letters: (a_trie(),),
    tree_rnn_loss: (
        a_phrase(),
        np.array([[0.5, 0.1, -0.3], [0.2, -0.4, 0.6], [0.0, 1.0, 0.3]]),
        np.array([0.1, 0.2, -0.3]),
    ),
    labelled_loss: (
        a_phrase(),
        np.array([[0.5, 0.1, -0.3], [0.2, -0.4, 0.6], [0.0, 1.0, 0.3]]),
        np.array([0.1, 0.2, -0.3]),
    ),
    tree_lstm: (a_sentence(), weights()),
    ragged: (a_ragged(),),
    forest_total: ([a_tree(), a_shared_tree(), Leaf(2.0)], np.array([0.5, 2.0, -1.0])),
    two_kinds: (a_shared_tree(), cells(0.5, 1.5), a_rose()),
    in_a_dict: ({"tree": a_tree(), "cells": cells(1.0, 0.5), "scale": 0.5}, 1.5),
    in_a_tuple: ((a_shared_tree(), (cells(1.0, 2.0), 0.5)),),
    both: (Both(Both(Leaf(0.5), a_tree(1)), Leaf(1.5)),),
    of_either: (a_sum(),),
    of_weights: (a_sum(),),
    captured: (1.5,),
    by_default: (1.5,),
    with_rules: (a_shared_tree(),),
    even_level: (a_tree(3),),
    mapped: (a_tree(), 0.7),
    of_a_node: (a_tree(),),
}
"""Programs of real values; arguments with real numbers in them have derivatives."""
