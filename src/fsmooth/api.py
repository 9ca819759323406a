"""The public face: programs as callables, and the verbs that make derivatives of them (design §1)."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from fsmooth.core.term import Method, Verb
from fsmooth.core.types import Array, Tuple, Type, leaf_of
from fsmooth.errors import ArgumentError, UnknownMethodError, UnsupportedError
from fsmooth.frontend.programs import DerivedProgram, Program, SourceProgram, wrt_names
from fsmooth.runtime.arrays import infer_type
from fsmooth.runtime.built_in import copied, same

if TYPE_CHECKING:
    from fsmooth.backend.c.program import CProgram
    from fsmooth.driver import Stages
    from fsmooth.frontend.elaborate import Elaborated
    from fsmooth.runtime.library import Library
    from fsmooth.runtime.manifest import Compiled, Interface

Wrt = str | int | tuple[str | int, ...] | None
_STATIC_LIMIT = 32
_STATIC_SIGNATURES = 8
_NOT_IN_ORDER = (None,) * 64


class Function:
    """A program that is compiled when it is first called with arguments of given types.

    Arguments are numbers, NumPy arrays, tuples, NamedTuples and dataclasses of these, by position or keyword;
    results are Python numbers, NumPy arrays and tuples.  `out=` reuses the arrays of an earlier result.

    Raises (when called):
        ProgramError: for a mistake in the program.
        ArgumentError: for arguments that do not fit.
        RunError: for an index out of bounds, sizes that differ, …, while it runs.
    """

    def __init__(self, program: Program, schedule: str = "DEFAULT") -> None:
        self.program = program
        self.schedule = schedule
        self._lock = threading.RLock()
        self._entries: dict[tuple[object, ...], _Entry] = {}
        self._names = tuple(program.signature.parameters)
        self._fast: Callable[..., Any] | None = None
        base: Program = program
        while isinstance(base, DerivedProgram):
            base = base.program
        functools.update_wrapper(self, base.function, updated=())
        self.__name__ = program.name
        self.__qualname__ = program.name
        self.__wrapped__ = base.function
        self.__signature__ = program.signature

    def __repr__(self) -> str:
        return f"<fsmooth {self.program.name}{self.program.signature}>"

    def __call__(self, *args: object, out: object | None = None, **kwargs: object) -> Any:
        fast = self._fast
        if fast is not None:
            given = self._in_order(args, kwargs) if kwargs else args
            result = fast(*given) if out is None else fast(*given, out=out)
            if result is not None:
                return result
        entry, values = self._entry(args, kwargs)
        return entry(values, out)

    def _in_order(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> tuple[object, ...]:
        """All arguments by position, or something that no program takes, if it is not that simple."""
        names = self._names[len(args) :]
        if len(names) != len(kwargs):
            return _NOT_IN_ORDER
        try:
            return (*args, *[kwargs[name] for name in names])
        except KeyError:
            return _NOT_IN_ORDER

    # -- compilation -------------------------------------------------------------------------------------------------

    def _bind(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> dict[str, object]:
        if not kwargs and len(args) == len(self._names):
            return dict(zip(self._names, args, strict=True))
        try:
            bound = self.program.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise ArgumentError(f"{self.program.name}{self.program.signature}: {error}") from None
        bound.apply_defaults()
        return bound.arguments

    def _entry(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> tuple[_Entry, dict[str, object]]:
        values = self._bind(args, kwargs)
        types = {name: _type_or_static(value, name) for name, value in values.items()}
        key = tuple([_key(t) for t in types.values()])
        entry = self._entries.get(key)
        if entry is None or not entry.is_current():
            with self._lock:
                entry = self._entries.get(key)
                if entry is None or not entry.is_current():
                    entry = self._entries[key] = _Entry(self, types)
        return entry, values

    # -- looking inside ----------------------------------------------------------------------------------------------

    def compiled(self, *args: object, **kwargs: object) -> Stages:
        """Every stage of the compilation for arguments like these."""
        entry, values = self._entry(args, kwargs)
        return entry.stages_for(values)

    def c_source(self, *args: object, **kwargs: object) -> str:
        """The C that runs for arguments like these (those of the last call, if none are given)."""
        return self._code(args, kwargs).source

    def _code(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> CProgram:
        stages = self._stages(args, kwargs)
        assert stages.code is not None
        return stages.code

    def _stages(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Stages:
        is_example = bool(args or kwargs) or not (self._names or self._entries)
        return self.compiled(*args, **kwargs) if is_example else self.stages

    @property
    def stages(self) -> Stages:
        """The stages of the latest compilation."""
        for entry in reversed(self._entries.values()):
            if entry.libraries or entry.made:
                return entry.stages(entry.latest)
        raise ArgumentError(f"{self.program.name} has not been compiled; call it, or give example arguments")

    def explain(self, *args: object, **kwargs: object) -> str:
        """What was made and why: sizes, times, rules that fired, arrays that were stored, the final term."""
        from fsmooth.explain import explanation  # noqa: PLC0415  (only for those who ask)

        stages = self._stages(args, kwargs)
        return explanation(self.program.name, self.schedule, stages)

    def cost(self, *args: object, **kwargs: object) -> str:
        """The cost of a call as a polynomial in the sizes (weights of design §5)."""
        from fsmooth.explain import cost_of  # noqa: PLC0415  (only for those who ask)

        stages = self._stages(args, kwargs)
        return cost_of(stages)

    def save(self, path: str | Path, *args: object, **kwargs: object) -> tuple[Path, Path]:
        """Write the C file and its header next to each other; gives both paths."""
        code = self._code(args, kwargs)
        source = Path(path).with_suffix(".c")
        header = source.with_suffix(".h")
        source.write_text(code.source)
        header.write_text(code.header)
        return source, header

    def kernel(self, *args: object, **kwargs: object) -> tuple[Callable[..., int], list[Any], object, list[object]]:
        """The C entry, its prepared arguments, the result's structure, and what must be kept alive: for timing."""
        entry, values = self._entry(args, kwargs)
        library, inputs = entry.library_for(values)
        prepared, structure, keep = library.prepare(inputs)
        return library.kernel, prepared, structure, keep


class _Entry:
    """A program for arguments of given types; compiled once for each set of static sizes."""

    def __init__(self, owner: Function, types: Mapping[str, Type | object]) -> None:
        from fsmooth.runtime.compiler import identity  # noqa: PLC0415  (loaded by the first call)
        from fsmooth.runtime.manifest import manifest_of  # noqa: PLC0415

        self.owner = owner
        self.types = types
        self.manifest = manifest_of(owner.program, tuple(types.values()), owner.schedule, identity())
        self.libraries: dict[tuple[int, ...] | None, Library] = {}
        self.made: dict[tuple[int, ...] | None, Stages] = {}
        self.latest: tuple[int, ...] | None = None
        self.lock = threading.RLock()
        self._elaborated: Elaborated | None = None
        found = self.manifest.interface() if self.manifest is not None else None
        if found is None:
            found = self._new_interface()
            if self.manifest is not None:
                self.manifest.store_interface(found)
        self.interface: Interface = found
        self.snapshots = [copied(q.value) for q in found.built_in]
        self.captured = [(q.fetch, q.name, q.type) for q in found.inputs if q.fetch is not None]
        self.in_order = tuple([q.name for q in found.inputs if q.fetch is None]) == owner._names

    def _new_interface(self) -> Interface:
        from fsmooth import driver  # noqa: PLC0415  (the compiler is loaded when something is compiled)
        from fsmooth.runtime.manifest import BuiltIn, Input, Interface  # noqa: PLC0415

        elaborated = self.elaborated
        inputs = [Input(q.name, q.type, q.fetch) for q in elaborated.parameters]
        built_in = [BuiltIn(q.fetch, q.value) for q in elaborated.staged]
        return Interface(tuple(inputs), tuple(built_in), tuple(sorted(driver.static_axes(elaborated))))

    @property
    def elaborated(self) -> Elaborated:
        """The program as a term."""
        if self._elaborated is None:
            from fsmooth import driver  # noqa: PLC0415

            self._elaborated = driver.to_term(self.owner.program, self.types)
        return self._elaborated

    def is_current(self) -> bool:
        """Are the values that were built in still the same, and the captured ones of the same types?"""
        for built_in, snapshot in zip(self.interface.built_in, self.snapshots, strict=True):
            value = built_in.fetch()
            if value is not snapshot and not same(value, snapshot):
                return False
        return all([infer_type(fetch(), name) == type_ for fetch, name, type_ in self.captured])

    def __call__(self, values: Mapping[str, object], out: object | None) -> object:
        library, inputs = self.library_for(values)
        return library(inputs, out)

    def inputs(self, values: Mapping[str, object]) -> list[object]:
        """The values of all parameters, captured ones fetched."""
        return [q.fetch() if q.fetch is not None else values[q.name] for q in self.interface.inputs]

    def library_for(self, values: Mapping[str, object]) -> tuple[Library, list[object]]:
        """The library for the sizes of these arguments, compiled if need be."""
        inputs = self.inputs(values)
        sizes = self.sizes(inputs)
        library = self.libraries.get(sizes)
        if library is None:
            with self.lock:
                if sizes not in self.libraries and len(self.libraries) >= _STATIC_SIGNATURES:
                    sizes = None
                if sizes not in self.libraries:
                    self.libraries[sizes] = self.load(sizes)
                library = self.libraries[sizes]
        self.owner._fast = self.fast(library)
        return library, inputs

    def fast(self, library: Library) -> Callable[..., Any] | None:
        """The quickest way to call this library: the shim, with captured values checked and fetched before."""
        call = library.fast
        if call is None or not self.in_order:
            return None
        if not self.interface.built_in and not self.captured:
            return call
        fetches = [fetch for fetch, _, _ in self.captured]
        checks = [(q.fetch, snapshot) for q, snapshot in zip(self.interface.built_in, self.snapshots, strict=True)]

        def fetched(*args: object, **out: object) -> object:
            for fetch, snapshot in checks:
                value = fetch()
                if value is not snapshot and not same(value, snapshot):
                    return None
            return call(*args, *[fetch() for fetch in fetches], **out)

        return fetched

    def sizes(self, inputs: list[object]) -> tuple[int, ...] | None:
        """The sizes that are built in, or None for the program that serves all sizes."""
        if not self.interface.axes:
            return None
        found = []
        for position, axis in self.interface.axes:
            size = _length(inputs[position], axis)
            if size > _STATIC_LIMIT:
                return None
            found.append(size)
        return tuple(found)

    def stages_for(self, values: Mapping[str, object]) -> Stages:
        """Every stage for these arguments, without compiling the C."""
        return self.stages(self.sizes(self.inputs(values)))

    def stages(self, sizes: tuple[int, ...] | None) -> Stages:
        """Every stage up to the C text."""
        from fsmooth import driver  # noqa: PLC0415  (the compiler is loaded when something is compiled)

        with self.lock:
            if sizes not in self.made:
                static = dict(zip(self.interface.axes, sizes, strict=True)) if sizes is not None else {}
                name = self.owner.program.name
                self.made[sizes] = driver.compile_program(self.elaborated, name, self.owner.schedule, static)
            self.latest = sizes
            return self.made[sizes]

    def load(self, sizes: tuple[int, ...] | None) -> Library:
        """Find the compiled program in the cache, or compile it, and load it."""
        from fsmooth.runtime.cache import directory  # noqa: PLC0415  (loaded when something is compiled)
        from fsmooth.runtime.library import Library  # noqa: PLC0415

        self.latest = sizes
        compiled = self.manifest.compiled(sizes) if self.manifest is not None else None
        if compiled is None:
            compiled = self._compile(sizes)
            if self.manifest is not None:
                self.manifest.store_compiled(sizes, compiled)
        names = [q.name for q in self.interface.inputs]
        code = compiled.code
        library = Library(directory() / compiled.file, code.name, names, code.parameters, code.result, code.sites)
        if compiled.module:
            library.load_shim(compiled.module)
        return library

    def _compile(self, sizes: tuple[int, ...] | None) -> Compiled:
        from fsmooth.runtime.cache import compiled  # noqa: PLC0415  (loaded when something is compiled)
        from fsmooth.runtime.compiler import find_compiler  # noqa: PLC0415
        from fsmooth.runtime.manifest import Compiled  # noqa: PLC0415
        from fsmooth.runtime.shim import can_serve, shim_source  # noqa: PLC0415

        stages = self.stages(sizes)
        code = stages.code
        assert code is not None
        module, shim = "", ""
        if can_serve(code.parameters, code.result):
            module = f"fs_{code.name}"
            shim = shim_source(code.name, module, code.parameters, code.result, stages.static_sizes)
        path = compiled(code.source + shim, code.statements, find_compiler())
        return Compiled(path.name, code, module)


def _type_or_static(value: object, name: str) -> Type | object:
    if value is None or isinstance(value, str | Function) or (callable(value) and not hasattr(value, "__array__")):
        return _Object(value)
    return infer_type(value, name)


class _Object:
    """An argument known at compile time: a string, None, a function."""

    def __init__(self, value: object) -> None:
        self.value = value


def _key(value: object) -> object:
    """A type and the classes of the records in it (which types do not compare), or a value known at compile time."""
    if isinstance(value, Tuple):
        return (value, value.record, *[_key(item) for item in value.items])
    if isinstance(value, Array):
        return (value, _key(leaf_of(value))) if isinstance(leaf_of(value), Tuple) else value
    return value if isinstance(value, Type) else ("static", _hashable(value))


def _hashable(value: object) -> object:
    inner = value.value if isinstance(value, _Object) else value
    return id(inner) if callable(inner) else inner


def _length(value: object, axis: int) -> int:
    shape = getattr(value, "shape", None)
    if shape is not None:
        return int(shape[axis])
    return _length(value[0], axis - 1) if axis else len(value)  # type: ignore[index, arg-type]


# -- verbs -------------------------------------------------------------------------------------------------------------


@overload
def function(f: Callable[..., object], *, schedule: str = ...) -> Function: ...
@overload
def function(f: None = None, *, schedule: str = ...) -> Callable[[Callable[..., object]], Function]: ...
def function(
    f: Callable[..., object] | None = None, *, schedule: str = "DEFAULT"
) -> Function | Callable[[Callable[..., object]], Function]:
    """A plain Python function as a compiled one; also as a decorator, with or without arguments.

    >>> import numpy as np, fsmooth as fs
    >>> @fs.function
    ... def dot(a, b):
    ...     return sum(a[i] * b[i] for i in range(len(a)))
    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    if f is None:
        return lambda g: function(g, schedule=schedule)
    if isinstance(f, Function):
        return f
    return Function(SourceProgram(f), _schedule(schedule))


def grad(f: Callable[..., object], wrt: Wrt = None, *, method: str = "auto", schedule: str = "DEFAULT") -> Function:
    """The gradient of a real-valued function, in the structure of the argument(s) `wrt` (paper 000, Fig. 6).

    >>> import numpy as np, fsmooth as fs
    >>> fs.grad(lambda v: sum(x * x for x in v))(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    return _derived(f, Verb.GRAD, wrt, method, schedule)


def value_and_grad(
    f: Callable[..., object], wrt: Wrt = None, *, method: str = "auto", schedule: str = "DEFAULT"
) -> Function:
    """`(value, gradient)` of a real-valued function."""
    return _derived(f, Verb.VALUE_AND_GRAD, wrt, method, schedule)


def jacobian(f: Callable[..., object], wrt: Wrt = None, *, method: str = "auto", schedule: str = "DEFAULT") -> Function:
    """The Jacobian: output structure and indices outside, `wrt` structure and indices inside.

    >>> import numpy as np, fsmooth as fs
    >>> fs.jacobian(lambda v: [v[0] * v[1], v[0] + v[1]])(np.array([2.0, 3.0]))
    array([[3., 2.],
           [1., 1.]])
    """
    return _derived(f, Verb.JACOBIAN, wrt, method, schedule)


def diff(f: Callable[..., object], wrt: Wrt = None, *, method: str = "auto", schedule: str = "DEFAULT") -> Function:
    """The derivative of a function of a real number (paper 000, Table 2), as `jacobian` lays it out.

    >>> import fsmooth as fs
    >>> fs.diff(lambda x: x * x)(3.0)
    6.0
    """
    return jacobian(f, wrt, method=method, schedule=schedule)


def vdiff(f: Callable[..., object], wrt: Wrt = None, *, method: str = "auto", schedule: str = "DEFAULT") -> Function:
    """The derivative of a vector-valued function of a real number (paper 000, Table 2): a vector.

    >>> import fsmooth as fs
    >>> fs.vdiff(lambda x: [x, x * x])(3.0)
    array([1., 6.])
    """
    return jacobian(f, wrt, method=method, schedule=schedule)


def mdiff(f: Callable[..., object], wrt: Wrt = None, *, method: str = "auto", schedule: str = "DEFAULT") -> Function:
    """The derivative of a matrix-valued function of a real number (paper 000, Table 2): a matrix."""
    return jacobian(f, wrt, method=method, schedule=schedule)


def jacob(f: Callable[..., object], wrt: Wrt = None, *, method: str = "auto", schedule: str = "DEFAULT") -> Function:
    """The Jacobian under its name in paper 000 (Fig. 6), laid out as by `jacobian`."""
    return jacobian(f, wrt, method=method, schedule=schedule)


def mgrad(f: Callable[..., object], wrt: Wrt = None, *, method: str = "auto", schedule: str = "DEFAULT") -> Function:
    """The gradient of a real-valued function of a matrix (paper 000, Table 2): a matrix."""
    return grad(f, wrt, method=method, schedule=schedule)


def hessian(f: Callable[..., object], wrt: Wrt = None, *, method: str = "auto", schedule: str = "DEFAULT") -> Function:
    """The Hessian of a real-valued function: the Jacobian of its gradient."""
    return jacobian(grad(f, wrt, method=method, schedule=schedule), wrt, method=method, schedule=schedule)


def jvp(f: Callable[..., object], wrt: Wrt = None, *, method: str = "auto", schedule: str = "DEFAULT") -> Function:
    """`(value, tangent of the value)`; called with the arguments and `tangent=` in the structure of `wrt`.

    >>> import fsmooth as fs
    >>> fs.jvp(lambda x: x * x)(3.0, tangent=1.0)
    (9.0, 6.0)
    """
    return _derived(f, Verb.JVP, wrt, method, schedule)


def deriv(e: Any, x: Any) -> Any:
    """The dual number of an expression for each number in a variable (paper 000, Fig. 5); inside programs only.

    `fs.deriv(x * x, x)` is the pair of the value and the derivative; for an array x it is an array of pairs.
    All variables but x are constants.
    """
    raise UnsupportedError("fs.deriv(e, x) belongs inside a program\n  hint: outside, use fs.grad or fs.jacobian")


def _derived(f: Callable[..., object], verb: Verb, wrt: Wrt, method: str, schedule: str) -> Function:
    how = {m.value: m for m in Method}.get(method)
    if how is None:
        names = ", ".join([repr(m.value) for m in Method])
        raise UnknownMethodError(f"there is no differentiation method {method!r}; there are {names}")
    program = f.program if isinstance(f, Function) else SourceProgram(f)
    chosen, single = wrt_names(program, wrt)
    return Function(DerivedProgram(program, verb, chosen, single, how), _schedule(schedule))


def _schedule(name: str) -> str:
    known = ("NONE", "LF", "LN", "LICM", "DPS", "DEFAULT", "REAL")
    if name not in known:
        raise UnknownMethodError(f"there is no schedule {name!r}; there are {', '.join(known)}")
    return name


def unroll(iterable: Any) -> Any:
    """Inside a program: run a loop at compile time, one copy of the body for each step.  Outside: the iterable."""
    return iterable


__all__ = [
    "Function",
    "deriv",
    "diff",
    "function",
    "grad",
    "hessian",
    "jacob",
    "jacobian",
    "jvp",
    "mdiff",
    "mgrad",
    "unroll",
    "value_and_grad",
    "vdiff",
]
