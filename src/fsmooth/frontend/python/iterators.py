"""filter, functools.reduce, itertools, np.ndindex and np.ndenumerate: more to iterate over."""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Callable
from collections.abc import Sequence as SequenceOf

import numpy as np

from fsmooth.core import primitives as p
from fsmooth.core.build import get, minus, plus, times
from fsmooth.core.signs import at_least_zero
from fsmooth.core.term import Check, Const, MakeTuple, Prim, Term
from fsmooth.core.types import rank_of
from fsmooth.errors import ArgumentMismatchError
from fsmooth.frontend.python.displays import tuple_display
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.functions import apply_value, constant_object, keywords
from fsmooth.frontend.python.iterables import iterable, iterable_value
from fsmooth.frontend.python.list_sums import one_after_the_other
from fsmooth.frontend.python.sizes import length_of
from fsmooth.frontend.python.spreading import items_of
from fsmooth.frontend.python.values import Listed, Sequence, Static, Unrolled, Value

MOST = 4096
"""More combinations are not written out."""


def arguments(frame: Frame, node: ast.Call, least: int, most: int, known_here: tuple[str, ...] = ()) -> list[ast.expr]:
    """The positional arguments of a call, which must be as many."""
    keywords(frame, node, known_here)
    if not least <= len(node.args) <= most:
        name = frame.source.segment(node.func)
        wanted = f"{least}" if least == most else f"{least} to {most}"
        what = f"{name} takes {wanted} arguments, not {len(node.args)}"
        frame.fail(ArgumentMismatchError, node, what, "give it as many")
    return node.args


def placed(text: str, node: ast.AST) -> list[ast.stmt]:
    """Statements that stand where `node` does."""
    made = ast.parse(text)
    for part in ast.walk(made):
        ast.copy_location(part, node)
    return made.body


def with_names(frame: Frame, names: dict[str, Value], text: str, result: str, node: ast.AST) -> Value:
    """The value of a name after statements that are run with other names, all of which are forgotten then."""
    saved = dict(frame.names)
    frame.names.update(names)
    for statement in placed(text, node):
        frame.statement(statement)
    value = frame.names[result]
    frame.names.clear()
    frame.names.update(saved)
    return value


def filtered(frame: Frame, node: ast.Call) -> Value:
    """filter(f, xs)."""
    function, over = arguments(frame, node, 2, 2)
    value = frame.expression(function)
    test = "_element" if isinstance(value, Static) and value.value is None else "_function(_element)"
    names: dict[str, Value] = {"_function": value, "_over": iterable(frame, over)}
    return with_names(frame, names, f"_kept = [_element for _element in _over if {test}]", "_kept", node)


def parted(frame: Frame, source: Sequence | Unrolled, node: ast.AST) -> tuple[Value, Sequence | Unrolled]:
    """The first element, and the others."""
    if isinstance(source, Unrolled):
        if not source.items:
            frame.fail(ArgumentMismatchError, node, "there is no first element", "give a value to start with")
        return source.items[0], Unrolled(source.items[1:])
    first = source.element(Check(Const(0), at_least_zero(source.size), frame.site(node, "what is reduced")))
    return first, Sequence(minus(source.size, Const(1)), lambda i: source.element(plus(i, Const(1))))


def reduced(frame: Frame, node: ast.Call) -> Value:
    """functools.reduce(f, xs, start)."""
    function, over, *start = arguments(frame, node, 2, 3)
    value, source = frame.expression(function), iterable(frame, over)
    first, rest = (frame.expression(start[0]), source) if start else parted(frame, source, node)
    names: dict[str, Value] = {"_function": value, "_rest": rest, "_total": first}
    text = "for _element in _rest:\n    _total = _function(_total, _element)"
    return with_names(frame, names, text, "_total", node)


def accumulated(frame: Frame, node: ast.Call) -> Value:
    """itertools.accumulate(xs, f, initial=e)."""
    over, *given = arguments(frame, node, 1, 2, ("initial",))
    initial = [k.value for k in node.keywords]
    source = iterable(frame, over)
    first, rest = (frame.expression(initial[0]), source) if initial else parted(frame, source, node)
    names: dict[str, Value] = {"_rest": rest, "_total": first}
    step = "_total + _element"
    if given:
        names["_function"] = frame.expression(given[0])
        step = "_function(_total, _element)"
    text = f"_all = [_total]\nfor _element in _rest:\n    _total = {step}\n    _all.append(_total)"
    return with_names(frame, names, text, "_all", node)


def product(frame: Frame, node: ast.Call) -> Value:
    """itertools.product(xs, ys, repeat=n)."""
    given = keywords(frame, node, ("repeat",))
    repeat = constant_object(frame, given["repeat"]) if given else 1
    assert isinstance(repeat, int)
    return all_combinations(frame, [iterable(frame, a) for a in node.args] * repeat, node)


def all_combinations(frame: Frame, parts: SequenceOf[Sequence | Unrolled], node: ast.AST) -> Sequence | Unrolled:
    """One element of each, the last fastest."""
    known = [items_of(frame, part, node) for part in parts]
    given = [items for items in known if items is not None]
    count = functools.reduce(lambda n, items: n * len(items), given, 1)
    if len(given) == len(parts) and count <= MOST and any([isinstance(part, Unrolled) for part in parts]):
        return Unrolled(tuple([tuple_display(frame, list(chosen)) for chosen in itertools.product(*given)]))
    if any([isinstance(part, Unrolled) for part in parts]):
        frame.unsupported(node, "a product of tuples and arrays", "write nested loops")
    sequences = [part for part in parts if isinstance(part, Sequence)]
    sizes = [frame.bind(at_least_zero(part.size), "n") for part in sequences]

    def element(i: Term) -> Value:
        chosen: list[Value] = []
        for part, index in zip(sequences, digits(frame, i, sizes), strict=True):
            chosen.append(part.element(index))
        return tuple_display(frame, chosen)

    return Sequence(product_of(sizes), element)


def product_of(sizes: list[Term]) -> Term:
    """How many combinations there are."""
    total: Term = Const(1)
    for size in sizes:
        total = times(total, size)
    return total


def digits(frame: Frame, i: Term, sizes: list[Term]) -> list[Term]:
    """Where the element with the number i is along each axis, the last fastest."""
    found: list[Term] = []
    for size in reversed(sizes[1:]):
        i = frame.bind(i, "i")
        found.insert(0, frame.bind(Prim(p.modulo, (i, size)), "i"))
        i = Prim(p.floor_divide, (i, size))
    return [frame.bind(i, "i"), *found]


def chosen(frame: Frame, node: ast.Call, choose: Callable[..., object]) -> Value:
    """itertools.combinations(xs, r), permutations(xs, r): written out."""
    over, *count = arguments(frame, node, 1, 2)
    items = items_of(frame, iterable(frame, over), over)
    if items is None:
        name = frame.source.segment(node.func)
        frame.unsupported(node, f"{name} of as many as are known only at run time", "write nested loops")
    groups = list(itertools.islice(choose(items, *[constant_object(frame, c) for c in count]), MOST + 1))  # type: ignore[call-overload]
    if len(groups) > MOST:
        frame.unsupported(node, f"more than {MOST} combinations", "write nested loops")
    return Unrolled(tuple([tuple_display(frame, list(group)) for group in groups]))


def chained(frame: Frame, node: ast.Call) -> Value:
    """itertools.chain(xs, ys)."""
    keywords(frame, node, ())
    parts: list[Value] = []
    for argument in node.args:
        source = iterable(frame, argument)
        parts.append(Listed(source.items) if isinstance(source, Unrolled) else as_array(frame, source, argument))
    return one_after_the_other(frame, parts, node)


def as_array(frame: Frame, source: Sequence, node: ast.AST) -> Value:
    """The elements of something iterable as a list."""
    return with_names(frame, {"_over": source}, "_all = [_element for _element in _over]", "_all", node)


def pairwise(frame: Frame, node: ast.Call) -> Value:
    """itertools.pairwise(xs)."""
    (over,) = arguments(frame, node, 1, 1)
    source = iterable(frame, over)
    if isinstance(source, Unrolled):
        return Unrolled(tuple([tuple_display(frame, list(pair)) for pair in itertools.pairwise(source.items)]))
    after = at_least_zero(minus(source.size, Const(1)))
    return Sequence(after, lambda i: tuple_display(frame, [source.element(i), source.element(plus(i, Const(1)))]))


def starmapped(frame: Frame, node: ast.Call) -> Value:
    """itertools.starmap(f, pairs)."""
    function, over = arguments(frame, node, 2, 2)
    value, source = frame.expression(function), iterable(frame, over)

    def apply(element: Value) -> Value:
        return apply_value(frame, value, items_of(frame, element, node) or [], node)

    if isinstance(source, Unrolled):
        return Unrolled(tuple([apply(item) for item in source.items]))
    return Sequence(source.size, lambda i: apply(source.element(i)))


def ndindex(frame: Frame, node: ast.Call) -> Value:
    """np.ndindex(n, m), np.ndindex(x.shape)."""
    keywords(frame, node, ())
    sizes = [frame.value(a) for a in node.args]
    if len(node.args) == 1:
        shape = frame.expression(node.args[0])
        items = items_of(frame, shape, node) if rank_of_value(shape) else None
        sizes = sizes if items is None else [frame.term(item, node) for item in items]
    return all_combinations(frame, [Sequence(size, lambda i: i) for size in sizes], node)


def rank_of_value(value: Value) -> bool:
    """Is it a tuple of sizes, not one of them?"""
    return isinstance(value, Unrolled | Static | MakeTuple) or (isinstance(value, Term) and rank_of(value.type) > 0)


def ndenumerate(frame: Frame, node: ast.Call) -> Value:
    """np.ndenumerate(x): pairs of the indices and the element."""
    (over,) = arguments(frame, node, 1, 1)
    array = frame.bind(frame.value(over), "a")
    sizes = [frame.bind(at_least_zero(length_of(frame, array, node, k)), "n") for k in range(rank_of(array.type))]

    def element(i: Term) -> Value:
        places = digits(frame, i, sizes)
        return MakeTuple((MakeTuple(tuple(places)), get(array, *places)))

    return Sequence(product_of(sizes), element)


def best(frame: Frame, node: ast.Call, over: list[ast.expr], key: ast.expr, find: str) -> Value:
    """max(xs, key=f), min(xs, key=f): the first of the best."""
    function = frame.expression(key)
    source = iterable(frame, over[0]) if len(over) == 1 else Unrolled(tuple([frame.expression(a) for a in over]))
    if isinstance(source, Unrolled):
        source = iterable_value(frame, frame.bind(frame.as_term(Listed(source.items), node), "xs"), node)
        if isinstance(source, Unrolled):
            frame.unsupported(node, "key= over values of unlike types", "compare them in a loop")
    names: dict[str, Value] = {"_function": function, "_over": source, "_find": Static(getattr(np, find))}
    text = "_at = _find([_function(_element) for _element in _over])"
    at = frame.term(with_names(frame, names, text, "_at", node), node)
    return source.element(at)


MORE_ITERATORS: dict[object, Callable[[Frame, ast.Call], Value]] = {
    filter: filtered,
    functools.reduce: reduced,
    itertools.accumulate: accumulated,
    itertools.product: product,
    itertools.combinations: lambda frame, node: chosen(frame, node, itertools.combinations),
    itertools.permutations: lambda frame, node: chosen(frame, node, itertools.permutations),
    itertools.chain: chained,
    itertools.pairwise: pairwise,
    itertools.starmap: starmapped,
    np.ndindex: ndindex,
    np.ndenumerate: ndenumerate,
}
