"""Functions with a derivative of the user's own: their rules, the one that was not given made from the other.

Both rules are linear in the (co)tangents, and each is the transpose of the other, so one is enough: reverse mode with
respect to the (co)tangents turns it round.  A rule is an ordinary term, which later derivatives differentiate like any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, cast

from fsmooth.core.build import zero_like
from fsmooth.core.subst import refresh, substitute
from fsmooth.core.term import App, Custom, Lam, MakeTuple, Method, Sealed, Term, Var, let
from fsmooth.core.term.custom import differentiable, tangents_of
from fsmooth.core.traverse import transform
from fsmooth.core.types import Function, has_float
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.encoding import primal_part, tangent_part, zipped
from fsmooth.differentiate.reverse.region import Transpose, scope
from fsmooth.differentiate.reverse.whole import cotangent_of, region_of


def jvp_of(custom: Custom, how: Transpose) -> Lam:
    """The tangent of the value, from the arguments and the tangents of those that have real numbers."""
    if custom.jvp is not None:
        return _literal(custom.jvp)
    rule, f = _literal(custom.vjp), cast(Function, custom.type)
    *arguments, cotangent = rule.parameters
    moving = [arguments[k] for k in differentiable(f)]
    tangents = [Var(f"{x.name}_t", t) for x, t in zip(moving, tangents_of(f), strict=True)]
    zeros = {cotangent: zero_like(App(custom.function, tuple(arguments)))}
    turned = _turned(rule, MakeTuple(tuple(tangents)), zeros, lambda parts: parts[0], how)
    return Lam((*arguments, *tangents), turned)


def vjp_of(custom: Custom, how: Transpose) -> Lam:
    """A tuple of cotangents of the arguments that have real numbers, from the arguments and the cotangent of the value."""
    if custom.vjp is not None:
        return _literal(custom.vjp)
    rule, f = _literal(custom.jvp), cast(Function, custom.type)
    arguments, tangents = rule.parameters[: len(f.parameters)], rule.parameters[len(f.parameters) :]
    cotangent = Var("cotangent", rule.body.type)
    zeros = {t: zero_like(arguments[k]) for t, k in zip(tangents, differentiable(f), strict=True)}
    turned = _turned(rule, cotangent, zeros, lambda parts: MakeTuple(tuple(parts)), how)
    return Lam((*arguments, cotangent), turned)


class Forward(Protocol):
    """What D⟦·⟧ offers, for by_jvp."""

    def of(self, term: Term) -> Term:
        """D⟦term⟧."""

    def p(self, term: Term) -> Term:
        """P⟦term⟧."""

    def is_active(self, term: Term) -> bool:
        """Has it a tangent that may differ from zero?"""

    def bound(self, name: str, value: Term) -> Term:
        """A name for the value in the current scope."""


def by_jvp(walk: Forward, custom: Custom, arguments: Sequence[Term], how: Transpose) -> Term:
    """D⟦f a⟧ = (P⟦f a⟧, jvp (P⟦a⟧, E⟦a⟧)): the user's rule in place of D⟦f⟧."""
    refuse_active(custom, [x for x in custom.free if walk.is_active(x)])
    primals: list[Term] = []
    tangents: list[Term] = []
    for argument in arguments:
        value = walk.bound("a", walk.of(argument) if walk.is_active(argument) else walk.p(argument))
        is_dual = value.type != argument.type
        primals.append(walk.bound("a", primal_part(value, argument.type)) if is_dual else value)
        if has_float(argument.type):
            moving = tangent_part(value, argument.type) if is_dual else zero_like(primals[-1])
            tangents.append(walk.bound("a_t", moving))
    value = walk.bound("value", App(walk.p(custom), tuple(primals)))
    rule = walk.p(jvp_of(custom, how))
    return zipped(value, walk.bound("value_t", App(rule, (*primals, *tangents))))


def sealed(custom: Custom) -> Custom:
    """The same with its rules sealed, if they can be: what no derivative reads is then never simplified."""
    rules = [rule for rule in (custom.jvp, custom.vjp) if rule is not None]
    if any([rule.free for rule in rules]):
        return custom
    return Sealed(custom.function, custom.jvp, custom.vjp, custom.rule)


class Ready:
    """Makes rules ready for reverse mode, which goes through them backwards or asks which of their steps come first: each
    of them once, and those alone that are read.  A jvp of forward mode is simplified with what it becomes a part of.
    """

    def __init__(self, simplify: Callable[[Term], Term]) -> None:
        self._simplify = simplify
        self._made: dict[Term, Term] = {}

    def rules(self, function: Term, method: Method) -> Term:
        """`function`, in which the rules of the functions that it calls are as a derivative by this mode wants them."""

        def change(term: Term) -> Term:
            if not isinstance(term, Sealed):
                return term
            jvp, vjp = term.jvp, term.vjp
            if vjp is not None and (method is not Method.FORWARD or jvp is None):
                return Sealed(term.function, jvp, self._ready(vjp), term.rule)
            if jvp is not None and method is not Method.FORWARD:
                return Sealed(term.function, self._ready(jvp), vjp, term.rule)
            return term

        return transform(function, change)

    def _ready(self, rule: Term) -> Term:
        found = self._made.get(rule)
        if found is None:
            found = self._simplify(rule)
            self._made[rule] = self._made[found] = found
        return found


def refuse_active(custom: Custom, active: Iterable[Var]) -> None:
    """A rule says nothing of the derivative by what the function mentions beside its arguments."""
    for x in active:
        what = f"{custom.rule.name} has a derivative of its own, and mentions {x.name}, which is differentiated"
        raise NoDerivative(f"{what}\n  hint: make {x.name} an argument of {custom.rule.name}")


def _literal(rule: Term | None) -> Lam:
    if not isinstance(rule, Lam):
        raise NoDerivative("a rule for a derivative must be a function known at compile time")
    return cast(Lam, refresh(rule))


def _turned(
    rule: Lam, seed: Term, zeros: dict[Var, Term], result: Callable[[Sequence[Term]], Term], how: Transpose
) -> Term:
    """A rule, linear in the parameters that `zeros` lists, turned round: their cotangents when its value has `seed`.

    The value of a linear parameter does not matter, only its sizes do: it is taken as zero.
    """
    region = region_of(rule, list(zeros), lambda walk, value: walk.contribute(value, seed), how, wanted=False)
    whole = result([cotangent_of(region, x) for x in zeros])
    return refresh(substitute(scope(region.forward, let(region.backward, whole)), zeros))
