"""Many functions in one translation unit, with a header: what is shipped (decision 40).

Each program is a static function as it is, its kernel, and one that others call: that one tests the sizes that are built in,
opens the memory that it is handed, and says where in the library a failure is.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from fsmooth.backend.c import batches, blas, workspaces
from fsmooth.backend.c import messages as m
from fsmooth.backend.c.built_in import named
from fsmooth.backend.c.callers_memory import NAME
from fsmooth.backend.c.dialect import MACROS, shipped
from fsmooth.backend.c.emit import Written, write
from fsmooth.backend.c.expressions import ExpressionWriter
from fsmooth.backend.c.helpers import GNU
from fsmooth.backend.c.names import c_type, comment, element_type
from fsmooth.backend.c.parallel import PROTOTYPE, SETTER
from fsmooth.backend.c.plain import plain
from fsmooth.backend.c.prelude import headed
from fsmooth.backend.c.products import blas_setter
from fsmooth.backend.c.shipped_names import spelled
from fsmooth.backend.c.signature import laid_out
from fsmooth.core.integers import FARTHEST
from fsmooth.core.term import NOWHERE
from fsmooth.core.types import INT
from fsmooth.loops import tree as t
from fsmooth.loops.forms import Extent, Form, Profile
from fsmooth.loops.lifetimes import with_shared_memory
from fsmooth.loops.memory import Memory
from fsmooth.loops.workspace import Needs, Reason, Unbounded, needs_of


class Shipped(Struct):
    """A function of a library: its name in C, its program, whose name ends in `KERNEL`, the sizes that are built in, what its
    results are called, and what its comment says.
    """

    name: str
    program: t.Program
    static_sizes: dict[tuple[int, int], int]
    results: Sequence[str]
    comment: Sequence[str]


class Failed(Exception):
    """Nobody can say how much memory the function of this name takes."""

    def __init__(self, name: str, why: Unbounded) -> None:
        super().__init__(name)
        self.name, self.why = name, why


KERNEL = "_kernel"


def library(name: str, functions: Sequence[Shipped], form: Form, title: str, header: str) -> tuple[str, str]:
    """The C, which includes the `header` of this name, and the header, whose first comment says the `title`.

    Raises:
        Failed: if the caller has to know how much memory a function takes, and nobody can say.

    """
    expressions, memory = ExpressionWriter(), form.memory
    entries = [_Entry(f, form, expressions) for f in functions]
    messages = [message for e in entries for message in e.own_messages()]
    first = 0
    for e in entries:
        e.first = first
        first += len(e.own_messages())
    features = set[str]().union(*[e.written.features for e in entries])
    takes = [e for e in entries if e.work is not None]
    products = workspaces.PRODUCTS if any([e.needs.packed for e in takes]) else ""
    others = PROTOTYPE.replace("NAME", name) if "parallel" in features else ""
    hands_blas = blas_setter(features) if memory is Memory.HEAP else ""
    others += blas.PROTOTYPE.replace("NAME", name) if hands_blas else ""
    declared = _header(name, title, entries, form, (workspaces.MACROS + products) if takes else "", others)
    too_little = "not enough memory"
    if memory is Memory.CALLER:
        too_little = "the workspace is too small: the numbers are its bytes, and how many it needs"
    body = [
        m.FAILING,
        workspaces.FUNCTIONS if takes else "",
        *[e.written.source + "\n" + e.text() for e in entries],
        SETTER.replace("NAME", name) if "parallel" in features else "",
        hands_blas.replace("NAME", name),
        m.table(name, messages, too_little),
    ]
    parts = [
        GNU if "shared" in features else "",  # before anything is included
        f'#include "{header}.h"',
        MACROS,
        shipped(headed("\n".join([part for part in body if part]), expressions, features, memory)),
    ]
    text = "\n".join([part for part in parts if part])
    return plain(text) if form.profile is Profile.PLAIN else text, declared


class _Entry:
    """One function, as it is written: `needs` is what it takes, `work` what says so in C, if the caller hands memory in."""

    def __init__(self, function: Shipped, form: Form, expressions: ExpressionWriter) -> None:
        self.function, self.name, memory = function, function.name, form.memory
        main, _ = with_shared_memory(function.program.kernel)
        self.functions = [main] if function.program.shape is None else [main, function.program.shape]
        self.needs = Needs((), ())
        if memory is Memory.CALLER:
            self.functions, self.needs = _bounded(self.name, function.program, self.functions)
        self.is_handed = not self.needs.is_nothing
        if form.profile is Profile.PLAIN:
            self.needs = Needs(self.needs.taken, ())  # products of matrices copy nothing without vectors
        self.written: Written = write(function.program, self.functions, expressions, memory, "static ")
        self.first = 0
        self.built_in = named(function.program, function.static_sizes)
        self.inputs = [q for q in main.parameters if not q.output]
        outputs = [q for q in main.parameters if q.output]
        self.spelled = spelled(self.name, [q.name for q in self.inputs], function.results)
        self.outputs = list(zip(outputs, self.spelled.results, strict=True))
        self.refused = self._refused(main.facts.lengths)
        used = workspaces.sizes_in(self.needs)
        self.sizes = [q.name for q in self.inputs if q.name in main.facts.lengths or q.name in used]
        self.work = memory if memory is Memory.CALLER else None
        self.many = self._many(main.facts.lengths) if form.extent is Extent.MANY else None

    def own_messages(self) -> list[m.Message]:
        """Of its sites, then of the sizes that are built in."""
        found = [m.Message(m.text_of(failure, site), site) for failure, site in self.function.program.sites]
        found += [m.Message(f"{self.name}: {x.name} {x.said}", NOWHERE) for x in self.refused]
        if self.many is not None:
            found.append(m.Message(f"{self.name}{batches.SUFFIX}: how many elements there are is below zero", NOWHERE))
        return found

    def _many(self, lengths: frozenset[str]) -> batches.Many:
        """The function that does it for many elements."""
        inputs = [(q, self.spelled.inputs[q.name]) for q in self.inputs]
        sizes = frozenset([name for q, name in inputs if q.name in lengths])
        workspace = [] if self.work is None else [self.spelled.work, self.spelled.size]
        return batches.Many(self.name, inputs, sizes, self.outputs, workspace)

    def _refused(self, lengths: frozenset[str]) -> list[_Refused]:
        """Sizes that no caller may give, which Python never gives."""
        found = []
        for q in self.inputs:
            own = self.spelled.inputs[q.name]
            if q.name in self.built_in:
                n = self.built_in[q.name]
                found.append(_Refused(own, f"{own} != {n}", n, f"is not {n}, which is built in"))
            elif q.name in lengths:
                found.append(_Refused(own, f"{own} < 0", 0, "is below zero"))
            elif not q.pointer and q.type == INT and q.name in self.function.program.deciding:
                far = f"{own} < -INT64_C({FARTHEST}) || {own} > INT64_C({FARTHEST})"
                found.append(_Refused(own, far, FARTHEST, "is too far from zero: sizes are computed from it"))
        return found

    def prototype(self) -> str:
        """What others call."""
        parts = [*self.given(), *[f"{element_type(q.type)} *{name}" for q, name in self.outputs]]
        if self.work is not None:
            parts += [f"void *{self.spelled.work}", f"size_t {self.spelled.size}"]
        return laid_out(f"int32_t {self.name}", [*parts, "fs_error *error"])

    def shape_prototype(self) -> str | None:
        """The sizes of its results."""
        if self.function.program.shape is None:
            return None
        return laid_out(f"int32_t {self.name}_shape", [*self.given(), "int64_t *shape", "fs_error *error"])

    def given(self) -> list[str]:
        """The parameters that it reads."""
        spell = self.spelled.inputs
        return [
            f"const {element_type(q.type)} *{spell[q.name]}" if q.pointer else f"{c_type(q.type)} {spell[q.name]}"
            for q in self.inputs
        ]

    def text(self) -> str:
        """The functions that others call."""
        spell = self.spelled
        texts = []
        inputs = [spell.inputs[q.name] for q in self.inputs]
        kernel = self.function.program.kernel.name
        shape = self.shape_prototype()
        if self.work is not None:
            sizes = [spell.inputs[x] for x in self.sizes]
            texts.append(workspaces.function(self.name, sizes, spell.renamed(self.needs)))
        opened: list[str] = []
        arguments = [*inputs, *[name for _, name in self.outputs]]
        failing = [
            f"    const int32_t site = status == FS_ERROR_RUN ? error->site + {self.first} : -1;",
            "    return fs_refused(error, status, site, error->numbers[0], error->numbers[1]);",
        ]
        if self.work is not None and self.is_handed:
            opened = [f"    fs_arena {NAME};", f"    fs_open(&{NAME}, {spell.work}, {spell.size});"]
            arguments.append(f"&{NAME}")
            needed = f"(int64_t){self.name}_work({', '.join(sizes)})"
            failing = [
                "    if (status == FS_ERROR_MEMORY)",
                f"        return fs_refused(error, FS_ERROR_MEMORY, -1, (int64_t){spell.size}, {needed});",
                *failing,
            ]
        elif self.work is not None:
            opened = [f"    (void){spell.work}, (void){spell.size};"]
        texts.append(self.wrapper(self.prototype(), kernel, arguments, opened, failing))
        if shape is not None:
            texts.append(self.wrapper(shape, f"{kernel}_shape", [*inputs, "shape"], [], failing[-2:]))
        if self.many is not None:
            texts.append(self.many.text(self.first + len(self.own_messages()) - 1))
        return "\n".join(texts)

    def wrapper(
        self, prototype: str, kernel: str, arguments: Sequence[str], opened: Sequence[str], failing: Sequence[str]
    ) -> str:
        first = self.first + len(self.function.program.sites)
        lines = [f"{prototype} {{", "    fs_error fs_own;", "    if (!error) error = &fs_own;"]
        lines.append("    *error = (fs_error){-1, FS_OK, {0, 0}};")
        for k, x in enumerate(self.refused):
            said = f"FS_ERROR_SIZE, {first + k}, {x.name}, INT64_C({x.number})"
            lines.append(f"    if ({x.condition}) return fs_refused(error, {said});")
        lines += opened
        lines.append(f"    const int32_t status = {kernel}({', '.join([*arguments, 'error'])});")
        return "\n".join([*lines, "    if (!status) return FS_OK;", *failing, "}", ""])

    def header(self) -> str:
        """Its comment and what others call."""
        lines = [f" * {comment(line)}" for line in self.function.comment]
        if self.work is not None and self.needs.is_nothing:
            lines.append(f" * Workspace: none; {self.spelled.work} may be NULL.")
        parts = ["/*" + "\n".join(lines)[2:] + " */"]
        sizes = [self.spelled.inputs[x] for x in self.sizes]
        if self.work is not None:
            needs = self.spelled.renamed(self.needs)
            parts += [f"{workspaces.prototype(self.name, sizes)};", workspaces.macro(self.name, sizes, needs).rstrip()]
        shape = self.shape_prototype()
        parts += [f"{self.prototype()};"] + ([] if shape is None else [f"{shape};"])
        parts += [] if self.many is None else [f"{self.many.prototype()};"]
        return "\n".join(parts) + "\n"


class _Refused(Struct, frozen=True):
    """A size that is refused on a condition: its name, a number to compare it with, and what is said."""

    name: str
    condition: str
    number: int
    said: str


def _bounded(name: str, program: t.Program, functions: Sequence[t.Function]) -> tuple[list[t.Function], Needs]:
    try:
        if program.definitions:
            raise Unbounded(Reason.CALLS)
        main, needs = needs_of(functions[0])
        for other in functions[1:]:
            if not needs_of(other)[1].is_nothing:
                raise Unbounded(Reason.SHAPE)
    except Unbounded as why:
        raise Failed(name, why) from why
    return [main, *functions[1:]], needs


def _header(name: str, title: str, entries: Sequence[_Entry], form: Form, macros: str, others: str) -> str:
    guard = f"{name.upper()}_H"
    how = (
        "no globals, no allocation, no input or output"
        if form.memory is Memory.CALLER
        else "memory is malloc's, and kept for the next call"
    )
    parts = [
        f"/* {comment(title)}  C99, libm only.  Re-entrant: {how}.",
        " * An array is a pointer to its elements, one row after the other, and its sizes.",
        " * Results come after the arguments, and overlap none.",
        *(_WORKSPACE if form.memory is Memory.CALLER else ()),
        *(batches.ABOUT if form.extent is Extent.MANY else ()),
        " * Functions return FS_OK or what went wrong, of which *error says more; error may be NULL. */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "#include <stdbool.h>",
        "#include <stddef.h>",
        "#include <stdint.h>",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        f"#define {name.upper()}_ABI 1",
        m.STATUS.rstrip(),
        *([macros.rstrip()] if macros else []),
        "",
        *[e.header() for e in entries],
        *([others.rstrip()] if others else []),
        "#ifndef FS_NO_TEXT",
        '/* What went wrong, and the place in the program, if there is one: "" and 0 else. */',
        f"{m.prototype(name)};",
        "#endif",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "#endif",
        "",
    ]
    return "\n".join(parts)


_WORKSPACE = (
    " * work is memory for one call at a time, anywhere and of any content, of the size in bytes that NAME_work gives, or for",
    " * constants the macro NAME_WORK; a call that needs more than it is given is FS_ERROR_MEMORY.",
)
