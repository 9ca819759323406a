"""Libraries that take memory from the heap: of what the caller's memory is not enough for, too."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import fsmooth as fs
from tests.shipping.callers import STRICT, compiler
from tests.shipping.programs import CASES, library


def product(x, first, last):
    """By halves."""
    if last - first < 2:
        return x[first]
    middle = (first + last) // 2
    return product(x, first, middle) * product(x, middle, last)


def searched(a, x):
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def sines(x):
    return np.sum(np.sin(x) * x)


X = np.linspace(0.5, 1.5, 6)
CALLS = {
    "product": (fs.function(product), (X, 0, 6)),
    "product_dx": (fs.grad(product, method="reverse"), (X, 0, 6)),
    "by_continuations": (fs.grad(product, method="continuations"), (X, 0, 6)),
    "by_tape": (fs.grad(sines, method="tape"), (X,)),
    "searched_da": (fs.grad(searched, method="reverse"), (2.0, 1.0)),
    "on_threads": (fs.function(sines, threads=2), (X,)),
}


@pytest.fixture(scope="module")
def handle(tmp_path_factory) -> ctypes.CDLL:
    made = tmp_path_factory.mktemp("all")
    functions = {name: f for name, (f, _) in CALLS.items()}
    examples = {name: example for name, (_, example) in CALLS.items()}
    source, header = fs.library("all", **functions).save(made / "all", example=examples)
    line = [
        compiler(),
        *STRICT,
        "-std=c99",
        "-O1",
        "-shared",
        "-fPIC",
        "-o",
        str(made / "all.so"),
        str(source),
        "-lm",
        "-lpthread",
    ]
    subprocess.run(line, check=True)
    assert "void all_threads(" in header.read_text()
    if shutil.which("g++") is not None:
        subprocess.run(["g++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++", str(header)], check=True)
    return ctypes.CDLL(str(made / "all.so"))


@pytest.mark.parametrize("name", CALLS)
def test_of_any_function(handle, name):
    f, example = CALLS[name]
    wanted = np.asarray(f(*example))
    result = np.zeros(max(1, wanted.size))
    given: list[object] = []
    for x in example:
        if isinstance(x, np.ndarray):
            given += [x.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(len(x))]
        else:
            given.append(ctypes.c_int64(x) if isinstance(x, int) else ctypes.c_double(x))
    for _ in range(3):
        assert handle[f"all_{name}"](*given, result.ctypes.data_as(ctypes.c_void_p), None) == 0
        np.testing.assert_allclose(result, wanted.ravel(), rtol=1e-12)


def test_recursion_without_end_is_an_error_with_a_text(handle):
    result = np.zeros(1)
    big = ctypes.c_int64(2**40)
    error = (ctypes.c_int64 * 3)()
    status = handle.all_product(
        X.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_int64(6),
        ctypes.c_int64(0),
        big,
        result.ctypes.data_as(ctypes.c_void_p),
        error,
    )
    handle.all_error_text.restype = ctypes.c_char_p
    assert status == 1
    assert (
        handle.all_error_text(error, None, None) == b"index out of bounds for x: the numbers are the index and the size"
    )


def test_the_same_functions_as_in_the_callers_memory(tmp_path):
    shipped, examples = library("heap")
    source, header = shipped.save(tmp_path / "robot", example=examples)
    assert "_work" not in header.read_text()
    line = [
        compiler(),
        *STRICT,
        "-std=c99",
        "-DFS_NO_SIMD",
        "-pedantic",
        "-c",
        "-o",
        str(tmp_path / "robot.o"),
        str(source),
    ]
    subprocess.run(line, check=True)
    assert len(CASES) == header.read_text().count("int32_t robot_") - header.read_text().count("_shape(")
