"""What is read before an array changes: what is assigned, what has a name, what is read in any case; and what is not."""

from __future__ import annotations

import pytest

from fsmooth.core.alpha import alpha_equal
from fsmooth.core.term import Get, Lam, Let
from fsmooth.library import parse
from fsmooth.lower.placement.replaced_elements import with_replaced_first

_OF = "fun (a: Vector) (b: Vector) (A: Matrix) (i: Index) (j: Index) (c: Index) ->"


def read_first(body: str) -> tuple[list[str], list[bool]]:
    """The elements that get names, as they are written, and whether each is copied."""
    term = parse(f"{_OF} {body}")
    assert isinstance(term, Lam)
    scope = term.body
    assert isinstance(scope, Let)
    before = [var for var, _ in scope.bindings]
    new, rows = with_replaced_first(scope)
    named = [(var, value) for var, value in new.bindings if var not in before]
    assert all([isinstance(value, Get) for _, value in named])
    if not named:
        assert new is scope
    return [str(value) for _, value in named], [var in rows for var, _ in named]


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("let x = update a i 1.0 in (update x j 2.0, a[i])", ["a[i]"]),
        ("let x = update a i 1.0 in (update x j 2.0, a[j])", ["a[j]"]),
        ("let x = update a i 1.0 in (update x j 2.0, a[i] + a[j])", ["a[i]", "a[j]"]),
        ("let x = plus (update a i 1.0) (delta (length a) j 2.0) in (x, a[j])", ["a[j]"]),
        ("let x = update a i 1.0 in let k = i + 1 in (update x j 2.0, a[k])", ["a[k]"]),
        ("let x = update a i b[i] in (update x j 2.0, update b j a[j])", ["a[j]"]),
        ("let t = 1.0 in (update a i b[j], update b i (a[j] + t))", ["a[j]"]),
        ("let x = update A i b in (x, A[i])", ["A[i]"]),
        ("let r = A[j] in let x = update A i b in (x, r)", ["A[j]"]),
    ],
)
def test_what_is_read_first(body: str, wanted: list[str]) -> None:
    found, copied = read_first(body)
    assert sorted(found) == sorted(wanted)
    assert copied == ["A" in element for element in found]


@pytest.mark.parametrize(
    "body",
    [
        "let x = update a i 1.0 in (update x j 2.0, if 0 < j then a[j] else 0.0)",
        "let x = update a i 1.0 in (update x j 2.0, sum (length a) (fun k -> a[k]))",
        "let x = update a i 1.0 in (update x j 2.0, a)",
        "let x = update a i 1.0 in (update x j 2.0, a[c] + (if 0 < j then a[j] else 0.0))",
        "let x = update A i b in (x, A[j])",
        "let x = update a i 1.0 in (update x j 2.0, b[j])",
        "let t = 1.0 in (update a i b[j], update b i t)",
    ],
    ids=["perhaps", "in a loop", "whole", "one of them perhaps", "another row", "another array", "one way"],
)
def test_what_is_not(body: str) -> None:
    assert read_first(body) == ([], [])


def test_indices_that_come_later_are_computed_first_and_checks_stay_in_their_order() -> None:
    body = """let x = update a i 1.0 in let y = check j (length b) in let s = sum y (fun k -> b[check k (length a)]) in
        let k = check c (length a) in (update x j s, a[k])"""
    term = parse(f"{_OF} {body}")
    assert isinstance(term, Lam)
    assert isinstance(term.body, Let)
    scope, _ = with_replaced_first(term.body)
    assert alpha_equal(scope, term.body), "a check would come before a loop that may fail"
