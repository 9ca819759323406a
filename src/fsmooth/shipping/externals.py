"""The shared object that CasADi loads: a library of a program and its derivatives, with what CasADi asks of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from msgspec import Struct

from fsmooth import driver, thresholds
from fsmooth.backend.c.casadi import HELPERS, Constant, Interface
from fsmooth.backend.c.libraries import KERNEL, Shipped, library
from fsmooth.core.types import Array, is_scalar, leaf_of, parts_in, unzipped
from fsmooth.errors import ArgumentError
from fsmooth.frontend.elaborate import Elaborated
from fsmooth.frontend.python.kinds import describe
from fsmooth.loops.forms import Form
from fsmooth.loops.memory import Memory
from fsmooth.runtime.cache import compiled as in_cache
from fsmooth.runtime.compiler import find_compiler
from fsmooth.shipping.derivatives import forward, jacobian, reverse, second
from fsmooth.shipping.external import Described


class Kind(Struct, frozen=True):
    """A function of the library: the program differentiated so many times, in a way, and what CasADi knows of it."""

    name: str
    order: int
    derivative: Callable[[Elaborated, int], Elaborated]
    interface: Callable[[Described], Interface]


_KINDS = (
    Kind("value", 0, lambda program, _: program, Described.value),
    Kind("jacobian", 1, jacobian, Described.jacobian),
    Kind("forward", 1, forward, Described.forward),
    Kind("reverse", 1, reverse, Described.reverse),
    Kind("second", 2, second, Described.second),
)


def compiled(described: Described, order: int, path: str | Path | None) -> Path:
    """The shared object, with derivatives up to an order; its text and itself are kept at a path, if there is one."""
    text, statements = source_of(described, order)
    found = in_cache(text, statements, find_compiler(), [])
    if path is None:
        return found
    source, target = Path(path).with_suffix(".c"), Path(path).with_suffix(".so")
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(text, encoding="utf-8")
    shutil.copyfile(found, target)
    return target.resolve()


def source_of(described: Described, order: int) -> tuple[str, int]:
    """The C, and how many statements it has."""
    program = described.function.program
    read = [driver.to_term(program, described.types, k) for k in range(order + 1)]
    shipped: list[Shipped] = []
    interfaces: list[str] = []
    statements = 0
    for kind in _KINDS:
        if kind.order <= order:
            elaborated = kind.derivative(read[kind.order], len(described.arguments))
            constants = list(_constants(kind.name, elaborated))
            one, size = _shipped(described, kind.name, elaborated, constants)
            shipped.append(one)
            interfaces.append(kind.interface(described).text(constants))
            statements += size
    name = described.name
    title = f"{name} for CasADi, made by fsmooth."
    text, header = driver.with_deep_recursion(lambda: library(name, shipped, Form(Memory.HEAP), title, name))
    return "\n".join([text.replace(f'#include "{name}.h"\n', header, 1), HELPERS, *interfaces, ""]), statements


def _shipped(
    described: Described, kind: str, elaborated: Elaborated, constants: Sequence[Constant]
) -> tuple[Shipped, int]:
    name = f"{described.name}_{kind}"
    shapes = [*described.arguments, *[x.array.shape for x in constants]]
    static = {(k, axis): shapes[k][axis] for k, axis in driver.static_axes(elaborated) if k < len(shapes)}
    if any([n > thresholds.STATIC_LENGTH for n in static.values()]):
        static = {}
    stages = driver.compile_program(elaborated, name + KERNEL, described.function.schedule, static)
    assert stages.loops is not None
    assert stages.code is not None
    count = len(list(parts_in(unzipped(stages.code.result))))
    return Shipped(name, stages.loops, static, [f"result_{k}" for k in range(count)], [name]), stages.code.statements


def _constants(kind: str, elaborated: Elaborated) -> Iterator[Constant]:
    """What the program captures.

    Raises:
        ArgumentError: for what is neither a number nor an array of them.

    """
    for k, q in enumerate(elaborated.parameters):
        if q.fetch is not None:
            own = unzipped(q.type)
            if not isinstance(own, Array) and not is_scalar(own):
                hint = "capture numbers and arrays of them"
                raise ArgumentError(f"{q.name}, which is captured, is {describe(q.type)}\n  hint: {hint}")
            yield Constant(f"fs_{kind}_{k}", leaf_of(own), np.array(q.fetch()))
