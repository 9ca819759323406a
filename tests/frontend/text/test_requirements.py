"""What a requirement reports when it does not hold is part of its text."""

import pytest

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.build import equals, lam
from fsmooth.core.pretty import show
from fsmooth.core.term import Failure, Require
from fsmooth.core.types import INT
from fsmooth.frontend.text.parse import parse


@pytest.mark.parametrize("failure", Failure)
def test_every_failure_is_printed_and_read(failure: Failure):
    term = lam((("n", INT),), lambda n: Require(equals(n, n), n, failure, (n,)))
    assert alpha_equal(parse(show(term)), term)
