"""Programs as callables: compiled when they are first called with arguments of given types (design §1, §7)."""

from __future__ import annotations

import functools
import operator
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, overload

from fsmooth.core.trees import apart
from fsmooth.core.types import Array, Tuple, Type, leaf_of
from fsmooth.core.weak import weakness
from fsmooth.entries import Entry
from fsmooth.errors import ArgumentError
from fsmooth.frontend.batches import OwnDefault
from fsmooth.frontend.programs import DerivedProgram, Program
from fsmooth.loops.identifiers import identifier
from fsmooth.parameters import P, R
from fsmooth.runtime.arrays import infer_type
from fsmooth.runtime.foreign import as_numpy
from fsmooth.runtime.narrow import narrow_arrays

if TYPE_CHECKING:
    from fsmooth.backend.c.program import CProgram
    from fsmooth.checks import Checks
    from fsmooth.driver import Stages
    from fsmooth.optimise.schedule import Schedule
    from fsmooth.runtime.pointers import CFunction
    from fsmooth.steps import Steps

_NOT_IN_ORDER = (None,) * 64


def _not_served(*args: object) -> None:
    """The quick way of a program that has none: None, as of a call that is not served."""


class Function(Generic[P, R]):
    """A program that is compiled when it is first called with arguments of given types.

    Arguments are numbers, NumPy arrays, and tuples, lists, dictionaries, NamedTuples, dataclasses and registered objects of
    these, by position or keyword; results are Python numbers, NumPy arrays and such structures.  `out=` reuses the arrays
    of an earlier result, unless the program has a parameter called `out`: then it is that.

    Raises (when called):
        ProgramError: for a mistake in the program.
        ArgumentError: for arguments that do not fit.
        RunError: for an index out of bounds, sizes that differ, …, while it runs.
    """

    def __init__(self, program: Program, schedule: str | Schedule = "DEFAULT", checks: str | None = None) -> None:
        self.program = program
        self.schedule = schedule
        self.asked = checks
        self._lock = threading.RLock()
        self._entries: dict[tuple[object, ...], Entry] = {}
        parameters = program.signature.parameters
        self._names = tuple(parameters)
        self._by_position = len([q for q in parameters.values() if q.kind is not q.KEYWORD_ONLY])
        if any([q.kind in (q.VAR_POSITIONAL, q.VAR_KEYWORD) for q in parameters.values()]):
            self._by_position = -1  # what is given by position is not what the parameters stand for
        self._only_by_position = len([q for q in parameters.values() if q.kind is q.POSITIONAL_ONLY])
        self._fast: Callable[..., Any] | None = None
        self._plain: Callable[..., Any] = _not_served
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

    def __reduce__(self) -> str | tuple[object, ...]:
        """Pickled by name, if it has one (as a decorated function has), else by its program."""
        qualified: str = self.__wrapped__.__qualname__
        public: object = sys.modules.get(self.__module__)
        for name in qualified.split("."):
            public = getattr(public, name, None)
        return qualified if public is self else (type(self), (self.program, self.schedule, self.asked))

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __call__(self, *args: Any, out: object, **kwargs: Any) -> R: ...
    def __call__(self, *args: object, out: object | None = None, **kwargs: object) -> Any:
        is_plain = out is None and not kwargs
        if is_plain:
            result = self._plain(*args)
            if result is not None:
                return result
        if out is not None and "out" in self._names:
            kwargs, out = {**kwargs, "out": out}, None
        fast = self._fast
        if fast is not None and len(args) <= self._by_position:
            given = self._in_order(args, kwargs) if kwargs else args
            if not is_plain:
                result = fast(*given) if out is None else fast(*given, out=out)
            if is_plain or result is None:
                result = self._with_numpy(fast, given, out)
            if result is not None:
                return result
        entry, values = self._entry(args, kwargs)
        result = entry(values, out)
        self._fast = entry.quick
        if self._by_position == len(self._names):
            self._plain = entry.quick or _not_served
        return result

    def _with_numpy(self, fast: Callable[..., Any], given: tuple[object, ...], out: object | None) -> Any:
        """The fast call with arrays of other libraries as NumPy's; None if there are none, or it does not serve these."""
        arrays = tuple(map(as_numpy, given, self._names))
        if all(map(operator.is_, arrays, given)):
            return None
        return fast(*arrays) if out is None else fast(*arrays, out=out)

    def _in_order(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> tuple[object, ...]:
        """All arguments by position, or something that no program takes, if it is not that simple."""
        names = self._names[len(args) :]
        if len(names) != len(kwargs) or len(args) < self._only_by_position:
            return _NOT_IN_ORDER
        try:
            return (*args, *[kwargs[name] for name in names])
        except KeyError:
            return _NOT_IN_ORDER

    # -- compilation -------------------------------------------------------------------------------------------------

    def _bind(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> dict[str, object]:
        if not kwargs and len(args) == len(self._names) == self._by_position:
            return dict(zip(self._names, args, strict=True))
        try:
            bound = self.program.signature.bind(*args, **kwargs)
        except TypeError as error:
            called = f"{self.program.name}{self.program.signature}"
            raise ArgumentError(f"{called}: {error}\n  hint: its parameters are {self.program.signature}") from None
        bound.apply_defaults()
        return bound.arguments

    def _entry(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> tuple[Entry, dict[str, object]]:
        values = {name: as_numpy(value, name) for name, value in self._bind(args, kwargs).items()}
        types = {name: _type_or_static(value, name) for name, value in values.items()}
        narrow = narrow_arrays(values, types)
        key = (*[_key(t) for t in types.values()], narrow)
        weak = tuple([weakness(t) for t in types.values() if isinstance(t, Type)])
        entry = self._found(key, weak)
        if entry is None:
            with self._lock:
                entry = self._found(key, weak)
                if entry is None:
                    self._entries.pop((key, None), None)
                    entry = self._new_entry(types, narrow)
                    self._entries[key, weak if entry.interface.single else None] = entry
        return entry, values

    def _new_entry(self, types: Mapping[str, Type | object], narrow: frozenset[tuple[str, int]]) -> Entry:
        return Entry(self.program, self.schedule, types, self._accept if self.asked else None, narrow)

    def _accept(self, stages: Stages) -> None:
        """Raise for a program that is not to be compiled."""
        if self.asked:
            from fsmooth.checks import refuse_unproved  # noqa: PLC0415  (only for those who ask)

            refuse_unproved(self.program.name, stages)

    def _found(self, key: tuple[object, ...], weak: tuple[object, ...]) -> Entry | None:
        """The entry for types that compare as `key`; which numbers are weak matters only where there is float32."""
        entry = self._entries.get((key, None)) or self._entries.get((key, weak))
        return entry if entry is not None and entry.is_current() else None

    # -- looking inside ----------------------------------------------------------------------------------------------

    def compiled(self, *args: object, **kwargs: object) -> Stages:
        """Every stage of the compilation for arguments like these."""
        entry, values = self._entry(args, kwargs)
        return entry.stages_for(values)

    def c_source(self, *args: object, **kwargs: object) -> str:
        """The C that runs for arguments like these (those of the last call, if none are given)."""
        return self._code(args, kwargs).source

    def futhark(self, *args: object, ad: object = "fsmooth", **kwargs: object) -> str:
        """The program for arguments like these as Futhark text: an entry point of its name, with what it needs.

        It takes and gives arrays and numbers one after the other: those of tuples and records, and arrays of tuples as several
        arrays.  An index that is proved is not tested.

        Of a gradient, jvp or hvp with `ad="futhark"` it is the program itself, and Futhark's own `vjp` or `jvp` of it.  (A
        program's own parameter of that name comes first.)

        Raises:
            ArgumentError: if `ad` is neither "fsmooth" nor "futhark", or this is no derivative.
            UnsupportedError: for what Futhark has no word for: functions that call themselves, recursive data types, tapes.

        >>> import fsmooth as fs
        >>> print(fs.function(lambda x: sum(y * y for y in x)).futhark([1.0, 2.0]), end="")
        entry anonymous [n] (x: [n]f64): f64 =
          #[unsafe]
          f64.sum (tabulate n (\\y -> x[y] * x[y]))
        """
        from fsmooth.backend.futhark.program import text_of  # noqa: PLC0415  (only for those who ask)
        from fsmooth.futhark import differentiated_by_futhark  # noqa: PLC0415

        if "ad" in self._names:
            kwargs, ad = {**kwargs, "ad": ad} if ad != "fsmooth" else kwargs, "fsmooth"
        if ad == "futhark":
            return differentiated_by_futhark(self._entry(args, kwargs)[0])
        if ad != "fsmooth":
            raise ArgumentError(f'ad={ad!r}\n  hint: who differentiates, "fsmooth" or "futhark"')
        stages = self._stages(args, kwargs)
        return text_of(self.program.name, stages.terms["optimised"], stages.static_sizes, self.__wrapped__)

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

    def explain(self, *args: object, linear_maps: object = None, **kwargs: object) -> str:
        """What was made and why: sizes, times, rules that fired, arrays that were stored, the final term.

        With `linear_maps=True` also the full Jacobian, forward and reverse derivative as linear maps, stage by stage (paper
        001, §9; `stages.demonstration`).  A program's own parameter of that name comes first.
        """
        from fsmooth.explain import demonstration, explanation  # noqa: PLC0415  (only for those who ask)

        if linear_maps is not None and "linear_maps" in self._names:
            kwargs, linear_maps = {**kwargs, "linear_maps": linear_maps}, None
        stages = self._stages(args, kwargs)
        text = explanation(self.program.name, self.schedule, stages)
        return f"{text}\n\n{demonstration(stages)}" if linear_maps else text

    def trace(self, *args: object, **kwargs: object) -> Steps:
        """Every rewriting of the program on its way to C, in order: the rule, and what it made of which term at what cost.

        The program is optimised anew for this; nothing is compiled.  `.replay()` does each step once more.

        >>> import fsmooth as fs
        >>> print(fs.function(lambda x: (x + 0) * 1.0).trace(3.0))
           1  multiply_one             (x + 0.0) * 1.0  ~>  x + 0.0   2 → 1
        """
        from fsmooth.steps import Steps  # noqa: PLC0415  (only for those who ask)

        entry, values = self._entry(args, kwargs)
        return Steps.of(entry, values)

    def explore(self, path: str | Path, /, *args: object, **kwargs: object) -> Path:
        """Write a page to look at: the source, each rewriting, terms, loops, C, checks, costs; gives its path.

        It is one HTML file of less than 300 kB, which needs no network.  The program is optimised anew for this; nothing is
        compiled.
        """
        from fsmooth.explorer import write as write_page  # noqa: PLC0415  (only for those who ask)
        from fsmooth.steps import traced  # noqa: PLC0415  (only for those who ask)

        stages = traced(*self._entry(args, kwargs))
        return write_page(Path(path), self.program.name, self.__wrapped__, self.schedule, stages)

    def checks(self, *args: object, **kwargs: object) -> Checks:
        """Each index and condition of the program: proved while it was compiled, or tested, once or each time.

        A derivative tests what its own loops need.  `.remaining` are those that are tested.

        >>> import fsmooth as fs
        >>> program = fs.function(lambda x, k: sum((x[i + 1] - x[i]) ** 2 for i in range(len(x) - 1)) + x[k])
        >>> [str(check.tested) for check in program.checks([1.0, 2.0], 1)]
        ['proved', 'proved', 'tested once']
        """
        from fsmooth.checks import checks_of  # noqa: PLC0415  (only for those who ask)

        return checks_of(self._stages(args, kwargs))

    def cost(self, *args: object, **kwargs: object) -> str:
        """The cost of a call as a polynomial in the sizes (weights of design §5)."""
        from fsmooth.explain import cost_of  # noqa: PLC0415  (only for those who ask)

        stages = self._stages(args, kwargs)
        return cost_of(stages)

    def save(self, path: str | Path, *args: object, **kwargs: object) -> tuple[Path, Path]:
        """Write the C file and its header next to each other; gives both paths.

        `memory="caller"`, `batch=True` and `profile="plain"` are those of a library, of this one function (`fs.library`): memory
        to work in is taken from who calls it, there is a `NAME_many` for many elements, the C is C99 and nothing else.  A
        program's own parameters of these names come first.
        """
        usual = {"memory": "heap", "batch": False, "profile": "full"}
        asked = {name: kwargs.pop(name) for name in usual if name in kwargs and name not in self._names}
        if asked.items() <= usual.items():
            stages = self._stages(args, kwargs)
            self._accept(stages)
            return write(stages, Path(path))
        from fsmooth.shipping.libraries import Given, Library, form_of  # noqa: PLC0415  (only for those who ask)

        name = identifier(self.program.name)
        library = Library(name, {name: self}, form_of(**asked), "")
        entry, values = self._entry(args, kwargs)
        self._accept(entry.stages_for(values))
        return library.write(
            path, [Given(entry.elaborated, entry.static(entry.sizes(entry.inputs(values))), entry.narrow)]
        )

    def pointer(self, *args: object, **kwargs: object) -> CFunction:
        """The C function that runs for arguments like these: an array is a pointer to its elements, one row after the other,
        with its sizes; then where results go, and what is told of a failure.  It returns 0, or what went wrong.

        Nothing is checked but what the program itself checks: sizes and types are the caller's, arrays of integers by which
        memory is read must not change during a call, and numbers from which sizes are computed go up to 2**61.

        >>> import fsmooth as fs
        >>> fs.function(lambda x, n: x * n).pointer(2.0, 3).prototype
        'int32_t anonymous(double x, int64_t n, double *restrict result, fs_error *restrict error)'
        """
        from fsmooth.runtime.pointers import kernel_of  # noqa: PLC0415  (for those who call it from C)

        entry, values = self._entry(args, kwargs)
        return kernel_of(entry.library_for(values)[0])

    def cfunc(self, *args: object, **kwargs: object) -> CFunction:
        """The C function of numbers like these that gives a number, `double f(double)`, as numba's `cfunc` makes it: for
        `scipy.LowLevelCallable(f.cfunc(0.5).ctypes)`, ctypes, and functions that numba compiles.

        Where a call of the program would raise an error, and where calls in calls are too deep for the stack of the thread, it
        gives NaN.  What the program read outside of it is built in.

        Raises:
            ArgumentError: for a program of other things than numbers, or one that captures what may change.

        >>> import fsmooth as fs
        >>> slope = fs.grad(lambda x: x ** 3).cfunc(0.5)
        >>> slope(2.0)
        12.0
        """
        from fsmooth.runtime.pointers import of_numbers  # noqa: PLC0415  (for those who call it from C)

        entry, values = self._entry(args, kwargs)
        return entry.c_function(values, of_numbers)

    def integrand(self, *args: object, **kwargs: object) -> CFunction:
        """The same of float64 numbers, with its arguments in one array: `double f(int, double *)`, as `scipy.integrate` takes
        functions with parameters, `quad(LowLevelCallable(f.integrand(0.5, 2.0).ctypes), 0.0, 1.0, args=(2.0,))`.

        >>> import fsmooth as fs
        >>> fs.function(lambda x, a: a * x).integrand(0.5, 2.0).prototype
        'double anonymous_integrand(int count, double *x)'
        """
        from fsmooth.runtime.pointers import of_an_array  # noqa: PLC0415  (for those who call it from C)

        entry, values = self._entry(args, kwargs)
        return entry.c_function(values, of_an_array)

    def _repr_html_(self) -> str:
        from fsmooth.notebook import html_of  # noqa: PLC0415  (only for those who ask)

        return html_of(self)

    def kernel(self, *args: object, **kwargs: object) -> tuple[Callable[..., int], list[Any], object, list[object]]:
        """The C entry, all that it is to be called with, the result's structure, and what must be kept alive: for timing.

        >>> import fsmooth as fs
        >>> kernel, arguments, result, keep = fs.function(lambda x: x * x).kernel(3.0)
        >>> kernel(*arguments), result.value
        (0, 9.0)
        """
        entry, values = self._entry(args, kwargs)
        library, inputs = entry.library_for(values)
        call = library.prepare(inputs)
        return library.kernel, call.arguments, call.structure, [call.error, *call.keep]


class AlongTangent(Function[P, R]):
    """A jvp or an hvp: its tangent is given by name, or by position behind the arguments that it is the tangent of."""

    def __init__(
        self, program: DerivedProgram, schedule: str | Schedule = "DEFAULT", checks: str | None = None
    ) -> None:
        super().__init__(program, schedule, checks)
        self._place = program.tangent_place

    def __call__(self, *args: object, out: object | None = None, **kwargs: object) -> Any:
        given, named = self._by_name(args, kwargs)
        return super().__call__(*given, out=out, **named)

    def _bind(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> dict[str, object]:
        return super()._bind(*self._by_name(args, kwargs))

    def _by_name(
        self, args: tuple[object, ...], kwargs: Mapping[str, object]
    ) -> tuple[tuple[object, ...], Mapping[str, object]]:
        """The arguments, the tangent among those by name."""
        place = self._place
        if place is None or len(args) <= place or "tangent" in kwargs:
            return args, kwargs
        return (*args[:place], *args[place + 1 :]), {**kwargs, "tangent": args[place]}


def write(stages: Stages, path: Path) -> tuple[Path, Path]:
    """Write the C and its header; who calls it from C is told if a size is not the one that is built in."""
    from fsmooth.backend.c.built_in import named  # noqa: PLC0415  (the compiler is loaded when something is compiled)
    from fsmooth.backend.c.emit import emit  # noqa: PLC0415

    code = stages.code
    assert code is not None
    assert stages.loops is not None
    if stages.static_sizes:
        code = emit(stages.loops, named(stages.loops, stages.static_sizes))
    source = path.with_suffix(".c")
    header = source.with_suffix(".h")
    source.write_text(code.source)
    header.write_text(code.header)
    return source, header


class PythonFunction(Function):
    """A function whose calls run as Python; what is made of it is compiled."""

    def __call__(self, *args: object, out: object | None = None, **kwargs: object) -> Any:
        """The value that Python computes; `out` is not used."""
        return self.__wrapped__(*args, **kwargs)


def _type_or_static(value: object, name: str) -> Type | object:
    is_empty = isinstance(value, tuple | dict) and not value
    is_function = callable(value) and not hasattr(value, "__array__") and apart(value) is None
    if value is None or is_empty or is_function or isinstance(value, str | Function | OwnDefault):
        return _Object(value)
    return infer_type(value, name)


class _Object:
    """An argument known at compile time: a string, None, a function, an empty tuple or dictionary."""

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
    return id(inner) if callable(inner) else inner or repr(inner)
