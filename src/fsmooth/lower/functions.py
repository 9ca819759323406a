"""A whole function: its interface, its body into the outputs, and the function that gives the sizes of those (design §6)."""

from __future__ import annotations

from fsmooth.core.shape import Ragged
from fsmooth.core.term import NOWHERE, Lam, Let, Require, Term
from fsmooth.loops import tree as t
from fsmooth.loops.identifiers import public
from fsmooth.loops.names import Names
from fsmooth.loops.outline import outline
from fsmooth.loops.passes.schedule import ALL, Passes, run, split
from fsmooth.loops.summed_over_calls import sum_over_calls
from fsmooth.loops.updates_over_calls import gather_over_calls
from fsmooth.lower import expressions
from fsmooth.lower.accumulators import Allowed, sinks_of
from fsmooth.lower.cardinality import leaf_shapes
from fsmooth.lower.deciding import deciding
from fsmooth.lower.destination import Mode
from fsmooth.lower.fields import Fields
from fsmooth.lower.interface import Interface, StaticSizes
from fsmooth.lower.linear import linear_binding, linear_into
from fsmooth.lower.notes import storage_notes
from fsmooth.lower.sink_places import remaining
from fsmooth.lower.to_loops import Lowering
from fsmooth.rewrite.trace import Trace


def lower(
    term: Lam,
    name: str,
    static_sizes: StaticSizes | None = None,
    passes: Passes = ALL,
    trace: Trace | None = None,
    lowering: type[Lowering] = Lowering,
) -> t.Program:
    """The loops of a closed function, after the passes over loops.

    Args:
        term: the function; no `Deriv`, and no `Lam` inside but those applied on the spot.
        name: of the C function; a word of C, or a name of libm, gets an underscore.
        static_sizes: the sizes of arguments that are built in, by position of the parameter and axis.
        passes: over the loops, in their order.
        trace: records the passes that changed the function.
        lowering: the dispatch.

    Raises:
        Unsupported: if an earlier stage left a construct that has no loops.

    """
    name = public(name)
    kernel = lowering()
    kernel.prefix = name
    kernel.fields = Fields(term)
    interface = Interface(kernel, term, static_sizes or {})
    _result_into(kernel, interface, term.body)
    function = t.Function(name, interface.parameters(), tuple(kernel.block), kernel.facts)
    before, after = split(passes)
    function = run(before, function, kernel.names, trace)
    shape = _lower_shape(term, name, kernel, static_sizes or {}, passes)
    definitions, names = _definitions(kernel, before, trace)
    names[name] = kernel.names
    if after:
        gathered = gather_over_calls(function, shape, definitions, names)
        if gathered[0] is not function and trace is not None:
            trace.record("updates gathered over calls")
        function, definitions = gathered
    function = run(after, function, kernel.names, trace)
    definitions = tuple([run(after, f, names[f.name], trace) for f in definitions])
    if after:
        summed = sum_over_calls(function, definitions, names)
        if summed[0] is not function and trace is not None:
            trace.record("sums over calls")
        function, definitions = summed
    whole = (function, *definitions)
    function, *called = [outline(f, names[f.name]) for f in whole]
    if trace is not None and any([x is not y for x, y in zip((function, *called), whole, strict=True)]):
        trace.record("statements outlined")
    definitions = tuple(called)
    hints = kernel.names.hints
    return t.Program(
        name,
        function,
        shape,
        tuple([p.type for p in term.parameters]),
        term.body.type,
        tuple(kernel.sites),
        tuple([note for f in (function, *definitions) for note in storage_notes(f.body)]),
        {name: hint.text for name, hint in hints.items()},
        {name: hint.site for name, hint in hints.items() if hint.site is not NOWHERE},
        *deciding([function] if shape is None else [function, shape], definitions),
        definitions,
    )


def _definitions(
    kernel: Lowering, passes: Passes, trace: Trace | None
) -> tuple[tuple[t.Function, ...], dict[str, Names]]:
    """The functions that are called, with what makes names in them; while one is lowered more may be asked for."""
    done: list[t.Function] = []
    names: dict[str, Names] = {}
    while len(done) < len(kernel.functions):
        (header, to_add), name = list(kernel.functions.items())[len(done)]
        ctx = type(kernel)()
        ctx.share_sites(kernel)
        term = header.definition
        interface = Interface(ctx, term, {}, to_add)
        _result_into(ctx, interface, term.body)
        parts = (name, interface.parameters(), tuple(ctx.block), ctx.facts)
        function = t.Function(*parts, is_called=True, running=header.running)
        done.append(run(passes, function, ctx.names, trace))
        names[name] = ctx.names
    return tuple(done), names


def _result_into(ctx: Lowering, interface: Interface, body: Term) -> None:
    """Lower the outer scope, then the result into the outputs, whose sizes are known by then."""
    while isinstance(body, Let | Require):
        if isinstance(body, Require):
            expressions.demand(ctx, body)
        else:
            if not isinstance(body.body, Let | Require) and _accumulated(ctx, interface, body):
                return
            split = None if isinstance(body.body, Let | Require) else linear_binding(body)
            for k, (var, value) in enumerate(body.bindings):
                if split is None or k != split.binding:
                    ctx.bind(var, value)
            if split is not None:
                outputs = interface.outputs(Let((body.bindings[split.binding],), body.body))
                linear_into(ctx, body, split, outputs, Mode.ASSIGN)
                return
        body = body.body
    ctx.into(body, interface.outputs(body), Mode.ASSIGN)


def _accumulated(ctx: Lowering, interface: Interface, body: Let) -> bool:
    """Lower the innermost outer scope with what is added to the results added there; False if nothing is."""
    allowed = Allowed(interface.is_assigned, summand=lambda path: True)
    sinks = sinks_of(body, allowed) if ctx.accumulators else None
    if sinks is None:
        return False
    first = min([k for k, (var, _) in enumerate(body.bindings) if var in sinks.of])
    rest = Let(body.bindings[first:], body.body)
    before = {var for var, _ in body.bindings[:first]}
    try:
        shapes = leaf_shapes(rest)
    except Ragged:
        return False
    if any([x not in ctx.environment and x not in before for _, sizes in shapes for n in sizes for x in n.free]):
        return False
    for var, value in body.bindings[:first]:
        ctx.bind(var, value)
    sinks.places[None] = outputs = interface.outputs(rest)
    ctx.enter_accumulating(body, sinks, first)
    ctx.into(sinks.body, remaining(sinks, outputs), Mode.ASSIGN)
    return True


def _lower_shape(
    term: Lam, name: str, kernel: Lowering, static_sizes: StaticSizes, passes: Passes
) -> t.Function | None:
    ctx = Lowering()
    ctx.share_sites(kernel)
    interface = Interface(ctx, term, static_sizes)
    if not interface.has_arrays(term.body.type):
        return None
    interface.shapes(term.body)
    function = t.Function(f"{name}_shape", interface.shape_parameters(), tuple(ctx.block), ctx.facts)
    return outline(run(passes, function, ctx.names), ctx.names)
