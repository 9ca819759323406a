"""Complex numbers are refused wherever they are met, and pairs of real numbers are what to write (docs/decisions/0019)."""

from __future__ import annotations

import cmath

import numpy as np
import pytest

import fsmooth as fs

X = np.array([1.0, -2.0, 3.0])
number, array = 2j, X + 1j

PAIRS = "carry the real and the imaginary part as two real numbers or arrays"
OUTSIDE = f"its result is complex: {PAIRS}, or compute it outside"


@pytest.mark.parametrize("given", [1j, X + 1j, np.complex64(1.0), [1.0, 2j], np.zeros((2, 2), complex)])
def test_arguments(given: object) -> None:
    for function, name in ((fs.function(lambda z: z), "z"), (fs.grad(lambda z: z[0]), "z")):
        with pytest.raises(fs.ArgumentError) as caught:
            function(given)
        hint = f"pass the real and the imaginary part as two arguments: {name}.real, {name}.imag"
        assert str(caught.value) == f"{name} is complex, and programs are of real numbers\n  hint: {hint}"


def test_parts_of_arguments() -> None:
    with pytest.raises(fs.ArgumentError, match=r"^t\[1\] is complex"):
        fs.function(lambda t: t[0])((1.0, 1j))
    with pytest.raises(fs.ArgumentError, match="^tangent is complex"):
        fs.jvp(lambda x: x * x)(1.0, tangent=1j)


@pytest.mark.parametrize(
    ("program", "message", "hint"),
    [
        (lambda x: x * 1j, "1j is a complex number", PAIRS),
        (lambda x: [2j for _ in x], "2j is a complex number", PAIRS),
        (lambda x: x * number, "2j is a complex number", PAIRS),
        (lambda x: x + array, "this array is of complex numbers", PAIRS),
        (lambda x: complex(x[0], 1.0), "complex cannot be used in a compiled function", PAIRS),
        (lambda x: np.zeros(3, dtype=complex), "the dtype complex cannot be used in a compiled function", PAIRS),
        (lambda x: x.astype(np.complex64), "the dtype np.complex64 cannot be used in a compiled function", PAIRS),
        (lambda x: np.sum(x, dtype=complex), "this dtype cannot be used in a compiled function", PAIRS),
        (lambda x: np.complex128(x), "the dtype np.complex128 cannot be used in a compiled function", PAIRS),
        (lambda x: np.fft.rfft(x), "np.fft.rfft cannot be used in a compiled function", OUTSIDE),
        (lambda x: np.emath.sqrt(x), "np.emath.sqrt cannot be used in a compiled function", OUTSIDE),
        (lambda x: cmath.exp(x[0]), "cmath.exp cannot be used in a compiled function", OUTSIDE),
        (lambda x: np.roots(x), "np.roots cannot be used in a compiled function", OUTSIDE),
        (
            lambda x: np.linalg.eigvals(np.outer(x, x)),
            "np.linalg.eigvals cannot be used in a compiled function",
            OUTSIDE,
        ),
        (
            lambda x: x.imag,
            "a 1-dimensional array of numbers has no imag in a compiled function",
            "its numbers are real: it is zero",
        ),
        (
            lambda x: x[0].conjugate(),
            "a number has no conjugate in a compiled function",
            "its numbers are real: leave it out",
        ),
    ],
)
def test_in_programs(program, message: str, hint: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(fs.Error) as caught:
        fs.function(program)(X)
    lines = str(caught.value).split("\n")
    assert (lines[0], lines[-1]) == (message, f"  hint: {hint}")
    assert "test_complex_numbers.py" in lines[1]


def test_what_is_real_of_real_numbers_stays() -> None:
    parts = fs.function(lambda x: (np.real(x), np.imag(x), np.conj(x)))(X)
    for found, wanted in zip(parts, (X, 0.0 * X, X), strict=True):
        assert np.array_equal(found, wanted)


def test_pairs_are_what_to_write() -> None:
    def spectrum(x):  # type: ignore[no-untyped-def]
        n = len(x)
        re = [sum(x[k] * np.cos(2.0 * np.pi * k * f / n) for k in range(n)) for f in range(n)]
        im = [-sum(x[k] * np.sin(2.0 * np.pi * k * f / n) for k in range(n)) for f in range(n)]
        return re, im

    re, im = fs.function(spectrum)(X)
    assert re + 1j * im == pytest.approx(np.fft.fft(X), abs=1e-14)

    def power(x):  # type: ignore[no-untyped-def]
        re, im = spectrum(x)
        return sum(re[f] * re[f] + im[f] * im[f] for f in range(len(x)))

    assert fs.grad(power)(X) == pytest.approx(2.0 * len(X) * X)  # Parseval: n times the sum of squares
