"""Terms to Futhark: a clause for each constructor, and what the clauses have in common (design, section on Futhark)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from fsmooth.backend.futhark.code import (
    ADD,
    APPLY,
    ATOM,
    LOW,
    MULTIPLY,
    OR,
    Code,
    Dim,
    Items,
    Sizes,
    indented,
    scalar_name,
    tupled,
    type_text,
)
from fsmooth.backend.futhark.marks import region
from fsmooth.backend.futhark.names import Names
from fsmooth.backend.futhark.scope import (
    After,
    Branch,
    Closure,
    Leaf,
    Named,
    Scope,
    as_code,
    is_scalar_tree,
    leaves,
    names_in,
    path,
    pattern,
)
from fsmooth.core import primitives as p
from fsmooth.core.shape import size_of
from fsmooth.core.term import NOWHERE, Call, Const, Get, Length, MapTerm, Prim, Proj, Site, Term, Var
from fsmooth.core.types import Array, Bool, Float, Function, Tuple, Type
from fsmooth.errors import UnsupportedError
from fsmooth.frontend.diagnose import render

Clause = Callable[["Writer", Term, Scope, "After | None"], Code]


class Writer:
    """Writes terms of one program.

    `clauses` has a function for each constructor.  `checked`: something is tested at run time in what was written so far.
    """

    def __init__(self, clauses: dict[type[Term], Clause], names: Names, site: Site = NOWHERE) -> None:
        self.clauses = clauses
        self.names = names
        self.site = site
        self.checked = False
        self.helpers: set[str] = set()

    def code(self, term: Term, scope: Scope, after: After | None = None) -> Code:
        """The text of a term; what it needs a name for is added to the `let`s of the scope."""
        clause = self.clauses.get(type(term))
        if clause is None:
            site = term.header.site if isinstance(term, Call) else NOWHERE
            self.refuse("a linear map" if isinstance(term, MapTerm) else type(term).__name__, site=site)
        return clause(self, term, scope, after)

    def fitted(self, term: Term, scope: Scope, sizes: Sizes, after: After | None = None) -> Code:
        """The same as a value of given sizes, which are tested if they are not written the same."""
        code = self.code(term, scope, after)
        if code.sizes == sizes:
            return code
        self.checked = True
        return Code(f"({code.at(OR)} :> {type_text(term.type, sizes)})", ATOM, sizes, code.aliases)

    def block(self, term: Term, scope: Scope, sizes: Sizes, after: After | None = None) -> Code:
        """A term that is a block of its own, `scope`, with its `let`s."""
        code = self.fitted(term, scope, sizes, after)
        return Code(scope.block(code.text), LOW if scope.lines else code.level, code.sizes, code.aliases)

    def watched(self, write: Callable[[], Code]) -> tuple[Code, bool]:
        """What is written, and whether anything in it is tested at run time."""
        before, self.checked = self.checked, False
        code = write()
        is_checked, self.checked = self.checked, self.checked or before
        return code, is_checked

    def helper(self, name: str) -> str:
        """A function of the prelude that the program uses."""
        self.helpers.add(name)
        return name

    def refuse(
        self, what: str, hint: str = "call the function itself: it is compiled to C", site: Site = NOWHERE
    ) -> NoReturn:
        """What Futhark has no word for is an error at the user's line."""
        where = site if site.file else self.site
        raise UnsupportedError(render(where, f"Futhark has no word for {_REFUSED.get(what, what)}", hint))

    # -- sizes -----------------------------------------------------------------------------------------------------

    def size(self, term: Term, scope: Scope) -> str:
        """A size as a name or a number, which is not negative: array types in Futhark mention it."""
        if isinstance(term, Const):
            return str(max(int(term.value), 0))
        code = self.code(term, scope)
        text = code.text if self.is_natural(term, scope) else f"i64.max 0 {code.atom}"
        if text.isidentifier():
            return text
        if text.removesuffix("i64").isdigit():
            return text.removesuffix("i64")
        if text not in scope.sizes:
            name = self.names.fresh_size()
            scope.lines.append(f"let {name} = {text}")
            scope.sizes[text] = name
        return scope.sizes[text]

    def shape(self, term: Term, scope: Scope) -> Sizes:
        """The sizes of the value of a term, without the term: named before it is evaluated."""
        if isinstance(term.type, Array):
            return Dim(self.size(size_of(term), scope), self.shape(Get(term, Const(0)), scope))
        if isinstance(term.type, Tuple):
            return Items(tuple([self.shape(Proj(term, k), scope) for k in range(len(term.type.items))]))
        return None

    def is_natural(self, term: Term, scope: Scope) -> bool:
        """Is an integer seen not to be negative?"""
        match term:
            case Const(value):
                return value >= 0
            case Length():
                return True
            case Var():
                named = scope.names.get(term)
                return isinstance(named, Leaf) and named.is_natural
            case Prim(operation, arguments) if operation in (p.add, p.multiply):
                return all([self.is_natural(x, scope) for x in arguments])
            case Prim(operation, arguments) if operation is p.maximum:
                return any([self.is_natural(x, scope) for x in arguments])
            case _:
                return False

    # -- names -----------------------------------------------------------------------------------------------------

    def named(self, hint: str, type_: Type, sizes: Sizes) -> Named:
        """New names for a value: one, or one for each component of a tuple."""
        if isinstance(type_, Tuple):
            assert isinstance(sizes, Items)
            names = type_.names or range(len(type_.items))
            parts = zip(names, type_.items, sizes.items, strict=True)
            return Branch(tuple([self.named(f"{hint}_{k}", t, s) for k, t, s in parts]))
        return Leaf(self.names.fresh(hint), sizes)

    def index(self, var: Var, scope: Scope) -> str:
        """A name for the index of a loop."""
        name = self.names.fresh(var.name)
        scope.names[var] = Leaf(name, None, is_natural=True)
        return name

    def bind(self, var: Var, value: Term, scope: Scope, after: After | None) -> None:
        """`let var = value`, in a scope; other names of what has a name already need no `let`."""
        if isinstance(var.type, Function):
            known_function = scope.functions.get(value) if isinstance(value, Var) else None
            scope.functions[var] = known_function or Closure(value, dict(scope.names), dict(scope.functions))
            return
        known = path(value, scope)
        if known is not None:
            scope.names[var] = known
            return
        is_natural = self.is_natural(value, scope)
        named = self.kept(var.name, value, scope, after)
        scope.names[var] = Leaf(named.name, None, is_natural=True) if is_natural and isinstance(named, Leaf) else named

    def kept(self, hint: str, value: Term, scope: Scope, after: After | None) -> Named:
        """The value of a term under names of its own."""
        code, is_checked = self.watched(lambda: self.code(value, scope, after))
        if code.text.isidentifier() and code.sizes is None:
            return Leaf(code.text, None)
        named = self.named(hint, value.type, code.sizes)
        self.line(pattern(named), code.text if is_checked else region(code.text), scope)
        if code.aliases:
            scope.owned -= names_in(value, scope) | code.aliases
        else:
            scope.owned.update([leaf.name for leaf in leaves(named) if leaf.sizes is not None])
        return named

    def line(self, bound: str, text: str, scope: Scope) -> None:
        """One more `let`."""
        scope.lines.append(f"let {bound} =\n  {indented(text)}" if "\n" in text else f"let {bound} = {text}")

    def atom(self, term: Term, scope: Scope, after: After | None, hint: str = "x") -> Code:
        """A term that is mentioned more than once: a name or a constant."""
        code = self.code(term, scope, after)
        if code.level == ATOM and not {" ", "(", "["} & set(code.text):
            return code
        named = self.named(hint, term.type, code.sizes)
        self.line(pattern(named), code.text, scope)
        return as_code(named, ATOM)

    # -- values ----------------------------------------------------------------------------------------------------

    def zero(self, type_: Type, sizes: Sizes) -> Code:
        """The zero of a type."""
        match type_:
            case Array(element):
                assert isinstance(sizes, Dim)
                return Code(f"replicate {sizes.length} {self.zero(element, sizes.element).atom}", APPLY, sizes)
            case Tuple(items):
                assert isinstance(sizes, Items)
                parts = [self.zero(t, s).at(APPLY) for t, s in zip(items, sizes.items, strict=True)]
                return Code(tupled(parts), ATOM, sizes)
            case Bool():
                return Code("false", ATOM)
            case _:
                return Code(f"{'0.0' if isinstance(type_, Float) else '0'}{scalar_name(type_)}", ATOM)

    def added(self, type_: Type, a: Code, b: Code) -> Code:
        """The sum of two arrays, or numbers."""
        if isinstance(type_, Array):
            return Code(f"map2 {self.adder(type_.element)} {a.atom} {b.atom}", APPLY, a.sizes)
        return Code(f"{a.at(ADD)} + {b.at(MULTIPLY)}", ADD)

    def sum_of_names(self, type_: Type, a: Named, b: Named) -> str:
        """The sum of two values that have names."""
        if isinstance(a, Branch) and isinstance(b, Branch) and isinstance(type_, Tuple):
            parts = zip(type_.items, a.items, b.items, strict=True)
            return tupled([self.sum_of_names(*part) for part in parts])
        return self.added(type_, as_code(a, ATOM), as_code(b, ATOM)).text

    def adder(self, type_: Type) -> str:
        """The function that adds values of a type."""
        match type_:
            case Array(element):
                return f"(map2 {self.adder(element)})"
            case Tuple():
                sizes = self.unsized(type_)
                left, right = [self.named(x, type_, sizes) for x in "ab"]
                return f"(\\{pattern(left)} {pattern(right)} -> {self.sum_of_names(type_, left, right)})"
            case _:
                return "(+)"

    def unsized(self, type_: Type) -> Sizes:
        """Sizes for names of which nobody asks them."""
        match type_:
            case Array(element):
                return Dim("", self.unsized(element))
            case Tuple(items):
                return Items(tuple(map(self.unsized, items)))
            case _:
                return None

    def copied(self, code: Code) -> Code:
        """A value in memory of its own."""
        if not code.aliases or is_scalar_tree(code.sizes):
            return code
        return Code(f"copy {code.atom}", APPLY, code.sizes)


_REFUSED = {
    "Call": "a function that calls itself",
    "Inject": "values of recursive data types",
    "Tag": "values of recursive data types",
    "Field": "values of recursive data types",
    "Null": "values of recursive data types",
    "Record": "a tape",
    "RecordSum": "a tape",
    "RecordRegion": "a tape",
    "Taped": "a tape",
    "Swept": "a tape",
    "Retained": "a tape",
    "Pulled": "a tape",
    "Lam": "a function as a value that depends on the data",
}
