"""Where an expression stands: the `let`s before it, what its names mean, what may be changed in place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from fsmooth.backend.futhark.code import Code, Dim, Items, Sizes, tupled
from fsmooth.core.term import Length, Proj, Term, Var
from fsmooth.core.traverse import children


class Leaf(Struct, frozen=True):
    """A name of Futhark for a value that is not a tuple, and its sizes.  `is_natural`: an integer that is not negative."""

    name: str
    sizes: Sizes
    is_natural: bool = False


class Branch(Struct, frozen=True):
    """Names for the components of a tuple."""

    items: tuple[Named, ...]


Named = Leaf | Branch


class Closure(Struct, frozen=True):
    """A function, and what its free variables are called where it is written."""

    function: Term
    names: dict[Var, Named]
    functions: dict[Var, Closure]

    def free_names(self) -> set[str]:
        """The names that it mentions."""
        found = {leaf.name for x in self.function.free if x in self.names for leaf in leaves(self.names[x])}
        return found.union(*[self.functions[x].free_names() for x in self.function.free if x in self.functions])


def pattern(named: Named) -> str:
    """What a `let` or a loop binds."""
    return named.name if isinstance(named, Leaf) else tupled([pattern(x) for x in named.items])


def sizes_of_names(named: Named) -> Sizes:
    """The sizes of what is named."""
    return named.sizes if isinstance(named, Leaf) else Items(tuple(map(sizes_of_names, named.items)))


def leaves(named: Named) -> list[Leaf]:
    """All names, left to right."""
    return [named] if isinstance(named, Leaf) else [leaf for x in named.items for leaf in leaves(x)]


class Scope:
    """The `let`s of a block, one after the other, and what is known there.

    `sizes` has a name for each size that has one, by its text; `owned` are names of arrays that nothing else reaches, which
    an update may consume; `consumed` those that were.  A block inside sees what is outside.
    """

    def __init__(self, outer: Scope | None = None, owned: Iterable[str] = ()) -> None:
        self.lines: list[str] = []
        self.names: dict[Var, Named] = dict(outer.names) if outer else {}
        self.functions: dict[Var, Closure] = dict(outer.functions) if outer else {}
        self.sizes: dict[str, str] = dict(outer.sizes) if outer else {}
        self.owned = set(owned)
        self.consumed: set[str] = outer.consumed if outer else set()

    @contextmanager
    def restored(self) -> Iterator[None]:
        """What variables are called is as before in the end: the `let`s stay, but not for those who are not in their scope."""
        names, functions = self.names, self.functions
        self.names, self.functions = dict(names), dict(functions)
        yield
        self.names, self.functions = names, functions

    def branch(self) -> Scope:
        """A block that runs at most once, where this one is."""
        return Scope(self, self.owned)

    def repeated(self, owned: Iterable[str] = ()) -> Scope:
        """A block that runs often: what is outside of it is not consumed there."""
        return Scope(self, owned)

    def block(self, result: str) -> str:
        """The `let`s, then a result."""
        if not self.lines:
            return result
        return "\n".join([*self.lines, f"in {result}"])


class After(Struct, frozen=True):
    """What is evaluated after, or in no order with, an expression: terms, and what is after those."""

    terms: tuple[Term, ...] = ()
    rest: After | None = None

    def and_(self, *terms: Term) -> After:
        """These, too."""
        return After(terms, self) if terms else self


def is_used(name: str, after: After | None, scope: Scope) -> bool:
    """Is an array read by what comes after?"""
    while after is not None:
        if any([name in names_in(t, scope) for t in after.terms]):
            return True
        after = after.rest
    return False


def names_in(term: Term, scope: Scope) -> set[str]:
    """The names that a term mentions otherwise than for their sizes."""
    found: set[str] = set()
    pending = [term]
    while pending:
        t = pending.pop()
        named = path(t, scope)
        if named is not None:
            found.update([leaf.name for leaf in leaves(named)])
        elif isinstance(t, Var) and t in scope.functions:
            found |= scope.functions[t].free_names()
        elif not (isinstance(t, Length) and path(t.array, scope) is not None):
            pending.extend(children(t))
    return found


def path(term: Term, scope: Scope) -> Named | None:
    """What a variable, or a component of one, is called."""
    if isinstance(term, Var):
        return scope.names.get(term)
    if isinstance(term, Proj):
        outer = path(term.tuple, scope)
        if isinstance(outer, Branch):
            return outer.items[term.position]
    return None


def as_code(named: Named, level: int) -> Code:
    """The value of what is named; an array is reached by its name."""
    arrays = frozenset([leaf.name for leaf in leaves(named) if leaf.sizes is not None])
    return Code(pattern(named), level, sizes_of_names(named), arrays)


def is_scalar_tree(sizes: Sizes) -> bool:
    """Is it a scalar, or a tuple of such?"""
    return sizes is None or (isinstance(sizes, Items) and all(map(is_scalar_tree, sizes.items)))


def element_of(sizes: Sizes) -> Sizes:
    """The sizes of an element."""
    assert isinstance(sizes, Dim)
    return sizes.element


def component_of(sizes: Sizes, position: int) -> Sizes:
    """The sizes of a component."""
    assert isinstance(sizes, Items)
    return sizes.items[position]
