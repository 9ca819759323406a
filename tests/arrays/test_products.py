"""Products of arrays of any rank, as NumPy has them."""

from __future__ import annotations

import numpy as np
import pytest

import fsmooth as fs
from tests.arrays.agreement import agree

RANDOM = np.random.default_rng(4)
T = RANDOM.normal(size=(2, 3, 4))
B = RANDOM.normal(size=(4, 5))
C = RANDOM.normal(size=(2, 4, 3))


def products(t):
    return (
        t @ B,
        t @ C,
        np.matmul(t, C[0]),
        t @ B[:, 0],
        t[0, 0] @ C,
        np.expand_dims(t, 0) @ C,
        np.dot(t, B),
        np.dot(t[0], B),
        np.dot(t, C),
        np.dot(2.0, t),
        np.tensordot(t, C, axes=([2, 0], [1, 0])),
        np.tensordot(t, B, axes=1),
        np.tensordot(t, t, axes=3),
        np.inner(t, B.T),
        np.inner(t[0, 0], B[:, 1]),
        np.outer(t[0], B[0]),
        np.vdot(t[0], t[1]),
        np.vecdot(t, B[:, 0]),
        t[0] @ t[1].T,
    )


def sums(t):
    return (
        np.einsum("ijk,kl->ijl", t, B),
        np.einsum("ijk,kl", t, B),
        np.einsum("ijk->kj", t),
        np.einsum("ijk->", t),
        np.einsum("iij->j", t[:, :2]),
        np.einsum("...k,kl->...l", t, B),
        np.einsum("i...,i...->...", t, t),
        np.einsum("ijk,ikj,kl->il", t, C, B),
        np.einsum("ij,ij->i", t[0], t[1]),
        np.einsum("ij,j", t[0], t[1, 0]),
        np.einsum("i,j->ij", t[0, 0], t[0, 1]),
        np.einsum("bij, bkj -> bik", t, t),
        np.einsum("ij,jk,kl,lm->im", t[0], B, B.T, t[1].T),
    )


@pytest.mark.parametrize("program", [products, sums])
def test_as_numpy(program) -> None:
    agree(program, T)


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (lambda t: np.einsum("ij->i", t), "'ij' in 'ij->i' names 2 axes of an array of rank 3"),
        (lambda t: np.einsum("ijk->l", t), "names 'l', which no operand has"),
        (lambda t: np.einsum("ijk,i->j", t), "2 operands in 'ijk,i->j', 1 given"),
        (lambda t: t @ 2.0, "a matrix product with a number"),
        (lambda t: np.tensordot(t, t, axes=([0, 1], [0])), "2 axes of one array and 1 of the other"),
    ],
)
def test_what_is_refused(program, text) -> None:
    with pytest.raises(fs.ProgramError, match=text):
        fs.function(program)(T)


def test_sizes_must_agree() -> None:
    with pytest.raises(fs.SizeError, match="sizes 4 and 3 differ"):
        fs.function(lambda t, c: t @ c)(T, C[:, :3])


def test_a_chain_is_multiplied_two_at_a_time() -> None:
    """All labels at once would take n⁵ steps."""

    def chain(a):
        return np.einsum("ij,jk,kl,lm->im", a, a, a, a)

    cost = str(fs.function(chain).cost(np.ones((3, 3))))
    assert "⁴" not in cost
    assert "⁵" not in cost
