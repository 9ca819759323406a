"""What cannot be shipped in the caller's memory, and what a library is not made of: the texts of the errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import fsmooth as fs


def search(a, x):
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1) + power(x, n // 2)


def chosen(x, k):
    return np.sum(np.sort(np.array([x[0] for _ in range(k[0])])))


@dataclass
class Leaf:
    value: float


@dataclass
class Fork:
    left: Leaf | Fork
    right: Leaf | Fork


def total(tree: Leaf | Fork):
    return tree.value if isinstance(tree, Leaf) else total(tree.left) * total(tree.right)


REFUSED = {
    "search": (
        fs.grad(search, method="reverse"),
        (2.0, 1.0),
        'l_search: with memory="caller" nobody can say how much memory a call takes: `x_1`: '
        f'its size is known only when it runs\n  File "{__file__}", line {search.__code__.co_firstlineno + 1}\n    while abs(x * x - a) > 1e-12:\n',
    ),
    "chosen": (fs.function(chosen), (np.ones(3), np.array([2])), "its size is known only when it runs"),
    "power": (
        fs.function(power),
        (0.5, 3),
        "takes: a function calls itself\n  hint: write a loop, or leave memory out",
    ),
    "tape": (
        fs.grad(lambda x: np.sum(np.sin(x)), method="tape"),
        (np.ones(3),),
        "takes: a tape grows\n  hint: take method='reverse'",
    ),
    "unique": (
        fs.function(lambda x: np.unique(x)),
        (np.ones(3),),
        "takes: the sizes of its results take memory to find\n  hint: give the result a size that the arguments say, ",
    ),
    "threads": (
        fs.function(lambda x: np.sum(np.sin(x)), threads=2),
        (np.ones(100_000),),
        "takes: loops run on threads\n  hint: leave threads out",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_nobody_can_say(name, tmp_path):
    f, example, said = REFUSED[name]
    with pytest.raises(fs.UnsupportedError) as error:
        fs.library("l", memory="caller", **{name: f}).save(tmp_path / "l", example=example)
    assert said in str(error.value)
    assert list(tmp_path.iterdir()) == []
    fs.library("l", **{name: f}).save(tmp_path / "l", example=example)


def test_the_loop_is_named(tmp_path):
    with pytest.raises(fs.UnsupportedError) as error:
        fs.library("l", kept_lengths, memory="caller").save(tmp_path / "l", example=(np.ones(3), np.array([1, 2])))
    assert f'File "{__file__}", line ' in str(error.value)
    assert "for k in range(len(n)):\n" in str(error.value)


def kept_lengths(x, n):
    found = 0.0
    for k in range(len(n)):
        found += np.sort(np.array([x[0] * j for j in range(n[k])]))[0]
    return found


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: fs.library("2robots", search),
            "'2robots' is no name of C\n  hint: letters, digits and _, such as 'v2robots'",
        ),
        (lambda: fs.library("robot"), "robot: a library has functions\n  hint: fs.library('robot', f, fs.grad(f))"),
        (lambda: fs.library("robot", search, memory="stack"), 'memory=\'stack\'\n  hint: use "heap" or "caller"'),
        (
            lambda: fs.library("robot", search, batch=3),
            "batch=3\n  hint: True, to have each function for many elements; a function has another name",
        ),
        (
            lambda: fs.library("robot", search, search),
            "robot: two functions are called search\n  hint: name one of them, fs.library('robot', …, other=f)",
        ),
        (
            lambda: fs.library("robot", search, search_work=power),
            "robot: search_work is what the library has itself\n  hint: name the function, fs.library('robot', …, other=f)",
        ),
        (
            lambda: fs.library("robot", error_text=power),
            "robot: error_text is what the library has itself\n  hint: name the function, fs.library('robot', …, other=f)",
        ),
        (
            lambda: fs.library("robot", fs.vjp(search)),
            "robot: a vjp gives a function of Python\n  hint: use fs.grad, fs.jacobian or fs.value_and_grad",
        ),
        (
            lambda: fs.library("robot", power).save("unused", example=np.ones(3)),
            "the example is a ndarray, and not the arguments\n  hint: example=(x,) for one argument x",
        ),
        (
            lambda: fs.library("robot", search, power).save("unused", example={"search": (1.0, 2.0)}),
            "robot: there is no example for power\n"
            "  hint: example={'search': (…), 'power': (…)} has arguments for each function",
        ),
    ],
)
def test_mistakes(make, said):
    with pytest.raises(fs.ArgumentError) as error:
        make()
    assert str(error.value) == said
