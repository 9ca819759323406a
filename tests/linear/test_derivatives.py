"""∇ by its four definitions, eliminated by rules and not, against dual numbers (paper 001, Fig. 6–8, Fig. 12–15)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import numpy as np
import pytest

from fsmooth.core import primitives as p
from fsmooth.core.evaluate import evaluate
from fsmooth.core.term import App, Const, IFold, Lam, Let, MakeTuple, MapTerm, Prim, Proj, Term, Var, Zero
from fsmooth.core.term.linear_maps import Apply, HCat, ScaleMap
from fsmooth.core.traverse import size_of_tree, subterms
from fsmooth.core.types import F32, F64, INT, Array, Tuple, Type, has_float
from fsmooth.differentiate.derivatives import NoDerivative
from fsmooth.differentiate.linear.functions import (
    by_composition,
    by_polymorphic_tupling,
    by_substitution,
    by_tupling,
    forward,
    forward_with_value,
    map_part,
    polymorphic,
    reverse,
    reverse_with_value,
    transposed,
)
from fsmooth.frontend.text import parse
from fsmooth.library import parse as parse_with_library
from fsmooth.optimise.linear_maps import ELIMINATE
from fsmooth.optimise.schedules import DEFAULT
from tests.accuracy.directions import directed
from tests.accuracy.judge import bounded, numbers, run, within
from tests.accuracy.slopes import by_complex_step, by_duals
from tests.strategies import FLOATS, random_program

Jacobian = Callable[[Lam, tuple[int, ...]], Lam]
DEFINITIONS: list[Jacobian] = [
    by_composition,
    by_substitution,
    lambda function, wrt: map_part(by_tupling(function, wrt)),
    lambda function, wrt: map_part(by_polymorphic_tupling(function, wrt)),
]
NAMES = ["composition", "substitution", "tupling", "polymorphic tupling"]
every_definition = pytest.mark.parametrize("jacobian", DEFINITIONS, ids=NAMES)
TOLERANCE = 1e-10


def eliminated(function: Lam) -> Lam:
    """Without linear maps."""
    result = ELIMINATE(function)
    assert isinstance(result, Lam)
    assert not [t for t in subterms(result) if isinstance(t, MapTerm)]
    return result


def floats(function: Lam) -> tuple[int, ...]:
    """The positions of the parameters that have tangents."""
    return tuple([k for k, q in enumerate(function.parameters) if has_float(q.type)])


def check_reverse(function: Lam, arguments: list[object], jacobian: Jacobian, *, raw: bool = True) -> bool:
    """rev$f of a function to a number, with respect to all that is real; False if rounding leaves it in doubt."""
    wrt = floats(function)
    exact = by_duals(function, arguments, wrt)
    derivative = reverse(jacobian(function, wrt))
    sure = exact.is_sure
    for made in (eliminated(derivative), *([derivative] if raw else [])):
        own = bounded(made, [*arguments, 1.0])
        sure = sure and own.is_sure
        if sure:
            assert within(own.value, exact.value, own.bound + exact.bound, TOLERANCE)
    return sure


# -- random programs ---------------------------------------------------------------------------------------------------


@every_definition
@pytest.mark.parametrize("seeds", [range(k, k + 20) for k in (0, 20, 40)], ids=lambda s: f"from {s[0]}")
def test_gradients_of_random_programs(jacobian: Jacobian, seeds: range) -> None:
    sure = 0
    for seed in seeds:
        program, arguments = random_program(seed, depth=3)
        sure += check_reverse(program, arguments, jacobian, raw=jacobian is by_composition)
    assert sure >= len(seeds) // 2


@every_definition
@pytest.mark.parametrize("type_", [F64, Array(F64), Tuple((F64, Array(F64)))], ids=repr)
def test_directional_derivatives_of_random_programs(jacobian: Jacobian, type_: Type) -> None:
    """fwd$f, for results of any type."""
    sure = 0
    for seed in range(100, 112):
        program, arguments = random_program(seed, depth=3, result=type_)
        given = directed(program, arguments, seed)
        if not given.exact.is_sure:
            continue
        derivative = forward(jacobian(program, FLOATS))
        own = derivative.parameters
        both = Lam(own, MakeTuple((substituted(program, own), derivative.body)))
        result = bounded(eliminated(both), [*arguments, tuple(given.arguments[len(arguments) :])])
        if result.is_sure:
            assert within(result.value, given.exact.value, result.bound + given.exact.bound, TOLERANCE)
            sure += 1
    assert sure >= 5


def substituted(program: Lam, parameters: tuple[Var, ...]) -> Term:
    """The body of a program in terms of other parameters."""
    return Let(tuple(zip(program.parameters, parameters[: len(program.parameters)], strict=True)), program.body)


@every_definition
@pytest.mark.parametrize("type_", [Array(F64), Tuple((F64, Array(F64)))], ids=repr)
def test_reverse_is_the_transpose_of_forward(jacobian: Jacobian, type_: Type) -> None:
    """(RP): (r ⊙ᴿ ∂f) · dx = r · (∂f ⊙ dx), for results that are no numbers; and ∂ᴿf is the transpose."""
    checked = 0
    for seed in range(200, 212):
        program, arguments = random_program(seed, depth=3, result=type_)
        full = jacobian(program, FLOATS)
        there, back = eliminated(forward(full)), eliminated(reverse(full))
        rng = random.Random(seed)
        dx = tuple([perturbed(arguments[k], rng) for k in FLOATS])
        moved = run(there, [*arguments, dx])
        dr = perturbed_value(moved, rng)
        pulled = run(back, [*arguments, plain(dr)])
        turned = run(eliminated(forward(transposed(full))), [*arguments, plain(dr)])
        left = numbers(pulled, back.body.type) @ flat(dx)
        right = numbers(dr, there.body.type) @ numbers(moved, there.body.type)
        if np.isfinite(left) and np.isfinite(right):
            np.testing.assert_allclose(left, right, rtol=1e-7, atol=1e-7)
            assert np.array_equal(numbers(turned, back.body.type), numbers(pulled, back.body.type), equal_nan=True), (
                f"seed {seed}"
            )
            checked += 1
    assert checked >= 8


def perturbed(argument: object, rng: random.Random) -> object:
    """A direction in which an argument can move."""
    match argument:
        case tuple():
            return tuple([perturbed(x, rng) for x in argument])
        case np.ndarray():
            return np.array([rng.gauss(0.0, 1.0) for _ in range(argument.size)]).reshape(argument.shape)
        case int():
            return ()
        case _:
            return rng.gauss(0.0, 1.0)


def perturbed_value(value: object, rng: random.Random) -> object:
    from tests.accuracy.judge import changed

    return changed(value, lambda x: rng.gauss(0.0, 1.0) if isinstance(x, float) else x)


def plain(value: object) -> object:
    """As `run` takes arguments."""
    items = getattr(value, "items", None)
    if items is not None and not isinstance(value, dict):
        return np.array([plain(x) for x in items]).reshape(value.shape)  # type: ignore[attr-defined]
    return tuple([plain(x) for x in value]) if isinstance(value, tuple) else value


def flat(value: object) -> np.ndarray:
    if isinstance(value, tuple):
        return np.concatenate([flat(x) for x in value]) if value else np.zeros(0)
    return np.ravel(value)


# -- every construct ---------------------------------------------------------------------------------------------------

V = np.array([0.5, -1.5, 2.0])
W = np.array([0.25, 0.0, -0.75])
A = np.array([[1.0, 0.0, 3.0], [-1.0, 2.5, 0.5]])
PROGRAMS: dict[str, tuple[str, list[object]]] = {
    "arithmetic": ("fun (x : Float) (y : Float) -> x * y / (x + y) - -x", [1.5, 2.0]),
    "a path": ("fun (v : Vector) -> v[1]", [V]),
    "the argument itself": ("fun (x : Float) -> x", [1.5]),
    "a constant": ("fun (x : Float) -> 2.0", [1.5]),
    "definitions": ("fun (x : Float) -> let a = x * x in let b = a * x in let a = b + a in a * b", [1.5]),
    "a branch": ("fun (x : Float) (y : Float) -> if x < y then x * x else y * x", [1.5, 2.0]),
    "the other branch": ("fun (x : Float) (y : Float) -> if y < x then x * x else 3.0", [1.5, 2.0]),
    "tuples": ("fun (p : (Float, (Vector, Int))) -> let q = (p.1.0[0] * p.0, p) in q.0 * q.1.0 + q.1.1.0[2]", [(2.0, (V, 1))]),
    "records": ("fun (r : {a: Float, b: Vector}) -> let s = {c = r.a * r.a, d = r} in s.c * s.d.b[1]", [(3.0, V)]),
    "build": ("fun (v : Vector) -> sum (length v) (fun i -> (build (length v) (fun j -> v[j] * v[i]))[i])", [V]),
    "nested arrays": ("fun (A : Matrix) -> sum (length A) (fun i -> sum (length A 1) (fun j -> A[i][j] * A[0][j]))", [A]),
    "sum of arrays": ("fun (A : Matrix) -> (sum (length A) (fun i -> build (length A 1) (fun j -> A[i][j] * A[i][0])))[1]", [A]),
    "sum of tuples": ("fun (v : Vector) -> (sum (length v) (fun i -> (v[i], v[i] * v[0]))).1", [V]),
    "an empty sum": ("fun (v : Vector) (x : Float) -> x * x + sum (length v) (fun i -> v[i] * x)", [np.zeros(0), 2.0]),
    "product": ("fun (v : Vector) -> product (length v) (fun i -> v[i] * v[i] + 1.0)", [V]),
    "product with a zero": ("fun (v : Vector) -> product (length v) (fun i -> v[i])", [W]),
    "product with two zeros": ("fun (v : Vector) -> product (length v) (fun i -> v[i])", [np.array([0.0, 2.0, 0.0])]),
    "an empty product": ("fun (v : Vector) -> product (length v) (fun i -> v[i])", [np.zeros(0)]),
    "max": ("fun (v : Vector) (x : Float) -> max (length v) (fun i -> v[i] * x)", [V, 1.5]),
    "min": ("fun (v : Vector) (x : Float) -> min (length v) (fun i -> v[i] * x)", [V, 1.5]),
    "gather": ("fun (v : Vector) (n : Int) -> v[(n * 5) % length v] * v[check n (length v)]", [V, 2]),
    "an index from a number": ("fun (v : Vector) (x : Float) -> v[to_int x] * x", [V, 1.25]),
    "delta": ("fun (v : Vector) (n : Int) -> let d = delta 3 n (v[0] * v[1]) in d[n] * d[0] + v[2] * d[2]", [V, 2]),
    "delta of rows": ("fun (v : Vector) -> (delta 2 1 v)[1][2]", [V]),
    "update": ("fun (v : Vector) (x : Float) (n : Int) -> let u = update v n (x * v[n]) in sum (length u) (fun i -> u[i] * u[0])", [V, 2.0, 1]),
    "update of a row": ("fun (A : Matrix) (v : Vector) -> let B = update A 1 v in sum 2 (fun i -> B[i][2] * B[i][0])", [A, V]),
    "display": ("fun (x : Float) (n : Int) -> [x, x * x, 2.0][n] * x", [1.5, 1]),
    "display of rows": ("fun (v : Vector) (n : Int) -> [v, build 3 (fun i -> v[0] * v[i])][n][1]", [V, 1]),
    "plus": ("fun (v : Vector) -> (plus v (build (length v) (fun i -> v[i] * v[0])) v)[1]", [V]),
    "a filtered comprehension": ("fun (v : Vector) (x : Float) -> let f = collect (sum (length v) (fun i -> if 0.0 < v[i] then 1 else 0)) [i in length v] (0.0 < v[i]) (v[i] * x) in sum (length f) (fun k -> f[k] * f[0])", [V, 2.0]),
    "filters in filters": ("fun (v : Vector) -> let f = collect (sum 3 (fun i -> sum 3 (fun j -> if v[j] + 0.1 < v[i] then 1 else 0))) [i in 3, j in 3] (v[j] + 0.1 < v[i]) (v[i] * v[j]) in sum (length f) (fun k -> f[k] * to_float (k + 1))", [V]),
    "a requirement": ("fun (x : Float) -> require x < 2.0 in x * x", [1.5]),
    "fold of a number": ("fun (v : Vector) (x : Float) -> ifold (fun s i -> s * v[i] + x) x (length v)", [V, 1.5]),
    "fold of a tuple": ("fun (v : Vector) (x : Float) -> let s = ifold (fun s i -> (s.0 * v[i], s.1 + s.0, s.2 + 1)) (x, 0.5, 0) (length v) in s.0 * s.1", [V, 1.5]),
    "fold of an array": ("fun (v : Vector) (x : Float) -> (ifold (fun s i -> build 3 (fun j -> s[j] * s[(j + 1) % 3] + x * v[i])) v 3)[1]", [V, 1.5]),
    "fold by updates": ("fun (v : Vector) (x : Float) -> (ifold (fun s i -> update s (i + 1) (s[i] * x)) v 2)[2]", [V, 1.5]),
    "a fold of no steps": ("fun (x : Float) (n : Int) -> ifold (fun s i -> s * s) (x * x) n", [1.5, 0]),
    "fold in fold": ("fun (v : Vector) (x : Float) -> ifold (fun s i -> ifold (fun t j -> sin (t * v[j] + s)) s i) x 3", [V, 0.5]),
    "a loop while a condition holds": ("fun (x : Float) (v : Vector) -> while (fun s -> s < 10.0) (fun s -> s * x + v[0]) x", [1.5, V]),
    "while, with a tuple": ("fun (x : Float) -> let s = while (fun s -> s.1 < 20.0) (fun s -> (s.0 * x, s.1 * x + s.0)) (x, 1.0) in s.0 * s.1", [1.5]),
    "a loop that does not begin": ("fun (x : Float) -> while (fun s -> s < 0.0) (fun s -> s * s) (x * x)", [1.5]),
    "a fold that ignores its state": ("fun (v : Vector) -> ifold (fun s i -> v[i] * v[i]) 1.0 (length v)", [V]),
    "a call": ("fun (x : Float) (y : Float) -> (fun (a : Float) (b : Float) -> let c = a * b in c * a) (x * y) y * x", [1.5, 2.0]),
    "a call that mentions what varies": ("fun (x : Float) (y : Float) -> (fun (a : Float) -> a * a * y) (x * y)", [1.5, 2.0]),
    "a call without arguments": ("fun (x : Float) -> (fun () -> x * x) () * x", [1.5]),
    "integers pass through": ("fun (x : Float) (n : Int) -> let m = n + to_int x in x * to_float m", [1.5, 3]),
    "loops in branches": ("fun (v : Vector) (x : Float) -> if 0.0 < x then sum 3 (fun i -> v[i] * x) else ifold (fun s i -> s * v[i]) x 3", [V, -1.5]),
    "a shared subterm": ("fun (x : Float) -> let f = sin x in (f * f) * (f + cos f)", [0.5]),
}  # fmt: skip


@every_definition
@pytest.mark.parametrize("name", PROGRAMS)
def test_construct(jacobian: Jacobian, name: str) -> None:
    text, arguments = PROGRAMS[name]
    function = parse(text)
    assert isinstance(function, Lam)
    assert check_reverse(
        function, arguments, jacobian, raw=all(np.size(a) for a in arguments if isinstance(a, np.ndarray))
    )


@every_definition
def test_ties(jacobian: Jacobian) -> None:
    """The first extremum takes the derivative."""
    function = parse("fun (v : Vector) -> max (length v) (fun i -> v[i]) + min (length v) (fun i -> v[i])")
    assert isinstance(function, Lam)
    made = eliminated(reverse(jacobian(function, (0,))))
    result = run(made, [np.array([1.0, 3.0, 3.0, 1.0]), 1.0])
    assert numbers(result, Array(F64)).tolist() == [1.0, 1.0, 0.0, 0.0]


ONE = (
    "sqrt sin cos tan asin acos atan sinh cosh tanh exp expm1 log log1p erf lgamma digamma sigmoid abs sign floor ceil"
).split()
TWO = ["atan2", "hypot", "fmod", "minimum", "maximum"]


@pytest.mark.parametrize("name", ONE)
def test_primitive_of_one(name: str) -> None:
    function = parse(f"fun (x : Float) -> {name} (x * x)")
    assert isinstance(function, Lam)
    assert check_reverse(function, [0.75], by_composition)


@pytest.mark.parametrize(
    "text", [*[f"{name} x (y * x)" for name in TWO], "x ** (y * x)", "x ** 3.0", "2.0 ** y", "x / y"]
)
def test_primitive_of_two(text: str) -> None:
    function = parse(f"fun (x : Float) (y : Float) -> {text} + x * y")
    assert isinstance(function, Lam)
    assert check_reverse(function, [2.5, 0.75], by_composition)
    if "minimum" not in text and "maximum" not in text and "fmod" not in text:
        found = numbers(run(eliminated(reverse(by_composition(function, (0, 1)))), [2.5, 0.75, 1.0]), Tuple((F64, F64)))
        np.testing.assert_allclose(found, by_complex_step(function, [2.5, 0.75], (0, 1)), rtol=1e-12)


def test_single_precision() -> None:
    """Slopes and points have the width of the numbers."""
    function = parse("fun (v : Array<Float32>) (x : Float32) -> sum (length v) (fun i -> sin (v[i] * x) / (x + 2.0f))")
    assert isinstance(function, Lam)
    made = eliminated(reverse(by_composition(function, (0, 1))))
    assert made.body.type == Tuple((Array(F32), F32))
    found = numbers(run(made, [np.array([0.5, 1.5]), 0.75, 1.0]), made.body.type)
    double = parse("fun (v : Vector) (x : Float) -> sum (length v) (fun i -> sin (v[i] * x) / (x + 2.0))")
    assert isinstance(double, Lam)
    np.testing.assert_allclose(found, by_complex_step(double, [np.array([0.5, 1.5]), 0.75], (0, 1)), rtol=1e-5)


def test_choice_of_numbers() -> None:
    function = parse("fun (x : Float) (y : Float) -> select (x < y) (x * y) (x + y)")
    assert isinstance(function, Lam)
    assert check_reverse(function, [0.5, 1.5], by_composition)


def test_values_come_with_derivatives() -> None:
    """fwd$f and rev$f of the tupled forms give the value too (Fig. 7, Fig. 8)."""
    function = parse("fun (x : Float) (y : Float) -> let z = x * y in z * z * x")
    assert isinstance(function, Lam)
    for jacobian in (by_tupling, by_polymorphic_tupling):
        both = eliminated(forward_with_value(jacobian(function, (0, 1))))
        assert run(both, [2.0, 3.0, (1.0, 0.5)]) == (72.0, 3 * 4 * 9 * 1.0 + 2 * 8 * 3 * 0.5)
        both = eliminated(reverse_with_value(jacobian(function, (0, 1))))
        assert run(both, [2.0, 3.0, 2.0]) == (72.0, (216.0, 96.0))


def test_crucial_property() -> None:
    """(CP): ∂̄f(x, m) ⊙ dx = fwd$f(x, m ⊙ dx), for a map m from any space (§5.3)."""
    function = parse("fun (x : Float) (v : Vector) -> (fun (y : Float) -> y * x * v[0]) (sin x)")
    assert isinstance(function, Lam)
    dx, pair_ = Var("dx", Tuple((F64, F64))), Var("x", F64)
    m = HCat((ScaleMap(Prim(p.multiply, (pair_, pair_))), ScaleMap(Const(3.0))))
    v = Var("v", Array(F64))
    taken = polymorphic(function, (0,), MakeTuple((Zero(()), Zero(()))))
    left = Apply(Proj(App(taken, (MakeTuple((pair_, m)), v)), 1), dx)
    right = App(forward_with_value(by_polymorphic_tupling(function, (0,))), (pair_, v, Apply(m, dx)))
    arguments = [0.75, V, (0.5, -2.0)]
    found = run(eliminated(Lam((pair_, v, dx), left)), arguments)
    assert found == pytest.approx(run(eliminated(Lam((pair_, v, dx), right)), arguments)[1], rel=1e-14)


def test_what_comes_out_can_be_optimised() -> None:
    function = parse_with_library("fun (u : Vector) (v : Vector) -> vectorDot u v")
    assert isinstance(function, Lam)
    gradient = DEFAULT(eliminated(reverse(by_composition(function, (0,)))))
    assert isinstance(gradient, Lam)
    result = run(gradient, [V, W, 2.0])
    assert numbers(result, Array(F64)).tolist() == (2.0 * W).tolist()
    assert not [t for t in subterms(gradient) if isinstance(t, IFold)]


# -- refusals ----------------------------------------------------------------------------------------------------------


@every_definition
def test_a_function_from_outside_has_no_derivative(jacobian: Jacobian) -> None:
    function = parse("fun (f : Float => Float) (x : Float) -> f x * x")
    assert isinstance(function, Lam)
    with pytest.raises(NoDerivative, match="no derivative of App"):
        jacobian(function, (1,))


def test_widths_are_not_mixed() -> None:
    x = Var("x", F32)
    function = Lam((x,), Prim(p.to_float, (x,)))
    with pytest.raises(NoDerivative, match="linear maps between real numbers of different widths"):
        by_composition(function, (0,))


# -- sharing -----------------------------------------------------------------------------------------------------------


def chain(n: int) -> Lam:
    """x₁ = x₀ + x₀, x₂ = x₁ + x₁, …"""
    x = Var("x", F64)
    last, bindings = x, list[tuple[Var, Term]]()
    for k in range(n):
        var = Var(f"x{k + 1}", F64)
        bindings.append((var, Prim(p.add, (last, last))))
        last = var
    return Lam((x,), Let(tuple(bindings), last))


@pytest.mark.parametrize("direction", [forward, reverse])
def test_sixty_doublings(direction: Callable[[Lam], Lam]) -> None:
    """A let is a composition: each definition is differentiated, and applied, once."""
    sizes = [size_of_tree(eliminated(direction(by_composition(chain(n), (0,))))) for n in (30, 60)]
    assert sizes[1] <= 2 * sizes[0]
    made = eliminated(direction(by_composition(chain(60), (0,))))
    assert evaluate(made.body, dict.fromkeys(made.parameters, 1.0)) == 2.0**60


@pytest.mark.parametrize("direction", [forward, reverse])
def test_thousands_of_definitions(direction: Callable[[Lam], Lam]) -> None:
    """Time and size grow with the program, and nothing is as deep as the program is long."""
    times, sizes = [], []
    for n in (500, 4000):
        start = time.process_time()
        sizes.append(size_of_tree(eliminated(direction(by_composition(chain(n), (0,))))))
        times.append(time.process_time() - start)
    assert sizes[1] <= 8.1 * sizes[0]
    assert times[1] <= 20 * times[0]


def test_substitution_is_exponential() -> None:
    """Why Fig. 6 as it is written is no way to compile (docs/decisions/0006)."""
    sizes = [size_of_tree(eliminated(reverse(by_substitution(chain(n), (0,))))) for n in (5, 10)]
    assert sizes[1] > 16 * sizes[0]


def test_an_operand_is_differentiated_once() -> None:
    """Operands have names, so nested calls do not repeat each other (paper 001, §5.1)."""
    x = Var("x", F64)

    def nested(depth: int) -> Lam:
        term: Term = x
        for _ in range(depth):
            term = Prim(p.sin, (Prim(p.multiply, (term, x)),))
        return Lam((x,), term)

    sizes = [size_of_tree(eliminated(reverse(by_composition(nested(n), (0,))))) for n in (10, 20, 40)]
    assert sizes[2] - sizes[1] <= 2.2 * (sizes[1] - sizes[0])


def test_shared_objects_are_named_once() -> None:
    x = Var("x", F64)
    term: Term = x
    for _ in range(40):
        term = Prim(p.add, (term, term))
    made = eliminated(reverse(by_composition(Lam((x,), term), (0,))))
    assert evaluate(made.body, dict.fromkeys(made.parameters, 1.0)) == 2.0**40


def test_integers_have_no_cotangent() -> None:
    function = parse("fun (p : (Float, Int)) -> p.0 * p.0 * to_float p.1")
    assert isinstance(function, Lam)
    made = eliminated(reverse(by_composition(function, (0,))))
    assert made.body.type == Tuple((F64, Tuple(())))
    assert run(made, [(2.0, 3), 1.0]) == (12.0, ())
    assert INT not in [q.type for q in made.parameters[1:]]
