"""What the functions here say that NumPy has no word for; frontend/python/own_words.py says what programs make of each."""


def constant(x):
    """`x`, of which no derivative is taken."""
    return x


def equal_sizes(m, n):
    """The size that both are; an error if they differ."""
    if m != n:
        raise ValueError(f"sizes {m} and {n} differ")
    return m


def place_in(k, n):
    """The index `k` of an axis of n elements, counted from the end if it is negative; an error if it is outside."""
    return range(n)[k]


def is_slice(value):
    """Is it a slice?"""
    return isinstance(value, slice)


def is_one(n):
    """Is the size known to be 1 while the program is compiled?"""
    return n == 1


def is_known(n):  # noqa: ARG001
    """Is the number known while the program is compiled?"""
    return True


def regular(holds, value):
    """`value`, an error unless the matrix is regular."""
    if not holds:
        raise ValueError("the matrix is singular")
    return value


def positive_definite(holds, value):
    """`value`, an error unless the matrix is positive definite."""
    if not holds:
        raise ValueError("the matrix is not positive definite")
    return value


def square(holds, value):
    """`value`, an error unless it is all of a square matrix."""
    if not holds:
        raise ValueError("not all columns are there")
    return value


def refused(what, hint):
    """What NumPy has and programs have not."""
    raise NotImplementedError(f"{what}: {hint}")


def _named(name):
    """A function of M̃ under its own name."""

    def function(*arguments):
        raise NotImplementedError(name)

    function.__name__ = name
    return function


_NAMES = ("gammaln", "betaln", "xlogy", "xlog1py", "ndtr", "log_ndtr", "sigmoid", "norm", "clip")
OF_LIBRARY = {name: _named(name) for name in _NAMES}
gammaln, betaln, xlogy, xlog1py, ndtr, log_ndtr, sigmoid, norm_of_all, clipped = OF_LIBRARY.values()


def logsumexp(a, axis=None, keepdims=False):
    """fsmooth's own."""
    raise NotImplementedError


def digamma(x):
    """The derivative of the logarithm of the gamma function."""
    raise NotImplementedError


def trigamma(x):
    """The derivative of digamma."""
    raise NotImplementedError
