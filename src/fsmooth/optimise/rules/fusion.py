"""Loop fusion (paper 000, Fig. 8c): pull arrays that are indexed or measured are not built."""

from __future__ import annotations

from fsmooth import thresholds
from fsmooth.core.shape import Ragged, size_of
from fsmooth.core.subst import substitute1
from fsmooth.core.term import (
    Build,
    Carrying,
    Check,
    Const,
    Delta,
    Get,
    If,
    Length,
    Prim,
    Proj,
    Term,
    Update,
    Var,
    Vector,
    Zero,
    let,
)
from fsmooth.core.traverse import binds, size_of_tree, subterms
from fsmooth.core.types import Float
from fsmooth.optimise.rules.totality import checked, runs
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.seen_sizes import seen_size
from fsmooth.rewrite.strategy import rule


@rule(
    "(build n (fun i -> e i))[argmax m (fun j -> f j)] ~> let k = argmax m (fun j -> f j) in (build n (fun i -> e i))[k]",
    source="fsmooth",
    heads=Get,
)
def name_index(t: Term, facts: Facts) -> Term | None:
    """What is work to find is found once, however often the element reads its index.  Before `get_build`."""
    match t:
        case Get(Build(_, index) as array, i) if _is_work(i):
            own = index.renamed()
            return let(((own, i),), Get(array, own))
    return None


@rule(
    "(build n (fun i -> e i))[k] ~> e k;  "
    "(build n (fun i -> e))[check k m] ~> require index 0 <= k && k < m, k, m in e where k is a variable",
    source="000, Fig. 8c",
    heads=Get,
)
def get_build(t: Term, facts: Facts) -> Term | None:
    """The index is in bounds by the contract of `get`; an unproved one is a `check`, which stays, or is required."""
    match t:
        case Get(Build(_, index, body), i):
            return substitute1(body, index, i) if index in body.free else checked(i, facts, body)
    return None


@rule(
    "length (build n (fun i -> e i)) ~> n where 0 <= n;  "
    "length (build n (fun i -> e i)) ~> maximum n 0;  "
    "length (delta n i x) ~> n where 0 < n;  "
    "length (zero n m) 1 ~> m where 0 <= m;  "
    "length [a, b] ~> 2;  "
    "length (update a i e) ~> length a where a is a variable",
    source="000, Fig. 8c",
    heads=Length,
)
def length_build(t: Term, facts: Facts) -> Term | None:
    """And the sizes of every other array term (core.shape); a negative size counts as 0."""
    match t:
        case Length(Var() as array, axis):
            definition = facts.definition(array)
            if definition is array:
                return None
            return _size(definition, axis, facts)
        case Length(Proj() as array, axis):
            whole = _defined(array, facts)
            size = _size(whole, axis, facts)
            return (
                size if whole is array or (size is not None and size_of_tree(size) <= thresholds.COPIED_SIZE) else None
            )
        case Length(array, axis):
            return _size(array, axis, facts)
    return None


def _defined(component: Term, facts: Facts) -> Term:
    """A component of a name as that of the loop that the name stands for."""
    if isinstance(component, Proj):
        whole = _defined(component.tuple, facts)
        return component if whole is component.tuple else Proj(whole, component.position)
    definition = facts.definition(component)
    return definition if isinstance(definition, Carrying) else component


@rule("examples: length v ~> k where v has k elements in this compilation", source="design §2", heads=Length)
def length_static(t: Term, facts: Facts) -> Term | None:
    """The length of a parameter that is compiled for one size."""
    match t:
        case Length(Var() as array, axis) if (array, axis) in facts.static_sizes:
            return Const(facts.static_sizes[array, axis])
    return None


@rule("examples: length v ~> length u where length v == length u", source="design §5, facts", heads=Length)
def length_of_equal(t: Term, facts: Facts) -> Term | None:
    """Lengths that are known to be equal are written alike."""
    match t:
        case Length(Var()):
            same = facts.bounds.representative(t)
            return same if isinstance(same, Length) and isinstance(same.array, Var) and same is not t else None
    return None


def _size(array: Term, axis: int, facts: Facts) -> Term | None:
    try:
        size = seen_size(array, axis, facts)
    except Ragged:
        return None
    return None if isinstance(size, Length) and size.array is array else size


@rule("[a, b][0] ~> a;  [a, b][1] ~> b", source="fsmooth", heads=Get)
def get_vector(t: Term, facts: Facts) -> Term | None:
    """An array display at a constant index, also through a name bound to a display of variables."""
    match t:
        case Get(array, i):
            i = facts.definition(i) if isinstance(i, Var) else i
            if isinstance(i, Check):
                i = i.index
            if isinstance(i, Const):
                display = facts.definition(array) if isinstance(array, Var) else array
                if isinstance(display, Vector) and 0 <= i.value < len(display.items):
                    return display.items[int(i.value)]
    return None


@rule(
    "(if c then a else b)[i] ~> if c then a[i] else b[i] where a, b, i are variables",
    source="000, Fig. 8d",
    heads=Get,
)
def get_if(t: Term, facts: Facts) -> Term | None:
    """Only where a branch is an array that indexing makes vanish, and the index is cheap to repeat."""
    match t:
        case Get(If(c, a, b), i) if isinstance(i, Var | Const) and _vanishes(a) and _vanishes(b):
            return If(c, Get(a, i), Get(b, i))
    return None


def _vanishes(array: Term) -> bool:
    return isinstance(array, Build | Vector | Zero | Delta | Var)


@rule(
    "(update a i e)[j] ~> e where i == j;  "
    "(update a i e)[j] ~> a[j] where i < j;  "
    "(update a i e)[j] ~> a[j] where j < i",
    source="fsmooth",
    heads=Get,
)
def get_update(t: Term, facts: Facts) -> Term | None:
    """Where the indices are provably equal or different; also of a name bound to updates by what has names."""
    match t:
        case Get(Update(array, i, value), j):
            if facts.same(i, j):
                return value
            if facts.less(i, j) or facts.less(j, i):
                return Get(array, j)
        case Get(Var() as array, j):
            return _known_element(facts.definition(array), j, facts)
    return None


def _known_element(array: Term, j: Term, facts: Facts) -> Term | None:
    """The name of the element that was set in an array; not what it had before, which would live on for that."""
    while isinstance(array, Update):
        if facts.same(array.index, j):
            return array.value if isinstance(array.value, Var | Const) else None
        if not (facts.less(array.index, j) or facts.less(j, array.index)):
            return None
        array = array.array
    match array:
        case Delta(_, i, Var() | Const() as value) if facts.same(i, j):
            return value
    return None


@rule("build (length a) (fun i -> a[i]) ~> a where a is a variable", source="000, Example 5", heads=Build)
def eta_build(t: Term, facts: Facts) -> Term | None:
    """Copying an array element by element is the array itself, if it is copied whole.

    A row is looked up for each element only; so it must not come to be looked up where there is none.
    """
    match t:
        case Build(size, index, Get(array, i)) if i is index and index not in array.free:
            place = _place(array)
            if place is not None:
                var, indices = place
                try:
                    *around, whole = [size_of(facts.definition(var), axis) for axis in range(len(indices) + 1)]
                except Ragged:
                    return None
                if facts.same(size, whole) and (
                    runs(size, facts) or all([facts.within(i, n) for i, n in zip(indices, around, strict=True)])
                ):
                    return array
    return None


def _place(array: Term) -> tuple[Var, list[Term]] | None:
    """The variable that a part of an array is of, and its indices."""
    indices: list[Term] = []
    while isinstance(array, Get):
        indices.append(array.index)
        array = array.array
    return (array, indices[::-1]) if isinstance(array, Var) else None


def _is_work(index: Term) -> bool:
    """Is it more than reading and the arithmetic of indices?"""
    return any([binds(t) or (isinstance(t, Prim) and isinstance(t.type, Float)) for t in subterms(index)])
