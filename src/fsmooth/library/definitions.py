"""The definitions of M̃, from the `.ft` files beside this module, each parsed when it is first used."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from fsmooth.frontend.text import tree
from fsmooth.frontend.text.parse import body_of
from fsmooth.frontend.text.parser import parse_tree
from fsmooth.frontend.text.values import Closure

_HERE = Path(__file__).parent
_DEFINITION = re.compile(r"^let (\w+) =", re.MULTILINE)


@cache
def sources() -> dict[str, str]:
    """The text of each definition, by name."""
    found: dict[str, str] = {}
    for path in sorted(_HERE.glob("*.ft")):
        text = path.read_text(encoding="utf-8")
        starts = [m.start() for m in _DEFINITION.finditer(text)]
        for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
            match = _DEFINITION.match(text, start)
            assert match is not None
            found[match[1]] = text[start:end]
    return found


@cache
def definition(name: str) -> Closure | None:
    """The function `name` of M̃, or None."""
    text = sources().get(name)
    if text is None:
        return None
    function = body_of(parse_tree(text))
    assert isinstance(function, tree.Fun), name
    return Closure(function, {}, text, name)


@cache
def scalar_names() -> frozenset[str]:
    """The names defined in `scalar.ft`: functions of numbers."""
    text = (_HERE / "scalar.ft").read_text(encoding="utf-8")
    return frozenset(_DEFINITION.findall(text))
