"""Paper 000, §3 and §4: the examples' values, the constructs of Fig. 5 and Fig. 6, Table 2, Fig. 12."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

Gives = Callable[..., object]

_RANDOM = np.random.default_rng(3)
u, v, x = _RANDOM.normal(size=2), _RANDOM.normal(size=3), _RANDOM.normal(size=4)
M, A = _RANDOM.normal(size=(2, 3)), _RANDOM.normal(size=(3, 2))


def close(result: object, expected: object) -> None:
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-12, atol=1e-12)


def test_example_1(gives: Gives) -> None:
    """u M vᵀ and its derivative with respect to M."""
    f = """
        let f = fun u M v ->
          let um = vectorToMatrix u
          let vt = matrixTranspose (vectorToMatrix v)
          let m = matrixMult um (matrixMult M vt)
          m[0][0]
        fun (u: Vector) (M: Matrix) (v: Vector) ->"""
    close(gives(f + " f u M v", u, M, v), u @ M @ v)
    snd = "matrixMap (deriv (f u M v) M) (fun row -> vectorMap row snd)"
    close(gives(f"{f} {snd}", u, M, v), np.outer(u, v))


def test_example_2(gives: Gives) -> None:
    """cos, by `deriv` and by `diff`."""
    close(gives("fun (a: Double) -> snd (deriv (cos a) a)", 0.7), -np.sin(0.7))
    close(gives("let g = fun x -> cos(x) in fun (a: Double) -> snd ((diff g) a)", 0.7), -np.sin(0.7))
    close(gives("fun (a: Double) -> fst (deriv (cos a) a)", 0.7), np.cos(0.7))


def test_example_3(gives: Gives) -> None:
    """The product."""
    close(gives("fun (a: Double) (b: Double) -> snd (deriv (a * b) a)", 2.0, 5.0), 5.0)


def test_example_4(gives: Gives) -> None:
    """Perturbation confusion would give 2."""
    close(gives("fun (x: Double) (y: Double) -> snd (deriv (x * (snd (deriv (x + y) y))) x)", 3.0, 4.0), 1.0)


def test_example_4_through_functions(gives: Gives) -> None:
    """The constructs of Fig. 6 are macros with fresh variables here, so they are safe too."""
    text = "fun (x: Double) (y: Double) -> snd (diff (fun t -> t * snd (diff (fun s -> t + s) y)) x)"
    close(gives(text, 3.0, 4.0), 1.0)


def test_example_7(gives: Gives) -> None:
    """∂(v1 · v2)/∂v1."""
    w = _RANDOM.normal(size=3)
    close(gives("fun (v1: Vector) (v2: Vector) -> vectorMap (deriv (vectorDot v1 v2) v1) snd", v, w), w)


@pytest.mark.parametrize(
    ("text", "argument", "value", "derivative"),
    [
        ("diff (fun x -> sin x * x) a", 0.7, np.sin(0.7) * 0.7, np.sin(0.7) + 0.7 * np.cos(0.7)),
        ("vdiff (fun x -> [x * x, exp x]) a", 0.7, [0.49, np.exp(0.7)], [1.4, np.exp(0.7)]),
        ("mdiff (fun x -> [[x, x * x]]) a", 0.7, [[0.7, 0.49]], [[1.0, 1.4]]),
        ("grad (fun x -> vectorDot x x) a", x, np.full(4, x @ x), 2 * x),
        (
            "jacob (fun x -> vectorSMul x x[0]) a",
            x,
            np.tile(x * x[0], (4, 1)),
            np.outer(np.eye(4)[0], x) + x[0] * np.eye(4),
        ),
        ("mgrad matrixTrace a", M[:, :2], np.full((2, 2), np.trace(M[:, :2])), np.eye(2)),
    ],
    ids=["diff", "vdiff", "mdiff", "grad", "jacob", "mgrad"],
)
def test_table_2(gives: Gives, text: str, argument: object, value: object, derivative: object) -> None:
    """Each construct gives dual numbers: the value beside the derivative, for each number in the input."""
    type_ = ("Double", "Vector", "Matrix")[np.ndim(argument)]  # type: ignore[arg-type]
    found = gives(f"fun (a: {type_}) -> {text}", argument)
    assert isinstance(found, tuple)
    close(found[0], value)
    close(found[1], derivative)


def test_figure_12_project(gives: Gives) -> None:
    """The Jacobian of `project` against central differences."""
    text = (Path(__file__).parent.parent / "programs" / "projection.ft").read_text()
    cam = np.array([0.1, -0.2, 0.3, 1.0, 2.0, 3.0, 500.0, 320.0, 240.0, 0.1, -0.05])
    point = np.array([2.0, 1.0, 8.0])
    step = 1e-5
    ahead, behind = [[np.asarray(gives(text, cam + s * e, point)) for e in np.eye(11)] for s in (step, -step)]
    text += "\nfun (cam: Vector) (x: Vector) -> matrixMap (jacob (fun c -> project c x) cam) (fun r -> vectorMap r snd)"
    numeric = (np.array(ahead) - np.array(behind)) / (2 * step)
    np.testing.assert_allclose(np.asarray(gives(text, cam, point)), numeric, rtol=1e-6, atol=1e-6)
