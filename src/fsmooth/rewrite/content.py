"""What a Python function does, as text: a key under which what was made with it can be kept.

Two functions with one text do the same.  What cannot be told, as an object that is not of plain values, makes a text that
no other process has: nothing is found that was made before.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import CodeType, FunctionType, ModuleType

_PLAIN = (bool, int, float, complex, str, bytes, type(None))


def content_of(function: Callable[..., object]) -> str:
    """What the function does: its code, what it captures, and the functions that it calls."""
    return _content(function, {})


def _content(value: object, seen: dict[int, int]) -> str:
    if isinstance(value, FunctionType):
        if value.__module__.startswith("fsmooth."):
            return f"{value.__module__}.{value.__qualname__}"
        if id(value) in seen:
            return f"again {seen[id(value)]}"
        seen[id(value)] = len(seen)
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        used = [value.__globals__.get(name) for name in sorted(_names(value.__code__)) if name in value.__globals__]
        parts = [*cells, *used, value.__defaults__, value.__kwdefaults__]
        return f"{_code(value.__code__)} of ({', '.join([_content(part, seen) for part in parts])})"
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({', '.join([_content(x, seen) for x in value])})"
    if isinstance(value, frozenset | set):
        return f"{type(value).__name__}({', '.join(sorted([_content(x, seen) for x in value]))})"
    if isinstance(value, dict):
        return f"dict({', '.join([f'{_content(k, seen)}: {_content(v, seen)}' for k, v in value.items()])})"
    if isinstance(value, type | ModuleType):
        return f"{getattr(value, '__module__', '')}.{value.__name__}"
    known = getattr(value, "content", None)
    return known if isinstance(known, str) else f"{type(value).__name__} {id(value)} of {os.getpid()}"


def _code(code: CodeType) -> str:
    constants = [_code(x) if isinstance(x, CodeType) else repr(x) for x in code.co_consts]
    return f"{code.co_name} {code.co_code.hex()} {code.co_names} {constants}"


def _names(code: CodeType) -> set[str]:
    inner = [x for x in code.co_consts if isinstance(x, CodeType)]
    return set(code.co_names).union(*[_names(x) for x in inner])
