"""The C of frames: what is side by side in one, how much memory it takes, and where it is given back.

Frames have an arena of their own, which they fill without gaps.  Memory is given back where no frame leaves: at the end of a
function that returns none, and of an iteration of a loop that stores none outside.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.backend.c.names import element_type
from fsmooth.core.types import Data
from fsmooth.loops import tree as t
from fsmooth.loops.identifiers import identifier
from fsmooth.loops.usage import declared, walk

FRAMES = """\
/* What is kept until it is read is side by side in an arena of its own. */
static inline void *fs_frame_of(fs_arena *arena, size_t size) {
    if ((size_t)(arena->current->end - arena->free) < size && !fs_next_segment(arena, size)) return NULL;
    char *taken = arena->free;
    arena->free += size;
    return taken;
}
"""

REFERENCE = "typedef const void *fs_frame;\n"


class Structs:
    """The structs of a translation unit, by what is in them."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.names: dict[t.Layout, str] = {}

    def name(self, layout: t.Layout) -> str:
        """The struct for a layout."""
        found = self.names.get(layout)
        if found is None:
            wanted = found = identifier(f"{self.prefix}_{layout.data!r}_{layout.number}")
            while found in self.names.values():
                found = f"{wanted}_{len(self.names)}"
            self.names[layout] = found
        return found

    def text(self) -> str:
        """Their definitions."""
        texts = []
        for layout, name in self.names.items():
            fields = [f"    {_field(slot, k)};\n" for k, slot in enumerate(layout.slots)]
            texts.append(f"typedef struct {{\n{''.join(fields)}}} {name};\n")
        return "".join(texts)


def _field(slot: t.Slot, k: int) -> str:
    return f"const {element_type(slot.type)} *x{k}" if slot.pointer else f"{element_type(slot.type)} x{k}"


def uses_frames(functions: Sequence[t.Function]) -> bool:
    """Are there frames in the program?"""
    return any([isinstance(s, t.Pack) for f in functions for s in walk(f.body)])


def makes_frames(body: Sequence[t.Statement], returning: frozenset[str]) -> bool:
    """Are frames made, here or in a function that returns some, which are the `returning`?"""
    return any(
        [
            isinstance(s, t.Reserve | t.Pack | t.Keep) or (isinstance(s, t.Invoke) and s.function in returning)
            for s in walk(body)
        ]
    )


def returns_frames(function: t.Function) -> bool:
    """Is there a frame among its results?"""
    return any([q.output and isinstance(q.type, Data) for q in function.parameters])


def leave(body: Sequence[t.Statement]) -> bool:
    """Does a frame go to what was there before?"""
    own = {name for s in walk(body) for name in declared(s)}
    return any([_leaves(s, own) for s in walk(body)])


def _leaves(s: t.Statement, own: set[str]) -> bool:
    match s:
        case t.Assign(name, value):
            return isinstance(value.type, Data) and name not in own
        case t.Store(buffer, _, value):
            return isinstance(value.type, Data) and buffer not in own
        case t.Copy():
            return isinstance(s.type, Data) and s.target not in own
        case t.Swap():
            return isinstance(s.type, Data)
        case t.Choose():
            return isinstance(s.type, Data)
        case t.Block():
            return any([isinstance(output.type, Data) for output in s.outputs])
        case t.Invoke():
            return any([(r.buffer if isinstance(r, t.Place) else r) not in own for r in s.frames])
        case _:
            return False
