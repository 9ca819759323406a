"""The command line."""

import sys

import pytest

from fsmooth import __version__
from fsmooth.cli import main


@pytest.fixture
def file(tmp_path):
    made = tmp_path / "programs.py"
    made.write_text("def total(v, k):\n    return sum(x * k for x in v)\n")
    return made


def test_emit(file, capsys):
    assert main(["emit", f"{file}:total", "float[]", "float"]) == 0
    assert "int32_t total(" in capsys.readouterr().out
    assert main(["emit", f"{file}:total", "float[]", "float", "--stage", "optimised"]) == 0
    assert "sum" in capsys.readouterr().out
    assert main(["emit", f"{file}:total", "float[]", "float", "--stage", "linear-maps"]) == 0
    assert "Reverse-mode derivative (CSE'd)" in capsys.readouterr().out


def test_types_are_those_that_annotations_say(tmp_path, capsys):
    made = tmp_path / "annotated.py"
    made.write_text(
        "import fsmooth as fs\n"
        'def picked(A: fs.Array["n", 3], at: fs.Array["m", fs.Index["n"]], k: fs.Index[3], s: float, b: bool, x):\n'
        "    return sum(A[i, k] * s for i in at) + x[0] if b else s\n"
        "slopes = fs.grad(picked)\n"
    )
    assert main(["emit", f"{made}:slopes", "--stage", "definition"]) == 0
    types = "(A : Array<Array<Float>>) (at : Array<Int>) (k : Int) (s : Float) (b : Bool) (x : Array<Float>)"
    assert capsys.readouterr().out.startswith(f"fun {types} ->")
    assert main(["emit", f"{made}:picked", "--stage", "futhark"]) == 0
    assert "[m]i64" in capsys.readouterr().out


def test_emit_by_a_schedule(file, capsys, monkeypatch):
    monkeypatch.chdir(file.parent)
    (file.parent / "mine_to_emit.py").write_text(
        "from fsmooth import strategies as st\nPLAIN = st.DEFAULT >> st.debug('end')\n"
    )
    assert main(["emit", f"{file}:total", "float[]", "float", "--stage", "optimised", "--schedule", "NONE"]) == 0
    assert "sum" in capsys.readouterr().out
    wanted = ["emit", f"{file}:total", "float[]", "float", "--schedule"]
    assert main([*wanted, "mine_to_emit:PLAIN"]) == 0
    assert "int32_t total(" in capsys.readouterr().out
    assert main([*wanted, "mine_to_emit:NOTHING"]) == 1
    assert "has no attribute 'NOTHING'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{}:nothing"], "no function"),
        (["{}x:total"], "no file"),
        (["total"], "total names no function; write FILE:FUNCTION"),
        (["{}:total", "float"], "2 arguments"),
        (["{}:total", "float[", "float"], "not a type"),
        (["{}:total", "float[]", "float", "--stage", "derivative"], "no stage"),
    ],
)
def test_mistakes(file, capsys, arguments, said):
    assert main(["emit", *[a.format(file) for a in arguments]]) == 1
    assert said in capsys.readouterr().err


TEXT = """
let dot = fun (u : Array<Float>) (v : Array<Float>) ->
  sum (length u) (fun i -> u[i] * v[i])
let energy = fun v (k : Float) -> k * dot v v
law [real] hoist: x / y + z / y ~> (x + z) / y where z : Float
schedule mine = normalise(hoist | fusion) >> debug "mine"
"""


@pytest.fixture
def text(tmp_path):
    made = tmp_path / "model.ft"
    made.write_text(TEXT)
    return made


def test_programs_of_a_text(text, capsys, tmp_path):
    assert main(["emit", f"{text}:energy"]) == 0
    assert "int32_t energy(" in capsys.readouterr().out
    wanted = ["emit", f"{text}:energy", "float[]", "float", "--stage", "optimised", "--schedule", f"{text}:mine"]
    assert main(wanted) == 0
    assert "k * sum (length v) (fun i -> v[i] * v[i])" in capsys.readouterr().out
    assert main(["build", f"{text}:energy", "--grad", "v", "--no-compile", "-o", str(tmp_path / "lib")]) == 0
    assert "grad_energy_v(" in (tmp_path / "lib" / "energy.h").read_text()
    page = tmp_path / "energy.html"
    assert main(["explore", f"{text}:energy", "--grad", "v", "-o", str(page)]) == 0
    made = page.read_text()
    assert "let energy = fun v (k : Float)" in made
    assert 'data-from="3"' in made


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["{}:total"], "has no program 'total'; it has dot, energy"),
        (["{}:mine"], "has no program 'mine'; it has dot, energy"),
        (["{}:dot", "--schedule", "{}:dot"], "has no schedule 'dot'; it has hoist, mine"),
        (["{}x:dot"], "there is no file"),
        (["{}:dot", "float"], "dot takes 2 arguments (u, v), not 1"),
    ],
)
def test_mistakes_about_a_text(text, capsys, arguments, said):
    assert main(["emit", *[a.format(text) for a in arguments]]) == 1
    assert said in capsys.readouterr().err


def test_a_mistake_in_a_text_is_shown(text, capsys):
    text.write_text("let f = fun (x : Float) -> y\n")
    assert main(["emit", f"{text}:f"]) == 1
    assert "model.ft, line 1: `y` is not defined" in capsys.readouterr().err


def test_cache_rules_and_version(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path))
    assert main(["cache", "info"]) == 0
    assert main(["cache", "clear"]) == 0
    assert "0 programs" in capsys.readouterr().out
    assert main(["rules"]) == 0
    assert "get_build" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--version"])
    assert __version__ in capsys.readouterr().out


def test_a_demo_that_cannot_run(tmp_path, monkeypatch, capsys):
    missing, other = tmp_path / "missing.txt", tmp_path / "other.txt"
    other.write_text("1 2 3\nno problem\n")
    for path in (missing, other):
        assert main(["demo", "bundle-adjustment", str(path)]) == 1
        assert f"{path} cannot be read as a problem: " in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert main(["demo", "bundle-adjustment"]) == 1
    assert "the demo needs more: pip install 'fsmooth[demo]'" in capsys.readouterr().err
