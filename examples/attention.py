"""Attention that learns to look things up: values by keys, in tables that it has never seen.

Prints the loss of each answer as it falls, and how many of a thousand new questions are answered rightly.
"""

import numpy as np

import fsmooth as fs

KEYS, VALUES, D = 20, 10, 16


def attention(q, k, v):
    """Rows of values, weighed by how well their keys fit each query (Vaswani et al., 2017, eq. 1)."""
    scores = q @ k.T / np.sqrt(D)
    weights = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    return (weights / np.sum(weights, axis=1, keepdims=True)) @ v


def answers(p, keys, values, questions):
    """Scores of all values for each question, of a table of keys and values."""
    q, k = p["question"][questions], p["key"][keys]
    return attention(q, k, p["value"][values]) @ p["answer"]


def loss(p, keys, values, questions, right):
    """The mean cross-entropy of the answers."""
    z = answers(p, keys, values, questions)
    return sum(fs.logsumexp(z[i]) - z[i, right[i]] for i in range(len(right))) / len(right)


def table(random, size: int):
    """Keys that differ, a value for each, questions, and what is right."""
    keys, values = random.permutation(KEYS)[:size], random.integers(0, VALUES, size)
    places = random.integers(0, size, 32)
    return keys, values, keys[places], values[places]


def main() -> None:
    """Adam, a new table in each step."""
    random, slopes = np.random.default_rng(0), fs.value_and_grad(loss)
    sizes = {"question": (KEYS, D), "key": (KEYS, D), "value": (VALUES, D), "answer": (D, VALUES)}
    p = {name: random.normal(0.0, 0.5, shape) for name, shape in sizes.items()}
    mean, square = ({name: np.zeros(shape) for name, shape in sizes.items()} for _ in range(2))
    for step in range(201):
        value, slope = slopes(p, *table(random, 12))
        mean = {name: 0.9 * mean[name] + 0.1 * slope[name] for name in p}
        square = {name: 0.99 * square[name] + 0.01 * slope[name] ** 2 for name in p}
        p = {name: p[name] - 0.02 * mean[name] / (np.sqrt(square[name]) + 1e-8) for name in p}
        if step % 50 == 0:
            print(f"step {step}: loss {value:.3f}")
    tables = [table(random, 12) for _ in range(32)]
    found = [np.argmax(fs.function(answers)(p, *given[:3]), axis=1) == given[3] for given in tables]
    print(f"{1000 * np.mean(found):.0f} of 1000 right")


if __name__ == "__main__":
    main()
