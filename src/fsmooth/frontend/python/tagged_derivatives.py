"""Derivatives of values of one of several kinds, and by them, are of the same kinds.

To the core the tangent of a tag, which is an integer, is the empty tuple.
"""

from __future__ import annotations

import ast

from fsmooth.core.alternatives import holds_alternatives, is_one_of, tagged
from fsmooth.core.build import build, equals, project
from fsmooth.core.shape import size_of
from fsmooth.core.term import Failure, Get, MakeTuple, Require, Term, Verb
from fsmooth.core.types import Array, Tuple, Type
from fsmooth.frontend.python.conversion import Model, convert
from fsmooth.frontend.python.frame import Frame


def tagged_again(found: Term, verb: Verb, single: bool, along: list[Term], value: Term) -> Term:
    """What a verb gives for a function with this value, its derivatives of the kinds of what they are of, or by."""
    match verb:
        case Verb.JVP if holds_alternatives(value.type):
            return MakeTuple((project(found, 0), with_tags(project(found, 1), project(found, 0))))
        case Verb.JACOBIAN:
            return with_tags(found, value)
        case Verb.VALUE_AND_GRAD if any([holds_alternatives(x.type) for x in along]):
            return MakeTuple((project(found, 0), tagged_again(project(found, 1), Verb.GRAD, single, along, value)))
        case Verb.GRAD | Verb.HVP if any([holds_alternatives(x.type) for x in along]):
            if single:
                return with_tags(found, along[0])
            return MakeTuple(tuple([with_tags(project(found, k), x) for k, x in enumerate(along)]))
        case _:
            return found


def with_tags(derivative: Term, value: Term) -> Term:
    """A derivative of a value, or by it, with the tags of the value."""
    match value.type:
        case Array(element) if holds_alternatives(element):
            return build(size_of(value), lambda i: with_tags(Get(derivative, i), Get(value, i)))
        case Tuple(items, names, record) if holds_alternatives(value.type):
            parts = [with_tags(project(derivative, k), project(value, k)) for k in range(len(items))]
            if is_one_of(value.type):
                parts[0] = project(value, 0)
            return MakeTuple(tuple(parts), Tuple(tuple([part.type for part in parts]), names, record))
        case _:
            return derivative


def without_tags(frame: Frame, given: Term, value: Term, wanted: Type, node: ast.AST, what: str) -> Term:
    """A tangent or a cotangent of a value, at the type that is wanted; required to be of the kinds that the value is of."""
    if not holds_alternatives(value.type):
        return convert(frame, given, wanted, node)
    made = convert(frame, given, tagged(wanted), node, [Model(value, lambda term: term)])
    return _untagged(frame, frame.bind(made, what), value, wanted, node, what)


def _untagged(frame: Frame, given: Term, value: Term, wanted: Type, node: ast.AST, what: str) -> Term:
    match wanted:
        case Array(element) if holds_alternatives(element):
            return build(size_of(given), lambda i: _untagged(frame, Get(given, i), Get(value, i), element, node, what))
        case Tuple(items) if holds_alternatives(wanted):
            parts = [
                _untagged(frame, project(given, k), project(value, k), item, node, what) for k, item in enumerate(items)
            ]
            if not is_one_of(wanted):
                return MakeTuple(tuple(parts), wanted)
            agree = equals(project(given, 0), project(value, 0))
            site = frame.site(node, f"TypeError: the {what} is not of the kind that the value is of")
            return Require(agree, MakeTuple((MakeTuple(()), *parts[1:]), wanted), Failure.RAISED, (), site)
        case _:
            return given
