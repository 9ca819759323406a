"""Everything a program depends on, found without elaborating it: the key of the manifest (design §7).

From the function, every name that its code uses is looked up in its closure and module, and what is found there
is described: functions by their code, transitively; integers, texts and containers by value; numbers and arrays,
which are run-time arguments, by type.  The description is conservative: it may cover more than the program reads.
"""

from __future__ import annotations

import builtins
import dataclasses
import hashlib
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType

import numpy as np

from fsmooth.frontend.programs import CustomProgram, DerivedProgram, LibraryProgram, Program, SourceProgram


class NotDescribedError(Exception):
    """The program depends on something that has no description; it is elaborated every time."""


class Survey:
    """The description of a program: a digest, and the functions that were found, in a fixed order."""

    def __init__(self, program: Program) -> None:
        self.functions: list[FunctionType] = []
        self._hash = hashlib.sha256()
        self._described = 0
        self._program(program)
        self._describe_functions()

    def digest(self) -> str:
        """The key of everything described so far."""
        return self._hash.hexdigest()

    def add(self, *parts: object) -> None:
        """Make the digest depend on the text of `parts`."""
        for part in parts:
            self._hash.update(repr(part).encode())
            self._hash.update(b"\0")

    def _program(self, program: Program) -> None:
        match program:
            case CustomProgram(function):
                self.add("custom", program.check)
                for part in (function, program.jvp, program.vjp):
                    if part is not None:
                        self._reach(part)
                    else:
                        self.add("no rule")
            case SourceProgram(function):
                self._reach(function)
            case DerivedProgram(inner, verb, wrt, single, method, checkpoint):
                self.add("derived", verb.value, wrt, single, method.value, checkpoint)
                self._program(inner)
            case LibraryProgram(name, count):
                self.add("library", name, count)

    def _reach(self, function: object) -> None:
        if not isinstance(function, FunctionType) or hasattr(function, "__wrapped__"):
            raise NotDescribedError(repr(function))
        if function not in self.functions:
            self.functions.append(function)
        self.add("function", self.functions.index(function))

    def _function(self, function: FunctionType) -> None:
        self.add(function.__name__, function.__annotations__)
        names = self._code(function.__code__)
        self.value(function.__defaults__, names)
        self.value(function.__kwdefaults__, names)
        for cell in function.__closure__ or ():
            try:
                self.value(cell.cell_contents, names)
            except ValueError as error:
                raise NotDescribedError("a name without a value") from error
        module = function.__globals__
        for name in sorted(names):
            if name in module:
                self.add(name)
                self.value(module[name], names)
            elif not hasattr(builtins, name):
                self.add("absent", name)

    def _code(self, code: CodeType) -> set[str]:
        names = set(code.co_names)
        self.add(code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_flags)
        self.add(code.co_filename, code.co_firstlineno, code.co_linetable)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                names |= self._code(constant)
            elif isinstance(constant, frozenset):
                self.add("set", sorted([repr(item) for item in constant]))
            else:
                self.add(type(constant).__name__, constant)
        return names

    def value(self, value: object, names: set[str], *, built_in: bool = False) -> None:
        """Describe a captured value; numbers and arrays inside a container (`built_in`) by value."""
        self.add(type(value).__module__, type(value).__qualname__)
        match value:
            case None | bool() | int() | str() | complex() | np.bool_() | np.integer():
                self.add(value)
            case float() | np.floating():
                self.add(value if built_in else "number")
            case np.ndarray():
                if value.dtype.hasobject:
                    raise NotDescribedError("an array of objects")
                self.add(value.dtype.str, value.ndim, value.shape if built_in else ())
                if built_in:
                    self.add(value.tobytes())
            case FunctionType():
                self._function_value(value)
            case ModuleType():
                self._module(value, names)
            case BuiltinFunctionType() | np.ufunc():
                self.add(value.__name__)
            case type():
                self._class(value, names)
            case tuple() | list():
                self.add(len(value))
                for item in value:
                    self.value(item, names, built_in=True)
            case dict():
                self.add(len(value))
                for key, item in value.items():
                    self.value(key, names, built_in=True)
                    self.value(item, names, built_in=True)
            case _:
                self._instance(value, names)

    def _function_value(self, function: FunctionType) -> None:
        if function.__module__.partition(".")[0] in _KNOWN:
            self.add(function.__module__, function.__qualname__)
        else:
            self._reach(function)

    def methods(self, cls: type) -> None:
        """Describe the methods that the user wrote for a class of records."""
        for name, part in sorted(vars(cls).items()):
            function = part.fget if isinstance(part, property) else getattr(part, "__func__", part)
            if isinstance(function, FunctionType) and not function.__code__.co_filename.startswith("<"):
                self.add(name)
                self._reach(function)
        self._describe_functions()

    def _describe_functions(self) -> None:
        while self._described < len(self.functions):
            self._described += 1
            self._function(self.functions[self._described - 1])

    def _module(self, module: ModuleType, names: set[str]) -> None:
        self.add(module.__name__)
        if module.__name__.partition(".")[0] in _KNOWN:
            self.add(getattr(module, "__version__", ""))
            return
        for name in sorted(names):
            if name in vars(module):
                self.add(name)
                self.value(vars(module)[name], names)

    def _class(self, value: type, names: set[str]) -> None:
        self.add(value.__module__, value.__qualname__, getattr(value, "_fields", ()))
        self.add(sorted([(n, repr(t)) for n, t in getattr(value, "__annotations__", {}).items()]))
        if value.__module__.partition(".")[0] in (*_KNOWN, "builtins"):
            return
        for name, part in sorted(vars(value).items()):
            if isinstance(part, staticmethod | property):
                part = part.__func__ if isinstance(part, staticmethod) else part.fget  # noqa: PLW2901
            if isinstance(part, FunctionType) and name in names:
                self._reach(part)
            elif name in names:
                self.add(name)
                self.value(part, names, built_in=True)

    def _instance(self, value: object, names: set[str]) -> None:
        program = getattr(value, "program", None)
        if isinstance(program, SourceProgram | DerivedProgram | LibraryProgram):
            self._program(program)
        elif type(value).__module__ == "fsmooth.functions":
            self.add(repr(value))
        elif dataclasses.is_dataclass(value) and not isinstance(value, type):
            for field in dataclasses.fields(value):
                self.add(field.name)
                self.value(getattr(value, field.name), names, built_in=True)
        else:
            raise NotDescribedError(repr(type(value)))


_KNOWN = ("fsmooth", "numpy", "math", "scipy", "typing", "dataclasses", "functools", "itertools", "operator")
