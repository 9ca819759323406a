"""A compiled program as a Python callable, through ctypes."""

from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from fsmooth.backend.c.program import CProgram
from fsmooth.core.integers import FARTHEST
from fsmooth.core.term import Annotated, Failure, FromEnd, Site
from fsmooth.core.types import Array, leaf_of, rank_of, unzipped
from fsmooth.errors import (
    ArgumentError,
    AssertionFailedError,
    DivisionError,
    EmptyError,
    IndexOutOfBoundsError,
    MatrixError,
    OutOfMemoryError,
    RaisedError,
    RaisedValueError,
    RecursionDepthError,
    RunError,
    SizeError,
)
from fsmooth.frontend.diagnose import render
from fsmooth.runtime.arrays import C_TYPES, DTYPES, allocate, finished, flatten, leaves
from fsmooth.runtime.memory import Memory
from fsmooth.runtime.places import misplaced, part_called
from fsmooth.runtime.shim import is_flat
from fsmooth.runtime.structure import structured

_DTYPES = tuple([np.dtype(kind) for kind in (np.float64, np.float32, np.int64, np.int32, np.bool_)])
_OF_NUMPY = (np.ndarray, np.generic, np.float32, np.int64, np.bool_, *_DTYPES)
"""What the shim knows arrays and numbers by."""
_EXAMPLES = (np.empty((3, 4)), np.empty((3, 4))[::2, ::3])
"""Arrays whose elements are side by side, and are not, by which the shim sees where the fields of arrays are."""
_FOR_C = getattr(getattr(getattr(np, "_core", None) or np.core, "multiarray", None), "_ARRAY_API", None)
"""NumPy's functions for C, which all extensions find there."""

_NO_STACK = 3
"""What a kernel returns whose calls are too deep for the stack of the thread."""


class FsError(ctypes.Structure):
    """`fs_error` of the C ABI."""

    _fields_ = (("site", ctypes.c_int32), ("reserved", ctypes.c_int32), ("numbers", ctypes.c_int64 * 2))


class Prepared(Struct, frozen=True):
    """A call of a kernel.  `written`: arrays of `out=`, each with the memory of the call's own that the kernel writes to."""

    arguments: list[Any]
    error: FsError
    structure: object
    written: list[tuple[Any, Any]]
    keep: list[object]


class Library:
    """A loaded shared object: its kernel, and the function that gives the shapes of its results."""

    def __init__(self, path: Path, code: CProgram, names: Sequence[str], static: Mapping[tuple[int, int], int]) -> None:
        self.path, self.code = path, code
        self.fast: Callable[..., Any] | None = None
        self.deeper: Callable[[], Library | None] = lambda: None
        """The program for calls that are too deep for the stack of the thread, if it has one."""
        self.is_on_records = False
        self.handle = ctypes.CDLL(str(path))
        self.names, self.parameters, self.static = tuple(names), code.parameters, static
        self.result = unzipped(code.result)
        self.inputs: list[Any] = []
        for parameter in code.parameters:
            for leaf in leaves(unzipped(parameter)):
                if isinstance(leaf, Array):
                    self.inputs += [ctypes.c_void_p, *[ctypes.c_int64] * rank_of(leaf)]
                else:
                    self.inputs.append(C_TYPES[leaf])
        self.outputs = leaves(self.result)
        self.sizes = sum([rank_of(leaf) for leaf in self.outputs])
        error = ctypes.POINTER(FsError)
        self.kernel = getattr(self.handle, code.name)
        self.kernel.restype = ctypes.c_int32
        self.kernel.argtypes = [*self.inputs, *[ctypes.c_void_p] * len(self.outputs), error]
        if code.is_parallel:
            from fsmooth.runtime.pool import pool  # noqa: PLC0415  (for programs that run on threads)

            getattr(self.handle, f"{code.name}_threads")(pool())
        if code.takes_blas:
            from fsmooth.runtime.blas import scipy_blas  # noqa: PLC0415  (SciPy is an extra)

            getattr(self.handle, f"{code.name}_blas")(scipy_blas())
        self.shape = None
        if self.sizes:
            self.shape = getattr(self.handle, f"{code.name}_shape")
            self.shape.restype = ctypes.c_int32
            self.shape.argtypes = [*self.inputs, ctypes.POINTER(ctypes.c_int64), error]

    def load_shim(self, module: str) -> None:
        """Load the call shim of this library, `fast`: it gives None where the slow path has to look."""
        loader = importlib.machinery.ExtensionFileLoader(module, str(self.path))
        spec = importlib.util.spec_from_loader(module, loader)
        assert spec is not None
        try:
            extension = importlib.util.module_from_spec(spec)
            loader.exec_module(extension)
        except ImportError:
            return
        dtypes = tuple([np.dtype(DTYPES[leaf_of(leaf)]) for leaf in self.outputs])
        extension.setup(np.empty, dtypes, *_OF_NUMPY, *_EXAMPLES, _FOR_C)
        if is_flat(self.parameters, self.result):
            self.fast = extension.call
        else:
            self.fast = structured(extension.call, [unzipped(q) for q in self.parameters], self.result)

    def prepare(self, values: Sequence[object], out: object | None = None) -> Prepared:
        """A call of the kernel: its C arguments, with the place for what went wrong, and what they point to.

        Arrays that decide how much memory is taken are copied, unless they own their memory and are read-only: nobody else can
        write to them then.

        Raises:
            ArgumentError: for arguments that do not fit.
            OutOfMemoryError: if there is no memory for the result.

        """
        flat: list[Any] = []
        scalars: list[tuple[str, object]] = []
        for k, (value, type_, name) in enumerate(zip(values, self.parameters, self.names, strict=True)):
            start = len(flat)
            flatten(value, unzipped(type_), name, flat)
            self._refuse_other_sizes(k, flat[start:])
            scalars.extend([(name, number) for number in _numbers(flat[start:])])
        self._refuse_far_numbers(scalars)
        memory = Memory.beside(flat)
        arrays = [k for k, value in enumerate(flat) if isinstance(value, np.ndarray)]
        for position in self.code.sizing:
            array = flat[arrays[position]]
            if not is_frozen(array):
                flat[arrays[position]] = array.copy()
        inputs = [_passed(v) for v in flat]
        error = FsError()
        sizes: list[int] = []
        if self.shape is not None:
            numbers = (ctypes.c_int64 * self.sizes)()
            self.checked(self.shape(*inputs, numbers, ctypes.byref(error)), error, values)
            sizes = list(numbers)
        structure, given = allocate(self.result, sizes, out, "out", memory)
        buffers = list(given)
        if out is not None:
            self._refuse_overlap(flat, given)
            for position in self.code.deciding_results:
                if isinstance(buffers[position], np.ndarray):
                    buffers[position] = np.empty_like(buffers[position])
        arguments = [*inputs, *[_passed(b) for b in buffers], ctypes.byref(error)]
        written = [(a, b) for a, b in zip(given, buffers, strict=True) if a is not b]
        return Prepared(arguments, error, structure, written, [*flat, *buffers])

    def _refuse_other_sizes(self, position: int, leaves: Sequence[object]) -> None:
        """The sizes that are built in were looked up before; another thread may have given the array another shape."""
        for (parameter, axis), size in self.static.items():
            array = leaves[0]
            if parameter == position and isinstance(array, np.ndarray) and array.shape[axis] != size:
                raise ArgumentError(f"{self.names[position]}: its shape changed during the call")

    def _refuse_far_numbers(self, numbers: Sequence[tuple[str, object]]) -> None:
        """Sizes, and what is compared with them, must not have wrapped around."""
        for position in self.code.deciding_numbers:
            name, value = numbers[position]
            if isinstance(value, int) and abs(value) > FARTHEST:
                raise ArgumentError(
                    f"{name}: {value} is too far from zero: what is computed from it must fit into 64 bits\n"
                    "  hint: sizes and what integers are compared with are computed from numbers up to 2**61"
                )

    def _refuse_overlap(self, inputs: Sequence[object], outputs: Sequence[object]) -> None:
        """Results must not lie in the memory of arguments or of each other: kernels write before they have read all."""
        arrays = [b for b in outputs if isinstance(b, np.ndarray)]
        for k, array in enumerate(arrays):
            others = [*inputs, *arrays[:k]]
            if any([isinstance(other, np.ndarray) and np.may_share_memory(array, other) for other in others]):
                raise ArgumentError("out: shares memory with an argument or another result; give arrays of its own")

    def __call__(self, values: Sequence[object], out: object | None = None) -> object:
        call = self.prepare(values, out)
        status = self.kernel(*call.arguments)
        if status == _NO_STACK and (deeper := self.deeper()) is not None:
            return deeper(values, out)
        self.checked(status, call.error, values)
        for array, filled in call.written:
            np.copyto(array, filled)
        return finished(call.structure)

    def checked(self, code: int, error: FsError, values: Sequence[object] = ()) -> None:
        """Raise what a nonzero code means, of a call with these arguments."""
        if code == 0:
            return
        if code == _NO_STACK or (code == 2 and self.is_on_records):
            why = "what they need takes too much memory" if self.is_on_records else "there is no stack left"
            raise RecursionDepthError(
                f"a function calls itself too often, one call in the other: {why}\n"
                "  hint: end the recursion earlier, let it end in the call of itself, or write a loop"
            )
        if code == 2:
            hint = (
                "give it less at a time; long loops save less in reverse derivatives with checkpoint=True, and nothing with "
                "method='forward'"
            )
            raise OutOfMemoryError(f"there is not enough memory for the temporaries of this call\n  hint: {hint}")
        if code == 4:
            entries, operands = error.numbers[0], error.numbers[1]
            raise OutOfMemoryError(
                f"there is not enough memory for the tape of this call, after {entries} entries with {operands} operands\n"
                "  hint: method='reverse' saves less, method='forward' saves nothing"
            )
        failure, site = self.code.sites[error.site]
        a, b = error.numbers[0], error.numbers[1]
        if failure is Failure.ELEMENT or failure is Failure.DECREASING:
            raise misplaced(failure, site, a, b, part_called(site.what, dict(zip(self.names, values, strict=False))))
        raise _explained(failure, site, a, b)


_STRETCH = (
    "give arrays of equal size; element by element a size of 1 is stretched if it is known while compiling: "
    'write x[0] or x[:1], or annotate the argument, fs.Array["n", 1]'
)


def is_frozen(array: np.ndarray) -> bool:
    """Can nobody write to the array, unless they make it writeable first?"""
    return array.base is None and array.flags.owndata and not array.flags.writeable


def _numbers(flat: Sequence[object]) -> Iterator[object]:
    """The arguments that are neither arrays nor the lengths of their axes."""
    lengths = 0
    for value in flat:
        if isinstance(value, np.ndarray):
            lengths = value.ndim
        elif lengths:
            lengths -= 1
        else:
            yield value


def _passed(value: Any) -> Any:
    """What C gets of a leaf: an address, or the number."""
    if isinstance(value, np.ndarray):
        return value.ctypes.data
    return ctypes.addressof(value) if isinstance(value, ctypes._SimpleCData) else value


_OF_INDICES = "correct what is computed, or annotate it with int, and every access is checked"


def _asks_for(limit: int) -> str:
    """What an annotation asks of integers that are indices below a limit."""
    asked = f"integers from 0 to {limit - 1}" if limit > 0 else "no integers, since there are no elements"
    return f"its annotation asks for {asked}"


def _explained(failure: Failure | None, site: Site, a: int, b: int) -> RunError:
    what = site.what or "the array"
    match failure:
        case None | Failure.INDEX if isinstance(site, Annotated):
            return IndexOutOfBoundsError(render(site, f"{what} is {a}: {_asks_for(b)}", _OF_INDICES))
        case Failure.NO_PLACE:
            return IndexOutOfBoundsError(
                render(site, f"{what} has an element that is no index: {_asks_for(a)}", _OF_INDICES)
            )
        case Failure.NOT_SORTED:
            message = f"{what} has an element that is less than the one before it: offsets do not decrease"
            return IndexOutOfBoundsError(render(site, message, _OF_INDICES))
        case None | Failure.INDEX:
            given = a - b if isinstance(site, FromEnd) and a < 0 else a
            message = f"index {given} is out of bounds for {what}, which has size {b}"
            hint = f"indices go from 0 to {b - 1}" if b > 0 else "it is empty: check the size first"
            if b > 0 and isinstance(site, FromEnd):
                hint = f"indices go from {-b} to {b - 1}"
            elif -b <= a < 0:
                hint = f"computed indices do not count from the end: write {what}[len({what}) - {-a}]"
            return IndexOutOfBoundsError(render(site, message, hint))
        case Failure.SIZE:
            return SizeError(
                render(site, f"sizes {a} and {b} differ", _STRETCH if 1 in (a, b) else "give arrays of equal size")
            )
        case Failure.EMPTY:
            return EmptyError(render(site, "the maximum or minimum of nothing", "check the size first"))
        case Failure.DIVISION:
            return DivisionError(render(site, "integer division by zero", "check the divisor first"))
        case Failure.ASSERTION:
            return AssertionFailedError(render(site, f"assertion failed: {site.what}"))
        case Failure.RAISED:
            raised, _, text = site.what.partition(": ")
            error = RaisedValueError if raised == "ValueError" else RaisedError
            return error(render(site, text or raised))
        case Failure.DEPTH:
            return RecursionDepthError(render(site, failure.value, "end the recursion earlier, or write a loop"))
        case Failure.SINGULAR:
            hint = "NumPy refuses it too; np.linalg.lstsq and np.linalg.pinv take any matrix"
            return MatrixError(render(site, failure.value, hint))
        case Failure.SQUARE:
            return MatrixError(render(site, failure.value, "write full_matrices=False (SciPy: mode='economic')"))
        case Failure.INDEFINITE:
            hint = "NumPy refuses it too; rounding may be what makes it so: add a little to the diagonal"
            return MatrixError(render(site, failure.value, hint))
        case _:
            return RunError(render(site, failure.value))
