"""Schedules for linear maps: applied, so that none is left, or made short (paper 001, §3, §9).

ELIMINATE     every map is applied and is gone: `fwd$f` and `rev$f` become ordinary terms
JACOBIAN      the laws of Fig. 4 and Fig. 5 among maps, and the laws of real numbers: ∂f for people to read
COMPOSED      those of them that write no map twice: ∂f of a long function, with its compositions as they are
"""

from __future__ import annotations

from fsmooth.optimise import schedules as s
from fsmooth.optimise.policy import Fusion, Policy
from fsmooth.optimise.rules import linear_algebra as algebra
from fsmooth.optimise.rules import linear_application as forward
from fsmooth.optimise.rules import linear_arrays as arrays
from fsmooth.optimise.rules import linear_folds as folds
from fsmooth.optimise.rules import linear_reverse as reverse
from fsmooth.optimise.rules import linear_transposition as transposition
from fsmooth.optimise.rules import sparsity
from fsmooth.optimise.schedule import Schedule
from fsmooth.optimise.schedules import Family, Normalise

APPLICATION: Family = (
    forward.project_map,
    forward.apply_let,
    forward.apply_if,
    forward.apply_require,
    forward.apply_compose,
    forward.apply_vcat,
    forward.apply_hcat,
    forward.apply_sum,
    forward.apply_zero,
    forward.apply_unit,
    forward.apply_scale,
    forward.apply_transpose,
    arrays.stack_inside,
    arrays.apply_vcat_array,
    arrays.apply_hcat_array,
    arrays.apply_lambda,
    folds.apply_fold,
)
REVERSE_APPLICATION: Family = (
    reverse.reverse_compose,
    reverse.reverse_vcat,
    reverse.reverse_hcat,
    reverse.reverse_sum,
    reverse.reverse_zero,
    reverse.reverse_unit,
    reverse.reverse_scale,
    reverse.reverse_transpose,
    arrays.reverse_vcat_array,
    arrays.reverse_hcat_array,
    arrays.reverse_lambda,
    folds.reverse_fold,
)
TRANSPOSITION: Family = (
    transposition.transpose_inside,
    transposition.transpose_compose,
    transposition.transpose_cat,
    transposition.transpose_basic,
    transposition.transpose_array,
    transposition.transpose_lambda,
)
UNITS: Family = (
    algebra.compose_zero,
    algebra.compose_unit,
    algebra.add_zero_map,
    algebra.compose_scales,
    algebra.add_scales,
)
ALGEBRA: Family = (algebra.compose_inside, *UNITS, algebra.compose_cat, algebra.add_cat)
MAPS: Family = APPLICATION + REVERSE_APPLICATION

_NAMES_ONLY = Policy(fusion=Fusion.NEVER, fission=False, unroll=0)
_AROUND: Family = s.PARTIAL_EVALUATION + s.FUSION + (sparsity.all_zero, sparsity.sum_zero) + s.ACCUMULATION

ELIMINATE = Schedule("ELIMINATE", (("linear maps applied", Normalise(MAPS + _AROUND, _NAMES_ONLY)),))
JACOBIAN = Schedule(
    "JACOBIAN", (("linear maps combined", Normalise(MAPS + TRANSPOSITION + ALGEBRA + _AROUND, _NAMES_ONLY)),)
)
COMPOSED = Schedule(
    "COMPOSED", (("linear maps shortened", Normalise(MAPS + TRANSPOSITION + UNITS + _AROUND, _NAMES_ONLY)),)
)
SHARE = Schedule("SHARE", (("common subexpressions", s.share),))
