"""What programs read from around them: objects, records and classes, which may change between calls."""

from __future__ import annotations

import dataclasses
import functools
import subprocess
import sys
import types
from typing import NamedTuple

import numpy as np
import pytest

import fsmooth as fs


class Lens(NamedTuple):
    focal: float
    shifts: np.ndarray

    def project(self, x):
        return self.focal * x + self.shifts[0]


class Settings:
    rate = 2.0
    count = 2


class Layer:
    def __init__(self, weight: float, steps: int) -> None:
        self.weight = weight
        self.table = np.array([weight, weight])
        self.steps = steps

    def run(self, x):
        return sum(self.weight * x + self.table[0] for _ in range(self.steps))


lens = Lens(2.0, np.array([1.0]))
layers = [Layer(1.0, 1), Layer(2.0, 2)]
space = types.SimpleNamespace(scale=3.0, inner=types.SimpleNamespace(offset=1.0))


def test_attributes_of_objects_are_read_at_each_call() -> None:
    layer = Layer(1.0, 1)
    f = fs.function(lambda x: layer.run(x))
    assert f(1.0) == f(1.0) == 2.0
    layer.weight = 3.0
    assert f(1.0) == 4.0
    layer.table[0] = 10.0
    assert f(1.0) == 13.0
    layer.steps = 2
    assert f(1.0) == 26.0
    layer.table = np.array([0.0])
    assert f(1.0) == 6.0


def test_attributes_of_attributes() -> None:
    f = fs.function(lambda x: space.scale * x + space.inner.offset)
    assert f(1.0) == 4.0
    space.inner.offset = 5.0
    assert f(1.0) == 8.0
    space.inner = types.SimpleNamespace(offset=7.0)
    assert f(1.0) == 10.0


def test_objects_in_lists() -> None:
    def f(x):
        for layer in layers:
            x = layer.run(x)
        return x + layers[0].weight

    compiled = fs.function(f)
    assert compiled(1.0) == f(1.0)
    layers[1].weight = 5.0
    layers[0].table[0] = -1.0
    assert compiled(1.0) == f(1.0)
    layers.append(Layer(1.0, 1))
    assert compiled(1.0) == f(1.0)


def test_attributes_of_classes() -> None:
    f = fs.function(lambda x: sum(Settings.rate * x for _ in range(Settings.count)))
    assert f(1.0) == 4.0
    Settings.rate = 3.0
    assert f(1.0) == 6.0
    Settings.count = 3
    assert f(1.0) == 9.0


def test_captured_records_are_run_time_values() -> None:
    f = fs.function(lambda x: lens.project(x) + lens[0] + sum(lens.shifts))
    assert f(1.0) == 6.0
    lens.shifts[0] = 5.0
    assert f(1.0) == 14.0
    whole = fs.function(lambda x: lens._replace(focal=x))
    made = whole(4.0)
    assert isinstance(made, Lens)
    assert made.focal == 4.0
    assert np.array_equal(made.shifts, [5.0])


def test_what_is_gone_is_an_error_at_the_line_that_reads_it() -> None:
    layer = Layer(1.0, 1)
    f = fs.function(lambda x: layer.run(x))
    assert f(1.0) == 2.0
    del layer.table
    with pytest.raises(fs.UndefinedNameError, match="has no table") as caught:
        f(1.0)
    assert "self.table" in str(caught.value)
    layer.table = np.array([2.0])
    assert f(1.0) == 3.0


def test_objects_in_dictionaries() -> None:
    first = Layer(1.0, 1)
    table = {"a": first, "b": Layer(2.0, 1)}

    def f(x):
        named = sum(layer.weight * x for name, layer in table.items() if name != "b")
        return named + sum(layer.weight for layer in table.values()) + table["a"].weight + table.get("b").weight

    compiled = fs.function(f)
    assert compiled(1.0) == f(1.0)
    first.weight = 10.0
    assert compiled(1.0) == f(1.0) == 34.0
    table["c"] = Layer(100.0, 1)
    assert compiled(1.0) == f(1.0)


def test_defaults_that_change_in_place_are_seen() -> None:
    weights = np.ones(2)

    def helper(x, w=weights, powers=[1.0]):  # noqa: B006
        return x * w[0] + sum(powers)

    f = fs.function(lambda x: helper(x))
    assert f(1.0) == 2.0
    weights[0] = 7.0
    assert f(1.0) == 8.0
    helper.__defaults__[1].append(5.0)
    assert f(1.0) == 13.0


def doubled(f):
    @functools.wraps(f)
    def wrapper(x):
        return 2 * f(x)

    return wrapper


@doubled
def incremented(x):
    return x + 1


@functools.lru_cache
def remembered(x):
    return x + 1


def test_wrappers_are_read_and_caches_are_looked_through() -> None:
    assert fs.function(incremented)(1.0) == 4.0
    assert fs.grad(incremented)(1.0) == 2.0
    assert fs.function(lambda x: incremented(x) + remembered(x))(1.0) == 6.0


@dataclasses.dataclass
class Spring:
    stiffness: float

    def energy(self, x):
        return self.stiffness * x

    @property
    def doubled(self):
        return self.stiffness * 2.0


class Stiff(Spring):
    def energy(self, x):
        return self.stiffness * x * 10.0


def test_methods_of_records_are_those_of_the_moment(monkeypatch) -> None:
    given = fs.function(lambda spring, x: spring.energy(x) + spring.doubled)
    outside = fs.function(lambda x: spring.energy(x))
    spring = Spring(2.0)
    assert (given(spring, 1.0), outside(1.0)) == (6.0, 2.0)
    monkeypatch.setattr(Spring, "energy", lambda self, x: self.stiffness * x * 3.0)
    assert (given(spring, 1.0), outside(1.0)) == (10.0, 6.0)
    monkeypatch.setattr(Spring, "doubled", property(lambda self: self.stiffness * 4.0))
    assert given(spring, 1.0) == 14.0
    spring = Stiff(2.0)
    assert outside(1.0) == 20.0


class Table:
    def __init__(self, weight: float, count: int) -> None:
        self.weight = weight
        self.count = count

    def __getitem__(self, key):
        return self.count if key == "count" else self.weight

    def __len__(self) -> int:
        return self.count


def test_items_and_lengths_of_objects_are_those_of_the_moment() -> None:
    table = Table(2.0, 3)
    f = fs.function(lambda x: table["weight"] * x + table["count"] * len(table))
    assert f(1.0) == 11.0
    table.weight = 4.0
    assert f(1.0) == 13.0
    table.count = 2
    assert f(1.0) == 8.0


def test_attributes_of_functions_that_are_arguments_are_those_of_the_moment() -> None:
    def h(x):
        return x

    h.scale = 2
    f = fs.function(lambda g, x: g(x) * g.scale)
    assert f(h, 1.0) == 2.0
    h.scale = 3
    assert f(h, 1.0) == 3.0
    h.scale = 2.5
    assert f(h, 1.0) == 2.5


PROGRAM = """
import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import fsmooth as fs

class Base(NamedTuple):
    q: float

class Inner(Base):
    @property
    def scaled(self):
        return self.q * {edit}

@dataclass
class Outer:
    inner: Inner
    rate: float = {edit}

class Settings:
    count = int({edit})

def helper(x, k={edit}):
    return x * k

table = {{"h": lambda x: x + {edit}}}
model = Outer(Inner(1.0))

def f(outer, x):
    made = Outer(Inner(x)).rate * table["h"](x)
    return outer.inner.scaled + model.inner.scaled * made + sum(helper(x) for _ in range(Settings.count))

given = (Outer(Inner(3.0)), 5.0)
print(fs.function(f)(*given), f(*given), "fsmooth.driver" in sys.modules)
"""


def test_a_later_process_sees_what_was_edited(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path / "cache"))
    file = tmp_path / "program.py"

    def run(edit: str) -> list[str]:
        file.write_text(PROGRAM.format(edit=edit))
        return subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=True).stdout.split()

    for edit, is_new in (("2.0", "True"), ("2.0", "False"), ("3.0", "True")):
        compiled, plain, elaborated = run(edit)
        assert compiled == plain
        assert elaborated == is_new
