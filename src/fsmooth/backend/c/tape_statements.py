"""Statements of a tape as C: entries on the way forward, the loop back (the C that they use is in `backend/c/tape.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from fsmooth.core.types import F64, INT
from fsmooth.loops import tree as t

if TYPE_CHECKING:
    from fsmooth.backend.c.statements import StatementWriter


def open_tape(features: set[str], head: list[str], tail: list[str]) -> None:
    """A tape for the call, if it or what it calls records."""
    if "tape" not in features:
        return
    const = "" if "tape_kept" in features else "const "
    head += [
        f"    fs_entries *{const}fs_tape = fs_open_tape();",
        "    if (!fs_tape) return fs_tape_is_full(error, NULL);",
    ]
    tail.append("    fs_close_tape(fs_tape);")


def write_tape(writer: StatementWriter, s: t.OpenTape | t.Entry | t.Operand | t.Sweep | t.CloseTape) -> None:
    """What is done with the tape."""
    writer.features.add("tape")
    w = writer.e.write
    full = f"fs_tape_is_full({writer.error}, fs_tape)"
    match s:
        case t.OpenTape(start, size):
            writer.line(f"{writer.const(start)}int64_t {start} = fs_inputs(fs_tape, {w(size)});")
            writer.fails(f"!{start}", full)
        case t.Entry(name, slopes, operands, count):
            place = writer.e.name(name)
            kind = f"{writer.const(name)}int64_t " if place == name else ""
            writer.line(f"{kind}{place} = fs_entry(fs_tape, {writer.count(count)});")
            writer.fails(f"!{place}", full)
            writer.line(f"double *restrict {slopes} = fs_tape->slope + fs_tape->first[{place}];")
            writer.line(f"int32_t *restrict {operands} = fs_tape->operand + fs_tape->first[{place}];")
        case t.Operand(entry, position, id_, slope):
            writer.line(f"{entry.slopes}[{w(position)}] = {w(slope)};")
            writer.line(f"{entry.operands}[{w(position)}] = (int32_t){w(id_, 9)};")
        case t.Sweep():
            place = writer.place(s.buffer, s.offset)
            numbers = ", ".join([w(s.count), w(s.start), w(s.root)])
            writer.fails(f"!fs_sweep(fs_tape, {place}, {numbers})", full)
        case t.CloseTape(start):
            writer.line(f"fs_forget(fs_tape, {start});")
        case _:
            assert_never(s)


def write_region(writer: StatementWriter, s: t.SaveRegion | t.OpenSweep | t.NextRegion) -> None:
    """What is done with regions: saving for them, and the way back from one to the next."""
    writer.features.add("tape")
    w = writer.e.write
    full = f"fs_tape_is_full({writer.error}, fs_tape)"
    match s:
        case t.SaveRegion():
            _save(writer, s, full)
        case t.OpenSweep():
            numbers = ", ".join([w(s.count), w(s.start), w(s.root)])
            writer.line(f"double *restrict {s.bars} = fs_open_sweep(fs_tape, {numbers});")
            writer.fails(f"!{s.bars}", full)
        case t.NextRegion():
            writer.line(f"const int64_t {s.number} = fs_next_region(fs_tape, {s.bars}, {w(s.after)});")
            writer.line(f"const int64_t {s.first} = fs_tape->here.first;")
            writer.line(f"const int64_t {s.size} = fs_tape->here.size;")
            writer.line(f"const int64_t *{s.integers} = fs_tape->integer + fs_tape->here.integers;")
            writer.line(f"const double *{s.reals} = fs_tape->real + fs_tape->here.reals;")
            for name in (s.first, s.size, s.integers, s.reals):
                writer.line(f"(void){name};")
        case _:
            assert_never(s)


def _save(writer: StatementWriter, s: t.SaveRegion, full: str) -> None:
    """Room on the tape, then numbers one by one, then arrays."""
    w = writer.e.write
    kinds = {INT: ("integers", s.integers), F64: ("reals", s.reals)}
    totals: list[str] = []
    for type_, (_, numbers) in kinds.items():
        counts = [writer.count(n) for place, n in zip(s.arrays, s.counts, strict=True) if place.type == type_]
        totals.append(" + ".join([str(len(numbers)), *counts]))
    place = writer.e.name(s.name)
    kind = f"{writer.const(s.name)}int64_t " if place == s.name else ""
    writer.line(f"{kind}{place} = fs_region(fs_tape, {s.number}, {writer.count(s.size)}, {', '.join(totals)});")
    writer.fails(f"!{place}", full)
    for type_, (name, numbers) in kinds.items():
        arrays = [(at, n) for at, n in zip(s.arrays, s.counts, strict=True) if at.type == type_]
        if not numbers and not arrays:
            continue
        target = f"{s.name}_{name}"
        element = "int64_t" if type_ == INT else "double"
        writer.line(f"{element} *{target} = fs_tape->{name[:-1]} + fs_tape->here.{name};")
        for k, value in enumerate(numbers):
            writer.line(f"{target}[{k}] = {w(value)};")
        if arrays:
            writer.line(f"{target} += {len(numbers)};")
        for k, (at, n) in enumerate(arrays):
            size = writer.size(n)
            writer.line(
                f"if ({w(n)} > 0) memcpy({target}, {writer.place(at.buffer, at.offset)}, {size} * sizeof *{target});"
            )
            if k + 1 < len(arrays):
                writer.line(f"{target} += {w(n)};")


def write_kept_tape(writer: StatementWriter, s: t.KeepTape | t.OpenBars | t.SweepBars) -> None:
    """What is done with a tape that outlives its call."""
    w = writer.e.write
    match s:
        case t.KeepTape(name):
            writer.features |= {"tape", "tape_kept"}
            writer.line(f"const int64_t {name} = (int64_t)(intptr_t)fs_tape;")
            writer.line("fs_tape = NULL;")
        case t.OpenBars(buffer, tape):
            writer.features |= {"arena", "tape_read"}
            writer.line(
                f"double *restrict {buffer} = fs_bars({writer.arena}, (const fs_entries *)(intptr_t){w(tape, 9)});"
            )
            writer.or_out_of_memory(buffer)
        case t.SweepBars():
            kept = f"(const fs_entries *)(intptr_t){w(s.tape, 9)}"
            writer.line(f"fs_back({kept}, {s.bars}, {w(s.count)} + 1);")
            target = writer.place(s.buffer, s.offset)
            writer.line(f"memcpy({target}, {s.bars} + 1, {writer.size(s.count)} * sizeof *{s.bars});")
        case _:
            assert_never(s)
