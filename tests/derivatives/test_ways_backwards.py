"""The ways backwards of papers 003 and 004 agree with what is compiled, on random programs of every construct."""

from __future__ import annotations

import numpy as np
import pytest

from fsmooth.checking import derivatives
from fsmooth.checking.interpreted import PATHS, WAYS, TooManyError, pulled
from fsmooth.core.term import Lam
from fsmooth.library import parse
from tests.accuracy.cases import cases
from tests.reverse.routes import result, vector
from tests.strategies import FLOATS


def test_every_way_is_a_route() -> None:
    assert set(WAYS) == set(derivatives.BACKWARDS) <= set(derivatives.ROUTES)


@pytest.mark.parametrize("first", range(70_000, 73_200, 400))
def test_every_way_gives_the_gradient(first: int) -> None:
    tried = dict.fromkeys(WAYS, 0)
    for case in cases(first, 100):
        gradient = result(case.gradient, *case.arguments)
        assert isinstance(gradient, tuple)
        wanted = vector(gradient[1])
        if not np.all(np.isfinite(wanted)):
            continue
        for way in WAYS:
            try:
                found = vector(pulled(case.program, case.arguments, FLOATS, 1.0, way))
            except TooManyError:
                continue
            tried[way] += 1
            scale = 1e-9 * max(1.0, float(np.max(np.abs(wanted), initial=0.0)))
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=scale, err_msg=f"{way}, seed {case.seed}")
    assert min(tried.values()) >= 60


def test_what_is_too_much_is_said() -> None:
    power = parse("fun (x : Float) (n : Int) -> ifold (fun (s : Float) (i : Int) -> s + s * x) x n")
    assert isinstance(power, Lam)
    with pytest.raises(TooManyError, match=r"^1,200 operations$"):
        pulled(power, (0.5, 600), (0,), 1.0, "shift and reset")
    with pytest.raises(TooManyError, match=r" calls of backpropagators$"):
        pulled(power, (0.5, 20), (0,), 1.0, "backpropagators, D1")
    with pytest.raises(TooManyError, match=r"^more than 20,000 operations$"):
        pulled(power, (0.5, 20_000), (0,), 1.0, "tape")
    assert PATHS == 20_000
