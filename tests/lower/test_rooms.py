"""Arrays in loops whose sizes are not known before: each has a room, which seldom grows."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.backend.c.arena import ARENA, ROOMS
from fsmooth.core.types import F64, INT
from fsmooth.loops import tree as t
from fsmooth.loops.names import Names
from fsmooth.loops.passes.rooms import give_rooms
from fsmooth.loops.usage import walk
from tests.lower.harness import built

DRIVER = """\
/* How often a room moves while it holds arrays of so many numbers, each all written; -1 without memory. */
int64_t moves(const int64_t *counts, int64_t arrays);
int64_t moves(const int64_t *counts, int64_t arrays) {
    int64_t found = 0;
    double stack[512], start[64] __attribute__((aligned(64)));
    fs_arena arena;
    fs_open(&arena, (char *)stack, sizeof stack);
    fs_room room = {(char *)start, sizeof start};
    for (int64_t k = 0; k < arrays; ++k) {
        const char *before = room.start;
        double *array = (double *)fs_fit(&arena, &room, counts[k], sizeof(double));
        if (!array) {
            found = -1;
            break;
        }
        found += room.start != before;
        for (int64_t i = 0; i < counts[k]; ++i) array[i] = 1.0;
    }
    fs_close(&arena);
    return found;
}
"""


@pytest.fixture(scope="module")
def moves(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Sequence[int]], int]:
    text = "#include <stdint.h>\n#include <stdlib.h>\n" + ARENA + ROOMS + DRIVER
    driver = ctypes.CDLL(str(built(tmp_path_factory.mktemp("rooms"), "rooms", text)))
    driver.moves.restype = ctypes.c_int64
    return lambda counts: driver.moves((ctypes.c_int64 * len(counts))(*counts), ctypes.c_int64(len(counts)))


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([], 0),
        ([0, 1, 64, -5, 63, 64], 0),
        ([65], 1),
        ([65, 128, 129, 256, 257], 3),
        ([100_000] * 50, 1),
        (range(10_000), 8),
        ([*range(3000), *range(5000)] * 3, 7),
        ([10, 2**62], -1),
        ([10, -(2**62)], 0),
    ],
)
def test_a_room_moves_as_often_as_it_doubles(
    moves: Callable[[Sequence[int]], int], counts: Sequence[int], expected: int
) -> None:
    """64 numbers are there at first."""
    assert moves(counts) == expected


def halvings(x: float, limits: np.ndarray) -> float:
    """As many steps as it takes, from each limit: a search in a loop."""
    total = 0.0
    for i in range(len(limits)):
        y = x
        while y * y > limits[i]:
            y = y - 0.01 * fs.sin(y)
        total = total + y * y
    return total


def rotations(v: np.ndarray, n: int) -> float:
    """Each step has an array of another length, and two of these are exchanged."""
    total = 0.0
    for i in range(n):
        m = (i * 37) % 150
        s = [v[k % len(v)] + 1.0 * i for k in range(m)]
        for _ in range(3):
            s = [s[(k + 1) % m] * 0.5 + s[k] for k in range(m)]
        if m > 0:
            total = total + s[0] * s[m - 1]
    return total


def rotated(v: np.ndarray, n: int) -> float:
    total = 0.0
    for i in range(n):
        m = (i * 37) % 150
        s = v[np.arange(m) % len(v)] + i
        for _ in range(3):
            s = 0.5 * np.roll(s, -1) + s
        total += s[0] * s[-1] if m else 0.0
    return total


V = np.array([0.5, 0.6, 0.75, 1.0, 1.25])


def takes_nothing_in_loops(function: fs.Function, *arguments: object) -> bool:
    """... but has rooms."""
    stages = function.compiled(*arguments)
    assert stages.loops is not None
    loops = [s for s in walk(stages.loops.kernel.body) if isinstance(s, t.For | t.While)]
    made = [s for loop in loops for s in walk([loop]) if isinstance(s, t.Allocate)]
    inside = [s for loop in loops for s in walk([loop]) if isinstance(s, t.Room)]
    return bool(made) and all([s.room is not None for s in made]) and not inside


def test_searches_in_a_loop_are_reversed() -> None:
    limits = np.array([0.9, 1.5, 0.01, 5.0, 1e-4, 0.9])
    gradient = fs.grad(halvings, wrt="x", method="reverse")
    assert gradient(1.2, limits) == pytest.approx(fs.grad(halvings, wrt="x", method="forward")(1.2, limits), rel=1e-12)
    step = 1e-20
    total = 0.0
    for limit in limits:
        y = 1.2 + step * 1j
        while y.real * y.real > limit:
            y = y - 0.01 * np.sin(y)
        total += (y * y).imag / step
    assert gradient(1.2, limits) == pytest.approx(total, rel=1e-10)
    assert takes_nothing_in_loops(gradient, 1.2, limits)


def test_arrays_of_lengths_that_change_are_exchanged() -> None:
    program = fs.function(rotations)
    for n in (0, 1, 2, 5, 40):
        assert program(V, n) == pytest.approx(rotated(V, n), rel=1e-12)
    assert takes_nothing_in_loops(program, V, 5)
    gradient = fs.grad(rotations, wrt="v", method="reverse")
    step = 1e-20
    expected = [rotated(V + step * 1j * row, 40).imag / step for row in np.eye(5)]
    np.testing.assert_allclose(gradient(V, 40), expected, rtol=1e-12)
    assert takes_nothing_in_loops(gradient, V, 5)


def test_notes_say_so() -> None:
    notes = fs.function(rotations).compiled(V, 5).loops.notes  # type: ignore[union-attr]
    assert "array s_store is stored in a loop, in a room as large as the longest so far" in notes


def test_sizes_of_results_are_found_in_rooms_too() -> None:
    def counted(v: np.ndarray, n: int) -> list[float]:
        count = 0
        for i in range(n):
            m = (i * 37) % 150 + 1
            s = [v[k % len(v)] + 1.0 * i for k in range(m)]
            for _ in range(3):
                s = [s[(k + 1) % m] * 0.5 + s[k] for k in range(m)]
            count = count + (1 if s[0] > 50.0 else 0)
        return [v[0] for _ in range(count)]

    program = fs.function(counted)
    result = program(V, 40)
    assert 0 < len(result) < 40
    assert len(result) == len(counted(V, 40))
    shape = program.compiled(V, 40).loops.shape  # type: ignore[union-attr]
    assert shape is not None
    made = [s for s in walk(shape.body) if isinstance(s, t.Allocate)]
    assert made and all([s.room is not None for s in made])


def test_few_rooms_are_on_the_stack() -> None:
    def many(x: float, limits: np.ndarray) -> float:
        total = 0.0
        for limit in limits:
            for c in fs.unroll(range(40)):
                y = x
                while y > limit:
                    y = fs.sin(y) - 0.01 * c
                total = total + y
        return total

    limits = np.array([0.9, 0.2, 2.0, 0.05])
    gradient = fs.grad(many, wrt="x", method="reverse")
    assert gradient(1.2, limits) == pytest.approx(fs.grad(many, wrt="x", method="forward")(1.2, limits), rel=1e-12)
    rooms = [s.count for s in walk(gradient.compiled(1.2, limits).loops.kernel.body) if isinstance(s, t.Room)]  # type: ignore[union-attr]
    assert len(rooms) > 32
    assert rooms == [64] * 32 + [0] * (len(rooms) - 32)


def test_one_room_for_each_array_before_the_outermost_loop() -> None:
    n = t.Name("n", INT)
    inner = t.While((t.Allocate("b", F64, n),), n, (t.Allocate("c", F64, n),))
    loop = t.For("i", n, (t.If(n, (t.Allocate("a", F64, n),)), inner), t.Kind.SEQUENTIAL)
    before = t.Function("f", (), (t.Allocate("e", F64, n), t.If(n, (loop,), (t.Allocate("d", F64, n),))))
    function = give_rooms(before, Names())
    branch = function.body[1]
    assert [s.name for s in branch.then if isinstance(s, t.Room)] == ["a_room", "b_room", "c_room"]
    assert isinstance(branch.then[-1], t.For)
    taken = {s.buffer: s.room for s in walk(function.body) if isinstance(s, t.Allocate)}
    assert taken == {"a": "a_room", "b": "b_room", "c": "c_room", "d": None, "e": None}


def test_loops_that_share_a_statement_have_a_room_each() -> None:
    """As those that run in strips, and what they were."""
    n = t.Name("n", INT)
    loop = t.For("i", n, (t.Allocate("a", F64, n),), t.Kind.SEQUENTIAL)
    (apart,) = give_rooms(t.Function("f", (), (t.If(n, (loop,), (loop,)),)), Names()).body
    rooms = [[s.name for s in block if isinstance(s, t.Room)] for block in (apart.then, apart.otherwise)]
    assert rooms == [["a_room_1"], ["a_room"]] or rooms == [["a_room"], ["a_room_1"]]
    for block in (apart.then, apart.otherwise):
        room, filled = block
        assert filled.body[0].room == room.name
