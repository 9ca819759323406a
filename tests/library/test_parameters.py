"""Whatever a function of the library takes it reads: what is not understood is no parameter, or is refused."""

from __future__ import annotations

import ast
import inspect
import textwrap
from importlib import import_module

import pytest

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


def unread(name: str) -> set[str]:
    """The parameters of a function that its body never mentions."""
    found = written(name)
    if isinstance(found, OfNumbers):
        found = found.function
    if isinstance(found, Ruled):
        found = found.program.function
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
