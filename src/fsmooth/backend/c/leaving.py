"""How functions that call one another return, and how they are left where something fails.

A function gives its first number by value, as C functions do; what else it gives goes where it is told.  Where something
fails, the call of the kernel is left at once (`longjmp`), so that no call asks whether the one before it failed: all memory
is of the kernel's, which gives it back.  Machines (continuations) have no C calls to return from, and report failures instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

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
    """For each function that returns a number by value, its position among the results, and the output that it is."""

    positions: dict[str, int]
    outputs: dict[str, str]

    @staticmethod
    def of(program: t.Program) -> Returned:
        """Of all calls of a function the same result goes to a local, and is not added to what is there."""
        functions = (*program.definitions, program.kernel, *([] if program.shape is None else [program.shape]))
        calls = [s for f in functions for s in walk(f.body) if isinstance(s, t.Invoke)]
        positions: dict[str, int] = {}
        outputs: dict[str, str] = {}
        for f in program.definitions:
            own = [s for s in calls if s.function == f.name]
            names = [q.name for q in f.parameters if q.output]
            found = next((k for k in range(len(names)) if own and all([_is_number(s, k) for s in own])), None)
            if found is not None:
                positions[f.name], outputs[f.name] = found, names[found]
        return Returned(positions, outputs)

    def given(self, s: t.Invoke) -> tuple[str | None, Sequence[str | t.Place]]:
        """The local that a call gives a number to by value, and where its other results go."""
        k = self.positions.get(s.function)
        if k is None:
            return None, s.results
        name = s.results[k]
        assert isinstance(name, str)
        return name, (*s.results[:k], *s.results[k + 1 :])


def _is_number(s: t.Invoke, k: int) -> bool:
    return isinstance(s.results[k], str) and not s.added[k] and s.results[k] not in s.frames
