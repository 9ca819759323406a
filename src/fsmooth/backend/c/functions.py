"""Whole functions as C text: kernels, functions that others call, and what leaves and closes them."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from fsmooth.backend.c.callers_memory import NAME, PARAMETER
from fsmooth.backend.c.entering import calls_something, entrances
from fsmooth.backend.c.frames import returns_frames
from fsmooth.backend.c.masked_loads import known_integers
from fsmooth.backend.c.names import element_type
from fsmooth.backend.c.numbers import HANDLE, Access, changed_by_outlined
from fsmooth.backend.c.outlined import Outlined
from fsmooth.backend.c.parallel import handed_over
from fsmooth.backend.c.signature import handle, inside, signature
from fsmooth.backend.c.statements import StatementWriter, wrapped
from fsmooth.backend.c.tape_statements import open_tape
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.memory import Memory
from fsmooth.loops.parameters import types_of
from fsmooth.loops.usage import declared, mentioned, mentioned_reads, walk

_FAILING = ("failed", "chunks_fail", "outlined_fails")
"""What a function has where something in it may fail."""

_ON_STACK, _ON_STACK_OF_CHUNK = 512, 2048
"""So many numbers of the arena are on the stack: more in a chunk of a loop, since segments of the heap that are kept for the next
call would move from the cache of one thread to that of another.
"""


class FunctionWriter(StatementWriter):
    """Writes one function."""

    name: str
    types: Mapping[str, t.Parameter]
    place_of: Mapping[str, int]
    access = Access()
    """What an outlined function is handed of another: its numbers, its tape, and the caller's memory."""
    linkage = ""
    """What is before the prototype of a kernel."""
    guards: Sequence[str] = ()
    """Lines with which a kernel begins."""
    entrances: Sequence[t.Body] = ()
    """Of a function that others call, the branches that need the stack and memory."""
    on_stack = _ON_STACK
    """Numbers of its arena on the stack."""
    frames_leave = False
    """Does it return frames?"""

    def function(self, function: t.Function) -> str:
        """The whole definition."""
        self.name, self.types = function.name, types_of(function)
        self.place_of = {name: k for k, name in enumerate(self.types)}
        self.lengths = self.e.lengths = function.facts.lengths
        self.known |= known_integers(function.body)
        calls = [s for s in walk(function.body) if isinstance(s, t.Invoke)]
        self.read = mentioned_reads(function.body) if calls else set()
        by_value = set() if self.returned is None else {name for s in calls for name in self.returned.given(s)[0]}
        self.given = {name for s in calls for name in s.changes} - by_value
        self.is_called = function.is_called
        is_inside = self.returned is not None and bool(calls) and not function.is_called  # a kernel's part
        self.has_handle = function.is_called or is_inside
        if self.has_handle:
            self.arena, self.nowhere = "fs_shared->arena", "fs_shared->arena->free"
            self.frames = "fs_shared->frames"
        if function.is_called:
            self.error, self.take = "fs_shared->error", "fs_take_little"
        if self.makes_frames(function.body):
            self.features.add("frames")
        self.numbers = changed_by_outlined(function.name, function.body, self.types)
        if self.memory is Memory.CALLER and _takes(function.body) and not self.access.parameters:
            self.access = Access(parameters=(PARAMETER,))
        if self.memory is Memory.CALLER:
            self.arena = NAME
        self.e.elsewhere = {} if self.shared is None else self.shared.elsewhere(function)
        self.e.elsewhere |= {**self.access.spelling, **self.numbers.own().spelling}
        if function.is_called and self.returned is not None:
            self.entrances, self.frames_leave = entrances(function.body), returns_frames(function)
        self.branch(function.body)
        if "calls" in self.features and "tape" in self.called:
            self.features.add("tape")
        if function.is_called:
            return self.called_function(function)
        if is_inside:
            return self.kernel_with_exit(function)
        head = [f"{self.linkage}{signature(function, last=self.access.parameters)} {{", *self.guards]
        tail = [*self.end(self.can_fail())]
        head += self.unused(function, also_error=self.features.isdisjoint((*_FAILING, "calls", "tape")))
        if self.can_fail():
            head.append("    int32_t status = 0;")
        head += [*wrapped(self.access.places), *self.shared_numbers()]
        opened, closed = self.opened()
        return "\n".join([*head, *opened, *self.lines, *tail[:-1], *closed, tail[-1], "}", ""])

    def branch(self, statements: t.Body) -> None:
        """A branch of a function, which begins with asking for what it needs of the stack, and gives the memory back."""
        if not any([statements is entrance for entrance in self.entrances]):
            self.body(statements)
            return
        start = len(self.lines)
        self.body(statements)
        indent, lines = "    " * self.depth, self.lines[start:]
        head: list[str] = []
        if calls_something(statements):
            self.features.add("depth")
            head.append("if (FS_FRAME < fs_shared->deepest) fs_leave(fs_shared->out, 3);")
        marked = {"fs_before": "arena"} if any([self.arena in line for line in lines]) else {}
        if self.makes_frames(statements) and not self.frames_leave:
            marked["fs_frames_before"] = "frames"
        head += [f"const fs_mark {mark} = fs_marked(fs_shared->{arena});" for mark, arena in marked.items()]
        self.lines[start:start] = [indent + line for line in head]
        self.lines += [f"{indent}fs_release(fs_shared->{arena}, {mark});" for mark, arena in marked.items()]

    def parallel(self, s: t.Parallel) -> None:
        """A loop whose body is a function of its own, which is handed to whatever runs its iterations."""
        given = self.read_from_outside(s.body, {s.chunk})
        name = f"{self.name}_part_{len(self.parts) + 1}"
        self.parts.append("")
        writer = FunctionWriter(self.e, self.structs)
        writer.on_stack = _ON_STACK_OF_CHUNK
        elsewhere = self.e.elsewhere
        part = t.Function(name, (*given, t.Parameter(s.chunk, INT)), s.body, t.Facts(lengths=self.lengths))
        text = writer.function(part)
        self.e.elsewhere = elsewhere
        self.statements += writer.statements
        self.features |= writer.features - {*_FAILING, "arena", "tape"} | {"parallel"}
        self.needed |= writer.features | writer.needed
        self.outlined += writer.outlined
        fails = writer.can_fail()
        self.parts[-1:] = [*writer.parts, handed_over(part, text, given, fails=fails)]
        self.features |= {"chunks_fail"} if fails else set()
        values = ", ".join(
            [f".{q.name} = {self.e.name(q.name) if q.pointer else self.e.write(t.Name(q.name, q.type))}" for q in given]
        )
        self.line("{")
        self.line(f"    {name}_given given = {{{values}}};")
        self.line(f"    const int64_t count = {self.e.write(s.count)};")
        self.line(f"    fs_in_parallel({name}_run, &given, count, {s.threads});")
        if fails:
            self.line("    for (int64_t k = 0; k < count; ++k)")
            self.line("        if (given.status[k]) {")
            self.line(f"            status = given.status[k], *{self.error} = given.error[k];")
            self.line("            goto fail;")
            self.line("        }")
        self.line("}")

    def outline(self, s: t.Outlined) -> None:
        """A call of a function that does the statements; the numbers that such functions change are in a struct."""
        given = self.read_from_outside(s.body, self.numbers.types.keys())
        used = self.in_order(self.numbers.types.keys() & mentioned(s.body))
        name = f"{self.name}_outlined_{len(self.outlined) + 1}"
        function = t.Function(name, tuple(given), s.body, t.Facts(lengths=self.lengths))
        writer = FunctionWriter(self.e, self.structs, memory=self.memory)
        writer.known = set(self.known)
        elsewhere = self.e.elsewhere
        tape = any([isinstance(x, t.Entry) for x in walk(s.body)])
        takes = self.memory is Memory.CALLER and _takes(s.body)
        writer.access = self.numbers.handed(used, tape=tape)
        if takes:
            writer.access = replace(writer.access, parameters=(*writer.access.parameters, PARAMETER))
        text = writer.function(function)
        self.e.elsewhere = elsewhere
        writer.features |= {"arena"} if tape else set()
        self.features |= {"tape"} if tape else set()
        self.needed |= writer.features
        self.statements += writer.statements
        prototype = f"{signature(function, last=writer.access.parameters)};\n"
        self.outlined.append(Outlined(self.numbers.struct, prototype, text, frozenset(writer.features)))
        arguments = [self.e.name(q.name) if q.pointer else self.e.write(t.Name(q.name, q.type)) for q in given]
        arguments += [
            *([f"&{HANDLE}"] if used else []),
            *(["fs_tape"] if tape else []),
            *([self.arena] if takes else []),
        ]
        fails = writer.can_fail()
        self.features |= {"outlined_fails"} if fails else set()
        called = f"{name}({', '.join([*arguments, self.error if fails else 'NULL'])});"
        indent = "    " * self.depth
        self.lines += textwrap.wrap(
            f"status = {called}" if fails else f"(void){called}",
            112,
            initial_indent=indent,
            subsequent_indent=f"{indent}    ",
        )
        if fails:
            self.line("if (status) goto fail;")

    def shared_numbers(self) -> list[str]:
        """The struct of the numbers that outlined functions change, and the names of the places in it."""
        places = wrapped(self.numbers.own().places)
        return [*places, f"    {self.numbers.type} {HANDLE};"] if self.numbers.types else []

    def read_from_outside(self, body: t.Body, own: Collection[str]) -> list[t.Parameter]:
        """What statements mention that is not theirs, and is not among their function's `own`."""
        inside = {name for inner in walk(body) for name in declared(inner)}
        read = [x for x in mentioned(body) if x in self.types and x not in inside and x not in own]
        return [self.types[x] for x in self.in_order(read)]

    def in_order(self, names: Collection[str]) -> list[str]:
        """Names as they come in the function."""
        return sorted(names, key=lambda name: self.place_of[name])

    def can_fail(self) -> bool:
        """Is there something that reports a failure?"""
        return not self.features.isdisjoint((*_FAILING, "arena", "calls", "frames", "tape"))

    def end(self, can_fail: bool) -> list[str]:
        """The end of a function that reports failures."""
        return ["fail:", "    return status;"] if can_fail else ["    return 0;"]

    def unused(self, function: t.Function, *, also_error: bool = False) -> list[str]:
        """What says of parameters that they are not used."""
        used = mentioned(function.body)
        in_struct = self.shared.fields.get(function.name, {}) if self.shared is not None else {}
        names = [q.name for q in function.parameters if q.name not in used and q.name not in in_struct]
        names += ["error"] if also_error else []
        return wrapped(", ".join([f"(void){name}" for name in names]))

    def called_function(self, function: t.Function) -> str:
        """One that others call."""
        leaves = self.returned is not None
        head = [signature(function, self.shared, self.returned) + " {"]
        tail: list[str] = []
        head += self.unused(function)
        values = () if self.returned is None else self.returned.outputs.get(function.name, ())
        for q in function.parameters:
            if q.name in values:
                head.append(f"    {element_type(q.type)} {q.name}[1] = {{0}};")
        fails = any(["goto fail;" in line for line in self.lines])
        if fails or (self.can_fail() and not leaves):
            head.append("    int32_t status = 0;")
        head += self.shared_numbers()
        if self.shared is not None:
            head += [f"    {definition}" for definition in self.shared.loaded(function)]
        declared = len(head)
        if "tape" in self.features:
            head.append("    fs_entries *const fs_tape = fs_shared->tape;")
        if not leaves:
            self.features.add("depth")
            head.append("    if (FS_FRAME < fs_shared->deepest) return 3;")
            for mark, arena in (("fs_before", "arena"), ("fs_frames_before", "frames")):
                if arena in self.features and not (arena == "frames" and returns_frames(function)):
                    head.append(f"    const fs_mark {mark} = fs_marked(fs_shared->{arena});")
                    tail.append(f"    fs_release(fs_shared->{arena}, {mark});")
            label, *end = self.end(self.can_fail())
            tail = [label, *tail, *end] if end else [*tail, label]
        else:
            given = ", ".join([f"{value}[0]" for value in values])
            if self.returned is not None and len(values) == 2:
                given = f"({self.returned.kind(function.name)}){{{given}}}"
            tail.append(f"    return {given};" if given else "    return;")
            if fails:
                tail += ["fail:", "    fs_leave(fs_shared->out, status);"]
            elif not given:
                tail.pop()
        own = handle(self.shared)
        uses = [name for name in ("fs_shared", own) if any([name in x for x in (*head[1:], *self.lines, *tail)])]
        if self.shared is not None and "fs_shared" in uses:
            head.insert(declared, "    const fs_common *const fs_shared = &fs_own->common;")
        elif own not in uses:
            head.insert(declared, f"    (void){own};")
        return "\n".join([*head, *self.lines, *tail, "}", ""])

    def kernel_with_exit(self, function: t.Function) -> str:
        """A kernel that calls functions which are left at once: what it does, the way out of it, and what surrounds both."""
        assert self.returned is not None
        self.features |= {"leaving", "arena", "shared"}
        own = handle(self.shared)
        given = ", ".join([q.name for q in function.parameters])
        given = f"{given}, " if given else ""
        body = [inside(function, "_inside", self.shared) + " {"]
        body += self.unused(function, also_error="failed" not in self.features and "tape" not in self.features)
        fails = any(["goto fail;" in line for line in self.lines])
        if fails:
            body.append("    int32_t status = 0;")
        body += self.shared_numbers()
        text = "\n".join(self.lines)
        if self.shared is not None and "fs_shared" in text:
            body.append("    const fs_common *const fs_shared = &fs_own->common;")
        shared_tape = f"{'fs_shared->' if self.shared is None else 'fs_own->common.'}tape"
        is_kept = "tape_kept" in self.features
        if "fs_tape" in text:
            body.append(f"    fs_entries *{'' if is_kept else 'const '}fs_tape = {shared_tape};")
        kept = [f"    {shared_tape} = fs_tape;"] if is_kept else []
        body += [*self.lines, *kept, *self.end(fails), "}", ""]
        common_of = "fs_shared->" if self.shared is None else "fs_own->common."
        guard = [
            inside(function, "_guarded", self.shared) + " {",
            f"    if (setjmp({common_of}out->place)) return {common_of}out->status;",
            f"    return {function.name}_inside({given}{own}, error);",
            "}",
            "",
        ]
        opened, closed = self.opened()
        kernel = [f"{self.linkage}{signature(function)} {{", *self.guards, "    fs_exit fs_out;", *opened]
        kernel.append(f"    const int32_t status = {function.name}_guarded({given}&{own}, error);")
        if is_kept:
            kernel.append(f"    fs_tape = {own}{'' if self.shared is None else '.common'}.tape;")
        kernel += [*closed, "    return status;", "}", ""]
        return "\n".join([*body, *guard, *kernel])

    def opened(self) -> tuple[list[str], list[str]]:
        """What a kernel opens, and closes at its end."""
        head: list[str] = []
        tail: list[str] = []
        if not self.access.tape:
            open_tape(self.features, head, tail)
        if self.memory is Memory.CALLER or self.features.isdisjoint(("arena", "calls", "frames")):
            return head, tail
        self.features.add("arena")
        head += [
            f"    double stack[{self.on_stack}];",
            "    fs_arena arena;",
            "    fs_open(&arena, (char *)stack, sizeof stack);",
        ]
        tail.append("    fs_close(&arena);")
        if self.returning is not None:
            self.features.add("frames")
            head += [
                "    fs_arena fs_frames;",
                "    fs_open(&fs_frames, (char *)stack + sizeof stack, 0);",
            ]
            tail.append("    fs_close(&fs_frames);")
        if "calls" in self.features:
            self.features |= {"arena", "shared"}
            frames = "NULL" if self.returning is None else "&fs_frames"
            tape = "fs_tape" if "tape" in self.features else "NULL"
            out = "NULL" if self.returned is None else "&fs_out"
            common_ = f"{{error, fs_deepest_frame(), &arena, {frames}, {tape}, {out}}}"
            if self.shared is None:
                head.append(f"    fs_common fs_shared = {common_};")
            else:
                head.append(f"    {self.shared.type} fs_own = {{.common = {common_}}};")
        return head, tail


def _takes(body: t.Body) -> bool:
    """Does it take memory itself, or hand on where it is?"""
    return any([isinstance(s, t.Allocate | t.Room | t.Multiply) for s in walk(body)])
