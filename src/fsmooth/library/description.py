"""What `help` says of a function of M̃: its definition in F̃, or which definition serves which ranks."""

from __future__ import annotations

import textwrap

from fsmooth.core import primitives as p
from fsmooth.library.axes import AXIS_NAMES, KEEPING
from fsmooth.library.definitions import scalar_names, sources
from fsmooth.library.dispatch import BY_RANK, SPECIAL
from fsmooth.library.elementwise import ALIASES


def description(name: str) -> str:
    """The docstring of the library function `name`.

    >>> print(description("vectorDot"))
    vectorDot of M̃ (paper 000, Fig. 4), in F̃:
    <BLANKLINE>
        let vectorDot = fun v1 v2 ->
          require length v1 == length v2 in
          sum (length v1) (fun i -> v1[i] × v2[i])

    """
    if name in BY_RANK:
        ranks = BY_RANK[name].items()
        parts = [f"for rank{'s' * (len(rs) > 1)} {' and '.join(map(str, rs))}:\n\n{_text(d)}" for rs, d in ranks]
        return "\n\n".join([f"{name}, by the ranks of its arguments{_axis(name)};", *parts])
    if name in SPECIAL:
        return f"{name} as in NumPy, of arrays of any rank{_axis(name)} (docs/reference/library.md)."
    known = ALIASES.get(name, name)
    if known in p.TABLE:
        return (
            f"{name} of numbers, and of arrays of any rank element by element: a primitive (fsmooth.core.primitives)."
        )
    if known in scalar_names():
        return f"{name} of numbers, and of arrays of any rank element by element, in F̃:\n\n{_text(known)}"
    return f"{name} of M̃ (paper 000, Fig. 4), in F̃:\n\n{_text(name)}"


def _axis(name: str) -> str:
    if name not in AXIS_NAMES:
        return ""
    return ", `axis=` the last" if name in KEEPING else ", `axis=` for one axis"


def _text(name: str) -> str:
    lines = sources()[name].split("\n#")[0]  # a comment after it belongs to the next one
    return textwrap.indent(lines.strip(), "    ")
