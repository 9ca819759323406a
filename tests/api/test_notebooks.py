"""Notebooks: cells are read anew, functions are shown, and time themselves."""

from __future__ import annotations

import copy
import linecache
import timeit

import numpy as np
import pytest

import fsmooth as fs

V = np.array([1.0, 2.0, 3.0])


class Notebook:
    """Cells that are run as IPython runs them: each is a file of its own in `linecache`, all in one module."""

    def __init__(self) -> None:
        self.names: dict[str, object] = {"__name__": "__main__", "fs": fs, "np": np}

    def run(self, text: str, name: str) -> None:
        """Run a cell; one that is edited and run again has another number, or, in other notebooks, the same name."""
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        exec(compile(text, name, "exec", dont_inherit=True), self.names)

    def value(self, name: str, *arguments: object) -> object:
        """A function of the notebook, called."""
        return self.names[name](*arguments)  # type: ignore[operator]


@pytest.mark.parametrize("second", ["<ipython-input-2-cell>", "<ipython-input-1-cell>", "/tmp/ipykernel_7/1234.py"])
def test_a_function_that_is_defined_again_is_read_anew(second: str) -> None:
    notebook = Notebook()
    notebook.run("def f(x):\n    return x * 2.0\ng = fs.grad(f)\nh = fs.function(f)\n", "<ipython-input-1-cell>")
    assert (notebook.value("g", 3.0), notebook.value("h", 3.0)) == (2.0, 6.0)
    notebook.run("def f(x):\n    return x * 5.0\ng = fs.grad(f)\nh = fs.function(f)\n", second)
    assert (notebook.value("g", 3.0), notebook.value("h", 3.0)) == (5.0, 15.0)


def test_helpers_and_values_that_other_cells_define_again_are_seen() -> None:
    notebook = Notebook()
    notebook.run("def helper(x):\n    return x + 1.0\nscale = 2\n", "<ipython-input-1-a>")
    notebook.run("@fs.function\ndef f(x):\n    return scale * helper(x)\n", "<ipython-input-2-b>")
    assert notebook.value("f", 3.0) == 8.0
    notebook.run("def helper(x):\n    return x + 2.0\nscale = 3\n", "<ipython-input-1-a>")
    assert notebook.value("f", 3.0) == 15.0


def test_mistakes_are_shown_in_the_cell() -> None:
    notebook = Notebook()
    notebook.run("@fs.function\ndef f(x):\n    return nothing + x\n", "<ipython-input-3-c>")
    with pytest.raises(fs.UndefinedNameError) as caught:
        notebook.value("f", 1.0)
    assert str(caught.value) == (
        'nothing is not defined\n  File "<ipython-input-3-c>", line 3\n    return nothing + x\n           ^^^^^^^\n'
        "  hint: assign it before this line, or pass it as an argument"
    )


def test_in_ipython_itself() -> None:
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell  # noqa: PLC0415

    shell = InteractiveShell.instance()
    for factor in (2.0, 5.0):
        shell.run_cell(f"import fsmooth as fs\n@fs.function\ndef f(x):\n    return x * {factor}").raise_error()
        assert shell.run_cell("f(3.0)").result == 3.0 * factor
    timed = shell.run_line_magic("timeit", "-n 1 -r 1 -o -q f(3.0)")
    assert timed.best >= 0.0


def test_timing_and_copies() -> None:
    f = fs.grad(lambda v: sum(x * x for x in v))
    assert timeit.timeit("f(V)", globals={"f": f, "V": V}, number=2) >= 0.0
    for again in (copy.copy(f), copy.deepcopy(f)):
        assert np.array_equal(again(V), 2.0 * V)


def test_what_is_shown() -> None:
    def less(x, y):  # type: ignore[no-untyped-def]
        return x < y and sum(a for a in [x, y]) > 0.0

    f = fs.function(less)
    waiting = "<div><code>less(x, y)</code><br>not compiled yet: it is compiled when it is called</div>"
    assert f._repr_html_() == waiting
    f(1.0, 2.0)
    shown = f._repr_html_()
    assert shown.startswith(f"<div><code>less(x, y)</code><br>a call costs {f.cost()}<details><summary>C, ")
    assert shown.endswith("</pre></details></div>")
    assert "#include &lt;stdint.h&gt;" in shown
    assert "<math.h>" not in shown


def test_both_halves_of_a_vjp_are_shown() -> None:
    f = fs.vjp(lambda v: sum(x * x * 1.5 for x in v))
    f(V)
    assert "pullback_anonymous" in f._repr_html_()
