"""Derivatives as Futhark text that Futhark takes itself (`f.futhark(…, ad="futhark")`): the program without its derivative, and
`vjp` or `jvp` of it.
"""

from __future__ import annotations

from fsmooth import driver
from fsmooth.backend.futhark.derived import TAKEN, differentiated
from fsmooth.backend.futhark.program import parts_of
from fsmooth.core import primitives as p
from fsmooth.core.term import Custom, Prim, Verb
from fsmooth.core.traverse import subterms
from fsmooth.entries import Entry
from fsmooth.errors import ArgumentError, UnsupportedError
from fsmooth.frontend.elaborate import Elaborated
from fsmooth.frontend.programs import DerivedProgram


def differentiated_by_futhark(entry: Entry) -> str:
    """The text for the types of an entry.

    Raises:
        ArgumentError: for what is no derivative.
        UnsupportedError: for what Futhark has no word for, or would differentiate in another way than we do.

    """
    program = entry.program
    if not isinstance(program, DerivedProgram):
        raise ArgumentError(f'{program.name} is no derivative\n  hint: fs.grad(f).futhark(…, ad="futhark")')
    base = program.program
    if isinstance(base, DerivedProgram) or program.verb not in TAKEN:
        taken = ", ".join([f"fs.{verb.value}" for verb in TAKEN])
        raise UnsupportedError(
            f"Futhark is not asked for the {_called(program)}\n  hint: {taken} of a program, or leave ad out"
        )
    types = {name: type_ for name, type_ in entry.types.items() if name != "tangent"}
    elaborated = driver.to_term(base, types, _TIMES.get(program.verb, 1))
    _refuse_rules(base.name, elaborated)
    stages = driver.compile_program(elaborated, base.name, entry.schedule)
    primal = parts_of(base.name, stages.terms["optimised"], base.function)
    names = [q.name for q in elaborated.parameters]
    order = [q.name for q in entry.elaborated.parameters if q.name in (*names, "tangent")]
    tangent = order.index("tangent") if "tangent" in order else 0
    return differentiated(primal, program.name, program.verb, [names.index(x) for x in program.wrt], tangent)


_TIMES = {Verb.HVP: 2}
"""How often a program is differentiated, if not once."""


def _called(program: DerivedProgram) -> str:
    inner = program.program
    return f"{program.verb.value} of a {inner.verb.value}" if isinstance(inner, DerivedProgram) else program.verb.value


def _refuse_rules(name: str, elaborated: Elaborated) -> None:
    """Refuse what Futhark would differentiate by its body, and we do not."""
    for part in subterms(elaborated.term):
        if isinstance(part, Custom):
            what = "calls a function that has a derivative of its own"
        elif isinstance(part, Prim) and part.primitive is p.stop_gradient:
            what = "says what is not to be differentiated (fs.stop_gradient, and linear algebra does so inside)"
        else:
            continue
        raise UnsupportedError(f"{name} {what}, and Futhark does not know of it\n  hint: leave ad out")
