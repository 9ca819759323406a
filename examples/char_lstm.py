"""An LSTM that learns a rhyme letter by letter, and recites it.

Prints the loss per letter as it falls, and what the network writes after the first letters.
"""

import numpy as np

import fsmooth as fs

TEXT = "how much wood would a woodchuck chuck if a woodchuck could chuck wood? he would chuck as much as he could. "
LETTERS, H = sorted(set(TEXT)), 48


def advance(p, letters, h, cell):
    """One letter for each row of a batch: the next state, and scores of the letters that may follow."""
    i, f, g, o = np.split(p["w"][letters] + h @ p["u"] + p["b"], 4, axis=1)
    cell = fs.sigmoid(f + 1.0) * cell + fs.sigmoid(i) * np.tanh(g)
    h = fs.sigmoid(o) * np.tanh(cell)
    return h, cell, h @ p["v"] + p["c"]


def loss(p, letters):
    """Letters: steps, batch.  The mean cross-entropy of each next letter."""
    steps, batch = letters.shape
    h, cell, total = np.zeros((batch, H)), np.zeros((batch, H)), 0.0
    for t in range(steps - 1):
        h, cell, z = advance(p, letters[t], h, cell)
        total += sum(fs.logsumexp(z[k]) - z[k, letters[t + 1, k]] for k in range(batch))
    return total / (batch * (steps - 1))


def recite(p, text: str, length: int) -> str:
    """The likeliest letter after each."""
    h, cell = np.zeros((1, H)), np.zeros((1, H))
    for k in range(length - 1):
        h, cell, z = fs.function(advance)(p, np.array([LETTERS.index(text[k])]), h, cell)
        text += LETTERS[int(np.argmax(z))] if k + 1 == len(text) else ""
    return text


def main() -> None:
    """Pieces of 40 letters, 16 at a time, by the signs of slopes in steps that grow smaller."""
    random, kinds = np.random.default_rng(0), len(LETTERS)
    sizes = {"w": (kinds, 4 * H), "u": (H, 4 * H), "b": (4 * H,), "v": (H, kinds), "c": (kinds,)}
    p = {name: random.normal(0.0, 0.2, shape) for name, shape in sizes.items()}
    numbers, slopes = np.array([LETTERS.index(letter) for letter in 2 * TEXT]), fs.value_and_grad(loss)
    mean = {name: np.zeros(shape) for name, shape in sizes.items()}
    for k in range(301):
        starts = np.append(0, random.integers(0, len(TEXT), 15))
        value, slope = slopes(p, numbers[starts[None, :] + np.arange(41)[:, None]])
        mean = {name: 0.9 * mean[name] + 0.1 * slope[name] for name in p}
        p = {name: p[name] - 0.01 * 0.985**k * np.sign(mean[name]) for name in p}
        if k % 100 == 0:
            print(f"step {k}: loss {value:.3f}")
    print(recite(p, TEXT[:8], 48))


if __name__ == "__main__":
    main()
