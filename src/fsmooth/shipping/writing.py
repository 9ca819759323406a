"""A library as text: its functions compiled, their results named, what they are said to do, and why one cannot be shipped."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fsmooth import driver
from fsmooth.backend.c.built_in import named
from fsmooth.backend.c.libraries import KERNEL, Failed, Shipped
from fsmooth.backend.c.libraries import library as written
from fsmooth.callables import Function
from fsmooth.errors import UnsupportedError
from fsmooth.frontend.diagnose import render
from fsmooth.loops.workspace import Reason
from fsmooth.shipping.comments import comment_of
from fsmooth.shipping.libraries import Given, Library
from fsmooth.shipping.result_names import result_names


def sources(library: Library, given: Sequence[Given], header: str) -> tuple[str, str]:
    """The C, which includes the header of this name, and the header.

    Raises:
        UnsupportedError: if nobody can say how much memory a function takes, and the caller has to know.

    """
    functions = zip(library.functions.items(), given, strict=True)
    shipped = [_shipped(library.prefix + name, f, of) for (name, f), of in functions]
    codes = [getattr(f.__wrapped__, "__code__", None) for f in library.functions.values()]
    files = dict.fromkeys([Path(code.co_filename).name for code in codes if code is not None])
    made_by = vars(sys.modules["fsmooth"])["__version__"]
    title = f"{library.name}: made by fsmooth {made_by} from {', '.join(files) or 'Python'}."
    try:
        return driver.with_deep_recursion(lambda: written(library.name, shipped, library.form, title, header))
    except Failed as failed:
        raise UnsupportedError(_explained(failed, shipped)) from None


def _shipped(name: str, f: Function[..., Any], given: Given) -> Shipped:
    stages = driver.compile_program(given.elaborated, name + KERNEL, f.schedule, given.static_sizes, None, given.narrow)
    assert stages.loops is not None
    assert stages.code is not None
    parameters = [(q.name, q.type) for q in given.elaborated.parameters]
    results = result_names(f.program, parameters, stages.code.result)
    built_in = named(stages.loops, given.static_sizes)
    comment = driver.with_deep_recursion(lambda: comment_of(name, f.program, stages, results, built_in))
    return Shipped(name, stages.loops, dict(given.static_sizes), results, comment)


_HINTS = {
    Reason.SIZE: "bound the loop, `while … and k < 100` or `for k in range(100)` with a break, take method='forward', "
    "which saves nothing, or leave memory out",
    Reason.CALLS: "write a loop, or leave memory out",
    Reason.TAPE: "take method='reverse' or method='forward', or leave memory out",
    Reason.THREADS: "leave threads out",
    Reason.SHAPE: "give the result a size that the arguments say, or leave memory out",
}


def _explained(failed: Failed, functions: Sequence[Shipped]) -> str:
    """Which array of which loop it is, and what to do."""
    why = failed.why
    program = next(f.program for f in functions if f.name == failed.name)
    what = f"`{program.names.get(why.array, why.array)}`: " if why.array else ""
    message = (
        f'{failed.name}: with memory="caller" nobody can say how much memory a call takes: {what}{why.reason.value}'
    )
    site = program.origins.get(why.array)
    if why.loop is not None and why.loop.site.line:
        site = why.loop.site
    return f"{message}\n  hint: {_HINTS[why.reason]}" if site is None else render(site, message, _HINTS[why.reason])
