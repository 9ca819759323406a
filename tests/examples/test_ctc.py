"""The loss of examples/ctc.py against the sum over all ways to say a word, its gradient against differences in both modes."""

import importlib.util
import itertools
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import fsmooth as fs


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("ctc_example", Path(__file__).parents[2] / "examples" / "ctc.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def said(path: tuple[int, ...]) -> list[int]:
    """Letters that follow themselves count once, blanks not at all."""
    return [letter for letter, _ in itertools.groupby(path) if letter != 0]


def by_all_paths(scores: np.ndarray, word: list[int]) -> float:
    p = np.exp(scores) / np.sum(np.exp(scores), axis=1, keepdims=True)
    steps, letters = scores.shape
    paths = [path for path in itertools.product(range(letters), repeat=steps) if said(path) == word]
    return -np.log(sum(np.prod([p[t, letter] for t, letter in enumerate(path)]) for path in paths))


@pytest.mark.parametrize("word", [[1], [1, 2], [2, 2], [1, 2, 1], [2, 1, 1]])
def test_against_all_paths(example: ModuleType, word: list[int]) -> None:
    scores = np.random.default_rng(3).normal(size=(6, 3))
    loss = fs.function(example.ctc)
    assert loss(scores, np.array(word)) == pytest.approx(by_all_paths(scores, word), rel=1e-12)
    slopes = np.zeros_like(scores)
    for at in np.ndindex(*scores.shape):
        e = np.zeros_like(scores)
        e[at] = 1e-6
        slopes[at] = (by_all_paths(scores + e, word) - by_all_paths(scores - e, word)) / 2e-6
    for method in ("forward", "reverse"):
        found = fs.grad(example.ctc, wrt="scores", method=method)(scores, np.array(word))
        np.testing.assert_allclose(found, slopes, atol=1e-8)
