"""What `help` says of the library's functions."""

import pydoc

import pytest

import fsmooth as fs
from fsmooth import functions


@pytest.mark.parametrize("name", functions.__all__)
def test_every_function_is_described(name) -> None:
    described = getattr(fs, name).__doc__
    assert described.startswith((f"{name} ", f"{name}, by the ranks"))
    assert "\n#" not in described
    assert any(
        said in described
        for said in (f"let {name} =", "as in NumPy", "by the ranks", "a primitive", "in F̃:\n\n    let ")
    )


def test_help() -> None:
    assert "sum (length v1) (fun i -> v1[i] × v2[i])" in pydoc.plain(pydoc.render_doc(fs.vectorDot))
    assert "for ranks 2 and 1:\n\n    let matrixVectorMul" in fs.dot.__doc__
    assert fs.sum.__doc__ != fs.max.__doc__
    assert "axis=" in fs.max.__doc__
