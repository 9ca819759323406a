"""Sizes that must agree are required wherever an array would otherwise be read beyond its end."""

from __future__ import annotations

import importlib.util
import itertools

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.rewrite.normaliser import Normaliser

X = np.array([1.0, 2.0, 3.0])
LONG = np.arange(1.0, 6.0)
WIDE = np.arange(6.0).reshape(2, 3)


def unpacked_rows(A):
    s = 0.0
    for row in A:
        a, b, c = row
        s += a * b * c
    return s


def row_assigned(A, row):
    B = A * 1.0
    B[1] = row
    return B


def either(x, y, k):
    return x if k > 0 else y


def neither(x, y, k):
    return x if not (k > 0) else y


def neither_of_pairs(x, y, k):
    return (1.0, x) if not (k > 0) else (2.0, y)


def either_statement(x, y, k):
    if k > 0:
        z = x
    else:
        z = y
    return z, len(z)


def returned_early(x, y, k):
    if k > 0:
        return x
    return y


def pair_of_either(x, y, k):
    return (1.0, x) if k > 0 else (2.0, y)


def shrinking(x):
    y = x
    for _ in range(2):
        y = y[1:]
    return y


def replaced_in_loop(x, y, n):
    z = x
    for _ in range(n):
        z = y * 2
    return z


def swapped_in_loop(x, y, n):
    a, b = x, y
    for _ in range(n):
        a, b = b, a
    return a


def stacked_in_loop(x, y):
    s = 0.0
    for i in range(2):
        s += [x * i, y * i][1][0]
    return s


def weighted(x):
    return [a * w for a, w in zip(x, [1.0, 2.0, 3.0, 4.0])]  # noqa: B905


def weighted_by_tuple(x):
    return [a * w for a, w in zip(x, (1.0, 2.0, 3.0, 4.0))]  # noqa: B905


def last_weights(pairs):
    return sum(scale * weights[len(weights) - 1] for scale, weights in pairs)


def either_list_of_pairs(x, y, n, k):
    first = [(1.0, x) for _ in range(n)]
    second = [(2.0, y) for _ in range(n)]
    return last_weights(first if k > 0 else second)


def carried_list_of_pairs(x, y, n, steps):
    pairs = [(1.0, x) for _ in range(n)]
    for k in range(steps):
        pairs = [(2.0 * k, y) for _ in range(n)]
    return last_weights(pairs)


def pairs_written_out(x, y):
    return last_weights([(1.0, x), (2.0, y)])


def stacked_lists_of_pairs(x, y):
    rows = np.stack(([(x, x) for _ in range(2)], [(y, y) for _ in range(2)]))
    return rows[1, 1, 1]


def zipped_strictly(x, y):
    return [a * b for a, b in zip(x, y, strict=True)]


GOOD = [
    (unpacked_rows, (WIDE,)),
    (row_assigned, (WIDE, X)),
    (either, (X, X + 1, 1)),
    (either, (X, X + 1, -1)),
    (either, (X, LONG, 1)),
    (neither, (X, LONG, -1)),
    (neither_of_pairs, (X, LONG, -1)),
    (either_statement, (X, X + 1, -1)),
    (either_statement, (X, LONG, 1)),
    (returned_early, (X, LONG, 1)),
    (pair_of_either, (X, X + 1, -1)),
    (replaced_in_loop, (X, X + 1, 2)),
    (replaced_in_loop, (X, LONG, 0)),
    (swapped_in_loop, (X, X + 1, 3)),
    (stacked_in_loop, (X, X + 1)),
    (weighted, (LONG[:4],)),
    (weighted, (LONG,)),
    (weighted, (X,)),
    (weighted_by_tuple, (LONG,)),
    (zipped_strictly, (X, X)),
    (either_list_of_pairs, (X, X + 1, 2, -1)),
    (either_list_of_pairs, (X, LONG, 2, 1)),
    (either_list_of_pairs, (X, LONG, 0, -1)),
    (carried_list_of_pairs, (X, X + 1, 2, 3)),
    (carried_list_of_pairs, (X, LONG, 2, 0)),
    (pairs_written_out, (X, X + 1)),
]

BAD = [
    (unpacked_rows, (WIDE.T,)),
    (row_assigned, (WIDE, LONG)),
    (either, (X, LONG, -1)),
    (neither, (X, LONG, 1)),
    (neither_of_pairs, (LONG, X, 1)),
    (either_statement, (X, LONG, -1)),
    (either_statement, (LONG, X, -1)),
    (returned_early, (X, LONG, -1)),
    (pair_of_either, (LONG, X, -1)),
    (shrinking, (LONG,)),
    (replaced_in_loop, (X, LONG, 2)),
    (swapped_in_loop, (X, LONG, 3)),
    (stacked_in_loop, (X, LONG)),
    (zipped_strictly, (X, LONG)),
    (either_list_of_pairs, (X, LONG, 2, -1)),
    (either_list_of_pairs, (LONG, X, 2, -1)),
    (carried_list_of_pairs, (X, LONG, 2, 3)),
    (pairs_written_out, (X, LONG)),
    (pairs_written_out, (LONG, X)),
    (stacked_lists_of_pairs, (X, LONG)),
]


@pytest.mark.parametrize(("f", "arguments"), GOOD)
@pytest.mark.parametrize("schedule", ["NONE", "DEFAULT"])
def test_sizes_that_agree(f, arguments, schedule) -> None:
    found, expected = fs.function(f, schedule=schedule)(*arguments), f(*arguments)
    for a, b in zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]:
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(a, b)


@pytest.mark.parametrize(("f", "arguments"), BAD)
@pytest.mark.parametrize("schedule", ["NONE", "DEFAULT"])
def test_sizes_that_differ(f, arguments, schedule) -> None:
    with pytest.raises(fs.SizeError, match="differ") as caught:
        fs.function(f, schedule=schedule)(*arguments)
    assert "^" in str(caught.value)
    assert "hint: give arrays of equal size" in str(caught.value)


def test_zip_does_not_read_beyond_the_end() -> None:
    with pytest.raises(fs.IndexOutOfBoundsError):
        fs.function(weighted_by_tuple)(X)


@pytest.mark.parametrize(
    ("f", "k"),
    [
        (lambda x, k: x[:k], -1),
        (lambda x, k: x[:k], 4),
        (lambda x, k: x[k:], -1),
        (lambda x, k: x[0:k], -2),
        (lambda x, k: x[k:2], -1),
        (lambda x, k: x[k:-9:-1], 9),
        (lambda x, k: x[k - 4 : k - 1], 3),
    ],
)
def test_computed_bounds_are_cut_off_as_in_numpy(f, k) -> None:
    np.testing.assert_array_equal(fs.function(f)(X, k), f(X, k))


@pytest.mark.parametrize(("f", "k"), [(lambda x, k: x[k], -4), (lambda x, k: x[k], 3), (lambda x, k: x[k - 1], -3)])
def test_computed_indices_are_checked(f, k) -> None:
    with pytest.raises(fs.IndexOutOfBoundsError):
        fs.function(f)(X, k)


def test_an_index_that_is_read_from_an_array_is_not_negative() -> None:
    with pytest.raises(fs.IndexOutOfBoundsError, match="computed indices do not count from the end"):
        fs.function(lambda x, k: sum(x[i] for i in k))(X, np.array([0, -1]))


def test_sizes_are_never_negative() -> None:
    def f(x, a, b):
        rows = [x[i] for i in range(a, b)]
        pairs = [i * j for i in range(b - a) for j in range(b - a)]
        return len(rows), len(x[a:b]), len(range(a, b)), len(pairs), rows

    *counts, rows = fs.function(f)(LONG, 4, 2)
    assert counts == [0, 0, 0, 0]
    assert rows.shape == (0,)


def products(x, y):
    return x[1:] * y + y * x[1:]


def of_two_parts(x, y):
    return x[2:] - y[:-1]


def in_a_loop(x, y):
    z = x[1:]
    for _ in range(2):
        z = z * y
    return z


def of_rows(x, y):
    return np.stack([x[3:], y[1:]]) @ y[1:]


def of_a_branch(x, y):
    return np.zeros(len(x) - 5) if len(x) > 5 else np.zeros(0)


def of_a_shape(x, y):
    return np.broadcast_to(x[3:], (2, len(x[3:])))


def assigned(x, y):
    z = np.zeros(len(y))
    z[:] = x[1:]
    return np.append(z, len(x[1:] + y))


def added(x, y):
    z = y.copy()
    z += x[1:]
    return z


def found_to_differ(f, x, y) -> bool:
    try:
        f(x, y)
    except fs.SizeError:
        return True
    return False


OF_PARTS = [products, of_two_parts, in_a_loop, of_rows, of_a_branch, of_a_shape, assigned, added]


@pytest.mark.parametrize("f", OF_PARTS)
def test_parts_of_short_arrays_have_no_elements(f) -> None:
    """So `x[3:]` of two numbers goes with everything else that has none."""
    both = fs.function(f)
    slopes = [
        fs.grad(lambda x, y: np.sum(np.sin(f(x, y))), wrt=(0, 1), method=m) for m in ("reverse", "forward", "tape")
    ]
    tried = 0
    for n, m in itertools.product(range(7), range(5)):
        x, y = np.linspace(1.0, 2.0, n), np.linspace(3.0, 4.0, m)
        try:
            expected = f(x, y)
        except ValueError:
            with pytest.raises(fs.SizeError):
                both(x, y)
            continue
        if found_to_differ(both, x, y):  # one element goes only with one element
            assert 1 in (n - 1, n - 2, n - 3, m, m - 1)
            continue
        tried += 1
        found = both(x, y)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-14)
        (first, *others) = [slope(x, y) for slope in slopes]
        for other in others:
            for a, b, given in zip(first, other, (x, y), strict=True):
                assert a.shape == given.shape
                np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-14)
    assert tried > 4


def test_ragged_arrays_inside_a_list_of_pairs_are_refused_at_their_line() -> None:
    def f(n):
        return [(1.0, [1.0 for j in range(i)]) for i in range(n)]

    with pytest.raises(fs.RaggedError, match="different lengths") as caught:
        fs.function(f)(3)
    assert "[(1.0, [1.0 for j in range(i)]) for i in range(n)]" in str(caught.value)


def test_a_ragged_sum_is_refused_at_its_line() -> None:
    with pytest.raises(fs.RaggedError, match="different lengths") as caught:
        fs.function(lambda x: sum(x[:i] for i in range(len(x))))(X)
    assert "x[:i] for i in range(len(x))" in str(caught.value)


def annotated(camera: fs.Array[3], points: fs.Array["n", 3]):  # noqa: F821, UP037
    return [sum(camera[i] * p[i] for i in range(len(camera))) + len(p) for p in points]


def test_annotated_numbers_are_static() -> None:
    f = fs.function(annotated)
    np.testing.assert_allclose(f(X, WIDE), WIDE @ X + 3)
    assert "< 3" not in f.c_source()  # the loop over three numbers is unrolled
    for wrong in ((LONG, WIDE), (X, WIDE.T)):
        with pytest.raises(fs.SizeError, match="sizes 3 and"):
            f(*wrong)
    np.testing.assert_allclose(fs.grad(lambda c: sum(annotated(c, WIDE)))(X), WIDE.sum(axis=0))


def beyond(camera: fs.Array[3]):
    return camera[3]


def before(camera: fs.Array[3]):
    return camera[-4]


def guarded(camera: fs.Array[3], k: int):
    return camera[3] if k > 0 else camera[2]


@pytest.mark.parametrize(("f", "index"), [(beyond, 3), (before, -4)])
def test_constant_indices_beyond_static_arrays_fail_while_compiling(f, index) -> None:
    with pytest.raises(fs.ProgramError, match=f"index {index} is out of bounds for camera, which has size 3") as caught:
        fs.function(f).c_source(X)
    assert isinstance(caught.value, fs.IndexOutOfBoundsError)


def test_a_constant_index_in_a_branch_fails_only_where_it_runs() -> None:
    f = fs.function(guarded)
    assert f(X, 0) == 3.0
    with pytest.raises(fs.IndexOutOfBoundsError):
        f(X, 1)


def padded(b, n: int):
    """Where n is the length of b, the first branch is b: of its size there, and of none that is known elsewhere."""
    k = len(b)
    c = [b[j] if j < k else 0.0 for j in range(n)]
    if n == k:
        return [c[j] for j in range(n)]
    return [2.0 * c[j] for j in range(n)]


def padded_pair(b, n: int):
    k = len(b)
    c = [b[j] if j < k else 0.0 for j in range(n)]
    return (1, [c[j] for j in range(n)]) if n == k else (2, [2.0 * c[j] for j in range(n)])


def padded_rows(b, n: int):
    k = len(b)
    rows = [[b[j] * i if j < k else 0.0 for j in range(n)] for i in range(2)]
    found = [[v for v in row] for row in rows] if n == k or n == k - 1 else [[v + 1.0 for v in row] for row in rows]
    return found[1]


@pytest.mark.parametrize("program", [padded, padded_pair, padded_rows])
def test_a_size_that_the_condition_gives_is_that_of_one_branch(program) -> None:
    f = fs.function(program)
    for n in (0, 1, 2, 3, 4, 40):
        found, wanted = f(X, n), program(X, n)
        np.testing.assert_array_equal(
            found[-1] if isinstance(found, tuple) else found,
            np.array(wanted[-1] if isinstance(wanted, tuple) else wanted),
        )
        tangent = fs.jvp(lambda b, n: np.sum(np.array(padded(b, n))), wrt="b")(X, n, tangent=np.ones(3))[1]
        assert tangent == min(n, 3) * (1.0 if n == 3 else 2.0)


@pytest.mark.parametrize("program", [padded, padded_rows])
def test_gradients_of_such_arrays(program) -> None:
    for method in ("forward", "reverse", "tape"):
        g = fs.grad(lambda b, n: np.sum(np.sin(np.array(program(b, n)))), wrt="b", method=method)
        for n in (1, 3, 7):
            for k, found in enumerate(g(X, n)):
                d = np.eye(3)[k] * 1e-6
                ahead, behind = (np.sum(np.sin(program(X + e, n))) for e in (d, -d))
                assert found == pytest.approx((ahead - behind) / 2e-6, abs=1e-8)


def nested_branches(depth: int, folder) -> object:
    """A program with a branch in each branch, of which each condition says another size."""
    names = [f"k{k}" for k in range(depth)]
    lines = [f"def f(b, n: int, {', '.join([f'{k}: int' for k in names])}):"]
    lines.append("    c = [b[j] if j < len(b) else 0.0 for j in range(n)]")
    lines += [f"{'    ' * (k + 1)}if n == {name}:" for k, name in enumerate(names)]
    lines += [f"{'    ' * (depth + 1)}return [c[j] for j in range(n)]", "    return [2.0 * c[j] for j in range(n)]", ""]
    path = folder / f"nested_{depth}.py"
    path.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def test_branches_in_branches_take_no_time_for_each_way_through_them(tmp_path, monkeypatch) -> None:
    taken = []
    for depth in (5, 10):
        count = 0
        run = Normaliser.step

        def counted(self, term, run=run):
            nonlocal count
            count += 1
            return run(self, term)

        monkeypatch.setattr(Normaliser, "step", counted)
        program = nested_branches(depth, tmp_path)
        f = fs.function(program)
        given = (3, *[3] * depth)
        np.testing.assert_array_equal(f(X, *given), program(X, *given))
        np.testing.assert_array_equal(f(X, 7, *[3] * depth), program(X, 7, *[3] * depth))
        taken.append(count)
        monkeypatch.undo()
    assert taken[1] < 4.0 * taken[0]  # 32 times, if each level were read twice


def test_the_jacobian_of_a_list_that_grows_under_a_condition_is_made_in_the_mode_that_can():
    def squares(x):
        found = []
        for v in x:
            if v > 0.0:
                found.append(v * v)
        return found

    x = np.array([0.5, -1.0, 2.0])
    explained = fs.jacobian(squares).explain(x)
    assert "jacobian: reverse, there is an array of arrays of different sizes in the other mode" in explained
    with pytest.raises(fs.RaggedError, match=r"hint: .* method='reverse'$"):
        fs.jacobian(squares, method="forward").explain(x)
