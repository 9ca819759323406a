"""What does not wait for calls is done before them: which statements move, and which must not."""

from __future__ import annotations

import re

import numpy as np
import pytest
from benchmarks.workloads import product_sum

from fsmooth.core import primitives as p
from fsmooth.core.types import BOOL, F64, INT
from fsmooth.loops import tree as t
from fsmooth.loops.arithmetic import key_of
from fsmooth.loops.names import Names
from fsmooth.loops.passes.before_calls import work_before_calls

K, C, L, R = t.Name("k", INT), t.Name("c", F64), t.Name("l", F64), t.Name("r", F64)


def real(primitive, *arguments):
    return t.Operation(primitive, arguments, F64)


def call(result: str = "d", *arguments: t.Expression, array: str = "x", added: bool = True) -> t.Invoke:
    """`result, +array[0 …] := f(arguments)`"""
    return t.Invoke("f", arguments, (result, t.Place(array, t.Literal(0, INT), F64)), (False, added))


def after(*statements: t.Statement) -> list[t.Statement]:
    """The statements of a function with a variable for what a call gives, the call, and these, as the pass leaves them."""
    function = t.Function("g", (), (t.Declare("d", F64, None, mutable=True), call(), *statements))
    return list(work_before_calls(function, Names()).body)


def places(*statements: t.Statement) -> tuple[list[type], list[type]]:
    """The kinds of statements before the first call, the variable apart, and after it."""
    made = after(*statements)
    first = next(k for k, s in enumerate(made) if isinstance(s, t.Invoke))
    return [type(s) for s in made[1:first]], [type(s) for s in made[first + 1 :]]


def test_what_is_added_to_an_array_that_calls_add_to_goes_before_them() -> None:
    assert places(t.Store("x", K, real(p.multiply, L, R), accumulate=True)) == ([t.Store], [])


def test_what_reads_the_result_of_a_call_stays() -> None:
    value = real(p.multiply, t.Name("d", F64), L)
    assert places(t.Store("x", K, value, accumulate=True)) == ([], [t.Store])
    assert places(t.Declare("e", F64, value), t.Store("y", K, t.Name("e", F64))) == ([], [t.Declare, t.Store])


def test_parts_that_do_not_wait_get_names_if_no_more_numbers_are_live() -> None:
    product = real(p.multiply, L, R)
    before, stays = places(t.Store("y", K, real(p.add, product, t.Name("d", F64))))
    assert (before, stays) == ([t.Declare], [t.Store])
    both = real(
        p.add, real(p.add, product, real(p.multiply, L, L)), real(p.add, real(p.multiply, R, R), t.Name("d", F64))
    )
    two = real(p.add, real(p.multiply, t.Name("d", F64), L), real(p.multiply, real(p.add, L, R), t.Name("d", F64)))
    assert places(t.Store("y", K, both)) == ([t.Declare, t.Declare], [t.Store])
    assert places(t.Store("y", K, real(p.add, two, real(p.multiply, t.Name("d", F64), R)))) == ([], [t.Store])


@pytest.mark.parametrize(
    "other",
    [
        call("e", array="x", added=False),
        t.Store("x", K, t.Name("d", F64)),
        t.Store("y", K, real(p.add, t.Load("x", K, F64), t.Name("d", F64))),
    ],
    ids=["a call that fills the array", "a store in it", "a load of it"],
)
def test_nothing_is_added_before_what_fills_the_array_or_reads_of_it(other: t.Statement) -> None:
    before, _ = places(other, t.Store("x", K, real(p.multiply, L, R), accumulate=True))
    assert t.Store not in before


def test_parts_of_branches_stay_in_them() -> None:
    """A branch that is not taken may load what is not there."""
    d, zero = t.Name("d", F64), t.Literal(0.0, F64)
    condition = t.Operation(p.less, (K, t.Name("n", INT)), BOOL)
    branches = t.Conditional(condition, real(p.multiply, t.Load("z", K, F64), d), zero)
    for value in (branches, real(p.multiply, branches, d)):
        assert places(t.Store("y", t.Literal(0, INT), value)) == ([], [t.Store])
    whole = real(p.multiply, t.Conditional(condition, t.Load("z", K, F64), zero), d)
    assert places(t.Store("y", t.Literal(0, INT), whole)) == ([t.Declare], [t.Store])


def test_an_index_is_not_taken_apart_for_nothing() -> None:
    index = t.Operation(p.add, (t.Operation(p.multiply, (K, K), INT), t.Name("e", INT)), INT)
    late = t.Declare("e", INT, None, mutable=True)
    made = after(late, t.Store("y", K, t.Load("z", index, F64)))
    assert not [s for s in made if isinstance(s, t.Declare) and s.name.startswith("early")]


def test_an_array_may_have_another_name() -> None:
    """What is added by a pointer stays behind what fills the array, and behind a call that is given it."""
    pointer = t.Choose("q", F64, "x", t.Literal(0, INT), None, None, None)
    for other in (t.Store("x", K, t.Name("d", F64)), call("e", array="x", added=False)):
        added = t.Store("q", K, real(p.multiply, L, R), accumulate=True)
        body = (pointer, t.Declare("d", F64, None, mutable=True), call(), other, added)
        made = list(work_before_calls(t.Function("g", (), body), Names()).body)
        assert [s for s in made if isinstance(s, t.Store) and s.buffer == "q"] == made[-1:]


def test_parts_that_differ_in_the_sign_of_zero_are_two() -> None:
    d = t.Name("d", F64)
    parts = [real(p.multiply, real(p.add, L, R), t.Literal(zero, F64)) for zero in (0.0, -0.0)]
    made = after(*[t.Store(f"y{k}", K, real(p.divide, d, part)) for k, part in enumerate(parts)])
    named = [s.value for s in made if isinstance(s, t.Declare) and s.value is not None]
    assert [repr(e.arguments[1].value) for e in named] == ["0.0", "-0.0"]
    assert key_of(parts[0]) != key_of(parts[1])
    assert key_of(t.Literal(1, INT)) != key_of(t.Literal(1.0, F64))


def test_calls_behind_a_check_are_calls_too() -> None:
    check, added = t.Check(K, t.Name("n", INT), 0), t.Store("x", K, real(p.multiply, L, R), accumulate=True)
    made = after(check, call(), added)
    assert [type(s) for s in made[1:]] == [t.Invoke, t.Check, t.Store, t.Invoke]


def test_what_is_no_sum_stays() -> None:
    assert places(t.Store("x", K, real(p.multiply, L, R))) == ([t.Declare], [t.Store])
    assert t.Store not in places(t.Store("x", K, L))[0]


def test_loads_of_what_the_function_changes_stay() -> None:
    load = t.Load("x", K, F64)
    assert places(t.Declare("e", F64, real(p.multiply, load, L)), t.Store("y", K, t.Name("e", F64)))[0] == []
    assert places(t.Declare("e", F64, t.Load("z", K, F64)), t.Store("y", K, t.Name("e", F64)))[0] == [t.Declare]


def test_divisions_of_integers_wait_for_a_call_that_may_fail() -> None:
    quotient = t.Operation(p.floor_divide, (K, t.Name("n", INT)), INT)
    assert places(t.Declare("q", INT, quotient), t.Store("y", t.Name("q", INT), L))[0] == []


def test_nothing_goes_before_a_check() -> None:
    for barrier in (t.Check(K, t.Name("n", INT), 0), t.For("i", t.Name("n", INT), (), t.Kind.PARALLEL)):
        assert places(barrier, t.Declare("e", F64, t.Load("z", K, F64)), t.Store("y", K, t.Name("e", F64)))[0] == []


def test_a_function_without_calls_is_the_same_object() -> None:
    function = t.Function("g", (), (t.Declare("e", F64, L), t.Store("y", K, t.Name("e", F64))))
    assert work_before_calls(function, Names()) is function


def test_the_way_back_through_a_tree_keeps_few_numbers_over_its_calls() -> None:
    tree = product_sum.generate(64)
    source = product_sum.gradient.c_source(tree, product_sum.A, product_sum.B)
    back = source[source.rindex("static inline void grad_total_total_backward(") :]
    back = back[: back.index("\n}\n")]
    second = back[back.rindex("grad_total_total_backward(") :]
    assert "*" not in re.sub(r"\*restrict", "", second)  # all products are made before the calls
    _, parts = product_sum.in_python(tree, product_sum.A, product_sum.B)
    by_tree, by_a, by_b = product_sum.gradient(tree, product_sum.A, product_sum.B)
    np.testing.assert_allclose(by_tree.columns["Node.value"], parts[1], rtol=1e-13)
    np.testing.assert_allclose([by_a, by_b], parts[2:], rtol=1e-13)
