"""What reads as a product of matrices: its axes, the factors of its sides, and what is none."""

from __future__ import annotations

import pytest

from fsmooth.core.matrix_products import has_matrix_product, has_product, matrix_by_vector, matrix_product
from fsmooth.core.term import Lam, Term
from fsmooth.frontend.text import parse

HEAD = (
    "fun (A : Matrix) (B : Matrix) (v : Vector) (n : Index) (m : Index) (k : Index) (x : Double)"
    " (X : Array<Matrix>) (W : Array<Array<Matrix>>) -> "
)


def term(text: str) -> Term:
    found = parse(HEAD + text)
    assert isinstance(found, Lam)
    return found.body


PRODUCTS = {
    "the product": "build n (fun i -> build m (fun j -> sum k (fun l -> A[i][l] * B[l][j])))",
    "of transposes": "build n (fun i -> build m (fun j -> sum k (fun l -> A[l][i] * B[j][l])))",
    "factors in any order": "build n (fun i -> build m (fun j -> sum k (fun l -> x * B[l][j] * v[l] * A[i][l])))",
    "rows with names": "build n (fun i -> let a = A[i] in build m (fun j -> sum k (fun l -> let b = B[l] in a[l] * b[j])))",
    "one matrix": "build n (fun i -> build m (fun j -> sum k (fun l -> A[i][l] * A[l][j])))",
    "a part of one": "build n (fun i -> build m (fun j -> sum k (fun l -> A[i + 1][l] * B[l][2 * j])))",
    "computed factors": "build n (fun i -> build m (fun j -> sum k (fun l -> exp (A[i][l]) * B[l][j])))",
    "the sign of a product": "build n (fun i -> build m (fun j -> sum k (fun l -> -(A[i][l] * B[l][j]))))",
    "a row of factors": (
        "build n (fun i -> let r = build k (fun l -> let e = exp (A[i][l]) in e * v[l]) in"
        " build m (fun j -> sum k (fun l -> r[l] * B[l][j])))"
    ),
    "known, long sides": "build 8 (fun i -> build 20 (fun j -> sum 30 (fun l -> A[i][l] * B[l][j])))",
}

CONTRACTIONS = {
    "a convolution": (
        "build n (fun o -> build m (fun i -> build n (fun j ->"
        " sum k (fun c -> sum 3 (fun a -> sum 3 (fun e -> W[o][c][a][e] * X[c][i + a][j + e])))))) ",
        ("o", "j", "c"),
        ("i",),
        ("a", "e"),
    ),
    "in another order": (
        "build n (fun o -> build m (fun i -> build n (fun j ->"
        " sum 3 (fun a -> sum 3 (fun e -> sum k (fun c -> X[c][i + a][j + e] * W[o][c][a][e])))))) ",
        ("o", "j", "c"),
        ("i",),
        ("a", "e"),
    ),
    "what its weights receive": (
        "build n (fun o -> build m (fun c -> build 3 (fun a -> build 3 (fun e ->"
        " sum k (fun i -> sum k (fun j -> X[o][i][j] * X[c][i + a][j + e])))))) ",
        ("o", "c", "j"),
        ("a", "e"),
        ("i",),
    ),
    "two sums": (
        "build n (fun i -> build m (fun j -> sum k (fun a -> sum k (fun b -> X[i][a][b] * X[a][b][j]))))",
        ("i", "j", "b"),
        (),
        ("a",),
    ),
    "a batch inside": (
        "build n (fun i -> build m (fun b -> build k (fun j -> sum k (fun l -> X[i][b][l] * X[l][b][j]))))",
        ("i", "j", "l"),
        ("b",),
        (),
    ),
}

OTHERS = {
    "a matrix by a vector": "build n (fun i -> sum k (fun l -> A[i][l] * v[l]))",
    "an outer product": "build n (fun i -> build m (fun j -> v[i] * v[j]))",
    "three indices in one factor": "build n (fun i -> build m (fun j -> sum k (fun l -> A[i][l] * B[l][j + i])))",
    "a factor for each element": "build n (fun i -> build m (fun j -> sum k (fun l -> A[i][l] * B[l][j] * A[i][j])))",
    "a sum that comes apart": "build n (fun i -> build m (fun j -> sum k (fun l -> v[i] * v[l] * B[l][j])))",
    "no product": "build n (fun i -> build m (fun j -> sum k (fun l -> A[i][l] - B[l][j])))",
    "a sum to the diagonal": "build n (fun i -> build m (fun j -> sum i (fun l -> A[i][l] * B[l][j])))",
    "another reduction": "build n (fun i -> build m (fun j -> max k (fun l -> A[i][l] * B[l][j])))",
    "what may fail": "build n (fun i -> build m (fun j -> sum k (fun l -> A[i][l] * B[check l 9][j])))",
    "products in a loop": "build n (fun b -> build n (fun i -> build m (fun j -> sum k (fun l -> X[b][i][l] * X[b][l][j]))))",
    "three indices in one of two factors": "build n (fun i -> build m (fun j -> sum k (fun l -> A[i][l] * X[l][j][i])))",
    "a short side": "build n (fun i -> build 7 (fun j -> sum k (fun l -> A[i][l] * B[l][j])))",
    "a row that loops compute": (
        "build n (fun i -> let r = build k (fun l -> sum m (fun q -> A[i][q] * B[q][l])) in"
        " build m (fun j -> sum k (fun l -> r[l] * A[l][j])))"
    ),
    "a row for each element": (
        "build n (fun i -> build m (fun j -> let r = build k (fun l -> A[i][l] * A[j][l]) in sum k (fun l -> r[l] * B[l][j])))"
    ),
    "a name for more than a row": "build n (fun i -> let y = exp (v[i]) in build m (fun j -> sum k (fun l -> y * A[i][l] * B[l][j])))",
}


@pytest.mark.parametrize("text", PRODUCTS.values(), ids=PRODUCTS)
def test_products(text: str) -> None:
    product = matrix_product(term(text))
    assert product is not None
    assert has_matrix_product(term(text))
    left, right = product.matrices
    assert product.columns.index not in left.body.free
    assert product.rows.index not in right.free
    assert matrix_product(product.array) is not None


@pytest.mark.parametrize(("text", "matrices", "around", "repeated"), CONTRACTIONS.values(), ids=CONTRACTIONS)
def test_contractions(text: str, matrices: tuple[str, ...], around: tuple[str, ...], repeated: tuple[str, ...]) -> None:
    """Rows, columns and the axis between; loops around the product of matrices, and loops that sum it up."""
    product = matrix_product(term(text))
    assert product is not None
    assert tuple([x.index.name for x in (product.rows, product.columns, product.summed)]) == matrices
    assert tuple([x.index.name for x in product.around]) == around
    assert tuple([x.index.name for x in product.repeated]) == repeated
    assert matrix_product(product.array) is not None


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_what_is_none(text: str) -> None:
    assert matrix_product(term(text)) is None
    assert not has_matrix_product(term(text))


def test_the_sides_are_matrices_of_their_own() -> None:
    product = matrix_product(term(PRODUCTS["factors in any order"]))
    assert product is not None
    left, right = product.matrices
    assert repr(left) == "build n (fun i -> build k (fun l -> x * v[l] * A[i][l]))"
    assert repr(right) == "build k (fun l -> build m (fun j -> B[l][j]))"


@pytest.mark.parametrize(
    "element",
    [
        "(x, sum k (fun l -> A[i][l] * B[l][j]))",
        "sum k (fun l -> (x, A[i][l] * B[l][j]))",
        "sum k (fun l -> A[i][l] * B[l][j]) + x",
        "sum k (fun l -> x - A[i][l] * B[l][j])",
    ],
)
def test_what_has_a_product_among_its_parts(element: str) -> None:
    nest = term(f"build n (fun i -> build m (fun j -> {element}))")
    assert matrix_product(nest) is None
    assert has_matrix_product(nest)


VECTORS = {
    "a matrix by a vector": "build n (fun i -> sum k (fun l -> A[i][l] * v[l]))",
    "a vector by a matrix": "build n (fun i -> sum k (fun l -> v[l] * A[l][i] * x))",
    "by a row with a name": "build n (fun i -> let a = A[i] in sum k (fun l -> let y = v[l] in a[l] * y))",
}


@pytest.mark.parametrize("text", VECTORS.values(), ids=VECTORS)
def test_a_matrix_by_a_vector(text: str) -> None:
    product = matrix_by_vector(term(text))
    assert product is not None
    assert has_product(term(text))
    assert product.rows.index not in {x for f in product.right for x in f.free}


@pytest.mark.parametrize(
    "text",
    [
        "build n (fun i -> sum k (fun l -> A[i][l]))",
        "build n (fun i -> sum k (fun l -> v[i] * v[l]))",
        "build n (fun i -> sum k (fun l -> A[i][l] * x))",
        "build n (fun i -> sum i (fun l -> A[i][l] * v[l]))",
        "build 3 (fun i -> sum k (fun l -> A[i][l] * v[l]))",
        "build n (fun i -> sum k (fun l -> A[i][check l 9] * v[l]))",
    ],
)
def test_what_is_no_matrix_by_a_vector(text: str) -> None:
    assert matrix_by_vector(term(text)) is None
