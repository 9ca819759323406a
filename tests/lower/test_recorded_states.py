"""States that every step records whole live in the rows where they are recorded: no copies, no buffers exchanged."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import fsmooth as fs
from fsmooth.core.term import IFold, Lam, Length, Let, MakeTuple, Proj, Term, Update, Var, Zero
from fsmooth.core.types import INT, Array, Tuple
from fsmooth.loops import tree as t
from fsmooth.loops.usage import walk
from fsmooth.lower.functions import lower
from tests.accuracy.judge import bounded, disagreement
from tests.lower.harness import compile_all, expected
from tests.lower.random_folds import Generator, V
from tests.lower.recorded_programs import ELSEWHERE, RECORDED, RECORDED_PROGRAMS


def test_values_are_those_of_the_interpreter() -> None:
    terms = [term for term, _ in RECORDED_PROGRAMS.values()]
    compiled = compile_all(terms)
    for program, (term, cases) in zip(compiled, RECORDED_PROGRAMS.values(), strict=True):
        for arguments in cases:
            found, wanted = program(*arguments), expected(term, *arguments)
            for f, w in zip(_flat(found), _flat(wanted), strict=True):
                np.testing.assert_allclose(f, w, rtol=1e-13)


def _flat(value: object) -> list[object]:
    return [x for item in value for x in _flat(item)] if isinstance(value, tuple) else [value]


def _loop(name: str) -> list[t.Statement]:
    """What the innermost sequential loop does in a step."""
    body = lower(RECORDED_PROGRAMS[name][0], "f").kernel.body
    [*_, loop] = [s for s in walk(body) if isinstance(s, t.For) and any([isinstance(x, t.Choose) for x in s.body])]
    return list(walk(loop.body))


COPIED = {"a loop in a step": 1, "a loop that changes numbers": 1, "one number changes": 1}
COPIED |= {"a branch": 1, "another branch": 1, "recorded twice": 1, "a row is kept too": 1, "two states": 1}
"""What goes from one row to the next, or to a second place, is copied, as before."""


@pytest.mark.parametrize("name", RECORDED)
def test_each_step_writes_the_next_row(name: str) -> None:
    body = _loop(name)
    assert [s for s in body if isinstance(s, t.Choose) and s.beside is not None]
    assert len([s for s in body if isinstance(s, t.Copy)]) == COPIED.get(name, 0)
    if name != "a loop in a step":
        assert not [s for s in body if isinstance(s, t.Swap)]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_may_not_fit_or_is_no_row_of_the_step_is_elsewhere(name: str) -> None:
    body = lower(RECORDED_PROGRAMS[name][0], "f").kernel.body
    assert not [s for s in walk(body) if isinstance(s, t.Choose) and s.beside is not None]


def test_only_rows_that_no_step_writes_are_set_to_zero() -> None:
    source = compile_all([RECORDED_PROGRAMS["in the first rows"][0]])[0].program.source
    rows = re.findall(r"memset\((.*), 0, (.*) \* sizeof", source)
    assert len(rows) == 1, rows
    assert " - " in rows[0][1]
    for name in ("made of all of it", "in rows that are not zero"):
        assert "memset" not in compile_all([RECORDED_PROGRAMS[name][0]])[0].program.source


class Recording(Generator):
    """A fold over random steps, each of which records one or two of the vectors of its state."""

    def function(self) -> Lam:
        type_ = self.r.choice((Tuple((V,)), Tuple((V, V)), Tuple((V, Array(V), V))))
        scope: list[Term] = [self.v, self.w, self.n]
        first = Var("first", type_)
        places = [k for k, item in enumerate(type_.items) if item == V]
        recorded = self.r.sample(places, self.r.randint(1, len(places)))
        rows = [Zero((self.n, Length(Proj(first, k)))) for k in recorded]
        state = Var("s", Tuple((type_, *[r.type for r in rows])))
        index = Var("i", INT)
        own = [Proj(Proj(state, 0), k) for k in range(len(type_.items))]
        scope += [*own, *own, index]
        bindings = []
        for _ in range(self.r.randint(0, 2)):
            var = Var("b", self.r.choice((V, V, Array(V))))
            bindings.append((var, self.term(var.type, 2, scope)))
            scope.append(var)
        following = MakeTuple(tuple([self.term(item, 3, scope) for item in type_.items]))
        kept = [Update(Proj(state, 1 + at), index, Proj(Proj(state, 0), k)) for at, k in enumerate(recorded)]
        end: Term = MakeTuple((following, *kept))
        body = Let(tuple(bindings), end) if bindings else end
        initial = MakeTuple(tuple([self.term(item, 2, [self.v, self.w, self.n]) for item in type_.items]))
        fold = IFold(self.n, MakeTuple((first, *rows)), state, index, body)
        return Lam((self.v, self.w, self.n), Let(((first, initial),), fold))


@pytest.mark.parametrize("start", [0, 1000])
def test_random_steps(start: int) -> None:
    terms = [Recording(start + k).function() for k in range(100)]
    judged = in_rows = 0
    for term, compiled in zip(terms, compile_all(terms), strict=True):
        in_rows += "_row = " in compiled.program.source
        for steps in (0, 1, 2, 5):
            v, w = np.cos(np.arange(9) + 0.5), np.sin(3.0 * np.arange(9))
            wanted = bounded(term, [v, w, steps])
            judged += wanted.is_sure
            assert not wanted.is_sure or not disagreement(compiled(v, w, steps), wanted, 1e-12)
    assert in_rows > 80
    assert judged > 350


def last_of(x, steps):
    """A state of which each step makes the next."""
    y = [math.sin(a) for a in x]
    for _ in range(steps):
        y = [y[i] + 0.1 * x[i] * y[len(x) - 1 - i] * y[i] for i in range(len(x))]
    return y[len(x) - 1]


def history(x, steps):
    """All states, and the last one."""
    states = [[0.0 for _ in x] for _ in range(steps)]
    y = [a for a in x]
    for k in range(steps):
        states[k] = y
        y = [y[i] + y[len(x) - 1 - i] for i in range(len(x))]
    return states, y


def _in_loops(source: str) -> str:
    return "\n".join([line for line in source.splitlines() if line.startswith(" " * 8)])


def test_a_history_that_is_returned_is_computed_where_it_is_returned() -> None:
    f = fs.function(history)
    x = np.arange(1.0, 4.0)
    for steps in (-1, 0, 1, 2, 5):
        wanted = [x]
        for _ in range(steps):
            wanted.append(wanted[-1] + wanted[-1][::-1])
        states, y = f(x, steps)
        np.testing.assert_array_equal(states, np.array(wanted[:-1]).reshape(-1, 3))
        np.testing.assert_array_equal(y, wanted[-1])
    np.testing.assert_array_equal(x, np.arange(1.0, 4.0))
    source = f.c_source(x, 3)
    body = source[source.index("/* line") :]
    step = body[body.index("_row = ") :]
    assert not re.search("memcpy|_held", step)
    assert source.count("memcpy") == 1  # the argument to the first row
    assert not re.search("memset|_spare", source)


def test_what_may_fail_is_not_left_out() -> None:
    def looked_up(x, k, steps):
        states = [[x[k] for _ in x] for _ in range(steps)]
        y = [a for a in x]
        for i in range(steps):
            states[i] = y
            y = [a + 1.0 for a in y]
        return states

    f = fs.function(looked_up)
    np.testing.assert_array_equal(f(np.zeros(2), 1, 3), [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    with pytest.raises(fs.IndexOutOfBoundsError):
        f(np.zeros(2), 2, 3)


@pytest.mark.parametrize("checkpoint", [False, True])
def test_states_that_are_saved_are_not_copied(checkpoint: bool) -> None:
    gradient = fs.grad(last_of, method="reverse", checkpoint=checkpoint)
    x = np.array([0.3, -0.7, 1.1])
    for steps in (-1, 0, 1, 2, 3, 9, 10):
        wanted = fs.grad(last_of, method="forward")(x, steps)
        np.testing.assert_allclose(gradient(x, steps), wanted, rtol=1e-12)
    source = _in_loops(gradient.c_source(x, 3))
    assert "_row = " in source
    if not checkpoint:
        assert "memcpy" not in source
        assert "memset" not in source
    assert all([" - " in line for line in source.splitlines() if "memset" in line and " * " in line])
    assert not re.search(r"\n {12,}memcpy", source)  # of a block the first state is copied, and no other


def test_states_that_a_pullback_reads_live_in_what_it_is_given() -> None:
    def states(x, steps):
        y = [a for a in x]
        for _ in range(steps):
            y = [y[i] + 0.1 * x[i] * y[len(x) - 1 - i] * y[i] for i in range(len(x))]
        return y

    pull = fs.vjp(states, wrt="x")
    x = np.array([0.3, -0.7, 1.1])
    for steps in (0, 1, 2, 5):
        value, back = pull(x, steps)
        jacobian = fs.jacobian(states, wrt="x", method="forward")(x, steps)
        np.testing.assert_allclose(value, states(x, steps), rtol=1e-14)
        for seed in np.eye(3):
            np.testing.assert_allclose(back(seed), seed @ jacobian, rtol=1e-12)
