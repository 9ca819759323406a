"""k-means: the cost of k centroids, and the direction of Newton's method (GradBench `kmeans`).

Source: gradbench/gradbench (MIT), after Futhark's benchmark suite.
"""

from typing import NamedTuple

import numpy as np

import fsmooth as fs


def total_cost(points: fs.Array["n", "d"], centroids: fs.Array["k", "d"]):
    """The sum over the points of the squared distance to the nearest centroid."""

    def squared_distance(point, centroid):
        return sum((point[c] - centroid[c]) ** 2 for c in range(len(centroid)))

    return sum(min(squared_distance(point, centroid) for centroid in centroids) for point in points)


cost = fs.function(total_cost)


@fs.function
def direction(points: fs.Array["n", "d"], centroids: fs.Array["k", "d"]):
    """The gradient (k, d), divided by the diagonal of the Hessian: the Hessian is diagonal, so its product with ones."""
    ones = [[1.0 for _ in centroid] for centroid in centroids]
    slope = fs.grad(total_cost, wrt="centroids")(points, centroids)
    diagonal = fs.hvp(total_cost, wrt="centroids")(points, centroids, tangent=ones)
    return slope / diagonal


class Instance(NamedTuple):
    """The arguments of `total_cost`."""

    points: np.ndarray
    centroids: np.ndarray


def generate(n: int, k: int, d: int) -> Instance:
    """Random points as GradBench draws them; the last k are the centroids."""
    points = np.random.RandomState(31337).rand(n, d)
    return Instance(points, points[-k:].copy())
