"""A whole program: `entry f [n] (u: [n]f64) …: … = …`, and the functions that it needs (paper 002, §6).

What a caller of Futhark hands over and gets is flat, as everywhere at the boundary: a parameter for each array or number in
a tuple or record, arrays of tuples as several arrays; several results for a tuple.  Sizes that must be equal have one name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from fsmooth.backend.futhark.clauses import CLAUSES
from fsmooth.backend.futhark.code import Code, Dim, Items, Sizes, function, indented, tupled, type_text
from fsmooth.backend.futhark.marks import covered, resolved
from fsmooth.backend.futhark.names import Names
from fsmooth.backend.futhark.prelude import HELPERS, prelude
from fsmooth.backend.futhark.scope import Branch, Leaf, Named, Scope, pattern
from fsmooth.backend.futhark.sizes_of_parameters import Axes, axes_of
from fsmooth.backend.futhark.writer import Writer
from fsmooth.core.shape import Ragged
from fsmooth.core.term import NOWHERE, Lam, Site, Var
from fsmooth.core.types import Array, Data, Function, Linear, Tuple, Type, parts_in, scalars_of, unzipped
from fsmooth.errors import RaggedError


def futhark(term: Lam, name: str, static: Mapping[tuple[int, int], int] | None = None, site: Site = NOWHERE) -> str:
    """The program `term` as Futhark text, with an entry point called `name`.

    `static` gives sizes (by parameter and axis) that are built in.  `site` is where the function is, for what can be shown
    nowhere else.

    Raises:
        UnsupportedError: for what Futhark has no word for.
        RaggedError: for an array whose rows differ in length.

    """
    return definition(term, name, static, site).text("entry")


class Definition(Struct, frozen=True):
    """A function of Futhark: what it needs, the sizes that its types mention, for each parameter of the program the names and
    types of its arrays and numbers, the types of its results, and its body.
    """

    names: Names
    helpers: Sequence[str]
    name: str
    sizes: str
    parameters: Sequence[Sequence[tuple[str, str]]]
    results: Sequence[str]
    body: str

    def text(self, word: str) -> str:
        """All of it, with `def` or `entry`."""
        flat = [f"({name}: {type_})" for leaves in self.parameters for name, type_ in leaves]
        signature = " ".join([f"{word} {self.name}{self.sizes}", *flat])
        whole = f"{signature}: {tupled(list(self.results))} =\n  {indented(self.body)}"
        return "\n\n".join([*self.helpers, whole]) + "\n"


def definition(
    term: Lam, name: str, static: Mapping[tuple[int, int], int] | None = None, site: Site = NOWHERE
) -> Definition:
    """The same as `futhark`, in parts."""
    try:
        return _written(term, name, static or {}, site)
    except Ragged as error:
        raise RaggedError("the rows of an array have different lengths; arrays of Futhark are rectangular") from error


def _written(term: Lam, name: str, static: Mapping[tuple[int, int], int], site: Site) -> Definition:
    names = Names(HELPERS, [x.name for x in term.parameters])
    writer = Writer(CLAUSES, names, site)
    entry = names.fresh(name.strip("_") or "anonymous")
    axes, body = axes_of(term, static)
    scope = Scope()
    parameters = [_parameter(writer, x, axes, scope) for x in term.parameters]
    code = writer.code(body, scope)
    code = _flat(writer, code, body.type, scope)
    result = scope.block(code.text)
    result = resolved(result) if writer.checked else covered(result)
    sizes = "".join([f" [{n}]" for n in axes.names_used])
    results = _resultparts_in(body.type, code.sizes, axes)
    return Definition(names, prelude(writer.helpers), entry, sizes, parameters, results, result)


def _parameter(writer: Writer, var: Var, axes: Axes, scope: Scope) -> list[tuple[str, str]]:
    """The parameters that a variable is made of, with their types; its name in the scope."""
    if any([isinstance(s, Data) for s in _leaves_of(writer, var.type)]):
        writer.refuse("Inject", site=var.site)
    texts: list[tuple[str, str]] = []

    def flat(type_: Type, hint: str, where: tuple[int, ...]) -> Named:
        if isinstance(type_, Tuple):
            names = type_.names or range(len(type_.items))
            parts = enumerate(zip(names, type_.items, strict=True))
            return Branch(tuple([flat(t, f"{hint}_{k}", (*where, at)) for at, (k, t) in parts]))
        leaf = Leaf(writer.names.fresh(hint), axes.sizes(type_, var, where, writer.names))
        texts.append((leaf.name, type_text(type_, leaf.sizes)))
        return leaf

    apart = flat(unzipped(var.type), var.name, ())
    scope.names[var] = _zipped(writer, var.type, apart, var.name, scope)
    return texts


def _leaves_of(writer: Writer, type_: Type) -> Iterator[Type]:
    if isinstance(type_, Function):
        writer.refuse("Lam")
    if isinstance(type_, Linear):
        writer.refuse("a linear map")
    return scalars_of(type_)


def _zipped(writer: Writer, type_: Type, apart: Named, hint: str, scope: Scope) -> Named:
    """Arrays of tuples, made of the arrays that are handed over."""
    if isinstance(type_, Tuple):
        assert isinstance(apart, Branch)
        names = type_.names or range(len(type_.items))
        parts = zip(type_.items, apart.items, names, strict=True)
        return Branch(tuple([_zipped(writer, t, x, f"{hint}_{k}", scope) for t, x, k in parts]))
    if isinstance(apart, Leaf):
        return apart
    sizes, element = _rows(writer, type_, apart)
    name = writer.names.fresh(hint)
    writer.line(name, element, scope)
    return Leaf(name, sizes)


def _rows(writer: Writer, type_: Type, apart: Named, at: str = "") -> tuple[Sizes, str]:
    """An array of tuples as `tabulate`, of elements at some indices."""
    if isinstance(apart, Leaf):
        sizes = apart.sizes
        for _ in range(at.count(",") + 1 if at else 0):
            assert isinstance(sizes, Dim)
            sizes = sizes.element
        return sizes, f"{apart.name}[{at}]" if at else apart.name
    if isinstance(type_, Array):
        n = _length(apart, at)
        i = writer.names.fresh("i")
        sizes, element = _rows(writer, type_.element, apart, f"{at}, {i}" if at else i)
        return Dim(n, sizes), f"tabulate {n} {function(i, element)}"
    assert isinstance(type_, Tuple)
    rows = [_rows(writer, t, x, at) for t, x in zip(type_.items, apart.items, strict=True)]
    return Items(tuple([s for s, _ in rows])), tupled([text for _, text in rows])


def _length(apart: Named, at: str) -> str:
    while isinstance(apart, Branch):
        apart = apart.items[0]
    sizes = apart.sizes
    for _ in range(at.count(",") + 1 if at else 0):
        assert isinstance(sizes, Dim)
        sizes = sizes.element
    assert isinstance(sizes, Dim)
    return sizes.length


def _flat(writer: Writer, code: Code, type_: Type, scope: Scope) -> Code:
    """The result: its numbers and arrays, one after the other."""
    if not isinstance(unzipped(type_), Tuple):
        return code
    if isinstance(type_, Tuple) and not any([isinstance(unzipped(t), Tuple) for t in type_.items]):
        return code
    named = writer.named("result", type_, code.sizes)
    writer.line(pattern(named), code.text, scope)
    texts = list(_columns(writer, type_, named))
    sizes = Items(tuple([s for _, s in texts]))
    return Code(tupled([text for text, _ in texts]), 8, sizes)


def _columns(writer: Writer, type_: Type, named: Named) -> Iterator[tuple[str, Sizes]]:
    if isinstance(named, Branch):
        assert isinstance(type_, Tuple)
        for t, x in zip(type_.items, named.items, strict=True):
            yield from _columns(writer, t, x)
        return
    yield from _column(type_, named.sizes, named.name)


def _column(type_: Type, sizes: Sizes, text: str) -> Iterator[tuple[str, Sizes]]:
    """The columns of an array, by `map (.k)` at each of its levels."""
    if not isinstance(unzipped(type_), Tuple):
        yield text, sizes
    elif isinstance(type_, Array):
        assert isinstance(sizes, Dim)
        for inner, below in _column(type_.element, sizes.element, "x"):
            yield (text if inner == "x" else f"map (\\x -> {inner}) {text}"), Dim(sizes.length, below)
    elif isinstance(type_, Tuple):
        assert isinstance(sizes, Items)
        for k, (t, s) in enumerate(zip(type_.items, sizes.items, strict=True)):
            part = text if len(type_.items) == 1 else f"{text}.{k}"
            yield from _column(t, s, part if part == "x" or not isinstance(unzipped(t), Tuple) else f"({part})")


def _resultparts_in(type_: Type, sizes: Sizes, axes: Axes) -> list[str]:
    """The types of the results; a size that is computed inside has no name outside."""
    flat = list(parts_in(unzipped(type_)))
    parts = sizes.items if isinstance(sizes, Items) else (sizes,)
    return [type_text(t, _seen(s, axes)) for t, s in zip(flat, parts, strict=True)]


def _seen(sizes: Sizes, axes: Axes) -> Sizes:
    if not isinstance(sizes, Dim):
        return sizes
    is_known = sizes.length.isdigit() or sizes.length in axes.names_used
    return Dim(sizes.length if is_known else "", _seen(sizes.element, axes))
