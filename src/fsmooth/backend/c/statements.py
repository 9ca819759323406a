"""Statements as C text."""

from __future__ import annotations

import linecache
import textwrap
from collections.abc import Mapping, Sequence
from typing import assert_never

from fsmooth.backend.c.blocks import write_block
from fsmooth.backend.c.conditions import counted_from_end, failing
from fsmooth.backend.c.expressions import ExpressionWriter
from fsmooth.backend.c.frames import Structs, leave, makes_frames
from fsmooth.backend.c.gathers import lanes_of_gather, write_gather
from fsmooth.backend.c.lanes import write_vectors
from fsmooth.backend.c.leaving import Returned
from fsmooth.backend.c.masked_loads import may_permute_masked_loads
from fsmooth.backend.c.names import c_type, comment, element_type
from fsmooth.backend.c.numbers import Numbers
from fsmooth.backend.c.outlined import Outlined
from fsmooth.backend.c.products import write_product
from fsmooth.backend.c.shared import Shared
from fsmooth.backend.c.spelling import UNARY
from fsmooth.backend.c.tape_statements import write_kept_tape, write_region, write_tape
from fsmooth.core import primitives as p
from fsmooth.core.term import Site
from fsmooth.core.types import BOOL, INT
from fsmooth.loops import tree as t
from fsmooth.loops.affine import slope
from fsmooth.loops.arithmetic import integer, minus, replace, same, zero_of
from fsmooth.loops.memory import Memory

_ALIGNED = 64
"""Arrays of so many numbers begin where a vector may."""


class StatementWriter:
    """Writes the statements of one function.  `features` are the parts of the prelude it needs; `parts` the functions that the
    bodies of its parallel loops are, `outlined` those that it calls for some of its statements, and `needed` what these need of
    the prelude; `numbers` are those that the latter change.
    """

    def __init__(
        self,
        expressions: ExpressionWriter,
        structs: Structs,
        returning: frozenset[str] | None = None,
        called: frozenset[str] = frozenset(),
        shared: Shared | None = None,
        returned: Returned | None = None,
        memory: Memory = Memory.HEAP,
    ) -> None:
        """`returning` are the functions that return frames, if there are any frames in the program; `called` the parts of the
        prelude that the functions need which it may call; `shared` is what no call changes, if there is any; `returned` says
        what functions give by value, if they are left at once where something fails; `memory` is whose they work in.
        """
        self.memory = memory
        self.shared = shared
        self.returned = returned
        self.e = expressions
        self.structs = structs
        self.returning = returning
        self.marks = 0
        self.called = called
        self.lines: list[str] = []
        self.depth = 1
        self.statements = 0
        self.features: set[str] = set()
        self.parts: list[str] = []
        self.needed: set[str] = set()
        self.outlined: list[Outlined] = []
        self.numbers = Numbers("", {}, {}, {})
        self.last_site = ("", 0)
        self.lengths: frozenset[str] = frozenset()
        self.known: set[str] = set()
        self.given: set[str] = set()
        self.read: set[str] = set()
        self.is_called = False
        self.has_handle = False
        """Is it handed what functions share?"""
        self.arena, self.error, self.nowhere = "&arena", "error", "(char *)stack"
        self.frames = "&fs_frames"
        self.take = "fs_take"
        self.resumed: frozenset[str] = frozenset()

    def line(self, text: str) -> None:
        """One line at the current depth."""
        self.lines.append("    " * self.depth + text)

    def body(self, statements: Sequence[t.Statement]) -> None:
        """Statements in order."""
        for s in statements:
            self.statement(s)

    def branch(self, statements: t.Body) -> None:
        """Statements that are done where a condition holds, or all of a function's."""
        self.body(statements)

    def nested(self, statements: Sequence[t.Statement]) -> None:
        """Statements one level deeper."""
        self.depth += 1
        self.body(statements)
        self.depth -= 1

    def statement(self, s: t.Statement) -> None:
        """One statement."""
        self.statements += 1
        w = self.e.write
        match s:
            case t.Declare(name, _, None) if name in self.numbers.types:
                self.statements -= 1
            case t.Declare(name, _, t.Expression() as value) if name in self.numbers.types:
                self.assignment(t.Name(name, s.type), value, accumulate=False)
            case t.Declare(name, type_, value):
                const = "" if s.mutable else self.const(name)
                if value is None and name in self.given:
                    value = zero_of(type_)  # compilers do not see that a call that does not fail sets it
                init = "" if value is None else f" = {w(value)}"
                self.line(f"{const}{c_type(type_)} {name}{init};")
            case t.Assign(name, value, accumulate):
                self.assignment(t.Name(name, value.type), value, accumulate)
            case t.Store(buffer, index, value, accumulate):
                stored = INT if value.type == INT else value.type  # what is written to is never narrow (core.narrow)
                self.assignment(t.Load(buffer, index, stored), value, accumulate)
            case t.For():
                self.loop(s)
            case t.While():
                self.steps_while(s)
            case t.Block():
                write_block(self, s)
            case t.Parallel():
                self.parallel(s)
            case t.Outlined():
                self.outline(s)
            case t.If():
                self.conditional(s)
            case t.Break(condition):
                self.line(f"if ({w(condition)}) break;")
            case t.Check():
                self.check(s)
            case t.Demand():
                self.check(s)
            case t.CheckAll():
                self.check_all(s)
            case t.Fill():
                self.line(
                    f"memset({self.place(s.buffer, s.offset)}, 0, {self.size(s.count)} * sizeof *{self.e.name(s.buffer)});"
                )
            case t.Copy():
                target, source = self.place(s.target, s.target_offset), self.place(s.source, s.source_offset)
                self.line(f"memcpy({target}, {source}, {self.size(s.count)} * sizeof *{self.e.name(s.target)});")
            case t.Multiply():
                write_product(self, s)
            case t.Room():
                self.features |= {"rooms", "arena"}
                place = f"{self.nowhere}, 0"
                if s.bound is not None:
                    taken = f"fs_room_of({self.arena}, {self.count(s.bound)}, sizeof({element_type(s.type)}))"
                    self.line(f"const fs_room {s.name} = {taken};")
                    return
                if s.count:
                    self.line(f"{element_type(s.type)} {s.name}_start[{s.count}] __attribute__((aligned(64)));")
                    place = f"(char *){s.name}_start, sizeof {s.name}_start"
                self.line(f"fs_room {s.name} = {{{place}}};")
            case t.Allocate():
                self.features.add("arena")
                element = element_type(s.type)
                size = f"{self.longest(s)}, sizeof({element})"
                arena = "" if self.memory is Memory.CALLER else f"{self.arena}, "
                taken = f"{self.take}({self.arena}, {size})" if s.room is None else f"fs_fit({arena}&{s.room}, {size})"
                self.line(f"{element} *{self.restrict(s.buffer)}{s.buffer} = ({element} *){taken};")
                self.or_out_of_memory(s.buffer)
            case t.Keep():
                element = element_type(s.type)
                self.line(
                    f"{element} *{s.buffer} = ({element} *){self.take}({self.frames}, {self.count(s.count)}, sizeof({element}));"
                )
                self.or_out_of_memory(s.buffer)
            case t.Reserve():
                self.line(f"{self.const(s.name)}fs_frame {s.name} = {self.new_frame(s.layout)};")
                self.or_out_of_memory(s.name)
            case t.Pack():
                self.pack(s)
            case t.Unpack():
                struct = self.structs.name(s.layout)
                what = f"((const {struct} *){w(s.frame, 9)})->x{s.slot}"
                kind = f"const {element_type(s.type)} *" if s.pointer else f"{self.const(s.name)}{c_type(s.type)} "
                self.line(f"{kind}{s.name} = {what};")
            case t.LocalArray():
                aligned = " __attribute__((aligned(64)))" if s.count >= _ALIGNED else ""
                self.line(f"{element_type(s.type)} {s.buffer}[{s.count}]{aligned};")
            case t.Choose():
                place = self.place(s.then, s.then_offset)
                if s.steps is not None and s.otherwise is not None and s.otherwise_offset is not None:
                    odd = f" && {w(s.steps, 7)} % 2 != 0" if s.when is t.Count.ODD else ""
                    place = f"{w(s.steps, 5)} > 0{odd} ? {self.place(s.otherwise, s.otherwise_offset)} : {place}"
                restrict = "" if s.exchanged else self.restrict(s.pointer)
                self.line(f"{element_type(s.type)} *{restrict}{s.pointer} = {place};")
            case t.Invoke():
                self.invoke(s)
            case t.OpenTape() | t.Entry() | t.Operand() | t.Sweep() | t.CloseTape():
                write_tape(self, s)
            case t.SaveRegion() | t.OpenSweep() | t.NextRegion():
                write_region(self, s)
            case t.KeepTape() | t.OpenBars() | t.SweepBars():
                write_kept_tape(self, s)
            case t.Swap(left, right, type_):
                held = f"{left}_held"
                self.line("{")
                self.line(f"    {element_type(type_)} *{held} = {left};")
                self.line(f"    {left} = {right};")
                self.line(f"    {right} = {held};")
                self.line("}")
            case _:
                assert_never(s)

    def parallel(self, s: t.Parallel) -> None:
        """A loop whose iterations may run at one time, which functions on records have none of."""
        raise TypeError(f"{s!r} in a function that others call")

    def outline(self, s: t.Outlined) -> None:
        """Statements that are a function of their own, which functions on records have none of."""
        raise TypeError(f"{s!r} in a function that others call")

    def const(self, name: str) -> str:
        """The word for a name that does not change, unless it is set again where a function goes on."""
        return "" if name in self.resumed else "const "

    def restrict(self, name: str) -> str:
        """The word for a pointer to what no other points to; one that is set again has it not."""
        return "" if name in self.resumed else "restrict "

    def invoke(self, s: t.Invoke) -> None:
        """A call; what it shares with all that follow from it is in the struct."""
        self.features.add("calls")
        names, results = ((), s.results) if self.returned is None else self.returned.given(s)
        if self.shared is None:
            given = [self.handed(value) for value in (*s.arguments, *results)]
            given.append("fs_shared" if self.has_handle else "&fs_shared")
        else:
            given = []
            by_value = () if self.returned is None else self.returned.outputs.get(s.function, ())
            for value, field in self.shared.handed(s, by_value):
                if field is None:
                    given.append(self.handed(value))
                elif not self.is_called:
                    self.line(f"fs_own{'->' if self.has_handle else '.'}{field} = {self.handed(value)};")
            given.append("fs_own" if self.has_handle else "&fs_own")
        call = f"{s.function}({', '.join(given)});"
        if self.returned is not None:
            pair = f"{names[0]}_pair" if len(names) == 2 else ""
            if pair:
                call = f"const {self.returned.kind(s.function)} {pair} = {call}"
            self.line(call if pair or not names else f"{self.e.name(names[0])} = {call}")
            for k, name in enumerate(names):
                if pair:
                    self.line(f"{self.e.name(name)} = {pair}.x{k};")
                if name not in self.read:
                    self.line(f"(void){self.e.name(name)};")
            return
        self.line(f"status = {call}")
        self.line("if (status) goto fail;")

    def handed(self, value: t.Expression | t.Place | str) -> str:
        """An argument, or where a result goes."""
        if isinstance(value, t.Place):
            return self.place(value.buffer, value.offset)
        return f"&{self.e.name(value)}" if isinstance(value, str) else self.e.write(value)

    def given_to(self, s: t.Invoke, fields: Mapping[str, str]) -> list[str]:
        """What a function is called with: a number that it gives goes to the local, unless that has a field of a record."""
        given = [self.place(a.buffer, a.offset) if isinstance(a, t.Place) else self.e.write(a) for a in s.arguments]
        for r in s.results:
            given.append(self.place(r.buffer, r.offset) if isinstance(r, t.Place) else fields.get(r, f"&{r}"))
        return given

    def or_out_of_memory(self, name: str) -> None:
        """Fail if there was no memory."""
        self.fails(f"!{name}", "2")

    def makes_frames(self, body: Sequence[t.Statement]) -> bool:
        """Are frames made there?"""
        return self.returning is not None and makes_frames(body, self.returning)

    def new_frame(self, layout: t.Layout) -> str:
        """Memory for a frame."""
        return f"fs_frame_of({self.frames}, sizeof({self.structs.name(layout)}))"

    def pack(self, s: t.Pack) -> None:
        """A new frame."""
        struct = self.structs.name(s.layout)
        made = f"{s.name}_made"
        memory = self.new_frame(s.layout) if s.reserved is None else self.e.name(s.reserved)
        self.line(f"{struct} *const {made} = ({struct} *){memory};")
        if s.reserved is None:
            self.or_out_of_memory(made)
        for k, value in enumerate(s.values):
            text = self.place(value.buffer, value.offset) if isinstance(value, t.Place) else self.e.write(value)
            self.line(f"{made}->x{k} = {text};")
        self.line(f"{self.const(s.name)}fs_frame {s.name} = {made};")

    def iteration(self, body: t.Body) -> None:
        """What is done in each iteration of a loop; frames that it makes and does not hand on are given back."""
        if not self.makes_frames(body) or leave(body):
            self.nested(body)
            return
        self.marks += 1
        mark = f"fs_mark_{self.marks}"
        arena = self.frames
        self.line(f"    const fs_mark {mark} = fs_marked({arena});")
        self.nested(body)
        self.line(f"    fs_release({arena}, {mark});")

    def fails(self, condition: str, status: str) -> None:
        """Leave with this status where the condition holds."""
        self.line(f"if ({condition}) {{")
        self.line(f"    status = {status};")
        self.line("    goto fail;")
        self.line("}")

    def assignment(self, target: t.Expression, value: t.Expression, accumulate: bool) -> None:
        """`target = value;`, with `+=` where it is a sum with the target itself."""
        match value:
            case t.Operation(p.add, (first, rest)) if not accumulate and same(first, target):
                self.line(f"{self.e.write(target)} += {self.e.write(rest)};")
            case _:
                self.line(f"{self.e.write(target)} {'+=' if accumulate else '='} {self.e.write(value)};")

    def place(self, buffer: str, offset: t.Expression) -> str:
        """The address of a part of a buffer."""
        if isinstance(offset, t.Literal) and offset.value == 0:
            return self.e.name(buffer)
        return f"{self.e.name(buffer)} + {self.e.write(offset, 6)}"

    def size(self, count: t.Expression) -> str:
        """A count as size_t."""
        return f"(size_t){self.e.write(count, 9)}"

    def count(self, count: t.Expression) -> str:
        """How many elements to make room for: too many for any memory, where the number itself would wrap around."""
        match count:
            case t.Operation(p.multiply, (a, b)) if not isinstance(a, t.Literal) or not isinstance(b, t.Literal):
                self.features.add("count")
                return f"fs_count({self.count(a)}, {self.count(b)})"
            case _:
                return self.e.write(count)

    def longest(self, s: t.Allocate) -> str:
        """How many elements: the largest of several counts gets a name."""
        counts: list[t.Expression] = []
        e = s.count
        while isinstance(e, t.Operation) and e.primitive is p.maximum:
            e, last = e.arguments
            counts.append(last)
        if not counts:
            return self.count(e)
        name = f"{s.buffer}_size"
        self.line(f"int64_t {name} = {self.count(e)};")
        for other in reversed(counts):
            text = self.count(other)
            self.line(f"if ({name} < {text}) {name} = {text};")
        return name

    def site(self, site: Site) -> None:
        """A comment with the source line, unless the last comment was the same."""
        if not site.line or (site.file, site.line) == self.last_site:
            return
        self.last_site = (site.file, site.line)
        source = linecache.getline(site.file, site.line).strip() if site.file else ""
        self.line(f"/* line {site.line}: {comment(source or site.what)} */")

    def loop(self, s: t.For) -> None:
        """A for loop."""
        self.site(s.site)
        if s.vectors in (t.Vectors.WRITTEN, t.Vectors.WHOLE):
            write_vectors(self, s)
            return
        masked = may_permute_masked_loads(s, self.known)
        lanes = None if masked else lanes_of_gather(s)
        if lanes is not None:
            write_gather(self, s, lanes)
            return
        if masked:
            self.features.add("masked_loads")
            self.lines += ["#ifdef FS_PERMUTES_MASKED", "#pragma omp simd simdlen(1)", "#else" if s.simd else "#endif"]
        outer = self.e.vector
        if s.simd:
            self.e.vector = True
            reduction = f" reduction(+:{', '.join(s.reduced)})" if s.reduced else ""
            reduction += "".join([f" reduction({extremum.value}:{name})" for name, extremum in s.extrema])
            # in clang maxima start from the largest finite number, which is wrong where all are infinite
            guard = ("#ifndef __clang__", "#endif") if s.extrema else ()
            self.lines += [*guard[:1], f"#pragma omp simd{reduction}", *guard[1:]]
            self.lines += ["#endif"] if masked else []
        self.iterations(s)
        self.e.vector = outer

    def iterations(self, s: t.For) -> None:
        """A for loop, without what is said to the compiler about it."""
        self.line(f"for (int64_t {s.index} = 0; {s.index} < {self.e.write(s.size, 5)}; ++{s.index}) {{")
        self.iteration(s.body)
        self.line("}")

    def steps_while(self, s: t.While) -> None:
        """A while loop."""
        self.site(s.site)
        if not s.test:
            self.line(f"while ({self.e.write(s.condition)}) {{")
            self.iteration(s.body)
            self.line("}")
            return
        self.line("for (;;) {")
        self.nested([*s.test, t.Break(t.Operation(p.logical_not, (s.condition,), BOOL))])
        self.iteration(s.body)
        self.line("}")

    def conditional(self, s: t.If) -> None:
        """An if statement."""
        if not s.otherwise and len(s.then) == 1 and isinstance(s.then[0], t.Check | t.Demand):
            self.check(s.then[0], s.condition)
            return
        condition = self.e.write(s.condition)
        if s.rare:
            self.features.add("rarely")
            condition = f"FS_RARELY({condition})"
        self.line(f"if ({condition}) {{")
        self.depth += 1
        self.branch(s.then)
        self.depth -= 1
        if s.otherwise:
            self.line("} else {")
            self.depth += 1
            self.branch(s.otherwise)
            self.depth -= 1
        self.line("}")

    def check(self, s: t.Check | t.Demand, guard: t.Expression | None = None) -> None:
        """Report and leave if it fails (where the guard holds)."""
        self.features.add("failed")
        numbers = list((s.index, s.size) if isinstance(s, t.Check) else s.numbers[:2])
        texts = [self.e.write(n) for n in numbers] + ["0"] * (2 - len(numbers))
        fails = failing(s) if guard is None else t.Conditional(guard, failing(s), t.Literal(False, BOOL))
        self.line(f"if ({self.e.write(fails)}) {{")
        self.line(f"    status = fs_failed({self.error}, {s.site}, {', '.join(texts)});")
        self.line("    goto fail;")
        self.line("}")

    def check_all(self, s: t.CheckAll) -> None:
        """Test all iterations before a loop, then find the first that fails."""
        if s.ends:
            assert isinstance(s.check, t.Check)
            start = _start(s.check.index, s.index)
            if start is not None:
                self.check_range(s, s.check, start)
                return
            self.features.add("outside")
            first = replace(s.check.index, s.index, integer(0))
            progression = (first, slope(s.check.index, s.index), s.size, s.check.size)
            runs = f"{self.e.write(s.size, 5)} > 0"
            self.line(f"if ({runs} && fs_outside({', '.join([self.e.write(e) for e in progression])})) {{")
            self.find_first(s)
            return
        if self.is_called:  # where a function calls itself most loops are short
            self.one_by_one(s)
            return
        self.line("{")
        self.depth += 1
        self.line("int64_t bad = 0;")
        self.lines.append("#pragma omp simd reduction(|:bad)")
        self.line(f"for (int64_t {s.index} = 0; {s.index} < {self.e.write(s.size, 5)}; ++{s.index}) {{")
        given = counted_from_end(s, self.lengths)
        self.nested(s.body if given is None else s.body[:-1])
        self.line(f"    bad |= {self.e.write(failing(s.check)) if given is None else self.outside(*given)};")
        self.line("}")
        self.line("if (bad) {")
        self.find_first(s)
        self.depth -= 1
        self.line("}")

    def outside(self, index: t.Expression, size: t.Expression) -> str:
        """Is an index not in -size … size-1?  As numbers without a sign these are 0 … 2 size - 1 if size is added."""
        given, length = self.e.write(index, UNARY), self.e.write(size, UNARY)
        return f"(uint64_t){given} + (uint64_t){length} >= 2 * (uint64_t){length}"

    def check_range(self, s: t.CheckAll, check: t.Check, start: int) -> None:
        """Test the indices start, start + 1, …: the first that fails is the size itself, or start if that is larger."""
        self.features.add("failed")
        steps, size = self.e.write(s.size, 5), self.e.write(check.size, 5)
        is_length = isinstance(check.size, t.Name) and check.size.name in self.lengths
        runs = "" if start == 0 and is_length else f"{steps} > 0 && "
        fails = f"{steps} > {self.e.write(minus(check.size, integer(start)), 5)}"  # a sum of both might wrap around
        if start > 0 and not (is_length or isinstance(check.size, t.Literal)):
            fails = f"({size} < {start} || {fails})"
        first = check.size if start == 0 else t.Operation(p.maximum, (check.size, integer(start)), INT)
        self.line(f"if ({runs}{fails}) {{")
        self.line(
            f"    status = fs_failed({self.error}, {check.site}, {self.e.write(first)}, {self.e.write(check.size)});"
        )
        self.line("    goto fail;")
        self.line("}")

    def find_first(self, s: t.CheckAll) -> None:
        """The loop that finds the iteration to report, and the end of the if around it."""
        self.depth += 1
        self.one_by_one(s)
        self.depth -= 1
        self.line("}")

    def one_by_one(self, s: t.CheckAll) -> None:
        """Each iteration is tested."""
        self.line(f"for (int64_t {s.index} = 0; {s.index} < {self.e.write(s.size, 5)}; ++{s.index}) {{")
        self.nested([*s.body, s.check])
        self.line("}")


def wrapped(text: str) -> list[str]:
    """A statement in lines of bearable length."""
    return [f"    {line}" for line in textwrap.wrap(text + ";", 104, subsequent_indent="    ")] if text else []


def _start(index: t.Expression, loop: str) -> int | None:
    """The s of an index s + i; None if it has another form or s is negative."""
    match index:
        case t.Name(name) if name == loop:
            return 0
        case t.Operation(p.add, (t.Name(name), t.Literal(start))) if name == loop and int(start) >= 0:
            return int(start)
        case _:
            return None
