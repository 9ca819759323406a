"""What the header of a library says of a function: what it is, the shapes of its parameters and results, what a call costs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from fsmooth.core.cost import cost, of_calls
from fsmooth.core.types import parts_in, rank_of, unzipped
from fsmooth.driver import Stages
from fsmooth.frontend.programs import DerivedProgram, Program
from fsmooth.loops import tree as t
from fsmooth.loops.bounds import Bounds
from fsmooth.loops.intervals import interval
from fsmooth.loops.show import show_expression


def comment_of(
    name: str, program: Program, stages: Stages, results: Sequence[str], built_in: Mapping[str, int]
) -> list[str]:
    """Lines for a comment."""
    assert stages.loops is not None
    kernel = stages.loops.kernel
    lines = [f"{name}: {_what(program)}"]
    inputs = iter([q for q in kernel.parameters if not q.output])
    for type_ in stages.loops.parameters:
        for leaf in parts_in(unzipped(type_)):
            q = next(inputs)
            sizes = [next(inputs).name for _ in range(rank_of(leaf))]
            said = [f"{x} == {built_in[x]} (built in)" if x in built_in else x for x in sizes]
            lines.append(f"  {q.name}{_shape(said)}")
    extents = iter(_extents(stages.loops.shape, f"{name}_shape says"))
    for result, leaf in zip(results, parts_in(unzipped(stages.loops.result)), strict=True):
        lines.append(f"  gives {result}{_shape([next(extents) for _ in range(rank_of(leaf))])}")
    lines.append(f"  time: {_time(stages)}")
    return lines


def _time(stages: Stages) -> str:
    """The weight of a call as a polynomial in the sizes, by their names in C; its largest term, if it is long."""
    optimised = stages.terms["optimised"]
    found = cost(optimised)
    text = str(found) if len(str(found)) <= _LONGEST else found.big_o()
    return re.sub(r"\bn(\d*)\((\w+)\)", lambda m: f"{m[2]}_n{m[1] or 0}", text) + of_calls(optimised)


_LONGEST = 90


def _what(program: Program) -> str:
    if not isinstance(program, DerivedProgram):
        line = (program.function.__doc__ or "").strip().splitlines()
        return line[0] if line else program.name
    return f"the {program.verb.value.replace('_', ' ')} of {program.program.name} by {', '.join(program.wrt)}"


def _shape(sizes: Sequence[str]) -> str:
    return f" ({', '.join(sizes)})" if sizes else ""


def _extents(shape: t.Function | None, otherwise: str) -> Iterator[str]:
    """The sizes of the results, as far as they are expressions in the parameters, which `otherwise` says."""
    if shape is None:
        return
    bounds = Bounds(shape)
    found: dict[int, str] = {}
    for s in shape.body:
        match s:
            case t.Store("shape", t.Literal(k), value):
                exact = interval(value, bounds)
                if exact.is_exact and exact.lower is not None:
                    found[int(k)] = show_expression(exact.lower)
            case _:
                pass
    k = 0
    while True:
        yield found.get(k, otherwise)
        k += 1
