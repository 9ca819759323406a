"""What elaboration has read is compared by a later process: it finds what is unchanged, and sees every edit."""

from __future__ import annotations

import itertools
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.runtime import manifest
from tests.runtime.edits import BEGIN, EDITS, Edit

NAME = "program_that_is_edited"


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Gives a module as the next process would read it from its edited file."""
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path / "cache"))
    file = tmp_path / f"{NAME}.py"
    times = itertools.count()

    def load(text: str) -> types.ModuleType:
        file.write_text(text + "\n" * next(times))  # of another size each time, so that it is read again
        module = types.ModuleType(NAME)
        monkeypatch.setitem(sys.modules, NAME, module)
        exec(compile(text, str(file), "exec", dont_inherit=True), vars(module))
        return module

    return load


def is_found(module: types.ModuleType) -> bool:
    """Does the cache have what this module's program is made into?  If not, it has it afterwards."""
    function = module.f if isinstance(module.f, fs.Function) else fs.function(module.f)
    entry, _ = function._entry(vars(module).get("given", (5.0,)), {})
    assert entry.manifest is not None, "no later process can find it"
    return entry._elaborated is None


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.what)
def test_an_edit_is_seen_and_what_is_not_edited_is_found(read, edit: Edit) -> None:
    versions = (edit.before, edit.before, edit.after, edit.after, edit.before)
    assert [is_found(read(text)) for text in versions] == [False, True, False, True, True]


def test_what_is_put_in_the_place_of_a_function_of_numpy_is_seen(read, monkeypatch) -> None:
    text = BEGIN + "def f(x):\n    return np.sin(x)\n"
    assert [is_found(read(text)) for _ in range(2)] == [False, True]
    monkeypatch.setattr(np, "sin", np.cos)
    assert [is_found(read(text)) for _ in range(2)] == [False, True]


def test_what_is_compiled_from_a_text_that_is_not_that_of_the_code_is_not_kept(read) -> None:
    """The file is edited after it was imported, before the function is first called."""
    text = BEGIN + "def h(x):\n    return x * 2.0\ndef f(x):\n    return h(x)\n"
    module = read(text)
    Path(module.f.__code__.co_filename).write_text(text.replace("2.0", "3.0 "))
    entry, _ = fs.function(module.f)._entry((5.0,), {})
    assert entry.manifest is None
    assert not is_found(read(text))
    assert is_found(read(text))


UNKEPT = [
    """
class C:
    def __init__(self, a):
        self.a = a
    def __eq__(self, other):
        return self.a == other.a
V, W = C(1), C(1)
def f(x):
    return x if V == W else -x
""",
    """
T = (np.array([1, None]), 2)
def f(x):
    return x * T[1]
""",
]


@pytest.mark.parametrize("text", UNKEPT, ids=["a comparison of the user's own", "an array of objects"])
def test_what_has_no_description_is_elaborated_by_every_process(read, text: str) -> None:
    for _ in range(2):
        entry, _ = fs.function(read(BEGIN + text).f)._entry((5.0,), {})
        assert entry.manifest is None


def test_the_latest_ways_of_elaboration_are_kept(read, monkeypatch) -> None:
    monkeypatch.setattr(manifest, "MOST_WAYS", 2)
    texts = [BEGIN + f"N{k} = {k}\ndef h(x):\n    return x * N{k}\ndef f(x):\n    return h(x)\n" for k in range(3)]
    assert not any([is_found(read(text)) for text in texts])
    assert [is_found(read(text)) for text in reversed(texts)] == [True, True, False]
