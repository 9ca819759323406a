"""The check of `fs.custom_derivative` on first use: a user's rules against differences of the function.

The program is run by the interpreter, on the arguments of the call that compiles it, until it has applied each function
with a rule; there the rules are compared.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, cast

from fsmooth.checking.comparison import CALLS, ENTRIES, Applied, compare
from fsmooth.checking.structures import as_tuples, numbers
from fsmooth.core.arithmetic.floats import Floats
from fsmooth.core.array_value import ArrayValue, Value
from fsmooth.core.evaluate import OutOfBounds, RequirementFailed, evaluate
from fsmooth.core.own_rules import checked_rules, without_rules
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import App, Custom, Deriv, Lam, Rule, Term, Var, Verb
from fsmooth.core.traverse import children, rebuild
from fsmooth.core.types import Array, Float, Function, Tuple, Type
from fsmooth.core.values import value_of
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.errors import UncheckedRuleWarning
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE

LONGEST = 50_000
"""The interpreter gives up after so many operations, on the way and at each place."""

LARGEST = 200_000
"""It is not given more numbers than this."""

MAY_FAIL = (OutOfBounds, RequirementFailed, ValueError, ArithmeticError)
"""What a program may fail with; run as compiled it will say so itself."""


class _TooLong(Exception):  # noqa: N818  (no mistake: the check gives up)
    """More work than a check is worth."""


class _Enough(Exception):  # noqa: N818
    """What follows reaches no other rule."""


class _Limited(Floats):
    """Numbers that are tired after some work."""

    def __init__(self) -> None:
        self.steps = 0

    def _work(self) -> None:
        self.steps += 1
        if self.steps > LONGEST:
            raise _TooLong

    def apply(self, primitive: Primitive, arguments: Sequence[object], type_: Type) -> object:
        """Count, then compute."""
        self._work()
        return super().apply(primitive, arguments, type_)

    def load(self) -> None:
        """One element was read."""
        self._work()


def check_rules(program: Lam, rules: set[Rule], inputs: Sequence[object]) -> None:
    """Check rules that a program with derivatives uses, where it applies them first for these inputs.

    Raises:
        DerivativeMismatchError: if a rule and differences of its function disagree.

    """
    _Check(program, rules).run(inputs)


class _Check:
    """One check: the program with hooks in it, and what they have seen."""

    def __init__(self, program: Lam, wanted: set[Rule]) -> None:
        self.program = program
        self.wanted = wanted
        self.numbers = _Limited()
        self.hooks: dict[Var, Value] = {}
        self.found: list[Applied] = []
        self.known: set[tuple[Rule, str]] = set()
        self.is_comparing = False
        self.body = self._instrumented(program.body)

    def run(self, inputs: Sequence[object]) -> None:
        """Find what is applied to what, and compare."""
        try:
            self._find(inputs)
        except (_TooLong, RecursionError):
            missing = sorted({rule.name for rule in self.wanted - self._reached()})
            if missing:
                self._warn(", ".join(missing))
        except (_Enough, *MAY_FAIL):
            pass
        self.is_comparing = True
        while self.found:
            applied = self.found.pop(0)
            self.numbers.steps = 0
            try:
                value = applied.function(*applied.arguments)
                entries = min(ENTRIES, LONGEST // (CALLS * max(self.numbers.steps, 1)))
                if not entries:
                    raise _TooLong
                compare(applied, value, entries, MAY_FAIL)
            except (_TooLong, RecursionError):
                self._warn(applied.rule.name)
            except MAY_FAIL:
                continue

    def _find(self, inputs: Sequence[object]) -> None:
        if sum([x.size for x in numbers(as_tuples(tuple(inputs)))]) > LARGEST:
            raise _TooLong
        environment: dict[Var, Value] = dict(self.hooks)
        for parameter, x in zip(self.program.parameters, inputs, strict=True):
            environment[parameter] = value_of(as_tuples(x), parameter.type)
        evaluate(self.body, environment, self.numbers)

    def _reached(self) -> set[Rule]:
        return {rule for rule, _ in self.known}

    def _warn(self, names: str) -> None:
        hint = "call the derivative with small arguments first, use fs.check_derivative, or say check=False"
        message = f"the derivative given for {names} was not checked: the interpreter takes too long\n  hint: {hint}"
        warnings.warn(message, UncheckedRuleWarning, stacklevel=8)

    # -- hooks -------------------------------------------------------------------------------------------------------

    def _instrumented(self, root: Term) -> Term:
        """Functions with rules, and derivatives, where they are applied: what they are applied to is handed to Python."""
        done: dict[Term, Term] = {}
        stack = [root]
        while stack:
            term = stack[-1]
            missing = [part for part in children(term) if part not in done]
            if missing:
                stack.extend(missing)
                continue
            done[term] = self._hooked(term, rebuild(term, [done[part] for part in children(term)]))
            stack.pop()
        return done[root]

    def _hooked(self, old: Term, new: Term) -> Term:
        match old, new:
            case App(Custom() as custom), App(function, arguments):
                handed = (*children(function), *arguments)
                return self._hook(handed, new.type, self._applied(custom))
            case App(Deriv(Lam() as primal) as deriv), App(function, arguments):
                around = sorted(deriv.free, key=lambda x: x.id)
                handed = (*children(function), *around, *arguments)
                return self._hook(handed, new.type, self._differentiated(deriv, primal, around))
            case _:
                return new

    def _hook(self, handed: Sequence[Term], result: Type, act: Callable[..., Value]) -> Term:
        hook = Var("hook", Function(tuple([x.type for x in handed]), result))
        self.hooks[hook] = act
        return App(hook, tuple(handed))

    def _applied(self, custom: Custom) -> Callable[..., Value]:
        type_ = custom.type
        assert isinstance(type_, Function)
        assert isinstance(custom.function, Lam)
        names = tuple([x.name for x in custom.function.parameters])

        def act(function: Callable[..., Value], *handed: Any) -> Value:
            rules, arguments = list(handed[: -len(names)]), handed[-len(names) :]
            key = (custom.rule, repr(type_))
            if custom.rule.is_checked and key not in self.known:
                self.known.add(key)
                jvp = rules.pop(0) if custom.jvp is not None else None
                vjp = rules.pop(0) if custom.vjp is not None else None
                self.found.append(Applied(custom.rule, names, type_, function, jvp, vjp, arguments))
            return function(*arguments)

        return act

    def _differentiated(self, deriv: Deriv, function: Lam, around: list[Var]) -> Callable[..., Value]:
        """First the function itself runs, so that its hooks see something; then, if its derivative is needed, that."""
        inside = checked_rules(function)
        made: list[Lam] = []

        def act(primal: Callable[..., Value], *handed: Value) -> Value:
            outside, arguments = handed[: len(around)], handed[len(around) :]
            given = arguments[: len(function.parameters)]
            if deriv.verb is Verb.DUAL:
                given = tuple([_primal(x, q.type) for x, q in zip(given, function.parameters, strict=True)])
            if not inside <= self._reached():
                primal(*given)
            if not self.is_comparing and self.wanted - self._reached() <= inside:
                raise _Enough
            if not made:
                made.append(cast(Lam, without_rules(remove_derivatives(deriv, BEFORE_DERIVATIVE))))
            derivative = evaluate(made[0], dict(zip(around, outside, strict=True)), self.numbers)
            assert callable(derivative)
            return cast(Value, derivative(*arguments))

        return act


def _primal(value: Value, type_: Type) -> Value:
    """What a dual number, or an array or tuple of them, is the dual number of."""
    match type_:
        case Float():
            assert isinstance(value, tuple)
            return value[0]
        case Array(element):
            assert isinstance(value, ArrayValue)
            return ArrayValue(value.shape, tuple([_primal(x, element) for x in value.items]))
        case Tuple(items):
            assert isinstance(value, tuple)
            return tuple([_primal(x, t) for x, t in zip(value, items, strict=True)])
        case _:
            return value
