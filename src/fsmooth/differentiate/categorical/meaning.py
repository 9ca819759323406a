"""t ⋄ c: what a form of CL does to an environment (paper 001, Fig. 10), which is the way back to terms.

(Fig. 10 writes (t ⋄ c_x) for the size of ℬ, where c_s is meant.)  What is used more than once is bound, so that
(t ⋄ c₁) ⋄ c₂ computes t ⋄ c₁ once.
"""

from __future__ import annotations

from fsmooth.core.subst import refresh
from fsmooth.core.term import (
    Build,
    Collect,
    Const,
    If,
    IFold,
    IllTyped,
    Lam,
    MakeTuple,
    Proj,
    Reduce,
    Require,
    Term,
    Var,
    While,
    Zero,
    let,
)
from fsmooth.core.types import INT, Tuple
from fsmooth.differentiate.categorical.arrows import (
    Arrow,
    Bind,
    Call,
    Choose,
    Constant,
    Identity,
    Prune,
    Tabulate,
    Then,
    Together,
    environment,
)
from fsmooth.differentiate.categorical.loops import Demand, Filter, Fold, Repeat, Total


def function_of(arrow: Arrow, names: tuple[str, ...] = ()) -> Lam:
    """The function whose parameters are the environment of a form."""
    items = environment(arrow.source).items
    named = [*names, *[f"x{k}" for k in range(len(names), len(items))]]
    parameters = tuple([Var(name, type_) for name, type_ in zip(named, items, strict=True)])
    return Lam(parameters, applied(MakeTuple(parameters), arrow))


def applied(t: Term, arrow: Arrow) -> Term:
    """T ⋄ c.

    Raises:
        IllTyped: if t is not of the type that the form is from.

    """
    if t.type != arrow.source:
        raise IllTyped(f"a {t.type!r} where {arrow.source!r} is wanted")
    return _applied(t, arrow)


def _applied(t: Term, arrow: Arrow) -> Term:
    match arrow:
        case Identity():
            return t
        case Constant(value):
            return value
        case Prune(positions):
            return MakeTuple(tuple([_part(t, k) for k in positions]))
        case Call(function):
            arguments = tuple([_part(t, k) for k in range(len(function.parameters))])
            return _called(function, arguments)
        case Then(first, after):
            bindings: list[tuple[Var, Term]] = []
            middle = _once(_applied(t, first), bindings)
            return let(bindings, _applied(middle, after))
        case Together(items):
            return MakeTuple(tuple([_applied(t, item) for item in items]), arrow.target)
        case Choose(condition, then, otherwise):
            return If(_applied(t, condition), _applied(t, then), _applied(t, otherwise))
        case Bind(name, value, body):
            x = Var(name, value.target)
            return let(((x, _applied(t, value)),), _applied(_with(t, x), body))
        case Tabulate(size, name, body):
            i = Var(name, INT)
            return Build(_applied(t, size), i, _applied(_with(t, i), body))
        case Total(reduction, size, name, body):
            i = Var(name, INT)
            return Reduce(reduction, _applied(t, size), i, _applied(_with(t, i), body))
        case Fold(size, init, (state, index), body):
            s, i = Var(state, init.target), Var(index, INT)
            return IFold(_applied(t, size), _applied(t, init), s, i, _applied(_with(t, s, i), body))
        case Repeat(init, name, condition, body):
            s = Var(name, init.target)
            inside = _with(t, s)
            return While(_applied(t, init), s, _applied(inside, condition), _applied(inside, body))
        case Filter(count, sizes, names, guard, body):
            inside, generators = t, list[tuple[Term, Var]]()
            for size, name in zip(sizes, names, strict=True):
                i = Var(name, INT)
                generators.append((_applied(inside, size), i))
                inside = _with(inside, i)
            return Collect(_applied(t, count), tuple(generators), _applied(inside, guard), _applied(inside, body))
        case Demand(condition, body):
            numbers = tuple([_applied(t, number) for number in arrow.numbers])
            return Require(_applied(t, condition), _applied(t, body), arrow.failure, numbers, arrow.site)
        case _:
            raise TypeError(f"no meaning of {type(arrow).__name__}")


def _called(function: Lam, arguments: tuple[Term, ...]) -> Term:
    """F(t), opened: every argument is used at most once in what `conversion` makes."""
    own = refresh(function)
    assert isinstance(own, Lam)
    if not own.parameters:
        return own.body
    return let(tuple(zip(own.parameters, arguments, strict=True)), own.body)


def _with(t: Term, *added: Term) -> Term:
    """T ▷ x."""
    assert isinstance(t.type, Tuple)
    return MakeTuple((*[_part(t, k) for k in range(len(t.type.items))], *added))


def _part(t: Term, position: int) -> Term:
    return t.items[position] if isinstance(t, MakeTuple) else Proj(t, position)


def _once(t: Term, bindings: list[tuple[Var, Term]]) -> Term:
    """`t`, as names and tuples of names."""
    if isinstance(t, Var | Const | Zero):
        return t
    if isinstance(t, MakeTuple):
        return MakeTuple(tuple([_once(item, bindings) for item in t.items]), t.type)
    var = Var("t", t.type)
    bindings.append((var, t))
    return var
