"""What was made and why, as text (`Function.explain`, `Function.cost`)."""

from __future__ import annotations

from fsmooth.core.cost import cost
from fsmooth.core.term import Custom
from fsmooth.core.traverse import subterms
from fsmooth.driver import Stages
from fsmooth.loops.passes.parallel import told
from fsmooth.optimise.schedule import Schedule
from fsmooth.optimise.schedules import THREADS


def explanation(name: str, schedule: str | Schedule, stages: Stages) -> str:
    """Definition, sizes built in, modes of derivatives, rules that fired, the term they made, the passes that changed its loops,
    cost, storage, times.
    """
    parts = [f"{name}, schedule {schedule}"]
    if stages.static_sizes:
        names = [q.name for q in stages.elaborated.parameters]
        sizes = [f"len({names[k]}, axis {axis}) = {n}" for (k, axis), n in sorted(stages.static_sizes.items())]
        parts.append("sizes built in: " + ", ".join(sizes))
    parts.append("definition:\n" + _indented(str(stages.terms["definition"])))
    given = {t.rule: t for t in subterms(stages.elaborated.term) if isinstance(t, Custom)}
    if given:
        parts.append("derivatives given:\n" + _indented("\n".join(map(_rules_of, given.values()))))
    if stages.choices:
        parts.append("modes:\n" + _indented("\n".join([str(choice) for choice in stages.choices])))
    parts.append("rules that fired:\n" + str(stages.trace))
    parts.append("optimised:\n" + _indented(str(stages.terms["optimised"])))
    if stages.passes.fired:
        parts.append("loops:\n" + _indented("\n".join(stages.passes.fired)))
    if stages.loops is not None and THREADS in str(schedule):
        parts.append("on threads:\n" + _indented("\n".join(told(stages.loops.kernel))))
    parts.append(f"cost: {cost_of(stages)}")
    if stages.code is not None:
        notes = stages.code.notes or ("no array is stored but the results",)
        parts.append("storage:\n" + _indented("\n".join(notes)))
    if stages.cotangents:
        parts.append("cotangents:\n" + _indented("\n".join(stages.cotangents)))
    parts.append("time: " + ", ".join([f"{stage} {seconds * 1e3:.1f} ms" for stage, seconds in stages.seconds.items()]))
    return "\n\n".join(parts)


def demonstration(stages: Stages) -> str:
    """The full Jacobian, forward and reverse derivative as linear maps, stage by stage (paper 001, §9)."""
    return f"linear maps (paper 001, §9):\n\n{stages.demonstration()}"


def cost_of(stages: Stages) -> str:
    """The weight of a call as a polynomial in the sizes, before and after optimisation."""
    after = cost(stages.terms["optimised"])
    before = cost(stages.terms.get("derivative", stages.terms["definition"]))
    if before.big_o() == after.big_o():
        return f"{after}, {after.big_o()}"
    return f"{after}, {before.big_o()} → {after.big_o()}"


def _rules_of(custom: Custom) -> str:
    """What is known of the derivative of a function, and what each mode makes of it."""
    name = custom.rule.name
    if custom.vjp is None:
        return f"{name}: its jvp; reverse mode transposes it"
    return f"{name}: its vjp; forward mode transposes it" if custom.jvp is None else f"{name}: its jvp and its vjp"


def _indented(text: str) -> str:
    return "\n".join(["  " + line for line in text.splitlines()])
