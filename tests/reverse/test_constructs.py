"""Each construct backwards, against gradients worked out by hand, in the interpreter and in C."""

from __future__ import annotations

import numpy as np
import pytest

from fsmooth.core.term import Lam
from fsmooth.optimise.schedules import DEFAULT, NONE
from tests.accuracy.judge import shapes
from tests.frontend.python.test_programs import elaborated
from tests.lower.harness import STRICT, compile_all
from tests.reverse.constructs import EXAMPLES, Example
from tests.reverse.routes import result, reversed_, vector


def term_of(example: Example) -> Lam:
    """The gradient as a term."""
    return reversed_(elaborated(example.program, *example.arguments).term, example.wrt)


def check(found: object, example: Example) -> None:
    """Are the shapes and numbers those expected?"""
    assert isinstance(found, tuple)
    for one, other in zip(found, example.expected, strict=True):
        assert shapes(one) == shapes(other), example.name
        single = getattr(example.arguments[0], "dtype", None) == np.float32
        np.testing.assert_allclose(
            vector(one), vector(other), rtol=1e-6 if single else 1e-12, atol=1e-14, err_msg=example.name
        )


@pytest.mark.parametrize("example", EXAMPLES, ids=[e.name for e in EXAMPLES])
def test_interpreter(example: Example) -> None:
    check(result(term_of(example), *example.arguments), example)


def unrolled(term: Lam, example: Example) -> Lam:
    """The term where every size is known."""
    sizes = {
        (x, axis): size
        for x, a in zip(term.parameters, example.arguments, strict=True)
        for axis, size in enumerate(np.shape(a) if isinstance(a, np.ndarray) else ())
    }
    made = DEFAULT(term, None, sizes)
    assert isinstance(made, Lam)
    return made


MAKERS = {
    "none": lambda e: NONE(term_of(e)),
    "default": lambda e: DEFAULT(term_of(e)),
    "static": lambda e: unrolled(term_of(e), e),
}


@pytest.mark.parametrize("how", MAKERS)
def test_c(how: str) -> None:
    kernels = compile_all([MAKERS[how](e) for e in EXAMPLES], [f.replace("-O1", "-O0") for f in STRICT])
    for example, kernel in zip(EXAMPLES, kernels, strict=True):
        check(kernel(*example.arguments), example)
