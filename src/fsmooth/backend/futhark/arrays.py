"""Clauses of arrays: displays, elements, lengths, sparse arrays, updates, sums of arrays, arrays by index."""

from __future__ import annotations

from fsmooth.backend.futhark.accumulation import added_to, is_sparse
from fsmooth.backend.futhark.code import (
    APPLY,
    ATOM,
    LINE,
    LOW,
    OR,
    Code,
    Dim,
    Sizes,
    bracketed,
    call,
    function,
    indented,
)
from fsmooth.backend.futhark.marks import proved
from fsmooth.backend.futhark.scope import After, Leaf, Scope, element_of, is_used, path, sizes_of_names
from fsmooth.backend.futhark.writer import Writer
from fsmooth.core.shape import size_of
from fsmooth.core.term import Build, Check, Delta, Get, Length, Plus, Proj, Term, Update, Vector, Zero
from fsmooth.core.types import Array, Tuple, is_scalar


def build(writer: Writer, term: Build, scope: Scope, after: After | None) -> Code:
    """`tabulate`, of two or three indices where arrays are nested directly."""
    sizes = writer.shape(term, scope)
    nest: list[Build] = [term]
    while isinstance(nest[-1].body, Build) and len(nest) < 3:
        nest.append(nest[-1].body)
    inner = scope.repeated()
    lengths, element = [], sizes
    for _ in nest:
        assert isinstance(element, Dim)
        lengths.append(element.length)
        element = element.element
    indices = [writer.index(t.index, inner) for t in nest]
    body = writer.block(nest[-1].body, inner, element)
    word = "tabulate" if len(nest) == 1 else f"tabulate_{len(nest)}d"
    return Code(call(word, *lengths, function(" ".join(indices), body.text)), APPLY, sizes)


def vector(writer: Writer, term: Vector, scope: Scope, after: After | None) -> Code:
    element = writer.shape(term.items[0], scope)
    codes = []
    for k, item in enumerate(term.items):
        others = (*term.items[:k], *term.items[k + 1 :])
        codes.append(writer.fitted(item, scope, element, After(others, after)).at(OR))
    line = f"[{', '.join(codes)}]"
    if len(line) > LINE or "\n" in line:
        line = "[ " + "\n, ".join(map(indented, codes)) + "\n]"
    return Code(line, ATOM, Dim(str(len(codes)), element))


def get(writer: Writer, term: Get, scope: Scope, after: After | None) -> Code:
    """`a[i, j]`; an index that is proved is not tested."""
    indices: list[Term] = [term.index]
    array = term.array
    while isinstance(array, Get):
        indices.insert(0, array.index)
        array = array.array
    whole = writer.code(array, scope, After(tuple(indices), after))
    sizes, texts, is_checked = whole.sizes, [], False
    for index in indices:
        text, tested = _place(writer, index, sizes, scope, After((array,), after))
        texts.append(text)
        is_checked |= tested
        sizes = element_of(sizes)
    base = whole.text if whole.text.isidentifier() else bracketed(whole.text)
    text = f"{base}[{', '.join(texts)}]"
    writer.checked |= is_checked
    if not is_checked:
        text = proved(text)
    aliases = whole.aliases if not is_scalar(term.type) else frozenset()
    return Code(text, ATOM, sizes, aliases)


def _place(writer: Writer, index: Term, sizes: Sizes, scope: Scope, after: After | None) -> tuple[str, bool]:
    """An index into an array of these sizes, and whether Futhark is to test it, as a check by the length of the array."""
    if isinstance(index, Check) and isinstance(sizes, Dim) and writer.size(index.size, scope) == sizes.length:
        return writer.code(index.index, scope, after).text, True
    return writer.code(index, scope, after).text, False


def length(writer: Writer, term: Length, scope: Scope, after: After | None) -> Code:
    """The name of a size: every array has names for its sizes."""
    sizes = _sizes_of_path(term.array, scope)
    if sizes is None:
        size = size_of(term.array, term.axis)
        if not isinstance(size, Length):
            return _number(writer.size(size, scope))
        sizes = _sizes_of_path(size.array, scope) or writer.code(size.array, scope, after).sizes
    for _ in range(term.axis):
        sizes = element_of(sizes)
    assert isinstance(sizes, Dim)
    return _number(sizes.length)


def _number(size: str) -> Code:
    """A size as an integer: numbers in types have no suffix, which is part of their identity there."""
    return Code(f"{size}i64" if size.isdigit() else size, ATOM)


def _sizes_of_path(array: Term, scope: Scope) -> Sizes:
    """The sizes of a name, of its components and elements."""
    named = path(array, scope)
    if named is not None:
        return sizes_of_names(named)
    if isinstance(array, Get):
        outer = _sizes_of_path(array.array, scope)
        return outer.element if isinstance(outer, Dim) else None
    if isinstance(array, Proj):
        outer = _sizes_of_path(array.tuple, scope)
        return outer.items[array.position] if outer is not None and not isinstance(outer, Dim) else None
    return None


def zero(writer: Writer, term: Zero, scope: Scope, after: After | None) -> Code:
    sizes: Sizes = None
    for size in reversed(term.sizes):
        sizes = Dim(writer.size(size, scope), sizes)
    return writer.zero(term.type, sizes)


def delta(writer: Writer, term: Delta, scope: Scope, after: After | None) -> Code:
    n = writer.size(term.size, scope)
    place = writer.atom(term.index, scope, After((term.value,), after), "at")
    if isinstance(term.value.type, Array | Tuple):
        value = writer.code(term.value, scope, after)
        empty = writer.zero(term.type, Dim(n, value.sizes))
        return Code(f"{empty.atom} with [{place.text}] = {writer.copied(value).at(OR)}", LOW, Dim(n, value.sizes))
    value = writer.atom(term.value, scope, after, "hot")
    j = writer.names.fresh("j")
    body = f"if {j} == {place.atom} then {value.text} else {writer.zero(term.value.type, None).text}"
    return Code(call("tabulate", n, function(j, body)), APPLY, Dim(n, None))


def update(writer: Writer, term: Update, scope: Scope, after: After | None) -> Code:
    """`a with [i] = v`, of a copy unless nothing reads the array afterwards."""
    array = writer.code(term.array, scope, After((term.index, term.value), after))
    sizes = array.sizes
    at, _ = _place(writer, term.index, sizes, scope, After((term.array, term.value), after))
    value = writer.fitted(term.value, scope, element_of(sizes), After((term.array,), after))
    if isinstance(term.value.type, Array | Tuple):
        value = writer.copied(value)
    target = _consumed(array, scope, after)
    return Code(f"{target} with [{at}] = {value.at(OR)}", LOW, sizes)


def _consumed(array: Code, scope: Scope, after: After | None) -> str:
    """An array that may be changed in place."""
    if not array.aliases:
        return array.atom
    if array.text in scope.owned and not is_used(array.text, after, scope):
        scope.consumed.add(array.text)
        return array.text
    return f"(copy {array.atom})"


def plus(writer: Writer, term: Plus, scope: Scope, after: After | None) -> Code:
    """`map2 (+)`; what is mostly zero is added in place to what comes before it."""
    sizes = writer.shape(term, scope)
    total: Code | None = None
    for k, item in enumerate(term.items):
        others = After((*term.items[:k], *term.items[k + 1 :]), after)
        if total is not None and is_sparse(item):
            named = writer.named("sum", term.type, sizes)
            assert isinstance(named, Leaf)
            writer.line(named.name, writer.copied(total).text, scope)
            total = Code(added_to(writer, named, item, sizes, scope, others), LOW, sizes)
            continue
        code = writer.fitted(item, scope, sizes, others)
        total = code if total is None else writer.added(term.type, total, code)
    assert total is not None
    return total
