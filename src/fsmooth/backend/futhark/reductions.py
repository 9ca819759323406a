"""The clause of sums and their siblings."""

from __future__ import annotations

from fsmooth.backend.futhark.accumulation import accumulated, histogram
from fsmooth.backend.futhark.code import APPLY, ATOM, OR, Code, call, function, scalar_name
from fsmooth.backend.futhark.scope import After, Scope, is_scalar_tree
from fsmooth.backend.futhark.writer import Writer
from fsmooth.core.term import Call, Check, Reduce, Reduction, Require, While
from fsmooth.core.traverse import subterms
from fsmooth.core.types import Float, Tuple

_EXTREMA = {Reduction.MAX: ("maximum", "(-{0}.inf)"), Reduction.MIN: ("minimum", "{0}.inf")}


def reduce_(writer: Writer, term: Reduce, scope: Scope, after: After | None) -> Code:
    match term.reduction:
        case Reduction.SUM:
            return _sum(writer, term, scope, after)
        case Reduction.PRODUCT:
            return Code(call(f"{scalar_name(term.type)}.product", _elements(writer, term, scope)), APPLY)
        case Reduction.MAX | Reduction.MIN:
            return _extremum(writer, term, scope)
        case Reduction.ARGMAX | Reduction.ARGMIN:
            suffix = {"f64": "", "f32": "_f32", "i64": "_i64"}[scalar_name(term.body.type)]
            word = writer.helper(term.reduction.value + suffix)
            return Code(call(word, _elements(writer, term, scope)), APPLY)
        case Reduction.ALL | Reduction.ANY:
            return _decided(writer, term, scope)


def _elements(writer: Writer, term: Reduce, scope: Scope) -> str:
    """What is reduced, as an array: Futhark does not make it."""
    n = writer.size(term.size, scope)
    inner = scope.repeated()
    i = writer.index(term.index, inner)
    body = writer.block(term.body, inner, writer.shape(term.body, inner) if isinstance(term.type, Tuple) else None)
    return f"({call('tabulate', n, function(i, body.text))})"


def _sum(writer: Writer, term: Reduce, scope: Scope, after: After | None) -> Code:
    if not isinstance(term.type, Tuple) and is_scalar_tree(sizes := writer.shape(term, scope)):
        return Code(call(f"{scalar_name(term.type)}.sum", _elements(writer, term, scope)), APPLY)
    sizes = writer.shape(term, scope)
    if is_scalar_tree(sizes):
        zero = writer.zero(term.type, sizes)
        text = call("reduce", writer.adder(term.type), zero.atom, _elements(writer, term, scope))
        return Code(text, APPLY, sizes)
    return histogram(writer, term, sizes, scope) or accumulated(writer, term, sizes, scope)


def _extremum(writer: Writer, term: Reduce, scope: Scope) -> Code:
    name = scalar_name(term.type)
    word, neutral = _EXTREMA[term.reduction]
    elements = _elements(writer, term, scope)
    if not isinstance(term.type, Float):
        return Code(call(f"{name}.{word}", elements), APPLY)
    helper = writer.helper(word if name == "f64" else f"{word}_f32")
    return Code(call("reduce", helper, neutral.format(name), elements), APPLY)


def _decided(writer: Writer, term: Reduce, scope: Scope) -> Code:
    """`all` or `any`; where an element can fail, one after the other, up to the first that decides."""
    word = term.reduction.value
    n = writer.size(term.size, scope)
    inner = scope.repeated()
    i = writer.index(term.index, inner)
    body = writer.block(term.body, inner, None)
    if not any([isinstance(t, Check | Require | While | Call) for t in subterms(term.body)]):
        return Code(call(word, function(i, body.text), f"(iota {n})"), APPLY)
    so_far = writer.names.fresh(word)
    start, open_ = ("true", so_far) if term.reduction is Reduction.ALL else ("false", f"!{so_far}")
    text = f"loop ({so_far}, {i}) = ({start}, 0i64) while {open_} && {i} < {n} do ({body.at(OR)}, {i} + 1)"
    return Code(f"({text}).0", ATOM)
