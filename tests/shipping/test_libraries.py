"""Libraries of C functions: what they compute, in whose memory, and what they refuse (bar C6)."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs
from fsmooth import thresholds
from fsmooth.runtime.compiler import find_compiler
from tests.shipping.callers import built, compiler, said
from tests.shipping.programs import CASES, diffuse, library, results_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The library that works in memory of the caller."""
    made = tmp_path_factory.mktemp("robot")
    shipped, examples = library("caller")
    shipped.save(made / "robot", example=examples)
    return made


@pytest.fixture(scope="module")
def program(folder) -> Path:
    """Built as Python builds what it calls."""
    return built(folder, "as_python", "-O3", *find_compiler().flags)


def compare(printed: list[list[str]], tolerance: float) -> None:
    """What is printed is what Python gives."""
    assert [line[0] for line in printed] == list(CASES)
    for name, status, *numbers in printed:
        results = results_of(name)
        assert status == "0"
        found = [float.fromhex(x) if "x" in x or "n" in x else int(x) for x in numbers]
        wanted = np.concatenate([r.ravel() for r in results])
        if not tolerance:
            assert np.array_equal(found, wanted), name
        else:
            scale = np.max(np.abs(wanted)) * (1e8 if results[0].dtype == np.float32 else 1.0)
            np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance * scale, err_msg=name)


def test_results_are_those_of_python_and_nobody_allocates(program):
    compare(said(program), 0.0)


@pytest.mark.parametrize("flags", [("-O2", "-DFS_NO_SIMD", "-std=c99", "-pedantic"), ("-O1", "-DFS_NO_TEXT")])
def test_other_flags(folder, flags):
    compare(said(built(folder, "other", *flags)), 1e-12)


def test_no_simd_leaves_c_and_nothing_else(folder):
    line = [compiler(), "-E", "-P", "-DFS_NO_SIMD", str(folder / "robot.c")]
    text = subprocess.run(line, capture_output=True, text=True, check=True).stdout
    own = text[text.index("fs_refused") :]
    for word in ("__attribute__", "vector_size", "_Pragma", "#pragma", "__asm__", "__builtin_shuffle"):
        assert word not in own


def test_too_little_memory_is_an_error_and_nothing_is_written_outside(program):
    for name, refused, needs in said(program, "small"):
        assert needs == ("0" if name in ("root", "counts", "lengths_dp") else "1"), name
        assert refused == needs, name


def test_eight_threads_get_the_same_bits(program):
    assert said(program, "threads") == [["the", "same", "bits"]]


@pytest.mark.skipif(shutil.which("nm") is None, reason="there is no nm")
def test_the_object_asks_for_no_memory_and_has_no_data_of_its_own(folder, program):
    del program
    listed = subprocess.run(["nm", str(folder / "as_python.o")], capture_output=True, text=True, check=True).stdout
    symbols = [line.split()[-2:] for line in listed.splitlines()]
    wanted = {name for kind, name in symbols if kind == "U"}
    assert {"malloc", "calloc", "realloc", "free", "sysinfo", "pthread_self", "longjmp"}.isdisjoint(wanted)
    assert "exp" in wanted or any("exp" in name for name in wanted)
    assert [name for kind, name in symbols if kind in "bBdDcC"] == []
    assert sorted([name for kind, name in symbols if kind == "T" and not name.endswith(("_work", "_shape"))]) == sorted(
        [f"robot_{name}" for name in CASES] + ["robot_error_text"]
    )


def test_sanitizers_see_nothing(folder):
    flags = (
        "-O1",
        "-g",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
        "-fno-sanitize=float-divide-by-zero",
    )
    try:
        sanitized = built(folder, "sanitized", *flags, wrapped=False)
    except subprocess.CalledProcessError:
        pytest.skip("the compiler has no sanitizers")
    compare(said(sanitized), 1e-12)
    said(sanitized, "small")


class Error(ctypes.Structure):
    _fields_ = (("site", ctypes.c_int32), ("kind", ctypes.c_int32), ("numbers", ctypes.c_int64 * 2))


@pytest.fixture(scope="module", params=["caller", "heap"])
def loaded(request, tmp_path_factory):
    """A small library, loaded, and whether it takes the caller's memory."""

    def lengths(points: fs.Array[n, 3]):  # noqa: F821
        return [np.linalg.norm(p) for p in points]

    def picked(x, k):
        return x[k] + np.sum(np.sort(x))

    def first(x, k):
        return np.sort(np.array([x[0] + j for j in range(2 * k)]))[0]

    made = tmp_path_factory.mktemp(request.param)
    shipped = fs.library("small", lengths, picked, first, memory=request.param)
    source, _ = shipped.save(
        made / "small", example={"lengths": (np.ones((4, 3)),), "picked": (np.ones(4), 1), "first": (np.ones(4), 1)}
    )
    target = made / "small.so"
    subprocess.run([compiler(), "-shared", "-fPIC", "-o", str(target), str(source), "-lm"], check=True)
    handle = ctypes.CDLL(str(target))
    handle.small_error_text.restype = ctypes.c_char_p
    return handle, request.param == "caller"


def called(loaded, name, *arguments, size=4096):
    """A status and what is said of it."""
    handle, takes_memory = loaded
    error, memory = Error(), ctypes.create_string_buffer(size)
    work = [memory, ctypes.c_size_t(size)] if takes_memory else []
    given = [a.ctypes.data_as(ctypes.c_void_p) if isinstance(a, np.ndarray) else a for a in arguments]
    status = handle[name](*given, *work, ctypes.byref(error))
    file, line = ctypes.c_char_p(), ctypes.c_int()
    text = handle.small_error_text(ctypes.byref(error), ctypes.byref(file), ctypes.byref(line))
    assert handle[name](*given, *work, None) == status
    return status, error, text.decode(), file.value.decode(), line.value


def test_a_size_that_is_not_the_one_built_in(loaded):
    n = ctypes.c_int64
    points, result = np.ones((4, 3)), np.zeros(4)
    assert called(loaded, "small_lengths", points, n(4), n(3), result)[0] == 0
    assert np.allclose(result, 3**0.5)
    status, error, text, _, line = called(loaded, "small_lengths", points, n(3), n(4), result)
    assert (status, error.kind, list(error.numbers), line) == (5, 5, [4, 3], 0)
    assert text == "small_lengths: points_n1 is not 3, which is built in"


def test_sizes_that_python_never_gives(loaded):
    n = ctypes.c_int64
    x, result = np.ones(4), np.zeros(1)
    status, error, text, _, _ = called(loaded, "small_picked", x, n(-1), n(0), result)
    assert (status, list(error.numbers), text) == (5, [-1, 0], "small_picked: x_n0 is below zero")
    status, error, text, _, _ = called(loaded, "small_first", x, n(4), n(2**61 + 1), result)
    assert (status, text) == (5, "small_first: k is too far from zero: sizes are computed from it")
    assert list(error.numbers) == [2**61 + 1, 2**61]
    assert called(loaded, "small_first", x, n(4), n(2), result)[0] == 0
    assert result[0] == 1.0


def test_what_fails_says_where(loaded):
    n = ctypes.c_int64
    x, result = np.array([3.0, 1.0, 2.0]), np.zeros(1)
    assert called(loaded, "small_picked", x, n(3), n(2), result)[0] == 0
    assert result[0] == 8.0
    status, error, text, file, line = called(loaded, "small_picked", x, n(3), n(7), result)
    assert (status, error.kind, list(error.numbers)) == (1, 1, [7, 3])
    assert text == "index out of bounds for x: the numbers are the index and the size"
    assert file == Path(__file__).name
    assert "x[k]" in Path(__file__).read_text().splitlines()[line - 1]


def test_a_workspace_that_is_too_small_says_what_it_needs(loaded):
    handle, takes_memory = loaded
    if not takes_memory:
        return
    n = ctypes.c_int64
    handle.small_picked_work.restype = ctypes.c_size_t
    needed = handle.small_picked_work(n(3))
    x, result = np.array([3.0, 1.0, 2.0]), np.zeros(1)
    status, error, text, _, _ = called(loaded, "small_picked", x, n(3), n(2), result, size=32)
    assert (status, list(error.numbers)) == (2, [32, needed])
    assert text == "the workspace is too small: the numbers are its bytes, and how many it needs"
    assert handle.small_picked_work(n(2**62)) == 2**64 - 1


def test_a_saved_function_refuses_other_sizes(tmp_path):
    def lengths(points: fs.Array[n, 3]):  # noqa: F821
        return [np.linalg.norm(p) for p in points]

    source, _ = fs.function(lengths).save(tmp_path / "lengths", np.ones((2, 3)))
    target = tmp_path / "lengths.so"
    subprocess.run(
        [compiler(), "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", str(target), str(source), "-lm"],
        check=True,
    )
    handle, n, error = ctypes.CDLL(str(target)), ctypes.c_int64, Error()
    points, result = np.ones((2, 3)), np.zeros(2)
    pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (points, result)]
    assert handle.lengths(pointers[0], n(2), n(3), pointers[1], ctypes.byref(error)) == 0
    assert handle.lengths(pointers[0], n(2), n(4), pointers[1], ctypes.byref(error)) == 5
    assert (error.site, list(error.numbers)) == (-1, [4, 3])
    sizes = (ctypes.c_int64 * 1)()
    assert handle.lengths_shape(pointers[0], n(2), n(2), sizes, ctypes.byref(error)) == 5


def test_functions_that_call_themselves_in_one_file(tmp_path):
    """Their structs of two numbers are there once, and what one of them needs is no other's."""

    def halved(x, n):
        return x if n < 2 else halved(x, n - 1) * halved(0.5 * x, n - 2) + x

    def both(x, y, n):
        return x * y if n < 1 else both(0.9 * x, y, n - 1) * both(x, 0.9 * y, n - 1) + y

    functions = fs.grad(halved), fs.grad(both, wrt=("x", "y"))
    library = fs.library("trees", *functions, taped=fs.grad(both, wrt=("x", "y"), method="tape"))
    example = {"grad_halved": (0.5, 5), "grad_both": (0.5, 0.4, 4), "taped": (0.5, 0.4, 4)}
    source, _ = library.save(tmp_path / "trees", example=example)
    assert source.read_text().count("} fs_double_double;") > 1
    target = tmp_path / "trees.so"
    flags = "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"
    subprocess.run([compiler(), *flags, "-o", str(target), str(source), "-lm"], check=True)
    handle, n, result, error = ctypes.CDLL(str(target)), ctypes.c_int64, np.zeros(2), Error()
    x, y = ctypes.c_double(0.5), ctypes.c_double(0.4)
    for name in ("grad_both", "taped"):
        places = [ctypes.c_void_p(result.ctypes.data + 8 * k) for k in range(2)]
        assert getattr(handle, f"trees_{name}")(x, y, n(4), *places, ctypes.byref(error)) == 0
        wanted = [both(0.5 + 1e-30j, 0.4, 4).imag / 1e-30, both(0.5, 0.4 + 1e-30j, 4).imag / 1e-30]
        np.testing.assert_allclose(result, wanted, rtol=1e-13)


def test_one_function_by_itself(tmp_path):
    source, header = fs.grad(lambda x: np.sum(np.sort(x)[:2])).save(tmp_path / "slope", np.ones(3), memory="caller")
    assert "size_t grad_anonymous_work(int64_t x_n0);" in header.read_text()
    assert "malloc(" not in source.read_text()
    takes_one = fs.function(lambda x, memory: x * memory)
    assert "double memory" in takes_one.save(tmp_path / "own", 1.0, memory=2.0)[1].read_text()
    with pytest.raises(fs.ArgumentError, match='memory=3\n  hint: use "heap" or "caller"'):
        fs.function(diffuse).save(tmp_path / "x", np.ones(3), 2, memory=3)


def test_one_function_for_many_elements(tmp_path):
    slope = fs.grad(lambda x: np.sum(np.sort(x)[:2] ** 2))
    source, header = slope.save(tmp_path / "slope", np.ones(3), memory="caller", batch=True, profile="plain")
    line = [compiler(), "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([*line, "-o", str(tmp_path / "slope.so"), str(source), "-lm"], check=True)
    assert "goto" not in source.read_text()
    assert "grad_anonymous_many(" in header.read_text()
    handle, n, error, done = ctypes.CDLL(str(tmp_path / "slope.so")), ctypes.c_int64, Error(), ctypes.c_int64()
    x, result, work = np.array([[3.0, 1.0, 2.0], [-1.0, 5.0, 4.0]]), np.zeros((2, 3)), np.zeros(4096)
    at = [a.ctypes.data_as(ctypes.c_void_p) for a in (x, result, work)]
    size = ctypes.c_size_t(work.nbytes)
    given = [n(2), at[0], n(3), n(3), at[1], n(3), at[2], size, ctypes.byref(done), ctypes.byref(error)]
    assert handle.grad_anonymous_many(*given) == 0
    np.testing.assert_array_equal(result, [[0.0, 2.0, 4.0], [-2.0, 0.0, 8.0]])
    assert done.value == 2


def test_what_one_function_is_saved_with(tmp_path):
    f = fs.function(lambda x, batch: x if batch else -x)
    _, header = f.save(tmp_path / "own", 1.0, batch=False)
    assert "bool batch" in header.read_text()
    assert "many" not in header.read_text()
    usual = [path.read_text() for path in f.save(tmp_path / "own", 1.0, True)]
    assert usual == [path.read_text() for path in f.save(tmp_path / "own", 1.0, True, memory="heap", profile="full")]
    for asked, message in (
        ({"profile": "plain"}, 'profile="plain" asks nothing of the system'),
        ({"profile": "thin"}, 'profile=\'thin\'\n  hint: use "full" or "plain"'),
    ):
        with pytest.raises(fs.ArgumentError, match=message):
            f.save(tmp_path / "own", 1.0, True, **asked)
    with pytest.raises(fs.ArgumentError, match="batch=2\n  hint: True"):
        fs.function(np.sin).save(tmp_path / "sin", 1.0, batch=2)


def test_the_header_is_cpp(folder, loaded):
    del loaded
    if shutil.which("g++") is None:
        pytest.skip("there is no g++")
    line = [
        "g++",
        "-std=c++17",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Werror",
        "-fsyntax-only",
        "-x",
        "c++",
        str(folder / "robot.h"),
    ]
    subprocess.run(line, check=True)


def test_statements_that_are_functions_of_their_own(tmp_path, monkeypatch):
    """They are handed the caller's memory (loops/outline.py)."""
    for name in [name for name in vars(thresholds) if name.startswith("OUTLINED")]:
        monkeypatch.setattr(thresholds, name, 0)
    monkeypatch.setattr(thresholds, "OUTLINED", 6)
    monkeypatch.setattr(thresholds, "OUTLINED_BELOW", 1_000_000)
    shipped, examples = library("caller")
    source, _ = shipped.save(tmp_path / "robot", example=examples)
    assert "fs_memory) {" in source.read_text() or "fs_arena *restrict fs_memory,\n" in source.read_text()
    assert "_outlined_1(" in source.read_text()
    compare(said(built(tmp_path, "outlined", "-O1")), 1e-12)
