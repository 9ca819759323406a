"""Whatever the library does with arrays of Float, it does with arrays of Float32, and stays there."""

import pytest

from fsmooth.core.term import Const, Term, Var
from fsmooth.core.types import F32, F64, INT, Array, Float, Tuple, Type
from fsmooth.library import WrongArguments, expand, names

_NEW = {"to_float", "to_float32", "linspace", "rangeReal", "arange"}
"""These say what they give."""


def _single(type_: Type) -> Type:
    match type_:
        case Float():
            return F32
        case Array(element):
            return Array(_single(element))
        case Tuple(items):
            return Tuple(tuple([_single(i) for i in items]))
        case _:
            return type_


def _arguments(kinds: str, real: Type) -> list[Term]:
    types = {"s": real, "v": Array(real), "m": Array(Array(real)), "n": INT}
    return [Const(2) if k == "2" else Var(k, types[k]) for k in kinds]


def _type(name: str, kinds: str, real: Type) -> Type | None:
    try:
        return expand(name, _arguments(kinds, real)).type
    except WrongArguments:
        return None


@pytest.mark.parametrize("kinds", ["s", "v", "m", "vv", "mm", "mv", "vm", "ss", "vs", "ms", "v2", "sss", "v22", "vss"])
def test_every_function(kinds: str) -> None:
    for name in sorted(names() - _NEW):
        double = _type(name, kinds, F64)
        if double is not None:
            assert _type(name, kinds, F32) == _single(double), name
