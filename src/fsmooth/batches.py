"""`fs.vmap`: a function of one as a function of many."""

from __future__ import annotations

from collections.abc import Callable

from fsmooth.api import AnySchedule, Asked, Blas, Threads, known_checks, known_schedule
from fsmooth.callables import Function
from fsmooth.errors import ArgumentError
from fsmooth.frontend.batches import OfBatches, as_axes, mistake_of
from fsmooth.frontend.programs import SourceProgram


def vmap(
    f: Callable[..., object],
    in_axes: object = 0,
    out_axes: object = 0,
    *,
    schedule: AnySchedule = "DEFAULT",
    threads: Threads = None,
    blas: Blas = None,
    checks: Asked = None,
) -> Function:
    """`f` of each element of a batch: the comprehension `[f(x) for x in X]`, as one loop.

    `in_axes` says which axis of each argument is the batch: an integer for all of them, or a tuple with an integer or None
    for each parameter (None: the argument is the same for all).  Of an argument that is a tuple it can be a tuple in
    its turn.  Defaults that are not replaced are no batch.  `out_axes` is the axis of the batch in the result, which is a
    tuple of arrays where `f` gives a tuple.

    Raises:
        ArgumentError: for axes that do not fit the parameters.
        ProgramError: (when called) for a number where a batch is wanted.
        SizeError: (when called) for batches of different sizes.

    >>> import numpy as np, fsmooth as fs
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> fs.vmap(lambda x: sum(x))(X)
    array([3., 7.])
    >>> fs.vmap(fs.grad(lambda x, w: w * x[0] * x[1]), in_axes=(0, None))(X, 10.0)
    array([[20., 10.],
           [40., 30.]])
    """
    signature = (f.program if isinstance(f, Function) else SourceProgram(f)).signature
    mistake = mistake_of(in_axes, out_axes, signature)
    if mistake is not None:
        what, hint = mistake
        raise ArgumentError(f"{what}\n  hint: {hint}")
    batches = OfBatches(f, as_axes(in_axes), as_axes(out_axes), signature)
    return Function(SourceProgram(batches), known_schedule(schedule, threads, blas), known_checks(checks))


__all__ = ["vmap"]
