"""NAME_many: a function for many elements, by strides, called from C and from Python."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs
from tests.shipping.callers import STRICT, compiler


def step(x, u, dt, k, up):
    """The state a moment later, and its kth component."""
    x_next = np.sort(np.array([x[i] + dt * u[i % len(u)] if up else x[i] for i in range(len(x))]))
    return x_next, x_next[k]


EXAMPLE = (np.ones(3), np.ones(2), 0.1, 1, True)

MAIN = """\
#include <stdio.h>
#include <string.h>
#include "robot.h"

enum { COUNT = 5, N = 3, M = 2 };
#ifdef HEAP
#define MEMORY
#else
static char work[ROBOT_STEP_WORK(3, 2) + 1];
#define MEMORY work, sizeof work,
#endif

static void show(const char *what, int32_t status, int64_t done, const double *x, const double *picked) {
    printf("%s %d %d", what, (int)status, (int)done);
    for (int k = 0; k < COUNT * N; ++k) printf(" %.17g", x[k]);
    for (int k = 0; k < COUNT; ++k) printf(" %.17g", picked[k]);
    puts("");
}

int main(void) {
    double x[COUNT * 4], u[M] = {0.5, -1.5}, dt[COUNT], next[COUNT * N], picked[COUNT];
    int64_t which[COUNT] = {0, 1, 2, 1, 0}, done = -7;
    unsigned char up[COUNT] = {1, 1, 0, 1, 0};
    fs_error error;
    for (int k = 0; k < COUNT * 4; ++k) x[k] = (k * 7) % 11;
    for (int k = 0; k < COUNT; ++k) dt[k] = 0.25 * (k + 1);
    memset(next, 0, sizeof next), memset(picked, 0, sizeof picked);
    /* x has rows of four, of which three are the state; u and its strides: the same for all */
    int32_t status = robot_step_many(COUNT, x, 4, N, u, 0, M, dt, 1, which, 1, up, 1, next, N, picked, 1, MEMORY &done, &error);
    show("all", status, done, next, picked);
    /* backwards, the numbers for all the same */
    memset(next, 0, sizeof next), memset(picked, 0, sizeof picked);
    status = robot_step_many(COUNT, x + 16, -4, N, u, 0, M, dt, 0, which, 0, up, 0, next, N, picked, 1, MEMORY NULL, NULL);
    show("back", status, 0, next, picked);
    /* the third fails */
    memset(next, 0, sizeof next), memset(picked, 0, sizeof picked);
    which[2] = 3;
    status = robot_step_many(COUNT, x, 4, N, u, 0, M, dt, 1, which, 1, up, 1, next, N, picked, 1, MEMORY &done, &error);
    show("fails", status, done, next, picked);
    printf("error %d %d %d\\n", (int)error.kind, (int)error.numbers[0], (int)error.numbers[1]);
    /* the last of all stays where the stride of a result is 0 */
    which[2] = 2;
    memset(next, 0, sizeof next), memset(picked, 0, sizeof picked);
    status = robot_step_many(COUNT, x, 4, N, u, 0, M, dt, 1, which, 1, up, 1, next, 0, picked, 0, MEMORY &done, &error);
    show("last", status, done, next, picked);
    const char *file;
    int line;
    status = robot_step_many(-1, x, 4, N, u, 0, M, dt, 1, which, 1, up, 1, next, 0, picked, 0, MEMORY &done, &error);
    printf("%d %d %s\\n", (int)status, (int)done, robot_error_text(&error, &file, &line));
    status = robot_step_many(0, NULL, 4, N, NULL, 0, M, NULL, 1, NULL, 1, NULL, 1, NULL, 0, NULL, 0, MEMORY &done, &error);
    printf("%d %d %s\\n", (int)status, (int)done, robot_error_text(&error, &file, &line));
    return 0;
}
"""


def wanted(x, dt, which, up, stop=5):
    """By the interpreter's eyes: NumPy, element by element."""
    states, picked = np.zeros((5, 3)), np.zeros(5)
    for k in range(stop):
        u = np.array([0.5, -1.5, 0.5])
        states[k] = np.sort(x[k] + dt[k] * u if up[k] else x[k])
        picked[k] = states[k, which[k]]
    return [*states.ravel(), *picked]


@pytest.fixture(scope="module", params=["caller", "heap"])
def folder(request, tmp_path_factory) -> tuple[Path, list[str]]:
    made = tmp_path_factory.mktemp(request.param)
    shipped = fs.library("robot", step, slope=fs.grad(np.sum), memory=request.param, batch=True)
    shipped.save(made / "robot", example={"step": EXAMPLE, "slope": (np.ones(3),)})
    return made, ["-DHEAP"] if request.param == "heap" else []


SANITIZED = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@pytest.mark.parametrize("flags", [("-O2",), ("-O1", "-DFS_NO_SIMD", "-std=c99", "-pedantic"), ("-O1", *SANITIZED)])
def test_from_c(folder, flags):
    made, macros = folder
    (made / "main.c").write_text(MAIN)
    line = [compiler(), *STRICT, *flags, *macros, "-o", str(made / "main"), str(made / "main.c"), str(made / "robot.c")]
    built = subprocess.run([*line, "-lm"], capture_output=True, text=True, check=False)
    if built.returncode and "-fsanitize=address,undefined" in flags and "cannot find" in built.stderr:
        pytest.skip("the compiler has no sanitizers")
    assert built.returncode == 0, built.stderr
    done = subprocess.run([str(made / "main")], capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    found = {words[0]: ([int(x) for x in words[1:3]], [float(x) for x in words[3:]]) for words in lines[:3]}
    x = np.array([(k * 7) % 11 for k in range(20)], dtype=float).reshape(5, 4)[:, :3]
    dt, which, up = 0.25 * np.arange(1, 6), [0, 1, 2, 1, 0], [1, 1, 0, 1, 0]
    assert found["all"] == ([0, 5], wanted(x, dt, which, up))
    assert found["back"] == ([0, 0], wanted(x[::-1], [0.25] * 5, [0] * 5, [1] * 5))
    (status, count), numbers = found["fails"]
    expected = wanted(x, dt, which, up, stop=2)
    assert (status, count) == (1, 2)
    assert numbers[:6] == expected[:6]
    assert numbers[9:15] == [0.0] * 6
    assert numbers[15:17] == expected[15:17]
    assert numbers[18:] == [0.0, 0.0]
    assert lines[3] == ["error", "1", "3", "3"]
    assert lines[4][:3] == ["last", "0", "5"]
    everything = wanted(x, dt, which, up)
    assert [float(v) for v in lines[4][3:]] == [*everything[12:15], *[0.0] * 12, everything[19], *[0.0] * 4]
    text = "robot_step_many: how many elements there are is below zero"
    assert done.stdout.splitlines()[5:] == [f"5 0 {text}", "0 0 no error"]


def test_a_workspace_that_is_too_small_for_one_of_them(tmp_path):
    def sorted_sum(x, n):
        return np.sort(np.array([x * j for j in range(n)]))[0]

    source, _ = fs.library("l", sorted_sum, memory="caller", batch=True).save(tmp_path / "l", example=(1.0, 3))
    target = tmp_path / "l.so"
    subprocess.run([compiler(), *STRICT, "-shared", "-fPIC", "-o", str(target), str(source), "-lm"], check=True)
    handle, n = ctypes.CDLL(str(target)), ctypes.c_int64
    handle.l_sorted_sum_work.restype = ctypes.c_size_t
    size = handle.l_sorted_sum_work(n(10))
    x, sizes, values = np.array([-1.0, -2.0, -3.0]), np.array([10, 4, 100]), np.zeros(3)
    pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (x, sizes, values)]
    done, memory = n(), ctypes.create_string_buffer(size)
    given = [n(3), pointers[0], n(1), pointers[1], n(1), pointers[2], n(1), memory, ctypes.c_size_t(size)]
    assert handle.l_sorted_sum_many(*given, ctypes.byref(done), None) == 2
    assert done.value == 2
    assert list(values[:2]) == [-9.0, -6.0]


def test_names_are_free(tmp_path):
    """Parameters may be called as those of NAME_many are."""

    def f(count, done, x, x_stride):
        return count * done * np.sum(x) * x_stride

    _, header = fs.library("l", f, batch=True).save(tmp_path / "l", example=(1.0, 2.0, np.ones(2), 3.0))
    text = " ".join(header.read_text().split())
    found = re.search(r"int32_t l_f_many\( ?([^;]*)\);", text)
    assert found is not None
    names = [part.split()[-1].lstrip("*") for part in found[1].split(", ")]
    assert len(set(names)) == len(names)
    assert names[0] == "count_"
    assert names[-2:] == ["done_", "error"]


def test_the_header_says_what_it_does_and_is_cpp(folder):
    made, _ = folder
    text = (made / "robot.h").read_text()
    assert " * NAME_many does NAME for count elements, one after the other." in text
    assert " * numbers are pointers with strides, too, and one workspace" in text
    if shutil.which("g++") is None:
        pytest.skip("there is no g++")
    line = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-x", "c++"]
    subprocess.run([*line, str(made / "robot.h")], check=True)


def test_without_batch_there_is_none(tmp_path):
    source, header = fs.library("l", step).save(tmp_path / "l", example=EXAMPLE)
    assert "_many" not in source.read_text() + header.read_text()
    with pytest.raises(
        fs.ArgumentError, match="l: step_many is what the library has itself\n  hint: name the function"
    ):
        fs.library("l", step, step_many=step, batch=True)
    assert "l_step_many" in repr(fs.library("l", step, step_many=step))
