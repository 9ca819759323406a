"""Terms for the metavariables of a law: as general as can be, or random.

*Opaque*: a metavariable is a function of which nothing is known, applied to its arguments; so the two sides are
the law itself.  *Random*: it is a random term of its type, with variables shared between metavariables.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from functools import cache

from msgspec import Struct

from fsmooth.core import primitives as p
from fsmooth.core.subst import refresh, substitute
from fsmooth.core.term import (
    App,
    Build,
    Check,
    Const,
    Delta,
    Get,
    If,
    IllTyped,
    Length,
    MakeTuple,
    Prim,
    Proj,
    Require,
    Site,
    Term,
    Update,
    Var,
    Vector,
)
from fsmooth.core.traverse import subterms
from fsmooth.core.types import BOOL, F64, INT, Array, Bool, Float, Function, Int, Linear, Tuple, Type, has_map
from fsmooth.errors import LawError
from fsmooth.frontend.text import TextError, parse
from fsmooth.frontend.text.exact import Exact
from fsmooth.frontend.text.values import Native, Value
from fsmooth.laws.equations import Equation, Kind
from fsmooth.laws.maps import SIZE, map_term
from fsmooth.laws.random_terms.generator import Generator

VECTOR = Array(F64)
ANY: tuple[Type, ...] = (F64, INT, BOOL, VECTOR, Tuple((F64, INT)))
BY_NAME: dict[str, Type] = {
    **dict.fromkeys("ijklmn", INT),
    **dict.fromkeys("cd", BOOL),
    "x": F64,
    "y": F64,
    "v": VECTOR,
}
"""Types that the letters of metavariables mean; other letters stand for terms of any type."""

Types = dict[str, Type]
Holes = tuple[Var, ...]


class Instance(Struct, frozen=True):
    """Both sides of a law, and what is known, with terms for the metavariables."""

    left: Term
    right: Term
    known: tuple[Term, ...]


class Opaque:
    """Metavariables as unknown functions of their arguments."""

    def __init__(self, equation: Equation, types: Types, heads: tuple[type, ...], rng: random.Random) -> None:
        self.equation = equation
        self.types = types
        self.heads = heads
        self.rng = rng
        self.made: dict[str, tuple[Holes, Term]] = {}

    def find(self, name: str) -> Value | None:
        """What a name in the law stands for."""
        if name not in self.equation.arity:
            return None
        if self.equation.arity[name] == 0:
            return refresh(self.of(name, ())[1])
        return Native(lambda values: self.applied(name, values), name)

    def applied(self, name: str, values: list[Value]) -> Term:
        """The metavariable with its arguments for its holes."""
        terms = [v for v in values if isinstance(v, Term)]
        holes, body = self.of(name, tuple([t.type for t in terms]))
        return substitute(refresh(body), dict(zip(holes, terms, strict=True)))

    def of(self, name: str, arguments: tuple[Type, ...]) -> tuple[Holes, Term]:
        """The term of a metavariable, made where it is met first."""
        if name not in self.made:
            holes = tuple([Var(f"{name}{k}", t) for k, t in enumerate(arguments)])
            kind = self.equation.kinds.get(name)
            body = self.make(name, holes) if kind is None else self.make_kind(kind, name, holes)
            self.made[name] = holes, body
        return self.made[name]

    def make(self, name: str, holes: Holes) -> Term:
        """A term that is nothing but the metavariable."""
        function = Var(name, Function(tuple([h.type for h in holes]), self.types[name]))
        return App(function, holes)

    def make_kind(self, kind: Kind, name: str, holes: Holes) -> Term:
        """A term of a kind that `where` wants."""
        match kind:
            case Kind.VARIABLE | Kind.TOTAL:
                return Var(name, self.types[name])
            case Kind.SMALL:
                scope = [h for h in holes if h.type == F64]
                return small(self.rng, [*scope, Var(name, F64)], 2)
            case Kind.STRICT:
                contexts = [c for c in strict(holes[0]) if isinstance(c, self.heads)]
                return self.rng.choice(contexts)


class Random(Opaque):
    """Metavariables as random terms, none of which is of a form that a law could look for."""

    def __init__(self, equation: Equation, types: Types, heads: tuple[type, ...], rng: random.Random) -> None:
        super().__init__(equation, types, heads, rng)
        self.shared = [Var("u", VECTOR), Var("v", VECTOR), Var("x", F64), Var("y", F64), Var("n", INT), Var("k", INT)]

    def make(self, name: str, holes: Holes) -> Term:
        generator = Generator(self.rng, [*holes, *holes, *self.shared])
        return general(generator, self.types[name], 2)

    def make_kind(self, kind: Kind, name: str, holes: Holes) -> Term:
        if kind is not Kind.TOTAL:
            return super().make_kind(kind, name, holes)
        if self.types[name] == BOOL:
            return Prim(p.less, (small(self.rng, self.shared, 1), small(self.rng, self.shared, 1)))
        return Prim(
            self.rng.choice((p.add, p.multiply)), (self.rng.choice(self.shared[-2:]), Const(self.rng.randint(1, 3)))
        )


def general(generator: Generator, type_: Type, depth: int) -> Term:
    """A random term whose root no law looks at; sometimes one that fails for some values of its variables."""
    rng = generator.rng
    if has_map(type_):
        return _map(generator, type_, depth)
    inner = generator.term(type_, depth)
    match type_:
        case Float():
            if rng.random() < 0.2:
                inner = Require(Prim(p.less, (generator.term(F64, 0), Const(0.5))), inner)
            return Prim(p.sin, (inner,))
        case Int():
            if rng.random() < 0.2:
                inner = Check(inner, Const(3), Site("planted"))
            return Prim(p.minimum, (inner, Const(4)))
        case Bool():
            while not isinstance(inner, Prim) or inner.primitive in (p.equal, p.not_equal, p.logical_not):
                inner = generator.term(type_, depth)
            return inner
        case Tuple(items):
            return MakeTuple(tuple([general(generator, t, depth) for t in items]))
        case _:
            condition = Prim(p.less, (generator.term(F64, 0), Const(0.1)))
            return If(condition, inner, generator.like(generator.build(F64)(1), inner))


def _map(generator: Generator, type_: Type, depth: int) -> Term:
    """A linear map, or an array or tuple of them."""
    match type_:
        case Linear():
            return map_term(type_, lambda: general(generator, F64, depth))
        case Array(element):
            return Build(Const(SIZE), Var("i", INT), general(generator, element, depth))
        case Tuple(items):
            return MakeTuple(tuple([general(generator, t, depth) for t in items]))
    raise AssertionError(type_)


def small(rng: random.Random, scope: list[Var], depth: int) -> Term:
    """Arithmetic on the variables of real type."""
    numbers = [v for v in scope if v.type == F64]
    if depth == 0:
        return rng.choice(numbers)
    operation = rng.choice((p.add, p.multiply))
    return Prim(operation, (small(rng, scope, depth - 1), Prim(p.sin, (rng.choice(numbers),))))


def strict(hole: Var) -> list[Term]:
    """Operations with an argument that is always evaluated."""
    x, n, k, v = Var("x", F64), Var("n", INT), Var("k", INT), Var("v", VECTOR)
    contexts: list[Term] = [MakeTuple((hole, x)), MakeTuple((k, hole)), Vector((hole, hole.renamed()))]
    contexts.append(App(Var("g", Function((hole.type, INT), F64)), (hole, k)))
    match hole.type:
        case Float():
            contexts += [Prim(p.sin, (hole,)), Prim(p.subtract, (x, hole)), Prim(p.less, (hole, x))]
            contexts += [Vector((x, hole)), Delta(n, k, hole), Update(v, k, hole)]
        case Int():
            contexts += [
                Prim(p.add, (hole, k)),
                Prim(p.to_float, (hole,)),
                Get(v, hole),
                Check(hole, n),
                Check(k, hole),
            ]
            contexts += [Delta(hole, k, x), Delta(n, hole, x), Update(v, hole, x)]
        case Bool():
            contexts += [Prim(p.logical_not, (hole,)), Prim(p.select, (hole, x, x))]
        case Array():
            contexts += [Get(hole, k), Length(hole), Update(hole, k, x)]
        case Tuple():
            contexts += [Proj(hole, 1), Proj(hole, 0)]
    return contexts


@cache
def assignments(equation: Equation, heads: tuple[type, ...]) -> list[Types]:
    """The types that the metavariables can have."""
    names = [n for n in equation.arity if equation.kinds.get(n) is not Kind.STRICT]
    choices = [(equation.types[n],) if n in equation.types else (BY_NAME[n],) if n in BY_NAME else ANY for n in names]
    found = [dict(zip(names, types, strict=True)) for types in itertools.product(*choices)]
    return [t for t in found if instance(equation, Opaque(equation, t, heads, random.Random(0))) is not None]


def instance(equation: Equation, metavariables: Opaque) -> Instance | None:
    """Both sides of the law; None if it has no type, or only with conversions that it does not write."""

    def term(text: str) -> Term:
        return parse(text, elaborator=lambda written: Exact(written, metavariables.find))

    try:
        left, right = term(equation.left), term(equation.right)
        known = tuple([term(condition) for condition in equation.known])
    except (TextError, IllTyped, IndexError):
        return None
    if left.type != right.type or (isinstance(metavariables, Opaque) and _converted(equation, left, right)):
        return None
    return Instance(left, right, known)


def _converted(equation: Equation, *terms: Term) -> bool:
    if "to_float" in equation.left or any([k is Kind.STRICT for k in equation.kinds.values()]):
        return False
    conversions = [t for s in terms for t in subterms(s) if isinstance(t, Prim) and t.primitive is p.to_float]
    return bool(conversions)


Maker = Callable[[Equation, Types, tuple[type, ...], random.Random], Opaque]


def instances(
    name: str, equation: Equation, heads: tuple[type, ...], maker: Maker, seed: int, most: int
) -> list[Instance]:
    """Up to `most` instances of a law, over the types that it can have."""
    rng = random.Random(f"{name} {equation} {seed}")
    possible = list(assignments(equation, heads))
    if not possible:
        raise LawError(f"{equation} has no type")
    rng.shuffle(possible)
    found = []
    for k in range(most):
        made = instance(equation, maker(equation, possible[k % len(possible)], heads, rng))
        if made is not None:
            found.append(made)
    return found
