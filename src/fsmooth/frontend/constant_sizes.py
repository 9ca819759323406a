"""Sizes that annotations give as numbers become these numbers, wherever the program speaks of them.

Before: `let row = x[i] in length row`, where x is annotated as an array of three columns.  After: `let row = x[i] in 3`.
That x has three columns is required before the body, so that this is no weaker.
"""

from __future__ import annotations

from collections.abc import Mapping

from fsmooth.core.term import App, Const, Custom, Deriv, Get, Lam, Length, Let, MakeTuple, Proj, Term, Var
from fsmooth.core.traverse import children, subterms, transform


def with_constant_sizes(body: Term, sizes: Mapping[tuple[Var | int, ...], int]) -> Term:
    """`body`, where the lengths of these variables, or parts of them, along these axes are constants, and of what is in these."""
    if not sizes:
        return body
    values = _values(body)

    def change(term: Term) -> Term:
        if not isinstance(term, Length):
            return term
        array, axis = term.array, term.axis
        path: tuple[int, ...] = ()
        while True:
            match array:
                case Var() if (array, *path, axis) in sizes:
                    return Const(sizes[(array, *path, axis)])
                case Var() if array in values:
                    array = values[array]
                case Get(whole, _) if not path:
                    array, axis = whole, axis + 1
                case Proj(whole, k):
                    array, path = whole, (k, *path)
                case MakeTuple(items) if path:
                    array, path = items[path[0]], path[1:]
                case _:
                    return term

    return transform(body, change)


def _values(body: Term) -> dict[Var, Term]:
    """What each name stands for; the arguments of a derivative have the shapes of its function's parameters."""
    values: dict[Var, Term] = {}
    for term in subterms(body):
        match term:
            case Let(bindings, _):
                values.update(bindings)
            case App(Lam(parameters, _), arguments) | App(Deriv(Lam(parameters, _)), arguments):
                values.update(zip(parameters, arguments, strict=False))
            case App(Custom() as custom, arguments):
                for own in children(custom):
                    values.update(zip(own.parameters if isinstance(own, Lam) else (), arguments, strict=False))
    return values
