"""Derivatives with respect to trees are trees: their columns of real numbers are derivatives, their nodes those of the tree.

To the core the tangent of a node, which is an integer, is the empty tuple.
"""

from __future__ import annotations

import ast

from fsmooth.core.build import build, equals, project, sum_
from fsmooth.core.nodes.declaration import Nodes
from fsmooth.core.shape import size_of
from fsmooth.core.term import Const, Failure, Get, If, MakeTuple, Require, Term, Verb
from fsmooth.core.trees import holds_nodes
from fsmooth.core.types import INT, Array, Tuple, Type, has_float, leaf_of
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.kinds import is_same_record


def whole_again(found: Term, verb: Verb, single: bool, along: list[Term]) -> Term:
    """What a verb gives, its gradients with the nodes of the arguments that they are with respect to."""
    if verb is Verb.JVP and isinstance(found.type, Tuple) and holds_nodes(found.type.items[0]):
        return MakeTuple((project(found, 0), _with_nodes(project(found, 1), project(found, 0))))
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


def without_structure(frame: Frame, given: Term, argument: Term, wanted: Type, place: ast.AST) -> Term:
    """A tangent in the structure of an argument with trees in it, without the nodes, which have none.

    Its nodes are required to be those of the argument: else its numbers would be taken for those of other nodes.
    """
    if not isinstance(given.type, Tuple) or not isinstance(argument.type, Tuple) or not holds_nodes(argument.type):
        return given
    assert isinstance(wanted, Tuple)
    if len(given.type.items) != len(wanted.items) or not is_same_record(given.type.record, wanted.record):
        return given
    is_tree = isinstance(wanted.record, Nodes)
    parts = []
    agree = _same_nodes(given, argument) if is_tree else None
    holds = None if agree is None else frame.bind(agree, "same_nodes")
    site = frame.site(place, "ValueError: a tangent has the nodes of its argument, class by class and row by row")
    for k, type_ in enumerate(wanted.items):
        part, own = project(given, k), project(argument, k)
        if is_tree and not has_float(type_):
            parts.append(_nothing(own, type_))
        elif holds is not None:
            parts.append(Require(holds, part, Failure.RAISED, (), site))
        else:
            parts.append(without_structure(frame, part, own, type_, place))
    return MakeTuple(tuple(parts), wanted)


def _same_nodes(given: Term, argument: Term) -> Term | None:
    """Are all nodes of a tangent those of its argument?  None if it has none: it is what a derivative gave."""
    assert isinstance(argument.type, Tuple)
    assert isinstance(argument.type.record, Nodes)
    columns = argument.type.record.declaration
    agree: Term = Const(True)
    for k in reversed(range(len(argument.type.items))):
        part, own = project(given, k), project(argument, k)
        if (k == 0 or columns.is_structure(k - 1)) and leaf_of(part.type) == INT:
            agree = If(_equal(part, own), agree, Const(False))
    return None if isinstance(agree, Const) else agree


def _equal(one: Term, other: Term) -> Term:
    """Are two integers, or two arrays of them, equal?"""
    if not isinstance(one.type, Array):
        return equals(one, other)

    def differ(i: Term) -> Term:
        return If(equals(Get(one, i), Get(other, i)), Const(0), Const(1))

    count = size_of(one)
    return If(equals(count, size_of(other)), equals(sum_(count, differ), Const(0)), Const(False))


def _nothing(argument: Term, type_: Type) -> Term:
    """The tangent of integers and truth values."""
    if isinstance(type_, Array):
        return build(size_of(argument), lambda i: _nothing(Get(argument, i), type_.element))
    return MakeTuple(())
