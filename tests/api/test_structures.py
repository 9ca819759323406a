"""Dictionaries, lists of unlike parts, texts and registered classes, as arguments, results and parameters of derivatives."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.entries import Entry
from fsmooth.runtime.arrays import infer_type

rng = np.random.default_rng(5)


def network():
    layers = [(rng.normal(size=(4, 5)), rng.normal(size=5)), (rng.normal(size=(5, 2)), rng.normal(size=2))]
    return {"w1": rng.normal(size=(3, 4)), "b1": rng.normal(size=4), "layers": layers, "name": "mlp", "seed": None}


def loss(params, x, y):
    h = np.tanh(x @ params["w1"] + params["b1"])
    for w, b in params["layers"]:
        h = h @ w + b
    return np.mean((h - y) ** 2)


def leaves(value):
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves(part)]
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in leaves(part)]
    return [] if value is None or isinstance(value, str) else [value]


def gradient(f, arrays):
    """Differences of second order by each number of the arrays, which are changed in place."""
    result = []
    for array in arrays:
        slopes = np.zeros_like(array)
        for place in np.ndindex(array.shape):
            old = array[place]
            ends = []
            for step in (1e-6, -1e-6):
                array[place] = old + step
                ends.append(f())
            array[place] = old
            slopes[place] = (ends[0] - ends[1]) / 2e-6
        result.append(slopes)
    return result


def compilations(monkeypatch):
    made = []
    of_old = Entry.__init__

    def init(self, *args):
        made.append(args)
        of_old(self, *args)

    monkeypatch.setattr(Entry, "__init__", init)
    return made


@pytest.mark.parametrize("method", ["forward", "reverse"])
def test_gradients_have_the_structure_of_the_parameters(method) -> None:
    params, x, y = network(), rng.normal(size=(6, 3)), rng.normal(size=(6, 2))
    make = fs.value_and_grad(loss, method=method)
    for _ in range(2):  # by the slow path, then by the fast one
        value, g = make(params, x, y)
        assert value == pytest.approx(loss(params, x, y), rel=1e-13)
        assert list(g) == list(params)
        assert (g["name"], g["seed"]) == ("mlp", None)
        assert type(g["layers"]) is list
        assert [type(part) for part in g["layers"]] == [tuple, tuple]
        wanted = gradient(lambda: loss(params, x, y), leaves(params))
        for found, right in zip(leaves(g), wanted, strict=True):
            np.testing.assert_allclose(found, right, atol=1e-7)


def test_tangents_and_cotangents_have_it_too() -> None:
    params, x, y = network(), rng.normal(size=(6, 3)), rng.normal(size=(6, 2))
    tangent = network()
    g = fs.grad(loss)(params, x, y)
    value, along = fs.jvp(loss)(params, x, y, tangent=tangent)
    along_right = sum([np.sum(a * b) for a, b in zip(leaves(g), leaves(tangent), strict=True)])
    assert value == pytest.approx(loss(params, x, y), rel=1e-13)
    assert along == pytest.approx(along_right, rel=1e-10)
    other_order = dict(reversed(tangent.items()))
    assert fs.jvp(loss)(params, x, y, tangent=other_order)[1] == pytest.approx(along, rel=1e-13)
    _, pullback = fs.vjp(loss)(params, x, y)
    for _ in range(2):
        for a, b in zip(leaves(pullback(2.0)), leaves(g), strict=True):
            np.testing.assert_allclose(a, 2 * b, atol=1e-12)


def scaled(p):
    return {"sum": np.sum(p["a"]) * p["b"], "rest": [p["a"] * p["b"], {"b": p["b"] ** 2}], "text": "same"}


def test_results_are_what_the_program_builds() -> None:
    a = np.array([1.0, 2.0, 3.0])
    f = fs.function(scaled)
    for _ in range(2):
        found = f({"a": a, "b": 2.0})
        assert list(found) == ["sum", "rest", "text"]
        assert (found["sum"], found["rest"][1], found["text"]) == (12.0, {"b": 4.0}, "same")
        np.testing.assert_array_equal(found["rest"][0], 2 * a)
    out = f({"a": a, "b": 3.0})
    again = f({"a": a, "b": 2.0}, out=out)
    assert again["rest"][0] is out["rest"][0]
    np.testing.assert_array_equal(out["rest"][0], 2 * a)


def test_jacobians_and_cotangents_of_dictionaries() -> None:
    a = np.array([1.0, 2.0, 3.0])
    j = fs.jacobian(scaled)({"a": a, "b": 2.0})
    np.testing.assert_allclose(j["sum"]["a"], [2.0, 2.0, 2.0])
    assert j["sum"]["b"] == 6.0
    np.testing.assert_allclose(j["rest"][0]["a"], 2 * np.eye(3))
    np.testing.assert_allclose(j["rest"][1]["b"]["b"], 4.0)
    assert j["text"] == "same"
    value, pullback = fs.vjp(scaled)({"a": a, "b": 2.0})
    assert value["text"] == "same"
    g = pullback({"rest": [np.ones(3), {"b": 1.0}], "text": "same", "sum": 1.0})  # keys in any order
    np.testing.assert_allclose(g["a"], [4.0, 4.0, 4.0])
    assert g["b"] == 6.0 + 6.0 + 4.0
    with pytest.raises(
        fs.ArgumentError, match=r"^cotangent: expected a dictionary with the keys 'sum', 'rest', 'text'"
    ):
        pullback({"sum": 1.0})
    with pytest.raises(fs.ArgumentError, match=r"^cotangent\['rest'\]: expected a list of 2, found"):
        pullback({"sum": 1.0, "rest": 1.0, "text": "same"})


def test_hessians_are_dictionaries_of_dictionaries() -> None:
    p = {"a": np.array([1.0, 2.0]), "b": 3.0}
    h = fs.hessian(lambda p: np.sum(p["a"] ** 2) * p["b"])(p)
    np.testing.assert_allclose(h["a"]["a"], 6 * np.eye(2))
    np.testing.assert_allclose(h["a"]["b"], [2.0, 4.0])
    np.testing.assert_allclose(h["b"]["a"], [2.0, 4.0])
    assert h["b"]["b"] == 0.0
    moved = fs.hvp(lambda p: np.sum(p["a"] ** 2) * p["b"])(p, tangent=p)
    np.testing.assert_allclose(moved["a"], [12.0, 24.0])
    assert moved["b"] == 10.0
    assert bool(fs.check_derivative(lambda p: np.sum(np.sin(p["a"])) * p["b"], {**p, "name": "x"}))


def in_a_program(p):
    total, count = 0.0, len(p)
    for key, value in p.items():
        if key in ("a", "b"):
            total = total + np.sum(value)
    q = {**p, "b": p["b"] * 2.0}
    return {
        "total": total,
        "count": count,
        "twice": {k: 2.0 * v for k, v in q.items()},
        "has": "a" in p,
        "c": p.get("c", 1.5),
    }


def test_dictionaries_are_read_as_in_python() -> None:
    p = {"a": np.array([1.0, 2.0]), "b": 4.0, 3: 0.5}
    found, wanted = fs.function(in_a_program)(p), in_a_program(p)
    assert list(found) == list(wanted)
    assert (found["total"], found["count"], found["has"], found["c"]) == (7.0, 3, True, 1.5)
    assert list(found["twice"]) == ["a", "b", 3]
    np.testing.assert_array_equal(found["twice"]["a"], [2.0, 4.0])
    assert (found["twice"]["b"], found["twice"][3]) == (16.0, 1.0)


def trained(p, x, steps):
    for _ in range(steps):
        g = fs.grad(lambda q: np.sum((x @ q["l"][0][0] + q["l"][0][1]) @ q["l"][1][0]) ** 2)(p)
        layers = [(w - 0.01 * gw, b - 0.01 * gb) for (w, b), (gw, gb) in zip(p["l"], g["l"], strict=True)]
        p = {**p, "l": layers}
    return p


def test_lists_of_unlike_parts_are_lists_in_loops() -> None:
    w, b, v = rng.normal(size=(3, 4)), rng.normal(size=4), rng.normal(size=(4, 1))
    x = rng.normal(size=(5, 3))
    found = fs.function(trained)({"l": [(w, b), (v, 1.0)], "name": "net"}, x, 2)
    for _ in range(2):
        s = np.sum((x @ w + b) @ v)
        gw = 2 * s * np.outer(x.sum(0), v[:, 0])
        gb = 2 * s * len(x) * v[:, 0]
        gv = 2 * s * ((x @ w + b).sum(0))[:, None]
        w, b, v = w - 0.01 * gw, b - 0.01 * gb, v - 0.01 * gv
    assert found["name"] == "net"
    assert found["l"][1][1] == 1.0
    for a, right in ((found["l"][0][0], w), (found["l"][0][1], b), (found["l"][1][0], v)):
        np.testing.assert_allclose(a, right, rtol=1e-10)


def test_a_list_of_which_numpy_makes_an_array_is_one() -> None:
    f = fs.grad(lambda xs: sum([np.sum(x**2) for x in xs]))
    alike, unlike = [np.ones(2), np.zeros(2)], [np.ones(2), np.zeros(3)]
    for _ in range(2):  # the fast path of one must not take the other
        np.testing.assert_array_equal(f(alike), [[2.0, 2.0], [0.0, 0.0]])
        found = f(unlike)
        assert type(found) is list
        np.testing.assert_array_equal(found[0], [2.0, 2.0])
    nested = fs.function(lambda xs: xs)
    for ragged in (
        [(1.0, np.ones(2)), (2.0, np.ones(3))],
        [np.ones(1), np.ones(2)],
        [1.0, None, "a", [np.ones(1), np.ones(2)]],
    ):
        for _ in range(2):
            assert repr(nested(ragged)) == repr(ragged)
    assert repr(nested([[1.0], [2.0, 3.0]])) == repr([np.array([1.0]), np.array([2.0, 3.0])])


@dataclass
class Model:
    name: str
    w: np.ndarray
    act: object = np.tanh
    bias: object = None
    sizes: dict = field(default_factory=dict)

    def __call__(self, x):
        y = self.act(self.w @ x)
        return y if self.bias is None else y + self.bias


class Pair(NamedTuple):
    kind: str
    model: Model


def of_model(m, x):
    y = np.sum(m(x))
    return 2.0 * y if m.name == "double" else y


def test_texts_and_functions_in_records_are_compiled_in(monkeypatch) -> None:
    made = compilations(monkeypatch)
    x, w = np.array([1.0, 2.0]), np.eye(2)
    g = fs.grad(of_model)
    slope = (1 - np.tanh(x) ** 2)[:, None] * x
    m = Model("one", w)
    for _ in range(2):
        found = g(m, x)
        assert (found.name, found.act, found.bias, found.sizes) == ("one", np.tanh, None, {})
        np.testing.assert_allclose(found.w, slope)
    assert len(made) == 1
    np.testing.assert_allclose(g(replace(m, name="double"), x).w, 2 * slope)
    np.testing.assert_allclose(g(replace(m, act=np.sin), x).w, np.cos(x)[:, None] * x)
    assert g(replace(m, bias=1.0), x).bias == 2.0
    assert len(made) == 4
    np.testing.assert_allclose(g(replace(m, name="".join(["o", "ne"])), x).w, slope)
    assert len(made) == 4
    pair = fs.grad(lambda p, x: of_model(p.model, x))(Pair("k", m), x)
    assert (pair.kind, pair.model.name) == ("k", "one")
    np.testing.assert_allclose(pair.model.w, slope)
    new = fs.function(lambda m, x: Model("made", m.w * 2.0, m.act, m.bias, {"a": x}))(m, x)
    assert (new.name, new.act, new.bias) == ("made", np.tanh, None)
    np.testing.assert_allclose(new.sizes["a"], x)


class Line:
    """A class that fsmooth knows only by its registration."""

    def __init__(self, slope, start, power=1) -> None:
        self.slope, self.start, self.power = slope, start, power

    def __call__(self, x):
        return self.slope * x**self.power + self.start

    @property
    def half(self):
        return 0.5 * self.start


class Hidden:
    """Its constructor wants arrays, so that nobody knows which of its attributes are its parts."""

    def __init__(self, *parts) -> None:
        self.parts = [np.asarray(part, float) for part in parts]


def test_registered_classes(monkeypatch) -> None:
    fs.register_pytree_node(Line, lambda a: ((a.slope, a.start), a.power), lambda rest, parts: Line(*parts, power=rest))
    fs.register_pytree_node(Hidden, lambda a: (a.parts, len(a.parts)), lambda rest, parts: Hidden(*parts))
    made = compilations(monkeypatch)
    g = fs.grad(lambda line, x: np.sum(line(x)) + line.half)
    x = np.array([1.0, 2.0])
    for _ in range(2):
        found = g(Line(np.ones(2), 3.0), x)
        assert type(found) is Line
        assert (found.start, found.power) == (2.5, 1)
        np.testing.assert_array_equal(found.slope, x)
    assert len(made) == 1
    np.testing.assert_array_equal(g(Line(np.ones(2), 3.0, power=2), x).slope, x**2)
    assert len(made) == 2
    two = fs.function(lambda d: {"line": d["line"], "h": d["h"]})({"line": Line(1.0, 2.0, 3), "h": Hidden(x)})
    assert (two["line"].slope, two["line"].start, two["line"].power) == (1.0, 2.0, 3)
    np.testing.assert_array_equal(two["h"].parts[0], x)
    with pytest.raises(fs.ArgumentError, match=r"^line: unhashable type: 'list', in what the flatten of Line gives"):
        g(Line(1.0, 2.0, [1]), x)


@fs.register_pytree_node_class
class Decorated:
    def __init__(self, w) -> None:
        self.w = w

    def tree_flatten(self):
        return (self.w,), None

    @classmethod
    def tree_unflatten(cls, rest, parts):
        return cls(*parts)


def test_a_class_can_register_itself() -> None:
    found = fs.grad(lambda d: d.w**2)(Decorated(3.0))
    assert type(found) is Decorated
    assert found.w == 6.0


def product(p):
    return np.sum(p["a"]) * p["b"]


@pytest.mark.parametrize(("method", "rule"), [("reverse", "vjp"), ("forward", "jvp")])
def test_rules_of_the_users_own_take_dictionaries(method, rule) -> None:
    """They say ten times what is right, so that it shows which derivative was taken."""
    rules = {
        "vjp": lambda p, ct: {"b": 10.0 * np.sum(p["a"]) * ct, "a": 10.0 * p["b"] * ct * np.ones(2), "name": None},
        "jvp": lambda p, t: 10.0 * (np.sum(t["a"]) * p["b"] + np.sum(p["a"]) * t["b"]),
    }
    f = fs.custom_derivative(product, **{rule: rules[rule]}, check=False)
    g = fs.grad(lambda p: 2.0 * f(p), method=method)({"a": np.array([1.0, 2.0]), "b": 5.0, "name": "x"})
    np.testing.assert_allclose(g["a"], [100.0, 100.0])
    assert (g["b"], g["name"]) == (60.0, "x")


def test_a_rule_that_gives_other_keys_is_refused() -> None:
    f = fs.custom_derivative(product, vjp=lambda p, ct: {"a": p["b"] * ct * np.ones(2), "c": ct})
    with pytest.raises(
        fs.TypeMismatchError, match="gives a dictionary with the keys 'a', 'c', where the cotangent of p is a"
    ):
        fs.grad(f, method="reverse")({"a": np.ones(2), "b": 5.0})


@pytest.mark.parametrize("cls", [dict, float, Line(1.0, 2.0)])
def test_what_has_its_parts_already_is_not_registered(cls) -> None:
    with pytest.raises(fs.ArgumentError, match="cannot be registered"):
        fs.register_pytree_node(cls, lambda x: ((), None), lambda rest, parts: cls())


CAPTURED = {
    "w": np.ones(3),
    "layers": [(np.ones((3, 2)), np.ones(2))],
    "n": 2,
    "kind": "tanh",
    "s": 0.5,
    "other": object(),
}
MODEL = Model("one", np.eye(3), sizes={"a": 1.0})


def of_captured(x):
    h = x * CAPTURED["w"] * CAPTURED["s"]
    for w, b in CAPTURED["layers"]:
        h = h @ w + b
    if CAPTURED["kind"] == "tanh":
        h = np.tanh(h)
    return np.sum(h) * CAPTURED["n"] + np.sum(MODEL(x)) * MODEL.sizes["a"]


def test_captured_dictionaries(monkeypatch) -> None:
    made = compilations(monkeypatch)
    monkeypatch.setitem(CAPTURED, "w", np.ones(3))
    f, x = fs.function(of_captured), np.array([0.1, 0.2, 0.3])

    def agree(count) -> None:
        for _ in range(2):
            assert f(x) == pytest.approx(of_captured(x), rel=1e-13)
        assert len(made) == count

    agree(1)
    CAPTURED["w"][0] = 7.0
    agree(1)
    monkeypatch.setitem(CAPTURED, "w", np.full(3, 0.1))
    monkeypatch.setitem(CAPTURED, "s", 0.25)
    monkeypatch.setitem(CAPTURED, "other", None)
    agree(1)  # numbers and arrays are arguments; what is not read does not matter
    monkeypatch.setitem(CAPTURED, "kind", "none")
    agree(2)
    monkeypatch.setitem(CAPTURED, "n", 3)
    agree(3)
    monkeypatch.setitem(CAPTURED, "layers", [*CAPTURED["layers"], (np.ones((2, 4)), np.ones(4))])
    agree(4)
    monkeypatch.setitem(CAPTURED, "new", 1.0)
    agree(5)
    monkeypatch.setattr(MODEL, "w", 2 * np.eye(3))
    agree(5)


def test_a_call_with_a_dictionary_takes_the_fast_path(monkeypatch) -> None:
    made = []
    old = fs.Function._entry
    monkeypatch.setattr(fs.Function, "_entry", lambda self, *args: made.append(1) or old(self, *args))
    p = {f"p{k}": np.full(3, float(k)) for k in range(10)}
    f = fs.value_and_grad(lambda d: sum([np.sum(v) for v in d.values()]))
    for _ in range(5):
        value, g = f(p)
        assert value == 135.0
        assert [float(v[0]) for v in g.values()] == [1.0] * 10
    assert len(made) == 1
    assert f(dict(reversed(p.items())))[0] == 135.0  # another order is another type
    assert len(made) == 2
    with pytest.raises(fs.ArgumentError):
        f({**p, "p0": 1j})


def test_the_cache_tells_texts_apart(tmp_path, monkeypatch) -> None:
    """What a later process would be given: entries made anew find what was compiled for their texts only."""
    monkeypatch.setenv("FSMOOTH_CACHE_DIR", str(tmp_path))
    w = np.ones(2)
    for names in ("ab", "ab"):
        for name in names:
            f = fs.function(in_words)
            assert f({"name": name, "w": w}) == (2.0 if name == "a" else 4.0)
            assert f({"w": w, 1: name}) == (20.0 if name == "a" else 40.0)
            assert f({"w": w, "1": name}) == (20.0 if name == "a" else 40.0) + 1.0


def in_words(p):
    if "name" in p:
        return np.sum(p["w"]) * (1.0 if p["name"] == "a" else 2.0)
    if 1 in p:
        return np.sum(p["w"]) * (10.0 if p[1] == "a" else 20.0)
    return np.sum(p["w"]) * (10.0 if p["1"] == "a" else 20.0) + 1.0


@fs.function
def compiled(p):
    return p["a"]


def test_pickled_by_name() -> None:
    assert compiled({"a": 1.0}) == 1.0
    assert pickle.loads(pickle.dumps(compiled)) is compiled
    assert repr(compiled) == "<fsmooth compiled(p)>"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": {1.5: 2.0}}, "p['a']: expected texts or integers as keys, found 1.5"),
        (
            {"a": [(1.0, object())]},
            "p['a'][0][1]: expected a number, an array, a list, a tuple, a dictionary or a record, found object",
        ),
        (
            {"a": [np.ones(2), {"b": np.ones(2, complex)}]},
            "p['a'][1]['b'] is complex, and programs are of real numbers",
        ),
        (Pair("k", {"m": {1, 2}}), "p.model['m']: expected a number"),
    ],
)
def test_what_is_no_part_is_named_by_its_path(value, text) -> None:
    with pytest.raises(fs.ArgumentError) as caught:
        infer_type(value, "p")
    assert str(caught.value).startswith(text)
