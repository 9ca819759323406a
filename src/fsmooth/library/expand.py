"""A library function by its name, on given arguments, as a term."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from fsmooth.core import primitives as p
from fsmooth.core.term import NOWHERE, IllTyped, Lam, Let, Site, Term, Var
from fsmooth.core.types import Function, Type, rank_of
from fsmooth.frontend import text as front
from fsmooth.frontend.text import tree
from fsmooth.frontend.text.elaborate import Elaborator
from fsmooth.frontend.text.mistakes import TextError
from fsmooth.frontend.text.values import Closure, Native, Scope, Value
from fsmooth.library.axes import along, has_axis
from fsmooth.library.definitions import definition, scalar_names, sources
from fsmooth.library.dispatch import BY_RANK, SPECIAL, by_rank, special
from fsmooth.library.elementwise import ALIASES, elementwise, is_elementwise
from fsmooth.library.inlining import LibraryElaborator, WrongArguments


def expand(name: str, arguments: Sequence[Term | Callable[..., Term]], site: Site = NOWHERE) -> Term:
    """The library function `name` inlined on `arguments`; functions among them take terms to a term.

    An argument that is evaluated more than once is bound by a `let` unless it is a constant or a path.  Where
    sizes must agree and are not the same term, the result requires it at `site`.

    Raises:
        WrongArguments: if `name` does not take such arguments (number, rank, element type, sizes).

    >>> from fsmooth.core.types import Array, F64
    >>> expand("zeros", (Var("v", Array(F64)),))
    Traceback (most recent call last):
    fsmooth.library.inlining.WrongArguments: zeros wants a size or a tuple of sizes, not a Array<Float>

    """
    return _expand(name, [a if isinstance(a, Term) else Native(_on_terms(a)) for a in arguments], site)


def _on_terms(function: Callable[..., Term]) -> Callable[[list[Value]], Term]:
    def apply(values: list[Value]) -> Term:
        terms = [v for v in values if isinstance(v, Term)]
        if len(terms) != len(values):
            raise WrongArguments("a function is given to a function that takes values")
        return function(*terms)

    return apply


def _expand(name: str, values: list[Value], site: Site = NOWHERE) -> Term:
    elaborator = LibraryElaborator(site)
    try:
        terms = [v for v in values if isinstance(v, Term) and not isinstance(v.type, Function)]
        if len(terms) == len(values):
            if has_axis(name, terms):
                return along(name, terms[0], terms[1], lambda vector: _expand(name, [vector], site))
            if name in SPECIAL:
                return special(elaborator, name, terms)
            if name in BY_RANK:
                return by_rank(elaborator, name, terms)
            if is_elementwise(name):
                return elementwise(elaborator, name, terms)
        head = definition(name)
        if head is None:
            raise WrongArguments(f"{name} is not in the library, or does not take functions")
        return elaborator.call(head, values, tree.Node(0, 0))
    except (TextError, IllTyped) as error:
        message = error.message if isinstance(error, TextError) else str(error)
        raise WrongArguments(message if message.startswith(name) else f"{name}: {message}") from None


@cache
def names() -> frozenset[str]:
    """Every name that `expand` knows."""
    return frozenset({*sources(), *scalar_names(), *SPECIAL, *BY_RANK, *ALIASES, *p.TABLE})


def parse(text: str, environment: Mapping[str, Var | Type] | None = None, expected: Type | None = None) -> Term:
    """`frontend.text.parse` of a program that may use M̃.

    >>> from fsmooth.core.types import Array, F64
    >>> parse("vectorSum (vectorMap v sin)", {"v": Array(F64)}).type
    Float
    """
    term = front.parse(text, environment, expected, lambda text: ProgramElaborator(text, _find))
    if isinstance(term, Let) and isinstance(term.body, Lam):
        return Lam(term.body.parameters, Let(term.bindings, term.body.body))
    return term


class ProgramElaborator(Elaborator):
    """Functions that a `let` names are inlined even if their parameters carry types: a program is one function."""

    def definition(self, node: tree.Binding, scope: Scope) -> Value:
        """The value of one let."""
        if isinstance(node.value, tree.Fun):
            return Closure(node.value, dict(scope), self.text, node.names[0])
        return super().definition(node, scope)

    def on_arrays(self, name: str, arguments: list[Term]) -> Term | None:
        """Element by element, if there is an array among them."""
        return on_arrays(name, arguments, self.site)


def _find(name: str) -> Value | None:
    return function_named(name, lambda: NOWHERE)


def function_named(name: str, site: Callable[[], Site]) -> Value | None:
    """The function of M̃ of that name, which fails where it is used."""
    if name not in names() or name in p.TABLE:
        return None
    return Native(lambda values: _expand(name, values, site()), name)


def on_arrays(name: str, arguments: list[Term], site: Site) -> Term | None:
    """A function of numbers element by element, if there is an array among the arguments."""
    return _expand(name, list(arguments), site) if any([rank_of(a.type) for a in arguments]) else None
