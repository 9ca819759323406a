"""Mistakes in programs over trees, each with arguments; tests/trees/messages.txt has what fsmooth says of them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Literal, NamedTuple, Optional

import numpy as np

import fsmooth as fs
from tests.trees.programs import Cell, Leaf, Node, Rose, Trie, cells, total

BAD: list[Callable[[], object]] = []


def wrong(call: Callable[[], object]) -> Callable[[], object]:
    """What raises when it is called."""
    BAD.append(call)
    return call


@functools.singledispatch
def dispatched(t):
    raise TypeError(t)


def tree() -> Node:
    return Node(Node(Leaf(1.0), Leaf(2.0), 0.5), Leaf(3.0), 2.0)


@wrong
def a_field_of_another_class():
    def leftmost(t):
        return t.left.left.left.x

    fs.function(leftmost)(tree())


@wrong
def a_field_of_another_class_after_a_branch():
    def weight(t):
        y = 0.0
        if isinstance(t, Leaf):
            y = t.x
        return y + t.weight

    fs.function(lambda t: weight(t.left) + weight(t.right))(tree())


@wrong
def a_field_that_the_branch_excludes():
    def weight(t):
        return t.weight if isinstance(t, Leaf) else weight(t.left)

    fs.function(weight)(tree())


@wrong
def a_field_that_no_class_has():
    def weight(t):
        return t.wieght

    fs.function(weight)(tree())


@dataclass
class Counted:
    value: int
    children: list[Counted | Named]


@dataclass
class Named:
    value: str


@wrong
def a_field_of_unlike_kinds():
    fs.function(lambda t: sum(c.value for c in t.children))(Counted(1, [Named("a")]))


@wrong
def a_text_that_is_added():
    fs.function(lambda t: t.key + 1.0)(Trie("a", 1.0, (Trie("c", 1.0),)))


@wrong
def children_that_are_returned():
    fs.function(lambda t: t.children)(Rose(1.0, [Rose(2.0)]))


class Pair(NamedTuple):
    x: float
    y: float


@wrong
def a_list_of_tuples_that_have_a_class():
    fs.function(lambda ps: sum(p.x if isinstance(p, Pair) else 0.0 for p in ps))([Pair(1.0, 2.0), Pair(3.0, 4.0)])


class Link(NamedTuple):
    x: float
    next: Link | None


@wrong
def a_node_with_an_index():
    fs.function(lambda t: 2.0 * t[0])(Link(1.0, None))


@wrong
def a_node_that_is_unpacked():
    def first(t):
        x, _ = t
        return x

    fs.function(first)(Link(1.0, None))


@wrong
def the_length_of_a_node():
    fs.function(lambda t: len(t) * t.x)(Link(1.0, None))


@dataclass
class Signed:
    x: float
    next: Signed | None

    def __bool__(self):
        return self.x > 0.0


@wrong
def a_truth_of_its_own():
    fs.function(lambda t: 1.0 if t else t.x)(Signed(1.0, None))


@wrong
def a_field_of_none():
    def third(c):
        return c.tail.tail.tail.head

    fs.function(third)(cells(1.0, 2.0))


@wrong
def a_method_that_a_class_lacks():
    fs.function(lambda t: t.total())(tree())


@wrong
def no_case():
    def leaves(t):
        match t:
            case Leaf(x):
                return x

    fs.function(leaves)(tree())


@wrong
def no_case_for_none():
    def folded(c):
        match c:
            case Cell(x, rest):
                return x + folded(rest)

    fs.function(folded)(cells(1.0))


@wrong
def no_case_when_it_runs():
    def pairs(t, u):
        match t, u:
            case Leaf(x), Leaf(y):
                return x * y
            case Node(a, _, _), Node(b, _, _):
                return pairs(a, b)

    fs.function(pairs)(tree(), tree().right)


@wrong
def no_case_whose_guard_holds():
    def positive(t):
        match t:
            case Leaf(x) if x > 0:
                return x
            case Leaf(x) if x < 0:
                return -x
            case Node(l, r, _):
                return positive(l) + positive(r)

    fs.function(positive)(Node(Leaf(1.0), Leaf(0.0), 2.0))


@wrong
def too_many_patterns():
    def first(t):
        match t:
            case Leaf(x, y):
                return x + y
            case Node():
                return 0.0

    fs.function(first)(tree())


@wrong
def nodes_compared():
    fs.function(lambda t: 1.0 if t.left == t.right else 0.0)(tree())


@wrong
def an_order_of_texts():
    fs.function(lambda t: 1.0 if t.key < "b" else 0.0)(Trie("a", 1.0, (Trie("c", 1.0),)))


@wrong
def a_field_assigned():
    def doubled(t):
        t.weight = 2.0
        return t.weight

    fs.function(doubled)(tree())


@wrong
def a_text_for_a_number():
    fs.function(total)(Node(Node(Leaf(1.0), Leaf("a"), 1.0), Leaf(1.0), 1.0))


@wrong
def a_number_for_a_node():
    fs.function(total)(Node(Leaf(1.0), 3.0, 1.0))


@wrong
def none_for_a_node():
    fs.function(total)(Node(Leaf(1.0), None, 1.0))


@wrong
def an_object_of_another_type():
    fs.function(total)(Node(Leaf(1.0), Cell(1.0), 1.0))


@wrong
def children_that_are_no_list():
    fs.function(lambda t: sum(c.value for c in t.children))(Rose(1.0, [Rose(2.0, None)]))


@wrong
def a_cycle():
    t = tree()
    t.left.right = t
    fs.function(total)(t)


@wrong
def a_cycle_through_children():
    t = Rose(1.0)
    t.children.append(Rose(2.0, [t]))
    fs.pack(t)


@wrong
def trees_of_two_types():
    fs.function(lambda ts: sum(total(t) for t in ts))([tree(), 3.0])


@dataclass
class Sized:
    x: fs.Array["d"]  # noqa: F821, UP037
    rest: Optional[Sized]  # noqa: UP045


@wrong
def sizes_that_differ():
    fs.function(lambda s: np.sum(s.x))(Sized(np.ones(3), Sized(np.ones(4), None)))


@wrong
def axes_that_differ():
    fs.function(lambda s: np.sum(s.x))(Sized(np.ones(3), Sized(np.ones((3, 3)), None)))


@dataclass
class Whole:
    k: int
    rest: Whole | None


@wrong
def a_real_number_for_an_integer():
    fs.pack(Whole(1, Whole(1.5, None)))


@wrong
def an_integer_that_is_too_large():
    fs.pack(Whole(2**63, None))


@dataclass
class Misspelt:
    left: Misspellt | float  # noqa: F821
    right: Misspelt | None


@wrong
def an_annotation_that_is_misspelt():
    fs.pack(Misspelt(None, None))


class Colour(Enum):
    RED = 1


@dataclass
class Coloured:
    colour: Colour
    rest: Coloured | None


@wrong
def an_annotation_of_an_enumeration():
    fs.pack(Coloured(Colour.RED, None))


@dataclass
class Loose:
    data: dict[str, float]
    rest: Loose | None


@wrong
def an_annotation_that_no_node_can_hold():
    fs.pack(Loose({}, None))


@dataclass
class Mixed:
    x: float | Literal["none"]
    rest: Mixed | None


@wrong
def a_number_or_a_text():
    fs.pack(Mixed(1.0, None))


@wrong
def no_class():
    fs.pack(tree(), 3)


@wrong
def no_object():
    fs.pack([1.0, 2.0])


@wrong
def no_trees():
    fs.pack([])


@wrong
def a_root_of_another_type():
    fs.pack(Cell(1.0), Leaf | Node)


@wrong
def a_jacobian_by_a_tree():
    fs.jacobian(lambda t: np.array([total(t), 1.0]))(tree())


@wrong
def a_hessian_by_a_tree():
    fs.hessian(total)(tree())


@wrong
def a_batch_of_trees():
    fs.vmap(total)([tree(), tree()])


@wrong
def a_tangent_of_another_class():
    fs.jvp(total)(tree(), tangent=1.0)


@wrong
def a_tangent_with_other_nodes():
    t = tree()
    fs.jvp(total)(t, tangent=Node(t.right, t.left, 1.0))


@wrong
def a_tangent_with_more_nodes():
    fs.hvp(total)(tree(), tangent=Node(tree(), tree(), 1.0))


@wrong
def a_child_that_is_not_there():
    fs.function(lambda t: t.children[2].value)(Rose(1.0, [Rose(2.0)]))


@wrong
def columns_of_another_length():
    columns = {
        "Leaf": {"x": np.ones(2)},
        "Node": {
            "left": fs.references(Leaf | Node, Leaf, [0]),
            "right": fs.references(Leaf | Node, Leaf, [0]),
            "weight": np.ones(2),
        },
    }
    fs.Packed.of(Leaf | Node, columns, fs.references(Leaf | Node, Node, 0))


@wrong
def a_reference_to_no_node():
    here = fs.references(Leaf | Node, Leaf, [5])
    columns = {"Leaf": {"x": np.ones(2)}, "Node": {"left": here, "right": here, "weight": np.ones(1)}}
    fs.Packed.of(Leaf | Node, columns, fs.references(Leaf | Node, Node, 0))


@wrong
def a_negative_reference():
    here = fs.references(Leaf | Node, Leaf, [-1])
    columns = {"Leaf": {"x": np.ones(2)}, "Node": {"left": here, "right": here, "weight": np.ones(1)}}
    fs.Packed.of(Leaf | Node, columns, fs.references(Leaf | Node, Node, 0))


@wrong
def a_root_that_is_not_there():
    here = fs.references(Leaf | Node, Leaf, [1])
    columns = {"Leaf": {"x": np.ones(2)}, "Node": {"left": here, "right": here, "weight": np.ones(1)}}
    fs.Packed.of(Leaf | Node, columns, fs.references(Leaf | Node, Node, 7))


@wrong
def references_in_a_cycle():
    here = fs.references(Leaf | Node, Node, [0])
    columns = {"Leaf": {"x": np.ones(2)}, "Node": {"left": here, "right": here, "weight": np.ones(1)}}
    fs.Packed.of(Leaf | Node, columns, fs.references(Leaf | Node, Node, 0))


@wrong
def a_column_of_texts():
    columns = {"Leaf": {"x": np.array(["a"])}}
    fs.Packed.of(Leaf | Node, columns, fs.references(Leaf | Node, Leaf, 0))


@wrong
def a_column_of_reals_for_references():
    columns = {
        "Leaf": {"x": np.ones(2)},
        "Node": {"left": np.array([0.5]), "right": np.array([0.5]), "weight": np.ones(1)},
    }
    fs.Packed.of(Leaf | Node, columns, fs.references(Leaf | Node, Node, 0))


@wrong
def a_class_that_is_not_there():
    fs.Packed.of(Leaf | Node, {"Leef": {"x": np.ones(2)}}, fs.references(Leaf | Node, Leaf, 0))


@wrong
def references_of_another_class():
    fs.references(Leaf | Node, Cell, [0])


@wrong
def another_value_in_a_field_that_is_not_there():
    fs.function(lambda t: dataclasses.replace(t, wieght=2.0))(tree())


@wrong
def another_value_in_a_field_that_another_class_has():
    fs.function(lambda t: dataclasses.replace(t.left, weight=2.0).weight)(Node(Leaf(1.0), Leaf(2.0), 0.5))


@wrong
def other_values_in_fields_of_two_classes():
    fs.function(lambda t: dataclasses.replace(t.left, weight=2.0, x=1.0))(tree())


@wrong
def a_field_that_the_class_excludes():
    def weight(t):
        return t.weight if type(t) is Leaf else weight(t.left)

    fs.function(weight)(tree())


@wrong
def a_function_that_is_dispatched():
    def twice(t):
        return 2.0 * dispatched(t)

    fs.function(twice)(tree())


@wrong
def the_class_of_a_number():
    fs.function(lambda x: x if type(x) is float else 2.0 * x)(1.0)
