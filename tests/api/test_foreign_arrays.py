"""Arrays of other libraries and integers of any width: the answers of NumPy's, on the fast path, without a copy."""

import array
import ctypes

import numpy as np
import pytest

import fsmooth as fs

V = np.linspace(0.5, 2.0, 7)
INDICES = np.array([6, 0, 3, 3, 1])


class ByArray:
    """As a pandas Series or a PyTorch tensor gives itself."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values


class ByDlpack:
    """As an array of the array API gives itself."""

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **how):
        return self.values.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class Elsewhere:
    """As an array on another device says that it cannot be read."""

    def __array__(self, dtype=None, copy=None):
        raise TypeError("it is on another device; use .cpu()")


class Subclass(np.ndarray):
    pass


class Liar(np.ndarray):
    @property
    def shape(self):
        return (100_000_000,)


@fs.function
def gathered(indices, v):
    return sum(v[i] * v[i] for i in indices)


WANTED = float(np.sum(V[INDICES] ** 2))
KINDS = {
    "__array__": ByArray,
    "__dlpack__": ByDlpack,
    "memoryview": memoryview,
    "array.array": lambda a: array.array(a.dtype.char, a),
    "ctypes": lambda a: (
        (ctypes.c_double if a.dtype.kind == "f" else ctypes.c_longlong).__mul__(len(a)).from_buffer_copy(a.tobytes())
    ),
    "subclass": lambda a: a.view(Subclass),
    "strided": lambda a: np.repeat(a, 2)[::2],
    "backwards": lambda a: a[::-1].copy()[::-1],
    "liar": lambda a: a.view(Liar),
}


def fast_calls(call, monkeypatch):
    """The value of the call, which must not take the slow path."""
    monkeypatch.setattr(fs.Function, "_entry", None)
    return call()


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_of_other_kinds(kind, monkeypatch):
    make = KINDS[kind]
    assert gathered(make(INDICES), make(V)) == pytest.approx(WANTED, rel=1e-14)
    gathered(INDICES, V)
    assert fast_calls(lambda: gathered(make(INDICES), make(V)), monkeypatch) == pytest.approx(WANTED, rel=1e-14)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64])
def test_integers_of_any_width(dtype, monkeypatch):
    gathered(INDICES, V)
    given = INDICES.astype(dtype)
    gathered(given, V)  # those of 32 bits have a program of their own
    for indices in (given, np.repeat(given, 3)[::3], np.stack([given, given]).T[:, 1]):
        assert fast_calls(lambda i=indices: gathered(i, V), monkeypatch) == pytest.approx(WANTED, rel=1e-14)


def test_matrices_that_are_not_contiguous():
    program = fs.function(lambda A, k: [[x + n for x in row] for row, n in zip(A, k, strict=True)])
    A, k = np.arange(24.0).reshape(4, 6), np.array([1, -2, 3, -4], np.int8)
    for matrix in (A.T[1:5], A[:, ::-2], A[::-1, 1:4], np.broadcast_to(A[0], (4, 6))):
        own = k[: len(matrix)]
        wanted = matrix + own[:, None]
        program(np.ones((2, 2)), np.ones(2, np.int64))
        assert program._fast(matrix, own) is not None
        assert np.array_equal(program(matrix, own), wanted)


def test_integers_without_a_sign_that_do_not_fit():
    program = fs.function(lambda k: k[0])
    program(np.arange(3))
    with pytest.raises(fs.ArgumentError, match="18446744073709551615 does not fit into 64 bits with a sign"):
        program(np.array([2**64 - 1], np.uint64))
    assert program(np.array([2**63 - 1], np.uint64)) == 2**63 - 1


def test_no_copy_is_made_of_what_fits():
    """The program writes to the result while it reads: were there no copy, `out=` is refused."""
    memory = array.array("d", [1.0, 2.0, 3.0])
    program = fs.function(lambda v: [2.0 * x for x in v])
    program(np.ones(3))
    with pytest.raises(fs.ArgumentError, match="shares memory"):
        program(memory, out=np.frombuffer(memory))


@pytest.mark.parametrize("kind", [ByArray, ByDlpack, memoryview])
def test_derivatives_with_arrays_of_other_kinds(kind):
    assert np.allclose(fs.grad(lambda v: sum(x * x for x in v))(kind(V)), 2 * V, rtol=1e-15)
    value, pullback = fs.vjp(lambda v: [x * x for x in v])(kind(V))
    assert np.allclose(value, V * V, rtol=1e-15)
    assert np.allclose(pullback(kind(np.ones(7))), 2 * V, rtol=1e-15)


def test_what_cannot_be_read_says_why():
    for call in (gathered, fs.grad(gathered.__wrapped__, wrt="v")):
        with pytest.raises(fs.ArgumentError) as caught:
            call(INDICES, Elsewhere())
        assert str(caught.value) == (
            "v: this Elsewhere cannot be read as an array (it is on another device; use .cpu())"
        )


@pytest.mark.parametrize(("dtype", "instead"), [(np.float16, "float32"), (np.longdouble, "float64")])
def test_other_precisions_are_refused(dtype, instead):
    program = fs.function(lambda v: sum(v))
    program(V)
    for value in (V.astype(dtype), memoryview(V.astype(dtype))):
        with pytest.raises(fs.ArgumentError) as caught:
            program(value)
        assert str(caught.value) == (
            f"v: programs compute in float64 and float32, not in {np.dtype(dtype)}\n"
            f"  hint: convert it first: v.astype(np.{instead})"
        )


def test_the_shape_of_a_subclass_is_not_believed():
    assert fs.function(lambda v: sum(v))(np.ones(3).view(Liar)) == 3.0
    assert np.array_equal(fs.grad(lambda v: v[0] * v[2])(V[:3].view(Liar)), [V[2], 0.0, V[0]])


def test_jax():
    jnp = pytest.importorskip("jax.numpy")
    assert gathered(jnp.asarray(INDICES), np.asarray(V)) == pytest.approx(WANTED)
    assert np.allclose(fs.grad(lambda v: sum(x * x for x in v))(jnp.asarray(V)), 2 * V, rtol=1e-6)


def test_torch():
    torch = pytest.importorskip("torch")
    assert gathered(torch.from_numpy(INDICES), torch.from_numpy(V)) == pytest.approx(WANTED)
    with pytest.raises(fs.ArgumentError, match="requires grad"):
        gathered(INDICES, torch.from_numpy(V).requires_grad_())


def test_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"i": INDICES, "x": V[INDICES]})
    assert gathered(frame["i"], V) == pytest.approx(WANTED)
