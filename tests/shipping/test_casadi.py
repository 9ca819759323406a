"""`fs.casadi_external`: against CasADi's own expressions and derivatives where it is installed, and by ctypes where it is not."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.shipping.external import Described
from fsmooth.shipping.externals import source_of
from tests.shipping.callers import STRICT, compiler

W = np.arange(1.0, 7.0).reshape(2, 3) / 6


def pair(A, x):
    """A vector, and a matrix that is not symmetric."""
    y = np.array([np.sin(A[i, 0] * x[1]) + W[i, 1] * x[0] for i in range(len(A))])
    return y, np.array([[A[i, j] * x[j] for j in range(len(x))] for i in range(len(A))])


def rosenbrock(x):
    return sum(100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2 for i in range(len(x) - 1))


def product_of(x, p):
    assert p > 0.0, "p is positive"
    return p * x[0] * x[1]


A0, X0 = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]) / 7, np.array([0.1, 0.2, -0.3])


@pytest.fixture(scope="module")
def ca():
    """CasADi."""
    return pytest.importorskip("casadi", reason="CasADi is not installed (pip install 'fsmooth[casadi]')")


@pytest.fixture(scope="module")
def both(ca):
    """The compiled pair, called in an expression, and the same written in CasADi."""
    A, x = ca.MX.sym("A", 2, 3), ca.MX.sym("x", 3)
    compiled = fs.casadi_external(pair, example=(A0, X0))
    results = [ca.sin(A[:, 0] * x[1]) + ca.DM(W[:, 1]) * x[0], A * ca.repmat(x.T, 2, 1)]
    return ca.Function("of_c", [A, x], compiled(A, x)), ca.Function("own", [A, x], results), compiled


def same(ca, found, wanted):
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(np.array(ca.DM(a)), np.array(ca.DM(b)), rtol=1e-12, atol=1e-13)


def test_values_as_matrices_of_casadi(ca, both):
    _, own, compiled = both
    assert str(compiled) == "pair:(A[2x3],x[3])->(result_0[2],result_1[2x3]) External"
    found = compiled(ca.DM(A0), ca.DM(X0))
    assert all(isinstance(part, ca.DM) for part in found)
    same(ca, found, own(A0, X0))
    y, S = pair(A0, X0)
    np.testing.assert_allclose(np.array(found[0])[:, 0], y, rtol=1e-14)
    np.testing.assert_allclose(np.array(found[1]), S, rtol=1e-14)


def test_jacobians_and_directions(ca, both):
    of_c, own, _ = both
    same(ca, of_c.jacobian()(A0, X0, 0, 0), own.jacobian()(A0, X0, 0, 0))
    seeds = [np.arange(18.0).reshape(2, 9) / 7, np.arange(9.0).reshape(3, 3) - 4]
    same(ca, *[f.forward(3)(A0, X0, 0, 0, *seeds) for f in (of_c, own)])
    seeds = [np.arange(4.0).reshape(2, 2) / 7, np.arange(12.0).reshape(2, 6) - 4]
    same(ca, *[f.reverse(2)(A0, X0, 0, 0, *seeds) for f in (of_c, own)])


def test_second_derivatives(ca, both):
    found = []
    for f in both[:2]:
        A, x = ca.MX.sym("A", 2, 3), ca.MX.sym("x", 3)
        y, S = f(A, x)
        of = ca.dot(y, ca.DM([1.0, -2.0])) + ca.dot(S, ca.DM(A0))
        parts = [ca.hessian(of, x)[0], ca.jacobian(ca.gradient(of, A), x), ca.hessian(of, A)[0]]
        found.append(ca.Function("second", [A, x], parts)(A0, X0))
    same(ca, *found)


@fs.custom_derivative(jvp=lambda x, dx: np.cos(x) * dx)
def by_a_rule(x):
    return np.sin(x)


def test_rules_of_the_library_and_of_users(ca):
    """Functions that are other terms where they are differentiated."""
    b = np.array([1.0, 2.0])
    solve = fs.casadi_external(lambda A: np.linalg.solve(A, b), name="solved", example=(np.eye(2),))
    A = ca.MX.sym("A", 2, 2)
    given, found = ca.DM([[2.0, 1.0], [0.5, 3.0]]), []
    for x in (solve(A), ca.solve(A, ca.DM(b))):
        of = ca.dot(x, ca.DM([1.0, -1.0]))
        found.append(ca.Function("f", [A], [ca.jacobian(x, A), ca.gradient(of, A), ca.hessian(of, A)[0]])(given))
    same(ca, *found)
    f, x = fs.casadi_external(lambda x: by_a_rule(x) ** 2, name="f", example=(1.0,)), ca.MX.sym("x")
    second = ca.Function("second", [x], [*ca.hessian(f(x), x)])
    same(ca, second(0.4), ca.Function("own", [x], [*ca.hessian(ca.sin(x) ** 2, x)])(0.4))


@pytest.mark.parametrize(("solver", "order"), [("ipopt", 2), ("ipopt", 1), ("sqpmethod", 2)])
def test_problems_are_solved(ca, solver, order):
    """The point of x y = 1 nearest to the origin; the least value of Rosenbrock's function on x0 + x1 + x2 = 3."""
    quiet = {"ipopt": {"ipopt.print_level": 0, "print_time": False, "ipopt.sb": "yes"}}
    options = quiet.get(solver) or {
        "qpsol": "qrqp",
        "print_header": False,
        "print_iteration": False,
        "print_status": False,
    }
    if solver == "sqpmethod":
        options |= {"print_time": False, "qpsol_options": {"print_iter": False, "print_header": False}}
    if order == 1:
        options["ipopt.hessian_approximation"] = "limited-memory"
    x = ca.MX.sym("x", 2)
    hyperbola = fs.casadi_external(lambda x: x[0] * x[1], name="hyperbola", example=(np.ones(2),), order=order)
    solve = ca.nlpsol("solve", solver, {"x": x, "f": ca.dot(x, x), "g": hyperbola(x)}, options)
    found = solve(x0=[1.5, 0.5], lbg=1.0, ubg=1.0)
    np.testing.assert_allclose(np.array(found["x"])[:, 0], [1.0, 1.0], rtol=1e-6)
    x = ca.MX.sym("x", 3)
    value = fs.casadi_external(rosenbrock, example=(np.ones(3),), order=order)
    solve = ca.nlpsol("solve", solver, {"x": x, "f": value(x), "g": ca.sum1(x)}, options)
    found = solve(x0=[0.8, 1.2, 0.9], lbg=3.0, ubg=3.0)
    np.testing.assert_allclose(np.array(found["x"])[:, 0], [1.0, 1.0, 1.0], rtol=1e-5)


def test_other_sizes_and_failures_are_errors(ca):
    f = fs.casadi_external(product_of, example=(np.ones(2), 1.0), order=0)
    assert float(f([2.0, 3.0], 0.5)) == 3.0
    with pytest.raises(RuntimeError, match="mismatch"):
        f([2.0, 3.0, 4.0], 0.5)
    with pytest.raises(RuntimeError, match="Evaluation failed"):
        f([2.0, 3.0], -0.5)
    x = ca.MX.sym("x", 2)
    with pytest.raises(RuntimeError):
        ca.jacobian(f(x, 1.0), x)


def test_on_threads(ca, both):
    _, own, compiled = both
    columns = np.linspace(-1.0, 1.0, 30).reshape(3, 10)
    found = compiled.map(10, "thread", 2)(np.tile(A0, 10), columns)
    same(ca, found, own.map(10)(np.tile(A0, 10), columns))


def test_files_for_other_processes(ca, tmp_path):
    fs.casadi_external(rosenbrock, example=(np.ones(3),), order=1, path=tmp_path / "lib" / "r")
    loaded = ca.external("rosenbrock", str(tmp_path / "lib" / "r.so"))
    assert float(loaded([1.0, 2.0, 3.0])) == 201.0
    assert "int jac_rosenbrock(" in (tmp_path / "lib" / "r.c").read_text()


def test_the_c_by_itself(tmp_path):
    """NULL is zeros and what is not wanted, matrices go column by column, constants are built in as they were."""
    data, kept = np.array([1.0, np.inf, 3.0]), np.array([2, 0])

    def f(A, x):
        return A @ x + data[kept], np.sum(A) * 2.0

    text, _ = source_of(Described(fs.function(f), (np.ones((2, 3)), np.ones(3)), "f"), 1)
    data[:], kept[:] = 0.0, 1
    (tmp_path / "f.c").write_text(text)
    line = [compiler(), *STRICT, "-std=c99", "-pedantic", "-O1", "-shared", "-fPIC", "-o", str(tmp_path / "f.so")]
    subprocess.run([*line, str(tmp_path / "f.c"), "-lm"], check=True)
    handle = ctypes.CDLL(str(tmp_path / "f.so"))
    sizes = (ctypes.c_longlong * 4)()
    assert handle.f_work(*[ctypes.byref(sizes, 8 * k) for k in range(4)]) == 0
    assert list(sizes) == [2, 2, 0, 6 + 3 + 2 + 1]
    handle.f_sparsity_out.restype = handle.jac_f_sparsity_in.restype = ctypes.POINTER(ctypes.c_longlong)
    assert handle.f_sparsity_out(ctypes.c_longlong(0))[:3] == [2, 1, 1]
    assert handle.jac_f_sparsity_in(ctypes.c_longlong(2))[:4] == [2, 1, 0, 0]
    w = (ctypes.c_double * 100)()

    def called(name, given, wanted):
        arrays = [None if x is None else (ctypes.c_double * len(x))(*x) for x in given]
        results = [None if n is None else (ctypes.c_double * n)() for n in wanted]
        pointers = [(ctypes.c_void_p * len(x))(*[a and ctypes.addressof(a) for a in x]) for x in (arrays, results)]
        assert handle[name](*pointers, None, w, 0) == 0
        return [r and list(r) for r in results]

    assert called("f", [[1.0, 4.0, 2.0, 5.0, 3.0, 6.0], [1.0, 1.0, 1.0]], [2, 1]) == [[9.0, 16.0], [42.0]]
    assert called("f", [None, [1.0, 1.0, 1.0]], [2, None]) == [[3.0, 1.0], None]
    by_A, by_x, of_sum, nothing = called("jac_f", [[0.0] * 6, [1.0, 2.0, 3.0], None, None], [12, 6, 6, 3])
    assert by_A == [1.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 2.0, 3.0, 0.0, 0.0, 3.0]
    assert by_x == [0.0] * 6
    assert (of_sum, nothing) == ([2.0] * 6, [0.0] * 3)


HINT = "numbers, vectors and matrices of float64; what is no argument of CasADi's can be built in, lambda x: f(x, 3)"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: fs.casadi_external(lambda x, n: x * n, name="f", example=(1.0, 3)),
            f"argument n is an integer, which CasADi has not\n  hint: {HINT}",
        ),
        (
            lambda: fs.casadi_external(lambda x: len(x), name="f", example=(np.ones(2),)),
            f"the result is an integer, which CasADi has not\n  hint: {HINT}",
        ),
        (
            lambda: fs.casadi_external(lambda x: (x, x[:1] > 0.0), name="f", example=(np.ones(2),)),
            f"result 1 is a 1-dimensional array of truth values, which CasADi has not\n  hint: {HINT}",
        ),
        (
            lambda: fs.casadi_external(lambda x: np.sum(x), name="f", example=(np.ones((2, 2, 2)),)),
            f"argument x is a 3-dimensional array of numbers, which CasADi has not\n  hint: {HINT}",
        ),
        (
            lambda: fs.casadi_external(rosenbrock, example=(np.ones(3),), name="my__f"),
            "'my__f' is no name of a function in CasADi\n"
            "  hint: letters and digits with single _ between them, name='v2'; no word of C, null, jac or hess",
        ),
        (
            lambda: fs.casadi_external(rosenbrock, example=(np.ones(3),), name="const"),
            "'const' is no name of a function in CasADi\n"
            "  hint: letters and digits with single _ between them, name='v2'; no word of C, null, jac or hess",
        ),
        (
            lambda: fs.casadi_external(rosenbrock, example=(np.ones(3),), order=3),
            "order=3\n  hint: how often it can be differentiated, 0, 1 or 2",
        ),
        (
            lambda: fs.casadi_external(fs.vjp(rosenbrock), example=(np.ones(3),)),
            "a vjp gives a function of Python\n  hint: give the function itself: CasADi asks for its derivatives",
        ),
        (
            lambda: fs.casadi_external(lambda x: x[x > 0.0], name="f", example=(np.ones(3),)),
            "how many numbers anonymous gives depends on its arguments\n"
            "  hint: CasADi's matrices have one size: fill the rest with zeros, or weight with 0 what is left out",
        ),
        (
            lambda: fs.casadi_external(lambda: 1.0, name="f", example=()),
            "anonymous has no argument of real numbers, and CasADi needs one",
        ),
    ],
)
def test_mistakes(make, said):
    with pytest.raises(fs.ArgumentError) as error:
        make()
    assert str(error.value) == said


def test_without_casadi(monkeypatch):
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(fs.UnsupportedError) as error:
        fs.casadi_external(rosenbrock, example=(np.ones(3),))
    assert str(error.value) == "CasADi is not installed\n  hint: pip install 'fsmooth[casadi]'"
