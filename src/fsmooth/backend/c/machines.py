"""Functions that run on records, as C: each a switch over its blocks, and one loop for those that call one another.

A function that meets a cut saves the live names in its record, makes one for what it calls, and returns to the loop, which runs
the record that is on top; where a function ends it gives back its record, and all that was taken behind it, and leaves that of
its caller on top.  What no call changes is in one place for all records.  So no depth of calls takes any of the C stack.  The
blocks lie in the statements where they are cut: C lets a `case` stand inside of loops and branches (T. Duff, 1983).  Records
never move, since callees write their results to them.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.backend.c.expressions import ExpressionWriter
from fsmooth.backend.c.frames import Structs, returns_frames
from fsmooth.backend.c.functions import FunctionWriter
from fsmooth.backend.c.names import c_type, element_type
from fsmooth.backend.c.numbers import changed_by_outlined
from fsmooth.backend.c.outlined import Outlined
from fsmooth.backend.c.signature import parameter, signature
from fsmooth.core.types import INT
from fsmooth.errors import UnsupportedError
from fsmooth.loops import tree as t
from fsmooth.loops.continuations import Cuts, changing, steady, with_own_calls
from fsmooth.loops.parameters import types_of
from fsmooth.loops.usage import mentioned, walk

RECORDS = """\
/* What a function needs when what it calls returns: its caller's, where it is itself, which function it is of those that call
   one another, and where that goes on. */
typedef struct fs_record {
    struct fs_record *caller;
    fs_segment *segment;
    int32_t function;
    int32_t block;
} fs_record;

static inline void *fs_recorded(fs_arena *arena, fs_record *caller, int32_t function, size_t size) {
    fs_record *made;
    if ((size_t)(arena->current->end - arena->free) < size) {
        made = (fs_record *)fs_take(arena, (int64_t)size, 1);
        if (!made) return NULL;
    } else {
        made = (fs_record *)arena->free;
        arena->free += size;
    }
    made->caller = caller;
    made->segment = arena->current;
    made->function = function;
    made->block = 0;
    return made;
}

static inline fs_record *fs_returned(fs_arena *arena, fs_record *record) {
    arena->current = record->segment;
    arena->free = (char *)record;
    return record->caller;
}
"""


class MachineWriter:
    """Writes functions that call one another."""

    def __init__(
        self,
        group: Sequence[t.Function],
        entries: frozenset[str],
        expressions: ExpressionWriter,
        structs: Structs,
        returning: frozenset[str] | None,
    ) -> None:
        """`entries`: those that others call."""
        self.group = group
        self.entries = [f for f in group if f.name in entries]
        self.steady = steady(group)
        self.places = {f.name: k for k, f in enumerate(group)}
        self.functions = {f.name: f for f in group}
        self.writers = [BlockWriter(self, expressions, structs, returning) for _ in group]
        self.statements = 0
        self.outlined: list[Outlined] = []
        self.features = {"calls", "arena", "shared", "frames", "records", "depth"}

    def text(self) -> str:
        """Structs, functions, the loop, and what others call."""
        steps = [writer.function(f) for writer, f in zip(self.writers, self.group, strict=True)]
        for writer in self.writers:
            self.features |= writer.features | writer.needed
            self.statements += writer.statements
            self.outlined += writer.outlined
        structs = [writer.struct() for writer in self.writers]
        if self.steady:
            (function,) = self.group
            fields = [f"    {_field(q)};\n" for q in function.parameters if q.name in self.steady]
            structs.insert(0, f"typedef struct {{\n{''.join(fields)}}} fs_steady_{function.name};\n")
        return "\n".join([*structs, *steps, self.loop(), *[self.entry(f) for f in self.entries]])

    def loop(self) -> str:
        """What runs the record on top until there is none."""
        lines = [
            f"static int32_t {self.run}(fs_record *fs_top, {self.parameter}fs_common *restrict fs_shared) {{",
            "    int32_t status = 0;",
            "    do {",
        ]
        if len(self.group) == 1:
            lines.append(f"        status = fs_step_{self.group[0].name}(&fs_top, {self.argument}fs_shared);")
        else:
            lines.append("        switch (fs_top->function) {")
            for k, f in enumerate(self.group):
                case = "default" if k == len(self.group) - 1 else f"case {k}"
                lines.append(f"        {case}: status = fs_step_{f.name}(&fs_top, fs_shared); break;")
            lines.append("        }")
        lines += ["    } while (!status && fs_top);", "    return status;", "}", ""]
        return "\n".join(lines)

    @property
    def parameter(self) -> str:
        """How functions are handed what no call changes."""
        return f"const fs_steady_{self.group[0].name} *restrict fs_steady, " if self.steady else ""

    @property
    def argument(self) -> str:
        """The same in a call."""
        return "fs_steady, " if self.steady else ""

    @property
    def run(self) -> str:
        """The name of the loop."""
        return f"fs_run_{self.group[0].name}"

    def entry(self, f: t.Function) -> str:
        """A call from outside: the first record."""
        lines = [signature(f) + " {", "    if (FS_FRAME < fs_shared->deepest) return 3;"]
        lines += [f"    {line}" for line in self.made(f.name, "NULL", [q.name for q in f.parameters])]
        if self.steady:
            values = ", ".join([q.name for q in f.parameters if q.name in self.steady])
            lines.append(f"    const fs_steady_{f.name} fs_steady = {{{values}}};")
        argument = "&fs_steady, " if self.steady else ""
        lines.append(f"    return {self.run}(&fs_called->fs_head, {argument}fs_shared);")
        return "\n".join([*lines, "}", ""])

    def made(self, name: str, caller: str, given: Sequence[str]) -> list[str]:
        """A new record of a function, with what it is called with."""
        f = self.functions[name]
        record = f"fs_record_{name}"
        head = f"fs_recorded(fs_shared->arena, {caller}, {self.places[name]}, sizeof({record}))"
        return [
            f"{record} *const fs_called = ({record} *){head};",
            "if (!fs_called) return 2;",
            *[
                f"fs_called->{q.name} = {value};"
                for q, value in zip(f.parameters, given, strict=True)
                if q.name not in self.steady
            ],
        ]


class BlockWriter(FunctionWriter):
    """Writes one function as a switch over its blocks."""

    def __init__(
        self,
        machine: MachineWriter,
        expressions: ExpressionWriter,
        structs: Structs,
        returning: frozenset[str] | None,
    ) -> None:
        super().__init__(expressions, structs, returning)
        self.machine = machine
        self.blocks = 0
        self.saved: set[str] = set()
        self.fields: dict[str, str] = {}
        """What records have of it, by name: declarations in C."""

    def function(self, function: t.Function) -> str:
        """What runs a block of it."""
        body = with_own_calls(function.body)
        self.own = function
        self.name, self.types = function.name, types_of(function)
        self.place_of = {name: k for k, name in enumerate(self.types)}
        self.numbers = changed_by_outlined(function.name, body, self.types)
        self.e.elsewhere = dict(self.numbers.own().spelling)
        self.cuts = Cuts(t.Function(function.name, function.parameters, body), frozenset(self.machine.places))
        self.kinds = _kinds(body)
        self.changing = changing(body)
        self.lengths = self.e.lengths = function.facts.lengths
        self.given = {name for s in walk(body) if isinstance(s, t.Invoke) for name in s.changes}
        self.is_called = self.has_handle = True
        self.resumed = frozenset(self.cuts.all() | self.handed_over(body))
        self.arena, self.error, self.nowhere = "fs_shared->arena", "fs_shared->error", "fs_shared->arena->free"
        self.frames = "fs_shared->frames"
        self.depth = 2
        self.body(body)
        used = mentioned(self.cuts.without(body, self.machine.steady))
        record = f"fs_record_{function.name}"
        head = [
            f"static int32_t fs_step_{function.name}("
            f"fs_record **fs_top, {self.machine.parameter}fs_common *restrict fs_shared) {{",
            f"    {record} *const fs_own = ({record} *)*fs_top;",
            *[
                f"    {self.parameter(q)} = {'fs_steady' if q.name in self.machine.steady else 'fs_own'}->{q.name};"
                for q in function.parameters
                if q.name in used
            ],
            "    int32_t status = 0;",
            *self.shared_numbers(),
        ]
        if self.machine.steady and used.isdisjoint(self.machine.steady):
            head.append("    (void)fs_steady;")
        if "tape" in self.features:
            head.append("    fs_entries *const fs_tape = fs_shared->tape;")
        start, end = [], []
        if self.makes_frames(body) and not returns_frames(function):
            self.fields["fs_frames_before"] = "fs_mark fs_frames_before"
            start.append("        fs_own->fs_frames_before = fs_marked(fs_shared->frames);")
            end.append("    fs_release(fs_shared->frames, fs_own->fs_frames_before);")
        tail = [
            "    }",
            *end,
            "    *fs_top = fs_returned(fs_shared->arena, &fs_own->fs_head);",
            *(["fail:"] if any(["goto fail;" in line for line in self.lines]) else []),
            "    return status;",
            "}",
            "",
        ]
        switch = ["    switch (fs_own->fs_head.block) {", "    case 0:;"]
        return "\n".join([*head, *switch, *start, *self.lines, *tail])

    def parameter(self, q: t.Parameter) -> str:
        """A parameter as a local.

        One activation may write where another reads, and C compilers see both in one loop: only what no call changes is
        `restrict`.
        """
        if not q.pointer:
            return f"const {parameter(q)}"
        return parameter(q).replace("*restrict ", "*restrict const " if q.name in self.machine.steady else "*const ")

    def handed_over(self, body: t.Body) -> set[str]:
        """The memory that other activations read or write: it is reached by other pointers, too."""
        cuts = [s for s in walk(body) if isinstance(s, t.Invoke) and self.cuts.is_cut(s)]
        return {place.buffer for s in cuts for place in (*s.arguments, *s.results) if isinstance(place, t.Place)}

    def struct(self) -> str:
        """The records of the function."""
        own = [_field(q) for q in self.own.parameters if q.name not in self.machine.steady]
        fields = "".join([f"    {text};\n" for text in ["fs_record fs_head", *own, *self.fields.values()]])
        return f"typedef struct {{\n{fields}}} fs_record_{self.own.name};\n"

    def invoke(self, s: t.Invoke) -> None:
        """A call; at a cut the end of a block, and the beginning of the next one."""
        if not self.cuts.is_cut(s):
            super().invoke(s)
            return
        self.features.add("calls")
        self.blocks += 1
        arrays = {x.buffer for x in walk(self.own.body) if isinstance(x, t.LocalArray)}
        live = self.cuts.live(s)
        for name in live:
            if name not in self.saved and name not in arrays:
                self.line(f"{self.field(name)[1:]} = {self.e.name(name)};")
        self.saved.update(set(live) - self.changing)
        self.line("{")
        self.depth += 1
        given = {r: self.field(r) for r in s.results if isinstance(r, str)}
        for text in self.machine.made(s.function, "&fs_own->fs_head", self.given_to(s, given)):
            self.line(text)
        self.line(f"fs_own->fs_head.block = {self.blocks};")
        self.line("*fs_top = &fs_called->fs_head;")
        self.line("return 0;")
        self.depth -= 1
        self.line("}")
        self.lines.append("    " * (self.depth - 1) + f"case {self.blocks}:;")
        for name in [*live, *given]:
            is_read = name not in given or self.cuts.is_read(s, name)
            local = self.e.name(name)
            self.line(f"{local} = fs_own->{name};" if is_read else f"(void){local};")
        self.saved.update(given.keys() - self.changing)

    def field(self, name: str) -> str:
        """The place of a name in the record."""
        if name not in self.kinds:  # the entries of a tape move
            raise UnsupportedError("a call of what runs on continuations within an entry of a tape")
        self.fields.setdefault(name, self.kinds[name](name))
        return f"&fs_own->{name}"

    def statement(self, s: t.Statement) -> None:
        """One statement: what is on the C stack elsewhere is in the record."""
        match s:
            case t.Room():
                super().statement(t.Room(s.name, s.type, 0))
            case t.LocalArray(buffer, type_, count):
                element = element_type(type_)
                self.fields[buffer] = f"{element} {buffer}[{count}]"
                self.line(f"{element} *{buffer} = fs_own->{buffer};")
            case _:
                super().statement(s)

    def iteration(self, body: t.Body) -> None:
        """An iteration; what one with cuts takes is given back where the function ends."""
        if self.cuts.are_in(body):
            self.nested(body)
        else:
            super().iteration(body)

    def loop(self, s: t.For) -> None:
        """A loop; one with cuts as it stands."""
        saved = set(self.saved)
        if self.cuts.are_in(s.body):
            self.site(s.site)
            self.line(f"for (int64_t {s.index} = 0; {s.index} < {self.e.write(s.size, 5)}; ++{s.index}) {{")
            self.iteration(s.body)
            self.line("}")
        else:
            super().loop(s)
        self.saved = saved

    def steps_while(self, s: t.While) -> None:
        """A while loop: what its iterations save is saved anew in each."""
        saved = set(self.saved)
        super().steps_while(s)
        self.saved = saved

    def conditional(self, s: t.If) -> None:
        """Behind a branch is saved what each of its arms has saved."""
        before = set(self.saved)
        if not self.cuts.are_in((*s.then, *s.otherwise)):
            super().conditional(s)
            return
        self.line(f"if ({self.e.write(s.condition)}) {{")
        self.nested(s.then)
        then, self.saved = self.saved, set(before)
        self.line("} else {")
        self.nested(s.otherwise)
        self.saved &= then
        self.line("}")


def _field(q: t.Parameter) -> str:
    if q.pointer:
        return parameter(q).replace("*restrict ", "*")
    return f"{element_type(q.type)} {q.name}"


class _Kind:
    """How a name is declared in a record."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self, name: str) -> str:
        return f"{self.text}{name}"


def _kinds(body: t.Body) -> dict[str, _Kind]:
    """The kind of each name."""
    found: dict[str, _Kind] = {}
    for s in walk(body):
        match s:
            case t.Declare(name, type_):
                found[name] = _Kind(f"{element_type(type_)} ")
            case t.For(index):
                found[index] = _Kind(f"{c_type(INT)} ")
            case t.Unpack():
                star = "*" if s.pointer else ""
                found[s.name] = _Kind(f"{'const ' if s.pointer else ''}{element_type(s.type)} {star}")
            case t.Reserve(name) | t.Pack(name):
                found[name] = _Kind("fs_frame ")
            case t.Keep(buffer, type_) | t.Allocate(buffer, type_):
                found[buffer] = _Kind(f"{element_type(type_)} *")
            case t.LocalArray(buffer, type_):
                found[buffer] = _Kind(f"{element_type(type_)} *")
            case t.Choose(pointer, type_):
                found[pointer] = _Kind(f"{element_type(type_)} *")
            case t.Room(name):
                found[name] = _Kind("fs_room ")
            case t.OpenTape(name) | t.Entry(name) | t.SaveRegion(name):
                found[name] = _Kind(f"{c_type(INT)} ")
            case _:
                pass
    return found
