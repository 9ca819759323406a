"""Each program, elaborated and interpreted, gives what Python gives."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from fsmooth.core.evaluate import evaluate
from fsmooth.core.types import Type
from fsmooth.core.values import plain, value_of
from fsmooth.frontend.elaborate import Elaborated, elaborate
from fsmooth.frontend.programs import SourceProgram
from fsmooth.runtime.arrays import infer_type
from tests.frontend.python import more_programs, programs

CASES = [*programs.CASES, *more_programs.CASES]


@pytest.fixture(autouse=True)
def deep():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    yield
    sys.setrecursionlimit(limit)


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


def same(found: object, expected: object) -> None:
    if isinstance(expected, tuple):
        assert isinstance(found, tuple)
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            same(a, b)
    else:
        np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("function", "arguments"), CASES, ids=[f"{k}-{function.__name__}" for k, (function, _) in enumerate(CASES)]
)
def test_program(function, arguments) -> None:
    same(run(function, *arguments), function(*arguments))
