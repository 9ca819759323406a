"""What to write instead of functions that programs cannot call."""

from __future__ import annotations

LOOP = "write it as a loop or comprehension; docs/reference/library.md lists what exists"
OUTSIDE = "compute it outside the compiled function and pass the result in"

INSTEAD = {
    "acosh": "write math.log(x + math.sqrt(x * x - 1))",
    "asinh": "write s * math.log(s * x + math.sqrt(x * x + 1)) with s = 1 if x > 0 else -1",
    "atanh": "write 0.5 * (math.log1p(x) - math.log1p(-x))",
    "comb": OUTSIDE,
    "copysign": "write abs(x) if y >= 0 else -abs(x)",
    "det": "write the elimination as loops, or compute it outside",
    "dict": "pass a NamedTuple or a dataclass instead",
    "einsum": "write the sums as a comprehension, e.g. [sum(A[i, j] * x[j] for j in range(m)) for i in range(n)]",
    "factorial": "write math.exp(math.lgamma(n + 1))",
    "filter": "write a comprehension with if: [x for x in xs if …]",
    "gamma": "write math.exp(math.lgamma(x)) of a positive number",
    "gcd": OUTSIDE,
    "getattr": "write the attribute with a dot",
    "hasattr": "decide outside, and capture a flag",
    "input": OUTSIDE,
    "inv": "solve with loops, or compute it outside",
    "isinstance": "decide outside, and capture a flag",
    "open": OUTSIDE,
    "partial": "write a lambda",
    "print": "return the value, and print outside the compiled function",
    "rand": "draw the numbers outside and pass them in",
    "randn": "draw the numbers outside and pass them in",
    "remainder": "write x % y or math.fmod(x, y), which leave a remainder on one side",
    "repeat": "write a comprehension: [x[k // n] for k in range(n * len(x))]",
    "reshape": "write a comprehension: [[x[i * m + j] for j in range(m)] for i in range(n)]",
    "set": "use a list",
    "solve": "write the elimination as loops, or solve outside",
    "sort": "sort outside the compiled function",
    "sorted": "sort outside the compiled function",
    "squeeze": "index the axis of length 1 with 0",
    "str": "format outside the compiled function",
    "swapaxes": "write a comprehension with the indices exchanged",
    "tensordot": "write the sums as a comprehension",
    "tile": "write a comprehension: [x[k % len(x)] for k in range(n)]",
    "tolist": "leave it out: arrays and lists are the same here",
    "uniform": "draw the numbers outside and pass them in",
}
"""By the last part of the function's name."""


def instead_of(name: str) -> str:
    """What to write instead of calling `name`."""
    return INSTEAD.get(name, LOOP)
