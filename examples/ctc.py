"""Reading words from recordings without being told where their letters are: the CTC loss of Graves et al. (2006).

Prints the loss per recording as it falls, and how many of twenty new recordings are read without a mistake.
"""

import numpy as np

import fsmooth as fs

LETTERS, WIDTH, FAR = 6, 8, -1e30  # letter 0 is the blank; FAR is the logarithm of what cannot be


def ctc(scores, word):
    """-log of the probability of all ways to say `word` in the steps of `scores`, one row of letters for each."""
    n = 2 * len(word) + 1
    letters = np.array([word[k // 2] if k % 2 == 1 else 0 for k in range(n)])
    log_p = np.array([row - fs.logsumexp(row) for row in scores])
    ends = np.array([log_p[0, letters[k]] if k < 2 else FAR for k in range(n)])
    for t in range(1, len(scores)):
        before, ends = ends, np.zeros(n)
        for k in range(n):
            step = before[k - 1] if k > 0 else FAR
            skip = before[k - 2] if k > 1 and letters[k] != 0 and letters[k] != letters[k - 2] else FAR
            ends[k] = log_p[t, letters[k]] + fs.logsumexp(np.array([before[k], step, skip]))
    return -fs.logsumexp(ends[n - 2 :])


def recording(random, patterns):
    """A word and its frames: each letter, and the pause that follows, lasts two to four of them."""
    word = random.integers(1, LETTERS, random.integers(2, 6))
    lengths = [(letter, random.integers(2, 5)) for letter in word for letter in (letter, 0)]
    rows = np.array([patterns[letter] for letter, length in lengths for _ in range(length)])
    return rows + 0.3 * random.normal(size=rows.shape), word


def read(p, frames) -> list[int]:
    best = np.argmax(frames @ p["weights"] + p["bias"], axis=1)
    return [int(x) for k, x in enumerate(best) if x != 0 and (k == 0 or x != best[k - 1])]


def main() -> None:
    random = np.random.default_rng(1)
    patterns = random.normal(size=(LETTERS, WIDTH))
    recordings = [recording(random, patterns) for _ in range(40)]
    p = {"weights": np.zeros((WIDTH, LETTERS)), "bias": np.zeros(LETTERS)}
    slopes = fs.value_and_grad(lambda p, frames, word: ctc(frames @ p["weights"] + p["bias"], word))
    for epoch in range(41):
        found = [slopes(p, *given) for given in recordings]
        p = {name: p[name] - 0.01 * sum(slope[name] for _, slope in found) for name in p}
        if epoch % 10 == 0:
            print(f"epoch {epoch}: loss {np.mean([value for value, _ in found]):.3f}")
    right = [read(p, frames) == list(word) for frames, word in [recording(random, patterns) for _ in range(20)]]
    print(f"{sum(right)} of 20 read without a mistake")


if __name__ == "__main__":
    main()
