"""Types: their text, and the types of duals, tangents and Jacobians."""

from __future__ import annotations

import pytest

from fsmooth.core.types import (
    BOOL,
    F32,
    F64,
    INT,
    UNIT,
    Array,
    Function,
    Tuple,
    Type,
    array_of,
    dual,
    has_float,
    has_function,
    is_additive,
    jacobian,
    leaf_of,
    rank_of,
    scalars_of,
    tangent,
    unzipped,
)

V, M = Array(F64), Array(Array(F64))
PAIR = Tuple((F64, INT))
RECORD = Tuple((F64, V), ("a", "b"))
MAP = Function((V, INT), F64)

TEXTS = [
    (F64, "Float"),
    (F32, "Float32"),
    (INT, "Int"),
    (BOOL, "Bool"),
    (UNIT, "()"),
    (Tuple((F64,)), "(Float,)"),
    (PAIR, "(Float, Int)"),
    (RECORD, "{a: Float, b: Array<Float>}"),
    (M, "Array<Array<Float>>"),
    (MAP, "(Array<Float>, Int) => Float"),
    (Function((), MAP), "() => (Array<Float>, Int) => Float"),
]


@pytest.mark.parametrize(("type_", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_text(type_: Type, text: str):
    assert repr(type_) == text


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (F64, Tuple((F64, F64))),
        (F32, Tuple((F32, F32))),
        (INT, INT),
        (BOOL, BOOL),
        (V, Array(Tuple((F64, F64)))),
        (PAIR, Tuple((Tuple((F64, F64)), INT))),
        (MAP, Function((Array(Tuple((F64, F64))), INT), Tuple((F64, F64)))),
    ],
    ids=repr,
)
def test_dual(type_: Type, expected: Type):
    assert dual(type_) == expected


def test_tangent():
    assert tangent(RECORD) == RECORD
    assert tangent(PAIR) == Tuple((F64, UNIT))
    assert tangent(Array(PAIR)) == Array(Tuple((F64, UNIT)))
    assert tangent(Array(BOOL)) == Array(UNIT)
    with pytest.raises(TypeError, match="a function has no tangent"):
        tangent(Tuple((MAP,)))


def test_unzipped_arrays_of_tuples_are_tuples_of_arrays():
    assert unzipped(Array(RECORD)) == Tuple((V, M), ("a", "b"))
    assert unzipped(Array(Array(PAIR))) == Tuple((M, Array(Array(INT))))
    assert unzipped(Array(Tuple((PAIR, F64)))) == Tuple((Tuple((V, Array(INT))), V))
    assert unzipped(M) == M


def test_jacobian_has_output_indices_outside_and_structure_outermost():
    assert jacobian(V, V) == M
    assert jacobian(F64, M) == M
    assert jacobian(M, F32) == Array(Array(F32))
    assert jacobian(RECORD, V) == Tuple((V, M), ("a", "b"))
    assert jacobian(V, RECORD) == Tuple((V, M), ("a", "b"))
    assert jacobian(Tuple((F64, V)), Tuple((F64, V))) == Tuple((Tuple((F64, V)), Tuple((V, M))))
    assert jacobian(Array(Tuple((F64, F64))), V) == Tuple((M, M))


def test_leaves_and_ranks():
    assert (rank_of(F64), rank_of(M), rank_of(Array(PAIR))) == (0, 2, 1)
    assert leaf_of(Array(Array(PAIR))) == PAIR
    assert array_of(PAIR, 2) == Array(Array(PAIR))
    assert list(scalars_of(Tuple((M, PAIR, BOOL)))) == [F64, F64, INT, BOOL]
    with pytest.raises(TypeError, match="a function has no scalar leaves"):
        list(scalars_of(MAP))


def test_what_contains_what():
    assert [has_float(t) for t in (F32, INT, PAIR, Array(INT), UNIT)] == [True, False, True, False, False]
    assert [has_function(t) for t in (MAP, Tuple((F64, Array(MAP))), PAIR)] == [True, True, False]
    assert [is_additive(t) for t in (F64, INT, BOOL, PAIR, Array(RECORD), MAP, UNIT)] == [
        *(True, True, False, True, True, False, True),
    ]


def test_names_count_and_the_class_of_a_record_does_not():
    assert Tuple((F64,), ("a",)) != Tuple((F64,), ("b",))
    assert Tuple((F64,), ("a",)) != Tuple((F64,))
    assert Tuple((F64,), ("a",), record=dict) == Tuple((F64,), ("a",), record=list)
