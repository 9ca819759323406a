"""Derivatives with respect to trees are trees: their columns of real numbers are derivatives, their nodes those of the tree.

To the core the tangent of a node, which is an integer, is the empty tuple.
"""

from __future__ import annotations

from fsmooth.core.build import build
from fsmooth.core.nodes.declaration import Nodes
from fsmooth.core.shape import size_of
from fsmooth.core.term import Get, MakeTuple, Term, Verb
from fsmooth.core.trees import holds_nodes
from fsmooth.core.types import Array, Tuple, Type, has_float
from fsmooth.frontend.python.conversion import project
from fsmooth.frontend.python.kinds import is_same_record


def whole_again(found: Term, verb: Verb, single: bool, along: list[Term]) -> Term:
    """What a verb gives, its gradients with the nodes of the arguments that they are with respect to."""
    if not any([holds_nodes(argument.type) for argument in along]) or verb in (Verb.JVP, Verb.VJP):
        return found
    if verb is Verb.VALUE_AND_GRAD:
        return MakeTuple((project(found, 0), whole_again(project(found, 1), Verb.GRAD, single, along)))
    if single:
        return _with_nodes(found, along[0])
    return MakeTuple(tuple([_with_nodes(project(found, k), argument) for k, argument in enumerate(along)]))


def _with_nodes(gradient: Term, argument: Term) -> Term:
    """A gradient with the nodes of an argument."""
    if not holds_nodes(argument.type):
        return gradient
    assert isinstance(argument.type, Tuple)
    assert isinstance(gradient.type, Tuple)
    record, count = argument.type.record, len(argument.type.items)
    pairs = [(project(gradient, k), project(argument, k)) for k in range(count)]
    if isinstance(record, Nodes):
        columns = record.declaration
        items = [own if k == 0 or columns.is_structure(k - 1) else part for k, (part, own) in enumerate(pairs)]
    else:
        items = [_with_nodes(part, own) for part, own in pairs]
    types = tuple([item.type for item in items])
    return MakeTuple(tuple(items), Tuple(types, argument.type.names, record))


def without_structure(given: Term, argument: Term, wanted: Type) -> Term:
    """A tangent in the structure of an argument with trees in it, without the nodes, which have none."""
    if not isinstance(given.type, Tuple) or not isinstance(argument.type, Tuple) or not holds_nodes(argument.type):
        return given
    assert isinstance(wanted, Tuple)
    if len(given.type.items) != len(wanted.items) or not is_same_record(given.type.record, wanted.record):
        return given
    is_tree = isinstance(wanted.record, Nodes)
    parts = []
    for k, type_ in enumerate(wanted.items):
        part, own = project(given, k), project(argument, k)
        is_empty = is_tree and not has_float(type_)
        parts.append(_nothing(own, type_) if is_empty else without_structure(part, own, type_))
    return MakeTuple(tuple(parts), wanted)


def _nothing(argument: Term, type_: Type) -> Term:
    """The tangent of integers and truth values."""
    if isinstance(type_, Array):
        return build(size_of(argument), lambda i: _nothing(Get(argument, i), type_.element))
    return MakeTuple(())
