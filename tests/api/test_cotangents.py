"""`.explain()` names each cotangent array of a reverse derivative that got memory of its own."""

from __future__ import annotations

import numpy as np

import fsmooth as fs

V = np.linspace(0.5, 1.5, 40)


def cotangents(text: str) -> list[str]:
    lines = text[text.index("cotangents:") :].split("\n\n")[0].splitlines()
    return [line.strip() for line in lines[1:]]


def gradient_of(f, *arguments, wrt=0) -> list[str]:
    return cotangents(fs.grad(f, wrt, method="reverse").explain(*arguments))


def test_nothing_is_materialised() -> None:
    """What leaves the loops is added to the result."""
    assert gradient_of(lambda u, v: sum(fs.exp(u[i] * v[j]) for i in range(len(u)) for j in range(len(v))), V, V) == [
        "no cotangent array was materialised"
    ]
    assert gradient_of(lambda x: fs.sin(x) * x, 2.0) == ["no cotangent array was materialised"]


def test_what_is_read_after_it_is_filled() -> None:
    """Of which variable, its size, the line that fills it, and why."""

    def f(v):
        u = [fs.sin(x) for x in v]
        s = 1.0
        for i in range(len(v)):
            s = s * u[i] + u[len(v) - 1 - i] * s * s
        return sum(u[i] * u[i] for i in range(len(v))) * s

    line = f.__code__.co_firstlineno + 5
    assert gradient_of(f, V) == [
        "u_bar: v_n0 numbers in the arena, once per call; the cotangent of u; "
        f"one loop fills it (line {line}), a later one reads it",
    ]


def test_cotangents_beside_a_value() -> None:
    """A loop gives both; what it is made of are constants and values, for the cotangent of the sum is 1."""

    def f(m, v):
        y = [sum(m[i, j] * v[j] for j in range(len(v))) for i in range(len(m))]
        return sum(fs.exp(y[i] * y[k]) for i in range(len(y)) for k in range(len(y)))

    line = f.__code__.co_firstlineno + 2
    found = cotangents(fs.value_and_grad(f, method="reverse").explain(np.ones((40, 40)), V))
    assert found == [
        "sum_both_1: m_n0 numbers in the arena, once per call; "
        "what the loop or branch of an unnamed value (sum) gives to cotangents; "
        f"one loop fills it (line {line}), a later one reads it"
    ]


def test_a_state_that_runs_back() -> None:
    def f(W, v):
        state = v
        for _ in range(5):
            state = [fs.tanh(sum(W[i, j] * state[j] for j in range(len(v)))) for i in range(len(v))]
        return sum(x for x in state)

    line = f.__code__.co_firstlineno + 3
    found = gradient_of(f, np.ones((40, 40)), V)
    for name in ("back_0", "back_0_1_spare"):
        assert (
            f"{name}: v_n0 numbers in the arena, once per call; the cotangents of the state of a loop, which runs back; "
            f"each step of a loop (line {line}) needs all of what the step before left"
        ) in found


def test_on_the_stack() -> None:
    def f(A: fs.Array[50, 3], w):
        total = 0.0
        for i in range(len(A)):
            p = A[i] * w
            q = p if p[0] > 0.0 else p * 2.0
            total += fs.sin(q[0] * q[1]) * q[2] + np.sum(p * q)
        return total

    found = gradient_of(f, np.ones((50, 3)), np.ones(3), wrt=("A", "w"))
    assert [line for line in found if "3 numbers on the stack; the cotangent of " in line]


def test_names_of_the_user_are_not_mistaken() -> None:
    """A user's `y_bar` is a variable like any other."""

    def f(v):
        y_bar = [fs.exp(x) for x in v]
        total = 0.0
        for i in range(len(v)):
            total = total * y_bar[i] + y_bar[len(v) - 1 - i]
        return total

    found = gradient_of(f, V)
    assert not [line for line in found if line.startswith("y_bar:")]


def test_pullbacks_and_forward_mode() -> None:
    def f(v):
        return [fs.sin(x) for x in v]

    _, pullback = fs.vjp(f)(V)
    assert cotangents(pullback.explain()) == ["no cotangent array was materialised"]
    assert "cotangents:" not in fs.jvp(f).explain(V, tangent=V)
    assert "cotangents:" not in fs.function(f).explain(V)
