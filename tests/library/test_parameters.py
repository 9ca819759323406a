"""Whatever a function of the library takes it reads: what is not understood is no parameter, or is refused."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.special

from fsmooth.core.term import Const
from fsmooth.frontend.python.arrays.names import BY_NAME
from fsmooth.frontend.python.values import Static
from fsmooth.library.numpy import ROOMS, written
from fsmooth.library.numpy.of_numbers import OfNumbers
from fsmooth.library.numpy.ruled import Ruled

WITHOUT_MEANING = {
    "argsort": {"kind"},  # every kind of NumPy's may give the stable order
    "sort": {"kind"},
    "iscomplexobj": {"x"},
    "isrealobj": {"x"},
    "scipy.linalg.solve": {"lower"},  # of what assume_a says, which is refused
    "real_if_close": {"tol"},  # of imaginary parts
}
"""Parameters of one function whose values change nothing."""

PROMISES = {"check_finite", "overwrite_a", "overwrite_b", "allow_singular", "lwork", "lapack_driver"}
"""What the arrays are or may be used for, and how much memory: nothing that is computed depends on it."""


def function_of(name: str) -> Callable[..., Any]:
    """The Python function of the library that is read for a name."""
    found: Any = written(name)
    if isinstance(found, OfNumbers):
        found = found.function
    if isinstance(found, Ruled):
        found = found.program.function
    return found


def unread(name: str) -> set[str]:
    """The parameters of a function that its body never mentions."""
    found = function_of(name)
    tree = ast.parse(textwrap.dedent(inspect.getsource(found))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    read = {n.id for part in tree.body for n in ast.walk(part) if isinstance(n, ast.Name)}
    return set(inspect.signature(found).parameters) - read


@pytest.mark.parametrize("name", ROOMS)
def test_every_parameter_is_read(name: str) -> None:
    assert unread(name) - PROMISES == WITHOUT_MEANING.get(name, set())


def test_every_module_of_the_library_is_there() -> None:
    for room, own in ROOMS.values():
        assert hasattr(import_module(f"fsmooth.library.numpy.{room}"), own)


OWN = {"softmax", "log_softmax", "logsumexp"}
"""Functions of fsmooth's, which are no others' by these names."""

OTHERS = {
    "linalg.pinv": {"rcond"},  # None stands for this number
    "meshgrid": {"copy"},  # arrays of programs share no memory that anybody sees
}
"""Parameters whose defaults are written in another way."""


def theirs(name: str) -> Callable[..., Any] | None:
    """The function of NumPy's or SciPy's."""
    rooms = {"scipy.special.": scipy.special, "scipy.linalg.": scipy.linalg, "linalg.": np.linalg, "": np}
    for before, room in rooms.items():
        if name.startswith(before) and name.removeprefix(before) in vars(room):
            return vars(room)[name.removeprefix(before)]
    return vars(scipy.special).get(name, vars(scipy.integrate).get(name))


def parameters(function: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """Those of a function that says them."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None


def default_of(parameter: inspect.Parameter) -> object:
    """What stands for an argument that is not given, in the terms of the front end too."""
    given = parameter.default
    return given.value if isinstance(given, Const | Static) else given


def differences(name: str) -> set[str]:
    """The parameters that a function has at another place than NumPy's, under another name, or with another default."""
    other = theirs(name)
    expected = None if other is None else parameters(other)
    if expected is None or any([q.kind is q.VAR_POSITIONAL for q in expected]):
        return set()
    own = parameters(function_of(name)) if name in ROOMS else (parameters(BY_NAME[name]) or [])[2:]
    assert own is not None
    taken = any([q.kind is q.VAR_KEYWORD for q in expected])
    found = set()
    for k, mine in enumerate(own):
        place = next((j for j, q in enumerate(expected) if q.name == mine.name), None)
        if place is None:
            is_unnamed = k < len(expected) and expected[k].kind is mine.POSITIONAL_ONLY
            found |= set() if is_unnamed or taken else {mine.name}
            continue
        is_by_name = mine.KEYWORD_ONLY in (mine.kind, expected[place].kind)
        usual, wanted = default_of(mine), expected[place].default
        is_unlike = repr(usual) != repr(wanted) and "no value" not in repr(wanted)
        if (place != k and not is_by_name) or is_unlike:
            found.add(mine.name)
    return found


@pytest.mark.parametrize("name", [n for n in dict.fromkeys([*ROOMS, *BY_NAME]) if n not in OWN])
def test_parameters_are_those_of_numpy(name: str) -> None:
    assert differences(name) - OTHERS.get(name, set()) - {"initial"} == set()
