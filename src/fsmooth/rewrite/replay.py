"""A recorded derivation, done once more from its start by the definitions of its steps (decision 42).

Each step is found: a place under the same binders, with the term that the record has, up to the names of bound variables.
There it is done anew, by the rule as a function, under the facts that a traversal finds on the way to it; and it has to give what
the record has.  So a replay does not depend on the walks that fired the steps, on their marks and on what they carry along.

A step about a definition is `let x = a in x ~> let y = b in c`: in the scope of x = a, y = b is defined instead, and c takes the
place of x.  If nothing else says that both are the same, substituting y does.  Scopes are read one definition at a time.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from msgspec import Struct

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.definitions import equal_with_definitions
from fsmooth.core.subst import substitute, substitute1
from fsmooth.core.term import Const, Let, Require, Term, Var
from fsmooth.core.traverse import bound_in, children, rebuild, remade, steps, transform
from fsmooth.errors import StrategyError
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.trace import Derivation, Firing, Trace

_LEAVES = (Var, Const)
Path = tuple[int, ...]
StaticSizes = Mapping[tuple[Var, int], int]


def replayed(trace: Trace, start: Term, end: Term) -> Term:
    """The term that all derivations of the trace reach from `start`, each of which is replayed.

    Derivations that are parts of a step, as of a function before it is differentiated, are replayed for themselves.

    Raises:
        StrategyError: if a step cannot be found or gives something else, or if another term than `end` is reached.

    """
    firings = trace.firings
    if firings is None:
        raise StrategyError("this trace has counts, but no steps\n  hint: `f.trace(...)` makes one with steps")
    reached = start
    for derivation in trace.derivations:
        result = _derived(derivation, firings)
        if derivation.is_part:
            continue
        if not alpha_equal(single(derivation.start), single(reached)):
            step = f"step {derivation.first + 1}, {firings[derivation.first].name}"
            raise StrategyError(f"{step} begins with\n{derivation.start}\nwhere there is\n{reached}")
        reached = result
    if not alpha_equal(single(reached), single(end)):
        raise StrategyError(f"the steps lead to\n{reached}\nand not to\n{end}")
    return reached


def _derived(derivation: Derivation, firings: Sequence[Firing]) -> Term:
    """The end of a derivation."""
    term = single(derivation.start)
    for number in range(derivation.first, derivation.last):
        term = _Step(firings[number], number + 1, derivation.static_sizes).applied(term)
    if not alpha_equal(term, single(derivation.end)):
        span = f"steps {derivation.first + 1} to {derivation.last}"
        raise StrategyError(f"{span} lead to\n{term}\nand not to\n{derivation.end}")
    return derivation.end


def single(term: Term) -> Term:
    """The term with each definition in a scope of its own."""
    return transform(term, _single)


def _single(term: Term) -> Term:
    if not isinstance(term, Let) or len(term.bindings) == 1:
        return term
    body = term.body
    for binding in reversed(term.bindings):
        body = Let((binding,), body)
    return body


class _Step:
    """One step on its way to the place where it belongs."""

    def __init__(self, firing: Firing, number: int, static_sizes: StaticSizes) -> None:
        self.firing = firing
        self.number = number
        self.static_sizes = static_sizes
        self.before = single(firing.before)
        self.after = single(firing.after)
        self.wanted = _value(self.before) if firing.defines else self.before

    def applied(self, term: Term) -> Term:
        """The whole term after the step.

        Raises:
            StrategyError: if there is no place for it, or it gives something else at each.

        """
        reasons: list[str] = []
        places = _places(term, self.wanted, self.firing)
        for path in places:
            here = _renamed(term, path, self.firing.scope)
            reason = self._fails(here, path)
            if reason is None:
                return _put(here, path, self._result(_at(here, path)))
            reasons.append(reason)
        raise self._error(reasons[0] if reasons else f"is nowhere under {len(self.firing.scope)} variables in\n{term}")

    def _fails(self, term: Term, path: Path) -> str | None:
        """Why it is not the step that was recorded, at this place; None if it is."""
        again = self.firing.again
        if again is None:
            if not self.firing.defines:
                return "has nothing by which it could be done once more"
            return None if _expands(self.before, self.after) else "does not mean what it meant"
        given = ""
        for facts in (_facts(term, path, self.static_sizes, True), _facts(term, path, self.static_sizes, False)):
            result = again(self.firing.before, facts)
            if result is not None and equal_with_definitions(single(result), self.after):
                return None
            given = given or ("does not apply" if result is None else f"gives\n{result}")
        return given

    def _result(self, here: Term) -> Term:
        """What stands at the place afterwards."""
        if not self.firing.defines:
            return self.after
        assert isinstance(here, Let)
        assert isinstance(self.before, Let)
        ((var, _),) = here.bindings
        if not isinstance(self.before.body, Var):
            return here.body
        return _instead(self.after, here.body, var)

    def _error(self, reason: str) -> StrategyError:
        told = f"step {self.number}, {self.firing.name}:\n{self.firing.before}\n  ~>\n{self.firing.after}"
        return StrategyError(f"{told}\nis not what is done: it {reason}")


def _instead(after: Term, body: Term, var: Var) -> Term:
    """The scope `after`, of which the last is what takes the place of `var` in `body`, with that in its place."""
    if isinstance(after, Let | Require):
        parts = children(after)
        return rebuild(after, [*parts[:-1], _instead(parts[-1], body, var)])
    return substitute1(body, var, after)


def _value(scope: Term) -> Term:
    """The definition of a scope that has one."""
    assert isinstance(scope, Let)
    return scope.bindings[0][1]


def _expands(before: Term, after: Term) -> bool:
    """Is a definition what is made of it, once the parts with names are substituted?  Nothing is, of what is left out."""
    return alpha_equal(_expanded(before), _expanded(after))


def _expanded(term: Term) -> Term:
    while isinstance(term, Let):
        term = substitute(term.body, dict(term.bindings))
    return term


# -- places ------------------------------------------------------------------------------------------------------------


def _places(term: Term, wanted: Term, firing: Firing) -> list[Path]:
    """Where such a term stands under so many binders: the likeliest first, by what is bound and by the parts from there on."""
    found = _found(term, wanted, firing, True)
    if not found or firing.defines:
        others = _found(term, wanted, firing, False)
        found += [place for place in others if place.path not in [known.path for known in found]]
    return [place.path for place in sorted(found, key=lambda place: place.distance)]


class _Candidate(Struct, frozen=True):
    """A place, and how far what is around it is from what the record has."""

    path: Path
    distance: int


def _distance(bound: Sequence[Var], scope: Sequence[Var]) -> int:
    """How different variables are: a walk renames what would be captured, and keeps the name."""
    return sum([0 if x is y else 1 if x.name == y.name else 3 for x, y in zip(bound, scope, strict=True)])


def _found(term: Term, wanted: Term, firing: Firing, exact: bool) -> list[_Candidate]:
    """The places; `exact`: under the very same variables only."""
    scope, kind = firing.scope, Let if firing.defines else type(wanted)
    found = []
    pending: list[tuple[Term, Path, Path, tuple[Var, ...]]] = [(term, (), (), ())]
    while pending:
        part, path, own, bound = pending.pop()
        if kind not in _LEAVES and kind not in part.kinds:
            continue
        if len(bound) == len(scope) and isinstance(part, kind):
            given = _value(part) if firing.defines else part
            if _is(given, bound, wanted, scope):
                distance = 4 * _distance(bound, scope)
                distance += _distance(_bound(part), _bound(firing.before)) if firing.defines else own != firing.path
                found.append(_Candidate(path, distance))
        below = []
        for k, child in enumerate(children(part)):
            more = bound_in(part, k)
            inside = (*bound, *more)
            if len(inside) <= len(scope) and _agree(more, scope[len(bound) :], exact):
                below.append((child, (*path, k), () if more else (*own, k), inside))
        pending.extend(reversed(below))
    return found


def _bound(scope: Term) -> tuple[Var, ...]:
    """What a scope with one definition defines."""
    assert isinstance(scope, Let)
    return (scope.bindings[0][0],)


def _agree(bound: tuple[Var, ...], scope: tuple[Var, ...], exact: bool) -> bool:
    """Can these be the variables that were bound?"""
    if exact:
        return bound == scope[: len(bound)]
    return all([x.type == y.type for x, y in zip(bound, scope, strict=False)])


def _is(given: Term, bound: tuple[Var, ...], wanted: Term, scope: tuple[Var, ...]) -> bool:
    """Is it the term, if these variables are called as in the record?"""
    if type(given) is not type(wanted) or given.type != wanted.type or len(given.free) != len(wanted.free):
        return False
    names = {x: y for x, y in zip(bound, scope, strict=True) if x is not y}
    return alpha_equal(substitute(given, names) if names else given, wanted)


def _renamed(term: Term, path: Path, scope: tuple[Var, ...]) -> Term:
    """The term whose binders along the path are called as in the record."""
    if not path:
        return term
    child, *rest = path
    names = {x: y for x, y in zip(bound_in(term, child), scope, strict=False) if x is not y}
    if names:
        term = _with_names(term, names)
    own = len(bound_in(term, child))
    parts = list(children(term))
    parts[child] = _renamed(parts[child], tuple(rest), scope[own:])
    return rebuild(term, parts)


def _with_names(term: Term, names: Mapping[Var, Var]) -> Term:
    """The term whose own binders are called so."""
    old = steps(term)
    new: list[Term] = []
    now: dict[Var, Var] = {}
    for step in old:
        if step.var is not None:
            name = names.get(step.var, step.var)
            now = {**now, step.var: name}
            new.append(name)
        else:
            new.append(substitute(step.term, now))
    return remade(term, old, new)


def _at(term: Term, path: Path) -> Term:
    for child in path:
        term = children(term)[child]
    return term


def _put(term: Term, path: Path, new: Term) -> Term:
    """The term with another at the place."""
    if not path:
        return new
    parts = list(children(term))
    parts[path[0]] = _put(parts[path[0]], path[1:], new)
    return rebuild(term, parts)


def _facts(term: Term, path: Path, static_sizes: StaticSizes, conditions: bool) -> Facts:
    """What is known at the place; without conditions, not what only the branch says that it is in."""
    facts = Facts()
    facts.scope.update(term.free)
    facts.static_sizes = static_sizes
    for child in path:
        term = _enter(facts, term, child, conditions)
    return facts


def _enter(facts: Facts, term: Term, child: int, conditions: bool) -> Term:
    """One step further: the child, and what holds there."""
    before: list[Term] = []
    parts = 0
    for step in steps(term):
        if step.var is not None:
            undo: list[tuple[Hashable, bool | None]] = facts.bind(step, step.var, term, before)
            del undo
            facts.scope.add(step.var)
        elif parts == child:
            if conditions or isinstance(term, Require):
                facts.enter(step, term, before)
            return step.term
        else:
            parts += 1
        before.append(step.term)
    raise AssertionError(f"{type(term).__name__} has no part {child}")
