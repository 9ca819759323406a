"""Sums of arrays: what is added up is never an array of arrays, and what is mostly zero is added where it is not."""

from __future__ import annotations

from fsmooth.backend.futhark.code import (
    APPLY,
    ATOM,
    LOW,
    MULTIPLY,
    OR,
    Code,
    Dim,
    Sizes,
    call,
    function,
    indented,
    tupled,
)
from fsmooth.backend.futhark.expressions import chosen
from fsmooth.backend.futhark.scope import After, Branch, Leaf, Named, Scope, as_code, element_of, pattern
from fsmooth.backend.futhark.writer import Writer
from fsmooth.core.term import Build, Const, Delta, If, Let, MakeTuple, Plus, Reduce, Reduction, Term, Zero
from fsmooth.core.types import Array, Tuple, Type, is_scalar


def histogram(writer: Writer, term: Reduce, sizes: Sizes, scope: Scope) -> Code | None:
    """A sum of arrays that are zero but for one number each, by `reduce_by_index`; None for another sum."""
    if not _is_one_number(term.body) or not isinstance(sizes, Dim):
        return None
    n = writer.size(term.size, scope)
    inner = scope.repeated()
    i = writer.index(term.index, inner)
    pair = _place_and_value(writer, term.body, inner)
    places, values = writer.names.fresh("places"), writer.names.fresh("values")
    made = call("tabulate", n, function(i, inner.block(pair)))
    writer.line(f"({places}, {values})", f"unzip ({indented(made)})", scope)
    assert isinstance(term.type, Array)
    zero = writer.zero(term.type.element, None).text
    empty = writer.zero(term.type, sizes).atom
    return Code(call("reduce_by_index", empty, "(+)", zero, places, values), APPLY, sizes)


def _is_one_number(body: Term) -> bool:
    match body:
        case Let(_, inner):
            return _is_one_number(inner)
        case If(_, then, Zero()):
            return _is_one_number(then)
        case Delta(_, _, value):
            return is_scalar(value.type)
        case _:
            return False


def _place_and_value(writer: Writer, body: Term, scope: Scope) -> str:
    """Where, and what; a place of -1 is none."""
    match body:
        case Let(bindings, inner):
            for k, (x, value) in enumerate(bindings):
                writer.bind(x, value, scope, After((*[e for _, e in bindings[k + 1 :]], inner)))
            return _place_and_value(writer, inner, scope)
        case If(condition, then, _):
            test = writer.code(condition, scope, After((then,)))
            block = scope.branch()
            pair = block.block(_place_and_value(writer, then, block))
            nothing = tupled(["-1i64", writer.zero(_number(then), None).text])
            return chosen(test, Code(pair, LOW if block.lines else ATOM), Code(nothing, ATOM)).text
        case Delta(_, index, value):
            place = writer.code(index, scope, After((value,)))
            return tupled([place.at(OR), writer.code(value, scope, After((index,))).at(OR)])
        case _:
            raise AssertionError("no delta")


def _number(body: Term) -> Type:
    assert isinstance(body.type, Array)
    return body.type.element


def accumulated(writer: Writer, term: Reduce, sizes: Sizes, scope: Scope) -> Code:
    """A loop that adds one after the other to what was added before."""
    total = writer.named("sum", term.type, sizes)
    zero = writer.zero(term.type, sizes)
    return Code(_loop(writer, term, total, pattern(total) + f" = {zero.text}", sizes, scope), LOW, sizes)


def _loop(writer: Writer, term: Reduce, total: Named, start: str, sizes: Sizes, scope: Scope) -> str:
    n = writer.size(term.size, scope)
    inner = scope.repeated()
    i = writer.index(term.index, inner)
    body = inner.block(added_to(writer, total, term.body, sizes, inner))
    gap = "\n  " if "\n" in body else " "
    return f"loop {start} for {i} < {n} do{gap}{indented(body)}"


def added_to(writer: Writer, total: Named, term: Term, sizes: Sizes, scope: Scope, after: After | None = None) -> str:
    """The value of a term, added to what is named; that may be changed in place."""
    match term:
        case Let(bindings, body):
            with scope.restored():
                for k, (x, value) in enumerate(bindings):
                    later = (*[e for _, e in bindings[k + 1 :]], body)
                    writer.bind(x, value, scope, After(later, after))
                return added_to(writer, total, body, sizes, scope, after)
        case _ if _is_zero(term):
            return pattern(total)
        case If(condition, then, otherwise):
            test = writer.code(condition, scope, After((then, otherwise), after))
            codes = []
            for part in (then, otherwise):
                block = scope.branch()
                text = block.block(added_to(writer, total, part, sizes, block, after))
                codes.append(Code(text, ATOM if text.isidentifier() else LOW))
            return chosen(test, *codes).text
        case Plus(items):
            *before, last = items
            for k, item in enumerate(before):
                text = added_to(writer, total, item, sizes, scope, After(items[k + 1 :], after))
                total = writer.named("sum", item.type, sizes)
                writer.line(pattern(total), text, scope)
            return added_to(writer, total, last, sizes, scope, after)
        case Reduce(Reduction.SUM, _, _, body) if is_sparse(body):
            inside = writer.named("sum", term.type, sizes)
            return _loop(writer, term, inside, f"{pattern(inside)} = {pattern(total)}", sizes, scope)
        case MakeTuple(items) if isinstance(total, Branch):
            texts = []
            for k, (own, item) in enumerate(zip(total.items, items, strict=True)):
                others = After((*items[:k], *items[k + 1 :]), after)
                texts.append(_in_brackets(added_to(writer, own, item, as_code(own, ATOM).sizes, scope, others)))
            return tupled(texts)
        case Delta(_, index, value) if isinstance(total, Leaf):
            return _added_at(writer, total, index, value, scope, after)
        case _:
            return _whole(writer, total, term, sizes, scope, after)


def _is_zero(term: Term) -> bool:
    """Is nothing added?"""
    match term:
        case Zero():
            return True
        case Const(value):
            return value == 0
        case MakeTuple(items):
            return all(map(_is_zero, items))
        case Build(_, _, body):
            return _is_zero(body)
        case _:
            return False


def is_sparse(body: Term) -> bool:
    """Is it worth while to add it in place, since most of it is zero?"""
    match body:
        case Let(_, inner):
            return is_sparse(inner)
        case If(_, then, otherwise):
            return is_sparse(then) or is_sparse(otherwise)
        case Plus(items):
            return any(map(is_sparse, items))
        case Reduce(Reduction.SUM, _, _, inner):
            return is_sparse(inner)
        case _:
            return isinstance(body, Delta)


def _in_brackets(text: str) -> str:
    return text if text.isidentifier() else f"({indented(text, 1)})"


def _added_at(writer: Writer, total: Leaf, index: Term, value: Term, scope: Scope, after: After | None) -> str:
    """What is zero but at an index, or at an index of a row, is added there alone."""
    indices = [index]
    while isinstance(value, Delta):
        indices.append(value.index)
        value = value.value
    places, sizes = [], total.sizes
    for k, at in enumerate(indices):
        places.append(writer.atom(at, scope, After((value, *indices[k + 1 :]), after), "at").text)
        sizes = element_of(sizes)
    code = writer.fitted(value, scope, sizes, after)
    place = f"[{', '.join(places)}]"
    if isinstance(value.type, Tuple):
        old, new = [writer.named(hint, value.type, code.sizes) for hint in ("old", "new")]
        writer.line(pattern(old), f"{total.name}{place}", scope)
        writer.line(pattern(new), code.text, scope)
        added = writer.sum_of_names(value.type, old, new)
    else:
        added = writer.added(value.type, Code(f"{total.name}{place}", ATOM), code).text
    return f"{total.name} with {place} = {added}"


def _whole(writer: Writer, total: Named, term: Term, sizes: Sizes, scope: Scope, after: After | None) -> str:
    if isinstance(total, Branch):
        code = writer.fitted(term, scope, sizes, after)
        named = writer.named("summand", term.type, sizes)
        writer.line(pattern(named), code.text, scope)
        return writer.sum_of_names(term.type, total, named)
    if is_scalar(term.type):
        return f"{total.name} + {writer.code(term, scope, after).at(MULTIPLY)}"
    return writer.added(term.type, as_code(total, ATOM), writer.fitted(term, scope, sizes, after)).text
