"""The log-likelihood of a Gaussian mixture and its gradient in weights, means and scales; ascent with Adam.

Prints the mean log-likelihood at the start and at the end, and the means found (the data come from -2, 0.5 and 3).
"""

import math

import numpy as np

import fsmooth as fs


@fs.function
def log_likelihood(logits: fs.Array["K"], means: fs.Array["K"], log_scales: fs.Array["K"], x):
    """Mean over x (n,) of the log density of a mixture of K Gaussians."""
    norm = fs.logsumexp(logits)
    total = 0.0
    for value in x:
        terms = [
            logits[k] - norm - log_scales[k] - 0.5 * ((value - means[k]) * math.exp(-log_scales[k])) ** 2
            for k in range(len(means))
        ]
        total += fs.logsumexp(terms)
    return total / len(x) - 0.5 * math.log(2 * math.pi)


def main() -> None:
    """Fit three components to 2000 numbers."""
    random = np.random.default_rng(0)
    x = np.concatenate([random.normal(m, s, n) for m, s, n in [(-2.0, 0.5, 800), (0.5, 0.3, 400), (3.0, 0.8, 800)]])
    value_and_gradient = fs.value_and_grad(log_likelihood, wrt=("logits", "means", "log_scales"))
    parameters = [np.zeros(3), np.array([-1.0, 0.0, 1.0]), np.zeros(3)]
    momentum = [np.zeros(3) for _ in parameters]
    square = [np.zeros(3) for _ in parameters]
    start, _ = value_and_gradient(*parameters, x)
    for step in range(1, 801):
        value, gradient = value_and_gradient(*parameters, x)
        for p, m, s, g in zip(parameters, momentum, square, gradient, strict=True):
            m += 0.1 * (g - m)
            s += 0.001 * (g * g - s)
            p += 0.03 * (m / (1 - 0.9**step)) / (np.sqrt(s / (1 - 0.999**step)) + 1e-12)
    print(f"log-likelihood {start:.3f} -> {value:.3f}")
    print("means", *[f"{m:.2f}" for m in np.sort(parameters[1])])


if __name__ == "__main__":
    main()
