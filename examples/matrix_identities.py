"""Identities of matrix calculus, found by rewriting: ∂tr(MA)/∂M = Aᵀ, ∂tr(M)/∂M = I, ∂(uMvᵀ)/∂M = uᵀv.

Prints each derivative as the term that fsmooth arrives at (`build n (fun i -> e)` is an array), and checks its value.
"""

import numpy as np

import fsmooth as fs


@fs.function
def trace(M: fs.Array["n", "n"]):
    """tr(M)"""
    return fs.matrixTrace(M)


@fs.function
def trace_of_product(M, A):
    """tr(MA)"""
    return fs.matrixTrace(fs.matrixMult(M, A))


@fs.function
def bilinear(M, u, v):
    """uMvᵀ"""
    return fs.dot(u, fs.matmul(M, v))


def show(what: str, derivative: fs.Function, *arguments: np.ndarray) -> np.ndarray:
    """Print the final term of a derivative; gives its value."""
    value = derivative(*arguments)
    print(f"{what}:\n{derivative.stages.terms['optimised']}\n")
    return value


def main() -> None:
    """The three derivatives."""
    random = np.random.default_rng(0)
    M, A = random.standard_normal((4, 3)), random.standard_normal((3, 4))
    u, v = random.standard_normal(4), random.standard_normal(3)
    assert np.array_equal(show("∂tr(M)/∂M", fs.mgrad(trace, method="forward"), M @ A), np.eye(4))
    assert np.array_equal(show("∂tr(MA)/∂M", fs.mgrad(trace_of_product, method="forward"), M, A), A.T)
    assert np.array_equal(show("∂(uMvᵀ)/∂M", fs.mgrad(bilinear, method="forward"), M, u, v), np.outer(u, v))
    print("all three hold")


if __name__ == "__main__":
    main()
