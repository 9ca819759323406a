"""Dictionaries that are asked for a text in a node: of functions, numbers and arrays, as in interpreters."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

import fsmooth as fs


@dataclass
class Number:
    value: float


@dataclass
class Named:
    name: str


@dataclass
class Binary:
    name: str
    left: Number | Named | Binary
    right: Number | Named | Binary


OPERATIONS = {"+": lambda a, b: a + b, "*": lambda a, b: a * b, "atan": math.atan2}
SUMS = {"+": np.add, "plus": np.add}
CONSTANTS = {"g": 9.81, "h": 2.0}
ROWS = {"g": np.array([1.0, 2.0]), "h": np.array([3.0, 4.0])}


def with_tables(e):
    match e:
        case Number(value):
            return value
        case Named(name):
            return CONSTANTS[name]
    return OPERATIONS[e.name](with_tables(e.left), with_tables(e.right))


def with_tables_of_its_own(e):
    constants = {"g": 9.81, "h": 2.0}
    operations = {"+": lambda a, b: a + b, "*": lambda a, b: a * b, "atan": lambda a, b: math.atan2(a, b)}
    match e:
        case Number(value):
            return value
        case Named(name):
            return constants[name]
    return operations[e.name](with_tables_of_its_own(e.left), with_tables_of_its_own(e.right))


def with_defaults(e):
    match e:
        case Number(value):
            return value
        case Named(name):
            return CONSTANTS.get(name, 0.5) + (CONSTANTS.get(name) or 0.25)
    return OPERATIONS.get(e.name, lambda a, b: a - b)(with_defaults(e.left), with_defaults(e.right))


def with_one_function(e):
    match e:
        case Number(value):
            return value
        case Named(name):
            return ROWS[name] @ ROWS[name]
    return SUMS[e.name](with_one_function(e.left), with_one_function(e.right))


def asked_before(e):
    match e:
        case Number(value):
            return value
        case Named(name):
            return CONSTANTS[name] if name in CONSTANTS else 1.5  # noqa: SIM401
    if e.name not in OPERATIONS:
        return 0.0
    operation = OPERATIONS[e.name]
    return operation(asked_before(e.left), asked_before(e.right))


TREES = [
    Binary("*", Binary("+", Number(2.0), Named("g")), Binary("atan", Named("h"), Number(3.0))),
    Binary("+", Named("h"), Binary("plus", Number(2.0), Named("g"))),
    Binary("+", Binary("-", Number(2.0), Number(3.0)), Number(1.0)),
    Binary("+", Number(2.0), Named("k")),
]
PROGRAMS = [with_tables, with_tables_of_its_own, with_defaults, with_one_function, asked_before]


@pytest.mark.parametrize("program", PROGRAMS)
def test_entries_are_those_of_python(program):
    """A KeyError for the same trees."""
    compiled = fs.function(program)
    for tree in TREES:
        try:
            expected = program(tree)
        except KeyError:
            with pytest.raises(fs.RaisedError, match="is no key of"):
                compiled(tree)
        else:
            assert compiled(tree) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("method", ["forward", "reverse", "tape"])
def test_derivatives(method):
    found = fs.grad(with_tables, method=method)(TREES[0])
    t = math.atan2(2.0, 3.0)
    assert found.left.left.value == pytest.approx(t, rel=1e-14)
    assert found.right.right.value == pytest.approx(-11.81 * 2.0 / 13.0, rel=1e-14)


def test_the_message_says_which_keys_there_are():
    with pytest.raises(fs.RaisedError, match=r"e\.name is no key of OPERATIONS, whose keys are '\+', '\*', 'atan'"):
        fs.function(with_tables)(TREES[2])
