"""NAME_many: a function of a library for many elements, each of which is so far from the one before it as a stride says.

What is a pointer goes on by its stride, numbers are pointers with strides, and sizes are the same for all elements.  It ends at
the first element that fails, and says which that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from fsmooth.backend.c.names import element_type
from fsmooth.backend.c.signature import laid_out
from fsmooth.loops import tree as t

SUFFIX = "_many"

ABOUT = (
    " * NAME_many does NAME for count elements, one after the other.  A stride is by how many numbers the next element is",
    " * further on: 0 where all share what is given, and results of stride 0 are those of the last.  Sizes are the same for all,",
    " * numbers are pointers with strides, too, and one workspace, large enough for each, does for all.  It ends at the first",
    " * that fails: *done is how many were done, so the index of the one that failed; done may be NULL.",
)
"""What the header says of all of them."""


class Many(Struct, frozen=True):
    """A function, with what its parameters are called: `shared` are the names of sizes, `memory` those of its workspace."""

    name: str
    inputs: Sequence[tuple[t.Parameter, str]]
    shared: frozenset[str]
    outputs: Sequence[tuple[t.Parameter, str]]
    memory: Sequence[str]

    def prototype(self) -> str:
        """What others call."""
        count, done, strides = self._own_names()
        parts = [f"int64_t {count}"]
        for q, name in [*self.inputs, *self.outputs]:
            if name in self.shared:
                parts.append(f"int64_t {name}")
            else:
                const = "" if q.output else "const "
                parts += [f"{const}{element_type(q.type)} *{name}", f"int64_t {strides[name]}"]
        if self.memory:
            work, size = self.memory
            parts += [f"void *{work}", f"size_t {size}"]
        return laid_out(f"int32_t {self.name}{SUFFIX}", [*parts, f"int64_t *{done}", "fs_error *error"])

    def text(self, site: int) -> str:
        """The function; `site` is that of a count below zero."""
        count, done, _ = self._own_names()
        call = laid_out(f"        fs_status_of = {self.name}", [*self._elements(), *self.memory, "error"])
        return f"""\
{self.prototype()} {{
    fs_error fs_own;
    int64_t fs_k = 0;
    int32_t fs_status_of = FS_OK;
    if (!error) error = &fs_own;
    if ({done}) *{done} = 0;
    if ({count} < 0) return fs_refused(error, FS_ERROR_SIZE, {site}, {count}, 0);
    *error = (fs_error){{-1, FS_OK, {{0, 0}}}};
    while (fs_k < {count}) {{
{call};
        if (fs_status_of) break;
        ++fs_k;
    }}
    if ({done}) *{done} = fs_k;
    return fs_status_of;
}}
"""

    def _elements(self) -> Iterator[str]:
        """What the function is given for an element."""
        _, _, strides = self._own_names()
        for q, name in [*self.inputs, *self.outputs]:
            if name in self.shared:
                yield name
            elif q.pointer:
                yield f"{name} + fs_k * {strides[name]}"
            else:
                yield f"{name}[fs_k * {strides[name]}]"

    def _own_names(self) -> tuple[str, str, dict[str, str]]:
        """Of the count, of how many were done, and of the stride of each parameter."""
        names = [name for _, name in [*self.inputs, *self.outputs]]
        taken = {*names, *self.memory, "error"}

        def fresh(name: str) -> str:
            while name in taken:
                name += "_"
            taken.add(name)
            return name

        count, done = fresh("count"), fresh("done")
        return count, done, {name: fresh(f"{name}_stride") for name in names if name not in self.shared}
