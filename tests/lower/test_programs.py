"""Every construct: the C and the interpreter agree, and the C compiles without a warning."""

from __future__ import annotations

import warnings

import pytest

from tests.accuracy.judge import bounded, disagreement
from tests.lower.harness import FAST, STRICT, Compiled, compile_all
from tests.lower.programs import PROGRAMS


@pytest.fixture(scope="module", params=[STRICT, FAST], ids=["strict", "fast"])
def compiled(request: pytest.FixtureRequest) -> dict[str, Compiled]:
    terms = [term for term, _ in PROGRAMS.values()]
    return dict(zip(PROGRAMS, compile_all(terms, request.param), strict=True))


@pytest.mark.parametrize("name", PROGRAMS)
def test_agrees_with_the_interpreter(name: str, compiled: dict[str, Compiled]) -> None:
    term, cases = PROGRAMS[name]
    for arguments in cases:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert not disagreement(compiled[name](*arguments), bounded(term, list(arguments)), 1e-12)
