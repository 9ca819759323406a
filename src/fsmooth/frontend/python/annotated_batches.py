"""What the annotations of a function say of its batches (`fs.vmap`): of each element, and so of arrays with an axis more.

    fs.vmap(f)(X, idx)        def f(x: fs.Array["n"], idx: fs.Array["m", fs.Index["n"]])

X has the sizes (b, n), idx (b, m), and all elements of idx are below n.  It is required of arguments of the program whose
batch is their first axis, or that are the same for all; of others nothing is required, and nothing known.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from types import FunctionType

from msgspec import Struct

from fsmooth.core.array_annotation import ArrayAnnotation, IndexAnnotation, OffsetsAnnotation
from fsmooth.core.build import equals, plus, reduce
from fsmooth.core.element_ranges import all_indices, is_index, never_decreasing
from fsmooth.core.term import Const, Failure, Get, Length, Reduction, Require, Term, Var
from fsmooth.core.types import Array, Type
from fsmooth.errors import ArgumentError, ArgumentMismatchError, RankError, TypeMismatchError
from fsmooth.frontend import annotated_sizes
from fsmooth.frontend.annotations import annotations_of, mismatch
from fsmooth.frontend.lookup import Annotations, Lookup
from fsmooth.frontend.programs import DerivedProgram, SourceProgram
from fsmooth.frontend.python.annotated import OF_TERMS, places_required, require_fitting, said
from fsmooth.frontend.python.batch_arguments import Argument, Batch, Same
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.sizes import equal_sizes
from fsmooth.frontend.python.values import Static, Value


class _Given(Struct, frozen=True):
    """An argument of the program, how many of its axes are batches, and what each element is annotated with."""

    var: Var
    batches: int
    annotation: ArrayAnnotation | IndexAnnotation

    @property
    def element(self) -> Type:
        """The type of what the function is given."""
        if not self.batches:
            return self.var.type
        assert isinstance(self.var.type, Array)
        return self.var.type.element


def require_annotated(frame: Frame, function: Value, arguments: Mapping[str, Argument], node: ast.AST) -> None:
    """What a function's annotations say of each element is required of all, before the program begins."""
    if frame.conditional:
        return
    given = _given(frame, function, arguments, node)
    sizes = {
        size.strip(): Length(one.var, axis + one.batches)
        for one in reversed(given)
        if isinstance(one.annotation, ArrayAnnotation)
        for axis, size in reversed(list(enumerate(one.annotation.sizes)))
        if isinstance(size, str) and size.strip().isidentifier()
    }
    for one in given:
        if isinstance(one.annotation, ArrayAnnotation):
            for axis, size in said(one.annotation):
                expected = _size(size, sizes)
                if expected is not None:
                    _require_size(frame, Length(one.var, axis + one.batches), expected, one, node)
    for one in given:
        _require_places(frame, one, sizes, node)


def _given(frame: Frame, function: Value, arguments: Mapping[str, Argument], node: ast.AST) -> list[_Given]:
    plain = _function_of(function)
    if plain is None:
        return []
    try:
        annotations = annotations_of(plain)
    except ArgumentError as error:
        message, _, hint = str(error).partition("\n  hint: ")
        frame.fail(ArgumentMismatchError, node, message, hint)
    frame.shared.readings.found(Lookup(plain, Annotations()), annotations)
    found = []
    for name, argument in arguments.items():
        annotation = annotations.get(name)
        value = (
            argument.array if isinstance(argument, Batch) else argument.value if isinstance(argument, Same) else None
        )
        if not isinstance(annotation, ArrayAnnotation | IndexAnnotation) or not isinstance(value, Var):
            continue
        if value in frame.entry:
            one = _Given(value, int(isinstance(argument, Batch)), annotation)
            _fitting(frame, name, one, node)
            found.append(one)
    return found


def _function_of(value: Value) -> Callable[..., object] | None:
    """The plain function of the user's that is mapped, or whose derivative is."""
    function = value.value if isinstance(value, Static) else None
    program = getattr(function, "program", None)
    while isinstance(program, DerivedProgram):
        program = program.program
    if isinstance(program, SourceProgram):
        function = program.function
    return function if isinstance(function, FunctionType) else None


def _fitting(frame: Frame, name: str, one: _Given, node: ast.AST) -> None:
    """Is an element of this type what the annotation says?"""
    wanted = mismatch(one.annotation, one.element)
    if wanted is None:
        return
    is_rank = isinstance(one.annotation, ArrayAnnotation)
    which = f"each element of its batch is {describe(one.element)}" if one.batches else f"is {describe(one.element)}"
    hint = "pass what the annotation says, with the batch as its first axis, or change it"
    frame.fail(RankError if is_rank else TypeMismatchError, node, f"{name} is annotated as {wanted}, and {which}", hint)


def _size(size: int | str, sizes: Mapping[str, Term]) -> Term | None:
    """A size as a term; None if it is one of what is not known to be an argument."""
    if isinstance(size, int):
        return Const(size)
    written = annotated_sizes.expression(size)
    assert written is not None
    if not all([name in sizes for name in annotated_sizes.names(written)]):
        return None
    return annotated_sizes.value(written, Const, OF_TERMS, sizes)


def _require_size(frame: Frame, have: Term, expected: Term, one: _Given, node: ast.AST) -> None:
    require_fitting(frame, have, expected, node)
    if not equal_sizes(frame, have, expected, node, f"the annotation of {one.var.name}"):
        site = frame.site(node, one.var.name)
        frame.requirements.append(Require(equals(have, expected), Const(0), Failure.SIZE, (have, expected), site))


def _require_places(frame: Frame, one: _Given, sizes: Mapping[str, Term], node: ast.AST) -> None:
    what = one.annotation if isinstance(one.annotation, IndexAnnotation) else one.annotation.places
    size = None if what is None else _size(what.size, sizes)
    if size is None:
        return
    site = frame.site(node, one.var.name)
    require = frame.requirements.append
    if isinstance(one.annotation, IndexAnnotation) and not one.batches:
        require(Require(is_index(one.var, size), Const(0), Failure.ELEMENT, (size, one.var), site))
        return
    if not one.batches:
        assert what is not None
        for requirement in places_required(one.var, what, size, site, Failure.ELEMENT, Failure.DECREASING):
            require(requirement)
        return
    limit = plus(size, Const(1)) if isinstance(what, OffsetsAnnotation) else size
    require(Require(all_indices(one.var, limit), Const(0), Failure.ELEMENT, (limit,), site))
    if isinstance(what, OffsetsAnnotation):
        ordered = reduce(Reduction.ALL, Length(one.var), lambda b: never_decreasing(Get(one.var, b)))
        require(Require(ordered, Const(0), Failure.DECREASING, (), site))
