"""What the parameters of a shipped function are called."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from fsmooth.loops.identifiers import OF_CPP
from fsmooth.loops.workspace import Needs


class Spelling(Struct, frozen=True):
    """What the parameters of a function are called, which C++ has to be able to read too."""

    inputs: dict[str, str]
    results: list[str]
    work: str
    size: str

    def renamed(self, needs: Needs) -> Needs:
        """What a function needs, by these names."""
        return needs.renamed({old: new for old, new in self.inputs.items() if old != new})


def spelled(own: str, inputs: Sequence[str], results: Sequence[str]) -> Spelling:
    """The names of parameters and results of a function, each once, and none that C++ or the function itself has."""
    taken = {own, "error", "status", "shape"}

    def fresh(name: str) -> str:
        while name in taken or name in OF_CPP:
            name += "_"
        taken.add(name)
        return name

    return Spelling({x: fresh(x) for x in inputs}, [fresh(x) for x in results], fresh("work"), fresh("size"))
