"""A whole function: its interface, its body into the outputs, and the function that gives the sizes of those (design §6)."""

from __future__ import annotations

from collections.abc import Callable

from fsmooth.core.shape import Ragged
from fsmooth.core.term import Lam, Let, Require, Term
from fsmooth.loops import tree as t
from fsmooth.loops.pruning import prune
from fsmooth.lower import expressions
from fsmooth.lower.accumulators import Allowed, sinks_of
from fsmooth.lower.cardinality import leaf_shapes
from fsmooth.lower.deciding import deciding
from fsmooth.lower.destination import Mode
from fsmooth.lower.fusing import fuse_loops
from fsmooth.lower.identifiers import identifier
from fsmooth.lower.interface import Interface, StaticSizes
from fsmooth.lower.kept_sums import keep_sums
from fsmooth.lower.linear import linear_binding, linear_into
from fsmooth.lower.notes import storage_notes
from fsmooth.lower.rooms import give_rooms
from fsmooth.lower.sink_places import remaining
from fsmooth.lower.strips.in_strips import in_strips
from fsmooth.lower.tidy import tidy
from fsmooth.lower.to_loops import Lowering
from fsmooth.lower.vectors import sums_in_vectors

OnLoops = Callable[[Callable[[str], str], t.Function], None]
"""A pass over the loops of a function, which is given how to make names."""

SHARED_FACTORS: tuple[OnLoops, ...] = (keep_sums, in_strips)
"""`f * (a + b)` for `f * a + f * b` and the other way round, which is a law of real numbers (decisions 11 and 12)."""


def lower(term: Lam, name: str, static_sizes: StaticSizes | None = None) -> t.Program:
    """The loops of a closed function; a factor that terms share may be multiplied with sums of them.

    Args:
        term: the function; no `Deriv`, and no `Lam` inside but those applied on the spot.
        name: of the C function; a word of C, or a name of libm, gets an underscore.
        static_sizes: the sizes of arguments that are built in, by position of the parameter and axis.

    Raises:
        Unsupported: if an earlier stage left a construct that has no loops.

    """
    return lower_by(Lowering, SHARED_FACTORS, term, name, static_sizes)


def lower_each_product(term: Lam, name: str, static_sizes: StaticSizes | None = None) -> t.Program:
    """`lower`, where each product of the program is computed as such."""
    return lower_by(Lowering, (), term, name, static_sizes)


def lower_by(
    lowering: type[Lowering],
    laws: tuple[OnLoops, ...],
    term: Lam,
    name: str,
    static_sizes: StaticSizes | None = None,
) -> t.Program:
    """`lower`, by a given dispatch, with these laws of real numbers."""
    name = identifier(name)
    kernel = lowering()
    interface = Interface(kernel, term, static_sizes or {})
    _result_into(kernel, interface, term.body)
    function = t.Function(name, interface.parameters(), kernel.block)
    tidy(function)
    prune(function)
    fuse_loops(function)
    for rewrite in laws:
        rewrite(kernel.fresh, function)
    sums_in_vectors(function)
    give_rooms(kernel.fresh, function)
    shape = _lower_shape(term, name, kernel, static_sizes or {})
    return t.Program(
        name,
        function,
        shape,
        tuple([p.type for p in term.parameters]),
        term.body.type,
        tuple(kernel.sites),
        storage_notes(function.body),
        kernel.hints,
        deciding([function] if shape is None else [function, shape]),
    )


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


_ANYTHING = Allowed(whole=lambda path: True, summand=lambda path: True)


def _accumulated(ctx: Lowering, interface: Interface, body: Let) -> bool:
    """Lower the innermost outer scope with what is added to the results added there; False if nothing is."""
    sinks = sinks_of(body, _ANYTHING) if ctx.accumulators else None
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


def _lower_shape(term: Lam, name: str, kernel: Lowering, static_sizes: StaticSizes) -> t.Function | None:
    ctx = Lowering()
    ctx.share_sites(kernel)
    interface = Interface(ctx, term, static_sizes)
    if not interface.has_arrays(term.body.type):
        return None
    interface.shapes(term.body)
    function = t.Function(f"{name}_shape", interface.shape_parameters(), ctx.block)
    tidy(function)
    prune(function)
    give_rooms(ctx.fresh, function)
    return function
