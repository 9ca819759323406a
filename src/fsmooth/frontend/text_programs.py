"""Programs that are functions of an F̃ text (`fs.text`).

To what reads programs such a function is a lambda that calls a definition; the definition is the text, and a name in it.
"""

from __future__ import annotations

import inspect
import keyword
import linecache
from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec import Struct

from fsmooth.errors import ArgumentError
from fsmooth.frontend.programs import SourceProgram
from fsmooth.frontend.python.stand_ins import lambda_over


class TextDefinition(Struct, frozen=True):
    """The function `name` of a text, which is in `file`, or is shown under that name."""

    name: str
    text: str
    file: str
    parameters: tuple[str, ...]

    @property
    def __name__(self) -> str:  # noqa: PLW3201  (what messages call it)
        return self.name


@dataclass(frozen=True, eq=False)
class TextProgram(SourceProgram):
    """A function of a text."""

    definition: TextDefinition = field(kw_only=True)

    @property
    def name(self) -> str:
        """The name in the text."""
        return self.definition.name

    def __reduce__(self) -> tuple[Callable[..., SourceProgram], tuple[object, ...]]:
        """Pickled as its text."""
        return program_of, (self.definition,)


def definition_of(function: Callable[..., object]) -> TextDefinition | None:
    """The definition that a lambda calls, if it is a program of a text."""
    known: dict[str, object] = getattr(function, "__globals__", {})
    found = [value for value in known.values() if isinstance(value, TextDefinition)]
    return found[0] if len(found) == 1 and known.get("__name__") == __name__ else None


def program_of(definition: TextDefinition) -> TextProgram:
    """The program that a definition is.

    Raises:
        ArgumentError: for parameters that Python would not tell apart.

    """
    names = [_in_python(name) for name in definition.parameters]
    if len(set(names)) < len(names):
        raise ArgumentError(
            f"{definition.name}: two of its parameters are called {', '.join(definition.parameters)}\n  hint: name them apart"
        )
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    if definition.text and definition.file.startswith("<"):
        lines = definition.text.splitlines(keepends=True)
        linecache.cache[definition.file] = (len(definition.text), None, lines, definition.file)
    callee = _in_python(definition.name)
    while callee in names:
        callee += "_"
    function = lambda_over(signature, callee, {callee: definition, "__name__": __name__})
    return TextProgram(function, definition=definition)


def _in_python(name: str) -> str:
    """A name of a text as Python can say it: `x'` is x_, `lambda` is lambda_."""
    name = name.replace("'", "_")
    return f"{name}_" if keyword.iskeyword(name) else name
