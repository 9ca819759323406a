"""The syntax tree of a Python function, with positions in its file."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import CodeType, FunctionType, MethodType

from fsmooth.core.term import Site
from fsmooth.errors import SourceNotAvailableError


@dataclass(frozen=True)
class Source:
    """A function as text: its node, its file, and how far the text was moved."""

    function: FunctionType
    node: ast.FunctionDef | ast.Lambda
    file: str
    line_offset: int
    column_offset: int
    text: str
    is_of_code: bool
    """Is it the text that the function was compiled from?  Files can be edited while a process runs."""

    @property
    def is_own(self) -> bool:
        """Is it a part of fsmooth: a mistake in it is shown where the user called it, and what it names does not change?"""
        return str(self.function.__globals__.get("__name__")).startswith(_OWN)  # a wrapper is called like what it wraps

    def site(self, node: ast.AST, what: str = "") -> Site:
        """Where in the user's file `node` is."""
        line = getattr(node, "lineno", 1) + self.line_offset
        end = getattr(node, "end_lineno", 1) + self.line_offset
        column = self._column(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))
        end_column = self._column(getattr(node, "end_lineno", 1), getattr(node, "end_col_offset", 0))
        return Site(what, self.file, line, column + self.column_offset, end, end_column + self.column_offset)

    def _column(self, line: int, column: int) -> int:
        """How many characters come before; syntax trees count the bytes."""
        lines = _lines(self.text)
        if not 1 <= line <= len(lines) or lines[line - 1].isascii():
            return column
        return len(lines[line - 1].encode()[:column].decode(errors="ignore"))

    def segment(self, node: ast.AST) -> str:
        """The text of `node`."""
        lines = _lines(self.text)
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", None)
        start, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None)
        if not 1 <= first <= len(lines) or last != first or end is None:
            return ast.unparse(node)
        return lines[first - 1].encode()[start:end].decode(errors="replace") or ast.unparse(node)


_OWN = (
    "fsmooth.combinators",
    "fsmooth.frontend.python.programs",
    "fsmooth.frontend.text_programs",
    "fsmooth.library.numpy",
)


@functools.lru_cache(maxsize=8)
def _lines(text: str) -> tuple[str, ...]:
    """The lines of a text, split once: `ast.get_source_segment` splits it for every node."""
    return tuple(text.split("\n"))


_cache: dict[object, Source] = {}

_MOST = 1000
"""So many sources are remembered, the latest: cells of a notebook are defined again and again."""


def source_of(function: Callable[..., object]) -> Source:
    """The source of a plain Python function or lambda.

    Raises:
        SourceNotAvailableError: for built-in functions, or functions typed into an interpreter without history.

    """
    if not isinstance(function, FunctionType):  # a cache or the like; a wrapper of the user's is read itself
        function = inspect.unwrap(function)
    if not isinstance(function, FunctionType):
        raise not_python(function)
    found = _cache.get(_key(function))
    if found is not None:
        return replace(found, function=function)
    lines, first = _statement(function), function.__code__.co_firstlineno
    if not lines:
        raise SourceNotAvailableError(
            f"the source of {function.__qualname__} is not available\n"
            "  hint: define it in a file (or a notebook cell), not with exec or at a bare prompt"
        )
    raw = "".join(lines)
    text = textwrap.dedent(raw)
    column = len(lines[0]) - len(lines[0].lstrip()) if text != raw else 0
    node = _find(text, function)
    if node is None:
        return _from_file(function)
    code = function.__code__
    source = Source(function, node, code.co_filename, first - 1, column, text, code in _codes_of(code.co_filename))
    return _remembered(source)


def _statement(function: FunctionType) -> list[str]:
    """The lines of the statement that the function is defined in; none if its file is not there.

    `inspect.getsourcelines` looks for the module in all that are loaded.
    """
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename, function.__globals__)[code.co_firstlineno - 1 :]
    return inspect.getblock(lines) if lines else []


def _codes_of(file: str) -> frozenset[CodeType]:
    """The code of every function in a file as it was read."""
    return _codes("".join(linecache.getlines(file)), file)


@functools.lru_cache(maxsize=8)
def _codes(text: str, file: str) -> frozenset[CodeType]:
    found: set[CodeType] = set()
    try:
        waiting = [compile(text, file, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return frozenset()
    while waiting:
        inner = [part for part in waiting.pop().co_consts if isinstance(part, CodeType)]
        waiting += inner
        found |= {*inner}
    return frozenset(found)


def not_python(function: Callable[..., object]) -> SourceNotAvailableError:
    """The error for what can be called and has no source: a built-in function, a bound method, a partial."""
    name = getattr(function, "__name__", type(function).__name__)
    if isinstance(function, functools.partial):
        hint = "write a lambda in its place"
    elif isinstance(function, MethodType):
        hint = f"wrap it: lambda x: ….{name}(x)"
    elif hasattr(function, "__name__"):
        hint = f"wrap it: lambda x: {name}(x)"
    else:
        hint = "wrap it: lambda x: ….__call__(x)"
    return SourceNotAvailableError(f"{name} is not a Python function, so fsmooth cannot read it\n  hint: {hint}")


def _find(text: str, function: FunctionType) -> ast.FunctionDef | ast.Lambda | None:
    """The function in the text of its statement; None where there are several lambdas, or the text is cut off."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    name = function.__code__.co_name  # a wrapper is called like what it wraps; its code is not
    if name != "<lambda>":
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return node
            if isinstance(node, ast.AsyncFunctionDef) and node.name == name:
                raise SourceNotAvailableError(f"{name} is a coroutine\n  hint: write def, not async def")
    lambdas = [n for n in ast.walk(tree) if isinstance(n, ast.Lambda)]
    return lambdas[0] if len(lambdas) == 1 else None


def _from_file(function: FunctionType) -> Source:
    """A function that its lines alone do not tell, by its place in the file: a lambda by the place of its body."""
    code = function.__code__
    text = "".join(linecache.getlines(code.co_filename))
    try:
        tree = ast.parse(text)
    except SyntaxError:
        tree = ast.parse("")
    node = _lambda_in(tree, function) if code.co_name == "<lambda>" else _definition_in(tree, function)
    source = Source(function, node, code.co_filename, 0, 0, text, code in _codes_of(code.co_filename))
    return _remembered(source)


def _lambda_in(tree: ast.Module, function: FunctionType) -> ast.Lambda:
    """The innermost lambda whose body holds every place that its code names."""
    code = function.__code__
    places = [
        ((line, column), (end_line, end))
        for line, end_line, column, end in code.co_positions()
        if line is not None and column is not None and end_line is not None and end  # others stand for no expression
    ]
    parameters = list(code.co_varnames[: code.co_argcount])
    found = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.Lambda)
        and n.lineno == code.co_firstlineno
        and [a.arg for a in (*n.args.posonlyargs, *n.args.args)] == parameters
        and all([_start(n.body) <= first and last <= _end(n.body) for first, last in places])
    ]
    if not found or not places:
        raise SourceNotAvailableError("which lambda of this line is meant cannot be told; put it on a line of its own")
    return max(found, key=lambda n: _start(n.body))


def _start(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0


def _definition_in(tree: ast.Module, function: FunctionType) -> ast.FunctionDef:
    code = function.__code__
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *[d.lineno for d in node.decorator_list]])
            if first == code.co_firstlineno:
                return node
    raise SourceNotAvailableError(f"the source of {function.__qualname__} cannot be found in {code.co_filename}")


def _remembered(source: Source) -> Source:
    if source.is_of_code:
        for oldest in list(_cache)[: max(0, len(_cache) - _MOST + 1)]:
            _cache.pop(oldest, None)
        _cache[_key(source.function)] = source
    return source


def _key(function: FunctionType) -> object:
    return function.__code__.co_filename, function.__code__  # code of several files may be equal
