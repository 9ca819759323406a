"""The edges of the rules about selections that are only reduced (optimise/rules/selection.py)."""

from __future__ import annotations

_N = "length v"
_GUARD = "0.0 < v[i]"
_COUNT = f"sum ({_N}) (fun i -> if {_GUARD} then 1 else 0)"
_OTHER = "sum (length v) (fun i -> if v[i] < x then 1 else 0)"
_CHECKED = "u[check i (length u)]"


def _selection(element: str = "v[i]", guard: str = _GUARD, count: str = "m") -> str:
    return f"collect ({count}) [i in {_N}] ({guard}) ({element})"


_SCOPE = f"let m = {_COUNT} in let w = {_selection()} in"
_MAY_FAIL = f"let m = {_COUNT} in let w = {_selection(_CHECKED)} in"
_GUARD_MAY_FAIL = (
    f"let m = sum ({_N}) (fun i -> if 0.0 < {_CHECKED} then 1 else 0) in"
    f" let w = collect m [i in {_N}] (0.0 < {_CHECKED}) (v[i]) in"
)
_COUNTED = f"let m = {_COUNT} in"


def _all(element: str, guard: str = _GUARD) -> str:
    return f"sum ({_N}) (fun i -> if {guard} then {element} else zero)"


_TOTALS = (
    # where it fires: sums of anything, several of them, several selections, under the name of the count and its maximum with 0
    f"{_SCOPE} sum m (fun k -> w[k]) ~> {_COUNTED} {_all('v[i]')}",
    f"{_SCOPE} sum (maximum m 0) (fun k -> w[k]) ~> {_COUNTED} {_all('v[i]')}",
    f"{_SCOPE} let l = maximum m 0 in sum l (fun k -> w[k]) / to_float l"
    f" ~> {_COUNTED} let l = maximum m 0 in {_all('v[i]')} / to_float l",
    f"{_SCOPE} (sum m (fun k -> w[k]), sum m (fun k -> w[k] * w[k]))"
    f" ~> {_COUNTED} ({_all('v[i]')}, {_all('(let y = v[i] in y * y)')})",
    f"{_SCOPE} let l = {_COUNT} in let p = collect l [j in {_N}] (0.0 < v[j]) (sin (v[j])) in sum l (fun k -> w[k] * p[k])"
    f" ~> {_COUNTED} let l = {_COUNT} in {_all('(let y = v[i] in let z = sin (v[i]) in y * z)')}",
    f"{_SCOPE} require empty 0 < m in sum m (fun k -> w[k]) ~> {_COUNTED} require empty 0 < m in {_all('v[i]')}",
    f"{_MAY_FAIL} sum m (fun k -> w[k]) ~> {_COUNTED} {_all(_CHECKED)}",
    f"{_SCOPE} if c then sum m (fun k -> w[k]) else x ~> {_COUNTED} if c then {_all('v[i]')} else x",
    f"{_SCOPE} product m (fun k -> w[k]) ~> {_COUNTED} product ({_N}) (fun i -> if {_GUARD} then v[i] else 1.0)",
    f"{_SCOPE} any m (fun k -> w[k] < x)"
    f" ~> {_COUNTED} any ({_N}) (fun i -> if {_GUARD} then (let y = v[i] in y < x) else false)",
    f"{_SCOPE} all m (fun k -> w[k] < x)"
    f" ~> {_COUNTED} all ({_N}) (fun i -> if {_GUARD} then (let y = v[i] in y < x) else true)",
    "let m = sum (length A) (fun i -> sum (length A 1) (fun j -> if 0.0 < A[i][j] then 1 else 0)) in"
    " let w = collect m [i in length A, j in length A 1] (0.0 < A[i][j]) (A[i][j]) in sum m (fun k -> w[k])"
    " ~> let m = sum (length A) (fun i -> sum (length A 1) (fun j -> if 0.0 < A[i][j] then 1 else 0)) in"
    " sum (length A) (fun i -> sum (length A 1) (fun j -> if 0.0 < A[i][j] then A[i][j] else zero))",
    f"{_SCOPE} let a = sin x in sum m (fun k -> a * w[k]) ~> {_COUNTED} let a = sin x in {_all('(let y = v[i] in a * y)')}",
    # a selection of a selection: first the inner one is read by the outer one
    f"{_SCOPE} let l = sum m (fun i -> if w[i] < x then 1 else 0) in"
    " let p = collect l [i in m] (w[i] < x) (w[i]) in sum l (fun k -> p[k])"
    f" ~> {_SCOPE} let l = sum m (fun i -> if w[i] < x then 1 else 0) in sum m (fun i -> if w[i] < x then w[i] else zero)",
    # where something else reads the selection
    f"{_SCOPE} (w, sum m (fun k -> w[k])) ~> nothing",
    f"{_SCOPE} collect (sum m (fun i -> if w[i] < x then 1 else 0)) [i in m] (w[i] < x) (w[i]) ~> nothing",
    f"{_SCOPE} w[check j m] + sum m (fun k -> w[k]) ~> nothing",
    f"{_SCOPE} sum m (fun k -> w[k] * w[check (m - 1 - k) m]) ~> nothing",
    f"{_SCOPE} sum m (fun k -> w[k] * to_float k) ~> nothing",
    f"{_SCOPE} sum (length w) (fun k -> w[k]) ~> nothing",
    f"{_SCOPE} build m (fun k -> w[k]) ~> nothing",
    f"{_SCOPE} (build m (fun k -> w[k]), sum m (fun k -> w[k])) ~> nothing",
    f"{_SCOPE} argmax m (fun k -> w[k]) ~> nothing",
    f"{_SCOPE} max m (fun k -> w[k]) ~> nothing",
    f"{_SCOPE} x ~> nothing",
    # where it is not all of the selection
    f"{_SCOPE} sum (m - 1) (fun k -> w[k]) ~> nothing",
    f"{_SCOPE} sum 1 (fun k -> w[check k m]) ~> nothing",
    # selections of other elements
    f"{_SCOPE} let l = {_OTHER} in let p = collect l [i in {_N}] (v[i] < x) (v[i]) in"
    " require size l == m in sum l (fun k -> w[k] * p[k]) ~> nothing",
    # what may fail, in a branch or a loop, or in a loop that may stop before
    f"{_MAY_FAIL} if c then sum m (fun k -> w[k]) else x ~> nothing",
    f"{_GUARD_MAY_FAIL} if c then sum m (fun k -> w[k]) else x ~> nothing",
    f"{_MAY_FAIL} build 1 (fun j -> sum m (fun k -> w[k])) ~> nothing",
    f"{_MAY_FAIL} any m (fun k -> w[k] < x) ~> nothing",
    f"{_MAY_FAIL} (fun (y : Float) -> sum m (fun k -> w[k])) ~> nothing",
    # what would be done again too often
    f"{_SCOPE} sum m (fun j -> sum m (fun k -> w[j] * w[k])) ~> nothing",
    f"{_SCOPE} build n (fun j -> sum m (fun k -> w[k] * to_float j)) ~> nothing",
    f"let m = {_COUNT} in let w = {_selection('exp (sin (v[i]))')} in (sum m (fun k -> w[k]), sum m (fun k -> w[k] * w[k]))"
    " ~> nothing",
)

_ONE = f"let m = {_COUNT} in let w = {_selection()} in require empty 0 < m in"

EDGES: dict[str, tuple[str, ...]] = {
    "reduce_selection": _TOTALS,
    "extremum_of_selection": (
        f"{_ONE} max m (fun k -> w[k])"
        f" ~> {_COUNTED} require empty 0 < m in max ({_N}) (fun i -> if {_GUARD} then v[i] else -inf)",
        f"{_ONE} max m (fun k -> w[k]) - min m (fun k -> w[k])"
        f" ~> {_COUNTED} require empty 0 < m in max ({_N}) (fun i -> if {_GUARD} then v[i] else -inf)"
        f" - min ({_N}) (fun i -> if {_GUARD} then v[i] else inf)",
        f"{_ONE} max m (fun k -> w[k]) + sum m (fun k -> w[k])"
        f" ~> {_COUNTED} require empty 0 < m in max ({_N}) (fun i -> if {_GUARD} then v[i] else -inf) + {_all('v[i]')}",
        f"let m = {_COUNT} in let w = {_selection('i')} in require empty 0 < m in min m (fun k -> w[k])"
        f" ~> {_COUNTED} require empty 0 < m in min ({_N}) (fun i -> if {_GUARD} then i else 9223372036854775807)",
        "let m = sum (length A) (fun i -> sum i (fun j -> if 0.0 < v[check j (length v)] then 1 else 0)) in"
        " let w = collect m [i in length A, j in i] (0.0 < v[check j (length v)]) (v[check j (length v)]) in"
        " require empty 0 < m in max m (fun k -> w[k]) ~> nothing",
        f"{_ONE} argmax m (fun k -> w[k]) ~> nothing",
        f"{_ONE} (w, max m (fun k -> w[k])) ~> nothing",
    ),
}
