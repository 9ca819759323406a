"""The same derivative by several routes, as terms."""

from __future__ import annotations

from typing import cast

import numpy as np

from fsmooth.core.arithmetic import FLOATS as ARITHMETIC
from fsmooth.core.evaluate import Value, evaluate
from fsmooth.core.term import App, Deriv, Lam, Method, Term, Verb
from fsmooth.core.values import plain, value_of
from fsmooth.differentiate.remove import remove_derivatives
from fsmooth.optimise.schedules import BEFORE_DERIVATIVE


def derivative(program: Lam, wrt: tuple[int, ...], verb: Verb, method: Method, *, single: bool = False) -> Lam:
    """A derivative still to be made, as a function of the program's parameters."""
    parameters = tuple([x.renamed() for x in program.parameters])
    return Lam(parameters, App(Deriv(program, wrt, verb, method, single), parameters))


def made(term: Term) -> Lam:
    """The term without derivatives, as the compiler makes it."""
    return cast(Lam, remove_derivatives(term, BEFORE_DERIVATIVE))


def reversed_(program: Lam, wrt: tuple[int, ...], verb: Verb = Verb.GRAD, *, single: bool = False) -> Lam:
    """A gradient by reverse mode."""
    return made(derivative(program, wrt, verb, Method.REVERSE, single=single))


def pulled(program: Lam, wrt: tuple[int, ...], *, single: bool = False) -> Lam:
    """A function of the arguments and a cotangent: (value, cotangents of the arguments `wrt`)."""
    return made(Deriv(program, wrt, Verb.VJP, Method.REVERSE, single))


def result(program: Lam, *arguments: object) -> object:
    """What the interpreter makes of it, as NumPy arrays and tuples."""
    values = [value_of(a, x.type) for a, x in zip(arguments, program.parameters, strict=True)]
    value: Value = evaluate(program.body, dict(zip(program.parameters, values, strict=True)), ARITHMETIC)
    return plain(value, program.body.type)


def vector(result: object) -> np.ndarray:
    """All numbers of (tuples of) arrays."""
    if isinstance(result, tuple):
        return np.concatenate([np.zeros(0), *[vector(x) for x in result]])
    return np.asarray(result, dtype=np.float64).ravel()
