"""Logarithms of densities of SciPy's distributions, of x at `loc` and `scale`, and of counts; densities are their exponentials.

Outside the support the logarithm is minus infinity, with derivative 0.  Parameters that SciPy refuses are not refused: what
they give means nothing.
"""

import numpy as np

from fsmooth.library.numpy.words import betaln, gammaln, xlog1py, xlogy

_LOG_2 = 0.6931471805599453
_LOG_PI = 1.1447298858494002
_HALF_LOG_2_PI = 0.9189385332046728
_HALF_LOG_2_OVER_PI = -0.22579135264472744


def norm_logpdf(x, loc=0.0, scale=1.0):
    """Of the normal distribution."""
    z = (np.asarray(x) - loc) / scale
    return -0.5 * z * z - _HALF_LOG_2_PI - np.log(scale)


def norm_pdf(x, loc=0.0, scale=1.0):
    """Of the normal distribution."""
    return np.exp(norm_logpdf(x, loc, scale))


def t_logpdf(x, df, loc=0.0, scale=1.0):
    """Of Student's t."""
    z = (np.asarray(x) - loc) / scale
    return (
        gammaln(0.5 * (df + 1.0))
        - gammaln(0.5 * df)
        - 0.5 * np.log(np.pi * df)
        - 0.5 * (df + 1.0) * np.log1p(z * z / df)
        - np.log(scale)
    )


def t_pdf(x, df, loc=0.0, scale=1.0):
    """Of Student's t."""
    return np.exp(t_logpdf(x, df, loc, scale))


def cauchy_logpdf(x, loc=0.0, scale=1.0):
    """Of the Cauchy distribution."""
    z = (np.asarray(x) - loc) / scale
    return -np.log1p(z * z) - _LOG_PI - np.log(scale)


def cauchy_pdf(x, loc=0.0, scale=1.0):
    """Of the Cauchy distribution."""
    return np.exp(cauchy_logpdf(x, loc, scale))


def laplace_logpdf(x, loc=0.0, scale=1.0):
    """Of the Laplace distribution."""
    z = (np.asarray(x) - loc) / scale
    return -np.abs(z) - _LOG_2 - np.log(scale)


def laplace_pdf(x, loc=0.0, scale=1.0):
    """Of the Laplace distribution."""
    return np.exp(laplace_logpdf(x, loc, scale))


def logistic_logpdf(x, loc=0.0, scale=1.0):
    """Of the logistic distribution."""
    z = (np.asarray(x) - loc) / scale
    return -z - 2.0 * np.logaddexp(0.0, -z) - np.log(scale)


def logistic_pdf(x, loc=0.0, scale=1.0):
    """Of the logistic distribution."""
    return np.exp(logistic_logpdf(x, loc, scale))


def expon_logpdf(x, loc=0.0, scale=1.0):
    """Of the exponential distribution."""
    z = (np.asarray(x) - loc) / scale
    inside = -z
    return np.where(z >= 0.0, inside, -np.inf) - np.log(scale)


def expon_pdf(x, loc=0.0, scale=1.0):
    """Of the exponential distribution."""
    return np.exp(expon_logpdf(x, loc, scale))


def uniform_logpdf(x, loc=0.0, scale=1.0):
    """Of the uniform distribution."""
    z = (np.asarray(x) - loc) / scale
    inside = 0.0 * z
    return np.where((z >= 0.0) & (z <= 1.0), inside, -np.inf) - np.log(scale)


def uniform_pdf(x, loc=0.0, scale=1.0):
    """Of the uniform distribution."""
    return np.exp(uniform_logpdf(x, loc, scale))


def gamma_logpdf(x, a, loc=0.0, scale=1.0):
    """Of the gamma distribution."""
    z = (np.asarray(x) - loc) / scale
    inside = xlogy(a - 1.0, z) - z - gammaln(a)
    return np.where(z >= 0.0, inside, -np.inf) - np.log(scale)


def gamma_pdf(x, a, loc=0.0, scale=1.0):
    """Of the gamma distribution."""
    return np.exp(gamma_logpdf(x, a, loc, scale))


def chi2_logpdf(x, df, loc=0.0, scale=1.0):
    """Of the chi-squared distribution."""
    z = (np.asarray(x) - loc) / scale
    inside = xlogy(0.5 * df - 1.0, 0.5 * z) - 0.5 * z - gammaln(0.5 * df) - _LOG_2
    return np.where(z >= 0.0, inside, -np.inf) - np.log(scale)


def chi2_pdf(x, df, loc=0.0, scale=1.0):
    """Of the chi-squared distribution."""
    return np.exp(chi2_logpdf(x, df, loc, scale))


def beta_logpdf(x, a, b, loc=0.0, scale=1.0):
    """Of the beta distribution."""
    z = (np.asarray(x) - loc) / scale
    inside = xlogy(a - 1.0, z) + xlog1py(b - 1.0, -z) - betaln(a, b)
    return np.where((z >= 0.0) & (z <= 1.0), inside, -np.inf) - np.log(scale)


def beta_pdf(x, a, b, loc=0.0, scale=1.0):
    """Of the beta distribution."""
    return np.exp(beta_logpdf(x, a, b, loc, scale))


def lognorm_logpdf(x, s, loc=0.0, scale=1.0):
    """Of the log-normal distribution."""
    z = (np.asarray(x) - loc) / scale
    inside = -0.5 * (np.log(z) / s) ** 2 - np.log(s * z) - _HALF_LOG_2_PI
    return np.where(z > 0.0, inside, -np.inf) - np.log(scale)


def lognorm_pdf(x, s, loc=0.0, scale=1.0):
    """Of the log-normal distribution."""
    return np.exp(lognorm_logpdf(x, s, loc, scale))


def halfnorm_logpdf(x, loc=0.0, scale=1.0):
    """Of the normal distribution folded at its centre."""
    z = (np.asarray(x) - loc) / scale
    inside = _HALF_LOG_2_OVER_PI - 0.5 * z * z
    return np.where(z >= 0.0, inside, -np.inf) - np.log(scale)


def halfnorm_pdf(x, loc=0.0, scale=1.0):
    """Of the normal distribution folded at its centre."""
    return np.exp(halfnorm_logpdf(x, loc, scale))


def halfcauchy_logpdf(x, loc=0.0, scale=1.0):
    """Of the Cauchy distribution folded at its centre."""
    z = (np.asarray(x) - loc) / scale
    inside = _LOG_2 - _LOG_PI - np.log1p(z * z)
    return np.where(z >= 0.0, inside, -np.inf) - np.log(scale)


def halfcauchy_pdf(x, loc=0.0, scale=1.0):
    """Of the Cauchy distribution folded at its centre."""
    return np.exp(halfcauchy_logpdf(x, loc, scale))


def gumbel_r_logpdf(x, loc=0.0, scale=1.0):
    """Of the Gumbel distribution of maxima."""
    z = (np.asarray(x) - loc) / scale
    return -z - np.exp(-z) - np.log(scale)


def gumbel_r_pdf(x, loc=0.0, scale=1.0):
    """Of the Gumbel distribution of maxima."""
    return np.exp(gumbel_r_logpdf(x, loc, scale))


def invgamma_logpdf(x, a, loc=0.0, scale=1.0):
    """Of the inverse gamma distribution."""
    z = (np.asarray(x) - loc) / scale
    inside = -(a + 1.0) * np.log(z) - gammaln(a) - 1.0 / z
    return np.where(z > 0.0, inside, -np.inf) - np.log(scale)


def invgamma_pdf(x, a, loc=0.0, scale=1.0):
    """Of the inverse gamma distribution."""
    return np.exp(invgamma_logpdf(x, a, loc, scale))


def weibull_min_logpdf(x, c, loc=0.0, scale=1.0):
    """Of the Weibull distribution."""
    z = (np.asarray(x) - loc) / scale
    inside = np.log(c) + xlogy(c - 1.0, z) - z**c
    return np.where(z >= 0.0, inside, -np.inf) - np.log(scale)


def weibull_min_pdf(x, c, loc=0.0, scale=1.0):
    """Of the Weibull distribution."""
    return np.exp(weibull_min_logpdf(x, c, loc, scale))


def pareto_logpdf(x, b, loc=0.0, scale=1.0):
    """Of the Pareto distribution."""
    z = (np.asarray(x) - loc) / scale
    inside = np.log(b) - (b + 1.0) * np.log(z)
    return np.where(z >= 1.0, inside, -np.inf) - np.log(scale)


def pareto_pdf(x, b, loc=0.0, scale=1.0):
    """Of the Pareto distribution."""
    return np.exp(pareto_logpdf(x, b, loc, scale))


def poisson_logpmf(k, mu, loc=0.0):
    """Of the Poisson distribution; minus infinity where k is no integer."""
    k = 1.0 * np.asarray(k) - loc
    inside = xlogy(k, mu) - gammaln(k + 1.0) - mu
    return np.where((k >= 0.0) & (k == np.floor(k)), inside, -np.inf)


def poisson_pmf(k, mu, loc=0.0):
    """Of the Poisson distribution."""
    return np.exp(poisson_logpmf(k, mu, loc))


def bernoulli_logpmf(k, p, loc=0.0):
    """Of the Bernoulli distribution; minus infinity where k is no integer."""
    k = 1.0 * np.asarray(k) - loc
    inside = xlogy(k, p) + xlog1py(1.0 - k, -p)
    return np.where(((k >= 0.0) & (k <= 1.0)) & (k == np.floor(k)), inside, -np.inf)


def bernoulli_pmf(k, p, loc=0.0):
    """Of the Bernoulli distribution."""
    return np.exp(bernoulli_logpmf(k, p, loc))


def binom_logpmf(k, n, p, loc=0.0):
    """Of the binomial distribution; minus infinity where k is no integer."""
    k = 1.0 * np.asarray(k) - loc
    inside = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0) + xlogy(k, p) + xlog1py(n - k, -p)
    return np.where(((k >= 0.0) & (k <= n)) & (k == np.floor(k)), inside, -np.inf)


def binom_pmf(k, n, p, loc=0.0):
    """Of the binomial distribution."""
    return np.exp(binom_logpmf(k, n, p, loc))


def nbinom_logpmf(k, n, p, loc=0.0):
    """Of the negative binomial distribution; minus infinity where k is no integer."""
    k = 1.0 * np.asarray(k) - loc
    inside = gammaln(n + k) - gammaln(k + 1.0) - gammaln(n) + xlogy(n, p) + xlog1py(k, -p)
    return np.where((k >= 0.0) & (k == np.floor(k)), inside, -np.inf)


def nbinom_pmf(k, n, p, loc=0.0):
    """Of the negative binomial distribution."""
    return np.exp(nbinom_logpmf(k, n, p, loc))


def geom_logpmf(k, p, loc=0.0):
    """Of the geometric distribution; minus infinity where k is no integer."""
    k = 1.0 * np.asarray(k) - loc
    inside = xlog1py(k - 1.0, -p) + np.log(p)
    return np.where((k >= 1.0) & (k == np.floor(k)), inside, -np.inf)


def geom_pmf(k, p, loc=0.0):
    """Of the geometric distribution."""
    return np.exp(geom_logpmf(k, p, loc))
