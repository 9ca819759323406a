"""Removal of derivatives, innermost first (design §3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, cast

from fsmooth.core.shape import Ragged
from fsmooth.core.subst import refresh
from fsmooth.core.term import App, Const, Custom, Deriv, Lam, Let, Method, Proj, Require, Term, Var, Verb, let
from fsmooth.core.traverse import subterms, transform
from fsmooth.differentiate.choose import Choice, Known, Sizes, chosen
from fsmooth.differentiate.compare import Candidate, OnItsWay, compared, is_close
from fsmooth.differentiate.custom import Ready, sealed
from fsmooth.differentiate.definitions import Prepared
from fsmooth.differentiate.deriv import forward
from fsmooth.differentiate.derivatives import NoDerivative, OfSaved
from fsmooth.differentiate.reverse.verbs import reverse
from fsmooth.differentiate.saving import Calls


class Before(Protocol):
    """What is done to a function before it is differentiated."""

    def __call__(self, term: Term) -> Term:
        """The function as either mode wants it, and as the mode is chosen."""

    def run_once(self, term: Term) -> Term:
        """The same as a derivative wants it that runs it once, not once for each direction."""

    def alone(self, term: Term, static_sizes: Sizes) -> OnItsWay:
        """A derivative as it is optimised where it is compiled alone, to compare what it costs."""


class Removal:
    """Derivatives removed from terms.  A function is simplified before it is differentiated, so that what is
    differentiated is fused; nested derivatives go innermost first, each with fresh variables, so perturbations
    are never confused (paper 000, §4.3).  Each has a mode of its own: `choices` says which and why.
    """

    def __init__(
        self, before: Before, sizes: Sizes | None = None, auto: Method = Method.AUTO, calls: Calls = Calls.SAVE
    ) -> None:
        """`auto` is the mode where there is a choice; if it is `AUTO`, the one that is predicted to be cheaper.  `calls`: what
        calls do for their way back.
        """
        self.before = before
        self.ready = Ready(lambda rule: before.run_once(before(rule)))
        self.prepared = Prepared(lambda f: cast(Lam, before.run_once(before(self.run(f)))))
        self.auto = auto
        self.calls = calls
        self.known = Known({} if sizes is None else sizes)
        self.choices: list[Choice] = []
        self.compared: list[Candidate] = []
        self.is_nested = False

    def run(self, term: Term) -> Term:
        """`term` without `Deriv`.

        Raises:
            NoDerivative: for a construct or primitive without a derivative.

        """
        term = self.prepared(term)
        self.is_nested = self.is_nested or _is_nested(term)
        self.known.enter(term)

        def change(term: Term) -> Term:
            if isinstance(term, Custom):
                return sealed(term)
            return self.removed(term) if isinstance(term, Deriv) else term

        return transform(term, change)

    def called(self, term: Lam, sizes: Mapping[tuple[int, int], int]) -> Candidate | None:
        """The derivative of which a program is only a call with its own arguments, if it was made to be compared.

        What is required of the arguments must hold with these sizes; else the optimiser would learn from it.
        """
        body = term.body
        while isinstance(body, Require) and self._holds(body.condition, term.parameters, sizes):
            body = body.body
        match body:
            case Let(((var, App(Lam() as function, arguments)),), result) if result is var:
                taken = [way for way in self.compared if way.derivative is function and way.sizes == sizes]
                return taken[0] if taken and arguments == term.parameters else None
            case _:
                return None

    def _holds(self, condition: Term, parameters: tuple[Var, ...], sizes: Mapping[tuple[int, int], int]) -> bool:
        """Does a condition hold wherever arguments have these sizes?"""
        way = self.before.alone(
            Lam(parameters, condition), {(parameters[k], axis): n for (k, axis), n in sizes.items()}
        )
        simple = way.simplified()
        return isinstance(simple, Lam) and isinstance(simple.body, Const) and simple.body.value is True

    def removed(self, deriv: Deriv) -> Lam:
        """The function that a derivative stands for; there are no others inside."""
        before = deriv.function
        function = self.before(before)
        if not isinstance(function, Lam):
            raise NoDerivative("what is differentiated must be a function known at compile time")
        if isinstance(before, Lam):
            renamed = zip(function.parameters, before.parameters, strict=True)
            self.known.definitions.update({new: old for new, old in renamed if new is not old})
        known = Deriv(function, deriv.wrt, deriv.verb, deriv.method, deriv.single, deriv.checkpoint)
        return self._second(known) if deriv.verb is Verb.HVP else self._first(known)

    def _first(self, deriv: Deriv) -> Lam:
        choice = chosen(deriv, self.known)
        if not choice.is_forced and self.auto not in (Method.AUTO, choice.method):
            choice = choice.instead("an array of arrays of different sizes in the other mode")
        if choice.is_forced:
            self.choices.append(choice)
            return self._made(deriv, choice.method)
        try:
            if self.auto is Method.AUTO and is_close(choice, cast(Lam, deriv.function)):
                function = cast(Lam, deriv.function)
                alone = self.before.alone
                choice, taken = compared(choice, function, lambda way: self._made(deriv, way), self.known, alone)
                self.choices.append(choice)
                self.compared.append(taken)
                return taken.derivative
        except OfSaved:
            raise
        except (NoDerivative, Ragged):
            pass  # one of the modes cannot: the prediction stands
        self.choices.append(choice)
        try:
            return self._made(deriv, choice.method)
        except OfSaved:
            raise
        except NoDerivative as error:
            return self._otherwise(deriv, choice, str(error))

    def _otherwise(self, deriv: Deriv, choice: Choice, why: str) -> Lam:
        """The derivative where the mode that was chosen has none: in the place of reverse mode by a tape, which has no derivative
        itself; if that has none either, in the other mode.
        """
        if choice.method is Method.REVERSE and not self.is_nested and deriv.verb in _BY_TAPE:
            self.choices[-1] = choice.instead(why, Method.TAPE)
            try:
                return self._made(deriv, Method.TAPE)
            except NoDerivative:
                pass  # as if there were no tape
        self.choices[-1] = choice.instead(why)
        return self._made(deriv, self.choices[-1].method)

    def _made(self, deriv: Deriv, method: Method) -> Lam:
        """The derivative by one mode."""
        is_run_once = method is not Method.FORWARD or deriv.verb is Verb.JVP
        function = self.before.run_once(deriv.function) if is_run_once else deriv.function
        ready = self.ready.rules(function, method)
        made = Deriv(ready, deriv.wrt, deriv.verb, deriv.method, deriv.single, deriv.checkpoint)
        if method is Method.REVERSE:
            return reverse(made, self.calls)
        if method is Method.CONTINUATIONS:
            from fsmooth.differentiate.continuations.compiled import on_records  # noqa: PLC0415  (loaded where it is asked for)

            return on_records(reverse(made, self.calls))
        if method is Method.TAPE:
            from fsmooth.differentiate.tape.verbs import tape  # noqa: PLC0415  (loaded where it is asked for)

            return tape(made)
        return forward(made)

    def _second(self, deriv: Deriv) -> Lam:
        """The Hessian times tangents: the tangent, in forward mode, of the gradient."""
        function = cast(Lam, deriv.function)
        if deriv.method is Method.TAPE:
            return self._second_by_tape(deriv)
        self.is_nested = True
        gradient = self.removed(Deriv(function, deriv.wrt, Verb.GRAD, deriv.method, deriv.single, deriv.checkpoint))
        along = self.removed(Deriv(gradient, deriv.wrt, Verb.JVP, Method.FORWARD, deriv.single))
        parameters = tuple([Var(q.name, q.type, q.site) for q in along.parameters])
        pair = Var("pair", along.body.type)
        body = let(((pair, App(along, parameters)),), Proj(pair, 1))
        return cast(Lam, refresh(Lam(parameters, body)))

    def _second_by_tape(self, deriv: Deriv) -> Lam:
        """The same as the gradient, by a tape, of the tangent: a tape of dual numbers is not needed."""
        along = self.removed(Deriv(deriv.function, deriv.wrt, Verb.JVP, Method.FORWARD, deriv.single))
        parameters = tuple([Var(q.name, q.type, q.site) for q in along.parameters])
        pair = Var("pair", along.body.type)
        slope = Lam(parameters, let(((pair, App(along, parameters)),), Proj(pair, 1)))
        return self.removed(Deriv(slope, deriv.wrt, Verb.GRAD, Method.TAPE, deriv.single))


_BY_TAPE = (Verb.GRAD, Verb.VALUE_AND_GRAD, Verb.JACOBIAN)


def _is_nested(term: Term) -> bool:
    """Is there a derivative of a derivative?"""
    return any(
        [
            t is not inner and isinstance(inner, Deriv)
            for t in subterms(term)
            if isinstance(t, Deriv)
            for inner in subterms(t)
        ]
    )


def remove_derivatives(term: Term, before: Before) -> Term:
    """`term` without `Deriv`, by `Removal`."""
    return Removal(before).run(term)
