"""The passes over loops, in their order (design §6); each schedule of terms names those that follow it.

A pass takes a function of loops, and what makes names in it, to a function that computes the same, in the same order but
for sums that vectors or strips add in another; a law of real numbers is in `ALL` only (decisions 11 and 12).
"""

from __future__ import annotations

from collections.abc import Callable

from fsmooth.loops import tree as t
from fsmooth.loops.names import Names
from fsmooth.loops.passes.before_calls import work_before_calls
from fsmooth.loops.passes.blas import by_blas
from fsmooth.loops.passes.blocking import in_blocks
from fsmooth.loops.passes.checks import checks_before_loops
from fsmooth.loops.passes.factors_in_blocks import factors_in_blocks
from fsmooth.loops.passes.first_definitions import definitions_before_loops
from fsmooth.loops.passes.fixed_places import sums_at_fixed_places
from fsmooth.loops.passes.frame_order import frames_in_order
from fsmooth.loops.passes.fusing import fuse_loops
from fsmooth.loops.passes.gathered_updates import gather_updates
from fsmooth.loops.passes.independent import independent_loops
from fsmooth.loops.passes.invariant import invariant_loops
from fsmooth.loops.passes.jamming import jam_loops
from fsmooth.loops.passes.kept_places import kept_where_computed
from fsmooth.loops.passes.kept_sums import keep_sums
from fsmooth.loops.passes.memory_operations import operations_on_memory
from fsmooth.loops.passes.motion import storage_before_loops
from fsmooth.loops.passes.multiplied import multiply_nests
from fsmooth.loops.passes.parallel import in_parallel
from fsmooth.loops.passes.pruning import prune
from fsmooth.loops.passes.rooms import give_rooms
from fsmooth.loops.passes.split_math import split_math
from fsmooth.loops.passes.stored_once import store_over_zeros
from fsmooth.loops.passes.strips.by_columns import by_columns
from fsmooth.loops.passes.strips.in_strips import in_strips
from fsmooth.loops.passes.strips.of_math import math_in_strips
from fsmooth.loops.passes.tidy import tidy
from fsmooth.loops.passes.upwards import loops_upwards
from fsmooth.loops.passes.vectorise import marks
from fsmooth.loops.passes.vectors import write_vectors
from fsmooth.loops.passes.whole_arrays import whole_arrays
from fsmooth.rewrite.trace import Trace

Pass = Callable[[t.Function, Names], t.Function]
Passes = tuple[tuple[str, Pass], ...]

_CHECKS = (("checks before loops", checks_before_loops),)
_MOTION = (("storage before loops", storage_before_loops),)
_WHOLE = (("operations on memory", operations_on_memory), ("whole arrays before loops", whole_arrays))
_INVARIANT = (("invariant loops", invariant_loops),)
_INDEPENDENT = (("loops found parallel", independent_loops), ("loops upwards", loops_upwards))
_STORED = (("stored over zeros", store_over_zeros),)
_FACTORS = (("factors in blocks", factors_in_blocks),)
_VECTORS = (("math split from loops", split_math), ("loops marked for vectors", marks))
_BLOCKS = (("blocks", in_blocks),)
_TIDY = (("repeated checks dropped", tidy), ("dead code dropped", prune))
_FUSED = (("loops fused", fuse_loops),)
_LAWS = (
    ("kept sums", keep_sums),
    ("strips", in_strips),
    ("strips of columns", by_columns),
    ("nests multiplied", multiply_nests),
    ("updates gathered", gather_updates),
    ("frames in order", frames_in_order),
    ("work before calls", work_before_calls),
)
_MATH = (("math in strips", math_in_strips),)
_JAMMED = (("nests jammed", jam_loops),)
_FIXED = (("sums at fixed places in registers", sums_at_fixed_places),)
_STEADY = (("definitions before loops", definitions_before_loops),)
_WRITTEN = (("sums in vectors", write_vectors),)
_KEPT = (("what is kept computed where it is", kept_where_computed),)
_ROOMS = (("rooms", give_rooms),)

PLAIN: Passes = (*_TIDY, *_ROOMS)
"""Loops as lowering makes them: a reader does not meet the same check twice, and what loops allocate has room."""

_BEFORE: Passes = (
    *_CHECKS,
    *_MOTION,
    *_WHOLE,
    *_INVARIANT,
    *_STORED,
    *_INDEPENDENT,
    *_FACTORS,
    *_VECTORS,
    *_BLOCKS,
    *_TIDY,
    *_FUSED,
)

MOVED: Passes = (*_BEFORE, *_MATH, *_JAMMED, *_FIXED, *_STEADY, *_WRITTEN, *_KEPT, *_ROOMS)
"""All passes that compute each product of the program as it is written."""

ALL: Passes = (*_BEFORE, *_LAWS, *_MATH, *_JAMMED, *_FIXED, *_STEADY, *_WRITTEN, *_KEPT, *_ROOMS)
"""All of them: a factor that terms share may be multiplied with sums of them, which is a law of real numbers."""


def with_threads(passes: Passes, threads: int) -> Passes:
    """The passes with loops in chunks that run on so many threads; 0: as many as there are processors.

    Last but for rooms, so that what an iteration does is what it does without threads.
    """
    *others, rooms = passes
    return (*others, ("loops in parallel", in_parallel(threads)), rooms)


def with_blas(passes: Passes) -> Passes:
    """The passes with products of matrices by a BLAS, which takes them whole."""
    *others, rooms = [one for one in passes if one not in _FACTORS]
    return (*others, ("products by BLAS", by_blas), rooms)


def split(passes: Passes) -> tuple[Passes, Passes]:
    """The passes to the last law, and those after it; all of them and none if they have no laws.

    Between the two several functions are seen at once.
    """
    ends = [k for k, one in enumerate(passes) if one in _LAWS]
    return (passes[: ends[-1] + 1], passes[ends[-1] + 1 :]) if ends else (passes, ())


def run(passes: Passes, function: t.Function, names: Names, trace: Trace | None = None) -> t.Function:
    """What the passes make of a function; those that changed it are recorded, in their order."""
    for name, rewrite in passes:
        new = rewrite(function, names)
        if new is not function and trace is not None:
            trace.record(name)
        function = new
    return function
