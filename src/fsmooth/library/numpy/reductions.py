"""Reductions that are made of others."""

import numpy as np

from fsmooth.library.numpy.along import reducing
from fsmooth.library.numpy.cumulative import instead_of_nan
from fsmooth.library.numpy.orders import ascending, between, hundredths


def ptp(a, axis=None, *, keepdims=False):
    """The range of the values: the largest less the smallest."""
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


def nansum(a, axis=None, *, keepdims=False):
    """The sum of what is not NaN."""
    return np.sum(instead_of_nan(a, 0.0), axis=axis, keepdims=keepdims)


def nanprod(a, axis=None, *, keepdims=False):
    """The product of what is not NaN."""
    return np.prod(instead_of_nan(a, 1.0), axis=axis, keepdims=keepdims)


def nanmean(a, axis=None, *, keepdims=False):
    """The mean of what is not NaN."""
    return nansum(a, axis, keepdims=keepdims) / np.sum(~np.isnan(a), axis=axis, keepdims=keepdims)


def nanmax(a, axis=None, *, keepdims=False):
    """The largest of what is not NaN; NaN if nothing is."""
    if a.dtype == np.int64:
        return np.max(a, axis=axis, keepdims=keepdims)
    most = np.max(instead_of_nan(a, -np.inf), axis=axis, keepdims=keepdims)
    return np.where(np.all(np.isnan(a), axis=axis, keepdims=keepdims), np.nan, most)


def nanmin(a, axis=None, *, keepdims=False):
    """The smallest of what is not NaN; NaN if nothing is."""
    if a.dtype == np.int64:
        return np.min(a, axis=axis, keepdims=keepdims)
    least = np.min(instead_of_nan(a, np.inf), axis=axis, keepdims=keepdims)
    return np.where(np.all(np.isnan(a), axis=axis, keepdims=keepdims), np.nan, least)


def nanargmax(a, axis=None, *, keepdims=False):
    """The place of the largest of what is not NaN."""
    return np.argmax(instead_of_nan(a, -np.inf), axis=axis, keepdims=keepdims)


def nanargmin(a, axis=None, *, keepdims=False):
    """The place of the smallest of what is not NaN."""
    return np.argmin(instead_of_nan(a, np.inf), axis=axis, keepdims=keepdims)


def nanvar(a, axis=None, *, ddof=0, keepdims=False):
    """The variance of what is not NaN."""
    away = instead_of_nan(a - nanmean(a, axis, keepdims=True), 0.0)
    count = np.sum(~np.isnan(a), axis=axis, keepdims=keepdims)
    return np.sum(away * away, axis=axis, keepdims=keepdims) / (count - ddof)


def nanstd(a, axis=None, *, ddof=0, keepdims=False):
    """The standard deviation of what is not NaN."""
    return np.sqrt(nanvar(a, axis, ddof=ddof, keepdims=keepdims))


def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    """The covariances of the rows, which are variables; of the columns if not `rowvar`."""
    rows = np.atleast_2d(m) if y is None else np.concatenate((np.atleast_2d(m), np.atleast_2d(y)))
    x = rows if rowvar or m.ndim == 1 else rows.T
    away = x - np.mean(x, axis=1, keepdims=True)
    fewer = (0 if bias else 1) if ddof is None else ddof
    made = away @ away.T / (x.shape[1] - fewer)
    return made[0, 0] if m.ndim == 1 and y is None else made


def corrcoef(x, y=None, rowvar=True):
    """The correlations of the rows."""
    c = cov(x, y, rowvar)
    if np.ndim(c) == 0:
        return c / c
    d = np.sqrt(np.diag(c))
    return c / np.outer(d, d)


def nanmedian(a, axis=None, *, keepdims=False):
    """The median of what is not NaN."""
    return nanquantile(a, 0.5, axis, keepdims=keepdims)


def nanpercentile(a, q, axis=None, *, method="linear", keepdims=False):
    """The quantiles, in hundredths, of what is not NaN."""
    return nanquantile(a, hundredths(q), axis, method=method, keepdims=keepdims)


def nanquantile(a, q, axis=None, *, method="linear", keepdims=False):
    """The quantiles of what is not NaN."""
    if np.ndim(q) == 0:
        return reducing(lambda v: between(ascending(without_nan(v)), q, method), a, axis, keepdims)
    return np.array([nanquantile(a, part, axis, method=method, keepdims=keepdims) for part in q])


def without_nan(v):
    return np.array([x for x in v if not np.isnan(x)])
