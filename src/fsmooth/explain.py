"""What was made and why, as text (`Function.explain`, `Function.cost`)."""

from __future__ import annotations

from fsmooth.core.cost import cost, of_calls
from fsmooth.core.matrix_products import products_with_vectors
from fsmooth.core.narrow import Narrow
from fsmooth.core.term import Custom
from fsmooth.core.traverse import subterms
from fsmooth.driver import Stages
from fsmooth.loops.passes import blas
from fsmooth.loops.passes.parallel import told
from fsmooth.optimise.schedule import Schedule
from fsmooth.optimise.schedules import BLAS, THREADS

_ON_ONE_LINE = ("sizes built in", "read as int32", "cost", "time")
_COUNTED = "rules that fired"


def explanation(name: str, schedule: str | Schedule, stages: Stages) -> str:
    """Definition, sizes built in, arrays of int32, modes of derivatives, rules that fired, the term they made, the passes that
    changed its loops, cost, storage, times.
    """
    parts = [f"{name}, schedule {schedule}"]
    for title, text in sections(schedule, stages):
        if title in _ON_ONE_LINE:
            parts.append(f"{title}: {text}")
        else:
            parts.append(f"{title}:\n{text if title == _COUNTED else _indented(text)}")
    return "\n\n".join(parts)


def sections(schedule: str | Schedule, stages: Stages) -> list[tuple[str, str]]:
    """The same part by part, each with its title."""
    parts: list[tuple[str, str]] = []
    if stages.static_sizes:
        names = [q.name for q in stages.elaborated.parameters]
        sizes = [f"len({names[k]}, axis {axis}) = {n}" for (k, axis), n in sorted(stages.static_sizes.items())]
        parts.append(("sizes built in", ", ".join(sizes)))
    narrow = (
        [] if stages.loops is None else [q.name for q in stages.loops.kernel.parameters if isinstance(q.type, Narrow)]
    )
    if narrow:
        parts.append(("read as int32", ", ".join(narrow)))
    parts.append(("definition", str(stages.terms["definition"])))
    given = {t.rule: t for t in subterms(stages.elaborated.term) if isinstance(t, Custom)}
    if given:
        parts.append(("derivatives given", "\n".join(map(_rules_of, given.values()))))
    if stages.choices:
        parts.append(("modes", "\n".join([str(choice) for choice in stages.choices])))
    parts.append((_COUNTED, str(stages.trace)))
    parts.append(("optimised", str(stages.terms["optimised"])))
    if stages.passes.fired:
        parts.append(("loops", "\n".join(stages.passes.fired)))
    if stages.loops is not None and THREADS in str(schedule):
        parts.append(("on threads", "\n".join(told(stages.loops.kernel))))
    if stages.loops is not None and BLAS in str(schedule):
        parts.append(("by BLAS", "\n".join(_by_blas(stages))))
    parts.append(("cost", cost_of(stages)))
    if stages.code is not None:
        parts.append(("storage", "\n".join(stages.code.notes or ("no array is stored but the results",))))
    if stages.cotangents:
        parts.append(("cotangents", "\n".join(stages.cotangents)))
    parts.append(("time", ", ".join([f"{stage} {seconds * 1e3:.1f} ms" for stage, seconds in stages.seconds.items()])))
    return parts


def demonstration(stages: Stages) -> str:
    """The full Jacobian, forward and reverse derivative as linear maps, stage by stage (paper 001, §9)."""
    return f"linear maps (paper 001, §9):\n\n{stages.demonstration()}"


def cost_of(stages: Stages) -> str:
    """The weight of a call as a polynomial in the sizes, before and after optimisation."""
    optimised = stages.terms["optimised"]
    after = cost(optimised)
    before = cost(stages.terms.get("derivative", stages.terms["definition"]))
    if before.big_o() == after.big_o():
        return f"{after}, {after.big_o()}{of_calls(optimised)}"
    return f"{after}, {before.big_o()} → {after.big_o()}{of_calls(optimised)}"


def _by_blas(stages: Stages) -> list[str]:
    """Which products of matrices go to BLAS, and why others do not."""
    assert stages.loops is not None
    found = blas.told([stages.loops.kernel, *stages.loops.definitions])
    vectors = sum(1 for _ in products_with_vectors(stages.terms["optimised"]))
    if vectors:
        many = "a matrix by a vector" if vectors == 1 else f"{vectors} products of a matrix and a vector"
        found.append(f"{many}: loops, which read the matrix once as BLAS does")
    return found or ["no product of matrices"]


def _rules_of(custom: Custom) -> str:
    """What is known of the derivative of a function, and what each mode makes of it."""
    name = custom.rule.name
    if custom.vjp is None:
        return f"{name}: its jvp; reverse mode transposes it"
    return f"{name}: its vjp; forward mode transposes it" if custom.jvp is None else f"{name}: its jvp and its vjp"


def _indented(text: str) -> str:
    return "\n".join(["  " + line for line in text.splitlines()])
