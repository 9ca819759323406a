"""What a rule keeps of the meaning of a term, and what each of fsmooth's own rules keeps."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from fsmooth.rewrite.strategy import Rule


class Keeps(Enum):
    """How much of the numbers is the same on both sides of a law.

    exact      every bit, with NaN, infinity and -0.0
    rounding   all but the last digits, and which zero it is; NaN and infinity are where they were
    order      the same of sums whose terms are added in another order
    value      as real numbers: finite numbers up to rounding; NaN and infinity on the left may become anything
    """

    EXACT = "exact"
    ROUNDING = "rounding"
    ORDER = "order"
    VALUE = "value"


class Meaning(Struct, frozen=True):
    """What has to be the same on both sides.

    discards  what is not evaluated any more may have failed (design §2: a check vanishes with an unused value)
    demands   what was required in a loop is required though the loop does not run
    """

    keeps: Keeps = Keeps.EXACT
    discards: bool = False
    demands: bool = False

    @property
    def is_exact(self) -> bool:
        """Is it the same bit for bit?"""
        return self.keeps is Keeps.EXACT


REORDERS = frozenset({"products_apart", "fold_to_sum", "sum_split", "sum_split_arrays", "sum_shifted", "plus_builds"})
"""The order of additions is another (design §5, "Numbers")."""

FINITE = frozenset({"half_power"})
"""Two roundings for one, and NaN for powers of -inf (design §5, "Numbers")."""

STRUCTURAL = ("zero", "delta", "lmZero")
"""Laws of structural zeros are exact by definition, not for the number 0.0."""

DISCARDS = frozenset(
    {
        *(
            "all_zero",
            "cancel",
            "cancel_factor",
            "discharge_require",
            "distribute_to_cancel",
            "drop_unused",
            "equal_to_choice",
            "fold_identity",
            "fold_single",
            "get_build",
        ),
        *(
            "get_delta",
            "get_update",
            "get_vector",
            "get_zero",
            "guard_distribute",
            "guard_linear",
            "guard_order",
            "guard_out_of_let",
        ),
        *(
            "if_same",
            "inline",
            "integer_arithmetic",
            "length_build",
            "multiply_zero",
            "multiply_zero_integer",
            "project_fold",
        ),
        *("apply_zero", "reverse_zero", "compose_zero", "apply_lambda", "reverse_lambda"),
        *("project_tuple", "sum_guard_out", "sum_short", "sum_single", "sum_zero", "update_same", "zero_laws"),
    }
)
"""On the right side some part of the left side is not evaluated, or not always."""

DEMANDS = frozenset(
    {
        *("require_out_of_loop", "require_of_last", "require_before_loop"),
        *("require_out_of_let", "require_out_of_display", "check_out_of_loop"),
    }
)
"""An agreement of sizes is required before the loop, or before what could fail (design §2: entry checks)."""


def meaning_of(rule: Rule) -> Meaning:
    """What one of fsmooth's own rules keeps."""
    return Meaning(_keeps(rule), rule.name in DISCARDS, rule.name in DEMANDS)


def _keeps(rule: Rule) -> Keeps:
    if rule.real or rule.name in FINITE or any([word in rule.law for word in STRUCTURAL]):
        return Keeps.VALUE
    return Keeps.ORDER if rule.name in REORDERS else Keeps.EXACT
