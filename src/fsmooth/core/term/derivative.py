"""Derivatives that are still to be made."""

from __future__ import annotations

from enum import Enum

from fsmooth.core.term.base import IllTyped, Term
from fsmooth.core.term.fields import Data, Failing, Part
from fsmooth.core.types import Float, Function, Tuple, Type, dual, has_float, has_function, jacobian, tangent


class Verb(Enum):
    """What a `Deriv` asks of its function f.  `wrt` are positions of parameters of f.

    DUAL            D⟦f⟧ of Fig. 7: takes and gives dual numbers; `wrt` is not used
    JVP             takes the arguments, then one tangent for each `wrt`; gives (value, tangent of the value)
    VJP             takes the arguments, then the cotangent of the value; gives (value, cotangents of the `wrt`)
    GRAD            for a real-valued f: the gradient, a tuple of them unless `wrt` has one member
    VALUE_AND_GRAD  (value, gradient)
    JACOBIAN        see `core.types.jacobian`
    HVP             for a real-valued f: takes the arguments, then one tangent for each `wrt`; gives the tangent of the
                    gradient: the Hessian times these tangents
    """

    DUAL = "dual"
    JVP = "jvp"
    VJP = "vjp"
    GRAD = "grad"
    VALUE_AND_GRAD = "value_and_grad"
    JACOBIAN = "jacobian"
    HVP = "hvp"


class Method(Enum):
    """How a `Deriv` is to be removed."""

    AUTO = "auto"
    FORWARD = "forward"
    REVERSE = "reverse"
    TAPE = "tape"
    CONTINUATIONS = "continuations"


class Deriv(Term):
    """A derivative of `function`, removed by `differentiate`, innermost first.

    `single`: wrt one argument, not a tuple.  `checkpoint`: loops save few of their states, and run once more.
    """

    __slots__ = ("checkpoint", "function", "method", "single", "verb", "wrt")
    __match_args__ = ("function", "wrt", "verb")
    fields = (Part("function"), *[Data(name) for name in ("wrt", "verb", "method", "single", "checkpoint")])
    failing = Failing.CALLS

    def __init__(
        self,
        function: Term,
        wrt: tuple[int, ...],
        verb: Verb,
        method: Method = Method.AUTO,
        single: bool = False,
        checkpoint: bool = False,
    ) -> None:
        f = function.type
        if not isinstance(f, Function):
            raise IllTyped(f"the derivative of a {f!r}")
        if any(not 0 <= k < len(f.parameters) for k in wrt) or (single and len(wrt) != 1):
            raise IllTyped(f"wrt {wrt} of {f!r}")
        chosen = tuple(f.parameters[k] for k in wrt)
        if any(map(has_function, chosen)) or (verb is not Verb.DUAL and has_function(f.result)):
            raise IllTyped(f"a derivative of or with respect to functions: {f!r}")
        if not all(map(has_float, chosen)):
            raise IllTyped("a derivative with respect to something without real numbers")
        along = chosen[0] if single else Tuple(chosen)
        result = f.result
        match verb:
            case Verb.DUAL:
                type_: Type = dual(f)
            case Verb.JVP:
                type_ = Function((*f.parameters, *map(tangent, chosen)), Tuple((result, tangent(result))))
            case Verb.VJP:
                type_ = Function((*f.parameters, tangent(result)), Tuple((result, tangent(along))))
            case Verb.GRAD | Verb.VALUE_AND_GRAD | Verb.HVP:
                if not isinstance(result, Float):
                    raise IllTyped(f"the gradient of a function that gives a {result!r}")
                gradient = tangent(along)
                extra = tuple(map(tangent, chosen)) if verb is Verb.HVP else ()
                given = Tuple((result, gradient)) if verb is Verb.VALUE_AND_GRAD else gradient
                type_ = Function((*f.parameters, *extra), given)
            case Verb.JACOBIAN:
                type_ = Function(f.parameters, jacobian(tangent(result), tangent(along)))
        self.function = function
        self.wrt = wrt
        self.verb = verb
        self.method = method
        self.single = single
        self.checkpoint = checkpoint
        self._typed(type_)
