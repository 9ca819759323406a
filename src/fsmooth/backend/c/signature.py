"""Prototypes (the C ABI of fsmooth.lower.interface)."""

from __future__ import annotations

from fsmooth.backend.c.names import c_type, element_type
from fsmooth.backend.c.shared import Shared
from fsmooth.loops import tree as t


def parameter(p: t.Parameter) -> str:
    """One parameter."""
    if not p.pointer:
        return f"{c_type(p.type)} {p.name}"
    return f"{'' if p.output else 'const '}{element_type(p.type)} *restrict {p.name}"


def signature(function: t.Function, shared: Shared | None = None) -> str:
    """`int32_t name(…)`, broken into lines if it is long."""
    last = "fs_common *restrict fs_shared" if function.is_called else "fs_error *restrict error"
    own = function.parameters
    if shared is not None and function.is_called:
        last = f"const {shared.type} *restrict fs_own"
        own = tuple([p for p in own if p.name not in shared.fields[function.name]])
    parts = [*[parameter(p) for p in own], last]
    head = f"{'static ' if function.is_called else ''}int32_t {function.name}("
    line = f"{head}{', '.join(parts)})"
    if len(line) <= 110:
        return line
    lines, current = [], "   "
    for part in parts:
        if len(current) + len(part) > 108:
            lines.append(current)
            current = "   "
        current += f" {part},"
    lines.append(current[:-1])
    return f"{head}\n" + "\n".join(lines) + ")"
