"""A small convolutional network, its convolutions as comprehensions, that learns to tell drawn crosses from squares.

Prints the loss as it falls, and the accuracy on pictures that it has not seen.
"""

import numpy as np

import fsmooth as fs


def convolution(w: fs.Array["filters", "channels", 3, 3], x: fs.Array["channels", "height", "width"]):
    """Each filter at each place: products of matrices, forwards and backwards."""
    n, height, width = x.shape

    def at(o, i, j):
        return sum(w[o, c, a, e] * x[c, i + a, j + e] for c in range(n) for a in range(3) for e in range(3))

    return np.array([[[at(o, i, j) for j in range(width - 2)] for i in range(height - 2)] for o in range(len(w))])


def score(p, picture):
    """Two layers of filters, the mean of each, and a weighted sum: above zero for a cross."""
    first = np.tanh(convolution(p["first"], picture) + p["bias"][:, None, None])
    return p["out"] @ np.mean(np.tanh(convolution(p["second"], first)), axis=(1, 2))


def loss(p, pictures, crosses):
    """The mean logistic loss; crosses are 1, squares are -1."""
    return sum(fs.softplus(-sign * score(p, x)) for sign, x in zip(crosses, pictures, strict=True)) / len(crosses)


def drawn(count: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Pictures of one channel, 12 × 12, each with a shape somewhere, and noise."""
    pictures, crosses = random.normal(0.0, 0.2, (count, 1, 12, 12)), random.choice([-1.0, 1.0], count)
    for picture, cross in zip(pictures, crosses, strict=True):
        row, column = random.integers(0, 7, 2)
        rows, columns = np.ogrid[-2:3, -2:3]
        shape = rows * columns == 0 if cross > 0 else np.maximum(abs(rows), abs(columns)) == 2
        picture[0, row : row + 5, column : column + 5] += shape
    return pictures, crosses


def main() -> None:
    """Steps down the gradient on batches of 30."""
    random = np.random.default_rng(0)
    sizes = {"first": (8, 1, 3, 3), "bias": (8,), "second": (8, 8, 3, 3), "out": (8,)}
    p = {name: random.normal(0.0, 0.3, shape) for name, shape in sizes.items()}
    for k in range(201):
        value, slope = fs.value_and_grad(loss)(p, *drawn(30, random))
        p = {name: p[name] - 0.5 * slope[name] for name in p}
        if k % 50 == 0:
            print(f"step {k}: loss {value:.3f}")
    pictures, crosses = drawn(500, random)
    print(f"accuracy {np.mean(fs.vmap(score, in_axes=(None, 0))(p, pictures) * crosses > 0):.3f}")


if __name__ == "__main__":
    main()
