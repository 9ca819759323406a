"""`fs.Index` and `fs.Offsets`: what is no place is refused at entry, and what is one is not tested again."""

# ruff: noqa: F821, UP037  (the names of sizes)

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.checks import When
from fsmooth.runtime.library import is_frozen


def rows(
    starts: fs.Array["n + 1", fs.Offsets["m"]],
    columns: fs.Array["m", fs.Index["k"]],
    data: fs.Array["m"],
    x: fs.Array["k"],
    b: fs.Array["n"],
):
    """The product of a matrix in CSR form and a vector, through a function that is not linear."""
    out = np.zeros(len(b))
    for i in range(len(b)):
        for j in range(starts[i], starts[i + 1]):
            out[i] += np.sin(data[j] * x[columns[j]])
    return out


def loss(
    starts: fs.Array["n + 1", fs.Offsets["m"]],
    columns: fs.Array["m", fs.Index["k"]],
    data: fs.Array["m"],
    x: fs.Array["k"],
    b: fs.Array["n"],
):
    return np.sum((rows(starts, columns, data, x, b) - b) ** 2)


STARTS, COLUMNS = np.array([0, 2, 2, 5]), np.array([1, 3, 0, 3, 2])
CSR = (STARTS, COLUMNS, np.arange(5) - 1.5, np.linspace(0.1, 0.9, 4), np.ones(3))
ALONG = np.array([1.0, -2.0, 0.5, 3.0])


def right() -> np.ndarray:
    """What the program gives, by NumPy."""
    starts, columns, data, x, _ = CSR
    return np.array([np.sin(data[a:b] * x[columns[a:b]]).sum() for a, b in itertools.pairwise(starts)])


def in_loops(found: Any) -> list[str]:
    """What is tested more than once."""
    return [str(c) for c in found if c.tested > When.ONCE]


@pytest.mark.parametrize("integers", [np.int64, np.int32])
def test_values(integers: type) -> None:
    starts, columns, *others = CSR
    given = (starts.astype(integers), columns.astype(integers), *others)
    np.testing.assert_allclose(fs.function(rows)(*given), right(), rtol=1e-14)


@pytest.mark.parametrize("method", ["forward", "reverse", "tape"])
def test_derivatives(method: str) -> None:
    gradient = fs.grad(loss, wrt="x", method=method)
    assert not in_loops(gradient.checks(*CSR))
    step = 1e-6
    value = fs.function(loss)
    for k in range(4):
        x = CSR[3]
        sides = [value(*CSR[:3], x + s * step * np.eye(4)[k], CSR[4]) for s in (1, -1)]
        assert gradient(*CSR)[k] == pytest.approx((sides[0] - sides[1]) / (2 * step), abs=1e-7)


@pytest.mark.parametrize(
    "make",
    [
        lambda: fs.jacobian(rows, wrt="x"),
        lambda: fs.hessian(loss, wrt="x"),
        lambda: fs.grad(loss, wrt=("data", "x")),
    ],
    ids=["jacobian", "hessian", "gradient of two"],
)
def test_nothing_is_tested_in_loops_of_derivatives(make: Callable[[], fs.Function]) -> None:
    assert not in_loops(make().checks(*CSR))


def test_nothing_is_tested_in_loops_along_a_vector() -> None:
    assert not in_loops(fs.jvp(rows, wrt="x").checks(*CSR, tangent=ALONG))
    assert not in_loops(fs.hvp(loss, wrt="x").checks(*CSR, tangent=ALONG))


def test_the_same_without_index_types_is_tested_in_loops() -> None:
    def loose(starts, columns, data, x):
        return [sum(data[j] * x[columns[j]] for j in range(starts[i], starts[i + 1])) for i in range(len(starts) - 1)]

    assert in_loops(fs.function(loose).checks(*CSR[:4]))


@pytest.mark.parametrize("method", ["reverse", "tape"])
def test_pullbacks(method: str) -> None:
    value, pullback = fs.vjp(rows, wrt="x", method=method)(*CSR)
    np.testing.assert_allclose(value, right(), rtol=1e-14)
    jacobian = fs.jacobian(rows, wrt="x")(*CSR)
    for cotangent in np.eye(3):
        np.testing.assert_allclose(pullback(cotangent), cotangent @ jacobian, atol=1e-14)


def refused(program: Callable[..., object], *arguments: object) -> str:
    with pytest.raises(fs.ArgumentIndexError) as caught:
        fs.function(program)(*arguments)
    assert isinstance(caught.value, fs.ArgumentError)
    assert isinstance(caught.value, IndexError)
    return str(caught.value)


@pytest.mark.parametrize(
    ("argument", "place", "number", "message"),
    [
        (0, 3, 6, "starts[3] is 6: its annotation asks for integers from 0 to 5"),
        (0, 0, -1, "starts[0] is -1: its annotation asks for integers from 0 to 5"),
        (0, 1, 3, "starts[2] is 2, less than starts[1], which is 3: offsets do not decrease"),
        (1, 4, 4, "columns[4] is 4: its annotation asks for integers from 0 to 3"),
        (1, 0, -1, "columns[0] is -1: its annotation asks for integers from 0 to 3"),
        (1, 2, 2**62, f"columns[2] is {2**62}: its annotation asks for integers from 0 to 3"),
    ],
)
@pytest.mark.parametrize("integers", [np.int64, np.int32])
def test_one_wrong_number(argument: int, place: int, number: int, message: str, integers: type) -> None:
    given = list(CSR)
    given[argument] = given[argument].astype(np.int64 if number > 2**31 else integers)
    given[argument][place] = number
    assert refused(rows, *given).splitlines()[0] == message


def test_the_edges_of_the_ranges_are_taken() -> None:
    last = (np.array([0, 0, 5, 5]), np.array([3, 0, 3, 3, 3]), *CSR[2:])
    assert fs.function(rows)(*last).shape == (3,)
    nothing = (np.array([0]), np.zeros(0, int), np.zeros(0), np.zeros(0), np.zeros(0))
    assert fs.function(rows)(*nothing).shape == (0,)


def test_the_message() -> None:
    def element(x: fs.Array["n"], k: fs.Index["n"]):
        return x[k]

    first = element.__code__.co_firstlineno
    message = refused(element, np.ones(3), -1)
    assert message == (
        "k is -1: its annotation asks for integers from 0 to 2\n"
        f'  File "{__file__}", line {first}\n'
        '    def element(x: fs.Array["n"], k: fs.Index["n"]):\n'
        "                                  ^^^^^^^^^^^^^^^^\n"
        "  hint: negative indices do not count from the end here: correct the argument, or annotate it with int, and every"
        " access is checked"
    )
    assert refused(element, np.ones(0), 0).startswith("k is 0: its annotation asks for no integers, since there are no")
    assert fs.function(element)(np.arange(3.0), 2) == 2.0
    assert [c.tested for c in fs.function(element).checks(np.ones(3), 1)] == [When.AT_ENTRY, When.PROVED]


def test_two_axes() -> None:
    def corners(triangles: fs.Array["f", 3, fs.Index["v"]], points: fs.Array["v", 2]):
        return sum(points[triangles[f, k], 0] for f in range(len(triangles)) for k in range(3))

    points = np.arange(8.0).reshape(4, 2)
    triangles = np.array([[0, 1, 2], [1, 3, 2]])
    assert fs.function(corners)(triangles, points) == points[triangles, 0].sum()
    assert not in_loops(fs.grad(corners, wrt="points").checks(triangles, points))
    triangles[1, 1] = 4
    assert refused(corners, triangles, points).startswith(
        "triangles[1, 1] is 4: its annotation asks for integers from 0 to 3"
    )


def test_arrays_that_are_made_of_indices_are_proved() -> None:
    def gathered(idx: fs.Array["m", fs.Index["n"]], x: fs.Array["n"]):
        return np.sum(x[idx]) + np.sum(x[idx[1:]]) + sum(x[j] for j in idx) + sum(x[j] for j in reversed(idx))

    idx, x = np.array([2, 0, 2]), np.array([1.0, 2.0, 4.0])
    assert fs.function(gathered)(idx, x) == 9.0 + 5.0 + 9.0 + 9.0
    assert not in_loops(fs.function(gathered).checks(idx, x))


def test_updated_copies_are_not() -> None:
    def shifted(idx: fs.Array["m", fs.Index["n"]], x: fs.Array["n"], by: int):
        moved = idx.copy()
        moved[0] = moved[0] + by
        return sum(x[moved[i]] for i in range(len(moved)))

    assert in_loops(fs.function(shifted).checks(np.array([1, 0]), np.ones(2), 1))
    with pytest.raises(fs.IndexOutOfBoundsError):
        fs.function(shifted)(np.array([1, 0]), np.ones(2), 1)


def test_what_may_have_wrapped_around_is_not() -> None:
    def far(idx: fs.Array["m", fs.Index["n"]], x: fs.Array["n"]):
        return sum(x[idx[i] * 2**62 // 2**62] for i in range(len(idx)))

    assert in_loops(fs.function(far).checks(np.array([1, 0]), np.ones(2)))


def test_what_nobody_can_write_to() -> None:
    idx = np.array([1, 0])
    assert not is_frozen(idx)
    idx.flags.writeable = False
    assert is_frozen(idx)
    assert not is_frozen(idx[:1])
    view = np.array([1, 0])[:]
    view.flags.writeable = False
    assert not is_frozen(view)
    assert fs.function(lambda idx, x: sum(x[i] for i in idx))(idx, np.array([1.0, 2.0])) == 3.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fs.Index["n n"], "fs.Index['n n']: indices are below a size"),
        (lambda: fs.Index["*"], "fs.Index['*']: indices are below a size"),
        (lambda: fs.Offsets[-1], "fs.Offsets[-1]: indices are below a size"),
        (lambda: fs.Array["n", 2, fs.Offsets["m"]], "fs.Array['n', 2, fs.Offsets['m']]: offsets have one axis"),
    ],
)
def test_annotations_that_mean_nothing(make: Callable[[], object], message: str) -> None:
    with pytest.raises(fs.ArgumentError) as caught:
        make()
    assert str(caught.value).startswith(message)


def test_where_index_types_do_not_stand() -> None:
    def offsets(k: fs.Offsets["n"], x: fs.Array["n"]):
        return x[0]

    def result(x: fs.Array["n"]) -> fs.Offsets["n"]:
        return [0 for _ in x]

    def unnamed(k: fs.Index["n"], x):
        return x[k]

    def real(k: fs.Index["n"], x: fs.Array["n"]):
        return x[0] * k

    x = np.ones(3)
    for program, arguments, message in (
        (offsets, (1, x), 'k: fs.Offsets["n"] is for the elements of an array'),
        (result, (x,), 'return: fs.Offsets["n"] is for the elements of an array'),
        (unnamed, (1, x), "n is the size of no argument: none is annotated with it alone"),
        (real, (1.0, x), "k is annotated as fs.Index['n'], an integer, and is a number"),
    ):
        with pytest.raises(fs.ProgramError) as caught:
            fs.function(program)(*arguments)
        assert str(caught.value).startswith(message)


# -- checks="proved" -------------------------------------------------------------------------------------------------


def test_what_is_proved_is_compiled() -> None:
    np.testing.assert_allclose(fs.function(rows, checks="proved")(*CSR), right())
    gradient = fs.function(fs.grad(loss, wrt="x"), checks="proved")
    np.testing.assert_array_equal(gradient(*CSR), fs.grad(loss, wrt="x")(*CSR))
    along = fs.function(fs.jvp(rows, wrt="x"), checks="proved")
    np.testing.assert_allclose(along(*CSR, tangent=ALONG)[0], right())


def test_what_is_not_proved_is_refused(tmp_path: Any) -> None:
    @fs.function(checks="proved")
    def gathered(x, idx, k):
        assert k > -5
        return sum(x[idx[i]] for i in range(len(idx))) + x[k]

    first = gathered.__wrapped__.__code__.co_firstlineno
    arguments = np.ones(3), np.array([0, 2]), 1
    for attempt in (gathered, lambda *given: gathered.save(tmp_path / "c.c", *given), gathered.pointer):
        with pytest.raises(fs.UnprovedError) as caught:
            attempt(*arguments)
        assert isinstance(caught.value, fs.ProgramError)
        assert str(caught.value) == (
            'gathered: 2 checks are not proved, and checks="proved" asks for none\n'
            f"  line {first + 3}: x[idx[i]]: index in bounds, tested before its loop, at each step of it\n"
            f"  line {first + 3}: x[k]: index in bounds, tested once\n"
            '  hint: say what arguments are, fs.Array["n + 1"], fs.Index["n"], or leave out checks="proved"'
        )
    assert not list(tmp_path.iterdir())
    assert len(gathered.checks(*arguments).remaining) == 3


def test_what_is_asked_of_checks() -> None:
    message = r"checks='none'\n  hint: use \"proved\", or leave it out"
    for verb in (fs.function, *VERBS.values()):
        with pytest.raises(fs.ArgumentError, match=message):
            verb(loss, checks="none")


VERBS: dict[str, Any] = {
    "grad": fs.grad,
    "value_and_grad": fs.value_and_grad,
    "jacobian": fs.jacobian,
    "hessian": fs.hessian,
    "jvp": fs.jvp,
    "vjp": fs.vjp,
    "hvp": fs.hvp,
    "jacob": fs.jacob,
    "mgrad": fs.mgrad,
    "vmap": fs.vmap,
    "diff": fs.diff,
    "vdiff": fs.vdiff,
    "mdiff": fs.mdiff,
}
"""All that compile."""


def whole(x: fs.Array["n"]):
    return sum(x[i + 1] * x[i] * x[i] for i in range(len(x) - 1))


def beyond(x, k):
    return sum(x[i] * x[i] * x[k[i]] for i in range(len(k)))


@pytest.mark.parametrize(
    "verb", ["grad", "value_and_grad", "jacobian", "hessian", "jvp", "vjp", "hvp", "jacob", "vmap"]
)
def test_every_verb_asks_for_proofs(verb: str) -> None:
    make, x, k = VERBS[verb], np.array([1.0, 2.0, 3.0]), np.array([0, 2])
    along = {"tangent": np.ones(3)} if verb in ("jvp", "hvp") else {}
    x, axes = (np.stack([x, x]), {"in_axes": (0, None)}) if verb == "vmap" else (x, {})
    proved, plain = [make(whole, **asked)(x, **along) for asked in ({"checks": "proved"}, {})]
    if verb == "vjp":
        (proved, back), (plain, pullback) = proved, plain
        np.testing.assert_array_equal(back(1.0), pullback(1.0))
    for one, other in zip(_parts(proved), _parts(plain), strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(fs.UnprovedError, match=r"x\[k\[i\]\]: index in bounds, tested"):
        make(beyond, checks="proved", **axes)(x, k, **along)


def _parts(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple) else [value]


@pytest.mark.parametrize(
    ("verb", "f", "x"),
    [
        (fs.diff, lambda x, k, a: x * a[k], 2.0),
        (fs.vdiff, lambda x, k, a: [x * a[k], x], 2.0),
        (fs.mdiff, lambda x, k, a: [[x * a[k], x]], 2.0),
        (fs.mgrad, lambda x, k, a: a[k] * x[0, 0], np.ones((1, 1))),
    ],
)
def test_the_papers_verbs_ask_for_proofs(verb: Any, f: Any, x: Any) -> None:
    with pytest.raises(fs.UnprovedError, match=r"a\[k\]: index in bounds, tested once"):
        verb(f, checks="proved")(x, 1, np.ones(3))


def test_both_halves_of_a_vjp_are_asked_for_proofs(tmp_path: Any) -> None:
    value, pullback = fs.vjp(rows, wrt="x", checks="proved")(*CSR)
    np.testing.assert_allclose(value, right())
    np.testing.assert_allclose(pullback(np.ones(3)), fs.vjp(rows, wrt="x")(*CSR)[1](np.ones(3)))
    scaled = fs.custom_derivative(lambda x, a, k: 2.0 * x, vjp=lambda x, a, k, c: (c * a[k], 0.0 * a, 0), check=False)
    again = fs.function(fs.vjp(lambda x, a, k: scaled(x, a, k)), checks="proved")
    for attempt in (again, lambda *given: again.save(tmp_path / "c.c", *given)):
        with pytest.raises(fs.UnprovedError, match=r"^vjp_anonymous: 1 check is not proved") as caught:
            attempt(1.0, np.ones(3), 1)
        assert "a[k]: index in bounds, tested once" in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_proofs_are_asked_of_a_whole_program() -> None:
    hint = r"""hint: proofs are asked of the whole program: fs\.function\(checks="proved"\)"""
    for inner in (lambda x: fs.grad(whole, checks="proved")(x), lambda x: fs.vmap(whole, checks="proved")(x)):
        with pytest.raises(fs.ProgramError, match=hint):
            fs.function(inner)(np.ones((3, 3)))


def heavy(a):
    return np.sin(a) * np.exp(a) + np.tanh(a) * np.cos(a) + np.sqrt(a * a + 1.0)


def through_two(a: fs.Array["n"], b: fs.Array["m"], k: fs.Array["o", fs.Index["n"]]):
    return np.array([heavy(a[k[i]]) + (heavy(b[k[i]]) if k[i] < len(b) else 0.0) for i in range(len(k))])


def test_what_is_read_through_an_index_becomes_a_table() -> None:
    """Of each array for itself: another that is read by the same index may be shorter."""
    rng = np.random.default_rng(0)
    f = fs.function(through_two)
    for n, m in ((7, 3), (3, 7), (5, 0), (5, 5)):
        a, b, k = rng.normal(size=n), rng.normal(size=m), rng.integers(0, n, 40)
        there = k < m
        wanted = heavy(a[k]) + np.where(there, heavy(np.append(b, 0.0)[np.where(there, k, m)]), 0.0)
        np.testing.assert_allclose(f(a, b, k), wanted, rtol=1e-12)
    fired = f.stages.trace.fired
    assert fired["tabulation through a gather"] >= 1
    slope = fs.grad(lambda a, b, k: np.sum(through_two(a, b, k)), wrt=("a", "b"))
    plain = fs.grad(lambda a, b, k: sum(heavy(a[j]) + (heavy(b[j]) if j < len(b) else 0.0) for j in k), wrt=("a", "b"))
    for got, expected in zip(slope(a, b, k), plain(a, b, k), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12)
