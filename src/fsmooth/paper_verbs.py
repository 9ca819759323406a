"""The derivatives of paper 000 under its names (Fig. 6, Table 2): `grad` and `jacobian` for functions of certain types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec

from fsmooth.api import AnySchedule, Asked, Blas, Threads, Wrt, grad, jacobian
from fsmooth.callables import Function

P = ParamSpec("P")


def diff(
    f: Callable[P, object],
    wrt: Wrt = None,
    *,
    method: str = "auto",
    checkpoint: bool = False,
    schedule: AnySchedule = "DEFAULT",
    threads: Threads = None,
    blas: Blas = None,
    checks: Asked = None,
) -> Function[P, Any]:
    """The derivative of a function of a real number (paper 000, Table 2), as `jacobian` lays it out.

    >>> import fsmooth as fs
    >>> fs.diff(lambda x: x * x)(3.0)
    6.0
    """
    return jacobian(
        f, wrt, method=method, checkpoint=checkpoint, schedule=schedule, threads=threads, blas=blas, checks=checks
    )


def vdiff(
    f: Callable[P, object],
    wrt: Wrt = None,
    *,
    method: str = "auto",
    checkpoint: bool = False,
    schedule: AnySchedule = "DEFAULT",
    threads: Threads = None,
    blas: Blas = None,
    checks: Asked = None,
) -> Function[P, Any]:
    """The derivative of a vector-valued function of a real number (paper 000, Table 2): a vector.

    >>> import fsmooth as fs
    >>> fs.vdiff(lambda x: [x, x * x])(3.0)
    array([1., 6.])
    """
    return jacobian(
        f, wrt, method=method, checkpoint=checkpoint, schedule=schedule, threads=threads, blas=blas, checks=checks
    )


def mdiff(
    f: Callable[P, object],
    wrt: Wrt = None,
    *,
    method: str = "auto",
    checkpoint: bool = False,
    schedule: AnySchedule = "DEFAULT",
    threads: Threads = None,
    blas: Blas = None,
    checks: Asked = None,
) -> Function[P, Any]:
    """The derivative of a matrix-valued function of a real number (paper 000, Table 2): a matrix.

    >>> import fsmooth as fs
    >>> fs.mdiff(lambda x: [[x, x * x], [1.0, 3.0 * x]])(2.0)
    array([[1., 4.],
           [0., 3.]])
    """
    return jacobian(
        f, wrt, method=method, checkpoint=checkpoint, schedule=schedule, threads=threads, blas=blas, checks=checks
    )


def jacob(
    f: Callable[P, object],
    wrt: Wrt = None,
    *,
    method: str = "auto",
    checkpoint: bool = False,
    schedule: AnySchedule = "DEFAULT",
    threads: Threads = None,
    blas: Blas = None,
    checks: Asked = None,
) -> Function[P, Any]:
    """The Jacobian under its name in paper 000 (Fig. 6), laid out as by `jacobian`.

    >>> import numpy as np, fsmooth as fs
    >>> fs.jacob(lambda v: [v[1], v[0] * v[0]])(np.array([2.0, 3.0]))
    array([[0., 1.],
           [4., 0.]])
    """
    return jacobian(
        f, wrt, method=method, checkpoint=checkpoint, schedule=schedule, threads=threads, blas=blas, checks=checks
    )


def mgrad(
    f: Callable[P, object],
    wrt: Wrt = None,
    *,
    method: str = "auto",
    checkpoint: bool = False,
    schedule: AnySchedule = "DEFAULT",
    threads: Threads = None,
    blas: Blas = None,
    checks: Asked = None,
) -> Function[P, Any]:
    """The gradient of a real-valued function of a matrix (paper 000, Table 2): a matrix.

    >>> import numpy as np, fsmooth as fs
    >>> fs.mgrad(lambda M: fs.matrixTrace(M))(np.ones((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    return grad(
        f, wrt, method=method, checkpoint=checkpoint, schedule=schedule, threads=threads, blas=blas, checks=checks
    )


__all__ = ["diff", "jacob", "mdiff", "mgrad", "vdiff"]
