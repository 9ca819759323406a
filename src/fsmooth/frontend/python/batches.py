"""Functions of batches: `fs.vmap(f)(X)` is an array of the calls of `f` for each element of its batches.

The batch of each argument is made its first axis; one array of as many elements as the batches have is built, whose
element is the call of `f`.  Nothing is stored for an element: these are comprehensions, and are fused as they are.
"""

from __future__ import annotations

import ast
import inspect

from fsmooth.core.term import Build, Get, MakeTuple, Proj, Term
from fsmooth.core.types import Array, Tuple, rank_of
from fsmooth.errors import ArgumentMismatchError, TypeMismatchError
from fsmooth.frontend.batches import (
    Axes,
    OfBatches,
    OwnDefault,
    as_axes,
    axes_of_parameters,
    mistake_of,
    with_own_defaults,
)
from fsmooth.frontend.lookup import Attribute
from fsmooth.frontend.python.annotated_batches import require_annotated
from fsmooth.frontend.python.arrays.axes import indices_of, permuted
from fsmooth.frontend.python.batch_arguments import Argument, argument_of, axis_of_batch
from fsmooth.frontend.python.derivatives import ALONG_TANGENTS, OF_THE_WHOLE, VERBS
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import constant_object, matched
from fsmooth.frontend.python.names import readable
from fsmooth.frontend.python.programs import called_with_names, closure_over, function_at, signature_of_value
from fsmooth.frontend.python.sizes import length_of, same_size, stacked
from fsmooth.frontend.python.values import Batched, Closure, Derived, Pullback, Static, Unrolled, Value

_CALLEE = "_over_batches"
_ARGUMENTS = ("f", "in_axes", "out_axes")


def vmap_call(frame: Frame, node: ast.Call) -> Closure:
    """fs.vmap(f, in_axes=…, out_axes=…) in a program: a lambda of the parameters of f."""
    given = dict(zip(_ARGUMENTS, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg not in _ARGUMENTS or keyword.arg in given:
            hint = OF_THE_WHOLE.get(keyword.arg or "", "leave it out")
            frame.fail(ArgumentMismatchError, node, f"fs.vmap has no argument {keyword.arg} in a program", hint)
        given[keyword.arg] = keyword.value
    if "f" not in given or len(node.args) > len(_ARGUMENTS):
        frame.fail(ArgumentMismatchError, node, "fs.vmap takes a function and axes", "write fs.vmap(f, in_axes=…)")
    base = function_at(frame, given["f"])
    if base is None:
        frame.fail(TypeMismatchError, node, "fs.vmap wants a function", "write fs.vmap(lambda x: …)")
    signature = _with_tangent(base, signature_of_value(frame, base, node))
    axes = [constant_object(frame, given[name]) if name in given else 0 for name in _ARGUMENTS[1:]]
    mistake = mistake_of(axes[0], axes[1], signature)
    if mistake is not None:
        frame.fail(ArgumentMismatchError, node, *mistake)
    batched = Batched(base, as_axes(axes[0]), as_axes(axes[1]), signature)
    return closure_over(batched, with_own_defaults(signature), "batched")


def _with_tangent(base: Value, signature: inspect.Signature) -> inspect.Signature:
    """A jvp or an hvp takes a tangent besides."""
    if not isinstance(base, Derived) or VERBS[base.verb] not in ALONG_TANGENTS:
        return signature
    extra = inspect.Parameter("tangent", inspect.Parameter.KEYWORD_ONLY)
    return signature.replace(parameters=[*signature.parameters.values(), extra])


def made_outside(frame: Frame, function: Static) -> Batched:
    """A function of batches that was made outside of programs."""
    found = function.value
    assert isinstance(found, OfBatches)
    base = Static(found.function)
    if function.fetch is not None:
        base = Static(found.function, function.fetch.then(Attribute("function")))
        for name in ("function", "in_axes", "out_axes"):
            frame.shared.readings.found(function.fetch.then(Attribute(name)), getattr(found, name))
    return Batched(readable(frame, base), found.in_axes, found.out_axes, found.signature)


def over_batches(frame: Frame, batched: Batched, node: ast.Call) -> Term:
    """The call of a function of batches."""
    values = matched(frame, with_own_defaults(batched.signature), node)
    given = {n: v for n, v in values.items() if not (isinstance(v, Static) and isinstance(v.value, OwnDefault))}
    axes = axes_of_parameters(batched.in_axes, batched.signature)
    arguments: dict[str, Argument] = {}
    for name, value in given.items():
        if name not in axes:
            what, hint = f"in_axes says nothing of {name}", "give an integer or None for each argument"
            frame.fail(ArgumentMismatchError, node, what, hint)
        arguments[name] = argument_of(frame, value, axes[name], name, node)
    batches = [batch for argument in arguments.values() for batch in argument.batches()]
    if not batches:
        frame.fail(ArgumentMismatchError, node, "no argument is a batch", "give one of them an axis in in_axes")
    size = length_of(frame, batches[0].array, node)
    for batch in batches[1:]:
        what = f"the batches of {batches[0].name} and {batch.name}"
        size = same_size(frame, size, length_of(frame, batch.array, node), node, what)
    require_annotated(frame, batched.function, arguments, node)
    (index,) = indices_of(frame, 1, node)

    def element() -> Term:
        one = {name: argument.at(index) for name, argument in arguments.items()}
        return _result(frame, called_with(frame, batched.function, one, batched.signature, node), node)

    made = frame.bind(stacked(frame, frame.inside(element), index, size, node), "batch")
    return arranged(frame, made, batched.out_axes, node)


def _result(frame: Frame, value: Value, node: ast.AST) -> Term:
    """What a function gives for one element."""
    if isinstance(value, Unrolled) and any([isinstance(part, Pullback) for part in value.items]):
        hint = "call the pullback for each: lambda x, c: fs.vjp(f)(x)[1](c)"
        frame.fail(TypeMismatchError, node, "there are no batches of pullbacks", hint)
    return frame.term(value, node)


def called_with(
    frame: Frame, function: Value, values: dict[str, Value], signature: inspect.Signature, node: ast.AST
) -> Value:
    """The call of a function with its arguments by name; those that are missing are its defaults."""

    def in_order(keys: dict[str, str]) -> tuple[list[ast.expr], list[ast.keyword]]:
        arguments: list[ast.expr] = []
        keywords: list[ast.keyword] = []
        for name, parameter in signature.parameters.items():
            if name in keys and parameter.kind is not parameter.KEYWORD_ONLY and not keywords:
                arguments.append(ast.Name(keys[name], ast.Load()))
            elif name in keys:
                keywords.append(ast.keyword(name, ast.Name(keys[name], ast.Load())))
        return arguments, keywords

    return called_with_names(frame, function, values, in_order, node)


# -- results ---------------------------------------------------------------------------------------------------------


def arranged(frame: Frame, batch: Term, axes: Axes, node: ast.AST) -> Term:
    """An array of results, with its batch at this axis; of tuples, a tuple of arrays."""
    assert isinstance(batch.type, Array)
    element = batch.type.element
    if isinstance(element, Tuple):
        each = axes if isinstance(axes, tuple) else (axes,) * len(element.items)
        if len(each) != len(element.items):
            what = f"out_axes has {len(each)} axes for {len(element.items)} results"
            frame.fail(ArgumentMismatchError, node, what, "give an integer for each, or one for all")
        parts = [arranged(frame, _component(frame, batch, k, node), one, node) for k, one in enumerate(each)]
        return MakeTuple(tuple(parts), Tuple(tuple([q.type for q in parts]), element.names, element.record))
    if not isinstance(axes, int):
        what = f"out_axes={axes!r}, and there is one result"
        frame.fail(ArgumentMismatchError, node, what, "give one integer")
    rank = rank_of(batch.type)
    axis = axis_of_batch(frame, axes, rank, f"out_axes: the result has no axis {axes}", node)
    order = list(range(1, rank))
    order.insert(axis, 0)
    return permuted(frame, batch, order, node)


def _component(frame: Frame, batch: Term, k: int, node: ast.AST) -> Term:
    """Component k of each tuple in an array."""
    (index,) = indices_of(frame, 1, node)
    made = stacked(frame, Proj(Get(batch, index), k), index, length_of(frame, batch, node), node)
    assert isinstance(made, Build)
    return frame.bind(made, "part")
