"""Values of the interpreter from NumPy's arrays and back."""

from __future__ import annotations

import numpy as np
import pytest

from fsmooth.core.evaluate import ArrayValue
from fsmooth.core.types import BOOL, F32, F64, INT, Array, Tuple, Type
from fsmooth.core.values import plain, value_of

V, M = Array(F64), Array(Array(F64))
RECORD = Tuple((F64, V), ("a", "b"))


@pytest.mark.parametrize(
    ("given", "type_"),
    [
        (1.5, F64),
        (3, INT),
        (True, BOOL),
        (np.array([1.0, -0.0, np.nan]), V),
        (np.arange(6.0).reshape(2, 3), M),
        (np.arange(6, dtype=np.int64).reshape(3, 2), Array(Array(INT))),
        (np.array([True, False]), Array(BOOL)),
        (np.array([0.1, 0.2], dtype=np.float32), Array(F32)),
        (np.zeros((0,)), V),
        (np.zeros((0, 3)), M),
        (np.zeros((3, 0)), M),
        ((1.5, np.array([1.0, 2.0])), RECORD),
        ((np.array([1.0, 2.0]), np.array([3, 4])), Array(Tuple((F64, INT)))),
        ((np.ones((2, 3)), np.zeros((2, 3))), Array(Array(Tuple((F64, F64))))),
        ((np.ones(2), (np.zeros(2), np.ones(2))), Array(Tuple((F64, Tuple((F64, F64)))))),
        ((np.ones(2), np.zeros((2, 3))), Array(Tuple((F64, V)))),
    ],
    ids=str,
)
def test_there_and_back(given: object, type_: Type):
    back = plain(value_of(given, type_), type_)

    def same(a: object, c: object) -> None:
        if isinstance(a, tuple):
            assert isinstance(c, tuple)
            for left, right in zip(a, c, strict=True):
                same(left, right)
        elif isinstance(a, np.ndarray):
            assert isinstance(c, np.ndarray)
            assert (a.dtype, a.shape) == (c.dtype, c.shape)
            np.testing.assert_array_equal(a, c)
            np.testing.assert_array_equal(np.signbit(a.astype(float)), np.signbit(c.astype(float)))
        else:
            assert type(a) is type(c)
            assert a == c

    same(given, back)


def test_numbers_are_converted_and_rounded():
    assert value_of(1, F64) == 1.0
    assert isinstance(value_of(1, F64), float)
    assert value_of(0.1, F32) == float(np.float32(0.1))
    assert value_of([[1, 2], [3, 4]], M) == ArrayValue(
        (2, 2), (ArrayValue((2,), (1.0, 2.0)), ArrayValue((2,), (3.0, 4.0)))
    )
    assert value_of([], M) == ArrayValue((0, 0), ())


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="an array of 2 dimensions is no Array<Float>"):
        value_of(np.ones((2, 2)), V)
    with pytest.raises(ValueError, match="an array of 1 dimensions is no Array<Array<Float>>"):
        value_of(np.ones(2), M)
    with pytest.raises(ValueError, match=r"the parts of an array of tuples have lengths \[2, 3\]"):
        value_of((np.ones(2), np.ones(3)), Array(Tuple((F64, F64))))
