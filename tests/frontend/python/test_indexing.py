"""`x[…]` against NumPy: random indices read and assigned, values and derivatives; what is checked; no copies in loops."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import fsmooth as fs
from tests.frontend.python.random_indices import CUBE, NAMES, indices

PARAMETERS = ", ".join(["cube", *[name for name in NAMES if name != "none"]])
ARGUMENTS = (CUBE, *[value for name, value in NAMES.items() if name != "none"])
HEAD = "import numpy as np\n\nnone = None\n\n\n"


def module(folder: Path, name: str, lines: list[str], result: str) -> ModuleType:
    """A module with one function, which does `lines` and returns `result`."""
    path = folder / f"{name}.py"
    path.write_text(
        HEAD + f"def {name}({PARAMETERS}):\n" + "".join([f"    {q}\n" for q in [*lines, f"return {result}"]])
    )
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize("seed", [1, 2])
def test_random_indices_read(tmp_path: Path, seed: int) -> None:
    texts = indices(seed, 24)
    read = module(tmp_path, "read", [], "(" + ", ".join([f"cube[{text}]" for text in texts]) + ",)").read
    for text, found, wanted in zip(texts, fs.function(read)(*ARGUMENTS), read(*ARGUMENTS), strict=True):
        np.testing.assert_array_equal(found, wanted, err_msg=text)
        assert np.shape(found) == np.shape(wanted), text
    squares = " + ".join([f"{k + 1} * np.sum(cube[{text}] ** 2)" for k, text in enumerate(texts)])
    summed = module(tmp_path, "summed", [], squares).summed
    expected = np.zeros(CUBE.size)
    for k, text in enumerate(texts):
        places = eval(f"cube[{text}]", {"np": np, "cube": np.arange(CUBE.size).reshape(CUBE.shape), **NAMES})
        np.add.at(expected, places, 2.0 * (k + 1) * CUBE.ravel()[places])
    for method in ("forward", "reverse"):
        found = fs.grad(summed, wrt="cube", method=method)(*ARGUMENTS)
        np.testing.assert_allclose(found.ravel(), expected, rtol=1e-13)


@pytest.mark.parametrize("seed", [3, 4])
def test_random_indices_assigned(tmp_path: Path, seed: int) -> None:
    texts = indices(seed, 18)
    lines = []
    for k, text in enumerate(texts):
        lines.append(f"a{k} = cube.copy()")
        right = ["0.5", f"cube[{text}] * 2.0", f"a{k}[{text}] ** 2"][k % 3]
        lines.append(f"a{k}[{text}] {['=', '+=', '='][k // 3 % 3]} {right}")
    names = ", ".join([f"a{k}" for k in range(len(texts))])
    assign = module(tmp_path, "assign", lines, f"({names},)").assign
    for text, found, wanted in zip(texts, fs.function(assign)(*ARGUMENTS), assign(*ARGUMENTS), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-15, err_msg=text)
    total = " + ".join([f"{k + 1} * np.sum(a{k} ** 3)" for k in range(len(texts))])
    summed = module(tmp_path, "summed", lines, total).summed
    gradients = [fs.grad(summed, wrt="cube", method=method)(*ARGUMENTS) for method in ("forward", "reverse")]
    np.testing.assert_allclose(*gradients, rtol=1e-12)
    direction = np.cos(np.arange(CUBE.size)).reshape(CUBE.shape)
    h = 1e-5
    rest = ARGUMENTS[1:]
    slope = (summed(CUBE + h * direction, *rest) - summed(CUBE - h * direction, *rest)) / (2 * h)
    np.testing.assert_allclose(np.sum(gradients[0] * direction), slope, rtol=1e-7)


X = np.array([0.3, -1.2, 2.5, 0.9, 1.1, -0.4])
A = np.array([[2.0, 0.4, 0.3], [0.4, 3.0, -0.5], [0.3, -0.5, 1.5]])


def chosen(x, k):
    """Functions that choose."""
    grid = np.ix_([0, 2], k)
    table = np.stack([x, x * x, -x])
    return (
        table[grid],
        table[np.ix_([True, False, True], k)],
        np.take(x, k),
        np.take(table, k, axis=1),
        np.take(x, [7, -9], mode="clip"),
        np.take(x, [7, -9], mode="wrap"),
        np.take_along_axis(table, np.array([[0, 1], [2, 2], [5, 0]]), axis=1),
        np.compress([True, False, True], table, axis=0),
        np.extract(x > 0.5, x),
        table[np.nonzero(table > 1.0)],
        np.flatnonzero(x > 0.5),
        np.argwhere(table > 1.0),
        np.where(x > 0.5)[0],
        x[slice(1, 4)],
    )


def changed(x, k):
    """Calls that change arrays, and assignments of several."""
    a = x.copy()
    np.add.at(a, k, 2.0 * a[k])
    np.subtract.at(a, [1, 1], np.array([0.5, 0.25]))
    table = np.stack([x, x * x, -x])
    np.fill_diagonal(table, a[0])
    table[1].fill(a[1])
    np.put_along_axis(table, np.array([[0], [1], [2]]), a[:3].reshape(3, 1), axis=1)
    b = x.copy()
    b[[0, 2]] = b[[2, 0]]
    b[b > 2.0] *= 0.5
    b[1:] -= b[:-1]
    b[k] += 1.0
    c = np.zeros(6)
    c[...] = x
    c[b < 0.0] = x[b < 0.0] ** 2
    c += x[:1]
    np.maximum.at(c, [0, 0], np.array([0.1, 3.0]))
    np.copyto(b, c * b)
    return a, table, b, c


PLACES = np.array([1, 4, -1])


@pytest.mark.parametrize("program", [chosen, changed])
def test_functions_that_choose_and_change(program) -> None:
    for found, wanted in zip(fs.function(program)(X, PLACES), program(X.copy(), PLACES), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-15)


def test_derivatives_of_changes() -> None:
    def f(x, k):
        a, table, b, c = changed(x, k)
        return np.sum(a**3) + np.sum(table**2) + np.sum(b**2) + np.sum(c**3)

    assert fs.check_derivative(f, X, PLACES, wrt="x")


def cholesky(A):
    A = A.copy()
    for k in range(len(A)):
        A[k, k] = np.sqrt(A[k, k])
        A[k + 1 :, k] /= A[k, k]
        for j in range(k + 1, len(A)):
            A[j:, j] -= A[j:, k] * A[j, k]
            A[k, j] = 0.0
    return A


def eliminated(A):
    A = A.copy()
    for k in range(len(A)):
        p = k + np.argmax(np.abs(A[k:, k]))
        A[[k, p]] = A[[p, k]]
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return A


def smoothed(x):
    x = x.copy()
    for _ in range(4):
        x[1:-1] += 0.1 * (x[2:] - 2.0 * x[1:-1] + x[:-2])
    return x


IN_LOOPS = [(cholesky, A), (eliminated, A[::-1].copy()), (smoothed, X)]


@pytest.mark.parametrize(("program", "argument"), IN_LOOPS)
def test_slices_are_assigned_in_place(program, argument: np.ndarray) -> None:
    run = fs.function(program)
    np.testing.assert_allclose(run(argument), program(argument), rtol=1e-13)
    _, _, steps = run.c_source(argument).partition("/* line")
    assert "_held" not in steps  # no buffers are exchanged
    assert "A_n0 * A_n1" not in steps  # nor is all of it copied
    weights = np.cos(np.arange(argument.size)).reshape(argument.shape)

    def total(a):
        return np.sum(program(a) * weights)

    assert fs.check_derivative(total, argument)


def test_hessian_through_assignments() -> None:
    def f(x):
        y = x.copy()
        y[1:] *= y[:-1]
        y[[0, 2]] = y[[2, 0]] ** 2
        return np.sum(y[::2] * y[1::2])

    found = fs.hessian(f)(X)
    gradient = fs.grad(f)
    h = 1e-5
    rows = [(gradient(X + h * row) - gradient(X - h * row)) / (2 * h) for row in np.eye(len(X))]
    np.testing.assert_allclose(found, rows, rtol=1e-6, atol=1e-8)


def test_an_index_that_cannot_be_negative_costs_nothing() -> None:
    def f(x):
        return sum(x[i] * x[i - 1] for i in range(1, len(x))) + sum(x[len(x) - 1 - i] for i in range(len(x)))

    source = fs.function(f).c_source(X)
    assert "?" not in source.partition("int32_t f(")[2]
    assert "fs_failed(error" not in source.partition("int32_t f(")[2]


def test_indices_that_count_from_the_end() -> None:
    def f(x, k):
        return sum(x[i] * x[i - k] for i in range(len(x))) + sum(x[-i] for i in range(1, len(x)))

    assert fs.function(f)(X, 2) == pytest.approx(f(X, 2), rel=1e-15)
    with pytest.raises(fs.IndexOutOfBoundsError, match="index -7 is out of bounds for x, which has size 6"):
        fs.function(f)(X, 7)


def test_index_arrays_are_checked() -> None:
    def f(x, k):
        return x[k]

    with pytest.raises(fs.IndexOutOfBoundsError) as caught:
        fs.function(f)(X, np.array([1, -9]))
    lines = str(caught.value).splitlines()
    assert lines[0] == "index -9 is out of bounds for x, which has size 6"
    assert lines[-1] == "  hint: indices go from -6 to 5"
    with pytest.raises(fs.IndexOutOfBoundsError, match="index 6 is out of bounds for x, which has size 6"):
        fs.function(f)(X, np.array([6]))


def test_sizes_of_masks_and_right_sides_are_checked() -> None:
    def masked(x, mask):
        return x[mask]

    def assigned(x, v):
        y = x.copy()
        y[1:4] = v
        return y

    def added(x, y):
        x = x.copy()
        x += y
        return x

    with pytest.raises(fs.SizeError, match="sizes 6 and 5 differ"):
        fs.function(masked)(X, X[:5] > 0.0)
    with pytest.raises(fs.SizeError, match="sizes 3 and 2 differ"):
        fs.function(assigned)(X, X[:2])
    with pytest.raises(fs.SizeError, match="sizes 6 and 2 differ"):
        fs.function(added)(X, X[:2])


def test_empty_parts() -> None:
    def f(x, a, b, mask):
        y = x.copy()
        y[a:b] = 1.0
        y[mask] = x[mask]
        return len(x[a:b]), len(x[mask]), np.sum(x[10:]), y

    *counts, y = fs.function(f)(X, 4, 2, X > 9.0)
    assert counts == [0, 0, 0.0]
    np.testing.assert_array_equal(y, X)


def test_views_are_views() -> None:
    def f(x):
        row = x[1:3]
        x[:2] = 0.0
        return row

    with pytest.raises(fs.ProgramError, match="row shares its memory with x"):
        fs.function(f)(X)

    def g(x):
        copy = x[[1, 2]]
        x[:2] = 0.0
        return copy

    np.testing.assert_array_equal(fs.function(g)(X), X[1:3])


def test_rows_are_assigned_from_tuples() -> None:
    def f(x):
        y = np.zeros((3, 2))
        for i in range(3):
            y[i] = x[2 * i], x[2 * i + 1] ** 2
        y[:, 0] = 1.0, x[1], 3
        y[1] += x[0], x[2]
        _, y[2] = x[0], (x[0], 7.0)
        return y

    np.testing.assert_allclose(fs.function(f)(X), f(X))
    np.testing.assert_allclose(fs.grad(lambda x: np.sum(f(x)))(X), [2.0, 1.0 + 2.0 * X[1], 1.0, 2.0 * X[3], 0.0, 0.0])
