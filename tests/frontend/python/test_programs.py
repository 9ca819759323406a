"""Each program, elaborated and interpreted, gives what Python gives."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.evaluate import evaluate
from fsmooth.core.types import Type
from fsmooth.core.values import plain, value_of
from fsmooth.frontend.elaborate import Elaborated, elaborate
from fsmooth.frontend.programs import SourceProgram
from fsmooth.runtime.arrays import infer_type
from tests.frontend.python import (
    algorithms,
    arrays,
    branches,
    captured,
    changes,
    comprehensions,
    containers,
    functions,
    iterators,
    jumps,
    late_names,
    list_values,
    lists,
    loops,
    more_loops,
    more_programs,
    names,
    numbers,
    programs,
    records,
    statements,
)

MODULES = (
    programs,
    more_loops,
    more_programs,
    comprehensions,
    loops,
    algorithms,
    branches,
    changes,
    functions,
    iterators,
    late_names,
    jumps,
    list_values,
    lists,
    containers,
    names,
    captured,
    records,
    statements,
    numbers,
    arrays,
)
CASES = [
    pytest.param(function, arguments, id=f"{module.__name__.rpartition('.')[2]}-{k}-{function.__name__}")
    for module in MODULES
    for k, (function, arguments) in enumerate(module.CASES)
]


pytestmark = pytest.mark.usefixtures("deep")


def elaborated(function, *arguments) -> Elaborated:
    program = SourceProgram(function)
    types: dict[str, Type] = {
        name: infer_type(value, name) for name, value in zip(program.signature.parameters, arguments, strict=False)
    }
    return elaborate(program, types)


def given(value: object) -> object:
    return tuple(vars(value).values()) if hasattr(value, "__dataclass_fields__") else value


def run(function, *arguments) -> object:
    made = elaborated(function, *arguments)
    values = [q.fetch() for q in made.parameters if q.fetch is not None]
    environment = {
        var: value_of(given(value), var.type)
        for var, value in zip(made.term.parameters, [*arguments, *values], strict=True)
    }
    result = evaluate(made.term.body, environment)
    return plain(result, made.term.body.type)


JOINED = ("empty", "empty_ranges", "mixed", "early_return", "joined", "integer_functions")
"""Programs in which integers meet real numbers on another path, so that they are real on every path."""


def same(found: object, expected: object, kind: bool = True) -> None:
    if isinstance(expected, tuple):
        assert isinstance(found, tuple)
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            same(a, b, kind)
    else:
        assert np.shape(found) == np.shape(expected)
        if kind and np.size(expected):
            assert np.asarray(found).dtype.kind == np.asarray(expected).dtype.kind
        np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(("function", "arguments"), CASES)
def test_program(function, arguments) -> None:
    same(run(function, *arguments), function(*arguments), function.__name__ not in JOINED)


@pytest.mark.parametrize(("function", "arguments"), CASES[::8])
def test_program_as_c(function, arguments) -> None:
    same(fs.function(function)(*arguments), function(*arguments), function.__name__ not in JOINED)
