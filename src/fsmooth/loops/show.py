"""Loops as text, for people: `.stages` and tests show programs before they are C.

>>> from fsmooth.core.types import F64, INT
>>> from fsmooth.loops.arithmetic import zero_of
>>> print(show_body([t.Store("a", t.Name("i", INT), zero_of(F64))]))
a[i] := 0.0
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import parts

_INDENT = "  "


def show_program(program: t.Program) -> str:
    """The functions of a program."""
    functions = [program.kernel] if program.shape is None else [program.kernel, program.shape]
    return "\n".join([show_function(function) for function in functions])


def show_function(function: t.Function) -> str:
    """Name, parameters, body."""
    parameters = ", ".join([f"{p.name}: {p.type!r}{'[]' if p.pointer else ''}" for p in function.parameters])
    return f"{function.name}({parameters})\n{show_body(function.body, _INDENT)}\n"


def show_body(body: Sequence[t.Statement], indent: str = "") -> str:
    """Statements, one a line."""
    lines: list[str] = []
    for s in body:
        lines.extend([indent + line for line in _lines(s)])
    return "\n".join(lines)


def show_expression(e: t.Expression) -> str:
    """An expression, fully in parentheses."""
    inner = [show_expression(x) for x in parts(e)]
    match e:
        case t.Literal(value):
            return repr(value)
        case t.Name(name):
            return name
        case t.Load(buffer):
            return f"{buffer}[{inner[0]}]"
        case t.Conditional():
            return f"({inner[0]} ? {inner[1]} : {inner[2]})"
        case t.Search(extremum, buffer):
            return f"{extremum.value}({buffer}, {inner[0]}, {inner[1]})"
        case t.Operation(primitive):
            if primitive.symbol is not None and len(inner) == 2:
                return f"({inner[0]} {primitive.symbol} {inner[1]})"
            return f"{primitive.name}({', '.join(inner)})"
        case _:
            raise TypeError(f"{e!r} is no expression")


def _nested(head: str, body: Sequence[t.Statement]) -> list[str]:
    return [head, *[line for line in show_body(body, _INDENT).split("\n") if line]]


def _lines(s: t.Statement) -> list[str]:
    w = show_expression
    match s:
        case t.Declare():
            kind = "var" if s.mutable else "let"
            return [f"{kind} {s.name}: {s.type!r}" + ("" if s.value is None else f" = {w(s.value)}")]
        case t.Assign():
            return [f"{s.name} {_assignment(s.accumulate)} {w(s.value)}"]
        case t.Store():
            return [f"{s.buffer}[{w(s.index)}] {_assignment(s.accumulate)} {w(s.value)}"]
        case t.For():
            marks = " simd" if s.simd else ""
            return _nested(f"for {s.index} < {w(s.size)} {s.kind.value}{marks}", s.body)
        case t.While():
            return _nested("while", [*s.test, t.Break(t.Operation(p.logical_not, (s.condition,), BOOL)), *s.body])
        case t.Block():
            stores: list[t.Statement] = []
            for output in s.outputs:
                for k, value in sorted(output.values.items()):
                    stores.append(t.Store(f"{output.buffer}(+{k})", output.base, value))
            return _nested(f"for {s.index} < {w(s.size)} in blocks of {s.lanes}", [*s.body, *stores])
        case t.Parallel():
            return _nested(f"in parallel {s.chunk} < {w(s.count)}", s.body)
        case t.Outlined():
            return _nested(f"outlined, for {', '.join(s.changes)}" if s.changes else "outlined", s.body)
        case t.If():
            lines = _nested(f"if {w(s.condition)}", s.then)
            return lines + (_nested("else", s.otherwise) if s.otherwise else [])
        case t.Break():
            return [f"break if {w(s.condition)}"]
        case t.Check():
            return [f"check {w(s.index)} < {w(s.size)} at {s.site}"]
        case t.Demand():
            return [f"demand {w(s.condition)} at {s.site}"]
        case t.CheckAll():
            which = "ends" if s.ends else "all"
            return _nested(f"check {which} {s.index} < {w(s.size)}", [*s.body, s.check])
        case t.Fill():
            return [f"zero {s.buffer}[{w(s.offset)}] x {w(s.count)}"]
        case t.Copy():
            return [f"copy {s.target}[{w(s.target_offset)}] := {s.source}[{w(s.source_offset)}] x {w(s.count)}"]
        case t.Multiply():
            left, right = [f"{m.buffer}[{w(m.offset)} …]" for m in (s.left, s.right)]
            size = f"{w(s.rows)} x {w(s.columns)} x {w(s.summed)}"
            by = ", by BLAS" if s.blas else ""
            return [f"{s.target.buffer}[{w(s.target.offset)} …] {_assignment(s.adds)} {left} @ {right} of {size}{by}"]
        case t.Room():
            return [f"room {s.name}: {s.type!r} x {s.count}, or more"]
        case t.Allocate():
            where = "arena" if s.room is None else f"in {s.room}"
            return [f"{where} {s.buffer}: {s.type!r} x {w(s.count)}"]
        case t.LocalArray():
            return [f"array {s.buffer}: {s.type!r} x {s.count}"]
        case t.Choose():
            other = "" if s.steps is None else f" (or {s.otherwise} if {w(s.steps)} is {s.when.value})"
            return [f"pointer {s.pointer} = {s.then}{other}"]
        case t.Invoke():
            given = [_handed(a) if isinstance(a, t.Place) else w(a) for a in s.arguments]
            places = [_handed(r) if isinstance(r, t.Place) else r for r in s.results]
            results = [f"+{place}" if to_add else place for place, to_add in zip(places, s.added, strict=True)]
            return [f"{', '.join(results)} := {s.function}({', '.join(given)})"]
        case t.Keep():
            return [f"kept {s.buffer}: {s.type!r} x {w(s.count)}"]
        case t.Reserve():
            return [f"reserve {s.name}: {s.layout.data!r}.{s.layout.number}"]
        case t.Pack():
            given = [_handed(a) if isinstance(a, t.Place) else w(a) for a in s.values]
            where = "" if s.reserved is None else f" in {s.reserved}"
            return [f"frame {s.name}: {s.layout.data!r}.{s.layout.number} = ({', '.join(given)}){where}"]
        case t.Unpack():
            return [f"let {s.name} = {w(s.frame)}.{s.layout.number}.{s.slot}"]
        case t.OpenTape():
            return [f"tape from {s.start} x {w(s.size)}"]
        case t.Entry():
            return [f"entry {s.name} x {w(s.count)}"]
        case t.Operand():
            return [f"{s.entry.name}[{w(s.position)}] := ({w(s.id)}, {w(s.slope)})"]
        case t.Sweep():
            return [f"sweep {s.buffer}[{w(s.offset)}] x {w(s.count)} := {w(s.root)} to {w(s.start)}"]
        case t.SaveRegion():
            arrays = [f"{_handed(a)} x {w(n)}" for a, n in zip(s.arrays, s.counts, strict=True)]
            given = [*[w(e) for e in (*s.integers, *s.reals)], *arrays]
            return [f"region {s.name} of {s.number} x {w(s.size)} saves ({', '.join(given)})"]
        case t.OpenSweep():
            return [f"bars {s.bars} for {w(s.root)} to {w(s.start)} x {w(s.count)}"]
        case t.NextRegion():
            return [f"next region of {s.bars}: {s.number} from {s.first} x {s.size}, {s.integers}, {s.reals}"]
        case t.CloseTape():
            return [f"end of tape from {s.start}"]
        case t.KeepTape():
            return [f"keep tape as {s.name}"]
        case t.OpenBars():
            return [f"bars {s.buffer} of {w(s.tape)}"]
        case t.SweepBars():
            return [f"sweep {s.buffer}[{w(s.offset)}] x {w(s.count)} := {s.bars} of {w(s.tape)}"]
        case t.Swap():
            return [f"swap {s.left}, {s.right}"]
        case _:
            assert_never(s)


def _assignment(accumulate: bool) -> str:
    return "+=" if accumulate else ":="


def _handed(place: t.Place) -> str:
    return f"{place.buffer}[{show_expression(place.offset)} …]"
