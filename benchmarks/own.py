"""Calls on fsmooth's own C entries."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from benchmarks.reference import Kernel, Reference
from fsmooth.runtime.arrays import finished
from fsmooth.runtime.library import FsError

if TYPE_CHECKING:
    import fsmooth as fs


def kernel(reference: Reference, function: fs.Function, *arguments: object) -> Kernel:
    """The C entry of a function on prepared arguments; the call gives the result's arrays."""
    entry, prepared, result, kept = function.kernel(*arguments)
    error = kept[0]
    assert isinstance(error, FsError)
    call = Kernel(reference, entry, [*prepared[:-1], ctypes.addressof(error)], result)
    call.held += [kept, result]
    failed = call.repeated(1)
    call.result = finished(result)
    if failed or error.site or any(error.numbers):
        raise RuntimeError("the kernel failed")
    return call
