"""Random indices of NumPy's: what stands in brackets, as text, and the variables in it."""

from __future__ import annotations

import random

import numpy as np

SIZES = (3, 4, 2)
CUBE = np.random.default_rng(3).normal(size=SIZES)
NAMES: dict[str, object] = {
    "i": 1,
    "k": -1,
    "none": None,
    "rows": np.array([1, 0, 1, -1]),
    "some": np.array([True, False, True]),
    "any_of": np.array([[True, False, False, True], [False] * 4, [True, True, False, True]]),
}


def whole_number(rng: random.Random, size: int) -> str:
    """An index of one element; one that is computed counts from the end only where something is taken away in it."""
    return rng.choice([str(rng.randrange(-size, size)), "i", "k + 2", "i - 1", "-i"])


def one_slice(rng: random.Random, size: int) -> str:
    """A slice, whose bounds may be beyond the ends."""
    bounds = ["", "", "i", "i - 2", "k - i", "none", *[str(n) for n in range(-size - 2, size + 3)]]
    step = rng.choice(["", "", ":2", ":-1", ":-2", ":3"])
    return f"{rng.choice(bounds)}:{rng.choice(bounds)}{step}"


def brackets(rng: random.Random) -> str:
    """Indices for an array of `SIZES`."""
    items: list[str] = []
    axis = 0
    left_out = False
    while axis < len(SIZES):
        kind = rng.randrange(11)
        if kind == 0:
            items.append("None")
        elif kind == 1 and not left_out:
            items.append("...")
            left_out = True
            axis += rng.randrange(2)
        elif kind == 2:
            break
        elif kind == 3 and axis == 0:
            items.append("some")
            axis += 1
        elif kind == 4 and axis == 0:
            items.append("any_of")
            axis += 2
        elif kind == 5:
            items.append(rng.choice(["rows % 2", "[[0], [-2]]", "[0, -1]", "np.array([1, 1, 0, 1])"]))
            axis += 1
        elif kind in (6, 7):
            items.append(whole_number(rng, SIZES[axis]))
            axis += 1
        else:
            items.append(one_slice(rng, SIZES[axis]))
            axis += 1
    return ", ".join(items) or "..."


def indices(seed: int, count: int) -> list[str]:
    """Different indices that NumPy takes, and that give something."""
    rng = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        text = brackets(rng)
        try:
            part = eval(f"cube[{text}]", {"np": np, "cube": CUBE, **NAMES})
        except IndexError:
            continue
        if part.size and text not in found:
            found[text] = None
    return list(found)
