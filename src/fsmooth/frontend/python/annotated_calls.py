"""What the annotations of a function say where a program calls it, as arrays and as indices.

    def slopes(x: fs.Array["n"], y: fs.Array["n"], at: fs.Array["m", fs.Index["n"]]) -> fs.Array["m"]: ...

The names of sizes are the called function's own, and stand for the sizes of what it is given.  What is not known of these to be
equal, or of integers to be indices, is required before the body of the function, so that it is known there: of arguments of the
program before it begins, of what the program computes at the call.  Functions inside others know the sizes that have names around
them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from fsmooth.core.array_annotation import ArrayAnnotation, IndexAnnotation
from fsmooth.core.build import equals
from fsmooth.core.element_ranges import is_index
from fsmooth.core.signs import at_least_zero
from fsmooth.core.term import Annotated as AtAnnotation
from fsmooth.core.term import Check, Const, Failure, Require, Site, Term
from fsmooth.core.types import F64, INT, array_of, leaf_of, rank_of
from fsmooth.errors import ArgumentError, ArgumentMismatchError, ConstantIndexError
from fsmooth.frontend.lookup import InnerAnnotation, Lookup
from fsmooth.frontend.python.annotated import (
    RESULT,
    Names,
    annotations_read,
    fitting_required,
    fitting_result,
    is_required,
    places_required,
    require_type,
    said,
    written_size,
)
from fsmooth.frontend.python.annotated_fields import Annotated, named_sizes, scopes_of
from fsmooth.frontend.python.claims import under
from fsmooth.frontend.python.conversion import convert
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.sizes import equal_sizes, if_equal, length_of
from fsmooth.frontend.python.values import Keyed, Value

_SIZES = "_sizes"
"""Under this name a frame has the sizes that annotations name, for the functions that are defined in it."""


class _Call(Struct, frozen=True):
    """A call of an annotated function: its frame, the sizes that its annotations name, and where it is, if that is known."""

    frame: Frame
    name: str
    sizes: Mapping[str, Term]
    outside: Frame
    node: ast.AST | None

    def place(self, one: Annotated) -> ast.AST:
        """Where an argument is shown, in the frame `outside`."""
        return one.place if self.node is None else self.node

    def site(self, one: Annotated) -> Site:
        """The same, with what the argument is called."""
        return self.outside.site(self.place(one), f"{one.what} of {self.name}")

    def size(self, size: int | str, one: Annotated) -> Term:
        """A size of an annotation."""
        return written_size(self.frame, size, Names(self.sizes), one.place)


def annotated_call(
    frame: Frame, definition: ast.FunctionDef, body: Callable[[], Value], call: tuple[Frame, ast.AST] | None = None
) -> Value:
    """The value of a function's body in its frame, which has the arguments: what is required of these comes before it.

    `call` is where the function is called; without, what is wrong is shown at its parameters.
    """
    annotations = _annotations(frame, definition)
    if not annotations:
        return body()
    places = {a.arg: a for a in ast.walk(definition.args) if isinstance(a, ast.arg)}
    values = [(q, v) for q in places if isinstance(v := frame.names.get(q), Term)]
    arguments = [Annotated(q, value, annotations[q], places[q]) for q, value in values if q in annotations]
    outside, node = (frame, None) if call is None else call
    for one in arguments:
        what, place = f"{one.what} of {definition.name}", one.place if node is None else node
        require_type(outside, what, one.annotation, one.value.type, place)
    scopes = [scope for q, value in values for scope in scopes_of(frame, q, value, places[q])]
    sizes = {name: size for scope in scopes for name, size in scope.names_outside().items()}
    sizes = {name: at_least_zero(size) for name, size in (sizes | named_sizes(frame, arguments)).items()}
    sizes = _sizes_around(frame, definition) | sizes
    name_sizes(frame, definition, sizes)
    made = _Call(frame, definition.name, sizes, outside, node)
    required = [r for one in arguments for r in _sizes_required(made, one)]
    required += [r for one in arguments for r in _places_required(made, one)]
    for one in arguments:
        frame.names[one.what] = _as_annotated(made, one)

    def rest() -> Value:
        result = body()
        annotation, place = annotations.get(RESULT), definition.returns
        if annotation is None or place is None:
            return result
        return fitting_result(frame, annotation, place, sizes, result, _of_size)

    return _under_all(frame, [r for r in required if not is_required(frame, r)], node or definition, rest)


def name_sizes(frame: Frame, definition: ast.FunctionDef, sizes: Mapping[str, Term]) -> None:
    """Functions that are defined in this one know the sizes that it has names for."""
    inner = [f for f in ast.walk(definition) if isinstance(f, ast.FunctionDef) and f is not definition]
    if sizes and any([_is_annotated(f) for f in inner]):
        frame.names[_SIZES] = Keyed({name: size for name, size in sizes.items()})


def _sizes_around(frame: Frame, definition: ast.FunctionDef) -> dict[str, Term]:
    found = frame.names.get(_SIZES) if definition is not frame.source.node else None
    return {str(q): v for q, v in found.entries.items() if isinstance(v, Term)} if isinstance(found, Keyed) else {}


def _is_annotated(definition: ast.FunctionDef) -> bool:
    parameters = [a for a in ast.walk(definition.args) if isinstance(a, ast.arg)]
    return definition.returns is not None or any([a.annotation is not None for a in parameters])


def _annotations(frame: Frame, definition: ast.FunctionDef) -> dict[str, object]:
    """What is annotated as an array or as an index."""
    if frame.source.is_own or not _is_annotated(definition):
        return {}
    if definition is frame.source.node:
        found = annotations_read(frame)
        return {name: a for name, a in found.items() if isinstance(a, ArrayAnnotation | IndexAnnotation)}
    written = [(a.arg, a.annotation) for a in ast.walk(definition.args) if isinstance(a, ast.arg)]
    inner = [
        (name, _inner_annotation(frame, a)) for name, a in [*written, (RESULT, definition.returns)] if a is not None
    ]
    return {name: a for name, a in inner if a is not None}


def _inner_annotation(frame: Frame, annotation: ast.expr) -> object:
    """Of a function that is defined in the one whose text is read."""
    fetch = Lookup(frame.source.function, InnerAnnotation(ast.unparse(annotation)))
    try:
        found = fetch()
    except ArgumentError as error:
        message, _, hint = str(error).partition("\n  hint: ")
        frame.fail(ArgumentMismatchError, annotation, message, hint)
    if _names_sizes(annotation):
        frame.shared.readings.compared(fetch, found)
    else:
        frame.shared.readings.found(fetch, found)
    return found


def _names_sizes(annotation: ast.expr) -> bool:
    """Are there names in it that may stand for numbers of the module's, which can change?"""
    owners = {id(part.value) for part in ast.walk(annotation) if isinstance(part, ast.Attribute)}
    names = [part for part in ast.walk(annotation) if isinstance(part, ast.Name) and id(part) not in owners]
    return any([name.id not in ("float", "int", "bool") for name in names])


def _sizes_required(call: _Call, one: Annotated) -> Iterator[Require]:
    """That an array has the sizes that its annotation says, where that is not certain."""
    if not isinstance(one.annotation, ArrayAnnotation):
        return
    place, what = call.place(one), f"the annotation of {one.what} of {call.name}"
    site = call.outside.site(place, call.outside.source.segment(place))
    for axis, size in said(one.annotation):
        expected = call.size(size, one)
        have = at_least_zero(length_of(call.frame, one.value, one.place, axis))
        yield from fitting_required(have, expected, site)
        if not equal_sizes(call.outside, have, expected, place, what):
            yield Require(equals(have, expected), Const(0), Failure.SIZE, (have, expected), site)


def _places_required(call: _Call, one: Annotated) -> Iterator[Require]:
    """That an array has elements that are indices, or that a number known while compiling is one."""
    annotation = one.annotation
    if isinstance(annotation, IndexAnnotation) and isinstance(one.value, Const):
        size = call.size(annotation.size, one)
        given = int(one.value.value)
        if given < 0 or (isinstance(size, Const) and given >= size.value):
            asked = f"integers from 0 to {int(size.value) - 1}" if isinstance(size, Const) else "integers from 0 on"
            message = f"{one.what} of {call.name} is {given}: its annotation asks for {asked}"
            call.outside.fail(ConstantIndexError, call.place(one), message, "correct it, or annotate it with int")
        asked_at = AtAnnotation.at(call.site(one))
        yield Require(is_index(one.value, size), Const(0), Failure.INDEX, (one.value, size), asked_at)
    elif isinstance(annotation, ArrayAnnotation) and annotation.places is not None:
        size = call.size(annotation.places.size, one)
        yield from places_required(
            one.value, annotation.places, size, call.site(one), Failure.NO_PLACE, Failure.NOT_SORTED
        )


def _as_annotated(call: _Call, one: Annotated) -> Term:
    """The argument as the body has it: an index checked, integers as the real numbers that are asked for."""
    annotation, value = one.annotation, one.value
    if isinstance(annotation, IndexAnnotation) and not isinstance(value, Const):
        checked = Check(value, call.size(annotation.size, one), AtAnnotation.at(call.site(one)))
        return call.frame.bind(checked, one.what)
    if isinstance(annotation, ArrayAnnotation) and annotation.leaf is float and leaf_of(value.type) == INT:
        return call.frame.bind(convert(call.frame, value, array_of(F64, rank_of(value.type)), one.place), one.what)
    return value


def _of_size(frame: Frame, array: Term, axis: int, size: Term, place: ast.AST, what: str) -> Term:
    """`array`, which exists only if its length along `axis` is `size`."""
    have = at_least_zero(length_of(frame, array, place, axis))
    if equal_sizes(frame, have, size, place, what):
        return array
    return if_equal(frame, array, have, size, place)


def _under_all(frame: Frame, required: list[Require], node: ast.AST, rest: Callable[[], Value]) -> Value:
    if not required:
        return rest()
    first, *others = required
    result = under(frame, first, node, lambda: _under_all(frame, others, node, rest))
    assert result is not None
    return result
