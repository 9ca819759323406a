"""Derivatives inside programs: `fs.grad(f, wrt=…)(x)` becomes `App(Deriv(fun …), …)` (design §2)."""

from __future__ import annotations

import ast

from fsmooth.core.alternatives import holds_alternatives, holds_many_alternatives
from fsmooth.core.build import project
from fsmooth.core.term import App, Deriv, IllTyped, Lam, MakeTuple, Proj, Term, Var, Verb
from fsmooth.core.term import Method as How
from fsmooth.core.trees import holds_nodes
from fsmooth.core.types import F32, Float, Function, Int, Tuple, Type, has_float, leaf_of, scalars_of
from fsmooth.core.weak import in_single, is_weak, strong
from fsmooth.errors import (
    ArgumentMismatchError,
    NotDifferentiableError,
    ProgramMethodError,
    TypeMismatchError,
)
from fsmooth.frontend.programs import METHODS, ONLY, OTHER, tangent_place
from fsmooth.frontend.python.conversion import convert
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.function_terms import differentiated_times, function_term
from fsmooth.frontend.python.functions import constant_object, matched
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.parts import is_run_time, seen
from fsmooth.frontend.python.programs import applied, function_at, signature_of_value
from fsmooth.frontend.python.returned_nodes import as_columns
from fsmooth.frontend.python.sizes import alike
from fsmooth.frontend.python.tagged_derivatives import tagged_again, without_tags
from fsmooth.frontend.python.tree_derivatives import whole_again, without_structure
from fsmooth.frontend.python.values import Derived, Keyed, Pullback, Static, Unrolled, Value

VERBS = {
    "grad": Verb.GRAD,
    "mgrad": Verb.GRAD,
    "value_and_grad": Verb.VALUE_AND_GRAD,
    "jacobian": Verb.JACOBIAN,
    "jacob": Verb.JACOBIAN,
    "diff": Verb.JACOBIAN,
    "vdiff": Verb.JACOBIAN,
    "mdiff": Verb.JACOBIAN,
    "jvp": Verb.JVP,
    "vjp": Verb.VJP,
    "hvp": Verb.HVP,
}
"""The verbs that make a derivative of a function."""

ALONG_TANGENTS = (Verb.JVP, Verb.HVP)
"""The verbs whose derivative is called with `tangent=…`."""


WITHOUT_CHECKPOINTS = ("jvp",)
"""The verbs that save no states of loops."""


OF_THE_WHOLE = {
    "schedule": "the schedule is that of the whole program",
    "blas": "the BLAS is that of the whole program: give it where that is compiled",
    "threads": "threads are those of the whole program: give them where that is compiled",
    "checks": 'proofs are asked of the whole program: fs.function(checks="proved")',
}
"""Keywords of verbs that have no meaning in a program, and what to do."""


def derive(frame: Frame, verb: str, node: ast.Call) -> Value:
    """fs.grad(f, wrt=…, method=…) inside a program."""
    if not 1 <= len(node.args) <= 2:
        what = f"fs.{verb} takes a function and wrt, not {len(node.args)} arguments"
        frame.fail(ArgumentMismatchError, node, what, f"write fs.{verb}(f, wrt=…)")
    base = function_at(frame, node.args[0])
    how, checkpoint = How.AUTO, False
    wrt: object = constant_object(frame, node.args[1]) if len(node.args) > 1 else None
    for keyword in node.keywords:
        if keyword.arg == "wrt" and len(node.args) == 1:
            wrt = constant_object(frame, keyword.value)
        elif keyword.arg == "method":
            how = method_named(frame, constant_object(frame, keyword.value), node)
        elif keyword.arg == "checkpoint" and verb not in WITHOUT_CHECKPOINTS:
            checkpoint = checkpoint_asked(frame, constant_object(frame, keyword.value), node)
        else:
            hint = OF_THE_WHOLE.get(keyword.arg or "", "leave it out")
            frame.fail(ArgumentMismatchError, node, f"fs.{verb} has no argument {keyword.arg} in a program", hint)
    if wrt == ():
        frame.fail(ArgumentMismatchError, node, "wrt=() names no parameter", "name at least one")
    if base is None:
        frame.fail(TypeMismatchError, node, f"fs.{verb} wants a function", f"write fs.{verb}(lambda x: …)")
    refuse_method(frame, verb, how, node)
    if how is How.TAPE and checkpoint:
        hint = "checkpoint=True is for method='reverse'"
        frame.fail(ArgumentMismatchError, node, "a tape has an entry for everything", hint)
    if verb == "hessian":
        first = How.FORWARD if how is How.TAPE else how  # no tape is differentiated
        return Derived(Derived(base, "grad", wrt, first, checkpoint), "jacobian", wrt, how, checkpoint)
    return Derived(base, verb, wrt, how, checkpoint)


def checkpoint_asked(frame: Frame, given: object, node: ast.AST) -> bool:
    """The value of checkpoint=…"""
    if not isinstance(given, bool):
        frame.fail(ArgumentMismatchError, node, f"checkpoint={given!r}", "use True or False")
    return given


def refuse_method(frame: Frame, verb: str, how: How, node: ast.AST) -> None:
    """One tangent is one run of forward mode, one cotangent one of reverse mode: there is nothing to choose."""
    only = ONLY.get(VERBS.get(verb))
    if only is not None and how not in (How.AUTO, *only):
        what = f"a {verb} is made in {only[0].value} mode"
        frame.fail(ProgramMethodError, node, what, f"leave method out; fs.{OTHER[only[0]]} is made in the other")


def method_named(frame: Frame, method: object, node: ast.AST) -> How:
    """The differentiation method of that name."""
    found = {m.value: m for m in How}.get(str(method))
    if found is None:
        frame.fail(ProgramMethodError, node, f"there is no differentiation method {method!r}", f"use {METHODS}")
    return found


def derivative(frame: Frame, derived: Derived, node: ast.Call) -> Value:
    """The call of a derivative: App(Deriv(fun …), arguments)."""
    verb = VERBS[derived.verb]
    signature = signature_of_value(frame, derived.base, node)
    names = list(signature.parameters)
    wrt = derived.wrt if derived.wrt is not None else 0
    single = not isinstance(wrt, tuple)
    chosen = positions_of(frame, wrt if isinstance(wrt, tuple) else (wrt,), names, node)
    own, tangent = without_tangent(node, tangent_place(signature, chosen)) if verb in ALONG_TANGENTS else (node, None)
    values = matched(frame, signature, own)
    terms = differentiated(frame, values, [names[k] for k in chosen], node)
    kept = [n for n in names if n in terms]
    function = lambda_of(frame, derived, values, {n: terms[n] for n in kept}, node)
    if is_single(function.body.type) and any([is_weak(terms[names[k]].type) for k in chosen]):
        for name in [names[k] for k in chosen]:
            terms[name] = frame.bind(convert(frame, terms[name], in_single(terms[name].type), node), name)
        function = lambda_of(frame, derived, values, {n: terms[n] for n in kept}, node)
    require_result(frame, derived.verb, function.body.type, node)
    positions = tuple([kept.index(names[k]) for k in chosen])
    deriv = Deriv(function, positions, verb, derived.how, single, derived.checkpoint)
    arguments = [terms[n] for n in kept]
    if verb is Verb.VJP:
        value = frame.bind(App(function, tuple(arguments)), "value")
        return Unrolled((value, Pullback(deriv, tuple(arguments), value)))
    if verb in ALONG_TANGENTS:
        arguments += tangents(frame, deriv, arguments, tangent, node)
    refuse_columns(frame, verb, [terms[names[k]].type for k in chosen], node)
    if verb is Verb.JACOBIAN:
        refuse_alternatives(frame, function.body.type, [terms[names[k]].type for k in chosen], node)
    is_tagged = verb is Verb.JACOBIAN and holds_alternatives(function.body.type)
    try:
        made = App(deriv, tuple(arguments))
        found = frame.bind(made, "derivative", made.type if is_weak(function.body.type) else strong(made.type))
        along = [terms[names[k]] for k in chosen]
        value = frame.bind(App(function, tuple(arguments[: len(kept)])), "value") if is_tagged else function.body
        return tagged_again(whole_again(found, verb, single, along), verb, single, along, value)
    except IllTyped as error:
        frame.fail(TypeMismatchError, node, str(error), "look at the types of the arguments")


def pulled_back(frame: Frame, pullback: Pullback, node: ast.Call) -> Value:
    """pullback(cotangent): the cotangents of the arguments that a vjp is with respect to."""
    deriv = pullback.derivative
    assert isinstance(deriv.type, Function)
    if len(node.args) != 1 or node.keywords:
        frame.fail(
            ArgumentMismatchError, node, "a pullback takes one cotangent", "give it one of the shape of the value"
        )
    wanted = deriv.type.parameters[-1]
    own = without_tags(frame, frame.value(node.args[0]), pullback.value, wanted, node, "cotangent")
    given = frame.bind(own, "cotangent")
    cotangent = alike(frame, given, pullback.value, node, "a cotangent has the shape of the value")
    pulled = frame.bind(Proj(App(deriv, (*pullback.arguments, cotangent)), 1), "pulled")
    along = [pullback.arguments[k] for k in deriv.wrt]
    whole = whole_again(pulled, Verb.GRAD, deriv.single, along)
    return tagged_again(whole, Verb.GRAD, deriv.single, along, pullback.value)


def without_tangent(node: ast.Call, place: int | None) -> tuple[ast.Call, ast.expr | None]:
    """The call of a jvp or an hvp as that of its function, and the tangent: `tangent=…`, or what is at its place."""
    args, keywords = list(node.args), [k for k in node.keywords if k.arg != "tangent"]
    named = [k.value for k in node.keywords if k.arg == "tangent"]
    is_spread = any([isinstance(a, ast.Starred) for a in args])
    if named or place is None or len(args) <= place or is_spread:
        tangent = named[0] if named else None
    else:
        tangent = args.pop(place)
    return ast.copy_location(ast.Call(node.func, args, keywords), node), tangent


def differentiated(frame: Frame, values: dict[str, Value], along: list[str], node: ast.AST) -> dict[str, Term]:
    """The arguments that are run-time values, those differentiated with respect to among them."""
    terms = {n: frame.bind(frame.term(value, node), n) for n, value in values.items() if is_run_time(value)}
    for name in along:
        value = values.get(name)
        if name not in terms and isinstance(value, Static | Keyed | Unrolled):
            terms[name] = frame.bind(frame.term(value, node), name)
        if name in terms:
            require_differentiable(frame, name, terms[name].type, node)
    return terms


def tangents(frame: Frame, deriv: Deriv, arguments: list[Term], given: ast.expr | None, node: ast.Call) -> list[Term]:
    """The value of the tangent for each argument differentiated with respect to, in its shape."""
    if given is None:
        verb = deriv.verb.value
        frame.fail(
            ArgumentMismatchError, node, f"the call of a {verb} needs tangent=…", f"write fs.{verb}(f)(x, tangent=v)"
        )
    directions = [frame.value(e) for e in given.elts] if isinstance(given, ast.Tuple) else [frame.value(given)]
    if not deriv.single and len(directions) == 1 and isinstance(directions[0].type, Tuple):
        whole = frame.bind(directions[0], "tangent")
        directions = [project(whole, k) for k in range(len(directions[0].type.items))]
    if deriv.single and len(directions) > 1:
        directions = [MakeTuple(tuple(directions))]
    assert isinstance(deriv.type, Function)
    assert isinstance(deriv.function, Lam)
    names = [q.name for q in deriv.function.parameters]
    wanted = deriv.type.parameters[len(arguments) :]
    if len(wanted) != len(directions):
        what = f"{len(wanted)} tangents wanted, {len(directions)} given"
        frame.fail(ArgumentMismatchError, node, what, "give one for each argument in wrt")
    result = []
    for k, d, w in zip(deriv.wrt, directions, wanted, strict=True):
        direction = frame.bind(_tangent(frame, d, arguments[k], w, names[k], node), "tangent")
        result.append(alike(frame, direction, arguments[k], node, "a tangent has the shape of its argument"))
    return result


def _tangent(frame: Frame, given: Term, argument: Term, wanted: Type, name: str, node: ast.Call) -> Term:
    """The tangent of one argument, in its type."""
    try:
        own = without_structure(frame, given, argument, wanted, node)
        return without_tags(frame, own, argument, wanted, node, "tangent")
    except TypeMismatchError as error:
        hint = f"give it the structure and the shape of {name}; what is an integer there has the tangent ()"
        frame.fail(TypeMismatchError, node, f"the tangent of {name}: {str(error).splitlines()[0]}", hint)


def require_result(frame: Frame, verb: str, result: Type, node: ast.AST) -> None:
    """Gradients are of real numbers, Jacobians of something with real numbers in it."""
    if VERBS[verb] in (Verb.GRAD, Verb.VALUE_AND_GRAD, Verb.HVP) and not isinstance(result, Float):
        what = f"fs.{verb} wants a function that gives a real number, not {describe(result)}"
        whole = verb != "hvp" and has_float(result)
        hint = "use fs.jacobian or fs.vjp, or sum the result" if whole else "return one real number"
        frame.fail(NotDifferentiableError, node, what, hint)
    if VERBS[verb] in (Verb.JACOBIAN, Verb.VJP) and not has_float(result):
        what = f"the function gives {describe(result)}, which has no derivative"
        frame.fail(NotDifferentiableError, node, what, "return real numbers")


def require_differentiable(frame: Frame, name: str, type_: Type, node: ast.AST) -> None:
    """Derivatives are with respect to real numbers."""
    if has_float(type_):
        return
    hint = "differentiate with respect to another argument"
    if isinstance(leaf_of(type_), Int):
        hint = (
            "pass a real number: 3.0, not 3"
            if isinstance(type_, Int)
            else f"pass real numbers: np.asarray({name}, float)"
        ) + "; an optimiser starts from p0=[1.0, …]"
    frame.fail(NotDifferentiableError, node, f"{name} is {describe(type_)}, which has no derivative", hint)


def lambda_of(frame: Frame, derived: Derived, values: dict[str, Value], given: dict[str, Term], node: ast.AST) -> Lam:
    """The function that is differentiated, of the arguments that are run-time values."""
    parameters = {n: Var(n, a.type) for n, a in given.items()}
    frame.shared.models.update({parameters[n]: a for n, a in given.items()})
    others = {n: v for n, v in values.items() if n not in parameters}
    names: dict[str, Value] = {**others, **{n: seen(x) for n, x in parameters.items()}}
    visible = [*[v for v in others.values() if isinstance(v, Var)], *parameters.values()]
    times = 2 if VERBS[derived.verb] is Verb.HVP else 1

    def body() -> Term:
        with differentiated_times(frame, frame.shared.order + times):
            return as_columns(frame, frame.term(applied(frame, derived.base, names, node), node), node)

    return function_term(frame, tuple(parameters.values()), visible, body)


def refuse_columns(frame: Frame, verb: Verb, along: list[Type], node: ast.AST) -> None:
    """A matrix has no rows or columns that are trees."""
    if verb is Verb.JACOBIAN and any([holds_nodes(type_) for type_ in along]):
        what = "fs.jacobian with respect to a tree"
        frame.unsupported(node, what, "use fs.grad of each component, or fs.vjp")


def refuse_alternatives(frame: Frame, result: Type, along: list[Type], node: ast.AST) -> None:
    """A matrix has no rows or columns some of which are None."""
    if any([holds_alternatives(type_) for type_ in along]):
        what = "fs.jacobian with respect to a value of one of several kinds"
        frame.unsupported(node, what, "use fs.grad of each component, or fs.vjp")
    if holds_many_alternatives(result):
        what = "fs.jacobian of a function that gives a list of values of one of several kinds"
        frame.unsupported(node, what, "use fs.jvp or fs.vjp")


def is_single(type_: Type) -> bool:
    """Are the real numbers in it float32 numbers?  Then so are derivatives, also by arguments that are weak."""
    reals = [s for s in scalars_of(type_) if isinstance(s, Float)]
    return len(reals) > 0 and all([s == F32 for s in reals])


def positions_of(frame: Frame, wrt: tuple[object, ...], names: list[str], node: ast.AST) -> list[int]:
    """The positions that `wrt` names."""
    result = []
    for one in wrt:
        if isinstance(one, str) and one in names:
            result.append(names.index(one))
        elif isinstance(one, int) and not isinstance(one, bool) and -len(names) <= one < len(names):
            result.append(one % len(names))
        else:
            frame.fail(
                ArgumentMismatchError,
                node,
                f"wrt={one!r}: the function has other parameters",
                f"name some of {', '.join(names)}",
            )
    for k, name in enumerate(names):
        if result.count(k) > 1:
            frame.fail(ArgumentMismatchError, node, f"wrt={wrt!r}: {name} is named twice", "name each parameter once")
    return result
