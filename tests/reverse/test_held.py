"""What the last state of a fold holds: which reads and written values are proved, and that they are what is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest

from fsmooth.core.alpha import alpha_key
from fsmooth.core.arithmetic import FLOATS
from fsmooth.core.cost import Costs
from fsmooth.core.evaluate import evaluate
from fsmooth.core.shape import size_of
from fsmooth.core.subst import substitute
from fsmooth.core.term import Get, IFold, Let, Proj, Term, Var
from fsmooth.core.traverse import children, rebuild, subterms, transform
from fsmooth.core.types import F64, INT, Array, Tuple, Type, rank_of
from fsmooth.core.values import plain, value_of
from fsmooth.differentiate.reverse.held import NOTHING_HELD, Held, Table, with_held
from fsmooth.frontend.text import parse
from fsmooth.frontend.text.exact import Exact

V = Array(F64)
NAMES: dict[str, Type] = {"p": V, "d": Array(V), "x": V, "w": Array(V), "g": Array(INT), "n": INT, "c": INT}

# the fold; how many reads, and how many written values, the last state holds
PROVED = [
    ("the one before", "ifold (fun s i -> update s (i + 1) (s[i] * x[i])) p n", 1, 1),
    ("all before", "ifold (fun s i -> update s i (sum i (fun k -> s[k] * s[k + 0]))) p n", 2, 1),
    ("half of the index", "ifold (fun s i -> update s (i + i + 1) (s[i])) p n", 1, 1),
    ("downwards", "ifold (fun s i -> update s (n - 1 - i) (s[n - i] * x[i])) p n", 1, 1),
    ("under a condition", "ifold (fun s i -> update s i (if 0 < i then s[i - 1] else x[i])) p n", 1, 3),
    ("by a name", "ifold (fun s i -> let k = i + 2 in let t = s in update s k (t[k - 1])) p n", 1, 1),
    ("what was written in the step", "ifold (fun s i -> let t = update s i x[i] in update t (i + 1) t[i]) p n", 1, 1),
    ("two ahead, then one", "ifold (fun s i -> let t = update s (i + 2) x[i] in update t (i + 1) t[i]) p n", 1, 1),
    ("in one branch", "ifold (fun s i -> if x[i] < 0.5 then update s (i + 1) s[i] else s) p n", 1, 1),
    (
        "in both branches",
        "ifold (fun s i -> if x[i] < 0.5 then update s (i + 1) s[i] else update s (i + 1) 2.0) p n",
        1,
        1,
    ),
    ("in either branch", "ifold (fun s i -> if x[i] < 0.5 then update s (i + 1) s[i] else update s i s[i]) p n", 0, 1),
    (
        "by branches",
        "ifold (fun s i -> update s (i + 1) (if x[i] < 0.5 then sin s[i] else let t = exp s[i] in t)) p n",
        2,
        3,
    ),
    ("a known offset", "ifold (fun s i -> update s (c + i) (if 0 < i then s[c + i - 1] else 1.0)) p n", 1, 2),
    (
        "one of two tables",
        "ifold (fun s i -> (update (fst s) (i + 1) ((fst s)[i] * (snd s)[i]), update (snd s) i ((snd s)[i + 1]))) (p, x) n",
        1,
        2,
    ),
    (
        "a table in rows",
        "ifold (fun s i -> ifold (fun t j -> update t (i + 1) (update t[i + 1] (j + 1) (t[i][j] + t[i + 1][j] + t[i][j + 1]))) s n) d n",
        3,
        1,
    ),
    (
        "a triangle",
        "ifold (fun s i -> ifold (fun t j -> update t i (update t[i] j (sum j (fun k -> t[i][k] * t[j][k])))) s (i + 1)) d n",
        2,
        1,
    ),
    (
        "a row by a loop over the row",
        "ifold (fun s i -> update s (i + 1) (ifold (fun r j -> update r (j + 1) (r[j] + s[i][j])) s[i + 1] n)) d n",
        2,
        1,
    ),
    (
        "a row that is put there",
        "ifold (fun s i -> let row = ifold (fun r j -> update r (j + 1) (r[j] + s[i][j])) x n in update s (i + 1) row) d n",
        2,
        2,
    ),
    ("whole rows", "ifold (fun s i -> update s (i + 1) (build (length x) (fun k -> s[i][k] * x[k]))) d n", 1, 1),
    (
        "a row with a name",
        "ifold (fun s i -> let r = s[i] in update s (i + 1) (build (length x) (fun k -> r[k] + r[0]))) d n",
        3,
        1,
    ),
]

# what is not proved: a later step may write there
REFUSED = [
    ("its own", "ifold (fun s i -> update s i (s[i] * x[i])) p n", 0, 1),
    ("the next", "ifold (fun s i -> update s i (s[i + 1] * x[i])) p n", 0, 1),
    ("any", "ifold (fun s i -> update s i s[g[i]]) p n", 0, 1),
    ("the first, always", "ifold (fun s i -> update s 0 s[i]) p n", 0, 0),
    ("anywhere", "ifold (fun s i -> update s g[i] s[i]) p n", 0, 0),
    ("by a number of the state", "ifold (fun s i -> (update (fst s) (snd s) (fst s)[i], (snd s) + 1)) (p, 0) n", 0, 0),
    ("downwards, from below", "ifold (fun s i -> update s (n - 1 - i) (s[i] * x[i])) p n", 0, 1),
    ("a row below", "ifold (fun s i -> ifold (fun t j -> update t j (update t[j] i t[i][j])) s n) d n", 0, 1),
    (
        "a column at a time",
        "ifold (fun s j -> ifold (fun t i -> update t i (update t[i] j t[i + 1][j])) s n) d n",
        0,
        1,
    ),
    ("again and again", "ifold (fun s k -> ifold (fun t i -> update t (i + 1) (t[i] * x[k])) s n) p n", 0, 0),
    ("its own row", "ifold (fun s i -> update s i (build (length x) (fun k -> s[i][k] * x[k]))) d n", 0, 1),
    ("another table each time", "ifold (fun s i -> update (build (length s) (fun k -> s[k] * x[i])) i s[0]) p n", 0, 0),
    ("exchanged", "ifold (fun s i -> (update (snd s) (i + 1) 1.0, update (fst s) (i + 1) (fst s)[i])) (p, x) n", 0, 0),
    ("at the end", "ifold (fun s i -> if i == n - 1 then x else update s (i + 1) s[i]) p n", 0, 0),
    ("after a condition", "ifold (fun s i -> update s i ((if c < i then s[c] else x[i]) + s[c])) p n", 1, 1),
    (
        "one value at either of two places",
        """ifold (fun s i -> if x[i] < 0.5 then update s (i + i + 1) (update x 0 (x[i] + 1.0))
             else update s (i + i) (update x 0 (x[i] + 1.0))) d n""",
        0,
        4,
    ),
    (
        "a version of one branch",
        "ifold (fun s i -> let t = update s i x[i] in let u = t[i] in if 0.5 < x[i] then update t (i + 1) u else s) p n",
        0,
        0,
    ),
    (
        "a row of one branch",
        "ifold (fun s i -> let r = update x 0 2.0 in let q = r[0] in if 0.5 < x[i] then update s i r else update s i (update x 0 q)) d n",
        0,
        3,
    ),
    (
        "a row at two places",
        "ifold (fun s i -> let r = update x i x[0] in let a = update s (i + 1) r in update a i (build (length x) (fun k -> r[k]))) d n",
        0,
        1,
    ),
]


def fold_of(text: str) -> IFold:
    """The fold that a text writes, its state as a variable for each part."""
    term = parse(text, {name: Var(name, t) for name, t in NAMES.items()}, elaborator=Exact)
    assert isinstance(term, IFold)
    return term


def held_in(term: IFold) -> tuple[Term, Held, Var]:
    """Its body with names; what they are on the way back; the variable for the last state."""
    last = Var("last", term.type)
    several = isinstance(term.state.type, Tuple)
    count = len(term.state.type.items) if isinstance(term.state.type, Tuple) else 1
    wholes = [Proj(term.state, k) if several else term.state for k in range(count)]
    parts = [Var(f"part{k}", whole.type) for k, whole in enumerate(wholes)]

    def opened(t: Term) -> Term:
        if several and isinstance(t, Proj) and t.tuple is term.state:
            return parts[t.position]
        return parts[0] if not several and t is term.state else t

    body = transform(term.body, opened)
    tables = []
    for k, part in enumerate(parts):
        if isinstance(part.type, Array):
            sizes = [size_of(Proj(term.init, k) if several else term.init, axis) for axis in range(rank_of(part.type))]
            tables.append(Table(part, (k,) if several else (), Proj(last, k) if several else last, sizes))
    body, held = with_held(body, tables, term.index, term.size, {}, NOTHING_HELD, Costs())
    return substitute(body, dict(zip(parts, wholes, strict=True))), held, last


def count(body: Term, held: Held) -> tuple[int, int]:
    """The reads that are proved, and the values."""
    reads = [t for t in subterms(body) if isinstance(t, Get) and _root(t) in held.tables]
    inner = {t.array for t in reads}
    return len([t for t in reads if t not in inner]), len(held.values)


def _root(path: Term) -> Term:
    while isinstance(path, Get):
        path = path.array
    return path


@pytest.mark.parametrize(
    ("text", "reads", "values"), [c[1:] for c in PROVED + REFUSED], ids=[c[0] for c in PROVED + REFUSED]
)
def test_what_is_proved(text: str, reads: int, values: int) -> None:
    body, held, _ = held_in(fold_of(text))
    assert count(body, held) == (reads, values)


def from_the_end(body: Term, known: Mapping[Var, Term]) -> Term:
    """The body in which names stand for what is there at last."""

    def change(t: Term) -> Term:
        if not isinstance(t, Let):
            return t
        values = [known.get(x, value) for x, value in t.bindings]
        return rebuild(t, [*values, *children(t)[len(values) :]])

    return transform(body, change)


def as_one(term: Term) -> Term:
    """The term in which equal parts are one object."""
    known: dict[object, Term] = {}
    return transform(term, lambda t: known.setdefault(alpha_key(t), t))


@pytest.mark.parametrize("prepare", [lambda t: t, as_one], ids=["as written", "parts shared"])
@pytest.mark.parametrize("text", [c[1] for c in PROVED + REFUSED], ids=[c[0] for c in PROVED + REFUSED])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_a_second_run_may_read_the_end_of_the_first(text: str, n: int, prepare: Callable[[Term], Term]) -> None:
    term = prepare(fold_of(text))
    assert isinstance(term, IFold)
    body, held, last = held_in(term)
    size = 2 * n + 3
    chance = np.random.default_rng(n)
    given = {
        "p": chance.random(size),
        "d": chance.random((size, size)),
        "x": chance.random(size),
        "w": chance.random((size, size)),
        "g": chance.integers(0, size, size),
        "n": n,
        "c": 2,
    }
    values = {x: value_of(given[x.name], x.type) for x in term.free}
    end = evaluate(term, values, FLOATS)
    for name, there in [
        *held.tables.items(),
        *held.values.items(),
    ]:  # one by one: behind one that is right others may be wrong
        again = IFold(term.size, term.init, term.state, term.index, from_the_end(body, {name: there}))
        found = evaluate(again, {**values, last: end}, FLOATS)
        for a, b in zip(parts(plain(found, term.type)), parts(plain(end, term.type)), strict=True):
            np.testing.assert_array_equal(a, b)


def parts(value: object) -> tuple[object, ...]:
    """The parts of a state."""
    return value if isinstance(value, tuple) else (value,)
