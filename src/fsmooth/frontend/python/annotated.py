"""What annotations say of a program: types are compared, sizes required, of the arguments and of the result."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.array_annotation import ANY, ArrayAnnotation, IndexAnnotation, Places
from fsmooth.core.build import minus, named_part, plus, quotient, times
from fsmooth.core.element_ranges import all_indices, ends_are_indices, is_index, never_decreasing
from fsmooth.core.integers import FITS
from fsmooth.core.term import Annotated as AtAnnotation
from fsmooth.core.term import Check, Const, Failure, Length, Prim, Require, Site, Term, Var
from fsmooth.core.traverse import subterms
from fsmooth.core.trees import labels
from fsmooth.core.types import BOOL, F64, INT, Tuple, Type, array_of, leaf_of, rank_of
from fsmooth.core.weak import WEAK
from fsmooth.errors import ArgumentError, ArgumentMismatchError, RankError, TypeMismatchError, UndefinedNameError
from fsmooth.frontend import annotated_sizes
from fsmooth.frontend.annotations import annotations_of, mismatch
from fsmooth.frontend.lookup import Annotations, Lookup
from fsmooth.frontend.python.annotated_fields import Annotated, Scope, named_sizes, scopes_of
from fsmooth.frontend.python.conversion import convert
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.sizes import length_of, required_size, written_size_required
from fsmooth.frontend.python.values import Value
from fsmooth.rewrite.linear import polynomial

RESULT = "return"
"""What Python calls the result among annotations."""

OF_TERMS: annotated_sizes.Operations[Term] = {
    ast.Add: plus,
    ast.Sub: minus,
    ast.Mult: times,
    ast.FloorDiv: quotient,
}
"""The arithmetic of sizes."""


class Names(Struct, frozen=True):
    """What the names of sizes stand for, and the class whose fields they belong to; None: the program's arguments."""

    sizes: Mapping[str, Term]
    owner: str | None = None


def annotated_arguments(frame: Frame, given: Mapping[str, Var]) -> dict[str, Value]:
    """The arguments as their annotations want them: types checked, sizes required, integers as floats."""
    arguments, scopes = _annotated(frame, given), _scopes(frame, given)
    for one in (*arguments, *[field for scope in scopes for field in scope.annotated]):
        require_type(frame, one.what, one.annotation, one.value.type, one.place)
    everything = [(one, Names(_sizes(frame, arguments, scopes))) for one in arguments]
    everything += [(one, Names(scope.names, scope.owner)) for scope in scopes for one in scope.annotated]
    for one, names in everything:
        _require_sizes(frame, one, names)
    for one, names in everything:
        _require_places(frame, one, names)
    wanted = {name: _with_reals(var.type, name, everything) for name, var in given.items()}
    return {
        name: convert(frame, var, wanted[name], _place(frame, name))
        for name, var in given.items()
        if wanted[name] is not var.type
    }


def _annotated(frame: Frame, values: Mapping[str, Value]) -> list[Annotated]:
    """The arguments that are annotated themselves."""
    found = annotations_read(frame)
    return [
        Annotated(name, value, found[name], _place(frame, name))
        for name, value in values.items()
        if name in found and isinstance(value, Term) and name in _places(frame)
    ]


def _scopes(frame: Frame, values: Mapping[str, Value]) -> list[Scope]:
    """The objects with annotated fields among arguments."""
    places = _places(frame)
    given = [(name, value) for name, value in values.items() if name in places and isinstance(value, Term)]
    return [scope for name, value in given for scope in scopes_of(frame, name, value, places[name])]


def _places(frame: Frame) -> dict[str, ast.arg]:
    return {a.arg: a for a in ast.walk(frame.source.node.args) if isinstance(a, ast.arg)}


def _place(frame: Frame, name: str) -> ast.AST:
    return _places(frame).get(name, frame.source.node)


def _sizes(frame: Frame, arguments: list[Annotated], scopes: list[Scope]) -> dict[str, Term]:
    """The sizes that have names: those of arguments, and of their fields with the argument's name before them."""
    own = named_sizes(frame, arguments)
    return {name: size for scope in scopes for name, size in scope.names_outside().items()} | own


def _with_reals(type_: Type, what: str, everything: list[tuple[Annotated, Names]]) -> Type:
    """The type of an argument, or of a part of one, with real numbers where it has integers and is annotated so."""
    annotations = [one.annotation for one, _ in everything if one.what == what]
    leaf: object = getattr(annotations[0], "leaf", annotations[0]) if annotations else None
    if leaf is float and leaf_of(type_) in (INT, BOOL):
        return array_of(F64, rank_of(type_)) if rank_of(type_) else WEAK
    if not isinstance(type_, Tuple):
        return type_
    calls = labels(type_.record, type_.names, len(type_.items)) if _has_parts(type_) else []
    items = tuple([_with_reals(t, what + label, everything) for t, label in zip(type_.items, calls, strict=False)])
    changed = any([a is not b for a, b in zip(items, type_.items, strict=False)])
    return Tuple(items, type_.names, type_.record) if changed else type_


def _require_sizes(frame: Frame, one: Annotated, names: Names) -> None:
    """An array has the sizes that its annotation says."""
    if not isinstance(one.annotation, ArrayAnnotation):
        return
    for axis, size in said(one.annotation):
        expected = written_size(frame, size, names, one.place)
        have = length_of(frame, one.value, one.place, axis)
        require_fitting(frame, have, expected, one.place)
        written_size_required(frame, have, expected, one.place, f"the annotation of {one.what}")
        part = named_part(one.value)
        if isinstance(expected, Const) and part is not None:
            frame.shared.static_sizes[(part[0], *part[1], axis)] = int(expected.value)


def fitting_required(have: Term, expected: Term, site: Site) -> list[Require]:
    """Products of sizes in an annotation are required not to wrap around, so that the array has as many elements as they say."""
    found = []
    for part in subterms(expected):
        if not (isinstance(part, Prim) and part.primitive is p.multiply):
            continue
        written = polynomial(part)
        for monomial in written.coefficients:
            sizes = [written.atoms[a] for a in monomial]
            if len(sizes) > 1 and all([isinstance(size, Length) for size in sizes]):
                first, *others = [Prim(p.to_float, (size,)) for size in sizes]
                product: Term = first
                for other in others:
                    product = Prim(p.multiply, (product, other))
                fits = Prim(p.less_equal, (product, Const(FITS)))
                found.append(Require(fits, Const(0), Failure.SIZE, (have, expected), site))
    return found


def require_fitting(frame: Frame, have: Term, expected: Term, place: ast.AST) -> None:
    """The same of arguments of the program, before it begins."""
    for r in fitting_required(have, expected, frame.site(place, frame.source.segment(place))):
        if not is_required(frame, r):
            frame.requirements.append(r)


def is_required(frame: Frame, requirement: Require) -> bool:
    """Is it required already, before the program or the function that is read?"""
    return any([alpha_equal(requirement.condition, r.condition) for r in frame.requirements])


def _require_places(frame: Frame, one: Annotated, names: Names) -> None:
    """An argument that is a place in an array, or has such elements: required after all sizes."""
    annotation = one.annotation
    what = annotation if isinstance(annotation, IndexAnnotation) else getattr(annotation, "places", None)
    if what is None:
        return
    size = written_size(frame, what.size, names, one.place)
    site = frame.site(one.place, one.what)
    if isinstance(annotation, IndexAnnotation):
        condition = is_index(one.value, size)
        frame.requirements.append(Require(condition, Const(0), Failure.ELEMENT, (size, one.value), site))
        return
    frame.requirements.extend(places_required(one.value, what, size, site, Failure.ELEMENT, Failure.DECREASING))


def places_required(
    array: Term, what: Places, size: Term, site: Site, element: Failure, decreasing: Failure
) -> list[Require]:
    """What is required of an array of places in what has a size; the failures say whose array it is."""
    if isinstance(what, IndexAnnotation):
        return [Require(all_indices(array, size), Const(0), element, (size,), site)]
    limit = plus(size, Const(1))
    return [
        Require(never_decreasing(array), Const(0), decreasing, (), site),
        Require(ends_are_indices(array, limit), Const(0), element, (limit,), site),
    ]


def sizes_by_name(frame: Frame, values: Mapping[str, Value]) -> dict[str, Term]:
    """The sizes of the arguments of a function that have names."""
    return _sizes(frame, _annotated(frame, values), _scopes(frame, values))


def annotated_result(frame: Frame, names: Mapping[str, Term], result: Value) -> Value:
    """The result of the program, which has the type and the sizes that its annotation says, and elements that are indices."""
    annotation, place = annotations_read(frame).get(RESULT), getattr(frame.source.node, "returns", None)
    if annotation is None or place is None:
        return result
    return fitting_result(frame, annotation, place, names, result, required_size)


Sized = Callable[[Frame, Term, int, Term, ast.AST, str], Term]
"""An array, which exists only if its length along an axis is a size."""


def fitting_result(
    frame: Frame, annotation: object, place: ast.AST, names: Mapping[str, Term], result: Value, sized: Sized
) -> Value:
    """A result that exists only if it is as it is annotated."""
    term = frame.term(result, frame.shared.returned or place)
    require_type(frame, "the result", annotation, term.type, place)
    if isinstance(annotation, IndexAnnotation):
        size = written_size(frame, annotation.size, Names(names), place)
        return frame.bind(Check(term, size, AtAnnotation.at(frame.site(place, "the result"))), "result")
    if not isinstance(annotation, ArrayAnnotation):
        return result
    array = frame.bind(term, "result")
    names = {**named_sizes(frame, [Annotated(RESULT, array, annotation, place)]), **names}
    for axis, length in said(annotation):
        expected = written_size(frame, length, Names(names), place)
        array = sized(frame, array, axis, expected, place, "the annotation of the result")
    if annotation.places is not None:
        limit = written_size(frame, annotation.places.size, Names(names), place)
        site = frame.site(place, "the result")
        for r in places_required(array, annotation.places, limit, site, Failure.NO_PLACE, Failure.NOT_SORTED):
            array = frame.bind(Require(r.condition, array, r.failure, r.numbers, r.site), "result")
    return array


def _has_parts(type_: Tuple) -> bool:
    """Is it a structure of the user's, each of whose parts is there?"""
    return type_.record is None or isinstance(type_.record, type)


def said(annotation: ArrayAnnotation) -> list[tuple[int, int | str]]:
    """The axes of which an annotation says the size."""
    return [(axis, size) for axis, size in enumerate(annotation.sizes) if size != ANY]


def annotations_read(frame: Frame) -> dict[str, object]:
    """The annotations of a function."""
    try:
        found = annotations_of(frame.source.function)
        frame.shared.readings.found(Lookup(frame.source.function, Annotations()), found)
        return found
    except ArgumentError as error:
        message, _, hint = str(error).partition("\n  hint: ")
        frame.fail(ArgumentMismatchError, frame.source.node, message, hint)


def require_type(frame: Frame, what: str, annotation: object, type_: Type, place: ast.AST) -> None:
    """Is a value of this type what the annotation says?"""
    wanted = mismatch(annotation, type_)
    if wanted is None:
        return
    is_rank = isinstance(annotation, ArrayAnnotation) and len(annotation.sizes) != rank_of(type_)
    hint = "return" if what == "the result" else "pass"
    frame.fail(
        RankError if is_rank else TypeMismatchError,
        place,
        f"{what} is annotated as {wanted}, and is {describe(type_)}",
        f"{hint} what the annotation says, or change it",
    )


def written_size(frame: Frame, size: int | str, names: Names, place: ast.AST) -> Term:
    """A size of an annotation as a term."""
    if isinstance(size, int):
        return Const(size)
    written = annotated_sizes.expression(size)
    assert written is not None
    for name in annotated_sizes.names(written):
        if name not in names.sizes:
            whose = "no argument" if names.owner is None else f"no field of {names.owner}"
            message = f"{name} is the size of {whose}: none is annotated with it alone"
            *_, last = name.split(".")
            one = "one" if last == name else f"a field of {name.removesuffix(f'.{last}')}"
            frame.fail(UndefinedNameError, place, message, f'annotate {one} with fs.Array["{last}"]')
    return annotated_sizes.value(written, Const, OF_TERMS, names.sizes)
