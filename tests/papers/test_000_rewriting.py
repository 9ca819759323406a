"""Paper 000, §5: matrix identities that come out of the rules alone.  Each test names its schedule."""

from collections.abc import Callable

import pytest

from fsmooth.optimise.schedule import Schedule
from fsmooth.optimise.schedules import LF, LICM, LN, REAL

Becomes = Callable[[str, Schedule, str], None]


def test_example_1_bilinear_form(becomes: Becomes) -> None:
    """∂(u M vᵀ)/∂M = uᵀ v (LN)."""
    becomes(
        """
        let f = fun u M v ->
          let um = vectorToMatrix u
          let vt = matrixTranspose (vectorToMatrix v)
          let m = matrixMult um (matrixMult M vt)
          m[0][0]
        fun (u: Vector) (M: Matrix) (v: Vector) -> matrixMap (deriv (f u M v) M) (fun row -> vectorMap row snd)
        """,
        LN,
        """
        fun (u: Vector) (M: Matrix) (v: Vector) ->
          build (length M) (fun i -> build (length v) (fun j -> v[j] * u[i]))
        """,
    )


def test_example_2_cosine(becomes: Becomes) -> None:
    """∂cos(a)/∂a = -sin(a), by `deriv` and by `diff` (LN)."""
    becomes("fun (a: Double) -> snd (deriv (cos a) a)", LN, "fun (a: Double) -> -(sin a)")
    becomes("let g = fun x -> cos x in fun (a: Double) -> snd ((diff g) a)", LN, "fun (a: Double) -> -(sin a)")


def test_example_3_product(becomes: Becomes) -> None:
    """∂(a * b)/∂a = b (LN)."""
    becomes("fun (a: Double) (b: Double) -> snd (deriv (a * b) a)", LN, "fun (a: Double) (b: Double) -> b")


def test_example_4_perturbation_confusion(becomes: Becomes) -> None:
    """∂/∂x (x ∂(x + y)/∂y) = 1, not 2 (LN)."""
    becomes(
        "fun (x: Double) (y: Double) -> snd (deriv (x * snd (deriv (x + y) y)) x)",
        LN,
        "fun (x: Double) (y: Double) -> 1.0",
    )


@pytest.mark.parametrize("schedule", [LF, LN, REAL], ids=["LF", "LN", "REAL"])
def test_example_5_transpose_of_transpose(becomes: Becomes, schedule: Schedule) -> None:
    """(Mᵀ)ᵀ = M, by fusion alone."""
    becomes("fun (M: Matrix) -> matrixTranspose (matrixTranspose M)", schedule, "fun (M: Matrix) -> M")


def test_example_6_identity_matrix(becomes: Becomes) -> None:
    """v I = v (LN).  The figure's ifold has its arguments in another order than Fig. 3."""
    becomes(
        """
        fun (v: Vector) ->
          let I = matrixEye (length v) in
          build (length v) (fun i ->
            ifold (fun a j ->
              a + v[j] * I[j][i] ) 0 (length v))
        """,
        LN,
        "fun (v: Vector) -> v",
    )
    becomes("fun (v: Vector) -> vectorMatrixMul v (matrixEye (length v))", LN, "fun (v: Vector) -> v")


def test_example_7_dot_product(becomes: Becomes) -> None:
    """∂(v1 · v2)/∂v1 = v2 (LN)."""
    becomes(
        "fun (v1: Vector) (v2: Vector) -> vectorMap (deriv (vectorDot v1 v2) v1) snd",
        LN,
        "fun (v1: Vector) (v2: Vector) -> v2",
    )


def test_derivative_of_the_trace(becomes: Becomes) -> None:
    """∂tr(M)/∂M = I (LN): row i is one at i, and M is square."""
    becomes(
        "fun (M: Matrix) -> matrixMap (deriv (matrixTrace M) M) (fun row -> vectorMap row snd)",
        LN,
        "fun (M: Matrix) -> build (length M 1) (fun i -> delta (length M 1) i 1.0)",
    )


def test_derivative_of_the_trace_of_a_product(becomes: Becomes) -> None:
    """∂tr(M A)/∂M = Aᵀ (LN)."""
    becomes(
        """
        fun (M: Matrix) (A: Matrix) ->
          matrixMap (deriv (matrixTrace (matrixMul M A)) M) (fun row -> vectorMap row snd)
        """,
        LN,
        "fun (M: Matrix) (A: Matrix) -> build (length A 1) (fun i -> build (length A) (fun j -> A[j][i]))",
    )


def test_nnmf_update_formula(becomes: Becomes) -> None:
    """∂D/∂H = Wᵀ (1 / (W H) - A / (W H)²) for the exponential likelihood, W = u, H = v (LICM): one sum an element."""
    becomes(
        """
        let loss = fun u v A -> sum (length u) (fun i -> sum (length v) (fun j ->
          let w = u[i] * v[j]
          log w + A[i][j] / w))
        fun (u: Vector) (v: Vector) (A: Matrix) -> vectorMap (deriv (loss u v A) v) snd
        """,
        LICM,
        """
        fun (u: Vector) (v: Vector) (A: Matrix) ->
          build (length v) (fun j -> sum (length u) (fun i ->
            let w = u[i] * v[j]
            u[i] / w - u[i] * (A[i][j] / w) / w))
        """,
    )
