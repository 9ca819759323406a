"""`fs.tune`: all ways are run, the fastest is given, and kept for later."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from fsmooth import tuning

X = np.arange(1.0, 40.0)


def energy(x):
    return sum(x[i] * x[i] / 3.0 + x[i] / 3.0 for i in range(len(x)))


HOIST = fs.law("x / y + z / y ~> (x + z) / y where z : Float", real=True, name="hoist")


def test_all_ways_are_run() -> None:
    found = fs.tune(fs.grad(energy), X, over=("DEFAULT", "LICM"), laws=(HOIST,))
    assert len(found.ways) == 12
    assert {way.method for way in found.ways} == {"auto", "forward", "reverse"}
    assert {way.schedule for way in found.ways} == {"DEFAULT", "LICM", "DEFAULT with hoist", "LICM with hoist"}
    assert all([way.seconds is not None for way in found.ways])
    assert found.best.seconds == min([way.seconds or 0.0 for way in found.ways])
    np.testing.assert_allclose(found.function(X), 2 * X / 3 + 1 / 3)
    assert str(found).count(">") == 1
    assert repr(found).startswith("<tuned grad_energy: ")


def test_what_was_found_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    first = fs.tune(fs.grad(energy), X[:7])

    def never(*given: object) -> float:
        raise AssertionError("it is timed again")

    monkeypatch.setattr(tuning, "_seconds", never)
    again = fs.tune(fs.grad(energy), X[:7])
    assert (again.best.schedule, again.best.method) == (first.best.schedule, first.best.method)
    np.testing.assert_allclose(again.function(X), 2 * X / 3 + 1 / 3)
    with pytest.raises(AssertionError, match="it is timed again"):
        fs.tune(fs.grad(energy), X[:8])


def test_no_time() -> None:
    found = fs.tune(fs.function(energy), X[:3], budget=0.0)
    assert [way.note for way in found.ways] == ["", *["not tried: the time was over"] * 2]
    assert found.best is found.ways[0]


def test_ways_that_are_no_way() -> None:
    """A method that has no derivative is left out, with its reason."""
    found = fs.tune(fs.grad(energy), X[:4], over=("DEFAULT", fs.strategies.where(lambda term: True)))
    assert {way.method for way in found.ways} == {"auto", "forward", "reverse"}
    with pytest.raises(fs.ArgumentError, match="give it what fs.function, fs.grad or another verb made"):
        fs.tune(energy, X)  # type: ignore[arg-type]


def test_arguments_by_keyword() -> None:
    found = fs.tune(fs.jvp(energy), X[:5], tangent=np.ones(5), over=("DEFAULT",))
    assert found.function(X[:5], tangent=np.ones(5))[1] == pytest.approx(sum(2 * X[:5] / 3 + 1 / 3))


def test_no_schedule() -> None:
    with pytest.raises(fs.ArgumentError, match="fs.tune over no schedule"):
        fs.tune(fs.function(energy), X, over=())
    with pytest.raises(fs.UnknownMethodError, match="there is no schedule 'NOPE'"):
        fs.tune(fs.function(energy), X, over=("NOPE",))


def test_mistakes_are_raised() -> None:
    with pytest.raises(fs.ProgramError):
        fs.tune(fs.function(lambda x: x.nonsense), X)
