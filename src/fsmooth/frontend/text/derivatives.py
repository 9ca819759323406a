"""`deriv e x` and its siblings as text writes them (paper 000, Fig. 5, Fig. 6, Table 2).

They are macros around 𝒟⟦·⟧, the `Deriv` node of verb DUAL, which `differentiate` removes later.  Each has its
own fresh variables, so perturbations are not confused (Example 4).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from fsmooth.core.subst import substitute
from fsmooth.core.term import Custom, Deriv, Lam, Term, Var, Verb, let
from fsmooth.core.term.custom import jvp_type, vjp_type
from fsmooth.core.types import Function, rank_of
from fsmooth.frontend.macro import MOST_RANK, seeded
from fsmooth.frontend.text import tree
from fsmooth.frontend.text.types import a
from fsmooth.frontend.text.values import Native, Scope, Value, is_path

if TYPE_CHECKING:
    from fsmooth.frontend.text.elaborate import Elaborator


def deriv(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Value:
    """`deriv e x`: the dual number of e for each number in the variable x."""
    if len(node.arguments) != 2 or not isinstance(node.arguments[1], tree.Name):
        raise elaborator.fail("deriv takes an expression and a variable", node)
    body = elaborator.term(node.arguments[0], scope)
    along = elaborator.term(node.arguments[1], scope)
    if not isinstance(along, Var) or rank_of(along.type) > MOST_RANK:
        raise elaborator.fail("deriv is with respect to a variable: a number, a vector or a matrix", node.arguments[1])
    free = sorted([v for v in body.free if v is not along], key=_age)
    if any([isinstance(v.type, Function) for v in free]):
        raise elaborator.fail("deriv of an expression that mentions a function given from outside", node)
    inside = [v.renamed() for v in (along, *free)]
    function = Lam(tuple(inside), _renamed(body, (along, *free), inside))
    return seeded(function, [along, *free], 0)


def _age(variable: Var) -> int:
    return variable.id


def _renamed(body: Term, old: tuple[Var, ...], new: list[Var]) -> Term:
    return substitute(body, dict(zip(old, new, strict=True)))


def of_function(name: str, input_rank: int, output_rank: int) -> Callable[[Elaborator, tree.Apply, Scope], Value]:
    """`diff f x`, or `(diff f) x`: the derivative of a function, by the ranks of its input and output (Table 2)."""

    def form(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Value:
        if len(node.arguments) not in (1, 2):
            raise elaborator.fail(f"{name} takes a function, and what it is applied to", node)
        function = elaborator.value(node.arguments[0], scope)

        def at(point: Term) -> Term:
            if rank_of(point.type) != input_rank:
                raise elaborator.fail(f"{name} wants an argument of rank {input_rank}, not {a(point.type)}", node)
            x = Var("x", point.type)
            body = elaborator.call(function, [x], node)
            if rank_of(body.type) != output_rank:
                raise elaborator.fail(f"{name} wants a result of rank {output_rank}, not {a(body.type)}", node)
            lam = function if isinstance(function, Lam) else Lam((x,), body)
            if is_path(point):
                return seeded(lam, [point], 0)
            bound = Var("x", point.type)
            return let(((bound, point),), seeded(lam, [bound], 0))

        if len(node.arguments) == 2:
            return at(elaborator.term(node.arguments[1], scope))
        return Native(lambda values: at(only_term(name, values)), name)

    return form


def written_out(elaborator: Elaborator, verb: Verb, node: tree.Apply, scope: Scope) -> Term:
    """`grad[0] f`, `jvp[0, 1] f`, `dual[] f`: a `Deriv` node; `grad[0,] f` gives a tuple of one."""
    where = node.function
    assert isinstance(where, tree.Index)
    positions = [n.value for n in where.indices if isinstance(n, tree.Number) and isinstance(n.value, int)]
    if len(positions) != len(where.indices) or len(node.arguments) != 1:
        raise elaborator.fail(f"{verb.value}[positions of parameters] takes one function", node)
    function = elaborator.term(node.arguments[0], scope)
    single = len(positions) == 1 and not where.open_
    return Deriv(function, tuple(positions), verb, single=single)


def custom(elaborator: Elaborator, node: tree.Apply, scope: Scope) -> Term:
    """`custom f jvp vjp`: f with a derivative of its own; `()` stands for a rule that is not given."""
    if len(node.arguments) != 3:
        raise elaborator.fail("custom takes a function, its jvp and its vjp; () for one that is not given", node)
    function = elaborator.term(node.arguments[0], scope)
    f = function.type
    if not isinstance(f, Function):
        raise elaborator.fail(f"custom takes a function, not {a(f)}", node.arguments[0])
    jvp, vjp = [
        None if is_unit(rule) else elaborator.term(rule, scope, wanted(f))
        for rule, wanted in zip(node.arguments[1:], (jvp_type, vjp_type), strict=True)
    ]
    return Custom(function, jvp, vjp)


def is_unit(node: tree.Node) -> bool:
    """Is it `()`?"""
    return isinstance(node, tree.MakeTuple) and not node.items


def only_term(name: str, values: list[Value]) -> Term:
    """The one value, a term."""
    if len(values) != 1 or not isinstance(values[0], Term):
        raise TypeError(f"({name} f) takes one argument, a value")
    return values[0]


FORMS = {
    "deriv": deriv,
    "custom": custom,
    "diff": of_function("diff", 0, 0),
    "vdiff": of_function("vdiff", 0, 1),
    "mdiff": of_function("mdiff", 0, 2),
    "grad": of_function("grad", 1, 0),
    "jacob": of_function("jacob", 1, 1),
    "mgrad": of_function("mgrad", 2, 0),
}
"""The differentiation constructs by name."""
