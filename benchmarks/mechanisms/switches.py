"""How each mechanism is switched off: what its callers know by its name is replaced by something that does nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from fsmooth import thresholds
from fsmooth.loops.passes.schedule import ALL
from fsmooth.optimise import schedules
from fsmooth.optimise.schedule import Schedule
from fsmooth.rewrite.normaliser import Normaliser
from fsmooth.rewrite.strategy import Rule

Names = dict[str, Any]


@dataclass(frozen=True)
class Mechanism:
    """A mechanism, its room, and what its callers find instead of it (by `module.name`), or the stage, the pass over loops or
    the rule that it is.
    """

    name: str
    room: str
    instead: Names | None = None
    stage: str | None = None
    loops: str | None = None
    rule: str | None = None

    @contextmanager
    def off(self) -> Iterator[None]:
        """Without it."""
        with ExitStack() as stack:
            for target, nothing in (self.instead or {}).items():
                stack.enter_context(patch(target, nothing))
            if self.stage is not None:
                without = {name: _without(s, self.stage) for name, s in schedules.SCHEDULES.items()}
                stack.enter_context(patch.dict(schedules.SCHEDULES, without))
            if self.loops is not None:
                without = {name: _without_pass(s, self.loops) for name, s in schedules.SCHEDULES.items()}
                stack.enter_context(patch.dict(schedules.SCHEDULES, without))
            if self.rule is not None:
                stack.enter_context(patch.object(Normaliser, "__init__", _ignoring(self.rule)))
            yield


def _without(schedule: Schedule, stage: str) -> Schedule:
    kept = [tuple([s for s in stages if s[0] != stage]) for stages in (schedule.stages, schedule.first, schedule.once)]
    whole, first, once = kept
    return replace(schedule, stages=whole, first=first, once=once, content=f"{schedule.content} without {stage}")


def _without_pass(schedule: Schedule, name: str) -> Schedule:
    loops = tuple([each for each in schedule.loops if each[0] != name])
    return replace(schedule, loops=loops, content=f"{schedule.content} without {name}")


def _ignoring(rule: str) -> Callable[..., None]:
    """The constructor of a normaliser that does not know a rule."""
    made = Normaliser.__init__

    def without(self: Normaliser, rules: Any, *rest: Any, **named: Any) -> None:
        made(self, [r for r in rules if r.name != rule], *rest, **named)

    return without


def _nothing(*_: object, **__: object) -> None:
    return None


def _no(*_: object, **__: object) -> bool:
    return False


def _first(value: object, *_: object, **__: object) -> object:
    return value


def _none_of(*_: object, **__: object) -> list[object]:
    return []


_LOWER, _MOTION, _BINDINGS = "fsmooth.lower", "fsmooth.optimise.motion", "fsmooth.optimise.bindings"


def _terms() -> Iterator[Mechanism]:
    for stage in (
        "arrays of tuples taken apart",
        "loop interchange",
        "loops merged",
        "compaction",
        "windows",
        "earlier values",
        "requirements first",
    ):
        yield Mechanism(stage, "optimise", stage=stage)
    yield Mechanism("shared reciprocals", "optimise", {f"{_MOTION}.share_reciprocals": _first})
    yield Mechanism("tabulation", "optimise", {f"{_MOTION}.tabulate": _first})
    yield Mechanism("tables of siblings", "optimise", {f"{_MOTION}.tabulate_siblings": _first})
    yield Mechanism("unswitching", "optimise", {f"{_MOTION}.unswitch": _first})
    yield Mechanism("fission of sums", "optimise", {f"{_MOTION}.split_sums": _first})
    yield Mechanism("array contraction", "optimise", {f"{_BINDINGS}.contracted": _first})
    yield Mechanism("arrays of tuples divided", "optimise", {f"{_BINDINGS}.Bindings._divide": _no})
    yield Mechanism("unread components", "optimise", {f"{_BINDINGS}.Bindings._without_unread": _no})
    yield Mechanism("sums of tuples divided", "optimise", {f"{_BINDINGS}.Bindings._divide_sum": _no})
    yield Mechanism("unrolling", "optimise", {"fsmooth.optimise.unrolling.Unrolling._static": _nothing})
    yield Mechanism("saved windows", "optimise", {"fsmooth.optimise.windows.in_windows.saved_windows": _none_of})


def _reverse() -> Iterator[Mechanism]:
    yield Mechanism("components handed over", "reverse", {"fsmooth.differentiate.reverse.halves.by_components": _pair})


def _pair(second: object, given: Any) -> tuple[object, list[object]]:
    return second, list(given)


_ELSEWHERE: Mapping[str, Names] = {"work before calls": {"fsmooth.loops.summed_over_calls.work_before_calls": _first}}
"""Passes that others call, too."""


def _loops() -> Iterator[Mechanism]:
    for name, _ in ALL:
        if name != "rooms":  # without which there is no memory
            yield Mechanism(name, "loops", _ELSEWHERE.get(name), loops=name)
    yield Mechanism("rows of blocks", "loops", {"fsmooth.loops.passes.blocking.with_rows": _first})
    sums = lambda kernel, definitions, names: (kernel, definitions)  # noqa: E731
    yield Mechanism("sums over calls", "loops", {f"{_LOWER}.functions.sum_over_calls": sums})
    yield Mechanism("loops exchanged for memory", "lower", {f"{_LOWER}.arrays.interchangeable": _nothing})
    yield Mechanism("recorded states", "lower", {f"{_LOWER}.folds.recorded_in": _none_of})
    callers = "updates", "placement.continuing"
    yield Mechanism("rest in branches", "lower", {f"{_LOWER}.{x}.with_rest_in_branches": _nothing for x in callers})
    yield Mechanism("folds that continue", "lower", {f"{_LOWER}.updates.continued_in": lambda *_: {}})
    yield Mechanism("sums in the state", "lower", {f"{_LOWER}.updates.step_sinks": _nothing})
    yield Mechanism("replaced elements", "lower", {f"{_LOWER}.updates.with_replaced_first": lambda t: (t, frozenset())})


def rules() -> list[Mechanism]:
    """Each rule of the default schedule."""
    families = [f for f in vars(schedules).values() if isinstance(f, tuple) and f and isinstance(f[0], Rule)]
    names = {r.name for family in families for r in family}
    return [Mechanism(name, "rules", rule=name) for name in sorted(names)]


def scaled(factor: float) -> list[Mechanism]:
    """Each threshold times so much."""
    found = []
    for name, value in vars(thresholds).items():
        if name.isupper():
            other = type(value)(value * factor)
            found.append(Mechanism(f"{name} {factor:g}", "thresholds", {f"{thresholds.__name__}.{name}": other}))
    return found


def mechanisms() -> list[Mechanism]:
    """All of them, but for the rules."""
    return [*_terms(), *_reverse(), *_loops()]
