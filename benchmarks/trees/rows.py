"""The rows of the table: workloads with their arguments, what is right, contenders and bars.

What is right comes from plain Python, NumPy and closed forms; none of it from fsmooth or the C by hand.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import fsmooth as fs
from benchmarks.reference import Reference
from benchmarks.trees.calling import calling, packing
from benchmarks.trees.row import Arrays, Contender, Row, by_hand, codipack, compiled, filling, reference
from benchmarks.workloads import expressions, iterations, lists, paper_003, product_sum, tree_lstm

try:
    from benchmarks.trees import peer_torch
except ImportError:
    peer_torch = None  # type: ignore[assignment]


def sums(leaves: int) -> Row:
    """Sums of products over a tree with so many leaves."""
    t = product_sum.generate(leaves)
    arguments = (t, product_sum.A, product_sum.B)
    value, parts = product_sum.in_python(*arguments)
    right, values = list(map(np.asarray, parts)), [np.asarray(value)]
    c = t.columns
    tree = (c["Leaf.value"], c["Node.left"], c["Node.right"], c["Node.value"])
    numbers = (product_sum.A, product_sum.B)
    total = np.zeros(())

    def gradient(library: Callable[[], Reference], name: str, *room: np.ndarray) -> Contender:
        made = [np.empty(leaves), np.empty(leaves - 1), np.empty(()), np.empty(())]
        return filling(library, name, (int(t.parts[0]), leaves, *tree, *made, *room, *numbers), made, right)

    contenders = {
        "value": compiled(product_sum.primal, arguments, values),
        "gradient": compiled(product_sum.gradient, arguments, right),
        "tape": compiled(product_sum.by_tape, arguments, right),
        "C value": by_hand("product_sum", (int(t.parts[0]), *tree, total, *numbers), [total], values),
        "C gradient, stack": gradient(reference, "product_sum_stack", np.empty(2 * leaves)),
        "C gradient, rows": gradient(reference, "product_sum_rows", np.empty(2 * leaves)),
    }
    bounds = {"value / C value": 1.2, "gradient / C gradient": 1.4, "tape / gradient": 2.0}
    if "CODIPACK" in os.environ:
        contenders["CoDiPack"] = gradient(codipack, "product_sum_codipack")
        bounds["gradient / CoDiPack"] = 0.4
    return Row(f"{leaves} leaves", contenders, bounds)


def network(H: int, D: int, sentences: int, faster: float) -> Row:
    """The TreeLSTM on so many sentences; `faster` is how many times as fast as PyTorch it is to be."""
    trees, labels, p = arguments = tree_lstm.generate(H, D, sentences)
    value, parts = tree_lstm.in_numpy(*arguments)
    c, total, made = trees.columns, np.zeros(()), [np.empty_like(a) for a in p.values()]
    words, nodes = len(c["Leaf.word"]), len(c["Node.left"])
    addresses = [np.array([a.ctypes.data for a in arrays], np.int64) for arrays in (p.values(), made)]

    def hand(gradient: object, result: Arrays, right: Arrays) -> Contender:
        rows = (np.empty(10 * H * nodes), np.empty(4 * H * words), np.empty(10 * H * (nodes + 2)))
        sizes = (H, D, tree_lstm.CLASSES, tree_lstm.WORDS, sentences, trees.parts[0], labels)
        given = (*sizes, c["Leaf.word"], c["Node.left"], c["Node.right"], addresses[0], gradient, *rows, total)
        return by_hand("tree_lstm", given, result, right, kept=(p, made))

    right, values = [parts[name] for name in p], [np.asarray(value)]
    contenders = {
        "value": compiled(tree_lstm.primal, arguments, values),
        "gradient": compiled(tree_lstm.gradient, arguments, right),
        "tape": compiled(tree_lstm.by_tape, arguments, right),
        "C value": hand(0, [total], values),
        "C gradient": hand(addresses[1], made, right),
    }
    bounds = {"gradient / value": 3.5, "tape / gradient": 2.0}
    if peer_torch is not None:
        made_by_torch = peer_torch.tree_lstm(*arguments)
        contenders["PyTorch"] = Contender(lambda: lambda: peer_torch.gradient(*made_by_torch), right)
        bounds["gradient / PyTorch"] = 1.0 / faster
    return Row(f"H = {H}, D = {D}, {words} words", contenders, bounds)


def evaluator(form: Callable[..., Any], nodes: int) -> Row:
    """An expression of so many nodes, and its derivatives by its constants and variables."""
    e, x = arguments = expressions.generate(nodes)
    value, *parts = expressions.in_python(e, x)
    c, total = e.columns, np.zeros(())
    made = [np.empty(len(c["Const.value"])), np.empty(len(x))]
    names = ("Add.left", "Add.right", "Const.value", "Mul.left", "Mul.right", "Sin.of", "Var.index")
    given = (int(e.parts[0]), *[c[name] for name in names], x)
    sizes = (len(made[0]), len(made[1]), *made, np.empty(2 * nodes))
    contenders = {
        "value": compiled(fs.function(form), arguments, [np.asarray(value)]),
        "gradient": compiled(fs.grad(form, wrt=("e", "x")), arguments, parts),
        "tape": compiled(fs.grad(form, wrt=("e", "x"), method="tape"), arguments, parts),
        "C value": by_hand("expression_value", (*given, total), [total], [np.asarray(value)]),
        "C gradient": by_hand("expression_gradient", (*given, *sizes), made, parts),
    }
    bounds = {"value / C value": 1.5, "gradient / value": 4.0, "tape / gradient": 2.0}
    return Row(f"{nodes} nodes", contenders, bounds)


def fold(form: Callable[..., Any], cells: int, *, tape: bool = True) -> Row:
    """The sum of squares over a list."""
    given, arrays = lists.generate(cells)
    head, tail, first = arrays
    values, right, total, made = [np.asarray(np.sum(head**2))], [2.0 * head], np.zeros(()), np.empty(cells)
    loop, back = fs.function(lists.over_arrays), fs.grad(lists.over_arrays, wrt="head")
    contenders = {
        "value": compiled(fs.function(form), (given,), values),
        "gradient": compiled(fs.grad(form), (given,), right),
        "loop value": compiled(loop, arrays, values),
        "loop gradient": compiled(back, arrays, right),
        "C value": by_hand("squares", (head, tail, first, total), [total], values),
        "C gradient": by_hand("squares_gradient", (head, tail, first, cells, made), [made], right),
    }
    if tape:
        contenders["tape"] = compiled(fs.grad(form, method="tape"), (given,), right)
    bounds = {"value / loop value": 1.05, "gradient / loop gradient": 1.05}
    return Row(f"{cells} cells", contenders, bounds)


def iteration(name: str) -> Row:
    """A recursion and the loop."""
    recursive, loop, arguments, wrt, (value, slope) = iterations.ITERATIONS[name]
    values, right = [np.asarray(value)], [np.asarray(slope)]
    contenders = {
        "value": compiled(fs.function(recursive), arguments, values),
        "gradient": compiled(iterations.gradient(recursive, wrt, "reverse"), arguments, right),
        "tape": compiled(iterations.gradient(recursive, wrt, "tape"), arguments, right),
        "loop value": compiled(fs.function(loop), arguments, values),
        "loop gradient": compiled(iterations.gradient(loop, wrt, "reverse"), arguments, right),
    }
    return Row("", contenders, {"value / loop value": 1.05, "gradient / loop gradient": 1.05})


def of_paper(name: str, n: int) -> Row:
    """A program of Table 1 of paper 003."""
    case = paper_003.cases(n)[name]
    right = [np.asarray(part) for part in case.right]
    contenders = {
        "value": compiled(fs.function(case.program), case.arguments, [np.asarray(case.value)]),
        "gradient": compiled(fs.grad(case.program, wrt=case.wrt, method="reverse"), case.arguments, right),
        "tape": compiled(fs.grad(case.program, wrt=case.wrt, method="tape"), case.arguments, right),
    }
    size = f"{case.elements} elements" if case.elements > 1 else "one"
    return Row(size, contenders, {"gradient": 2.0, "tape": 2.0}, case.elements)


_PAPER = list(paper_003.cases(1))
TREES: dict[str, Callable[[], Row]] = {
    "product-sum, small": partial(sums, 1 << 12),
    "product-sum, large": partial(sums, 1 << 19),
    "TreeLSTM, large": partial(network, 150, 300, 4, 7.0),
    "TreeLSTM, small": partial(network, 32, 32, 25, 50.0),
    **{f"expression {name}": partial(evaluator, form, 100_000) for name, form in expressions.FORMS.items()},
}
LOOPS: dict[str, Callable[[], Row]] = {
    **{f"sum of squares {name}": partial(fold, form, 1_000_000) for name, form in lists.FOLDS.items()},
    "sum of squares by recursion, long": partial(fold, lists.by_recursion, 10_000_000, tape=False),
    **{name: partial(iteration, name) for name in iterations.ITERATIONS},
}
PAPER: dict[str, Callable[[], Row]] = {name: partial(of_paper, name, 10_000) for name in _PAPER}
CALLS: dict[str, Callable[[], Row]] = {"packing": partial(packing, 12), "a call with 7 nodes": calling}
ROWS = TREES | LOOPS | PAPER | CALLS
