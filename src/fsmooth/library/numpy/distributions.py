"""Distribution functions of SciPy's distributions, and the normal distribution of vectors."""

import numpy as np

from fsmooth.library.numpy.definite import lower_factor
from fsmooth.library.numpy.error_functions import ndtri
from fsmooth.library.numpy.triangular import triangle_solution
from fsmooth.library.numpy.words import log_ndtr, ndtr, sigmoid

_HALF_LOG_2_PI = 0.9189385332046728


def norm_cdf(x, loc=0.0, scale=1.0):
    """Of the normal distribution."""
    return ndtr((np.asarray(x) - loc) / scale)


def norm_logcdf(x, loc=0.0, scale=1.0):
    """Of the normal distribution."""
    return log_ndtr((np.asarray(x) - loc) / scale)


def norm_sf(x, loc=0.0, scale=1.0):
    """Of the normal distribution."""
    return ndtr((loc - np.asarray(x)) / scale)


def norm_logsf(x, loc=0.0, scale=1.0):
    """Of the normal distribution."""
    return log_ndtr((loc - np.asarray(x)) / scale)


def norm_ppf(q, loc=0.0, scale=1.0):
    """Of the normal distribution."""
    return loc + scale * ndtri(q)


def expon_cdf(x, loc=0.0, scale=1.0):
    """Of the exponential distribution."""
    z = (np.asarray(x) - loc) / scale
    return np.where(z > 0.0, -np.expm1(-z), 0.0)


def logistic_cdf(x, loc=0.0, scale=1.0):
    """Of the logistic distribution."""
    return sigmoid((np.asarray(x) - loc) / scale)


def multivariate_normal_logpdf(x, mean=None, cov=1.0, allow_singular=False):
    """Of a normal distribution of vectors, at one vector or at each row of a matrix; `cov` is positive definite."""
    x, cov = np.asarray(x), np.asarray(cov)
    shifted = x if mean is None else x - np.asarray(mean)
    lower = lower_factor(cov)
    n = len(cov)
    log_root = sum(np.log(lower[i, i]) for i in range(n))
    if x.ndim == 1:
        z = triangle_solution(lower, shifted, True, False, False)
        return -0.5 * np.sum(z * z) - log_root - n * _HALF_LOG_2_PI
    z = triangle_solution(lower, shifted.T, True, False, False)
    return -0.5 * np.sum(z * z, axis=0) - log_root - n * _HALF_LOG_2_PI


def multivariate_normal_pdf(x, mean=None, cov=1.0, allow_singular=False):
    """Of a normal distribution of vectors."""
    return np.exp(multivariate_normal_logpdf(x, mean, cov))
