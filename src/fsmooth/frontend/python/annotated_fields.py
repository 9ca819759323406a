"""What the annotations of fields say of arguments that are NamedTuples or dataclasses, or have such in them.

    class Mesh(NamedTuple):
        points: fs.Array["n", 3]
        corners: fs.Array["f", 3, fs.Index["n"]]

The names of sizes are each object's own: two meshes may have different ones.  A program calls those of its argument `mesh`
`"mesh.n"` and `"mesh.f"`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from msgspec import Struct

from fsmooth.core.array_annotation import ArrayAnnotation
from fsmooth.core.build import project
from fsmooth.core.term import Term
from fsmooth.core.trees import labels
from fsmooth.core.types import Tuple, rank_of
from fsmooth.errors import ArgumentError, ArgumentMismatchError
from fsmooth.frontend.annotations import field_annotations
from fsmooth.frontend.lookup import FieldAnnotations, Lookup
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.sizes import length_of


class Annotated(Struct, frozen=True):
    """An argument, or a field of one: what it is called, its value, what it is annotated with, and where that is shown."""

    what: str
    value: Term
    annotation: object
    place: ast.AST


class Scope(Struct, frozen=True):
    """The annotated fields of an object: what it is called, its class, and its sizes by their names."""

    what: str
    owner: str
    annotated: tuple[Annotated, ...]
    names: dict[str, Term]

    def names_outside(self) -> dict[str, Term]:
        """The sizes by their names in the program."""
        return {f"{self.what}.{name}": size for name, size in self.names.items()}


def scopes_of(frame: Frame, what: str, value: Term, place: ast.AST) -> Iterator[Scope]:
    """One for each object of a class with annotated fields in a value; those in arrays and trees are not looked into."""
    type_ = value.type
    if not isinstance(type_, Tuple) or not (type_.record is None or isinstance(type_.record, type)):
        return
    parts = [project(value, k) for k in range(len(type_.items))]
    calls = [what + label for label in labels(type_.record, type_.names, len(parts))]
    if type_.record is not None and type_.names is not None:
        found = _annotations_of(frame, type_.record, place)
        annotated = [
            Annotated(called, part, found[key], place)
            for called, key, part in zip(calls, type_.names, parts, strict=True)
            if isinstance(key, str) and key in found
        ]
        if annotated:
            yield Scope(what, type_.record.__name__, tuple(annotated), named_sizes(frame, annotated))
    for called, part in zip(calls, parts, strict=True):
        yield from scopes_of(frame, called, part, place)


def _annotations_of(frame: Frame, record: type, place: ast.AST) -> dict[str, object]:
    try:
        found = field_annotations(record)
    except ArgumentError as error:
        message, _, hint = str(error).partition("\n  hint: ")
        frame.fail(ArgumentMismatchError, place, f"{record.__name__}: {message}", hint)
    frame.shared.readings.found(Lookup(record, FieldAnnotations()), found)
    return found


def named_sizes(frame: Frame, annotated: Iterable[Annotated]) -> dict[str, Term]:
    """The sizes that have names: each is that of the first of these arrays that is annotated with the name alone."""
    sizes: dict[str, Term] = {}
    for one in annotated:
        if isinstance(one.annotation, ArrayAnnotation):
            for axis, size in enumerate(one.annotation.sizes):
                if isinstance(size, str) and size.strip().isidentifier() and axis < rank_of(one.value.type):
                    sizes.setdefault(size.strip(), length_of(frame, one.value, one.place, axis))
    return sizes
