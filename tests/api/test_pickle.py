"""Functions travel to other processes: pickled by name where they have one, else by their program."""

import copy
import functools
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs

X = np.array([1.0, 2.0])


@fs.function
def squares(v):
    return sum(x * x for x in v)


def cubes(v):
    return sum(x**3 for x in v)


compiled = fs.function(cubes)


class Scaled:
    def __init__(self, factor):
        self.factor = factor

    def scaled(self, v):
        return self.factor * v

    def powered(self, v, n: int = 2):
        return self.factor * v**n

    def scaled_all(self, *values):
        return [self.factor * v for v in values]

    def __call__(self, v):
        return self.factor * v

    @staticmethod
    @fs.function
    def doubled(v):
        return 2 * v


@pytest.mark.parametrize(
    ("function", "result"),
    [
        (squares, 5.0),
        (compiled, 9.0),
        (fs.grad(squares), [2.0, 4.0]),
        (fs.grad(cubes), [3.0, 12.0]),
        (fs.hessian(squares), [[2.0, 0.0], [0.0, 2.0]]),
        (Scaled.doubled, [2.0, 4.0]),
    ],
)
def test_pickled_and_copied(function, result) -> None:
    for again in (pickle.loads(pickle.dumps(function)), copy.copy(function), copy.deepcopy(function)):
        assert np.array_equal(again(X), result)
        assert repr(again) == repr(function)


def test_what_has_a_name_is_the_same_function_again() -> None:
    assert pickle.loads(pickle.dumps(squares)) is squares


def test_in_another_process() -> None:
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer)([1.0, 2.0]))"
    root = Path(__file__).parents[2]
    given = pickle.dumps(fs.grad(squares))
    made = subprocess.run([sys.executable, "-c", code], input=given, capture_output=True, check=True, cwd=root)
    assert made.stdout.decode().strip() == "[2. 4.]"


def test_a_lambda_has_no_name() -> None:
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(fs.function(lambda v: v))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            functools.partial(dict),
            "partial is not a Python function, so fsmooth cannot read it\n  hint: write a lambda in its place",
        ),
        (
            Scaled(2.0).scaled_all,
            "scaled_all is not a Python function, so fsmooth cannot read it\n  hint: wrap it: lambda x: ….scaled_all(x)",
        ),
        (
            Scaled(2.0),
            "Scaled is not a Python function, so fsmooth cannot read it\n  hint: wrap it: lambda x: ….__call__(x)",
        ),
        (int, "int is not a Python function, so fsmooth cannot read it\n  hint: wrap it: lambda x: int(x)"),
        (3, "3 is not a function\n  hint: give a Python function or a lambda"),
    ],
)
def test_what_is_no_function(function, message) -> None:
    with pytest.raises(fs.Error) as caught:
        fs.function(function)(X)
    assert str(caught.value) == message


def test_the_hints_for_methods_work() -> None:
    f = Scaled(2.0)
    assert fs.function(lambda x: f.scaled(x))(3.0) == fs.function(lambda x: f.__call__(x))(3.0) == 6.0


def test_a_bound_method_is_a_function_of_its_other_parameters() -> None:
    f = Scaled(2.0)
    compiled, slope = fs.function(f.scaled), fs.grad(f.powered)
    assert compiled(3.0) == 6.0
    assert slope(3.0) == 2.0 * 2.0 * 3.0
    assert slope(3.0, n=3) == slope(3.0, 3) == 2.0 * 3.0 * 9.0
    f.factor = 5.0  # another one at the next call
    assert compiled(3.0) == 15.0
    assert slope(3.0) == 30.0
    np.testing.assert_array_equal(fs.vmap(f.scaled)(X), 5.0 * np.array(X))
    assert fs.hessian(f.powered)(3.0, n=3) == pytest.approx(90.0)
