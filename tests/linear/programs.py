"""A program for each construct, in F̃ text, with arguments at which it can be differentiated."""

from __future__ import annotations

import numpy as np

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
