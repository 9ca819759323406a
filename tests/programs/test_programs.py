"""Each `.ft` file is a program with its results: `# GIVEN` arguments, `# GIVES` a value or `# FAILS` a failure.

They run in the interpreter, after each schedule, and compiled.
"""

import functools
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.backend.c.emit import emit
from fsmooth.core.evaluate import OutOfBounds, RequirementFailed, evaluate
from fsmooth.core.term import Lam, Term
from fsmooth.core.values import plain, value_of
from fsmooth.library import parse
from fsmooth.lower.functions import lower
from fsmooth.optimise.schedules import SCHEDULES, default
from fsmooth.runtime.cache import compiled
from fsmooth.runtime.compiler import find_compiler
from fsmooth.runtime.library import Library

_HERE = Path(__file__).parent


def _cases() -> Iterator[tuple[str, list[object], str, str]]:
    for path in sorted(_HERE.glob("*.ft")):
        given: list[object] = []
        for line in path.read_text().splitlines():
            match line.split(maxsplit=2):
                case ["#", "GIVEN", arguments]:
                    given = json.loads(arguments)
                case ["#", "GIVES" | "FAILS" as kind, rest]:
                    yield path.stem, given, kind, rest


def _program(name: str) -> Lam:
    term = parse((_HERE / f"{name}.ft").read_text())
    assert isinstance(term, Lam)
    return term


def _same(result: object, expected: object) -> None:
    """Arrays of tuples come as tuples of arrays and are written as lists of lists: the last axis."""
    if isinstance(result, tuple):
        result = np.stack([np.asarray(part) for part in result], axis=-1)
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-14, atol=1e-14)


def _as_written(term: Term) -> Term:
    return term


_STAGES = {"as written": _as_written, **SCHEDULES}


@pytest.mark.parametrize("stage", _STAGES.values(), ids=list(_STAGES))
@pytest.mark.parametrize(("name", "given", "kind", "rest"), list(_cases()))
def test_interpreted(name: str, given: list[object], kind: str, rest: str, stage: Callable[[Term], Term]) -> None:
    """The interpreter gives the result, whatever schedule the program has been through."""
    program = stage(_program(name))
    assert isinstance(program, Lam)
    environment = {q: value_of(x, q.type) for q, x in zip(program.parameters, given, strict=True)}
    if kind == "GIVES":
        _same(plain(evaluate(program.body, environment), program.body.type), json.loads(rest))
        return
    with pytest.raises((OutOfBounds, RequirementFailed)) as raised:
        evaluate(program.body, environment)
    assert (raised.value.failure.name if isinstance(raised.value, RequirementFailed) else "INDEX") == rest


_ERRORS = {
    "SIZE": fs.SizeError,
    "EMPTY": fs.EmptyError,
    "DIVISION": fs.DivisionError,
    "INDEX": fs.IndexOutOfBoundsError,
}


@functools.cache
def _compiled(name: str) -> tuple[Library, Lam]:
    program = default(_program(name))
    assert isinstance(program, Lam)
    code = emit(lower(program, name, {}))
    path = compiled(code.source, code.statements, find_compiler())
    names = [q.name for q in program.parameters]
    return Library(path, code, names, {}), program


@pytest.mark.parametrize(("name", "given", "kind", "rest"), list(_cases()))
def test_compiled(name: str, given: list[object], kind: str, rest: str) -> None:
    """The C gives the result."""
    library, program = _compiled(name)
    typed = [plain(value_of(x, q.type), q.type) for q, x in zip(program.parameters, given, strict=True)]
    if kind == "GIVES":
        _same(library(typed, None), json.loads(rest))
        return
    with pytest.raises(_ERRORS[rest]):
        library(typed, None)
