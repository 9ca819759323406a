"""What the parameters of a shipped function are called."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from fsmooth.loops.workspace import Needs

_OF_CPP = frozenset(
    """
    alignas alignof catch char16_t char32_t class compl concept constexpr decltype delete explicit export friend mutable
    namespace new noexcept nullptr operator private protected public requires static_assert template this thread_local
    throw try typeid typename using virtual wchar_t
    """.split()
)
"""Words of C++ that are names in C."""


class Spelling(Struct, frozen=True):
    """What the parameters of a function are called, which C++ has to be able to read too."""

    inputs: dict[str, str]
    results: list[str]
    work: str
    size: str

    def renamed(self, needs: Needs) -> Needs:
        """What a function needs, by these names."""
        return needs.renamed({old: new for old, new in self.inputs.items() if old != new})


def spelled(inputs: Sequence[str], results: Sequence[str]) -> Spelling:
    """The names of parameters and results, each once, and none that C++ or the function itself has."""
    taken = {"error", "status", "shape"}

    def fresh(name: str) -> str:
        while name in taken or name in _OF_CPP:
            name += "_"
        taken.add(name)
        return name

    return Spelling({x: fresh(x) for x in inputs}, [fresh(x) for x in results], fresh("work"), fresh("size"))
