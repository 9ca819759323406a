"""What to do about a law that was refused."""

from __future__ import annotations

import math

from fsmooth.core.array_value import ArrayValue
from fsmooth.laws.meaning import Keeps, Meaning
from fsmooth.laws.outcomes import Error, Outcome, Undefined, finite, same
from fsmooth.laws.testing import TOLERANCE, Counterexample


def hint_for(meaning: Meaning, found: Counterexample) -> str:
    """The condition or the promise with which the counterexample would be none; "" if there is no such thing."""
    before, after = found.before, found.after
    if isinstance(before, Error):
        return "the left side fails there and the right side does not: discards=True, if that is meant"
    if isinstance(after, Error):
        return "the right side evaluates what the left side does not, and that may fail: `… where x is total`"
    if isinstance(after, Undefined):
        return "say where it holds: `… where 0 <= k and k < n`"
    if meaning.is_exact and same(before, after, TOLERANCE):
        only_zero = _without_signs(before) == _without_signs(after)
        return 'it is so but for -0.0: keeps="rounding"' if only_zero else 'it is so up to rounding: keeps="rounding"'
    if meaning.keeps is not Keeps.VALUE and not (finite(before) and finite(after)):
        return "real=True, if it is meant for real numbers only, where both sides are finite"
    if _is_empty(before) or _is_empty(after):
        return "it fails for nothing: say `where 0 < n`"
    return ""


def _without_signs(value: Outcome) -> object:
    match value:
        case ArrayValue(_, items):
            return [_without_signs(x) for x in items]
        case tuple():
            return [_without_signs(x) for x in value]
        case float():
            return 0.0 if value == 0.0 else "nan" if math.isnan(value) else value
        case _:
            return value


def _is_empty(value: Outcome) -> bool:
    return isinstance(value, ArrayValue) and 0 in value.shape
