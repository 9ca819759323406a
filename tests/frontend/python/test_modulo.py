"""% and // of real numbers are Python's and NumPy's to the last bit, in C and before; so is C's remainder."""

from __future__ import annotations

import itertools
import math
import random
import struct

import numpy as np
import pytest

import fsmooth as fs
from tests.frontend.python.test_program_derivatives import central

TINY, HUGE = 5e-324, 1.7976931348623157e308
EDGES = (
    *(0.0, 0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 6.0, 7.5, 1e-20, 1e20, 2.0**52 + 1, 2.0**53, TINY, HUGE, 2.2e-308),
    *(math.inf, math.nextafter(1.0, 0.0), math.nextafter(1.0, 2.0), 1 / 3),
)
SIGNED = [s for x in EDGES for s in (x, -x)] + [math.nan]


def random_pairs(count: int) -> list[tuple[float, float]]:
    """Near multiples, of like size, and any bits at all."""
    rng = random.Random(7)
    pairs = []
    for _ in range(count):
        y = rng.uniform(-3, 3)
        pairs.append((y * rng.randrange(-1000, 1000), y))
        pairs.append((rng.uniform(-100, 100), y))
        bits = [struct.unpack("d", struct.pack("Q", rng.getrandbits(64)))[0] for _ in range(2)]
        pairs.append((bits[0], bits[1]))
    return pairs


PAIRS = [*itertools.product(SIGNED, repeat=2), *random_pairs(1500)]
X, Y = np.array(PAIRS).T


def everything(x, y):
    both = divmod(x, y)
    return [x % y, x // y, both[0], both[1], math.fmod(x, y), np.mod(x, y), np.remainder(x, y), np.floor_divide(x, y)]


def by_numpy(x: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    with np.errstate(all="ignore"):
        rest, whole = np.mod(x, y), np.floor_divide(x, y)
        return [rest, whole, whole, rest, np.fmod(x, y), rest, rest, whole]


def assert_identical(found: np.ndarray, expected: np.ndarray, x: np.ndarray, y: np.ndarray) -> None:
    """Equal, NaN and the signs of zeros included."""
    number = ~np.isnan(expected)
    wrong = (np.isnan(found) == number) | (number & ((found != expected) | (np.signbit(found) != np.signbit(expected))))
    assert not [*zip(x[wrong], y[wrong], found[wrong], expected[wrong], strict=True)][:5]


def test_the_examples() -> None:
    program = fs.function(lambda x, y: (x % y, x // y))
    assert program(5.0, 0.1) == (0.09999999999999973, 49.0)
    assert program(-1e-20, 1.0) == (1.0, -1.0)
    assert program(-7.5, 2.0) == (0.5, -4.0)


def test_numbers_are_those_of_python() -> None:
    program = fs.function(lambda x, y: (x % y, x // y, divmod(x, y), math.fmod(x, y)))
    finite = [(x, y) for x, y in PAIRS[::7] if math.isfinite(x) and y != 0.0]
    assert len(finite) > 500
    for x, y in finite:
        expected = (x % y, x // y, divmod(x, y), math.fmod(x, y))
        assert list(map(repr, program(x, y))) == list(map(repr, expected)), (x, y)


@pytest.mark.parametrize("schedule", ["DEFAULT", "NONE"])
@pytest.mark.parametrize("width", [np.float64, np.float32])
def test_arrays_are_those_of_numpy(width: type, schedule: str) -> None:
    with np.errstate(all="ignore"):
        x, y = X.astype(width), Y.astype(width)
    program = fs.function(lambda x, y: [everything(a, b) for a, b in zip(x, y)], schedule=schedule)  # noqa: B905
    found = program(x, y)
    assert found.dtype == width
    for k, expected in enumerate(by_numpy(x, y)):
        assert_identical(found[:, k], expected, x, y)


@pytest.mark.parametrize("y", [0.0, -0.0, 0.1, -0.1, 2.5, -2.5, math.inf, -math.inf])
def test_a_constant_divisor(y: float) -> None:
    found = fs.function(lambda x: [[a % y, a // y] for a in x])(X)
    literal = {0.1: lambda x: [[a % 0.1, a // 0.1] for a in x], -2.5: lambda x: [[a % -2.5, a // -2.5] for a in x]}
    rest, whole, *_ = by_numpy(X, np.full_like(X, y))
    for result in (found, fs.function(literal[y])(X)) if y in literal else (found,):
        assert_identical(result[:, 0], rest, X, np.full_like(X, y))
        assert_identical(result[:, 1], whole, X, np.full_like(X, y))


def test_a_reciprocal_that_others_share_leaves_the_floor_right() -> None:
    program = fs.function(lambda x, y: [[a // b, (a + 1) / b, a / b] for a, b in zip(x, y)])  # noqa: B905
    with np.errstate(all="ignore"):
        chosen = (np.abs(X / Y) < 2.0**50) & (np.abs(Y) > 1e-300)
    x, y = X[chosen], Y[chosen]
    assert len(x) > 3000
    assert "1.0 / " in program.c_source(x, y)
    np.testing.assert_array_equal(program(x, y)[:, 0], x // y)


def test_whole_arrays_and_mixed_numbers() -> None:
    x = np.array([5.0, -5.0, 7.25])
    np.testing.assert_array_equal(fs.function(lambda x: x % 0.1)(x), x % 0.1)
    np.testing.assert_array_equal(fs.function(lambda x: np.mod(x, -x[::-1]))(x), np.mod(x, -x[::-1]))
    np.testing.assert_array_equal(fs.function(lambda x: np.fmod(x, 3))(x), np.fmod(x, 3))
    np.testing.assert_array_equal(fs.function(lambda x, n: n // x)(x, 17), 17 // x)


@pytest.mark.parametrize("a", [0, 7, -7, 8, -8, 2**61 - 1, -(2**61)])
@pytest.mark.parametrize("b", [1, -1, 4, -4, 2**61 - 1, -(2**61)])
def test_remainder_of_integers(a: int, b: int) -> None:
    found = fs.function(lambda a, b: np.fmod(a, b))(a, b)
    assert found == np.fmod(np.int64(a), np.int64(b)) if (a, b) != (-(2**63), -1) else found == 0
    assert isinstance(found, int | np.integer)
    real = fs.function(lambda a, b: math.fmod(a, b))(a, b)
    assert (real, type(real)) == (math.fmod(a, b), float)


def test_remainder_by_the_integer_zero_is_an_error() -> None:
    with pytest.raises(fs.DivisionError, match="division by zero"):
        fs.function(lambda a, b: np.fmod(a, b))(1, 0)


def test_the_remainder_to_the_nearest_multiple_is_not_that_of_numpy() -> None:
    with pytest.raises(fs.UnsupportedError, match="math.remainder cannot be used.*") as caught:
        fs.function(lambda n: math.remainder(n, 4))(7)
    assert "hint: write x % y or math.fmod(x, y), which leave a remainder on one side" in str(caught.value)


# -- derivatives -------------------------------------------------------------------------------------------------------

AT = [(5.0, 0.3), (-5.0, 0.3), (5.0, -0.3), (-5.0, -0.3), (0.2, 0.7), (-0.2, 0.7), (123.4, 1.7)]
PROGRAMS = [lambda v: v[0] % v[1], lambda v: math.fmod(v[0], v[1]), lambda v: divmod(v[0], v[1])[1] * v[0]]


@pytest.mark.parametrize("f", PROGRAMS, ids=["%", "fmod", "divmod"])
@pytest.mark.parametrize("at", AT)
def test_gradients_are_differences(f: object, at: tuple[float, float]) -> None:
    np.testing.assert_allclose(fs.grad(f)(np.array(at)), central(f, np.array(at)), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("at", AT)
def test_the_gradient_is_that_of_x_minus_n_y_exactly(at: tuple[float, float]) -> None:
    assert fs.grad(lambda x, y: x % y, wrt=("x", "y"))(*at) == (1.0, -(at[0] // at[1]))
    assert fs.grad(lambda x, y: x // y, wrt=("x", "y"))(*at) == (0.0, 0.0)
    assert not fs.hessian(lambda v: v[0] % v[1])(np.array(at)).any()


@pytest.mark.parametrize(("x", "y", "slope"), [(6.0, 2.0, -3.0), (-6.0, 2.0, 3.0), (6.0, -2.0, 3.0), (0.0, 2.0, 0.0)])
def test_at_a_multiple_the_derivative_is_that_of_one_side(x: float, y: float, slope: float) -> None:
    assert fs.grad(lambda x, y: x % y, wrt=("x", "y"))(x, y) == (1.0, slope)


def test_a_constant_divisor_leaves_nothing_to_compute() -> None:
    assert fs.grad(lambda x: x % 0.3 - x // 0.3).c_source(1.0).count("fmod") == 0
    assert fs.grad(lambda x, y: x % y).c_source(1.0, 2.0).count("fmod") == 0
    assert fs.grad(lambda x, y: x % y, wrt="y").c_source(1.0, 2.0).count("fmod(") == 1
