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
    for sizes in (2.5, -1, ("n", 2.5), True):
        with pytest.raises(fs.ArgumentError, match="give each size as a name, or as a number that is not negative"):
            fs.Array[sizes]
