"""SciPy's special functions and log densities against SciPy; derivatives of both modes against differences."""

from __future__ import annotations

import numpy as np
import scipy.special as sp
import scipy.stats as st

import fsmooth as fs
from tests.arrays.agreement import agree

X = np.array([0.2, 0.5, 0.9])
K = np.array([0, 2, 1])


def on_the_line(x):
    return (
        st.norm.logpdf(x, 1.3, 2.5), st.norm.pdf(x, loc=1.3), st.norm.cdf(x, x, 2.5), st.norm.logcdf(-4.0 * x),
        st.norm.sf(x, scale=2.5), st.norm.logsf(x), st.norm.ppf(x, x, 1.0 + x), st.t.logpdf(x, 1.0 + x, 0.1, 2.5),
        st.t.pdf(x, 3), st.laplace.logpdf(x, 0.3, x), st.logistic.logpdf(x, 1.3, x), st.logistic.cdf(x, 1.3, x),
        st.cauchy.logpdf(x, 1.3, x), st.cauchy.pdf(x),
    )  # fmt: skip


def on_a_part_of_it(x):
    return (
        st.gamma.logpdf(x, 1.0 + x, scale=2.5), st.beta.logpdf(x, 1.0 + x, 2.5), st.expon.logpdf(x, scale=1.0 + x),
        st.expon.pdf(x, 0.3, 2.5), st.expon.cdf(x, 0.0, 2.5), st.uniform.pdf(x, 0.3, 2.0 + x), st.uniform.logpdf(x, 0.1),
        st.lognorm.logpdf(x, 1.0 + x, scale=2.5), st.chi2.logpdf(x, 1.0 + x, 0, 2.5), st.expon.logpdf(x - 0.6),
    )  # fmt: skip


def on_other_parts(x):
    return (
        st.halfnorm.logpdf(x, scale=1.0 + x), st.halfnorm.pdf(x - 0.6), st.halfcauchy.logpdf(x, 0.1, 2.0 + x),
        st.halfcauchy.pdf(x), st.gumbel_r.logpdf(x, 0.3, 1.0 + x), st.gumbel_r.pdf(x), st.invgamma.logpdf(x, 1.0 + x, scale=2.5),
        st.invgamma.pdf(x - 0.6, 2.0), st.weibull_min.logpdf(x, 1.0 + x, scale=2.5), st.weibull_min.pdf(x - 0.6, 1.5),
        st.pareto.logpdf(1.0 + x, 1.0 + x), st.pareto.pdf(2.0 * x, 2.5, 0.1, 0.8),
    )  # fmt: skip


def of_other_counts(x):
    return (
        st.nbinom.logpmf(K, 4.5, x), st.nbinom.logpmf(K, 1.0 + x, 0.3), st.nbinom.pmf(K - 1, 2, x), st.geom.logpmf(K, x),
        st.geom.pmf(K + 1, x), st.nbinom.logpmf(K + 0.5, 3, x),
    )  # fmt: skip


def of_counts(x):
    return (
        st.poisson.logpmf(K, x), st.poisson.pmf(K, x), st.bernoulli.logpmf(K, x), st.binom.logpmf(K, 5, x),
        st.binom.pmf(K, 5, x), st.poisson.logpmf(K + 0.5, x),
    )  # fmt: skip


def of_vectors(x):
    c = np.outer(x, x) + np.eye(3)
    return st.multivariate_normal.logpdf(x, np.ones(3), c), st.multivariate_normal.logpdf(np.array([x, 2.0 * x]), cov=c)


def test_distributions() -> None:
    for program in (on_the_line, on_a_part_of_it, on_other_parts, of_counts, of_other_counts, of_vectors):
        with np.errstate(invalid="ignore"):
            finite(program)


def finite(program) -> None:
    """As SciPy, and outside the support minus infinity with derivative 0, where differences are not numbers."""
    expected = program(X)
    for one, wanted in zip(fs.function(program)(X), expected, strict=True):
        np.testing.assert_allclose(one, wanted, rtol=1e-13, atol=1e-15)
    tangent = np.array([1.0, -0.5, 0.7])
    up, down = program(X + 1e-6 * tangent), program(X - 1e-6 * tangent)
    _, pull = fs.vjp(program)(X)
    weights = [np.where(np.isfinite(v), np.cos(np.arange(np.size(v)) + k), 0.0) for k, v in enumerate(expected)]
    weights = [w.reshape(np.shape(v)) if np.ndim(v) else float(w[0]) for w, v in zip(weights, expected, strict=True)]
    by_difference = 0.0
    _, tangents = fs.jvp(program)(X, tangent=tangent)
    for w, u, d, dot in zip(weights, up, down, tangents, strict=True):
        difference = (np.asarray(u) - np.asarray(d)) / 2e-6
        held = np.where(np.isfinite(difference), difference, 0.0)
        np.testing.assert_allclose(dot, held, rtol=1e-6, atol=1e-7)
        by_difference += float(np.sum(w * held))
    np.testing.assert_allclose(float(np.sum(np.asarray(pull(tuple(weights))) * tangent)), by_difference, rtol=1e-6)


def inverses(x):
    return sp.erfcinv(2.0 * x), sp.ndtri(x), sp.ndtri(1e-5 * x), sp.gamma(x), sp.gamma(-x)


def others(x):
    return (
        sp.i0(3.0 * x), sp.i1(-x), sp.i0e(50.0 * x), sp.i1e(50.0 * x), np.i0(x), sp.iv(1, x), sp.binom(7.5, x), sp.binom(5.0 + x, 2),
        sp.boxcox(x, 0.0), sp.boxcox(x, x), sp.inv_boxcox(x, 0.0), sp.inv_boxcox(x, x), sp.xlogy(x, x), sp.exprel(x),
        sp.exprel(0.01 * x), sp.log_ndtr(-50.0 * x), sp.log_ndtr(x), np.arcsinh(x), np.arccosh(1.0 + x), np.arctanh(x),
        sp.betaln(x, 2.0), sp.polygamma(0, x), sp.entr(x), sp.rel_entr(x, 0.5), sp.kl_div(x, 0.5), np.logaddexp2(x, 1.0),
    )  # fmt: skip


def test_special_functions() -> None:
    agree(inverses, X)
    agree(others, X)


def test_derivatives_at_the_edge_and_of_second_order() -> None:
    assert fs.grad(lambda l: sp.boxcox(2.0, l))(0.0) == np.log(2.0) ** 2 / 2
    assert fs.grad(lambda x: sp.xlogy(x, 2.0))(0.0) == np.log(2.0)
    second = fs.hessian(lambda y: sp.erfinv(y))(0.3)
    x = sp.erfinv(0.3)
    np.testing.assert_allclose(second, np.pi / 2 * x * np.exp(2 * x * x), rtol=1e-13)


def test_trigamma_is_a_value() -> None:
    np.testing.assert_allclose(fs.function(lambda x: sp.polygamma(1, x))(X), sp.polygamma(1, X), rtol=1e-13)
