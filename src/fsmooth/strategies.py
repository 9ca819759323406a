"""Strategies, and schedules made of them: how a program is rewritten, for you to write (papers 000, §5.1; 002, §5).

    from fsmooth import strategies as st

    paper = st.normalise(st.beta | st.let_subst(1)) >> st.differentiate("forward") >> st.normalise(st.FUSION | st.SPARSITY)
    fs.grad(f, schedule=paper)
    fs.grad(f, schedule=st.DEFAULT.with_rules(fs.law("x / y + z / y ~> (x + z) / y where z : Float", real=True)))

Every rule of the optimiser is here under its name, and so are the families of rules (`st.FUSION`), the combinators of
`rewrite.strategy`, the traversals of `rewrite.traversal`, a traversal for each part of each constructor (`st.Build.body(s)`,
`st.body(s)`), the passes that no rule can say (`st.share`), and the named schedules.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import partial

from fsmooth.core import term as constructors
from fsmooth.core.subst import substitute1
from fsmooth.core.term import Deriv, Let, Method, Term, let
from fsmooth.core.term.declared import Declaration
from fsmooth.core.traverse import subterms, transform
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.remove import Removal
from fsmooth.errors import ArgumentError, NotDifferentiableError, StrategyError, UnknownMethodError
from fsmooth.laws.equations import all_rules
from fsmooth.laws.law import law
from fsmooth.optimise import schedules
from fsmooth.optimise.compaction import compact_tables
from fsmooth.optimise.interchange import interchange as _interchange
from fsmooth.optimise.merging import merge_loops
from fsmooth.optimise.schedule import Schedule, Stage
from fsmooth.optimise.schedules import DEFAULT, DPS, LF, LICM, LN, NONE, REAL, by_blas, of_strategy, on_threads
from fsmooth.optimise.unzipping import unzip
from fsmooth.optimise.windows.in_windows import in_windows
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.normaliser import Normaliser
from fsmooth.rewrite.recording import Recording
from fsmooth.rewrite.strategy import (
    REGISTRY,
    Rule,
    Strategy,
    attempt,
    choice,
    combined,
    debug,
    fail,
    identity,
    mu,
    not_,
    repeat,
    seq,
    times_given,
    try_until,
)
from fsmooth.rewrite.strategy import where as where_true
from fsmooth.rewrite.trace import Trace
from fsmooth.rewrite.traversal import all_, at, bottom_up, everywhere, inside, one, some, top_down
from fsmooth.rewrite.traversal import normalise as by_definition

# -- families of rules -------------------------------------------------------------------------------------------------


def family(name: str) -> Strategy:
    """The rules that fsmooth runs together under this name, as a choice."""
    made = choice(*getattr(schedules, name))
    return Strategy(name, made.apply, made.rules, name, (family, (name,)))


_FAMILIES = [
    name
    for name, value in vars(schedules).items()
    if not name.startswith("_") and isinstance(value, tuple) and value and all([isinstance(r, Rule) for r in value])
]

# -- strategies that are made here -------------------------------------------------------------------------------------


def normalise(strategy: Strategy) -> Strategy:
    """Until `strategy` applies nowhere: `repeat(top_down(strategy))`, or the term as it is (paper 002, §5).

    A choice of rules is run by an engine that visits each normal part once.
    """
    slow = by_definition(strategy)
    if not strategy.rules:
        return Strategy(slow.name, slow.apply, (), slow.content, (normalise, (strategy,)))

    def apply(term: Term, facts: Facts) -> Term | None:
        if facts.definitions or facts.ranges or facts.conditions:
            return slow.apply(term, facts)
        is_recorded = facts.trace is not None and facts.trace.firings is not None
        walk = (Recording if is_recorded else Normaliser)(strategy.rules, facts.trace)
        walk.facts.scope.update(facts.scope)
        walk.facts.static_sizes = facts.static_sizes
        result = walk.run(term)
        if isinstance(walk, Recording):
            walk.derived(term, result)
        return result

    return Strategy(slow.name, apply, strategy.rules, slow.content, (normalise, (strategy,)))


def let_subst(most: int) -> Rule:
    """A definition that is used at most so often takes the places of its variable (paper 002, letSubst)."""
    times_given(most, "let_subst")

    def apply(term: Term, facts: Facts) -> Term | None:
        match term:
            case Let(((var, value), *others), body):
                scope = let(tuple(others), body)
                if sum([part is var for part in _occurrences(scope)]) <= most:
                    return substitute1(scope, var, value)
        return None

    name = f"let_subst({most})"
    made = Rule(name, apply, (), name, (let_subst, (most,)), "let x = a in e x ~> e a", "002, §5.1", (Let,))
    object.__setattr__(made, "rules", (made,))
    return made


def _occurrences(term: Term) -> list[Term]:
    """All parts of a term, each as often as it is written."""
    found, pending = [], [term]
    while pending:
        part = pending.pop()
        found.append(part)
        pending.extend(part.declared.children(part))
    return found


def differentiate(method: str = "auto") -> Strategy:
    """All derivatives in the term taken, innermost first; fails if there are none.

    Raises:
        UnknownMethodError: for a method that does not exist.

    """
    how = {m.value: m for m in Method}.get(method)
    if how is None:
        raise UnknownMethodError(f"there is no differentiation method {method!r}")

    def apply(term: Term, facts: Facts) -> Term | None:
        if not any([isinstance(part, Deriv) for part in subterms(term)]):
            return None
        trace = Trace() if facts.trace is None else facts.trace
        removal = Removal(NONE.before_derivative(trace, facts.static_sizes), dict(facts.static_sizes))
        try:
            result = removal.run(transform(term, lambda part: _by(how, part)))
        except NoDerivative as error:
            raise NotDifferentiableError(str(error)) from error
        trace.record("differentiate", term, result)
        return result

    return combined(differentiate, (), apply, method)


def _by(how: Method, term: Term) -> Term:
    """A derivative by a method, if it has none of its own."""
    if not isinstance(term, Deriv) or term.method is not Method.AUTO:
        return term
    return Deriv(term.function, term.wrt, term.verb, how, term.single, term.checkpoint)


def a_pass(name: str) -> Strategy:
    """One of the passes that no rule can say, as a strategy; it looks at the whole term that it is given, and never fails."""
    run = _PASSES[name]

    def apply(term: Term, facts: Facts) -> Term | None:
        return run(term, Trace() if facts.trace is None else facts.trace, facts.static_sizes)

    return Strategy(name, apply, (), name, (a_pass, (name,)))


_PASSES: dict[str, Stage] = {
    "share": schedules.share,
    "share_with_reciprocals": schedules.share_with_reciprocals,
    "unzip": unzip,
    "interchange": _interchange,
    "merge": merge_loops,
    "compact": compact_tables,
    "windows": in_windows,
}

share = a_pass("share")
"""Common subexpressions named, and moved to where they are needed first; tables made of what is computed again and again."""

share_with_reciprocals = a_pass("share_with_reciprocals")
"""The same, and one 1/p for all divisions by p."""

unzip_arrays = a_pass("unzip")
"""Arrays of tuples that are read by component taken apart."""

interchange = a_pass("interchange")
"""Sequential loops inside others brought outside, where that makes their arrays numbers."""

merge = a_pass("merge")
"""Sequential loops over the same range as one."""

compact = a_pass("compact")
"""Of tables, only the rows that are read."""

windows = a_pass("windows")
"""Of arrays, only what may be other than zero, or is read."""

# -- conditions --------------------------------------------------------------------------------------------------------


def where(condition: Callable[[Term], bool] | str) -> Strategy:
    """The term as it is where it is meant, which a function of it says, or the left side of a law that it has to match.

    >>> where("x / y where z : Float")
    where('x / y where z : Float')

    Raises:
        LawError: for a text that no term can be matched with.

    """
    return _like(condition) if isinstance(condition, str) else where_true(condition)


def _like(text: str) -> Strategy:
    left, separator, conditions = text.partition(" where ")
    matched = law(f"{left} ~> {left}{separator}{conditions}", check=False)

    def apply(term: Term, facts: Facts) -> Term | None:
        return None if matched.apply(term, facts) is None else term

    return Strategy(f"where({text!r})", apply, (), f"where({text!r})", (_like, (text,)))


# -- normal forms ------------------------------------------------------------------------------------------------------


class NormalForm(Strategy):
    """A normal form: the strategy that makes it, and whether a term has it."""

    def holds(self, term: Term) -> bool:
        """Does none of its rules apply anywhere in the term?"""
        return top_down(choice(*self.rules))(term) is None

    def check(self) -> Strategy:
        """The term as it is where it has this normal form; fails where it has not."""
        return where_true(self.holds)


def normal_form(name: str) -> NormalForm:
    """The normal form of that name."""
    made = normalise(choice(*[REGISTRY[rule] for rule in _NORMAL_FORMS[name]]))
    return NormalForm(name, made.apply, made.rules, made.content, (normal_form, (name,)))


_NORMAL_FORMS = {"BENF": ("beta", "eta_build", "eta_tuple"), "FUSED": ("beta", "get_build", "length_build")}

BENF = normal_form("BENF")
"""Beta-eta normal form: no function is applied where it is written, no array or tuple is made of the parts of another."""

FUSED = normal_form("FUSED")
"""No element, and no length, is taken of an array where it is made."""

# -- parts of constructors ---------------------------------------------------------------------------------------------


def part(name: str) -> Callable[[Strategy], Strategy]:
    """The traversal that goes to the part of a term that is called so."""
    if name not in _PARTS:
        raise StrategyError(f"no constructor has a part {name!r}; there are {', '.join(sorted(_PARTS))}")
    return partial(_inside, name=name)


def _inside(strategy: Strategy, name: str) -> Strategy:
    return inside(strategy, name)


def is_a(*kinds: type[Term]) -> Strategy:
    """The term as it is, if it is of one of these constructors."""
    told = f"is_a({', '.join([kind.__name__ for kind in kinds])})"
    return Strategy(told, lambda term, facts: term if isinstance(term, kinds) else None, (), told, (is_a, kinds))


class Parts:
    """A constructor: `st.Build.body(s)` is s on the body of a `build`; it fails for other terms."""

    def __init__(self, constructor: type[Term]) -> None:
        self.constructor = constructor

    def __getattr__(self, name: str) -> Callable[[Strategy], Strategy]:
        if name not in _parts_of(self.constructor):
            there_are = ", ".join(_parts_of(self.constructor)) or "none"
            raise AttributeError(f"{self.constructor.__name__} has no part {name!r}; its parts are {there_are}")
        return partial(_inside_of, self.constructor, name)

    def __repr__(self) -> str:
        return self.constructor.__name__


def _inside_of(constructor: type[Term], name: str, strategy: Strategy) -> Strategy:
    return is_a(constructor) >> inside(strategy, name)


def _parts_of(constructor: type[Term]) -> list[str]:
    """The fields of a constructor that are terms."""
    declaration: Declaration = constructor.declared
    return declaration.parts


_CONSTRUCTORS = {
    name: value
    for name, value in vars(constructors).items()
    if isinstance(value, type) and issubclass(value, Term) and hasattr(value, "declared") and value is not Term
}


def known_constructors() -> dict[str, type[Term]]:
    """The constructors of terms by their names."""
    return dict(_CONSTRUCTORS)


_PARTS = {name for constructor in _CONSTRUCTORS.values() for name in _parts_of(constructor)}

# -- schedules ---------------------------------------------------------------------------------------------------------


def scheduled(given: object, threads: int | None, blas: str | None = None) -> Schedule:
    """What `schedule=` was given as a schedule, on so many threads; 0: as many as there are processors; with a BLAS.

    Raises:
        ArgumentError: for what is neither a schedule, nor a strategy, nor "module:NAME" of one.

    """
    found = _found(given) if isinstance(given, str) else given
    if isinstance(found, Strategy):
        found = of_strategy(found)
    if not isinstance(found, Schedule):
        hint = 'use a name, "module:NAME", a schedule or a strategy of fsmooth.strategies'
        raise ArgumentError(f"schedule={given!r}\n  hint: {hint}")
    found = found if threads is None else on_threads(found, threads)
    return found if blas is None else by_blas(found, blas)


def _found(name: str) -> object:
    module, _, attribute = name.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ArgumentError(f"schedule={name!r}: {error}") from error


all_rules()


def __getattr__(name: str) -> object:
    if name in REGISTRY:
        return REGISTRY[name]
    if name in _FAMILIES:
        return family(name)
    if name in _CONSTRUCTORS:
        return Parts(_CONSTRUCTORS[name])
    if name in _PARTS:
        return part(name)
    raise AttributeError(f"there is no rule, family, constructor or part {name!r}; `fsmooth rules` lists the rules")


def __dir__() -> list[str]:
    return sorted({*globals(), *REGISTRY, *_FAMILIES, *_CONSTRUCTORS, *_PARTS})


__all__ = [
    "BENF",
    "DEFAULT",
    "DPS",
    "FUSED",
    "LF",
    "LICM",
    "LN",
    "NONE",
    "REAL",
    "NormalForm",
    "Schedule",
    "Strategy",
    "all_",
    "at",
    "attempt",
    "bottom_up",
    "choice",
    "compact",
    "debug",
    "differentiate",
    "everywhere",
    "fail",
    "identity",
    "interchange",
    "is_a",
    "let_subst",
    "merge",
    "mu",
    "normalise",
    "not_",
    "one",
    "repeat",
    "seq",
    "share",
    "share_with_reciprocals",
    "some",
    "top_down",
    "try_until",
    "unzip_arrays",
    "where",
    "windows",
]
