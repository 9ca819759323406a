"""How functions that call one another return, and how they are left where something fails.

A function gives its first number by value, as C functions do, or its first two, which processors return in registers, as a
struct; what else it gives goes where it is told.  Where something
fails, the call of the kernel is left at once (`longjmp`), so that no call asks whether the one before it failed: all memory
is of the kernel's, which gives it back.  Machines (continuations) have no C calls to return from, and report failures instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from fsmooth.backend.c.names import element_type
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk

LEAVING = """\
#include <setjmp.h>
/* The way out of all calls: what fails leaves by it. */
typedef struct fs_exit {
    jmp_buf place;
    int32_t status;
} fs_exit;

#if defined(__GNUC__)
#define FS_APART __attribute__((noinline))
__attribute__((cold, noreturn))
#else
#define FS_APART
#endif
static void fs_leave(fs_exit *out, int32_t status) {
    out->status = status;
    longjmp(out->place, 1);
}
"""


class Returned(Struct, frozen=True):
    """For each function that returns numbers or frames by value, their positions among its results, the outputs that they are,
    and the types of both if they are two.
    """

    positions: dict[str, tuple[int, ...]]
    outputs: dict[str, tuple[str, ...]]
    pairs: dict[str, tuple[str, str]]

    @staticmethod
    def of(program: t.Program) -> Returned:
        """Of all calls of a function the same results go to locals, and are not added to what is there."""
        functions = (*program.definitions, program.kernel, *([] if program.shape is None else [program.shape]))
        calls = [s for f in functions for s in walk(f.body) if isinstance(s, t.Invoke)]
        made = Returned({}, {}, {})
        for f in program.definitions:
            own = [s for s in calls if s.function == f.name]
            results = [q for q in f.parameters if q.output]
            found = [k for k in range(len(results)) if own and all([_is_local(s, k) for s in own])]
            kinds = [element_type(results[k].type) for k in found[:2]]
            if len(kinds) == 2 and all([kind in _IN_REGISTERS for kind in kinds]):
                made.pairs[f.name] = (kinds[0], kinds[1])
            else:
                found = found[:1]
            if found:
                made.positions[f.name] = tuple(found[:2])
                made.outputs[f.name] = tuple([results[k].name for k in found[:2]])
        return made

    def given(self, s: t.Invoke) -> tuple[Sequence[str], Sequence[str | t.Place]]:
        """The locals that a call gives numbers to by value, and where its other results go."""
        positions = self.positions.get(s.function, ())
        names = [r for k, r in enumerate(s.results) if k in positions and isinstance(r, str)]
        return names, [r for k, r in enumerate(s.results) if k not in positions]

    def kind(self, function: str) -> str | None:
        """The C type of what a function returns, unless that is one number."""
        if function in self.pairs:
            return _name(self.pairs[function])
        return None if function in self.outputs else "void"

    def text(self) -> str:
        """The structs of two, each once in a file of many programs."""
        return "".join([_struct(pair) for pair in sorted(set(self.pairs.values()))])


def _struct(pair: tuple[str, str]) -> str:
    name = _name(pair)
    guard = name.upper()
    fields = "".join([f"    {kind} x{k};\n" for k, kind in enumerate(pair)])
    return f"#ifndef {guard}\n#define {guard}\ntypedef struct {{\n{fields}}} {name};\n#endif\n"


_IN_REGISTERS = ("double", "int64_t", "fs_frame")


def _name(pair: tuple[str, str]) -> str:
    return f"fs_{'_'.join([kind.removeprefix('fs_').removesuffix('_t') for kind in pair])}"


def _is_local(s: t.Invoke, k: int) -> bool:
    return isinstance(s.results[k], str) and not s.added[k]
