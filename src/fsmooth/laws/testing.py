"""Whether a law keeps what terms mean, by instances of it: the two sides are evaluated, wherever its conditions hold.

What does not keep it is shown by the smallest example that was found.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from fsmooth.core.array_value import ArrayValue
from fsmooth.core.evaluate import Value
from fsmooth.core.term import App, Term, Var
from fsmooth.core.traverse import size_of_tree, transform
from fsmooth.core.types import Function
from fsmooth.laws.equations import Equation
from fsmooth.laws.instances import Instance, Maker, Opaque, Random, instances
from fsmooth.laws.meaning import Keeps, Meaning
from fsmooth.laws.outcomes import Environments, Error, Outcome, Undefined, finite, outcome, same

TOLERANCE = 1e-9
"""What sums in another order, and operations that round once more, may differ by."""


class Counterexample(Struct, frozen=True):
    """Values for which the two sides of an instance differ."""

    made: Instance
    values: dict[Var, Value]
    before: Outcome
    after: Outcome

    @property
    def size(self) -> int:
        """How much there is to read."""
        return 40 * size_of_tree(self.made.left) + len(_at(self.made, self.values))

    def __str__(self) -> str:
        where = _at(self.made, self.values)
        first = f"{_written(self.made.left)} {_gives(self.before)}{f' where {where}' if where else ''}"
        return f"{first}; the right side, {_written(self.made.right)}, {_gives(self.after)}"


def counterexamples(
    meaning: Meaning, made: Instance, environments: int, rng: random.Random
) -> Iterator[Counterexample | None]:
    """For each environment in which the left side has a meaning: where the right side has another, or None."""
    variables = made.left.free.union(made.right.free, *[k.free for k in made.known])
    for n in range(environments):
        is_finite = n % 2 == 0 or meaning.keeps is Keeps.VALUE
        environment = Environments(rng, is_finite, failing=n % 3 == 0, huge=meaning.is_exact).of(variables)
        if not all([outcome(condition, environment) is True for condition in made.known]):
            continue
        before, after = outcome(made.left, environment), outcome(made.right, environment)
        if isinstance(before, Undefined):
            continue
        agree = agrees(meaning, before, after)
        yield None if agree else Counterexample(made, environment, before, after)


def agrees(meaning: Meaning, before: Outcome, after: Outcome) -> bool:
    """Is the outcome of the right side what that of the left allows?  Of two errors either may be the one that is raised."""
    if isinstance(before, Error):
        return isinstance(after, Error) or meaning.discards
    if isinstance(after, Error):
        return meaning.demands and after == Error("RequirementFailed")
    if isinstance(before, Undefined) or (meaning.keeps is Keeps.VALUE and not finite(before)):
        return True
    return not isinstance(after, Undefined) and same(before, after, 0.0 if meaning.is_exact else TOLERANCE)


class Result(Struct):
    """How many instances there were, in how many environments, and the smallest counterexample."""

    instances: int = 0
    environments: int = 0
    counterexample: Counterexample | None = None


def verdict(
    name: str,
    heads: tuple[type, ...],
    written: Iterable[Equation],
    meaning: Meaning,
    most: int,
    change: Callable[[Instance], Instance | None],
) -> Result:
    """A law on up to `most` instances, half of them as general as can be, half of random terms.

    `change` puts in the place of the right side what a rule makes of the left.
    """
    result = Result()
    each: tuple[tuple[Maker, int], ...] = ((Opaque, 12), (Random, 6))
    texts = list(written)
    for text in texts:
        for maker, environments in each:
            for made in instances(name, text, heads, maker, seed=0, most=max(1, most // 2 // len(texts))):
                changed = change(made)
                if changed is not None:
                    _take(result, meaning, changed, environments, random.Random(f"{name} {result.instances}"))
                    if result.counterexample is not None and result.instances > most // 4:
                        return result
    return result


def _take(result: Result, meaning: Meaning, made: Instance, environments: int, rng: random.Random) -> None:
    """One instance more."""
    result.instances += 1
    for found in counterexamples(meaning, made, environments, rng):
        result.environments += 1
        if found is not None and (result.counterexample is None or found.size < result.counterexample.size):
            result.counterexample = found


def _written(term: Term) -> Term:
    """The term, with metavariables that have no arguments as they are written."""

    def change(part: Term) -> Term:
        match part:
            case App(Var(name), ()):
                return Var(name, part.type)
            case _:
                return part

    return transform(term, change)


def _gives(outcome: Outcome) -> str:
    match outcome:
        case Error(name):
            return f"raises {name}"
        case Undefined():
            return "has no meaning"
        case _:
            return f"is {_shown(outcome)}"


def _at(made: Instance, values: dict[Var, Value]) -> str:
    """The values of variables, and of functions where they are asked for."""
    told = []
    for variable, value in values.items():
        if not isinstance(variable.type, Function):
            told.append(f"{variable} = {_shown(value)}")
        else:
            told += _calls(variable, made, values)
    return ", ".join(told)


def _calls(variable: Var, made: Instance, values: dict[Var, Value]) -> list[str]:
    """What an unknown function gives wherever either side asks it."""
    function = values[variable]
    assert callable(function)
    asked: dict[str, str] = {}

    def watched(*arguments: Value) -> Value:
        call = " ".join([str(variable), *[_shown(a) for a in arguments]])
        try:
            value = function(*arguments)
        except Exception:
            asked[call] = "fails"
            raise
        asked[call] = f"= {_shown(value)}"
        return value

    for side in (made.left, made.right):
        outcome(side, {**values, variable: watched})
    return [f"{call} {value}" for call, value in asked.items()]


def _shown(value: object) -> str:
    match value:
        case ArrayValue(_, items):
            return f"[{', '.join(map(_shown, items))}]"
        case tuple():
            return f"({', '.join(map(_shown, value))})"
        case bool():
            return str(value).lower()
        case float():
            return f"{value:.1f}" if abs(value) < 1e6 and value.is_integer() else f"{value:.6g}"
        case _:
            return str(value)
