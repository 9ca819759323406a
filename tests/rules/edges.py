"""The edges of each rule's guard: `left ~> right`, or `left ~> nothing` where the rule must not fire.

Names are variables here, not metavariables: x, y real numbers, c, d Bools, i to n Ints, u, v vectors, A a matrix,
p and q pairs, w an array of pairs.  Conditions after `where` are known at the place; `v has 3 elements` in this
compilation.
"""

from __future__ import annotations

from tests.rules import edges_of_figure_8, edges_of_linear_maps, edges_of_selections

EXAMPLES: dict[str, tuple[str, ...]] = {
    "sum_shifted": (
        "sum n (fun i -> delta (n + 1) (i + 1) (sin (to_float i)))"
        " ~> build (n + 1) (fun j -> if 0 <= j - 1 then sin (to_float (j - 1)) else zero)",
        "sum (n - 1) (fun i -> delta n i x) ~> nothing",
        "sum (n - 1) (fun i -> plus (delta n i x) (delta n (i + 1) (v[i])))"
        " ~> build n (fun j -> (if j < n - 1 then x else zero) + (if 0 <= j - 1 then v[j - 1] else zero))",
        "sum n (fun i -> delta n (n - 1 - i) (v[i])) ~> build n (fun j -> v[n - 1 - j])",
        "sum n (fun i -> if 0 < i then delta n (i - 1) (v[i]) else zero n)"
        " ~> build n (fun j -> if j + 1 < n then (if 0 < j + 1 then v[j + 1] else zero) else zero)",
        "sum n (fun i -> if c then delta n (n - 1 - i) x else delta n (n - 1 - i) y)"
        " ~> build n (fun j -> if c then x else y)",
        "sum n (fun i -> if c then delta n (n - 1 - i) x else delta n i y)"
        " ~> build n (fun j -> (if c then x else zero) + (if c then zero else y))",
        "sum n (fun i -> let t = (if c then let z = x * v[i] in (delta n (n - 1 - i) z, delta n i z) else (zero n, zero n)) in"
        " (t.1, plus t.0 (delta n i y)))"
        " ~> (build n (fun j -> if c then let z = x * v[j] in z else zero),"
        " build n (fun j -> (if c then let z = x * v[n - 1 - j] in z else zero) + y))",
        "sum n (fun i -> (x * v[i], delta n (n - 1 - i) y)) ~> (sum n (fun i -> x * v[i]), build n (fun j -> y))",
        "sum (n - 1) (fun i -> delta n (i + 1) (v[check i (length v)])) ~> nothing",
        "sum (n - 1) (fun i -> delta n (i + 1) (require c in x)) ~> nothing",
        "sum n (fun i -> delta m (i + k) x) ~> nothing",
        "sum n (fun i -> delta (2 * n) (i + 1) x) ~> nothing",
        "sum n (fun i -> delta (n + 9) (i + 1) x) ~> nothing",
        "sum n (fun i -> delta n (2 * i) x) ~> nothing",
        "sum n (fun i -> delta n (i % 2) x) ~> nothing",
        "sum n (fun i -> delta n k x) ~> nothing",
        "sum n (fun i -> (v, delta n (n - 1 - i) x)) ~> nothing",
        "sum n (fun i -> delta n (n - 1 - i) v) ~> nothing",
        "sum (n - 1) (fun i -> let z = sin (v[i]) in plus (delta n i z) (delta n (i + 1) z)) ~> nothing",
        "sum (n - 1) (fun i -> plus (delta n i (sin (v[i]))) (delta n (i + 1) (cos (v[i]))))"
        " ~> build n (fun j -> (if j < n - 1 then sin (v[j]) else zero) + (if 0 <= j - 1 then cos (v[j - 1]) else zero))",
        "product n (fun i -> v[n - 1 - i]) ~> nothing",
        "sum (maximum (n - 1) 0) (fun i -> delta n (i + 1) (v[i]))"
        " ~> build n (fun j -> if 0 <= j - 1 then v[j - 1] else zero)",
        "sum (maximum (n - 9) 0) (fun i -> delta n (i + 1) x) ~> nothing",
        "sum n (fun i -> if 0 < i && i < n - 1 then delta n (i - 1) (v[i]) else zero n)"
        " ~> build n (fun j -> if 0 < j + 1 && j + 1 < n - 1 then v[j + 1] else zero)",
        "sum n (fun i -> if v[i] < x && 0 < i then delta n (i - 1) y else zero n)"
        " ~> build n (fun j -> if j + 1 < n then (if v[j + 1] < x && 0 < j + 1 then y else zero) else zero)",
        "sum n (fun i -> let d = 0 < i && i < n - 1 in let z = sin (v[i]) in if d then delta n (i - 1) z else zero n)"
        " ~> build n (fun j ->"
        " let d = 0 < j + 1 && j + 1 < n - 1 in if d then (let z = sin (v[j + 1]) in z) else zero)",
    ),
    "plus_builds": (
        "plus (build n (fun i -> v[i])) (build n (fun j -> x * u[j])) ~> build n (fun i -> v[i] + x * u[i])",
        "plus (build (length u) (fun i -> x)) u (build (length u) (fun j -> to_float j))"
        " ~> plus (build (length u) (fun i -> x + to_float i)) u",
        "plus (build n (fun i -> v[i])) (build m (fun j -> u[j])) ~> nothing",
        "plus (build n (fun i -> v[i])) (build m (fun j -> u[j])) ~> build n (fun i -> v[i] + u[i]) where n == m",
        "plus (build n (fun i -> if 0 < i then x else zero)) (build n (fun j -> y + (if 0 < j then v[j] else zero)))"
        " ~> build n (fun i -> (if 0 < i then x + v[i] else zero) + y)",
        "plus (build n (fun i -> if 0 < i then x else zero)) (build n (fun j -> if 1 < j then y else zero))"
        " ~> build n (fun i -> (if 0 < i then x else zero) + (if 1 < i then y else zero))",
        "plus (build n (fun k -> v[k])) (build n (fun j -> u[k])) ~> build n (fun i -> v[i] + u[k])",
        "plus (build n (fun i -> sum m (fun j -> x))) (build n (fun i -> v[i])) ~> nothing",
        "plus (build n (fun i -> v[i])) u ~> nothing",
        "plus (build n (fun i -> v)) (build n (fun i -> u)) ~> nothing",
    ),
    "unchanged_in_state": (
        "ifold (fun a i -> (a.0 * a.1[i] + to_float i, a.1)) (x, v) n"
        " ~> (let s = (x, v) in let b = ifold (fun b i -> b * s.1[i] + to_float i) s.0 n in (b, s.1))",
        "ifold (fun a i -> if 0 < i then (a.0 * a.1[i], a.1) else (a.0, update a.1 i x)) (x, v) n ~> nothing",
        "ifold (fun a i -> (a.1, a.0)) (x, y) n ~> nothing",
        "ifold (fun a i -> a) (x, v) n ~> nothing",
        "ifold (fun a i -> (a.0 * a.1[i], a.1)) (x, plus v u) n ~> nothing",
        "ifold (fun a i -> require 0 < i, i, n in (a.0 * a.1[i], a.1)) (x, v) n ~> nothing",
        "while (fun a -> a.0 < a.1) (fun a -> (a.0 + 1, a.1)) (0, n)"
        " ~> (let s = (0, n) in let b = while (fun b -> b < s.1) (fun b -> b + 1) s.0 in (b, s.1))",
    ),
    "length_of_state": (
        "ifold (fun a i -> build (length a) (fun j -> a[j] + x)) u n"
        " ~> ifold (fun a i -> build (length u) (fun j -> a[j] + x)) u n",
        "ifold (fun s i -> (s.0 + to_float (length s.1), s.1)) (x, u) n"
        " ~> ifold (fun s i -> (s.0 + to_float (length u), s.1)) (x, u) n",
        "ifold (fun a i -> build (length a) (fun j -> a[j] + x)) (build k (fun j -> y)) n"
        " ~> ifold (fun a i -> build (maximum k 0) (fun j -> a[j] + x)) (build k (fun j -> y)) n",
        "ifold (fun a i -> build (length a) (fun j -> a[j] + x)) (build k (fun j -> y)) n"
        " ~> ifold (fun a i -> build k (fun j -> a[j] + x)) (build k (fun j -> y)) n where 0 <= k",
        "ifold (fun s i -> s + to_float (length u)) x n ~> nothing",
        "ifold (fun a i -> build (length u) (fun j -> a[j] + x)) u n ~> nothing",
    ),
    "fold_counter": (
        "ifold (fun s i -> (s.0 + 2, s.1 * to_float s.0)) (k, x) n"
        " ~> ifold (fun s i -> (k + 2 * i + 2, s.1 * to_float (k + 2 * i))) (k, x) n",
        "ifold (fun s i -> let j = 1 + s.1 in (s.0 * to_float s.1, j)) (x, 0) n"
        " ~> ifold (fun s i -> let j = 1 + i in (s.0 * to_float i, j)) (x, 0) n",
        "ifold (fun s i -> (s.0 + -1, s.1 * to_float s.0)) (k, x) n"
        " ~> ifold (fun s i -> (k + -1 * i + -1, s.1 * to_float (k + -1 * i))) (k, x) n",
        "ifold (fun s i -> (s.0 + m, s.1 * to_float s.0)) (k, x) n ~> nothing",
        "ifold (fun s i -> (s.0 + 2, s.1 * to_float s.0)) (k * k, x) n ~> nothing",
        "ifold (fun s i -> (if c then s.0 + 1 else s.0, s.1 * to_float s.0)) (k, x) n ~> nothing",
        "ifold (fun s i -> (s.1 + 1, s.0 + 1)) (k, l) n ~> nothing",
        "ifold (fun s i -> (s.0 + 1.0, s.1 * s.0)) (x, y) n ~> nothing",
        "ifold (fun s i -> (k + 2 * i + 2, s.1 * to_float (k + 2 * i))) (k, x) n ~> nothing",
    ),
    "sum_of_invariant": (
        "sum n (fun i -> x + to_float i) ~> to_float n * x + sum n (fun i -> to_float i) where 1 <= n",
        "sum n (fun i -> to_float i - x) ~> sum n (fun i -> to_float i) - to_float n * x where 1 <= n",
        "sum n (fun i -> x - y) ~> to_float n * x - to_float n * y where 1 <= n",
        "sum n (fun i -> x + to_float i) ~> nothing",
        "sum n (fun i -> to_float i + to_float i) ~> nothing where 0 <= n",
        "sum n (fun i -> x * to_float i) ~> nothing where 0 <= n",
        "product n (fun i -> x + to_float i) ~> nothing where 0 <= n",
    ),
    "check_out_of_loop": (
        "build n (fun i -> v[check i (length v)])"
        " ~> require index n <= length v, length v, length v in build n (fun i -> v[i])",
        "sum n (fun i -> let j = check i m in to_float j + to_float (check i m))"
        " ~> require index n <= 0 || n <= m, m, m in sum n (fun i -> let j = i in to_float j + to_float i)",
        "build n (fun i -> sum l (fun j -> v[check i (length v)]))"
        " ~> require index l <= 0 || n <= length v, length v, length v in build n (fun i -> sum l (fun j -> v[i]))",
        "build n (fun i -> (sum l (fun j -> v[check i (length v)]), sum m (fun j -> v[check i (length v)])))"
        " ~> require index l <= 0 || n <= length v, length v, length v in"
        " build n (fun i -> (sum l (fun j -> v[i]), sum m (fun j -> v[check i (length v)])))",
        "ifold (fun a i -> a + v[check i (length v)]) x n"
        " ~> require index n <= length v, length v, length v in ifold (fun a i -> a + v[i]) x n",
        "sum n (fun i -> if c then v[check i (length v)] else x) ~> nothing",
        "sum n (fun i -> sum i (fun j -> v[check i (length v)])) ~> nothing",
        "any n (fun i -> v[check i (length v)] < x) ~> nothing",
        "build n (fun i -> v[check i (i * i)]) ~> nothing",
        "build n (fun i -> let m = i in v[check i m]) ~> nothing",
        "build n (fun i -> v[check (i + 1) (length v)]) ~> nothing",
        "build n (fun i -> v[check k (length v)]) ~> nothing",
        "build n (fun i -> require c in v[check i (length v)]) ~> nothing",
    ),
    "fold_constants": (
        "1.0 + 2.0 ~> 3.0",
        "7 // 2 ~> 3",
        "-7 // 2 ~> -4",
        "-7 % 3 ~> 2",
        "2.0 * 0.1 ~> 0.2",
        "1.0 / 0.0 ~> inf",
        "0.0 * -1.0 ~> -0.0",
        "-0.0 + -0.0 ~> -0.0",
        "0.0 / 0.0 ~> nan",
        "1.0 < nan ~> false",
        "nan <> nan ~> true",
        "sqrt 4.0 ~> 2.0",
        "sqrt (-1.0) ~> nan",
        "to_int 1.5 ~> 1",
        "select true 1.0 2.0 ~> 1.0",
        "!true ~> false",
        "9223372036854775806 + 1 ~> 9223372036854775807",
        "9223372036854775807 + 1 ~> -9223372036854775808",
        "1.0f + 2.0f ~> nothing",
        "to_float32 0.1 ~> nothing",
        "1.0 + x ~> nothing",
    ),
    "length_of_equal": (
        "length v ~> nothing",
        "length v ~> length u where length v == length u",
        "length u ~> nothing where length v == length u",
        "length v ~> nothing where length v <= length u",
        "length v ~> length u where length v == length A and length A == length u",
        "length v ~> nothing where length v == 3",
    ),
    "length_static": (
        "length v ~> 3 where v has 3 elements",
        "length v ~> nothing where u has 3 elements",
        "length A 1 ~> nothing where A has 3 elements",
        "length (update v i x) ~> nothing where v has 3 elements",
    ),
}
"""What the rules do that no equation can say."""

EDGES: dict[str, tuple[str, ...]] = {
    "sum_same_components": (
        "sum n (fun i -> (v[i], v[i])) ~> let x = sum n (fun i -> v[i]) in (x, x)",
        "sum n (fun i -> let y = sin (v[i]) in (delta n i y, x, delta n i y, x))"
        " ~> let p = sum n (fun i -> let y = sin (v[i]) in (delta n i y, x)) in (fst p, snd p, fst p, snd p)",
        "sum n (fun i -> (v[i], u[i])) ~> nothing",
        "sum n (fun i -> (v[i], v[i + 1])) ~> nothing",
        "product n (fun i -> v[i] * v[i]) ~> nothing",
    ),
    "build_same_components": (
        "build n (fun i -> let x = sin (v[i]) in (x, x))"
        " ~> let u = build n (fun i -> let x = sin (v[i]) in x) in build n (fun i -> (u[i], u[i]))",
        "build n (fun i -> let x = sin (v[i]) in (x, x, i)) ~> let w = build n (fun i -> let x = sin (v[i]) in (x, i)) in"
        " build n (fun i -> (fst (w[i]), fst (w[i]), snd (w[i])))",
        "build n (fun i -> let x = sin (v[i]) in (y, x, y)) ~> nothing",
        "build n (fun i -> let x = sin (v[i]) in (x, x + y)) ~> nothing",
        "build n (fun i -> (sin (v[i]), sin (v[i]))) ~> nothing",
    ),
    "products_apart": (
        "build n (fun i -> build m (fun j -> sum k (fun l -> A[i][l] * A[l][j] + A[l][i] * A[j][l])))"
        " ~> build n (fun i -> build m (fun j -> sum k (fun l -> A[i][l] * A[l][j]) + sum k (fun l -> A[l][i] * A[j][l])))",
        "build n (fun i -> let v = A[i] in build m (fun j -> sum k (fun l -> let x = v[l] * x in (x * A[l][j], x))))"
        " ~> nothing",
        "build n (fun i -> let v = A[i] in build m (fun j -> sum k (fun l -> let u = A[l] in (v[l] * u[j], u[l]))))"
        " ~> build n (fun i -> let v = A[i] in build m (fun j ->"
        " (sum k (fun l -> let u = A[l] in v[l] * u[j]), sum k (fun l -> let u = A[l] in u[l]))))",
        "build n (fun i -> build m (fun j -> sum k (fun l -> (A[i][l] * A[i][j], x)))) ~> nothing",
        "build n (fun i -> build m (fun j -> sum k (fun l -> (v[l] * A[l][j], x)))) ~> nothing",
        "build n (fun i -> build 7 (fun j -> sum k (fun l -> (A[i][l] * A[l][j], x)))) ~> nothing",
        "build n (fun i -> build i (fun j -> sum k (fun l -> (A[i][l] * A[l][j], x)))) ~> nothing",
        "build n (fun i -> build m (fun j -> sum k (fun l -> (A[i][check l 9] * A[l][j], x)))) ~> nothing",
    ),
    "product_named": (
        "build n (fun i -> build m (fun j -> x * sum k (fun l -> A[i][l] * A[j][l])))"
        " ~> let z = build n (fun i -> build m (fun j -> sum k (fun l -> A[i][l] * A[j][l]))) in"
        " build n (fun i -> build m (fun j -> x * z[i][j]))",
        "build n (fun i -> let v = A[i] in build m (fun j -> let x = sum k (fun l -> x * v[l] * A[j][l]) in x * x))"
        " ~> let z = build n (fun i -> build m (fun j -> sum k (fun l -> x * A[i][l] * A[j][l]))) in"
        " build n (fun i -> let v = A[i] in build m (fun j -> let x = z[i][j] in x * x))",
        "sum n (fun i -> sum m (fun j -> x * sum k (fun l -> A[i][l] * A[j][l]))) ~> nothing",
        "build n (fun i -> sum m (fun j -> x * sum k (fun l -> A[i][l] * A[j][l]))) ~> nothing",
        "build n (fun i -> build m (fun j -> sum k (fun l -> A[i][l] * A[l][j]))) ~> nothing",
        "build n (fun i -> build m (fun j -> (x, sum k (fun l -> A[i][l] * A[l][j])))) ~> nothing",
        "build n (fun i -> build m (fun j -> if c then sum k (fun l -> A[i][l] * A[l][j]) else x)) ~> nothing",
        "build n (fun i -> build m (fun j -> let x = sin (v[j]) in y + sum k (fun l -> A[i][l] * A[l][j] * x))) ~> nothing",
        "sum n (fun i -> sum m (fun j -> x * sum k (fun l -> A[i][l] * A[j][i]))) ~> nothing",
    ),
    "plus_flat": (
        "plus u (zero (length u)) u ~> plus u u",
        "plus (zero n) (zero n) ~> zero n",
        "plus (plus u (build (length u) (fun i -> x))) u ~> plus u (build (length u) (fun i -> x)) u",
        "plus u (plus (build (length u) (fun i -> x)) u) (zero (length u)) ~> plus u (build (length u) (fun i -> x)) u",
        "plus A (zero (length A) (length A 1)) ~> A",
        "plus u (build (length u) (fun i -> 0.0)) ~> nothing",
        "plus u u ~> nothing",
    ),
    "plus_update": (
        "plus (update v i x) (delta (length v) j y) ~> nothing",
        "plus (update v i x) (delta (length v) j y) ~> update v i (x + y) where i == j",
        "plus v (update v i 0.0) (delta (length v) i x) (delta (length v) i y)"
        " ~> plus v (update v i (0.0 + x)) (delta (length v) i y)",
        "plus (update A i A[j]) (delta (length A) i A[k]) ~> update A i (plus A[j] A[k])",
        "plus (update A i (zero (length A 1))) (delta (length A) i A[k]) ~> update A i A[k]",
        "plus v (delta (length v) i x) ~> nothing",
    ),
    "get_plus": (
        "(plus u (build (length u) (fun k -> x)) u)[i] ~> u[i] + (build (length u) (fun k -> x))[i] + u[i]",
        "(plus A A)[i] ~> plus A[i] A[i]",
        "(plus w w)[i] ~> nothing",
        "(plus u u)[check i n] ~> u[check i n] + u[check i n]",
    ),
    "fold_to_build": (
        "ifold (fun a i -> update a i (sin u[i])) v (length v) ~> build (length v) (fun i -> sin u[i])",
        "ifold (fun a i -> update a i (sin a[i])) v (length v) ~> build (length v) (fun i -> sin v[i])",
        "ifold (fun a i -> update a i (sin a[i - 1])) v (length v) ~> nothing",
        "ifold (fun a i -> update a i (sum (length a) (fun j -> a[j]))) v (length v) ~> nothing",
        "ifold (fun a i -> update a (i - 1) x) v (length v) ~> nothing",
        "ifold (fun a i -> update a i x) v n ~> nothing",
        "ifold (fun a i -> update (update a i x) i y) v (length v) ~> nothing",
        "ifold (fun s i -> (update s.0 i x, s.1 + y)) (v, x) (length v) ~> nothing",
        "ifold (fun s i -> (update s.0 i x, update s.1 i s.0[i])) (v, v) (length v)"
        " ~> let r = build (length v) (fun i -> (x, v[i])) in"
        " (build (length v) (fun i -> r[i].0), build (length v) (fun i -> r[i].1))",
    ),
    "known_order": (
        "maximum i n ~> nothing",
        "minimum i n ~> nothing",
        "maximum x 0.0 ~> nothing",
    ),
    **edges_of_figure_8.EDGES,
    **edges_of_linear_maps.EDGES,
    **edges_of_selections.EDGES,
    # sparsity
    "zero_laws": (
        "x / zero ~> nothing",
        "0.0 * x ~> nothing",
        "zero ** x ~> nothing",
        "maximum zero x ~> nothing",
        "select c zero x ~> nothing",
        "sin zero ~> nothing",
        "zero * nan ~> zero",
    ),
    "get_zero": ("(build 3 (fun i -> zero))[j] ~> nothing", "v[i] ~> nothing"),
    "get_delta": (
        "(delta n i x)[check j n] ~> if i == check j n then x else zero",
        "(delta n i x)[j] ~> zero where j < i",
        "(delta n i x)[i + 1] ~> zero",
        "(delta n i p)[j] ~> nothing",
        "(delta n i (build m (fun j -> build j (fun l -> x))))[j] ~> nothing",
        "v[i] ~> nothing",
    ),
    "all_known": (
        "all n (fun i -> c) ~> nothing",
        "all n (fun i -> false) ~> nothing",
        "any n (fun i -> true) ~> nothing",
        "all n (fun i -> i < n) ~> nothing",
    ),
    "all_zero": (
        "build n (fun i -> zero i) ~> nothing",
        "[zero, x] ~> nothing",
        "build n (fun i -> 0.0) ~> nothing",
        "delta n i x ~> nothing",
        "[zero Int 2, zero Int 2] ~> zero Int 2 2",
    ),
    "sum_zero": (
        "sum n (fun i -> zero i) ~> nothing",
        "sum n (fun i -> 0.0) ~> nothing",
        "product n (fun i -> zero) ~> nothing",
    ),
    "build_delta": (
        "build n (fun i -> if i == k then x else zero) ~> nothing",
        "build n (fun i -> if i == k then x else zero) ~> nothing where k < n",
        "build n (fun i -> if i == k then x else zero) ~> nothing where 0 <= k",
        "build 3 (fun i -> if i == 3 then x else zero) ~> nothing",
        "build 3 (fun i -> if i == 2 then x else zero) ~> delta 3 2 x",
        "build n (fun i -> if i == 2 * i then x else zero) ~> nothing",
        "build 3 (fun i -> if i == 2 then x else y) ~> nothing",
        "build 3 (fun i -> if i <> 2 then x else zero) ~> nothing",
        "build 3 (fun i -> if 1 == i then to_float i else zero) ~> delta 3 1 (let i = 1 in to_float i)",
    ),
    "single_fraction": ("x * y ~> nothing", "x / (y * x) ~> nothing", "x + y / x ~> nothing"),
    "cancel_factor": (
        "x / y ~> nothing",
        "(x + y) / x ~> nothing",
        "x / x ~> 1.0",
        "y * (x * y) / (y * x) ~> x * y / x",
    ),
    "distribute_to_cancel": (
        "(1.0 / y + 2.0 / x) * x ~> nothing",
        "(1.0 / x + y) * x ~> nothing",
        "(1.0 / x - y / x) * x ~> 1.0 - y",
    ),
    "factor_out_of_sum": (
        "sum n (fun i -> to_float i * to_float i) ~> nothing",
        "sum n (fun i -> x / to_float (i + 1)) ~> x * sum n (fun i -> 1.0 / to_float (i + 1)) where 1 <= n",
        "sum n (fun i -> x * y) ~> nothing",
    ),
    "guard_distribute": (
        "((if i == k then x else zero) + (if i == j then y else zero)) * 2.0 ~> nothing",
        "((if i == k then x else zero) + y) * 2.0 ~> nothing",
        "(if i == k then x else zero) * 2.0 ~> nothing",
        "2.0 / ((if i == k then x else zero) + (if i == k + 1 then y else zero)) ~> nothing",
        "sin ((if i == k then x else zero) + (if i == k + 1 then y else zero)) ~> nothing",
        "x * ((if i == 0 then x else zero) - (if i == 1 then y else zero))"
        " ~> (if i == 0 then x * x else zero) - (if i == 1 then x * y else zero)",
        "-((if i == 0 then x else zero) - (if i == 1 then y else zero))"
        " ~> (if i == 0 then -x else zero) + (if i == 1 then y else zero)",
    ),
    "guard_merge": (
        "((if i == k then x else zero) + (if i == j then y else zero)) + (if i == k then x else zero) ~> nothing",
        "((if i == 0 then x else zero) + (if i == 1 then y else zero)) - (if i == 1 then x else zero)"
        " ~> (if i == 0 then x else zero) + (if i == 1 then y - x else zero)",
        "((if i == 0 then x else zero) + (if i == 1 then y else zero)) + (if i == 2 then x else zero) ~> nothing",
    ),
    "solve_for_index": (
        "sum n (fun i -> if i == k then x else zero) ~> nothing",
        "sum n (fun i -> if k * i == 2 then x else zero) ~> nothing",
        "sum n (fun i -> if i + 1 == i then x else zero) ~> nothing",
        "product n (fun i -> if i + 1 == k then x else zero) ~> nothing",
        "sum n (fun i -> if i + 1 == k then x else y) ~> nothing",
    ),
    "update_same": (
        "update v i (v[k]) ~> nothing",
        "update v i (u[i]) ~> nothing",
        "update v i (v[i] + x) ~> nothing",
        "update v k (v[k]) ~> v",
    ),
    "update_zero": ("update v i x ~> nothing", "update (zero n (length v)) i v ~> delta n i v"),
    "guard_linear": (
        "x / (if c then y else zero) ~> nothing",
        "(if c then x else zero) + y ~> nothing",
        "(if c then x else zero) + (if d then y else zero) ~> nothing",
        "(if c then x else 0.0) * y ~> nothing",
        "(if c then x else zero) ** y ~> nothing",
        "sin (if c then x else zero) ~> nothing",
    ),
    "guard_split": (
        "if c && d then x else y ~> nothing",
        "if c || d then x else zero ~> nothing",
        "if x <> y then zero else x ~> if x == y then x else zero",
        "if x < y then zero else x ~> nothing",
        "if isnan x then zero else y ~> if !(isnan x) then y else zero",
        "if isnan x then zero else zero ~> nothing",
        "if c then zero else zero ~> nothing",
    ),
    "guard_order": (
        "if i == j then (if k == l then x else zero) else zero ~> nothing",
        "if c then (if i == v[0] then x else zero) else zero ~> nothing",
        "if c then (if i == check j n then x else zero) else zero ~> nothing",
        "if c then (if i == j then x else y) else zero ~> nothing",
        "if c then (if i == j then x else zero) else y ~> nothing",
    ),
    "sum_guarded_delta": (
        "sum n (fun i -> if v[check i (length v)] < x then delta n i (v[check i (length v)]) else zero n)"
        " ~> build n (fun i -> if v[check i (length v)] < x then v[check i (length v)] else zero)",
        "sum n (fun i -> if i < k then delta n i x else delta n i y) ~> build n (fun i -> if i < k then x else y)",
        "sum n (fun i -> if c then (if d then delta n i x else zero n) else zero n)"
        " ~> build n (fun i -> if c then (if d then x else zero) else zero)",
        "sum n (fun i -> let y = v[check i (length v)] in if y < x then delta n i y else zero n)"
        " ~> build n (fun i -> let y = v[check i (length v)] in if y < x then y else zero)",
        "sum n (fun i -> if i < k then delta m i x else zero m) ~> nothing",
        "sum n (fun i -> if i < k then delta n k x else zero n) ~> nothing",
        "sum n (fun i -> if i < k then delta n i x else v) ~> nothing",
        "sum n (fun i -> if i < k then delta (i + 1) i x else zero n) ~> nothing",
        "sum n (fun i -> let i = k in delta n i x) ~> nothing",
        "sum n (fun i -> let n = k in delta n i x) ~> nothing",
        "sum n (fun i -> if i < k then delta n i v else zero n (length v)) ~> nothing",
        "product n (fun i -> if i < k then i else 1) ~> nothing",
        "sum n (fun i -> if i < k then zero n else zero n) ~> nothing",
    ),
    "sum_delta": (
        "sum n (fun i -> delta m i x) ~> nothing",
        "sum n (fun i -> delta n k x) ~> nothing",
        "sum n (fun i -> delta i i x) ~> nothing",
        "product n (fun i -> i) ~> nothing",
        "sum n (fun i -> delta m i x) ~> build n (fun i -> x) where n == m",
        "sum n (fun i -> delta m i x) ~> build n (fun i -> x) where n == l and l == m",
        "sum n (fun i -> delta m i x) ~> build n (fun i -> x) where l == m and l == n",
        "sum n (fun i -> delta m i x) ~> nothing where n == l and k == m",
    ),
    # displays
    "split_display": (
        "ifold (fun a l -> [a[1], a[0] * x]) [x, y] n"
        " ~> let t = ifold (fun a l -> (a.1, a.0 * x)) (x, y) n in [t.0, t.1]",
        "ifold (fun a l -> [a[1], 1.0]) (zero 2) n ~> let t = ifold (fun a l -> (a.1, 1.0)) (zero, zero) n in [t.0, t.1]",
        "ifold (fun a l -> ([(a.0)[1], a.1], to_float (length a.0))) ([x, y], x) n"
        " ~> let t = ifold (fun a l -> (a.1, a.2, to_float 2)) (x, y, x) n in ([t.0, t.1], t.2)",
        "ifold (fun a l -> ([(a.0)[1], x], [(a.1)[l], x])) ([x, y], [x, y]) n"
        " ~> let t = ifold (fun a l -> (a.1, x, [(a.2)[l], x])) (x, y, [x, y]) n in ([t.0, t.1], t.2)",
        "ifold (fun a l -> [(a[0].1, x), a[0]]) [p, q] n"
        " ~> let t = ifold (fun a l -> (a.1, x, a.0, a.1)) (p.0, p.1, q.0, q.1) n in [(t.0, t.1), (t.2, t.3)]",
        "ifold (fun a l -> [(let b = a[0] * x in (b, b)).0, a[0]]) [x, y] n ~>"
        " let t = ifold (fun a l -> ((let b = a.0 * x in (b, b)).0, a.0)) (x, y) n in [t.0, t.1]",
        "ifold (fun a l -> [let b = a[0].0 * x in (b, b), a[0]]) [(let c = x * y in (c, c)), q] n ~>"
        " let c = x * y in let t = ifold (fun a l -> let b = a.0 * x in (b, b, a.0, a.1)) (c, c, q.0, q.1) n in"
        " [(t.0, t.1), (t.2, t.3)]",
        "ifold (fun a l -> [a[l], x]) [x, y] n ~> nothing",
        "ifold (fun a l -> [a[0], x]) v n ~> nothing",
        "ifold (fun a l -> [a[0], x]) (zero m) n ~> nothing",
        "ifold (fun a l -> [if l < 0 then a[2] else x, y]) [x, y] n ~> nothing",
        "ifold (fun a l -> [sum m (fun i -> a[i]), y]) [x, y] n ~> nothing",
        "ifold (fun a l -> if c then [a[1], y] else a) [x, y] n ~> nothing",
        "ifold (fun a l -> a) [x, y] n ~> nothing",
        "ifold (fun a l -> [a[1], v]) [u, v] n ~> nothing",
        "ifold (fun a l -> let b = a in [b[0], x]) [x, y] n ~> nothing",
    ),
    # powers
    "half_power": (
        "x ** -2.5 ~> 1.0 / (x * x * sqrt (x + 0.0))",
        "x ** 3.5 ~> nothing",
        "x ** 0.25 ~> nothing",
        "x ** 1.0 ~> nothing",
        "x ** y ~> nothing",
    ),
    # extremal_folds
    "fold_to_extremum": (
        "ifold (fun a l -> minimum v[l] a) y n ~> nothing",
        "ifold (fun a l -> minimum a (a + v[l])) y n ~> nothing",
        "ifold (fun a l -> minimum (a + 0.0) v[l]) y n ~> nothing",
        "ifold (fun a l -> let z = sin a in minimum a z) y n ~> nothing",
        "ifold (fun a l -> let z = v[check l m] in maximum a z) (sin y) 3 ~>"
        " let first = sin y in if 0 < 3 then maximum first (max 3 (fun l -> let z = v[check l m] in z)) else first",
        "ifold (fun a l -> minimum a l) k n ~> if 0 < n then minimum k (min n (fun l -> l)) else k",
    ),
    "fold_to_place": (
        "ifold (fun a l -> if a < v[l] then v[l] else a) y n ~>"
        " if 0 < n then (let k = argmax n (fun l -> let z = v[l] in if isnan z then -inf else z) in"
        " let z = v[k] in if y < z then z else y) else y",
        "ifold (fun a l -> if v[l] <= a then v[l] else a) y n ~> nothing",
        "ifold (fun a l -> if v[l] < a then x else a) y n ~> nothing",
        "ifold (fun a l -> if v[l] < a then a else v[l]) y n ~> nothing",
        "ifold (fun a l -> if v[l] < x then v[l] else a) y n ~> nothing",
        "ifold (fun a l -> if a + 1.0 < a then a + 1.0 else a) y n ~> nothing",
        "ifold (fun a l -> if v[l] < fst a then (v[l], u[l]) else a) (x, y) n ~> nothing",
        "ifold (fun a l -> if v[l] < snd a then (v[l], l) else a) (x, k) n ~> nothing",
        "ifold (fun a l -> if v[l] < fst a then (v[l], snd a) else a) (x, k) n ~> nothing",
        "ifold (fun a l -> if l < a then l else a) k n ~>"
        " if 0 < n then (let j = argmin n (fun l -> l) in if j < k then j else k) else k",
    ),
    "fold_to_place_of_number": (
        "ifold (fun a l -> let z = sum l (fun i -> x) in if z < a then z else a) y n ~> nothing",
    ),
    # small_sums
    "plus_displays": (
        "plus [x, y] v ~> nothing",
        "plus [x, y] (delta 2 i x) ~> nothing",
        "plus (delta n 0 x) (delta n 1 y) ~> nothing",
        "plus (delta 16 0 x) (delta 16 15 y) ~> [x, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero,"
        " zero, zero, y]",
        "plus (delta 17 0 x) (delta 17 1 y) ~> nothing",
        "plus [u, v] (delta 2 0 u) ~> nothing",
        "plus [x, y] [y, x] [x, x] ~> [x + y + x, y + x + x]",
        "plus (delta 2 1 (x, y)) (delta 2 1 (y, x)) ~>"
        " [(zero, zero), (let a = (x, y) in let b = (y, x) in (a.0 + b.0, a.1 + b.1))]",
    ),
    "sum_of_displays": (
        "sum n (fun l -> let b = v[check l m] in [b, x]) ~>"
        " let t = sum n (fun l -> let b = v[check l m] in (b, x)) in [t.0, t.1]",
        "sum n (fun l -> [zero, zero]) ~> nothing",
        "sum n (fun l -> [zero, x]) ~> let t = sum n (fun l -> x) in [zero, t]",
        "sum n (fun l -> (x, y)) ~> nothing",
        "sum n (fun l -> delta 2 0 x) ~> nothing",
        "sum n (fun l -> [u, v]) ~> nothing",
        "product n (fun l -> x) ~> nothing",
        "sum n (fun l -> [(x, y), (zero, y)]) ~> let t = sum n (fun l -> (x, y, y)) in [(t.0, t.1), (zero, t.2)]",
        "sum n (fun l -> [(x, y), (zero, zero)]) ~> let t = sum n (fun l -> (x, y)) in [(t.0, t.1), (zero, zero)]",
        "sum n (fun l -> let z = sin v[l] in ((z, (y, x)), x)) ~>"
        " let s = sum n (fun l -> let z = sin v[l] in (z, y, x, x)) in ((s.0, (s.1, s.2)), s.3)",
        "sum n (fun l -> ((v[l], ()), ())) ~> let s = sum n (fun l -> v[l]) in ((s, ()), ())",
        "sum n (fun l -> ((x, zero (length v)), y)) ~>"
        " let s = sum n (fun l -> (x, zero (length v), y)) in ((s.0, s.1), s.2)",
        "sum n (fun l -> ((), ())) ~> nothing",
        "sum n (fun l -> ((zero, zero), zero)) ~> nothing",
    ),
    # speculation
    "select_displays": (
        "if c then [x, y] else [x] ~> nothing",
        "if true then [x, y] else [y, x] ~> nothing",
        "if i < length v then [v[i]] else [x] ~> nothing",
        "if i < n then [A[check i n][0]] else [x] ~> nothing",
        "if c then [(require d in x)] else [y] ~> nothing",
        "if c then [sum n (fun i -> x)] else [y] ~> nothing",
        "if c then [(delta n i x)] else [v] ~> nothing",
        "if c then [(update v i x)] else [v] ~> nothing",
        "if c then [v[0]] else [y] ~> [if c then v[0] else y] where v has 1 elements",
        "if c then v else u ~> nothing",
        "if c then zero 2 else [x, y] ~> [if c then zero else x, if c then zero else y]",
        "if c then zero 2 else [x] ~> nothing",
        "if c then zero n else [x, y] ~> nothing",
        "if c then zero 2 else zero 2 ~> nothing",
        "if c then (zero 2, x) else (zero 2, y) ~> (if c then zero 2 else zero 2, if c then x else y)",
    ),
    "let_out_of_branch": (
        "if c then (let a = sin x in a * a) else zero ~> nothing",
        "if i < length v then (let a = v[i] in a * a) else x ~> nothing",
        "if c then (let a = (require d in x) in a * a) else x ~> nothing",
        "if c then (let a = sum n (fun i -> x) in a * a) else x ~> nothing",
        "if c then (let x = y in x) else x ~> let a = y in if c then a else x",
        "if c then (let a = i in a + a) else j ~> nothing",
    ),
}
"""Where each rule does not fire, or has to be careful."""
