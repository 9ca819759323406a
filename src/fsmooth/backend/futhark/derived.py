"""A derivative that Futhark takes itself: the program as a function, and an entry point with `vjp` or `jvp` of it.

Its parameters and results are those of the derivative that we take, one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from fsmooth.backend.futhark.code import tupled
from fsmooth.backend.futhark.entry import Definition
from fsmooth.core.term import Verb
from fsmooth.errors import UnsupportedError

TAKEN = (Verb.GRAD, Verb.VALUE_AND_GRAD, Verb.JVP, Verb.HVP)
"""What one `vjp` or `jvp` of Futhark's is, or one in the other."""


def differentiated(program: Definition, name: str, verb: Verb, wrt: Sequence[int], tangent: int) -> str:
    """The text, with a derivative by the parameters at `wrt`; if it takes tangents, they are before parameter number `tangent`.

    Raises:
        UnsupportedError: for a derivative that Futhark would give in another form than we do.

    """
    leaves = [leaf for k in wrt for leaf in program.parameters[k]]
    _only_real([type_ for _, type_ in leaves], "by")
    if verb is Verb.JVP:
        _only_real(program.results, "of")
    along = [(program.names.fresh(f"d{x}"), type_) for x, type_ in leaves] if verb in (Verb.JVP, Verb.HVP) else []
    point = tupled([x for x, _ in leaves])
    given = " ".join([x for part in program.parameters for x, _ in part])
    function = f"(\\{point} -> {program.name} {given})"
    seed = f"1{program.results[0]}"
    types = [type_ for _, type_ in leaves]
    match verb:
        case Verb.GRAD:
            body = f"vjp {function} {point} {seed}"
        case Verb.HVP:
            body = f"jvp (\\{point} -> vjp {function} {point} {seed}) {point} {tupled([x for x, _ in along])}"
        case Verb.VALUE_AND_GRAD:
            body, types = _both(program, f"vjp2 {function} {point} {seed}", program.results, types)
        case _:
            call = f"jvp2 {function} {point} {tupled([x for x, _ in along])}"
            body, types = _both(program, call, program.results, program.results)
    parameters = [*program.parameters[:tangent], along, *program.parameters[tangent:]]
    entry = Definition(program.names, (), program.names.fresh(name.strip("_")), program.sizes, parameters, types, body)
    return f"{program.text('def')}\n{entry.text('entry')}"


def _both(program: Definition, call: str, values: Sequence[str], others: Sequence[str]) -> tuple[str, list[str]]:
    """A pair of values and derivatives, one after the other, with their types."""
    types = [*values, *others]
    if len(types) == 2:
        return call, types
    first = [program.names.fresh("value") for _ in values]
    second = [program.names.fresh("derivative") for _ in others]
    return f"let ({tupled(first)}, {tupled(second)}) = {call}\nin ({', '.join([*first, *second])})", types


def _only_real(types: Sequence[str], what: str) -> None:
    for type_ in types:
        if type_.rpartition("]")[2] not in ("f64", "f32"):
            hint = "leave ad out, or separate real numbers from others"
            raise UnsupportedError(f"Futhark's own derivative {what} a {type_} is another than ours\n  hint: {hint}")
        if "[]" in type_:
            raise UnsupportedError(
                "Futhark takes no derivative of a function whose result has a size that is computed inside\n  hint: leave ad out"
            )
