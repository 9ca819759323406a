"""Values chosen by conditions and numbers."""

import numpy as np

from fsmooth.library.numpy.words import clipped, is_known, refused


def select(condlist, choicelist, default=0):
    """The first choice whose condition holds, at each place."""
    if not is_known(len(condlist)):
        return refused("np.select of conditions whose number is not known", "write them out: np.select([c, d], [x, y])")
    if len(condlist) != len(choicelist):
        raise ValueError("there must be as many choices as conditions")
    return chosen(condlist, choicelist, default, 0)


def chosen(conditions, choices, default, k):
    if k == len(conditions):
        return default
    return np.where(conditions[k], choices[k], chosen(conditions, choices, default, k + 1))


def piecewise(x, condlist, funclist):
    """The function, or number, of the last condition that holds, at each place; of none, the one more that is given, or 0."""
    if len(funclist) > len(condlist):
        return pieces(x, condlist, funclist, applied(funclist[len(condlist)], x), 0)
    return pieces(x, condlist, funclist, np.zeros_like(x), 0)


def pieces(x, conditions, functions, otherwise, k):
    if k == len(conditions):
        return otherwise
    return pieces(x, conditions, functions, np.where(conditions[k], applied(functions[k], x), otherwise), k + 1)


def applied(function, x):
    return function(x) if callable(function) else function


def clip(a, a_min=None, a_max=None, *, min=None, max=None):
    """The elements, none of them below `a_min` or above `a_max`; None: no limit."""
    low = min if a_min is None else a_min
    high = max if a_max is None else a_max
    if low is None and high is None:
        return a
    if low is None:
        return np.minimum(a, high)
    if high is None:
        return np.maximum(a, low)
    return clipped(a, low, high)


def choose(a, choices, *, mode="raise"):
    """The element of the choice whose number stands at each place; numbers of none are errors, the nearest, or start anew."""
    count = len(choices)
    if not is_known(count):
        return refused("np.choose of choices whose number is not known", "write them out: np.choose(k, [x, y])")
    if mode == "clip":
        return numbered(np.clip(a, 0, count - 1), choices, 0)
    if mode == "wrap":
        return numbered(a % count, choices, 0)
    if mode != "raise":
        return refused(f"mode={mode!r} of np.choose", "use 'raise', 'clip' or 'wrap'")
    if np.any(a < 0) or np.any(a >= count):
        raise ValueError("a number of no choice")
    return numbered(a, choices, 0)


def numbered(a, choices, k):
    if k == len(choices) - 1:
        return choices[k]
    return np.where(a == k, choices[k], numbered(a, choices, k + 1))


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """The array with numbers in the place of NaN and infinities."""
    if not copy:
        return refused("np.nan_to_num with copy=False", "assign its result to the array")
    above = np.where(x == np.inf, 1.7976931348623157e308 if posinf is None else posinf, x)
    below = np.where(x == -np.inf, -1.7976931348623157e308 if neginf is None else neginf, above)
    return np.where(np.isnan(x), nan, below)


def trim_zeros(filt, trim="fb"):
    """A vector without the zeros at its ends."""
    if trim not in ("f", "b", "fb", "bf"):
        return refused(f"trim={trim!r} of np.trim_zeros", "use 'f', 'b' or 'fb'")
    n = len(filt)
    first = 0
    if trim != "b":
        while first < n and filt[np.minimum(first, n - 1)] == 0.0:
            first += 1
    last = n
    if trim != "f":
        while last > first and filt[np.maximum(last - 1, 0)] == 0.0:
            last -= 1
    return np.array([filt[first + i] for i in range(last - first)])


def unwrap(p, discont=None, axis=-1, period=6.283185307179586):
    """Angles without jumps of more than half a period."""
    from_before = np.moveaxis(p, axis, -1)
    return np.moveaxis(unwrapped(from_before, period / 2.0 if discont is None else discont, period), -1, axis)


def unwrapped(p, discont, period):
    if p.ndim > 1:
        return np.array([unwrapped(row, discont, period) for row in p])
    s = p.copy()
    for i in range(1, len(p)):
        step = p[i] - p[i - 1]
        turned = (step + period / 2.0) % period - period / 2.0
        whole = period / 2.0 if turned == -period / 2.0 and step > 0.0 else turned
        s[i] = s[i - 1] + (step if np.abs(step) < discont else whole)
    return s


def round(a, decimals=0):
    """The numbers rounded to so many decimals, to the even of two that are as near; integers stay integers."""
    if np.asarray(a).dtype == np.int64:
        return a if decimals >= 0 else np.rint(a / 10.0 ** (-decimals)).astype(int) * 10 ** (-decimals)
    if decimals == 0:
        return np.rint(a)
    if decimals > 0:
        return np.rint(a * 10.0**decimals) / 10.0**decimals
    return np.rint(a / 10.0 ** (-decimals)) * 10.0 ** (-decimals)


def around(a, decimals=0):
    """The numbers rounded to so many decimals, to the even of two that are as near."""
    return round(a, decimals)


def divmod(x1, x2):
    """Quotients, rounded down, and what is left."""
    return np.floor_divide(x1, x2), np.mod(x1, x2)


def apply_over_axes(func, a, axes):
    """A reduction along one axis after another, each of which is kept."""
    return over(func, a, axes, 0)


def over(function, a, axes, k):
    if k == len(axes):
        return a
    made = function(a, axis=axes[k])
    return over(function, np.expand_dims(made, axes[k]) if made.ndim < a.ndim else made, axes, k + 1)


def iscomplex(x):
    """No real number is."""
    return (x != x) & (x == x)


def iscomplexobj(x):
    """No array of real numbers is."""
    return False


def isrealobj(x):
    """Every array of real numbers is."""
    return True


def isscalar(element):
    """Is it a number?"""
    return np.ndim(element) == 0


def broadcast_shapes(a, b=(), c=()):
    """The shape of arrays of these shapes together."""
    return np.shape(np.zeros(a) + np.zeros(b) + np.zeros(c))
