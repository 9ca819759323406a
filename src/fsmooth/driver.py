"""The order of the stages: from a program and the types of its arguments to a loaded library.

elaborate → optimise → remove the innermost derivative → optimise → … → lower → emit → compile → load
"""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

from msgspec import Struct, field
from msgspec.structs import replace

from fsmooth.backend.c.emit import emit
from fsmooth.backend.c.program import CProgram
from fsmooth.core.alternatives import with_all_kinds
from fsmooth.core.definitions import has_calls, has_derivative, redefined
from fsmooth.core.free_variables import read_variables
from fsmooth.core.narrow import Arrays
from fsmooth.core.own_rules import without_rules
from fsmooth.core.shape import Ragged
from fsmooth.core.term import Deriv, Lam, Method, Site, Term, Var
from fsmooth.core.traverse import bound_in, children, subterms
from fsmooth.core.trees import dressed
from fsmooth.core.types import Function, Tuple, Type, unzipped
from fsmooth.differentiate.derivatives import NoDerivative, OfSaved
from fsmooth.differentiate.saving import Calls
from fsmooth.errors import NotDifferentiableError, RaggedError, StrategyError, UnsupportedError
from fsmooth.frontend.elaborate import Elaborated, Parameter, elaborate
from fsmooth.frontend.programs import Program
from fsmooth.loops.continuations import on_records as calls_on_records
from fsmooth.loops.storage import with_narrow
from fsmooth.loops.tree import Program as Loops
from fsmooth.lower.copies import Copying
from fsmooth.lower.cotangents import cotangent_notes
from fsmooth.lower.functions import lower
from fsmooth.lower.to_loops import Lowering
from fsmooth.optimise.calls.loops import calls_as_loops
from fsmooth.optimise.schedule import Destinations, Schedule, Stage, as_strategy
from fsmooth.optimise.schedules import named
from fsmooth.optimise.static_sizes import static_dimensions
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.reasons import reasons
from fsmooth.rewrite.trace import Trace
from fsmooth.runtime.memory import of_machine

if TYPE_CHECKING:
    from fsmooth.differentiate.choose import Choice
    from fsmooth.differentiate.linear.demonstration import Demonstration
    from fsmooth.differentiate.remove import Removal
    from fsmooth.differentiate.reverse.halves import Halves

_T = TypeVar("_T")
_Made = TypeVar("_Made", bound=Term)
_RECURSION = 1_000_000
_RECORDS = 2.0**31
_LOCK = threading.RLock()
_LOWERINGS = {Destinations.COPIED: Copying, Destinations.PASSED: Lowering}


class Stages(Struct):
    """What each stage made, how long it took, which rules fired, which passes changed the loops, and in which mode each
    derivative was made.

    `narrow`: the arrays that have integers of 32 bits.  `written`: the program as the user wrote it, where `elaborated` is the
    half of a vjp that reverse mode has made.
    """

    elaborated: Elaborated
    terms: dict[str, Term] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    trace: Trace = field(default_factory=Trace)
    passes: Trace = field(default_factory=Trace)
    choices: list[Choice] = field(default_factory=list)
    code: CProgram | None = None
    loops: Loops | None = None
    static_sizes: Mapping[tuple[int, int], int] = field(default_factory=dict)
    narrow: Arrays = frozenset()
    written: Lam | None = None

    def timed(self, stage: str, make: Callable[[], _Made]) -> _Made:
        """The term that a stage makes, kept with the time that it took."""
        start = time.perf_counter()
        result = make()
        self.seconds[stage] = time.perf_counter() - start
        self.terms[stage] = result
        return result

    def anew(self) -> Stages:
        """Of the same program, before the first stage."""
        return Stages(self.elaborated, static_sizes=self.static_sizes, narrow=self.narrow)

    @property
    def cotangents(self) -> tuple[str, ...]:
        """A line for each cotangent array that got memory of its own; () if there is no reverse derivative."""
        backwards = (Method.REVERSE, Method.CONTINUATIONS)
        is_reverse = self.written is not None or any([choice.method in backwards for choice in self.choices])
        if self.loops is None or not is_reverse:
            return ()
        own = _names(self.elaborated.term if self.written is None else self.written)
        return cotangent_notes(self.loops, own)

    def demonstration(self, wrt: str | tuple[str, ...] | None = None) -> Demonstration:
        """Definition, full Jacobian, forward and reverse derivative as linear maps, as the notes print them (paper 001, §9).

        Of the function itself, by its first argument of real numbers, if `wrt` names no others; if it is a derivative, of
        the function that it is the derivative of, by the same arguments.

        Raises:
            NotDifferentiableError: for what has no derivative as a linear map.
            ArgumentError: for arguments that do not exist, or have no real numbers.

        """
        from fsmooth.demonstrations import demonstrated  # noqa: PLC0415  (linear maps are loaded when they are asked for)

        return _deep(lambda: _in_a_mode(lambda auto, calls: demonstrated(self.elaborated, wrt, auto)))


def to_term(program: Program, arguments: Mapping[str, Type | object], order: int = 0) -> Elaborated:
    """The first stage by itself, for a term that is going to be differentiated so often."""
    return _deep(lambda: elaborate(program, arguments, order))


def static_axes(elaborated: Elaborated) -> frozenset[tuple[int, int]]:
    """Which dimensions of which parameters should be constants of the compiled program."""
    return _deep(lambda: static_dimensions(elaborated.term))


def compile_program(
    elaborated: Elaborated,
    name: str,
    schedule: str | Schedule,
    static_sizes: Mapping[tuple[int, int], int] | None = None,
    trace: Trace | None = None,
    narrow: Arrays = frozenset(),
) -> Stages:
    """All stages up to the C text.

    `static_sizes` gives the lengths (by parameter position and axis) that are built in; `trace` is what notes which rules fired;
    `narrow` are the arrays that have integers of 32 bits, where the C can read such.

    Raises:
        NotDifferentiableError: for a derivative that does not exist.
        RaggedError: for an array whose rows differ in length.
        StrategyError: for a schedule that does not end, or leaves a derivative.

    """

    def make(auto: Method, calls: Calls) -> Stages:
        noted = Trace() if trace is None else trace.fresh()
        stages = Stages(elaborated, static_sizes=static_sizes or {}, narrow=narrow, trace=noted)
        return _compile(stages, name, named(schedule), auto, calls)

    return _deep(lambda: _in_a_mode(make))


def compile_halves(
    elaborated: Elaborated,
    name: str,
    schedule: str | Schedule,
    static_sizes: Mapping[tuple[int, int], int] | None = None,
    narrow: Arrays = frozenset(),
) -> Compilation:
    """All stages, up to the C text, of the two halves of a vjp; `narrow` are the arrays that have integers of 32 bits.

    By a tape where that is asked for, or where no method is and reverse mode has no derivative.

    Raises:
        NotDifferentiableError: for a derivative that does not exist.
        RaggedError: for an array whose rows differ in length.

    """
    first = Stages(elaborated, static_sizes=static_sizes or {}, narrow=narrow)

    def made(without: str | None = None) -> Compilation:
        return _in_a_mode(lambda *modes: _compile_halves(first.anew(), name, schedule, without, *modes))

    def by_either() -> Compilation:
        try:
            return made()
        except NotDifferentiableError as error:
            if elaborated.pullback is None or elaborated.pullback.method is not Method.AUTO:
                raise
            try:
                return made(str(error).partition("\n")[0])
            except NotDifferentiableError:
                raise error from None

    return _deep(by_either)


class Compilation(Struct, frozen=True):
    """The two halves of a vjp; the second takes the parameters of the first that `kept` lists, by position.

    Of those of them that `read` does not list it asks nothing but lengths.  `tape` is which of the residuals is a tape.
    """

    forward: Stages
    backward: Stages
    kept: tuple[int, ...]
    read: frozenset[int]
    tape: int | None = None


def _compile(stages: Stages, name: str, order: Schedule, auto: Method, calls: Calls) -> Stages:
    elaborated, static = stages.elaborated, stages.static_sizes
    term = cast(Lam, calls_as_loops(elaborated.term)(elaborated.term))
    stages.terms["definition"] = term
    if order.whole is not None:
        term = _as_strategy_says(stages, term, order.whole)
    elif has_derivative(term):
        from fsmooth.differentiate.remove import Removal  # noqa: PLC0415  (loaded for derivatives)

        sizes = _sizes(term, static)
        removal = Removal(order.before_derivative(stages.trace, sizes), sizes, auto, calls)
        noted = len(stages.trace.derivations)
        given, term = term, cast(Lam, stages.timed("derivative", lambda: removal.run(term)))
        stages.trace.one_step("derivatives", given, term, partial(_differentiated, order, auto, calls), sizes, noted)
        stages.choices = removal.choices
        taken = removal.called(term, static)
        if taken is not None and without_rules(term) is term:
            stages.trace.one_step(
                "only a call",
                term,
                taken.derivative,
                partial(_called, removal, static),
                sizes,
                len(stages.trace.derivations),
            )
            made = stages.timed("optimised", lambda: taken.ended(term.parameters, stages.trace))
            _lower(stages, made, name, order, elaborated.term.body.type)
            return stages
    _finish(stages, term, name, order, elaborated.term.body.type)
    return stages


def _differentiated(order: Schedule, auto: Method, calls: Calls, term: Term, facts: Facts) -> Term:
    """The program without derivatives."""
    from fsmooth.differentiate.remove import Removal  # noqa: PLC0415  (loaded for derivatives)

    sizes = dict(facts.static_sizes)
    return Removal(order.before_derivative(Trace(), sizes), sizes, auto, calls).run(term)


def _called(removal: Removal, static: Mapping[tuple[int, int], int], term: Term, facts: Facts) -> Term | None:  # noqa: ARG001
    """The derivative of which a program is only a call."""
    taken = removal.called(cast(Lam, term), static)
    return None if taken is None else taken.derivative


def _as_strategy_says(stages: Stages, term: Lam, whole: Stage) -> Lam:
    """The program without derivatives, by a schedule that removes them itself."""
    sizes = _sizes(term, stages.static_sizes)
    noted = len(stages.trace.derivations)
    result = cast(Lam, stages.timed("derivative", lambda: whole(term, stages.trace, sizes)))
    stages.trace.one_step("the strategy", term, result, as_strategy(whole), sizes, noted)
    if has_derivative(result):
        hint = 'it needs st.differentiate("auto"), where everything can be differentiated'
        raise StrategyError(f"a derivative is left by this schedule\n  hint: {hint}")
    return result


def _compile_halves(
    forward: Stages,
    name: str,
    schedule: str | Schedule,
    without: str | None,
    auto: Method,
    calls: Calls,
) -> Compilation:
    """`without` says why reverse mode has no derivative: then it is by a tape."""
    from fsmooth.differentiate.choose import chosen  # noqa: PLC0415  (loaded for derivatives)
    from fsmooth.differentiate.remove import Removal  # noqa: PLC0415
    from fsmooth.differentiate.reverse.halves import by_transposition, halves  # noqa: PLC0415
    from fsmooth.differentiate.tape.verbs import TAPE, by_tape  # noqa: PLC0415

    elaborated, static = forward.elaborated, forward.static_sizes
    as_loops = calls_as_loops(elaborated.term)
    term = cast(Lam, as_loops(elaborated.term))
    forward.terms["definition"] = term
    order = named(schedule)
    if order.whole is not None:
        raise StrategyError(f"a vjp is made in two halves, which no strategy can say\n  hint: {_HALVES}")
    assert elaborated.pullback is not None
    wanted = cast(Deriv, as_loops(elaborated.pullback))
    sizes = _sizes(term, static)
    before = order.before_derivative(forward.trace, sizes)
    removal = Removal(before, sizes, auto, calls)
    made: list[Halves] = []
    is_taped = wanted.method is Method.TAPE or without is not None

    def first() -> Term:
        def ready(t: Term) -> Term:
            return removal.ready.rules(before.run_once(before(removal.run(t))), Method.REVERSE)

        made.append(halves(term, wanted, ready, by_tape if is_taped else by_transposition(calls)))
        return made[0].forward

    forward.timed("derivative", first)
    parts = made[0]
    forward.choices = removal.choices
    if is_taped:
        choice = chosen(wanted, removal.known)
        forward.choices.append(choice if without is None else choice.instead(without, Method.TAPE))
    own = {(parts.kept.index(k), axis): n for (k, axis), n in static.items() if k in parts.kept}
    narrow = frozenset([(parts.kept.index(k), array) for k, array in forward.narrow if k in parts.kept])
    second = _of_halves(elaborated, parts)
    backward = Stages(second, static_sizes=own, narrow=narrow, written=None if is_taped else term)
    backward.terms["definition"] = parts.backward
    parts = parts.pared(_optimise(backward, parts.backward, order))
    assert isinstance(wanted.type, Function)
    assert isinstance(wanted.type.result, Tuple)
    value, cotangents = wanted.type.result.items
    first_result = cast(Tuple, parts.forward.body.type)
    _finish(forward, parts.forward, name, order, with_all_kinds(Tuple((value, first_result.items[1]))))
    backward.elaborated = _of_halves(elaborated, parts)
    backward.terms["optimised"] = parts.backward
    _lower(backward, parts.backward, name.replace("vjp", "pullback", 1), order, cotangents)
    asked = read_variables(parts.backward.body)
    read = [k for k, q in zip(parts.kept, parts.backward.parameters, strict=False) if q in asked]
    saved = [q.name for q in parts.backward.parameters[len(parts.kept) : -1]]
    tape = saved.index(TAPE) if is_taped else None
    return Compilation(forward, backward, parts.kept, frozenset(read), tape)


_HALVES = "use fs.grad or fs.value_and_grad, or a schedule without st.differentiate"


def _of_halves(elaborated: Elaborated, parts: Halves) -> Elaborated:
    """The second half as a program, with the names of the parameters that it takes from the first."""
    names = [*[elaborated.parameters[k].name for k in parts.kept]]
    names += [q.name for q in parts.backward.parameters[len(names) :]]
    parameters = [Parameter(n, q.type) for n, q in zip(names, parts.backward.parameters, strict=True)]
    return Elaborated(parts.backward, tuple(parameters), elaborated.readings)


def _names(term: Term) -> frozenset[str]:
    """The names of the variables that a term binds."""
    return frozenset([x.name for t in subterms(term) for k in range(len(children(t))) for x in bound_in(t, k)])


def _sizes(term: Lam, static: Mapping[tuple[int, int], int]) -> dict[tuple[Var, int], int]:
    return {(term.parameters[k], axis): n for (k, axis), n in static.items()}


def _finish(stages: Stages, term: Lam, name: str, order: Schedule, result: Type) -> None:
    """Optimise, lower and emit."""
    _lower(stages, _optimise(stages, term, order), name, order, result)


def _optimise(stages: Stages, term: Lam, order: Schedule) -> Lam:
    given, term = term, cast(Lam, without_rules(term))
    sizes = _sizes(term, stages.static_sizes)
    stages.trace.one_step(
        "rules of derivatives left out", given, term, _without_rules, sizes, len(stages.trace.derivations)
    )
    optimised = stages.timed("optimised", lambda: order(term, stages.trace, sizes))
    assert isinstance(optimised, Lam)
    return optimised


def _without_rules(term: Term, facts: Facts) -> Term:  # noqa: ARG001  (a strategy)
    return without_rules(term)


def _redefined(order: Schedule, trace: Trace, term: Term) -> Lam:
    """The program where each definition that it calls is optimised."""
    return cast(Lam, redefined(term, lambda f: cast(Lam, order(without_rules(f), trace, {}))))


def _lower(stages: Stages, optimised: Lam, name: str, order: Schedule, result: Type) -> None:
    """Lower and emit; the classes of what is given are those of `result`, since equal terms are of equal types only."""
    start = time.perf_counter()
    lowering = _LOWERINGS[order.destinations]
    if has_calls(optimised):
        noted = len(stages.trace.derivations)
        given, optimised = optimised, _redefined(order, stages.trace, optimised)
        stages.trace.one_step("definitions", given, optimised, lambda t, _: _redefined(order, Trace(), t), {}, noted)
        stages.terms["optimised"] = optimised
    loops = lower(optimised, name, stages.static_sizes, order.loops, stages.passes, lowering)
    stages.loops = with_narrow(loops, stages.narrow)
    code = emit(stages.loops)
    stages.code = replace(code, result=dressed(unzipped(code.result), unzipped(result)))
    stages.seconds["C"] = time.perf_counter() - start


def reasons_of(program: Term) -> list[tuple[Site, str]]:
    """Why each index in a program is in bounds, where that is proved."""
    return _deep(lambda: list(reasons(program)))


def on_records(stages: Stages) -> CProgram | None:
    """The C of a program for calls that are too deep for the stack of a thread: what they need is on records (decision 28).

    None if it has no such calls, or they cannot run so.  It takes no more than 2 GiB, or half the
    machine's memory: recursion without end is an error before that is gone.
    """
    assert stages.loops is not None
    assert stages.code is not None
    program = calls_on_records(stages.loops)
    if program is None:
        return None
    try:
        code = emit(program)
    except UnsupportedError:
        return None
    most = min(_RECORDS, of_machine() / 2)
    return replace(code, source=f"#define FS_MEMORY {most:.1f}\n{code.source}", result=stages.code.result)


def _in_a_mode(make: Callable[[Method, Calls], _T]) -> _T:
    """What `make` gives in the modes that are predicted to be cheaper, or, if an array of it would be ragged, in forward
    or in reverse mode.  Calls save nothing if what they save would be differentiated.  What the stages cannot do is an
    error of the user's program.
    """
    try:
        try:
            return make(Method.AUTO, Calls.SAVE)
        except OfSaved:
            return make(Method.AUTO, Calls.ANEW)
        except Ragged:
            return _rectangular(make)
    except NoDerivative as error:
        raise NotDifferentiableError(str(error)) from error
    except Ragged as error:
        what = "the rows of an array have different lengths; arrays are rectangular"
        hint = "of a derivative in forward mode, as of a list that grows under a condition: method='reverse'"
        raise RaggedError(f"{what}\n  hint: {hint}") from error


def _rectangular(make: Callable[[Method, Calls], _T]) -> _T:
    """What one mode gives for all derivatives, where modes of their own make a ragged array."""
    try:
        return make(Method.FORWARD, Calls.ANEW)
    except (NoDerivative, Ragged):
        return make(Method.REVERSE, Calls.ANEW)


def with_deep_recursion(make: Callable[[], _T]) -> _T:
    """What looks at whole programs, beside these stages."""
    return _deep(make)


def _deep(make: Callable[[], _T]) -> _T:
    """Run with a recursion limit that deep programs need, and without the cycle collector: terms have no cycles.

    Both belong to the process, so that only one thread compiles at a time.
    """
    with _LOCK:
        limit, collecting = sys.getrecursionlimit(), gc.isenabled()
        sys.setrecursionlimit(max(limit, _RECURSION))
        gc.disable()
        try:
            return make()
        finally:
            sys.setrecursionlimit(limit)
            if collecting:
                gc.enable()
