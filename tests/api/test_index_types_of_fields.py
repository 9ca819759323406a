"""Annotations of fields of NamedTuples and dataclasses: checked at entry, as those of parameters, and known inside."""

# ruff: noqa: F821, UP037  (the names of sizes)

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import fsmooth as fs


class Mesh(NamedTuple):
    points: fs.Array["n", 2]
    corners: fs.Array["f", 3, fs.Index["n"]]
    weights: fs.Array["f"]


@dataclass(frozen=True)
class Rows:
    starts: fs.Array["n + 1", fs.Offsets["m"]]
    columns: fs.Array["m", fs.Index["k"]]
    data: fs.Array["m"]
    right: fs.Array["n"]
    scale: fs.Array["k"]


class Loaded(Mesh):
    """A class that is made from one with annotations."""


class Scene(NamedTuple):
    mesh: Mesh
    shift: fs.Array[2]


def length(mesh):
    total = 0.0
    for f in range(len(mesh.weights)):
        for k in range(3):
            a, b = mesh.points[mesh.corners[f, k]], mesh.points[mesh.corners[f, (k + 1) % 3]]
            total += mesh.weights[f] * ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)
    return total


def products(A):
    return [
        sum(A.data[j] * A.scale[A.columns[j]] for j in range(A.starts[i], A.starts[i + 1])) for i in range(len(A.right))
    ]


def mesh(cls: Any = Mesh) -> Any:
    return cls(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [3.0, 1.0]]), np.array([[0, 1, 2], [1, 3, 2]]), np.ones(2))


def rows() -> Rows:
    return Rows(np.array([0, 2, 3]), np.array([0, 2, 1]), np.array([1.0, 2.0, 3.0]), np.ones(2), np.ones(3))


def index_tests(found: Any) -> list[str]:
    return [str(c) for c in found.remaining if c.what == "index in bounds"]


@pytest.mark.parametrize("cls", [Mesh, Loaded])
def test_values_and_gradients(cls: type) -> None:
    given = mesh(cls)
    value = fs.function(length, checks="proved")
    assert value(given) == pytest.approx(length(given))
    for method in ("forward", "reverse"):
        gradient = fs.grad(length, method=method, checks="proved")
        found = gradient(given)
        assert isinstance(found, cls)
        step = 1e-6
        for place in np.ndindex(4, 2):
            sides = []
            for sign in (1, -1):
                points = given.points.copy()
                points[place] += sign * step
                sides.append(length(given._replace(points=points)))
            assert found.points[place] == pytest.approx((sides[0] - sides[1]) / (2 * step), abs=1e-6)


def test_of_a_dataclass() -> None:
    program = fs.function(products, checks="proved")
    np.testing.assert_array_equal(program(rows()), [3.0, 3.0])
    value, pullback = fs.vjp(products, checks="proved")(rows())
    np.testing.assert_array_equal(value, [3.0, 3.0])
    np.testing.assert_array_equal(pullback(np.ones(2)).data, np.ones(3))


def test_why() -> None:
    why = [c.why for c in fs.function(length).checks(mesh()) if "points[" in c.source]
    assert any(["annotation of mesh.corners" in reason for reason in why])


def test_the_same_without_annotations_is_tested() -> None:
    class Loose(NamedTuple):
        points: Any
        corners: Any
        weights: Any

    assert index_tests(fs.function(length).checks(mesh(Loose)))


@pytest.mark.parametrize(
    ("field", "place", "number", "message"),
    [
        ("corners", (1, 1), 4, "mesh.corners[1, 1] is 4: its annotation asks for integers from 0 to 3"),
        ("corners", (0, 0), -1, "mesh.corners[0, 0] is -1: its annotation asks for integers from 0 to 3"),
    ],
)
@pytest.mark.parametrize("integers", [np.int64, np.int32])
def test_one_wrong_number(field: str, place: Any, number: int, message: str, integers: type) -> None:
    given = mesh()
    wrong = getattr(given, field).astype(integers)
    wrong[place] = number
    for program in (fs.function(length), fs.grad(length), fs.vjp(length)):
        with pytest.raises(fs.ArgumentIndexError) as caught:
            program(given._replace(corners=wrong))
        lines = str(caught.value).splitlines()
        assert lines[0] == message
        assert "def length(mesh):" in str(caught.value)


def test_offsets_that_decrease() -> None:
    given = rows()
    wrong = Rows(np.array([0, 3, 2]), given.columns, given.data, given.right, given.scale)
    with pytest.raises(fs.ArgumentIndexError, match=r"^A.starts\[2\] is 2, less than A.starts\[1\], which is 3"):
        fs.function(products)(wrong)


def test_sizes_of_fields_are_required() -> None:
    with pytest.raises(fs.SizeError, match="sizes 3 and 2 differ|sizes 2 and 3 differ"):
        fs.function(length)(mesh()._replace(weights=np.ones(3)))
    with pytest.raises(fs.SizeError, match="sizes 2 and 3 differ|sizes 3 and 2 differ"):
        fs.function(length)(mesh()._replace(points=np.ones((4, 3))))
    with pytest.raises(fs.RankError, match=r"mesh.weights is annotated as fs.Array\['f'\], a 1-dimensional array of"):
        fs.function(length)(mesh()._replace(weights=np.ones((2, 2))))
    with pytest.raises(
        fs.TypeMismatchError, match=r"mesh.corners is annotated as .*, a 2-dimensional array of integers"
    ):
        fs.function(length)(mesh()._replace(corners=np.ones((2, 3))))


def test_each_object_has_its_own_sizes() -> None:
    def both(first, second):
        return length(first) + length(second)

    small = Mesh(np.ones((3, 2)), np.array([[0, 1, 2]]), np.ones(1))
    assert fs.function(both, checks="proved")(mesh(), small) == pytest.approx(length(mesh()))
    with pytest.raises(fs.ArgumentIndexError, match=r"^second.corners\[0, 2\] is 3: its annotation asks for .* 0 to 2"):
        fs.function(both)(mesh(), small._replace(corners=np.array([[0, 1, 3]])))


def test_objects_in_objects_lists_and_dictionaries() -> None:
    def of_scene(scene):
        return length(scene.mesh) + scene.shift[1]

    def of_list(meshes):
        return length(meshes[0]) + length(meshes[1])

    def of_dictionary(named):
        return length(named["one"])

    wrong = mesh()._replace(corners=np.array([[0, 1, 9], [1, 3, 2]]))
    for program, given, bad, called in (
        (of_scene, Scene(mesh(), np.zeros(2)), Scene(wrong, np.zeros(2)), "scene.mesh"),
        (of_list, (mesh(), mesh()), (mesh(), wrong), "meshes[1]"),
        (of_dictionary, {"one": mesh()}, {"one": wrong}, "named['one']"),
    ):
        made = fs.function(program, checks="proved")
        assert made(given) == pytest.approx(program(given))
        with pytest.raises(fs.ArgumentIndexError) as caught:
            made(bad)
        assert str(caught.value).startswith(
            f"{called}.corners[0, 2] is 9: its annotation asks for integers from 0 to 3"
        )
    with pytest.raises(fs.SizeError):
        fs.function(of_scene)(Scene(mesh(), np.zeros(3)))


def test_a_program_speaks_of_the_sizes_of_its_arguments() -> None:
    def at(mesh, node: fs.Index["mesh.n"], faces: fs.Array["q", fs.Index["mesh.f"]], weights: fs.Array["mesh.f"]):
        return mesh.points[node, 0] + sum(mesh.weights[f] + weights[f] for f in faces)

    made = fs.function(at, checks="proved")
    assert made(mesh(), 3, np.array([1, 0, 1]), np.ones(2)) == 9.0
    with pytest.raises(fs.ArgumentIndexError, match="^node is 4: its annotation asks for integers from 0 to 3"):
        made(mesh(), 4, np.array([1]), np.ones(2))
    with pytest.raises(fs.ArgumentIndexError, match=r"^faces\[0\] is 2: its annotation asks for integers from 0 to 1"):
        made(mesh(), 3, np.array([2]), np.ones(2))
    with pytest.raises(fs.SizeError):
        made(mesh(), 3, np.array([1]), np.ones(3))


def bare(body, node: fs.Index[body.n]):
    return body.points[node, 0]


def test_names_with_dots_may_be_bare() -> None:
    assert fs.function(bare, checks="proved")(mesh(), 3) == 3.0


def test_names_that_are_no_sizes() -> None:
    class Alone(NamedTuple):
        corners: fs.Array["f", fs.Index["n"]]

    def of_points(mesh, k: fs.Index["mesh.q"]):
        return mesh.points[k, 0]

    with pytest.raises(fs.ProgramError) as caught:
        fs.function(lambda a: a.corners[0])(Alone(np.array([0])))
    assert str(caught.value).startswith("n is the size of no field of Alone: none is annotated with it alone\n")
    assert 'hint: annotate one with fs.Array["n"]' in str(caught.value)
    with pytest.raises(fs.ProgramError) as caught:
        fs.function(of_points)(mesh(), 0)
    assert str(caught.value).startswith("mesh.q is the size of no argument: none is annotated with it alone\n")
    assert 'hint: annotate a field of mesh with fs.Array["q"]' in str(caught.value)


def test_integers_become_real_numbers_where_fields_are_annotated_so() -> None:
    def halves(mesh):
        return mesh.weights[0] / 2 + mesh.points[0, 0]

    given = mesh()._replace(weights=np.array([3, 1]))
    assert fs.function(halves)(given) == 1.5
    found = fs.grad(halves, wrt="mesh")(given._replace(weights=np.array([3.0, 1.0])))
    np.testing.assert_array_equal(found.weights, [0.5, 0.0])


PROGRAM = """
import sys
from typing import NamedTuple
import numpy as np
import fsmooth as fs

class Base(NamedTuple):
    x: fs.Array["n"]
    k: fs.Array["m", {edit}]

class Data(Base):
    pass

f = fs.function(lambda d: d.x[d.k[0]])
f(Data(np.ones(2), np.array([0])))
new = "fsmooth.driver" in sys.modules
try:
    f(Data(np.ones(2), np.array([5])))
except IndexError as error:
    print(type(error).__name__, new)
"""


def test_a_later_process_sees_what_a_class_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path / "cache"))
    file = tmp_path / "program.py"
    index = 'fs.Index["n"]'
    for edit, found in (
        (index, "ArgumentIndexError True"),
        (index, "ArgumentIndexError False"),
        ("int", "IndexOutOfBoundsError True"),
    ):
        file.write_text(PROGRAM.format(edit=edit))
        run = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=True)
        assert run.stdout.strip() == found


def test_saved_c_has_the_tests_in_it(tmp_path: Path) -> None:
    source, _ = fs.function(length).save(tmp_path / "length.c", mesh())
    assert "mesh_corners" in source.read_text()


def test_nonsense_in_a_class_is_refused_where_it_is_an_argument() -> None:
    class Wrong(NamedTuple):
        x: fs.Array["n / 2"]

    with pytest.raises(fs.ArgumentMismatchError) as caught:
        fs.function(lambda wrong: wrong.x[0])(Wrong(np.ones(2)))
    assert str(caught.value).startswith("Wrong: fs.Array['n / 2']: a size is a name")
    assert "lambda wrong" in str(caught.value)
