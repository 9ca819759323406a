"""What is said about mistakes that show when a program is called, and that the process goes on after each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import fsmooth as fs

X = np.array([1.0, 2.0, 3.0])


class Camera(NamedTuple):
    focal: float
    axis: np.ndarray


def element(x, k):
    return x[k]


def cell(A, i, j):
    return A[i, j]


def added(a, b):
    return a + b


def multiplied(A, v):
    return A @ v


def greatest(x):
    return max(x)


def greatest_of_some(x):
    return max(a for a in x if a > 10)


def divided(a, b):
    return a // b


def halves(x, n):
    return [x[i] for i in range(len(x) % n)]


def changed(x, k):
    y = x.copy()
    y[k] = 0.0
    return y


def squares(v):
    return sum(a * a for a in v)


def rows(A: fs.Array["n", 2]):  # noqa: F821, UP037
    return [r[0] for r in A]


def counts(k: fs.Array["n", int]):  # noqa: F821, UP037
    return k[0]


def focal(camera):
    return camera.focal


def shown(error: BaseException, function) -> str:
    """The class and the text, with lines counted from the function's own."""
    first = function.__code__.co_firstlineno
    text = re.sub(
        r'  File "([^"]*)", line (\d+)',
        lambda m: f"  {Path(m[1]).name}, line +{int(m[2]) - first}",
        str(error),
    )
    return f"{type(error).__name__}: {text}"


CASES = [
    (
        element,
        (X, 3),
        """\
IndexOutOfBoundsError: index 3 is out of bounds for x, which has size 3
  test_calls.py, line +1
    return x[k]
           ^^^^
  hint: indices go from 0 to 2""",
    ),
    (
        element,
        (X, -4),
        """\
IndexOutOfBoundsError: index -4 is out of bounds for x, which has size 3
  test_calls.py, line +1
    return x[k]
           ^^^^
  hint: indices go from 0 to 2""",
    ),
    (
        element,
        (np.zeros(0), 0),
        """\
IndexOutOfBoundsError: index 0 is out of bounds for x, which has size 0
  test_calls.py, line +1
    return x[k]
           ^^^^
  hint: it is empty: check the size first""",
    ),
    (
        cell,
        (np.ones((2, 3)), 0, 3),
        """\
IndexOutOfBoundsError: index 3 is out of bounds for A, which has size 3
  test_calls.py, line +1
    return A[i, j]
           ^^^^^^^
  hint: indices go from 0 to 2""",
    ),
    (
        changed,
        (X, 5),
        """\
IndexOutOfBoundsError: index 5 is out of bounds for y, which has size 3
  test_calls.py, line +2
    y[k] = 0.0
    ^^^^
  hint: indices go from 0 to 2""",
    ),
    (
        added,
        (X, np.ones(2)),
        """\
SizeError: sizes 3 and 2 differ
  test_calls.py, line +1
    return a + b
           ^^^^^
  hint: give arrays of equal size""",
    ),
    (
        multiplied,
        (np.ones((2, 3)), np.ones(2)),
        """\
SizeError: sizes 3 and 2 differ
  test_calls.py, line +1
    return A @ v
           ^^^^^
  hint: give arrays of equal size""",
    ),
    (
        greatest,
        (np.zeros(0),),
        """\
EmptyError: the maximum or minimum of nothing
  test_calls.py, line +1
    return max(x)
           ^^^^^^
  hint: check the size first""",
    ),
    (
        greatest_of_some,
        (X,),
        """\
EmptyError: the maximum or minimum of nothing
  test_calls.py, line +1
    return max(a for a in x if a > 10)
              ^^^^^^^^^^^^^^^^^^^^^^^^
  hint: check the size first""",
    ),
    (
        divided,
        (1, 0),
        """\
DivisionError: integer division by zero
  test_calls.py, line +1
    return a // b
           ^^^^^^
  hint: check the divisor first""",
    ),
    (
        halves,
        (X, 0),
        """\
DivisionError: integer division by zero
  test_calls.py, line +1
    return [x[i] for i in range(len(x) % n)]
                                ^^^^^^^^^^
  hint: check the divisor first""",
    ),
    (
        rows,
        (np.ones((2, 3)),),
        """\
SizeError: sizes 2 and 3 differ
  test_calls.py, line +0
    def rows(A: fs.Array["n", 2]):  # noqa: F821, UP037
             ^^^^^^^^^^^^^^^^^^^
  hint: give arrays of equal size""",
    ),
]


@pytest.mark.parametrize(("f", "arguments", "message"), CASES)
def test_a_failure_while_running_is_shown_at_its_line(f, arguments, message) -> None:
    compiled = fs.function(f)
    for _ in range(2):  # the first call, and the fast one
        with pytest.raises(fs.RunError) as caught:
            compiled(*arguments)
        assert shown(caught.value, f) == message


WRONG = [
    (
        squares,
        (),
        {},
        "ArgumentError: squares(v): missing a required argument: 'v'\n  hint: its parameters are (v)",
    ),
    (
        squares,
        (X, X),
        {},
        "ArgumentError: squares(v): too many positional arguments\n  hint: its parameters are (v)",
    ),
    (
        added,
        (X,),
        {"c": X},
        "ArgumentError: added(a, b): missing a required argument: 'b'\n  hint: its parameters are (a, b)",
    ),
    (
        squares,
        (np.array([1j]),),
        {},
        "ArgumentError: v is complex, and programs are of real numbers\n"
        "  hint: pass the real and the imaginary part as two arguments: v.real, v.imag",
    ),
    (
        squares,
        ({"a": [1.0, object()]},),
        {},
        "ArgumentError: v['a'][1]: expected a number, an array, a list, a tuple, a dictionary or a record, found object\n"
        "  hint: fs.register_pytree_node says what the parts of the objects of a class are",
    ),
    (
        squares,
        (1.0,),
        {},
        """\
TypeMismatchError: a number cannot be iterated over
  test_calls.py, line +1
    return sum(a * a for a in v)
                              ^
  hint: use range(n), or an array""",
    ),
    (
        cell,
        (X, 0, 0),
        {},
        """\
RankError: 2 indices for a 1-dimensional array of numbers
  test_calls.py, line +1
    return A[i, j]
           ^^^^^^^
  hint: give at most one index for each dimension""",
    ),
    (
        rows,
        (X,),
        {},
        """\
RankError: A is annotated as fs.Array['n', 2], a 2-dimensional array of numbers, and is a 1-dimensional array of numbers
  test_calls.py, line +0
    def rows(A: fs.Array["n", 2]):  # noqa: F821, UP037
             ^^^^^^^^^^^^^^^^^^^
  hint: pass what the annotation says, or change it""",
    ),
    (
        counts,
        (X,),
        {},
        """\
TypeMismatchError: k is annotated as fs.Array['n', int], a 1-dimensional array of integers, and is a 1-dimensional array of numbers
  test_calls.py, line +0
    def counts(k: fs.Array["n", int]):  # noqa: F821, UP037
               ^^^^^^^^^^^^^^^^^^^^^
  hint: pass what the annotation says, or change it""",
    ),
    (
        focal,
        (X,),
        {},
        """\
UndefinedNameError: a 1-dimensional array of numbers has no focal
  test_calls.py, line +1
    return camera.focal
           ^^^^^^^^^^^^
  hint: arrays have shape, size, ndim, dtype, T, copy(), sum(), max(), dot(), …""",
    ),
    (
        element,
        (Camera(1.0, X), 5),
        {},
        """\
TypeMismatchError: a tuple is indexed by a constant
  test_calls.py, line +1
    return x[k]
           ^^^^
  hint: use an array (a list) instead of a tuple""",
    ),
]


@pytest.mark.parametrize(("f", "arguments", "keywords", "message"), WRONG)
def test_wrong_arguments(f, arguments, keywords, message) -> None:
    with pytest.raises(fs.Error) as caught:
        fs.function(f)(*arguments, **keywords)
    assert shown(caught.value, f) == message


def test_source_that_is_not_available() -> None:
    names: dict[str, object] = {}
    exec("def typed(x):\n    return x", names)
    with pytest.raises(fs.SourceNotAvailableError) as caught:
        fs.function(names["typed"])(1.0)  # type: ignore[arg-type]
    assert str(caught.value) == (
        "the source of typed is not available\n"
        "  hint: define it in a file (or a notebook cell), not with exec or at a bare prompt"
    )


def test_every_error_is_of_fsmooth_and_of_python() -> None:
    pairs = [
        (fs.UndefinedNameError, NameError),
        (fs.TypeMismatchError, TypeError),
        (fs.ArgumentError, TypeError),
        (fs.RaggedError, ValueError),
        (fs.SizeError, ValueError),
        (fs.EmptyError, ValueError),
        (fs.UnknownMethodError, ValueError),
        (fs.IndexOutOfBoundsError, IndexError),
        (fs.DivisionError, ZeroDivisionError),
        (fs.OutOfMemoryError, MemoryError),
    ]
    for ours, theirs in pairs:
        assert issubclass(ours, fs.Error)
        assert issubclass(ours, theirs)
