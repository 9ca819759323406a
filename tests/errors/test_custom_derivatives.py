"""What is said about mistakes in the rules of `fs.custom_derivative`: where they are given, and where they are read."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

import fsmooth as fs

V = np.array([1.0, 2.0, 3.0])
own = fs.custom_derivative


def product(x, y):  # type: ignore[no-untyped-def]
    return x * y


def squares(v):  # type: ignore[no-untyped-def]
    return [x * x for x in v]


GIVEN: list[tuple[Callable[[], object], str]] = [
    (
        lambda: own(product),
        "a custom derivative without a rule\n"
        "  hint: give jvp=…, vjp=…, or both; fs.function compiles a function that has none of its own",
    ),
    (
        lambda: own(product, jvp=lambda x, y, dx: dx),
        "the jvp of product takes (x, y, dx), and is given 4 arguments\n"
        "  hint: the arguments, then a tangent for each: (x, y, dx, dy)",
    ),
    (
        lambda: own(product, vjp=lambda c: c),
        "the vjp of product takes (c), and is given 3 arguments\n"
        "  hint: the arguments, then the cotangent of the value: (x, y, c)",
    ),
    (
        lambda: own(product, vjp=np.sin),
        "vjp=<ufunc 'sin'> is not a Python function\n  hint: give a def or a lambda",
    ),
    (lambda: own(3, jvp=lambda x, dx: dx), "function=3 is not a Python function\n  hint: give a def or a lambda"),  # type: ignore[call-overload]
    (
        lambda: own(fs.grad(product), jvp=lambda x, y, dx, dy: dx),
        "function=<fsmooth grad_product(x, y)> is not a plain function\n  hint: wrap it: lambda x: grad_product(x)",
    ),
    (lambda: own(product, jvp=lambda x, y, dx, dy: dx, check=1), "check=1\n  hint: use True or False"),  # type: ignore[call-overload]
    (
        lambda: own(jvp=None),
        "a custom derivative without a rule\n"
        "  hint: give jvp=…, vjp=…, or both; fs.function compiles a function that has none of its own",
    ),
]


@pytest.mark.parametrize(("give", "text"), GIVEN, ids=range(len(GIVEN)))
def test_when_it_is_given(give: Callable[[], object], text: str) -> None:
    with pytest.raises(fs.ArgumentError) as caught:
        give()
    assert str(caught.value) == text


READ: list[tuple[Callable[[], object], type[fs.Error], str]] = [
    (
        lambda: fs.jacobian(own(squares, jvp=lambda v, dv: dv[0]))(V),
        fs.TypeMismatchError,
        "the jvp of squares gives a number, where the tangent of its value is a 1-dimensional array of numbers\n"
        "  … dv[0]\n  hint: return it in the structure of the value itself",
    ),
    (
        lambda: fs.grad(own(product, vjp=lambda x, y, c: (c * y, [c * x])))(1.0, 2.0),
        fs.TypeMismatchError,
        "the vjp of product gives a 1-dimensional array of numbers, where the cotangent of y is a number\n"
        "  … (c * y, [c * x])\n  hint: return it in the structure of the value itself",
    ),
    (
        lambda: fs.grad(own(product, vjp=lambda x, y, c: c * y))(1.0, 2.0),
        fs.TypeMismatchError,
        "the vjp of product gives a number, not a cotangent for each of x, y\n"
        "  … c * y\n  hint: return a tuple of 2, in the order of the parameters",
    ),
    (
        lambda: fs.grad(own(product, vjp=lambda x, y, c: (c * y, None)))(1.0, 2.0),
        fs.TypeMismatchError,
        "the vjp of product gives None, where the cotangent of y is a number\n  … (c * y, None)\n"
        "  hint: return it in the structure of the value itself",
    ),
    (
        lambda: fs.grad(own(product, jvp=lambda x, y, dx, dy: print(dx)))(1.0, 2.0),
        fs.UnsupportedError,
        "print cannot be used in a compiled function\n"
        "  … print(dx)\n  hint: write fs.debug_print(…), which prints where the program runs as Python: with FSMOOTH_PYTHON=1",
    ),
    (
        lambda: fs.jacobian(own(squares, jvp=lambda v, dv: [dv[0]]))(V),
        fs.SizeError,
        "sizes 3 and 1 differ\n  … [dv[0]]\n"
        "  hint: give arrays of equal size; element by element a size of 1 is stretched if it is known while compiling: "
        'write x[0] or x[:1], or annotate the argument, fs.Array["n", 1]',
    ),
    (
        lambda: fs.jacobian(own(lambda v: [x * x for x in v] + [1.0], jvp=lambda v, dv: dv))(V),
        fs.SizeError,
        "sizes 4 and 3 differ\n  … dv\n  hint: give arrays of equal size",
    ),
    (
        lambda: fs.function(lambda x: own(lambda y: y, jvp=lambda y, dy: dy)(x))(1.0),
        fs.UnsupportedError,
        "fs.custom_derivative cannot be used in a compiled function\n"
        "  … own(lambda y: y, jvp=lambda y, dy: dy)\n"
        "  hint: give the function its derivative outside, and call it here",
    ),
    (
        lambda: fs.grad(lambda x: own_of(lambda y: y * x, x))(1.0),
        fs.NotDifferentiableError,
        "anonymous has a derivative of its own, and mentions x, which is differentiated\n"
        "  hint: make x an argument of anonymous",
    ),
]
own_of = own(lambda g, y: g(y), jvp=lambda g, y, dg, dy: dy)


@pytest.mark.parametrize(("read", "kind", "text"), READ, ids=range(len(READ)))
def test_when_it_is_read(read: Callable[[], object], kind: type[fs.Error], text: str) -> None:
    with pytest.raises(kind) as caught:
        read()
    assert _marked(str(caught.value)) == text


def _marked(message: str) -> str:
    """A message with what is underlined in place of file, line and mark."""
    found = re.search(r'\n  File ".*", line \d+\n    (.*)\n    ( *)(\^+)', message)
    if found is None:
        return message
    line, before, mark = found.groups()
    return message.replace(found[0], f"\n  … {line[len(before) : len(before) + len(mark)]}")
