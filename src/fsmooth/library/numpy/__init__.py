"""The part of M̃ that is written in fsmooth's own Python: functions whose meaning depends on axes, keywords and ranks.

A call of `np.ptp` in a program is read as a call of the function of that name here, which is inlined as a helper of the
user's would be: arguments and defaults are matched by its signature, conditions on what is known while compiling (`axis is
None`, `a.ndim == 2`) choose what is read, and mistakes are shown where the user called it.  Each function is plain NumPy too.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import FunctionType

from fsmooth.library.numpy.of_numbers import OfNumbers

_CONTINUOUS = (
    "norm t cauchy laplace logistic gumbel_r expon uniform gamma invgamma chi2 beta lognorm weibull_min pareto halfnorm "
    "halfcauchy"
).split()
_DISCRETE = "poisson bernoulli binom nbinom geom".split()

_BY_ROOM = {
    "reductions": "ptp nansum nanprod nanmean nanmax nanmin nanargmax nanargmin nanvar nanstd nanmedian nanpercentile "
    "nanquantile cov corrcoef",
    "selecting": "clip select piecewise choose nan_to_num trim_zeros unwrap round around divmod "
    "apply_over_axes iscomplex iscomplexobj isrealobj isscalar broadcast_shapes",
    "grids": "diag_indices diag_indices_from tril_indices triu_indices tril_indices_from triu_indices_from unravel_index",
    "generating": "fromfunction indices linspace logspace geomspace eye bartlett hanning hamming blackman poly "
    "apply_along_axis ravel_multi_index resize rollaxis matrix_transpose matvec vecmat",
    "sets": "isin unique_values unique_counts union1d intersect1d setdiff1d setxor1d real imag conjugate conj angle "
    "isreal real_if_close isposinf isneginf",
    "cumulative": "cumsum cumprod cumulative_sum cumulative_prod nancumsum nancumprod diff ediff1d gradient trapezoid trapz "
    "cumulative_trapezoid",
    "orders": "argsort sort partition argpartition median quantile percentile searchsorted interp unique "
    "count_nonzero lexsort",
    "bins": "digitize bincount histogram histogram_bin_edges",
    "rearranging": "flip flipud fliplr rot90 roll repeat tile tri tril triu diagonal diag diagflat trace "
    "vander append insert delete pad",
    "products": "convolve correlate polyval polyder polyint polyadd polysub polymul polydiv polyfit kron",
    "places": "held nonzero flatnonzero argwhere compress extract take take_along_axis fill_diagonal put_along_axis "
    "put place putmask item",
    "solving": "linalg.solve linalg.inv linalg.det linalg.slogdet",
    "definite": "linalg.cholesky",
    "eigen": "linalg.eigh linalg.eigvalsh",
    "orthogonal": "linalg.qr",
    "singular": "linalg.svd linalg.svdvals",
    "least_squares": "linalg.pinv linalg.lstsq",
    "exponential": "linalg.expm",
    "norms": "linalg.norm linalg.vector_norm linalg.matrix_norm linalg.cond linalg.matrix_rank",
    "powers": "linalg.matrix_power",
    "scipy_linear_algebra": "scipy.linalg.solve scipy.linalg.inv scipy.linalg.det scipy.linalg.cholesky scipy.linalg.cho_factor "
    "scipy.linalg.cho_solve scipy.linalg.solve_triangular scipy.linalg.qr scipy.linalg.svd scipy.linalg.pinv scipy.linalg.eigh "
    "scipy.linalg.eigvalsh scipy.linalg.lu scipy.linalg.lu_factor scipy.linalg.lu_solve",
    "gamma_functions": "gamma factorial polygamma binom comb rgamma gammasgn poch perm multigammaln factorial2",
    "comparing": "isclose allclose array_equal array_equiv modf gcd lcm",
    "polynomials": "eval_chebyt eval_chebyu eval_legendre eval_hermite eval_hermitenorm eval_laguerre",
    "error_functions": "ndtri erfinv erfcinv",
    "bessel": "i0 i1 i0e i1e iv ive",
    "densities": " ".join(
        [f"stats.{name}_{method}" for name in _CONTINUOUS for method in ("logpdf", "pdf")]
        + [f"stats.{name}_{method}" for name in _DISCRETE for method in ("logpmf", "pmf")]
    ),
    "distributions": "stats.norm_cdf stats.norm_logcdf stats.norm_sf stats.norm_logsf stats.norm_ppf stats.expon_cdf "
    "stats.logistic_cdf stats.multivariate_normal_logpdf stats.multivariate_normal_pdf",
}
"""The functions of each module of this room that have, behind the last dot, the name that they have in NumPy."""

_METHODS = "add.reduce multiply.reduce maximum.reduce minimum.reduce logical_and.reduce logical_or.reduce logaddexp.reduce \
add.accumulate multiply.accumulate maximum.accumulate minimum.accumulate add.outer subtract.outer multiply.outer divide.outer"

ROOMS = {
    **{name: ("ufuncs", name.replace(".", "_")) for name in _METHODS.split()},
    **{name: (room, name.rpartition(".")[2]) for room, names in _BY_ROOM.items() for name in names.split()},
    "linalg.matrix_transpose": ("generating", "matrix_transpose"),
    "float_power": ("ufuncs", "float_power"),
    "sorted": ("orders", "sorted_as_list"),
    "math.isclose": ("comparing", "isclose_of_math"),
    "scipy.special.logsumexp": ("ufuncs", "weighted_logsumexp"),
    "linalg.trace": ("rearranging", "last_trace"),
    "linalg.diagonal": ("rearranging", "last_diagonal"),
}
"""Module and function by the name in NumPy, with `linalg.` before it for those of `numpy.linalg`, `scipy.linalg.` where those of
SciPy are others, and `stats.` and the distribution's name for its methods."""


_OF_SCIPY = ("scipy.", "scipy.special.", "scipy.integrate.")
"""What is left of a name of SciPy's without one of these is the name here, where SciPy's has none of its own."""


@cache
def written(name: str) -> FunctionType | OfNumbers | None:
    """The function that serves for NumPy's `name`, or None."""
    names = [name, *[name.removeprefix(before) for before in _OF_SCIPY if name.startswith(before)]]
    place = next((ROOMS[one] for one in names if one in ROOMS), None)
    if place is None:
        return None
    room, own = place
    found = getattr(import_module(f"{__name__}.{room}"), own)
    assert isinstance(found, FunctionType | OfNumbers), name
    return found
