"""Trees, lists and iterations of the benchmarks against plain Python, NumPy and closed forms, by each method."""

import numpy as np
import pytest
from benchmarks.trees.row import flat
from benchmarks.workloads import expressions, iterations, lists, paper_003, product_sum, tree_lstm

import fsmooth as fs

METHODS = ("forward", "reverse", "tape")
BACK = ("reverse", "tape")


def _near(found: object, wanted: object, relative: float = 1e-10) -> None:
    """Each array, by its largest entry."""
    ours, theirs = flat(found), flat(wanted)
    assert len(ours) == len(theirs)
    for f, w in zip(ours, theirs, strict=True):
        assert f.shape == w.shape
        assert np.max(np.abs(f - w), initial=0.0) <= relative * np.max(np.abs(w), initial=1e-300)


@pytest.mark.parametrize("leaves", [2, 3, 100])
def test_product_sum(leaves: int) -> None:
    t = product_sum.generate(leaves)
    assert repr(t) == f"Packed({leaves} Leaf, {leaves - 1} Node)"
    value, parts = product_sum.in_python(t, 0.45, 0.5)
    _near(product_sum.primal(t, 0.45, 0.5), value)
    _near(product_sum.total(t.unpack(), 0.45, 0.5), value)
    for derivative in (product_sum.gradient, product_sum.by_tape):
        _near(derivative(t, 0.45, 0.5), parts)


def test_the_treelstms_sentences_are_as_long_as_those_of_a_treebank() -> None:
    trees, labels, _ = tree_lstm.generate(3, 4, 10)
    assert repr(trees) == "Forest(10 trees: 190 Leaf, 180 Node)"
    assert len(labels) == 10


def test_tree_lstm() -> None:
    trees, labels, p = tree_lstm.generate(4, 3, 3)
    value, wanted = tree_lstm.in_numpy(trees, labels, p)
    _near(tree_lstm.primal(trees, labels, p), value)
    for derivative in (tree_lstm.gradient, tree_lstm.by_tape):
        found = derivative(trees, labels, p)
        for name in p:
            _near(found[name], wanted[name])


@pytest.mark.parametrize("nodes", [1, 2, 3, 300])
@pytest.mark.parametrize("form", expressions.FORMS)
def test_expressions(form: str, nodes: int) -> None:
    e, x = expressions.generate(nodes)
    assert sum([len(c) for name, c in e.columns.items() if not name.endswith("right")]) == nodes
    value, *parts = expressions.in_python(e, x)
    f = expressions.FORMS[form]
    _near(fs.function(f)(e, x), value)
    _near(f(e.unpack(), x), value)
    for method in BACK:
        _near(fs.grad(f, wrt=("e", "x"), method=method)(e, x), parts)


def test_children_are_found_without_a_copy_of_the_tree() -> None:
    """Add and Mul have fields of the same names: which child it is depends on the class, the columns do not."""
    assert "memcpy" not in fs.function(expressions.by_methods).c_source(*expressions.generate(300))


def test_expressions_contain_everything() -> None:
    """So that no class of nodes is measured on nothing."""
    assert min([len(c) for c in expressions.generate(300)[0].columns.values()]) > 10


@pytest.mark.parametrize("cells", [1, 2, 1000])
@pytest.mark.parametrize("form", lists.FOLDS)
def test_folds(form: str, cells: int) -> None:
    c, arrays = lists.generate(cells)
    value, f = np.sum(arrays[0] ** 2), lists.FOLDS[form]
    _near(fs.function(f)(c), value)
    _near(fs.function(lists.over_arrays)(*arrays), value)
    _near(fs.grad(lists.over_arrays, wrt="head")(*arrays), 2.0 * arrays[0])
    for method in BACK:
        _near(fs.grad(f, method=method)(c), 2.0 * arrays[0])


def test_folds_by_recursion_take_no_stack() -> None:
    c, (head, _, _) = lists.generate(1_000_000)
    value, slopes = fs.value_and_grad(lists.by_recursion)(c)
    _near(value, np.sum(head**2))
    _near(slopes, 2.0 * head)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", iterations.ITERATIONS)
def test_iterations(name: str, method: str) -> None:
    recursive, loop, arguments, wrt, (value, slope) = iterations.ITERATIONS[name]
    for f in (recursive, loop):
        _near(fs.function(f)(*arguments), value)
        _near(iterations.gradient(f, wrt, method)(*arguments), slope, 1e-9)


@pytest.mark.parametrize("method", BACK)
@pytest.mark.parametrize("name", paper_003.cases(1))
def test_programs_of_paper_003(name: str, method: str) -> None:
    case = paper_003.cases(30)[name]
    _near(fs.function(case.program)(*case.arguments), case.value)
    _near(fs.grad(case.program, wrt=case.wrt, method=method)(*case.arguments), case.right)


def test_a_rotation_keeps_lengths_and_upstreams_does_not() -> None:
    """The cross product upstream has an error in its second component."""
    v, q = np.array([0.3, -1.2, 0.7]), np.array([0.5, -0.1, 0.7, 0.5])
    assert q @ q == pytest.approx(1.0)
    found, upstream = (np.array(f(v, q)) for f in (paper_003.rotate, paper_003.rotate_as_upstream))
    _near(found, paper_003.matrix(q) @ v)
    assert np.linalg.norm(found) == pytest.approx(np.linalg.norm(v))
    assert np.abs(upstream - found)[[0, 2]].max() < 1e-15 < 0.1 < abs(upstream - found)[1]
    assert abs(np.linalg.norm(upstream) - np.linalg.norm(v)) > 0.05
