"""Recurrences, their derivatives, and how often those evaluate sines and the like."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import cast

from fsmooth.core.arithmetic.floats import Floats
from fsmooth.core.evaluate import ArrayValue, evaluate
from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Lam, Method, Verb
from fsmooth.core.types import Type
from fsmooth.core.values import value_of
from fsmooth.library import parse
from fsmooth.optimise.schedules import SCHEDULES
from fsmooth.rewrite.trace import Trace
from tests.accuracy.cases import differentiated

PROGRAMS = {
    "two parameters": (
        "fun (p : Array<Float>) (m : Int) -> fst (ifold (fun s k ->"
        " let a = p[0] * sin s.0 + p[1] * s.1 in let v = s.1 + 0.01 * a in (s.0 + 0.01 * v, v)) (1.0, 0.5) m)"
    ),
    "any number of parameters": (
        "fun (p : Array<Float>) (m : Int) ->"
        " ifold (fun x k -> x + 0.01 * (sin x * sum (length p) (fun j -> p[j] * to_float (j + 1)))) 1.0 m"
    ),
    "a loop in the loop": (
        "fun (p : Array<Float>) (m : Int) -> ifold (fun x k ->"
        " x + 0.01 * ifold (fun s j -> s + p[j] * sin (x * to_float j)) 0.0 (length p)) 1.0 m"
    ),
    "a parameter in each step": (
        "fun (p : Array<Float>) (m : Int) -> snd (ifold (fun s k -> (s.0 + sin s.0, s.1 + p[k] * cos s.0)) (0.5, 0.0) (length p))"
    ),
    "a branch": (
        "fun (p : Array<Float>) (m : Int) -> fst (ifold (fun s k ->"
        " if s.0 < 1.1 then (s.0 + 0.1 * sin s.1, s.1 + p[0]) else (s.0 * p[1], cos s.1)) (1.0, 0.5) m)"
    ),
    "several results": (
        "fun (p : Array<Float>) (m : Int) -> let r = ifold (fun s k ->"
        " (s.0 + 0.01 * sin s.1, s.1 + 0.01 * p[0] * cos s.0 + p[1])) (1.0, 0.5) m in [r.0, r.1, r.0 * r.1]"
    ),
    "what goes in depends on the parameter": (
        "fun (p : Array<Float>) (m : Int) -> sum (length p) (fun j ->"
        " ifold (fun x k -> x + 0.01 * sin (x * p[j])) (exp p[0]) m)"
    ),
}


class Calls(Floats):
    """Arithmetic that counts the evaluations of expensive functions."""

    def __init__(self) -> None:
        self.found: Counter[str] = Counter()

    def apply(self, primitive: Primitive, arguments: Sequence[object], type_: Type) -> object:
        if primitive.weight >= 15:
            self.found[primitive.name] += 1
        return super().apply(primitive, arguments, type_)


def derivative(name: str, verb: Verb = Verb.JACOBIAN) -> Lam:
    sys.setrecursionlimit(100_000)
    return differentiated(cast(Lam, parse(PROGRAMS[name])), (0,), verb, Method.FORWARD)


def optimised(term: Lam, schedule: str = "DEFAULT") -> tuple[Lam, Counter[str]]:
    """The optimised term, and the rules that fired."""
    trace = Trace()
    return cast(Lam, SCHEDULES[schedule](term, trace)), Counter(trace.fired)


def run(term: Lam, *arguments: object) -> tuple[list[float], Counter[str]]:
    """The numbers in the value, and how often expensive functions were evaluated."""
    calls = Calls()
    values = [value_of(a, q.type) for a, q in zip(arguments, term.parameters, strict=True)]
    return list(numbers(evaluate(term.body, dict(zip(term.parameters, values, strict=True)), calls))), calls.found


def numbers(value: object) -> Iterator[float]:
    """All numbers in a value."""
    if isinstance(value, ArrayValue):
        value = tuple(value.items)
    if not isinstance(value, tuple):
        yield cast(float, value)
        return
    for part in value:
        yield from numbers(part)
