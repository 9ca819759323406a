"""The cache: hits, corruption, kills, concurrent processes, directories that cannot be written."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.runtime import cache
from fsmooth.runtime.compiler import Compiler

PROGRAM = """
import sys
import numpy as np
import fsmooth as fs

shift = 2.0
COUNT = {count}

def helper(x):
    return {helper}

def f(v):
    return sum(helper(x) + shift for x in v) * COUNT

print(float(fs.value_and_grad(f)(np.array([1.0, 2.0]))[0]), "fsmooth.driver" in sys.modules)
"""


def run(tmp_path: Path, count: int = 1, helper: str = "x * x", **environment: str) -> list[str]:
    file = tmp_path / "program.py"
    text = PROGRAM.format(count=count, helper=helper)
    if not file.exists() or file.read_text() != text:
        file.write_text(text)
    variables = {**os.environ, "FSMOOTH_CACHE_DIR": str(tmp_path / "cache"), **environment}
    done = subprocess.run([sys.executable, str(file)], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_hit_needs_no_elaboration_and_every_change_is_seen(tmp_path):
    assert run(tmp_path) == ["9.0", "True"]
    assert run(tmp_path) == ["9.0", "False"]
    assert run(tmp_path, count=3) == ["27.0", "True"]
    assert run(tmp_path, helper="x + x") == ["10.0", "True"]
    assert run(tmp_path, FSMOOTH_CFLAGS="-DANYTHING") == ["9.0", "True"]
    assert run(tmp_path) == ["9.0", "False"]


def test_corrupt_files_are_made_again(tmp_path):
    run(tmp_path)
    for file in (tmp_path / "cache").iterdir():
        file.write_bytes(file.read_bytes()[:-100] + b"?" * 50)
    assert run(tmp_path) == ["9.0", "True"]
    for file in (tmp_path / "cache").iterdir():
        file.write_bytes(b"")
    assert run(tmp_path) == ["9.0", "True"]
    for file in (tmp_path / "cache").glob("*.so"):
        file.unlink()
    assert run(tmp_path)[0] == "9.0"


def test_processes_share_an_empty_cache(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.format(count=1, helper="x * x"))  # before any process can read it
    with ThreadPoolExecutor(3) as pool:
        assert {next(iter(r)) for r in pool.map(lambda _: run(tmp_path), range(3))} == {"9.0"}
    assert file.exists()
    assert not list((tmp_path / "cache").glob("build-*"))


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    def choose(path: Path) -> None:
        monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(path))

    choose(tmp_path / "cache")
    return choose


def test_a_directory_that_cannot_be_written_is_replaced(elsewhere, tmp_path):
    (tmp_path / "file").write_text("")
    elsewhere(tmp_path / "file" / "below")
    with pytest.warns(cache.CacheWarning, match="cannot be written"):
        assert fs.function(lambda x: x * 3.25)(2.0) == 6.5


def test_the_replacement_is_removed_at_the_end(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "temporary").mkdir()
    elsewhere = {"FSMOOTH_CACHE_DIR": str(tmp_path / "file" / "below"), "TMPDIR": str(tmp_path / "temporary")}
    assert run(tmp_path, PYTHONWARNINGS="ignore", **elsewhere) == ["9.0", "True"]
    assert not list((tmp_path / "temporary").glob("fsmooth-*"))


def test_no_directory_at_all_is_an_error(elsewhere, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    elsewhere(tmp_path / "file" / "nothing")

    def refuse(*_: object, **__: object) -> str:
        raise OSError("no space")

    monkeypatch.setattr(cache.tempfile, "mkdtemp", refuse)
    with pytest.warns(cache.CacheWarning), pytest.raises(fs.CacheError, match="FSMOOTH_CACHE_DIR"):
        fs.function(lambda x: x * 4.25)(2.0)
    monkeypatch.undo()
    assert fs.function(lambda x: x * 4.25)(2.0) == 8.5


def test_files_are_whole_or_absent(elsewhere, tmp_path):
    target = cache.directory() / "a.pickle"
    cache.write(target, b"content")
    assert cache.read(target) == b"content"
    target.write_bytes(target.read_bytes()[:-1])
    assert cache.read(target) is None
    assert not target.exists()


def test_what_all_shims_have_is_built_once(elsewhere, monkeypatch):
    built = []
    build = Compiler.build_object
    monkeypatch.setattr(Compiler, "build_object", lambda *given: built.append(given) or build(*given))
    for program in (lambda x: x * 6.25, lambda v: v[0] * 6.25):
        fs.function(program)(np.ones(2) if program.__code__.co_varnames == ("v",) else 1.0)
    (object_file,) = cache.directory().glob("*.o")
    assert len(built) == 1
    object_file.write_bytes(object_file.read_bytes()[:-100])
    assert fs.function(lambda x: x * 7.25)(2.0) == 14.5
    assert len(built) == 2


def test_clear(elsewhere):
    assert fs.function(lambda x: x * 5.25)(2.0) == 10.5
    assert cache.clear() >= 1
    assert not list(cache.directory().iterdir())
    assert fs.grad(lambda x: x * 5.25)(2.0) == 5.25
    assert np.array_equal(fs.grad(lambda v: v[0] * 2.0)(np.ones(2)), [2, 0])
