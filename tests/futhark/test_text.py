"""What users see: the text of a function, the names in it, and what Futhark has no word for."""

import math
from pathlib import Path

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.backend.futhark.clauses import CLAUSES
from fsmooth.backend.futhark.entry import futhark
from fsmooth.backend.futhark.names import RESERVED
from fsmooth.backend.futhark.spelling import spelled
from fsmooth.cli import main
from fsmooth.core import build as b
from fsmooth.core import primitives as p
from fsmooth.core.term import App, Build, Const, Get, If, Lam, Length, Let, MakeTuple, MapTerm, Proj, Var
from fsmooth.core.types import BOOL, F64, INT, Array, Function, Tuple
from fsmooth.errors import UnsupportedError
from tests.futhark.harness import Read, agree


def test_a_gradient() -> None:
    def loss(u: fs.Array["n"], v: fs.Array["n"]):  # noqa: F821
        return sum((u[i] - v[i]) ** 2 for i in range(len(u)))

    text = fs.grad(loss).futhark(np.ones(3), np.ones(3))
    assert text == (
        "entry grad_loss [n] (u: [n]f64) (v: [n]f64): [n]f64 =\n"
        "  #[unsafe]\n"
        "  tabulate n (\\i ->\n"
        "     let x = u[i] - v[i]\n"
        "     in x + x)\n"
    )


def test_names_that_futhark_reserves() -> None:
    def entry(let: float, map: float, σ: float, f64: float):
        return let * map + σ * f64

    text = fs.function(entry).futhark(1.0, 2.0, 3.0, 4.0)
    assert text.splitlines()[0] == "entry entry_1 (let_1: f64) (map_1: f64) (u3c3: f64) (f64_1: f64): f64 ="
    assert Read(text).run([np.float64(x) for x in (1.0, 2.0, 3.0, 4.0)]) == [14.0]


def test_equal_sizes_have_one_name_and_others_do_not() -> None:
    def product(A: fs.Array["n", "k"], B: fs.Array["k", "m"]):  # noqa: F821
        return A @ B

    text = fs.function(product).futhark(np.ones((2, 3)), np.ones((3, 4)))
    assert "(A: [n][m]f64) (B: [m][k]f64): [n][k]f64" in text
    A, B = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    agree(Read(text).run([A, B]), [A @ B], 1e-12)


def test_sizes_that_are_built_in() -> None:
    def norm(x: fs.Array[3]):
        return math.sqrt(sum(x[i] ** 2 for i in range(3)))

    text = fs.function(norm).futhark(np.ones(3))
    assert "(x: [3]f64): f64" in text


def test_records_are_flat() -> None:
    def scaled(r, v):
        return {"sum": r["a"] * sum(v), "both": (v, r["b"] + 1)}

    given = {"a": 2.0, "b": 3}, np.array([1.0, 3.0])
    text = fs.function(scaled).futhark(*given)
    assert text.splitlines()[0] == "entry scaled [n] (r_a: f64) (r_b: i64) (v: [n]f64): (f64, [n]f64, i64) ="
    found = Read(text).run([np.float64(2.0), np.int64(3), given[1]])
    agree(found, [8.0, given[1], 4], 0.0)


def test_arrays_of_tuples_are_several_arrays_of_one_size() -> None:
    pairs = Var("pairs", Array(Tuple((F64, Array(INT)))))
    i = Var("i", INT)
    swapped = Build(Length(pairs), i, MakeTuple((Proj(Get(pairs, i), 1), Proj(Get(pairs, i), 0))))
    text = futhark(Lam((pairs,), swapped), "swap")
    assert text.splitlines()[0] == "entry swap [n] [m] (pairs_0: [n]f64) (pairs_1: [n][m]i64): ([n][m]i64, [n]f64) ="
    x, k = np.array([0.5, 1.5]), np.array([[1, 2, 3], [4, 5, 6]])
    agree(Read(text).run([x, k]), [k, x], 0.0)


def test_single_precision() -> None:
    def scaled(v: fs.Array["n"], x: float):  # noqa: F821
        return [fs.sin(e) * x for e in v]

    text = fs.function(scaled).futhark(np.ones(2, np.float32), np.float32(0.5))
    assert "(v: [n]f32) (x: f32): [n]f32" in text
    given = [np.array([0.5, 0.25], np.float32), np.float32(0.5)]
    agree(Read(text).run(given), [np.sin(given[0]) * given[1]], 1e-6)


def test_a_state_is_changed_in_place_but_arguments_are_not() -> None:
    def running(v: fs.Array["n"]):  # noqa: F821
        s = v.copy()
        for i in range(1, len(s)):
            s[i] = s[i] + s[i - 1]
        return s

    text = fs.function(running).futhark(np.ones(3))
    assert text.count("copy") == 1
    assert " with [" in text
    agree(Read(text).run([np.array([1.0, 2.0, 4.0])]), [np.array([1.0, 3.0, 7.0])], 0.0)


def test_a_variable_that_is_bound_twice_is_the_nearest() -> None:
    x, y, f = Var("x", F64), Var("y", F64), Var("f", Function((F64,), F64))
    one, two = Const(1.0), Const(2.0)
    inner = Let(((x, b.prim(p.add, x, one)),), b.prim(p.multiply, x, x))
    text = futhark(Lam((x,), b.prim(p.subtract, inner, x)), "program")
    assert Read(text).run([np.float64(3.0)]) == [13.0]
    outer = Lam((y,), b.prim(p.multiply, x, y))
    called = Let(((f, outer), (x, two)), App(f, (b.prim(p.add, x, one),)))
    text = futhark(Lam((x,), b.prim(p.add, called, x)), "program")
    assert Read(text).run([np.float64(5.0)]) == [20.0]


def test_recursion_is_refused_at_its_line() -> None:
    def fibonacci(n: int, x: float) -> float:
        return x if n < 2 else fibonacci(n - 1, x) * fibonacci(n - 2, x)

    with pytest.raises(UnsupportedError) as caught:
        fs.function(fibonacci).futhark(3, 2.0)
    text = str(caught.value)
    assert text.startswith("Futhark has no word for a function that calls itself\n  File ")
    assert "    def fibonacci(n: int, x: float) -> float:" in text
    assert text.endswith("  hint: call the function itself: it is compiled to C")


def test_functions_that_the_data_choose_are_refused() -> None:
    x, c = Var("x", F64), Var("c", BOOL)
    y, z = Var("y", F64), Var("z", F64)
    chosen = If(c, Lam((y,), b.prim(p.sin, y)), Lam((z,), b.prim(p.cos, z)))
    with pytest.raises(UnsupportedError, match="no word for a function as a value that depends on the data"):
        futhark(Lam((c, x), App(chosen, (x,))), "program")


def test_every_construct_has_a_clause_or_is_refused() -> None:
    """What is neither is refused by the name of its constructor, which no user should read."""
    from fsmooth.backend.futhark.writer import _REFUSED
    from fsmooth.core.term import AnyTerm

    kinds = AnyTerm.__args__
    missing = [k.__name__ for k in kinds if k not in CLAUSES and k.__name__ not in _REFUSED and k is not MapTerm]
    assert missing == ["Deriv"]  # removed before


@pytest.mark.parametrize("name", p.TABLE)
def test_every_primitive_is_spelled(name: str) -> None:
    primitive = p.TABLE[name]
    for type_ in (F64, INT, BOOL):
        types = (BOOL, type_, type_) if primitive.arity == 3 else (type_,) * primitive.arity
        if primitive.signature(types) is not None:
            arguments = tuple([Var(f"x{k}", t) for k, t in enumerate(types)])
            from fsmooth.backend.futhark.code import ATOM, Code

            codes = [Code(v.name, ATOM) for v in arguments]
            assert spelled(primitive, arguments, codes, lambda helper: helper) is not None


def test_reserved_words_are_those_of_the_reader() -> None:
    from tests.futhark.reader.parsing import RESERVED as WORDS

    assert WORDS <= RESERVED


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "program.py"
    file.write_text("def f(v):\n    return sum(x * x for x in v)\n")
    assert main(["emit", f"{file}:f", "--stage", "futhark"]) == 0
    assert (
        capsys.readouterr().out
        == "entry f [n] (v: [n]f64): f64 =\n  #[unsafe]\n  f64.sum (tabulate n (\\x -> v[x] * v[x]))\n"
    )
