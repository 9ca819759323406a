"""Functions are recognised by what they are: those of other modules that are called like NumPy's are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

import numpy as np
import pytest
import scipy.special
import scipy.stats

import fsmooth as fs
from fsmooth.frontend.elaborate import elaborate
from fsmooth.frontend.programs import SourceProgram
from fsmooth.frontend.python.arrays.names import BY_NAME
from fsmooth.frontend.python.library_calls import OPERATORS, WITH_DTYPE
from fsmooth.frontend.python.public_names import MODULES, public_name
from fsmooth.library import names
from fsmooth.library.numpy import ROOMS
from fsmooth.runtime.arrays import infer_type
from tests.arrays.agreement import agree

OTHERS = (
    "numpy.random numpy.fft numpy.polynomial numpy.polynomial.polynomial numpy.polynomial.chebyshev numpy.polynomial.legendre "
    "numpy.polynomial.hermite numpy.polynomial.hermite_e numpy.polynomial.laguerre numpy.ma numpy.char numpy.strings "
    "numpy.lib.scimath scipy.stats scipy.signal scipy.signal.windows scipy.ndimage scipy.sparse scipy.sparse.linalg "
    "scipy.interpolate scipy.fft scipy.optimize scipy.spatial scipy.spatial.distance scipy.cluster.vq scipy.constants"
).split()
KNOWN = {*ROOMS, *BY_NAME, *OPERATORS, *WITH_DTYPE, *names(), "where", "fmod", "invert", "ix_", "astype", "copy"}
X = np.arange(1.0, 5.0)


def public(module: str) -> Iterator[tuple[str, Callable[..., object]]]:
    """The functions of a module."""
    holder = import_module(module)
    for name, found in vars(holder).items():
        if not name.startswith("_") and callable(found) and not isinstance(found, type):
            yield name, found


def own_name(name: str, function: object) -> str:
    """The name that calls are read by."""
    return getattr(function, "__name__", None) or name


@pytest.mark.parametrize("module", OTHERS)
def test_functions_of_other_modules_are_none_of_numpy(module: str) -> None:
    for name, function in public(module):
        home = public_name(own_name(name, function), function)
        assert home is None or any([function is other for m in MODULES for _, other in public(m)]), name


@pytest.mark.parametrize("module", MODULES)
def test_functions_of_a_module_have_its_name(module: str) -> None:
    for name, function in public(module):
        home = public_name(own_name(name, function), function)
        if home is not None and vars(np).get(own_name(name, function)) is not function:
            assert home == MODULES[module] + own_name(name, function)


NAMESAKES = [
    (f"{module}.{name}", function)
    for module in OTHERS
    for name, function in public(module)
    if own_name(name, function) in KNOWN and public_name(own_name(name, function), function) is None
]


@pytest.mark.parametrize("function", [f for _, f in NAMESAKES], ids=[name for name, _ in NAMESAKES])
def test_namesakes_are_refused(function: Callable[..., object]) -> None:
    with pytest.raises(fs.UnsupportedError, match="cannot be used in a compiled function"):
        elaborate(SourceProgram(lambda x: function(x)), {"x": infer_type(X, "x")})


def test_numbers_are_not_drawn_in_programs() -> None:
    random = np.random.default_rng(1)
    with pytest.raises(fs.UnsupportedError, match="draw the numbers outside"):
        fs.function(lambda x: random.gamma(x))(X)


def test_only_distributions_of_scipy_are_known_by_their_class() -> None:
    own = type(scipy.stats.norm)(a=0.0, name="half")
    with pytest.raises(fs.UnsupportedError):
        fs.function(lambda x: own.logpdf(x))(X)


def with_defaults_of_their_own(t):
    return (
        scipy.special.softmax(t),
        scipy.special.softmax(t[0], axis=None),
        scipy.special.softmax(t, axis=1),
        scipy.special.log_softmax(t),
        scipy.special.log_softmax(t[0, 0]),
        np.linalg.diagonal(t),
        np.linalg.diagonal(t, offset=-1),
        np.linalg.trace(t),
        np.linalg.trace(t, offset=1),
        np.trace(t),
        np.diagonal(t, axis1=1, axis2=2),
    )


def test_functions_of_one_name_have_the_defaults_of_their_module() -> None:
    agree(with_defaults_of_their_own, np.random.default_rng(3).normal(size=(2, 3, 4)))
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(fs.function(lambda x: fs.softmax(x))(x), scipy.special.softmax(x, axis=-1))
