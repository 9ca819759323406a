"""Finding a C compiler; what happens without one."""

import shlex
import shutil
import sys

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.runtime.compiler import Compiler, find_compiler


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path / "cache"))


def test_the_chosen_compiler_comes_first(monkeypatch):
    chosen = shutil.which("cc")
    monkeypatch.setenv("FSMOOTH_CC", shlex.join([chosen, "-g"]))
    assert find_compiler().command == (chosen, "-g")
    assert fs.function(lambda x: x + 1.5)(1.0) == 2.5


def test_flags_are_appended_and_never_fast_math(monkeypatch):
    monkeypatch.setenv("FSMOOTH_CFLAGS", "-DONE -DTWO=2")
    compiler = find_compiler()
    assert compiler.flags[-2:] == ("-DONE", "-DTWO=2")
    assert not any("fast-math" in flag for flag in compiler.flags)


def test_large_programs_are_built_with_less_optimisation(tmp_path):
    compiler = find_compiler()
    assert "-O3" in compiler.line(tmp_path, tmp_path, 10)
    assert "-O1" in compiler.line(tmp_path, tmp_path, 6_000)
    assert "-O0" in compiler.line(tmp_path, tmp_path, 11_000)


def test_a_compiler_that_does_not_exist(monkeypatch):
    monkeypatch.setenv("FSMOOTH_CC", "no-such-compiler")
    with pytest.raises(fs.CompilerNotFoundError, match="no-such-compiler"):
        fs.function(lambda x: x + 2.5)(1.0)
    monkeypatch.delenv("FSMOOTH_CC")
    assert fs.function(lambda x: x + 2.5)(1.0) == 3.5


def test_no_compiler_at_all(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("fsmooth.runtime.compiler.importlib.util.find_spec", lambda _: None)
    with pytest.raises(fs.CompilerNotFoundError, match="hint: install"):
        fs.function(lambda x: x + 3.5)(1.0)


def test_a_compiler_that_fails(monkeypatch):
    monkeypatch.setenv("FSMOOTH_CFLAGS", "-fno-such-flag")
    f = fs.function(lambda x: x + 4.5)
    with pytest.raises(fs.CompilationError, match="no-such-flag"):
        f(1.0)
    monkeypatch.delenv("FSMOOTH_CFLAGS")
    assert f(1.0) == 5.5


def test_a_compiler_that_cannot_be_run(tmp_path):
    broken = Compiler((str(tmp_path / "missing"),), "", ())
    with pytest.raises(fs.CompilationError, match="cannot be run"):
        broken.build(tmp_path / "a.c", tmp_path / "a.so")


def test_zig(monkeypatch):
    pytest.importorskip("ziglang")
    monkeypatch.setenv("FSMOOTH_CC", shlex.join([sys.executable, "-m", "ziglang", "cc"]))
    assert np.array_equal(fs.grad(lambda v: sum(fs.exp(x) for x in v))(np.zeros(5)), np.ones(5))
