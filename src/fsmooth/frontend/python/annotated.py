"""What annotations say of a program: types are compared, sizes required, of the arguments and of the result."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from fsmooth.core import primitives as p
from fsmooth.core.alpha import alpha_equal
from fsmooth.core.array_annotation import ANY, ArrayAnnotation, IndexAnnotation, OffsetsAnnotation
from fsmooth.core.build import minus, plus, quotient, times
from fsmooth.core.element_ranges import all_indices, is_index, never_decreasing
from fsmooth.core.integers import FITS
from fsmooth.core.term import Const, Failure, Length, Prim, Require, Term, Var
from fsmooth.core.traverse import subterms
from fsmooth.core.types import BOOL, F64, INT, Type, array_of, leaf_of, rank_of
from fsmooth.core.weak import WEAK
from fsmooth.errors import ArgumentError, ArgumentMismatchError, RankError, TypeMismatchError, UndefinedNameError
from fsmooth.frontend import annotated_sizes
from fsmooth.frontend.annotations import annotations_of, mismatch
from fsmooth.frontend.lookup import Annotations, Lookup
from fsmooth.frontend.python.conversion import convert
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.sizes import length_of, required_size, same_size
from fsmooth.frontend.python.values import Value
from fsmooth.rewrite.linear import polynomial

RESULT = "return"
"""What Python calls the result among annotations."""

_OF_TERMS: annotated_sizes.Operations[Term] = {
    ast.Add: plus,
    ast.Sub: minus,
    ast.Mult: times,
    ast.FloorDiv: quotient,
}

Names = Mapping[str, Term]
"""What the names of sizes stand for."""


def annotated_arguments(frame: Frame, given: Mapping[str, Var]) -> dict[str, Value]:
    """The arguments as their annotations want them: types checked, sizes required, integers as floats."""
    found = _annotations(frame)
    places = {a.arg: a for a in ast.walk(frame.source.node.args) if isinstance(a, ast.arg)}
    checked = {name: var for name, var in given.items() if name in found and name in places}
    for name, var in checked.items():
        _fitting(frame, name, found[name], var.type, places[name])
    names = named_sizes(frame, checked)
    result: dict[str, Value] = {}
    for name, var in checked.items():
        annotation, place = found[name], places[name]
        leaf: object = annotation
        if isinstance(annotation, ArrayAnnotation):
            leaf = annotation.leaf
            for axis, size in _said(annotation):
                expected = _size(frame, size, names, place)
                have = length_of(frame, var, place, axis)
                _require_fitting(frame, have, expected, place)
                same_size(frame, have, expected, place, f"the annotation of {name}")
                if isinstance(expected, Const):
                    frame.shared.static_sizes[var, axis] = int(expected.value)
        if leaf is float and leaf_of(var.type) in (INT, BOOL):
            result[name] = convert(frame, var, array_of(F64, rank_of(var.type)) if rank_of(var.type) else WEAK, place)
    _require_places(frame, checked, names, places)
    return result


def _require_fitting(frame: Frame, have: Term, expected: Term, place: ast.AST) -> None:
    """Products of sizes in an annotation are required not to wrap around, so that the array has as many elements as they say."""
    site = frame.site(place, frame.source.segment(place))
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
                if not any([alpha_equal(fits, r.condition) for r in frame.requirements]):
                    frame.requirements.append(Require(fits, Const(0), Failure.SIZE, (have, expected), site))


def _require_places(frame: Frame, given: Mapping[str, Var], names: Names, at: Mapping[str, ast.arg]) -> None:
    """Arguments that are places in arrays, or have such elements: required after all sizes."""
    found = _annotations(frame)
    for name, var in given.items():
        annotation, place = found[name], at[name]
        what = annotation if isinstance(annotation, IndexAnnotation) else getattr(annotation, "places", None)
        if what is None:
            continue
        size = _size(frame, what.size, names, place)
        site = frame.site(place, name)
        require = frame.requirements.append
        if isinstance(annotation, IndexAnnotation):
            require(Require(is_index(var, size), Const(0), Failure.ELEMENT, (size, var), site))
            continue
        limit = size if isinstance(what, IndexAnnotation) else plus(size, Const(1))
        require(Require(all_indices(var, limit), Const(0), Failure.ELEMENT, (limit,), site))
        if isinstance(what, OffsetsAnnotation):
            require(Require(never_decreasing(var), Const(0), Failure.DECREASING, (), site))


def named_sizes(frame: Frame, values: Mapping[str, Value]) -> dict[str, Term]:
    """The sizes that have names: each is that of the first of these arrays that is annotated with the name alone."""
    sizes: dict[str, Term] = {}
    for name, annotation in _annotations(frame).items():
        array = values.get(name)
        if isinstance(annotation, ArrayAnnotation) and isinstance(array, Term):
            for axis, size in enumerate(annotation.sizes):
                if isinstance(size, str) and size.strip().isidentifier() and axis < rank_of(array.type):
                    sizes.setdefault(size.strip(), length_of(frame, array, frame.source.node, axis))
    return sizes


def annotated_result(frame: Frame, names: Names, result: Value) -> Value:
    """The result, which has the type and the sizes that its annotation says."""
    annotation, place = _annotations(frame).get(RESULT), getattr(frame.source.node, "returns", None)
    if annotation is None or place is None:
        return result
    if isinstance(annotation, IndexAnnotation) or getattr(annotation, "places", None) is not None:
        message = f"the result is annotated as {annotation!r}, and nothing checks the indices that a program returns"
        frame.fail(ArgumentMismatchError, place, message, "index types are for arguments; write int")
    term = frame.term(result, frame.shared.returned or place)
    _fitting(frame, "the result", annotation, term.type, place)
    if isinstance(annotation, ArrayAnnotation):
        array = frame.bind(term, "result")
        names = {**named_sizes(frame, {RESULT: array}), **names}
        for axis, size in _said(annotation):
            expected = _size(frame, size, names, place)
            array = required_size(frame, array, axis, expected, place, "the annotation of the result")
        return array
    return result


def _said(annotation: ArrayAnnotation) -> list[tuple[int, int | str]]:
    """The axes of which an annotation says the size."""
    return [(axis, size) for axis, size in enumerate(annotation.sizes) if size != ANY]


def _annotations(frame: Frame) -> dict[str, object]:
    try:
        found = annotations_of(frame.source.function)
        frame.shared.readings.found(Lookup(frame.source.function, Annotations()), found)
        return found
    except ArgumentError as error:
        message, _, hint = str(error).partition("\n  hint: ")
        frame.fail(ArgumentMismatchError, frame.source.node, message, hint)


def _fitting(frame: Frame, what: str, annotation: object, type_: Type, place: ast.AST) -> None:
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


def _size(frame: Frame, size: int | str, names: Names, place: ast.AST) -> Term:
    """A size of an annotation as a term."""
    if isinstance(size, int):
        return Const(size)
    written = annotated_sizes.expression(size)
    assert written is not None
    for name in annotated_sizes.names(written):
        if name not in names:
            message = f"{name} is the size of no argument: none is annotated with it alone"
            frame.fail(UndefinedNameError, place, message, f'annotate one with fs.Array["{name}"]')
    return annotated_sizes.value(written, Const, _OF_TERMS, names)
