"""Derivatives of programs with loops that return: those of the step that does."""

import numpy as np
import pytest

import fsmooth as fs
from tests.frontend.python import statements as s


def together(x):
    """Loops over arrays and tuples, nested, in while, with else; of few steps and of many."""
    y = np.concatenate([x, x * 0.9, x * 0.8, x * 1.1])
    rows = s.the_rows_up_to_there(x)
    pair = s.an_array_of_a_size_of_its_own(x)
    first = s.first_large(x) * s.with_state(y) + s.from_a_nest(x) * s.the_only_way_out(x)
    second = s.from_a_while(x)[0] * s.from_a_loop_over_a_tuple(x) + s.in_each_branch(x) * s.else_that_returns(x)
    return np.array([first, second, rows[0], rows[1], rows[2], pair[0], pair[1], s.else_of_a_for(x)])


@pytest.mark.parametrize("method", ["forward", "reverse"])
def test_the_derivative_is_that_of_the_step_that_returns(method) -> None:
    x = 1.03 * s.X + 0.01
    jacobian = fs.jacobian(together, method=method)(x)
    step = 1e-6
    columns = [(together(x + step * e) - together(x - step * e)) / (2 * step) for e in np.eye(len(x))]
    np.testing.assert_allclose(jacobian, np.stack(columns, axis=-1), rtol=2e-7, atol=1e-6)


def test_a_loop_ends_with_the_step_that_returns() -> None:
    """Element 3 is the first that is large: what comes after it would be an index error."""

    def found(x, places):
        for k in range(len(places)):
            if x[places[k]] > 2.0:
                return x[places[k]]
        return 0.0

    x, places = np.array([1.0, 2.0, 3.0]), np.array([0, 1, 2, 7, 7])
    assert fs.function(found)(x, places) == 3.0
    with pytest.raises(fs.IndexOutOfBoundsError):
        fs.function(found)(x, places[::-1].copy())
