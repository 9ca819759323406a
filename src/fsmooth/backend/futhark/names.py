"""Names of Futhark for ours: no reserved word, nothing of Futhark's own prelude, nothing of ours, each given once."""

from __future__ import annotations

import re
from collections.abc import Iterable

RESERVED = frozenset(
    "true false if then else def let loop in val for do with local open include import type entry module while assert match case"
    " i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 bool"
    " map map1 map2 map3 map4 map5 reduce reduce_comm reduce_by_index hist scan scatter spread filter partition all any"
    " tabulate tabulate_2d tabulate_3d replicate rep iota indices copy manifest length zip zip2 zip3 unzip unzip2 and or id"
    " const flip curry uncurry vjp jvp vjp2 jvp2 grad hess neg sized flatten unflatten transpose rotate reverse head last"
    " tail init take drop split concat null foldl foldr iterate opaque trace break intrinsics exscan main".split()
)
"""Words of Futhark, and names of its prelude that a program should not hide."""


class Names:
    """Which names of Futhark are taken, by others and by parameters."""

    def __init__(self, taken: Iterable[str], parameters: Iterable[str] = ()) -> None:
        self._taken = set(RESERVED) | set(taken)
        self._parameters = frozenset(parameters)

    def fresh(self, wanted: str) -> str:
        """`wanted`, or the first of `wanted_1`, `wanted_2`, … that is free.

        >>> names = Names([])
        >>> names.fresh("loop"), names.fresh("x"), names.fresh("x"), names.fresh("σ'")
        ('loop_1', 'x', 'x_1', 'u3c3_')
        """
        name = spelled(wanted)
        count = 0
        while name in self._taken:
            count += 1
            name = f"{spelled(wanted)}_{count}"
        self._taken.add(name)
        return name

    def fresh_size(self) -> str:
        """A name for a size: n, m, k, l, then size, size_1, …; never that of a parameter.

        >>> Names(["n"]).fresh_size()
        'm'
        """
        free = [name for name in "nmkl" if name not in self._taken | self._parameters]
        return self.fresh(free[0] if free else "size")


def spelled(name: str) -> str:
    """`name` in the letters that Futhark's names are made of."""
    ascii_only = "".join([c if c.isascii() else f"u{ord(c):x}" for c in name])
    text = re.sub(r"[^A-Za-z0-9_]", "_", ascii_only)
    return text if re.match(r"[A-Za-z]", text) else f"x{text}"
