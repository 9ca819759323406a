"""Prototypes (the C ABI of fsmooth.lower.interface)."""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.backend.c.leaving import Returned
from fsmooth.backend.c.names import c_type, element_type
from fsmooth.backend.c.shared import Shared
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk


def parameter(p: t.Parameter) -> str:
    """One parameter."""
    if not p.pointer:
        return f"{c_type(p.type)} {p.name}"
    return f"{'' if p.output else 'const '}{element_type(p.type)} *restrict {p.name}"


def signature(
    function: t.Function, shared: Shared | None = None, returned: Returned | None = None, last: tuple[str, ...] = ()
) -> str:
    """`int32_t name(…)`, broken into lines if it is long, with `last` parameters; functions that are `returned` from give a
    number, or nothing.
    """
    if not function.is_called:
        return laid_out(f"int32_t {function.name}", [*map(parameter, function.parameters), *last, _ERROR])
    values = () if returned is None else returned.outputs.get(function.name, ())
    kinds = {q.name: c_type(q.type) for q in function.parameters}
    kind = "int32_t" if returned is None else returned.kind(function.name) or kinds[values[0]]
    own = [q for q in function.parameters if q.name not in values]
    if shared is not None:
        own = [q for q in own if q.name not in shared.fields[function.name]]
    const = "" if shared is None else "const "
    inline = "inline " if kind == "void" and _calls_itself(function) else ""
    return laid_out(
        f"static {inline}{kind} {function.name}",
        [*map(parameter, own), f"{const}{common(shared)} *restrict {handle(shared)}"],
    )


def _calls_itself(function: t.Function) -> bool:
    """Does it call itself?  Then `inline` asks gcc to copy it into itself, a few calls deep, if it is small.

    Where it is tiny gcc does so unasked.  The leaves of a tree cost no calls then.  A function that gives nothing, a way back,
    gains by it: the gradient of a sum of products over 4,096 leaves took 1.45 times as long.  One that gives numbers gains a
    twenty-fifth more, for twice the time of compilation.
    """
    return any([isinstance(s, t.Invoke) and s.function == function.name for s in walk(function.body)])


_ERROR = "fs_error *restrict error"


def common(shared: Shared | None) -> str:
    """The struct that functions share."""
    return "fs_common" if shared is None else shared.type


def handle(shared: Shared | None) -> str:
    """What it is called where functions are handed it."""
    return "fs_shared" if shared is None else "fs_own"


def inside(function: t.Function, suffix: str, shared: Shared | None) -> str:
    """A part of a kernel, which is handed what the functions share."""
    parts = [*map(parameter, function.parameters), f"{common(shared)} *restrict {handle(shared)}", _ERROR]
    return laid_out(f"static FS_APART int32_t {function.name}{suffix}", parts)


def laid_out(head: str, parts: Sequence[str]) -> str:
    """A head and its parameters, broken into lines if they are long."""
    line = f"{head}({', '.join(parts)})"
    if len(line) <= 110:
        return line
    lines, current = [], "   "
    for part in parts:
        if len(current) + len(part) > 108:
            lines.append(current)
            current = "   "
        current += f" {part},"
    lines.append(current[:-1])
    return f"{head}(\n" + "\n".join(lines) + ")"
