"""Sorting, and what rests on it.  A sort is a permutation and a gather, so that its derivative is the scatter."""

# mypy: no-check-untyped-defs

import numpy as np

from fsmooth.library.numpy.along import along, reducing
from fsmooth.library.numpy.words import equal_sizes, is_known, refused


def argsort(a, axis=-1, kind=None):
    """The places of the elements in ascending order, those of equal ones in the order they have; NaN is last."""
    return along(order, a, axis)


def sort(a, axis=-1, kind=None):
    """The elements in ascending order; NaN is last."""
    return along(ascending, a, axis)


def sorted_as_list(iterable, /, *, key=None, reverse=False):
    """Python's `sorted`, of numbers or by numbers: what has equal ones keeps its order, whichever way it is sorted."""
    if key is None:
        return np.flip(np.sort(iterable)) if reverse else np.sort(iterable)
    keys = np.array([key(x) for x in iterable])
    places = len(iterable) - 1 - np.flip(order(np.flip(keys))) if reverse else order(keys)
    return [iterable[k] for k in places]


def partition(a, kth, axis=-1):
    """The elements in ascending order, which has element `kth` at its place."""
    return along(ascending, having(a, kth, axis), axis)


def argpartition(a, kth, axis=-1):
    """The places of the elements in ascending order."""
    return along(order, having(a, kth, axis), axis)


def having(a, kth, axis):
    """The array, an error unless its axis has these places."""
    n = np.size(a) if axis is None else a.shape[axis]
    if np.any(np.asarray(kth) < -n) or np.any(np.asarray(kth) >= n):
        raise ValueError("kth is out of bounds")
    return a


def ascending(v):
    places = order(v)
    return np.array([v[k] for k in places])


def before(x, y):
    """Does x come before y, wherever they are?"""
    return x < y or (y != y and x == x)


def order(v):
    """The places in ascending order, by merging sorted runs of twice the length in each step."""
    n = len(v)
    places = np.arange(n)
    width = 1
    while width < n:
        merged = np.zeros(n, dtype=int)
        low = 0
        while low < n:
            middle = np.minimum(low + width, n)
            high = np.minimum(low + 2 * width, n)
            i = low
            j = middle
            for k in range(low, high):
                first, second = places[np.minimum(i, n - 1)], places[np.minimum(j, n - 1)]
                left = i < middle and (j >= high or not before(v[second], v[first]))
                if left:
                    merged[k] = first
                    i = np.minimum(i + 1, n)
                else:
                    merged[k] = second
                    j = np.minimum(j + 1, n)
            low = high
        places = merged
        width = np.minimum(2 * width, n)
    return places


def median(a, axis=None, *, keepdims=False):
    """The middle of the values in ascending order, or the mean of the two in the middle."""
    return reducing(middle, a, axis, keepdims)


def middle(v):
    n = len(v)
    if n == 0:
        return np.nan
    s = ascending(v)
    return unless_nan(s, 0.5 * (s[(n - 1) // 2] + s[n // 2]))


def unless_nan(s, value):
    """Of values in ascending order: what is not a number is last, and then nothing else is."""
    return s[-1] if s[-1] != s[-1] else value


def quantile(a, q, axis=None, *, method="linear", keepdims=False):
    """The values below which a part q of all are: between two of them as `method` says."""
    if np.ndim(q) == 0:
        return reducing(lambda v: of_order(ascending(v), q, method), a, axis, keepdims)
    return np.array([quantile(a, part, axis, method=method, keepdims=keepdims) for part in q])


def percentile(a, q, axis=None, *, method="linear", keepdims=False):
    """The quantiles of hundredths."""
    return quantile(a, hundredths(q), axis, method=method, keepdims=keepdims)


def hundredths(q):
    return np.asarray(q) / 100.0


def of_order(s, q, method):
    return unless_nan(s, between(s, q, method))


def between(s, q, method):
    place = q * (len(s) - 1)
    below = int(np.floor(place))
    above = np.minimum(below + 1, len(s) - 1)
    if method == "lower":
        return s[below]
    if method == "higher":
        return s[int(np.ceil(place))]
    if method == "midpoint":
        return 0.5 * (s[below] + s[int(np.ceil(place))])
    if method == "nearest":
        return s[round(place)]
    if method != "linear":
        hint = "use 'linear', 'lower', 'higher', 'midpoint' or 'nearest'"
        return refused(f"method={method!r} of quantiles", hint)
    return s[below] + (place - below) * (s[above] - s[below])


def searchsorted(a, v, side="left", sorter=None):
    """Where elements would be put into an array in ascending order: before equal ones, or behind them."""
    if sorter is not None:
        return searchsorted(a[sorter], v, side)
    if np.ndim(v) == 0:
        return place_of(a, v, side)
    return np.array([searchsorted(a, x, side) for x in v])


def place_of(a, x, side):
    low = 0
    high = len(a)
    while low < high:
        half = (low + high) // 2
        if side == "right":
            goes_on = not before(x, a[half])
        else:
            goes_on = before(a[half], x)
        if goes_on:
            low = half + 1
        else:
            high = half
    return low


def interp(x, xp, fp, left=None, right=None, period=None):
    """What is linear between the points (xp, fp), and constant beyond them, or has a period."""
    n = equal_sizes(len(xp), len(fp))
    if period is not None:
        return periodic(x, xp, fp, n, np.abs(period))
    return between_points(x, xp, fp, n, left, right)


def between_points(x, xp, fp, n, left, right):
    if np.ndim(x) == 0:
        return interpolated(x, xp, fp, n, left, right)
    return np.array([between_points(one, xp, fp, n, left, right) for one in x])


def periodic(x, xp, fp, n, period):
    """Between the points in one period, in ascending order, and their neighbours in the periods beside it."""
    wrapped = xp % period
    places = order(wrapped)
    points = [
        wrapped[places[(i - 1) % n]] + (-period if i == 0 else (period if i == n + 1 else 0.0)) for i in range(n + 2)
    ]
    values = [fp[places[(i - 1) % n]] for i in range(n + 2)]
    return between_points(x % period, points, values, n + 2, None, None)


def interpolated(x, xp, fp, n, left, right):
    k = np.minimum(np.maximum(place_of(xp, x, "right") - 1, 0), np.maximum(n - 2, 0))
    if x < xp[0]:
        return fp[0] if left is None else left
    if x >= xp[n - 1]:
        return (fp[n - 1] if right is None else right) if x > xp[n - 1] else fp[n - 1]
    return fp[k] + (x - xp[k]) * (fp[k + 1] - fp[k]) / (xp[k + 1] - xp[k])


def unique(ar, return_index=False, return_inverse=False, return_counts=False):
    """The distinct numbers of an array in ascending order; where each is first, which of them stands where, how often."""
    v = np.ravel(ar)
    places = order(v)
    s = np.array([v[k] for k in places])
    firsts = [k for k in range(len(s)) if k == 0 or differ(s[k], s[np.maximum(k - 1, 0)])]
    values = np.array([s[k] for k in firsts])
    found = (values,)
    if return_index:
        found = (*found, np.array([places[k] for k in firsts]))
    if return_inverse:
        found = (*found, np.reshape(numbers_of_values(s, places), np.shape(ar)))
    if return_counts:
        found = (*found, np.array([searchsorted(s, x, "right") - searchsorted(s, x) for x in values]))
    return found if len(found) > 1 else values


def differ(x, y):
    """Are they distinct?  What is not a number is one value."""
    return x != y and (x == x or y == y)


def numbers_of_values(s, places):
    """Which of the distinct values, counted from 0, stands at each place, of values in ascending order and their places."""
    numbers = np.zeros(len(s), dtype=int)
    current = 0
    for k in range(len(s)):
        if k > 0 and differ(s[k], s[np.maximum(k - 1, 0)]):
            current += 1
        numbers[places[k]] = current
    return numbers


def count_nonzero(a, axis=None, keepdims=False):
    """How many elements are not zero."""
    return np.sum(a != 0, axis=axis, keepdims=keepdims)


def lexsort(keys):
    """The places in ascending order of the last key, of equal ones in that of the key before."""
    if is_known(len(keys)):
        return by_keys(keys, order(keys[0]), 1)
    places = np.arange(keys.shape[1])
    for key in keys:
        places = places[order(key[places])]
    return places


def by_keys(keys, places, k):
    if k == len(keys):
        return places
    again = order(np.array([keys[k][i] for i in places]))
    return by_keys(keys, np.array([places[i] for i in again]), k + 1)
