"""What to write instead of functions that programs cannot call."""

from __future__ import annotations

LOOP = "write it as a loop or comprehension; docs/reference/library.md lists what exists"
OUTSIDE = "compute it outside the compiled function and pass the result in"

DRAWN = "draw the numbers outside and pass them in"

INSTEAD_OF_COMPLEX = "carry the real and the imaginary part as two real numbers or arrays"

SHRINKING = dict.fromkeys(
    ("pop", "remove", "clear", "insert"),
    "keep np.zeros(n) and how many of its elements are used: count -= 1, and stack[count] is the last one",
)
"""Methods of lists that take elements out, or move them."""

INSTEAD = {
    **SHRINKING,
    "block": "put each row together with np.concatenate along the last axis, then the rows",
    "row_stack": "use np.vstack",
    "histogram2d": "count with np.add.at",
    "histogramdd": "count with np.add.at",
    "bitwise_count": "count the bits in a loop with & 1 and >> 1",
    "frexp": "compute the exponent as floor(log2(abs(x))) + 1",
    "kaiser": "write i0(beta * sqrt(1 - …)) / i0(beta)",
    "nextafter": "compute it outside the compiled function",
    "spacing": "compute it outside the compiled function",
    "roots": "find them outside, and differentiate by the implicit function theorem",
    "mask_indices": "write the mask, and index with it",
    "unique_all": "use np.unique with return_counts",
    "unique_inverse": "search with np.searchsorted in np.unique(k)",
    "einsum_path": "programs choose the order themselves",
    "bmat": "use np.block",
    "asmatrix": "use arrays of rank 2",
    "fromiter": "write a list comprehension",
    "frompyfunc": "call the function, or use np.vectorize",
    "eig": "the eigenvalues of a matrix that is not symmetric are complex: use np.linalg.eigh of a symmetric one",
    "eigvals": "the eigenvalues of a matrix that is not symmetric are complex: use np.linalg.eigvalsh of a symmetric one",
    "tensorinv": "reshape to a matrix, and use np.linalg.inv",
    "tensorsolve": "reshape to a matrix, and use np.linalg.solve",
    "comb": OUTSIDE,
    "complex": INSTEAD_OF_COMPLEX,
    "dict": "pass a NamedTuple or a dataclass instead",
    "factorial": "write math.exp(math.lgamma(n + 1))",
    "getattr": "write the attribute with a dot",
    "hasattr": "decide outside, and capture a flag",
    "input": OUTSIDE,
    "open": OUTSIDE,
    "partial": "write a lambda",
    "print": "write fs.debug_print(…), which prints where the program runs as Python: with FSMOOTH_PYTHON=1",
    "rand": DRAWN,
    "randn": DRAWN,
    "remainder": "write x % y or math.fmod(x, y), which leave a remainder on one side",
    "set": "use a list",
    "str": "format outside the compiled function",
    "uniform": DRAWN,
}
"""By the last part of the function's name."""


def instead_of(name: str) -> str:
    """What to write instead of calling `name`."""
    return INSTEAD.get(name, LOOP)
