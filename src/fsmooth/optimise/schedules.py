"""Schedules: which rules run, in which order (paper 000, §6, "different configurations").

A schedule is a list of stages.  `Normalise(family)` is the simplifier with that family of rules; `share` and
`motion` are the passes of optimise/sharing.py and optimise/motion.py.  The paper's ablations are schedules
with names:

    NONE          the program as differentiated, partially evaluated only
    LF            + loop fusion (Fig. 8c)
    LN            + loop normalisation, fission with projection, sparsity (Fig. 8e, 8g)
    LICM          + code motion, common subexpressions, tabulation, windows
    DPS           + destinations passed to what computes them (§5.2); the others copy values to where they belong
    DEFAULT       all of these, and one 1/p for all divisions by p: what design §5 allows on IEEE numbers; loops multiply
                  a factor that terms share with their sum, or with sums of some of them (decisions 11 and 12)
    REAL          DEFAULT and the laws that hold for real numbers (the paper's)

What is differentiated is optimised before, by the same rules (`Schedule.before`), so that an ablation leaves
out a rule everywhere: always normalised; and with what is invariant out of its loops if the derivative runs it once, as
reverse mode does, since what is done in each step is done backwards too.  Forward mode along many directions is
better off with loops it can see through.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from fsmooth.core.term import Lam, Require, Term
from fsmooth.core.traverse import subterms
from fsmooth.loops.passes.schedule import ALL, MOVED, with_blas, with_threads
from fsmooth.optimise.carried_indices import prove_carried_indices
from fsmooth.optimise.compaction import compact_tables
from fsmooth.optimise.earlier_values import keep_earlier_values
from fsmooth.optimise.interchange import interchange
from fsmooth.optimise.kept_guards import keep_guards
from fsmooth.optimise.merging import merge_loops
from fsmooth.optimise.motion import (
    move,
    move_and_share_all_reciprocals,
    move_and_share_reciprocals,
    move_before_derivative,
)
from fsmooth.optimise.policy import Fusion, Policy
from fsmooth.optimise.rules import accumulation, bounds, checks, counting, gathering, powers, selection, speculation
from fsmooth.optimise.rules import conditional as c
from fsmooth.optimise.rules import displays as d
from fsmooth.optimise.rules import element_assignment as el
from fsmooth.optimise.rules import extremal_folds as extremal
from fsmooth.optimise.rules import fusion as f
from fsmooth.optimise.rules import guards as g
from fsmooth.optimise.rules import lambda_calculus as lam
from fsmooth.optimise.rules import loop_fission as fission
from fsmooth.optimise.rules import loop_normalisation as ln
from fsmooth.optimise.rules import matrix_products as products
from fsmooth.optimise.rules import quotients as q
from fsmooth.optimise.rules import requirements as req
from fsmooth.optimise.rules import ring as r
from fsmooth.optimise.rules import same_components as same
from fsmooth.optimise.rules import small_sums as small
from fsmooth.optimise.rules import sparsity as s
from fsmooth.optimise.rules import sum_fission as sums
from fsmooth.optimise.rules import tuples as t
from fsmooth.optimise.rules.state_sizes import length_of_state
from fsmooth.optimise.rules.unchanged_states import unchanged_in_state
from fsmooth.optimise.schedule import Destinations, Lifted, Schedule, Stage, Stages, StaticSizes, as_strategy
from fsmooth.optimise.simplify import simplify
from fsmooth.optimise.sums_of_rows import multiply_rows
from fsmooth.optimise.unzipping import unzip
from fsmooth.optimise.windows.in_windows import in_windows
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import Rule, Strategy
from fsmooth.rewrite.trace import Trace

Family = tuple[Rule, ...]

LAMBDA: Family = (lam.beta, lam.let_out_of_argument, lam.require_out_of_argument)
TUPLES: Family = (t.project_tuple, t.project_if, t.eta_tuple, unchanged_in_state)
RING: Family = (
    r.fold_constants,
    s.zero_laws,
    r.add_zero_integer,
    r.multiply_one,
    r.multiply_zero_integer,
    r.integer_arithmetic,
    r.signs,
    r.sign_out,
)
REAL_LAWS: Family = (
    r.add_zero,
    r.multiply_zero,
    r.cancel,
    r.factor,
    q.single_fraction,
    q.cancel_factor,
    q.distribute_to_cancel,
    q.sum_of_invariant,
    q.factor_out_of_sum,
)
CONDITIONAL: Family = (
    c.if_known,
    c.if_same,
    c.if_not,
    c.equal_to_choice,
    c.decide,
    c.all_known,
    c.discharge,
    c.discharge_require,
)
FUSION: Family = (f.name_index, f.get_build, f.get_if, f.get_update, f.eta_build, accumulation.plus_builds)
SIZES: Family = (f.length_static, f.length_build, f.length_of_equal, f.get_vector, length_of_state, bounds.known_order)
ACCUMULATION: Family = (accumulation.plus_flat, accumulation.get_plus, accumulation.plus_update, small.plus_displays)
FISSION: Family = (fission.project_fold, fission.project_sum, d.split_display, small.sum_of_displays)
SPARSITY: Family = (
    s.get_zero,
    s.get_delta,
    s.all_zero,
    s.sum_zero,
    s.build_delta,
    s.update_zero,
    s.update_same,
    s.guard_linear,
    g.guard_distribute,
    g.guard_merge,
    g.solve_for_index,
    s.guard_split,
    s.guard_order,
    s.sum_delta,
    s.sum_guarded_delta,
    gathering.sum_shifted,
)
NORMALISATION: Family = (
    ln.fold_empty,
    ln.fold_identity,
    ln.fold_single,
    counting.fold_counter,
    ln.fold_to_sum,
    extremal.fold_to_extremum,
    el.fold_to_build,
    ln.sum_short,
    ln.sum_single,
    ln.sum_guard_out,
    sums.sum_split,
    sums.sum_split_tuple,
    same.sum_same_components,
    same.build_same_components,
    sums.sum_single_array,
    sums.sum_split_arrays,
    products.products_apart,
    products.product_named,
    ln.guard_out_of_let,
    req.require_out_of_loop,
    req.require_out_of_let,
)
CHECKS: Family = (checks.check_out_of_loop, req.require_out_of_loop, req.require_of_last, req.require_out_of_let)
SELECTION: Family = (selection.reduce_selection,)
EXTREMA: Family = (selection.extremum_of_selection, extremal.fold_to_place_of_number)
PLACES: Family = (extremal.fold_to_place,)
SPECULATION: Family = (speculation.select_displays, speculation.let_out_of_branch)
ZEROS: Family = (r.zero_as_number,)
POWERS: Family = (powers.half_power,)
REQUIREMENTS: Family = (
    req.require_before_loop,
    req.require_out_of_let,
    req.require_out_of_display,
)

PARTIAL_EVALUATION: Family = (
    LAMBDA + TUPLES + RING + CONDITIONAL + SIZES + ACCUMULATION + (s.get_zero, s.get_delta, ln.fold_empty)
)


class Normalise(Struct, frozen=True):
    """The simplifier with one family of rules."""

    family: Family
    policy: Policy

    def __call__(self, term: Term, trace: Trace, sizes: StaticSizes) -> Term:
        return simplify(term, self.family, self.policy, trace, sizes)

    def with_rules(self, rules: Family) -> Normalise:
        """The same with more rules."""
        return Normalise(self.family + rules, self.policy)


class ThenNormalise(Struct, frozen=True):
    """A pass over the loops; what that uncovers, if anything, is normalised."""

    change: Stage
    family: Family
    policy: Policy

    def __call__(self, term: Term, trace: Trace, sizes: StaticSizes) -> Term:
        noted = len(trace.derivations)
        new = self.change(term, trace, sizes)
        name = getattr(self.change, "__name__", "pass").replace("_", " ")
        trace.one_step(name, term, new, as_strategy(self.change), sizes, noted)
        return new if new is term else simplify(new, self.family, self.policy, trace, sizes)

    def with_rules(self, rules: Family) -> ThenNormalise:
        """The same with more rules."""
        return ThenNormalise(self.change, self.family + rules, self.policy)


def finish(family: Family) -> Stage:
    """What is left to laws that nothing else follows, and that ask nothing of what is known: structural zeros become
    numbers.  What these uncover, if there are any, is normalised, and so is what begins with requirements: sizes that are
    equal have one name in the end.
    """
    nothing = Facts()

    def stage(term: Term, trace: Trace, sizes: StaticSizes) -> Term:
        begins = isinstance(term, Lam) and isinstance(term.body, Require)
        if begins or any(
            [isinstance(t, r.heads) and r.apply(t, nothing) is not None for t in subterms(term) for r in family]
        ):
            return simplify(term, family + PARTIAL_EVALUATION, _KEEP, trace, sizes)
        return term

    return stage


def require_first(term: Term, trace: Trace, sizes: StaticSizes) -> Term:
    """Requirements leave the loops in which they are the same."""
    return simplify(term, REQUIREMENTS + LAMBDA + (c.discharge_require,), _KEEP, trace, sizes)


def share(term: Term, trace: Trace, sizes: StaticSizes) -> Term:
    """Common subexpressions, code motion, tabulation."""
    return move(term, trace, sizes)


def share_before_derivative(term: Term, trace: Trace, sizes: StaticSizes) -> Term:
    """The same, of a function that is differentiated then."""
    return move_before_derivative(term, trace, sizes)


def share_with_all_reciprocals(term: Term, trace: Trace, sizes: StaticSizes) -> Term:
    """The same, and 1/p where p changes less often than what is divided by it."""
    return move_and_share_all_reciprocals(term, trace, sizes)


def share_with_reciprocals(term: Term, trace: Trace, sizes: StaticSizes) -> Term:
    """The same, and one 1/p for all divisions by p."""
    return move_and_share_reciprocals(term, trace, sizes)


_KEEP = Policy(fusion=Fusion.NEVER, fission=False, unroll=0)
_FUSE = Policy(fusion=Fusion.ALWAYS, fission=False, unroll=0)
_FULL = Policy()

_FUSED = PARTIAL_EVALUATION + FUSION
_BEFORE_DERIVATIVE = _FUSED + CHECKS + SPARSITY + FISSION + NORMALISATION + SELECTION
_NORMAL = _BEFORE_DERIVATIVE + SPECULATION + EXTREMA

_PARTIAL = (("partial evaluation", Normalise(PARTIAL_EVALUATION, _KEEP)),)
_FUSION_ONLY = (("fusion", Normalise(_FUSED, _FUSE)),)
_ZEROS = (("zeros", finish(ZEROS)),)
_LAST = (("zeros, powers", finish(ZEROS + POWERS)),)
_GUARDS = (("guards kept", keep_guards),)
_PRODUCTS = (("products of rows", multiply_rows),)
_BEFORE = (
    ("fusion, normalisation, fission, sparsity", Normalise(_BEFORE_DERIVATIVE + PLACES, Policy(unroll=1))),
    ("carried indices", ThenNormalise(prove_carried_indices, _BEFORE_DERIVATIVE, Policy(unroll=1))),
)
_ONCE = (("sharing and motion", share_before_derivative), ("earlier values", keep_earlier_values))
_NORMALISED: Stages = (
    ("fusion, normalisation, fission, sparsity", Normalise(_NORMAL, _FULL)),
    *_GUARDS,
    *_LAST,
)
_INTERCHANGED = (
    _NORMALISED[0],
    ("arrays of tuples taken apart", ThenNormalise(unzip, _NORMAL, _FULL)),
    ("loop interchange", ThenNormalise(interchange, _NORMAL, _FULL)),
    ("loops merged", ThenNormalise(merge_loops, _NORMAL, _FULL)),
    ("carried indices", ThenNormalise(prove_carried_indices, _NORMAL, _FULL)),
    *_LAST,
)
_FIRST = (("requirements first", require_first),)
_COMPACT = (("compaction", compact_tables),)
_WINDOWS = (("windows", in_windows), ("earlier values", keep_earlier_values))
_SHARED = (*_FIRST, *_COMPACT, ("sharing and motion", share), *_PRODUCTS, *_GUARDS, *_WINDOWS)
_SHARED_RECIPROCALS = (
    *_FIRST,
    *_COMPACT,
    ("reciprocals, sharing and motion", share_with_reciprocals),
    *_PRODUCTS,
    *_GUARDS,
    *_WINDOWS,
)

NONE = Schedule("NONE", _PARTIAL + _ZEROS, _PARTIAL, destinations=Destinations.COPIED)
LF = Schedule("LF", _FUSION_ONLY + _ZEROS, _FUSION_ONLY, destinations=Destinations.COPIED)
LN = Schedule("LN", _NORMALISED, _BEFORE, destinations=Destinations.COPIED)
LICM = Schedule("LICM", _INTERCHANGED + _SHARED, _BEFORE, _ONCE, Destinations.COPIED, MOVED)
DPS = Schedule("DPS", _INTERCHANGED + _SHARED, _BEFORE, _ONCE, loops=MOVED)
DEFAULT = Schedule("DEFAULT", _INTERCHANGED + _SHARED_RECIPROCALS, _BEFORE, _ONCE, loops=ALL)
REAL = Schedule(
    "REAL",
    (
        ("fusion, normalisation, fission, sparsity, real-number laws", Normalise(_NORMAL + REAL_LAWS, _FULL)),
        ("arrays of tuples taken apart", ThenNormalise(unzip, _NORMAL + REAL_LAWS, _FULL)),
        ("loop interchange", ThenNormalise(interchange, _NORMAL + REAL_LAWS, _FULL)),
        ("loops merged", ThenNormalise(merge_loops, _NORMAL + REAL_LAWS, _FULL)),
        ("carried indices", ThenNormalise(prove_carried_indices, _NORMAL + REAL_LAWS, _FULL)),
        *_LAST,
        *_FIRST,
        *_COMPACT,
        ("all reciprocals, sharing and motion", share_with_all_reciprocals),
        *_PRODUCTS,
        *_GUARDS,
        *_WINDOWS,
    ),
    _BEFORE,
    _ONCE,
    loops=ALL,
)
BEFORE_DERIVATIVE = DEFAULT.before

SCHEDULES = {schedule.name: schedule for schedule in (NONE, LF, LN, LICM, DPS, DEFAULT, REAL)}


def named(name: str | Schedule) -> Schedule:
    """The schedule of a name, perhaps "NAME, threads=N, blas=scipy"; a schedule itself."""
    if isinstance(name, Schedule):
        return name
    name, _, blas = name.partition(BLAS)
    own, _, threads = name.partition(THREADS)
    found = on_threads(SCHEDULES[own], int(threads)) if threads else SCHEDULES[own]
    return by_blas(found, blas) if blas else found


def on_threads(schedule: Schedule, threads: int) -> Schedule:
    """The schedule with loops in chunks, on so many threads; 0: as many as there are processors."""
    return replace(
        schedule,
        name=f"{schedule.name}{THREADS}{threads}",
        loops=with_threads(schedule.loops, threads),
        content=f"{schedule.content}{THREADS}{threads}",
        made_of=(on_threads, (schedule, threads)),
    )


def by_blas(schedule: Schedule, blas: str) -> Schedule:
    """The schedule with products of matrices by a BLAS, which is that of SciPy."""
    return replace(
        schedule,
        name=f"{schedule.name}{BLAS}{blas}",
        loops=with_blas(schedule.loops),
        content=f"{schedule.content}{BLAS}{blas}",
        made_of=(by_blas, (schedule, blas)),
    )


def of_strategy(strategy: Strategy) -> Schedule:
    """What a strategy makes of the program, and then what lowering needs; with the loops, and where it does not differentiate
    itself with what is done before that, of DEFAULT.
    """
    is_whole = DIFFERENTIATE in strategy.content
    stage = (strategy.name, Lifted(strategy))
    return Schedule(
        strategy.name,
        (*_PARTIAL, *_ZEROS) if is_whole else (stage, *_PARTIAL, *_ZEROS),
        _PARTIAL if is_whole else _BEFORE,
        () if is_whole else _ONCE,
        loops=ALL,
        whole=stage[1] if is_whole else None,
        content=strategy.content,
        made_of=(of_strategy, (strategy,)),
    )


DIFFERENTIATE = "differentiate("
"""What the strategies that remove derivatives are called."""

THREADS, BLAS = ", threads=", ", blas="
"""How a schedule's name, and its content, go on with what loops are to run on."""


def default(term: Term, trace: Trace | None = None, static_sizes: StaticSizes | None = None) -> Term:
    """The schedule the compiler runs unless told otherwise."""
    return DEFAULT(term, trace, static_sizes)
