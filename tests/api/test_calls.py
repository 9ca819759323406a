"""Calling programs: arguments of every kind, results, errors, captured values, threads."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import pytest

import fsmooth as fs


class Camera(NamedTuple):
    focal: float
    axis: np.ndarray


@dataclasses.dataclass
class Weights:
    a: float
    b: np.ndarray


def dot(a, b):
    return sum(a[i] * b[i] for i in range(len(a)))


def squares(v):
    return sum(x * x for x in v)


def project(camera, x):
    return camera.focal * sum(camera.axis[i] * x[i] for i in range(len(x)))


program = fs.function(dot)
gradient = fs.grad(squares)


@pytest.mark.parametrize(
    "value",
    [
        np.arange(6.0),
        np.arange(12.0)[::2],
        np.arange(6.0)[::-1],
        np.arange(6.0).astype(">f8"),
        [0.0, 1.0, 2.0],
        np.frombuffer(b"x" + np.arange(3.0).tobytes(), np.float64, offset=1),
        np.zeros(0),
        [],
    ],
    ids=["contiguous", "strided", "reversed", "big-endian", "list", "unaligned", "empty", "empty list"],
)
def test_arrays_of_any_layout(value):
    assert np.array_equal(gradient(value), 2 * np.asarray(value, float))


def test_single_precision_follows_the_arguments():
    result = gradient(np.ones(3, np.float32))
    assert result.dtype == np.float32
    assert np.array_equal(result, [2, 2, 2])


def test_integers_where_numbers_meet_numbers():
    assert program([1, 2], [0.5, 0.25]) == 1.0
    assert program([1, 2], [3, 4]) == 11


def test_scalars_are_python_numbers():
    assert type(program(np.ones(3), np.ones(3))) is float
    assert type(program([1], [2])) is int
    assert fs.function(lambda x: x > 1.0)(2.0) is True


def test_records_in_and_out():
    made = fs.grad(project)(Camera(2.0, np.ones(3)), np.arange(3.0))
    assert isinstance(made, Camera)
    assert made.focal == 3.0
    assert np.array_equal(made.axis, [0, 2, 4])
    weights = fs.grad(lambda w: w.a * sum(w.b))(Weights(2.0, np.ones(2)))
    assert isinstance(weights, Weights)
    assert weights.a == 2.0
    assert np.array_equal(weights.b, [2, 2])


def test_classes_of_records_are_told_apart():
    class Other(NamedTuple):
        focal: float
        axis: np.ndarray

    gradient_ = fs.grad(project)
    for made in (Camera(2.0, np.ones(3)), Other(2.0, np.ones(3)), Camera(2.0, np.ones(3))):
        assert type(gradient_(made, np.arange(3.0))) is type(made)
    plain = fs.function(lambda p: (p[1], p[0]))
    assert plain((1.0, 2.0)) == plain((1.0, 2.0)) == (2.0, 1.0)


def test_lambdas_on_one_line_are_told_apart():
    for f, g in [(lambda x: x + 1.0, lambda x: x * 2.0), (lambda x: -x, lambda y: lambda_of(y))]:
        assert fs.function(f)(3.0) == f(3.0)
        assert fs.function(g)(3.0) == g(3.0)


def lambda_of(x):
    return x * x


def test_keywords_and_defaults():
    def scaled(x, y=2.0):
        return x * y

    f = fs.function(scaled)
    assert f(3.0) == 6.0
    assert f(3.0, 4.0) == f(3.0, y=4.0) == f(y=4.0, x=3.0) == 12.0
    assert f(3.0) == 6.0


def test_wrt_by_name_position_and_tuple():
    a, b = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    assert np.array_equal(fs.grad(dot, wrt="b")(a, b), a)
    assert np.array_equal(fs.grad(dot, wrt=-1)(a, b), a)
    value, (da, db) = fs.value_and_grad(dot, wrt=("a", 1))(a, b)
    assert value == 11.0
    assert np.array_equal(da, b)
    assert np.array_equal(db, a)
    assert fs.grad(dot, wrt=(1,))(a, b)[0].tolist() == a.tolist()


def test_verbs_compose():
    assert np.array_equal(fs.hessian(squares)(np.ones(3)), 2 * np.eye(3))
    assert np.array_equal(fs.jacobian(fs.grad(squares))(np.ones(3)), 2 * np.eye(3))
    assert fs.jvp(squares)(np.ones(3), tangent=np.arange(3.0)) == (3.0, 6.0)
    assert fs.diff(fs.diff(lambda x: x * x * x))(2.0) == 12.0
    assert np.array_equal(fs.vdiff(lambda x: [x, x * x])(3.0), [1, 6])


def test_a_tangent_has_the_shape_of_its_argument():
    with pytest.raises(fs.SizeError):
        fs.jvp(squares)(np.ones(3), tangent=np.ones(2))
    with pytest.raises(fs.SizeError):
        fs.function(lambda n, t: fs.jvp(squares)([1.0 * i for i in range(n)], tangent=t))(3, np.ones(2))


def test_a_parameter_called_out_is_a_parameter():
    out = np.array([1.0, 2.0])
    for f in (fs.function(lambda out, k: out * k), fs.function(lambda k, *, out: out * k)):
        for _ in range(2):
            assert f(k=3.0, out=out).tolist() == [3.0, 6.0]
        assert out.tolist() == [1.0, 2.0]
        assert f.cost(k=3.0, out=out)
    assert fs.grad(lambda out: out[0] * out[1])(out=out).tolist() == [2.0, 1.0]
    assert fs.vjp(lambda out: out[0] * out[1])(out=out)[0] == 2.0


def test_out_reuses_memory():
    out = np.empty(3)
    assert gradient(np.ones(3), out=out) is out
    assert np.array_equal(out, [2, 2, 2])
    with pytest.raises(fs.ArgumentError, match=r"shape \(3,\)"):
        gradient(np.ones(3), out=np.empty(4))
    with pytest.raises(fs.ArgumentError, match="writable"):
        gradient(np.ones(3), out=np.broadcast_to(0.0, 3))
    with pytest.raises(fs.ArgumentError, match="shares memory"):
        gradient(out, out=out)


def test_results_never_alias():
    v = np.ones(3)
    first = fs.function(lambda a: (a, a))(v)
    assert not np.may_share_memory(first[0], first[1])
    assert not np.may_share_memory(first[0], v)
    a, b = gradient(v), gradient(v)
    assert not np.may_share_memory(a, b)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "missing"),
        ((1.0, 2.0), "positional"),
        ((np.array([1, "a"], object),), "object"),
        ((np.array([1j]),), "complex"),
        ((np.ma.masked_array([1.0], [True]),), "masked"),
        (({1.5: 2},), "expected texts or integers as keys"),
        ((object(),), "expected a number"),
    ],
)
def test_wrong_arguments(arguments, said):
    with pytest.raises(fs.ArgumentError, match=said):
        gradient(*arguments)
    assert np.array_equal(gradient(np.ones(1)), [2.0])


def test_integers_must_fit():
    f = fs.function(lambda n: n + 1)
    assert f(2**62) == 2**62 + 1
    with pytest.raises(fs.ArgumentError, match="64 bits"):
        f(2**63)


def test_unknown_methods_and_parameters():
    with pytest.raises(fs.UnknownMethodError, match="sideways"):
        fs.grad(squares, method="sideways")
    with pytest.raises(fs.UnknownMethodError, match="schedule"):
        fs.function(squares, schedule="NOPE")
    with pytest.raises(fs.ArgumentError, match="parameters are v"):
        fs.grad(squares, wrt="w")
    with pytest.raises(fs.ArgumentError):
        fs.grad(squares, wrt=3)


def test_failures_while_running_leave_the_process_able_to_go_on():
    f = fs.function(lambda v, k: v[k])
    assert f(np.arange(3.0), 2) == 2.0
    for wrong in (3, -1, 100):
        with pytest.raises(fs.IndexOutOfBoundsError, match="out of bounds"):
            f(np.arange(3.0), wrong)
    assert f(np.arange(3.0), 1) == 1.0
    with pytest.raises(fs.DivisionError):
        fs.function(lambda n: 7 // n)(0)
    with pytest.raises(fs.EmptyError):
        fs.function(lambda v: max(v))(np.zeros(0))


def test_captured_values_are_read_at_each_call():
    scale, table, count = 3.0, np.array([1.0, 2.0]), 2

    def f(x):
        return scale * x + sum(table) * sum(1.0 for _ in range(count))

    compiled = fs.function(f)
    assert [compiled(1.0), compiled(1.0)] == [9.0, 9.0]
    scale = 4.0
    assert compiled(1.0) == 10.0
    table = np.array([5.0])
    assert compiled(1.0) == 14.0
    table[0] = 6.0
    assert compiled(1.0) == 16.0
    count = 3
    assert compiled(1.0) == 22.0


def test_containers_changed_in_place_make_a_new_program():
    powers = [1.0, 2.0]

    def f(x):
        return sum(p * x for p in powers)

    compiled = fs.function(f)
    assert [compiled(1.0), compiled(1.0)] == [3.0, 3.0]
    powers[0] = 5.0
    assert compiled(1.0) == 7.0


def test_replaced_helpers_make_a_new_program():
    def first(x):
        return x + 1.0

    def other(x):
        return x + 2.0

    helper = first

    def f(x):
        return helper(x)

    compiled = fs.function(f)
    assert [compiled(1.0), compiled(1.0)] == [2.0, 2.0]

    helper = other
    assert compiled(1.0) == 3.0


def test_static_sizes_then_a_generic_program():
    f = fs.function(lambda c, x: c[0] * x + c[1])
    for n in [*range(2, 14), 40]:
        assert f(np.arange(1.0, n + 1.0), 3.0) == 5.0
    assert f(np.arange(1.0, 3.0), 3.0) == 5.0


def test_types_may_alternate():
    for _ in range(3):
        assert program(np.ones(3), np.ones(3)) == 3.0
        assert program(np.ones(3, np.float32), np.ones(3, np.float32)) == 3.0
        assert program([1, 2], [3, 4]) == 11


def test_eight_threads_call_one_function():
    fresh = fs.value_and_grad(lambda v, k: sum(fs.sin(x) * k for x in v))
    rng = np.random.default_rng(1)
    inputs = [rng.normal(size=n) for n in (0, 1, 10, 1000, 50_000)] * 40

    def call(v):
        return fresh(v, 2.0)

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(call, inputs))
    for v, (value, gradient_) in zip(inputs, results, strict=True):
        assert np.isclose(value, 2 * np.sin(v).sum(), rtol=1e-12, atol=1e-9)
        assert np.allclose(gradient_, 2 * np.cos(v), rtol=1e-12)


def test_what_was_made_can_be_seen(tmp_path):
    f = fs.grad(dot)
    with pytest.raises(fs.ArgumentError, match="example"):
        f.explain()
    example = np.ones(3), np.ones(3)
    assert "grad_dot" in f.c_source(*example)
    assert "rules that fired" in f.explain(*example)
    assert f.cost(*example)
    source, header = f.save(tmp_path / "dot", *example)
    assert "int32_t grad_dot(" in source.read_text()
    assert "Python" not in source.read_text()
    assert "grad_dot" in header.read_text()
    assert repr(f) == "<fsmooth grad_dot(a, b)>"
    assert f.__wrapped__ is dot


def test_parameters_by_keyword_or_position_only_stay_so():
    by_keyword = fs.function(lambda x, *, k: x - k)
    by_position = fs.function(lambda x, /, y: x - y)
    tangent = fs.jvp(lambda x: x * x)
    for _ in range(2):  # before and after the quick way is known
        for wrong in (
            lambda: by_keyword(2.0, 1.0),
            lambda: by_position(x=2.0, y=1.0),
            lambda: by_position(y=1.0),
            lambda: tangent(2.0, 1.0, 1.0),
        ):
            with pytest.raises(fs.ArgumentError, match="hint: its parameters are"):
                wrong()
        assert by_keyword(2.0, k=1.0) == by_position(2.0, 1.0) == by_position(2.0, y=1.0) == 1.0
        assert tangent(2.0, tangent=1.0) == (4.0, 4.0)
