"""Annotations are optional, and checked."""

import re

import numpy as np
import pytest

import fsmooth as fs
from tests.frontend.python.test_programs import elaborated, run


def scaled(points: fs.Array["n", 2], weights: fs.Array["n"], scale: float, flag: bool = True, name: "str" = ""):  # noqa: F821
    return [[scale * w * p[0], p[1]] for p, w in zip(points, weights)] if flag else [[0.0, 0.0]]  # noqa: B905


def test_annotated_program_runs() -> None:
    found = run(scaled, np.ones((3, 2)), np.array([1, 2, 3]), 2, True)
    np.testing.assert_allclose(found, [[2.0, 1.0], [4.0, 1.0], [6.0, 1.0]])


def test_wrong_rank_is_shown() -> None:
    with pytest.raises(fs.RankError, match=r"points is annotated as fs.Array\['n', 2\]") as caught:
        elaborated(scaled, np.ones(3), np.ones(3), 2.0, True)
    assert "^" in str(caught.value)


def test_wrong_type_is_shown() -> None:
    with pytest.raises(fs.TypeMismatchError, match="scale is annotated as float, and is a 1-dimensional array"):
        elaborated(scaled, np.ones((3, 2)), np.ones(3), np.ones(3), True)


def test_sizes_are_required() -> None:
    scale = fs.function(scaled)
    assert scale(np.ones((3, 2)), np.ones(3), 2.0).shape == (3, 2)
    with pytest.raises(fs.SizeError):
        scale(np.ones((3, 4)), np.ones(3), 2.0)
    with pytest.raises(fs.SizeError):
        scale(np.ones((3, 2)), np.ones(4), 2.0)


def test_integers_are_real_where_annotated() -> None:
    def square(x: float):
        return x * x

    assert fs.grad(square)(3) == 6.0


def bare(points: "fs.Array[rows, 2]", weights: "fs.Array[rows]"):  # noqa: F821
    return [w * p[0] for p, w in zip(points, weights)]  # noqa: B905


def test_names_of_sizes_may_be_bare() -> None:
    assert fs.function(bare)(np.ones((3, 2)), np.ones(3)).shape == (3,)
    with pytest.raises(fs.SizeError, match="sizes"):
        fs.function(bare)(np.ones((3, 2)), np.ones(4))


def of_rows(x: fs.Array["n", 3]):  # noqa: F821
    def weight(row):
        return sum(row[k] * row[k] for k in range(len(row)))

    first = x[0]
    return [weight(x[i]) * first[i] for i in range(len(first))]


def test_a_size_that_is_a_number_is_built_in_wherever_it_comes_from() -> None:
    x = np.arange(15.0).reshape(5, 3)
    for program in (fs.function(of_rows), fs.jacobian(of_rows), fs.jvp(of_rows)):
        tangent = {"tangent": x} if program.__name__.startswith("jvp") else {}
        code = program.c_source(x, **tangent)
        assert not re.search(r"for \(.*x_n1", code)
    np.testing.assert_allclose(fs.function(of_rows)(x), (x[:3] ** 2).sum(axis=1) * x[0])
    with pytest.raises(fs.SizeError):
        fs.jacobian(of_rows)(np.ones((5, 4)))


def test_nonsense_is_refused() -> None:
    for sizes in (
        2.5,
        -1,
        ("n", 2.5),
        True,
        "n // m",
        "n // 0",
        "n / 2",
        "n // -2",
        "n + 1.0",
        "2 - 3",
        "n +",
        "f(n)",
        "-n",
    ):
        with pytest.raises(
            fs.ArgumentError, match="a size is a name, a number that is not negative, or a sum"
        ) as caught:
            fs.Array[sizes]
        assert "hint: write fs.Array" in str(caught.value)


def later(x: "fs.Array['n / 2']"):  # noqa: F821
    return x[0]


def test_nonsense_in_a_text_is_refused_when_the_text_is_read() -> None:
    with pytest.raises(fs.ArgumentMismatchError, match=r"fs.Array\['n / 2'\]: a size is a name") as caught:
        elaborated(later, np.ones(3))
    assert "def later" in str(caught.value)


# -- arithmetic of sizes ---------------------------------------------------------------------------------------------


def spline(knots: fs.Array["n + 1"], slopes: fs.Array["2*(n-1)"], values: fs.Array["n"]):  # noqa: F821
    return [values[i] * (knots[i + 1] - knots[i]) for i in range(len(values))]


def bare_spline(knots: "fs.Array[n + 1]", slopes: "fs.Array[2 * (n - 1)]", values: "fs.Array[n]"):  # noqa: F821
    return [values[i] * (knots[i + 1] - knots[i]) for i in range(len(values))]


@pytest.mark.parametrize("program", [spline, bare_spline])
def test_arithmetic_of_sizes_is_checked(program) -> None:
    knots, slopes, values = np.array([0.0, 1.0, 3.0, 7.0]), np.ones(4), np.array([1.0, 2.0, 3.0])
    made = fs.function(program)
    np.testing.assert_array_equal(made(knots, slopes, values), [1.0, 4.0, 12.0])
    with pytest.raises(fs.SizeError, match="sizes 3 and 4 differ"):
        made(knots[1:], slopes, values)
    with pytest.raises(fs.SizeError, match="sizes 3 and 4 differ"):
        made(knots, slopes[1:], values)
    with pytest.raises(fs.SizeError, match="sizes 4 and 3 differ|sizes 3 and 4 differ"):
        fs.jacobian(program)(knots[1:], slopes, values)


def test_what_is_known_of_arithmetic_needs_no_check() -> None:
    source = fs.function(spline).c_source(np.ones(4), np.ones(4), np.ones(3))
    assert not re.search(r"fs_failed\(error, \d+, i", source)


def packed(lower: fs.Array["d * (d + 1) // 2"], x: fs.Array["d"]):  # noqa: F821
    """A triangle, its rows one after the other, times a vector."""
    return [sum(lower[r * (r + 1) // 2 + c] * x[c] for c in range(r + 1)) for r in range(len(x))]


def bare_packed(lower: "fs.Array[d * (d + 1) // 2]", x: "fs.Array[d]"):  # noqa: F821
    return [sum(lower[r * (r + 1) // 2 + c] * x[c] for c in range(r + 1)) for r in range(len(x))]


def half(x: fs.Array["7 // 2"]):
    return sum(x[i] for i in range(3))


def test_a_size_that_is_a_quotient_of_numbers_is_built_in() -> None:
    assert fs.function(half)(np.ones(3)) == 3.0
    assert "for" not in fs.function(half).c_source(np.ones(3)).split("int32_t half(")[1]


@pytest.mark.parametrize("program", [packed, bare_packed])
def test_whole_division_of_sizes(program) -> None:
    x = np.array([1.0, -2.0, 0.5])
    lower = np.arange(1.0, 7.0)
    full = np.zeros((3, 3))
    full[np.tril_indices(3)] = lower
    made = fs.function(program)
    np.testing.assert_allclose(made(lower, x), full @ x)
    np.testing.assert_allclose(fs.jacobian(program, wrt="x")(lower, x), full)
    with pytest.raises(fs.SizeError, match="sizes 5 and 6 differ"):
        made(lower[1:], x)


def of_nothing(x: fs.Array["n + 1"]):  # noqa: F821
    return x[0]


def test_a_name_that_never_stands_alone_is_the_size_of_nothing() -> None:
    with pytest.raises(
        fs.UndefinedNameError, match="n is the size of no argument: none is annotated with it alone"
    ) as e:
        elaborated(of_nothing, np.ones(3))
    assert 'hint: annotate one with fs.Array["n"]' in str(e.value)


# -- the result ------------------------------------------------------------------------------------------------------


def doubled(x: fs.Array["n"], m: int) -> fs.Array["n + 1"]:  # noqa: F821
    return [2.0 * x[0] for _ in range(m)]


def test_sizes_of_the_result_are_checked() -> None:
    x = np.ones(3)
    assert fs.function(doubled)(x, 4).shape == (4,)
    np.testing.assert_array_equal(fs.jacobian(doubled)(x, 4)[:, 0], np.full(4, 2.0))
    for verb in (fs.function, fs.jacobian):
        with pytest.raises(fs.SizeError, match="sizes 3 and 4 differ") as caught:
            verb(doubled)(x, 3)
        assert '-> fs.Array["n + 1"]' in str(caught.value)


def a_number(x) -> float:
    return [2.0 * v for v in x]


def a_matrix(x) -> fs.Array["n", "m"]:  # noqa: F821
    return [2.0 * v for v in x]


def integers(x) -> fs.Array["n", int]:  # noqa: F821
    return [2.0 * v for v in x]


def a_new_name(x) -> fs.Array["m"]:  # noqa: F821
    return [2.0 * v for v in x]


@pytest.mark.parametrize(
    ("program", "error", "message"),
    [
        (a_number, fs.TypeMismatchError, "the result is annotated as float, and is a 1-dimensional array of numbers"),
        (a_matrix, fs.RankError, "a 2-dimensional array of numbers, and is a 1-dimensional array of numbers"),
        (integers, fs.TypeMismatchError, "array of integers, and is a 1-dimensional array of numbers"),
    ],
)
def test_the_type_of_the_result_is_checked(program, error, message) -> None:
    with pytest.raises(error, match=message) as caught:
        elaborated(program, np.ones(3))
    assert "hint: return what the annotation says, or change it" in str(caught.value)


def test_a_result_may_name_its_size() -> None:
    np.testing.assert_array_equal(run(a_new_name, np.ones(3)), np.full(3, 2.0))
