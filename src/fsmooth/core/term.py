"""Terms of the core language, each constructor beside its typing rule (paper 000, Fig. 3; design §2).

A constructor computes the type of the term from its parts and raises `IllTyped` if there is none, so an
ill-typed term cannot be built.  Terms are never mutated after construction; they compare by identity
(`core.alpha` compares them up to renaming of bound variables).  A `Var` is its own identity: binding the
same `Var` in two places is allowed, the nearest binder wins, and `core.subst` never captures.

>>> from fsmooth.core import primitives as p
>>> x = Var("x", F64)
>>> Prim(p.add, (x, Const(1.0))).type
Float
>>> Prim(p.add, (x, Const(1)))
Traceback (most recent call last):
fsmooth.core.term.IllTyped: add wants numbers of one type, not (Float, Int)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from fsmooth.core.primitives import Primitive
from fsmooth.core.types import (
    BOOL,
    F64,
    INT,
    Array,
    Bool,
    Float,
    Function,
    Int,
    Tuple,
    Type,
    array_of,
    dual,
    has_float,
    is_additive,
    is_numeric,
    is_scalar,
    jacobian,
    rank_of,
    tangent,
)


class IllTyped(TypeError):
    """A core term without a type: a bug in whichever stage tried to build it."""


@dataclass(frozen=True)
class Site:
    """Where in the user's source something is, and what the user calls it.

    `what` is the name of the array or construct; `line` and `column` count from 1 and 0; `file` may be "".
    """

    what: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0


NOWHERE = Site()
_fresh = itertools.count(1)


class Term:
    """Base of all terms.  `type` is computed at construction."""

    __slots__ = ("_free", "_key", "_size", "mark", "type")
    type: Type
    _free: frozenset[Var] | None
    _key: object
    _size: int
    mark: object

    def _typed(self, type_: Type) -> None:
        self.type = type_
        self._free = None
        self._key = None
        self._size = 0
        self.mark = None

    @property
    def free(self) -> frozenset[Var]:
        """The free variables, computed once."""
        if self._free is None:
            from fsmooth.core.traverse import compute_free  # noqa: PLC0415  (the one knot: a cached attribute)

            compute_free(self)
        assert self._free is not None
        return self._free

    def __repr__(self) -> str:
        from fsmooth.core.pretty import show  # noqa: PLC0415  (only for people who print terms)

        return show(self)


class Const(Term):
    """A number or truth value.  Its type follows the Python value unless a float type is given."""

    __slots__ = ("value",)
    __match_args__ = ("value",)

    def __init__(self, value: float | int | bool, type_: Type | None = None) -> None:
        if type_ is None:
            type_ = BOOL if isinstance(value, bool) else INT if isinstance(value, int) else F64
        ok = (
            isinstance(value, bool)
            if isinstance(type_, Bool)
            else isinstance(value, int) and not isinstance(value, bool)
            if isinstance(type_, Int)
            else isinstance(value, float) and isinstance(type_, Float)
        )
        if not ok:
            raise IllTyped(f"{value!r} is no {type_!r}")
        self.value = value
        self._typed(type_)


class Var(Term):
    """A variable.  Two variables are the same only if they are the same object."""

    __slots__ = ("id", "name", "site")
    __match_args__ = ("name",)

    def __init__(self, name: str, type_: Type, site: Site = NOWHERE) -> None:
        self.name = name
        self.id = next(_fresh)
        self.site = site
        self._typed(type_)
        self._free = frozenset((self,))

    def renamed(self) -> Var:
        """A fresh variable of the same name, type and site."""
        return Var(self.name, self.type, self.site)


class Let(Term):
    """A scope: bindings in order, each seeing those before it, then a body (paper 000, T-Let)."""

    __slots__ = ("bindings", "body")
    __match_args__ = ("bindings", "body")

    def __init__(self, bindings: tuple[tuple[Var, Term], ...], body: Term) -> None:
        for var, value in bindings:
            if var.type != value.type:
                raise IllTyped(f"{var.name} : {var.type!r} cannot be bound to a {value.type!r}")
        self.bindings = bindings
        self.body = body
        self._typed(body.type)


class Lam(Term):
    """A function of several parameters (paper 000, T-Abs)."""

    __slots__ = ("body", "parameters")
    __match_args__ = ("parameters", "body")

    def __init__(self, parameters: tuple[Var, ...], body: Term) -> None:
        self.parameters = parameters
        self.body = body
        self._typed(Function(tuple(p.type for p in parameters), body.type))


class App(Term):
    """Application to all arguments at once (paper 000, T-App)."""

    __slots__ = ("arguments", "function")
    __match_args__ = ("function", "arguments")

    def __init__(self, function: Term, arguments: tuple[Term, ...]) -> None:
        wanted = function.type
        if not isinstance(wanted, Function):
            raise IllTyped(f"a {wanted!r} cannot be applied")
        if wanted.parameters != tuple(a.type for a in arguments):
            raise IllTyped(f"{wanted!r} applied to ({', '.join(repr(a.type) for a in arguments)})")
        self.function = function
        self.arguments = arguments
        self._typed(wanted.result)


class If(Term):
    """`then` or `otherwise`; only the branch taken is evaluated (T-If).  `&&` and `||` are Ifs."""

    __slots__ = ("condition", "otherwise", "then")
    __match_args__ = ("condition", "then", "otherwise")

    def __init__(self, condition: Term, then: Term, otherwise: Term) -> None:
        if not isinstance(condition.type, Bool):
            raise IllTyped(f"a condition is a Bool, not a {condition.type!r}")
        if then.type != otherwise.type:
            raise IllTyped(f"branches of types {then.type!r} and {otherwise.type!r}")
        self.condition = condition
        self.then = then
        self.otherwise = otherwise
        self._typed(then.type)


class Build(Term):
    """`build n (i. e)`: the array of e for i = 0 … n-1.  A negative n counts as 0."""

    __slots__ = ("body", "index", "size")
    __match_args__ = ("size", "index", "body")

    def __init__(self, size: Term, index: Var, body: Term) -> None:
        _want_int(size, "a size")
        _want_int(index, "an index")
        if isinstance(body.type, Function):
            raise IllTyped("an array of functions")
        self.size = size
        self.index = index
        self.body = body
        self._typed(Array(body.type))


class Vector(Term):
    """An array written out: `[e0, e1, …]`, of at least one element."""

    __slots__ = ("items",)
    __match_args__ = ("items",)

    def __init__(self, items: tuple[Term, ...]) -> None:
        if not items:
            raise IllTyped("an array display needs an element (use zero or build for an empty array)")
        if any(item.type != items[0].type for item in items) or isinstance(items[0].type, Function):
            raise IllTyped(f"array elements of types {', '.join(repr(i.type) for i in items)}")
        self.items = items
        self._typed(Array(items[0].type))


class IFold(Term):
    """`ifold (fun state i -> body) init n`: n steps in order, each making the next state."""

    __slots__ = ("body", "index", "init", "size", "state")
    __match_args__ = ("size", "init", "state", "index", "body")

    def __init__(self, size: Term, init: Term, state: Var, index: Var, body: Term) -> None:
        _want_int(size, "a trip count")
        _want_int(index, "an index")
        if not (state.type == init.type == body.type):
            raise IllTyped(f"fold state {state.type!r}, initially {init.type!r}, then {body.type!r}")
        self.size = size
        self.init = init
        self.state = state
        self.index = index
        self.body = body
        self._typed(body.type)


class Reduction(Enum):
    """The reductions.  SUM is over anything additive; ARG… give the first index of the extremum.

    Empty SUM, PRODUCT, ALL, ANY have their neutral values and empty ARG… is 0; the empty MAX and MIN do not
    exist, and a term whose size may be 0 must be guarded by `Require`.  A NaN among the elements is the extremum (its first).
    """

    SUM = "sum"
    PRODUCT = "product"
    MAX = "max"
    MIN = "min"
    ARGMAX = "argmax"
    ARGMIN = "argmin"
    ALL = "all"
    ANY = "any"


class Reduce(Term):
    """`sum n (i. e)` and its siblings.  ALL and ANY stop at the first element that decides."""

    __slots__ = ("body", "index", "reduction", "size")
    __match_args__ = ("reduction", "size", "index", "body")

    def __init__(self, reduction: Reduction, size: Term, index: Var, body: Term) -> None:
        _want_int(size, "a size")
        _want_int(index, "an index")
        element = body.type
        match reduction:
            case Reduction.SUM:
                ok = is_additive(element)
            case Reduction.PRODUCT | Reduction.MAX | Reduction.MIN | Reduction.ARGMAX | Reduction.ARGMIN:
                ok = is_numeric(element)
            case Reduction.ALL | Reduction.ANY:
                ok = isinstance(element, Bool)
        if not ok:
            raise IllTyped(f"{reduction.value} of {element!r}")
        self.reduction = reduction
        self.size = size
        self.index = index
        self.body = body
        self._typed(INT if reduction in (Reduction.ARGMAX, Reduction.ARGMIN) else element)


class Collect(Term):
    """`[body for i in range(n) … if guard]` as a value: `count` elements, in order of the indices.

    `generators` are (size, index) pairs, outermost first, later sizes may mention earlier indices.
    `count` must be the number of index tuples for which `guard` holds (elaboration makes it a `sum`).
    """

    __slots__ = ("body", "count", "generators", "guard")
    __match_args__ = ("count", "generators", "guard", "body")

    def __init__(self, count: Term, generators: tuple[tuple[Term, Var], ...], guard: Term, body: Term) -> None:
        _want_int(count, "a count")
        for size, index in generators:
            _want_int(size, "a size")
            _want_int(index, "an index")
        if not isinstance(guard.type, Bool):
            raise IllTyped(f"a guard is a Bool, not a {guard.type!r}")
        if isinstance(body.type, Function):
            raise IllTyped("an array of functions")
        self.count = count
        self.generators = generators
        self.guard = guard
        self.body = body
        self._typed(Array(body.type))


class Get(Term):
    """`a[i]`.  The index is in bounds: whoever is not sure writes `a[check i n]`."""

    __slots__ = ("array", "index")
    __match_args__ = ("array", "index")

    def __init__(self, array: Term, index: Term) -> None:
        if not isinstance(array.type, Array):
            raise IllTyped(f"a {array.type!r} cannot be indexed")
        _want_int(index, "an index")
        self.array = array
        self.index = index
        self._typed(array.type.element)


class Length(Term):
    """The number of elements of `array` along `axis`.  Depends on the shape of `array` only, never on its elements."""

    __slots__ = ("array", "axis")
    __match_args__ = ("array", "axis")

    def __init__(self, array: Term, axis: int = 0) -> None:
        if not 0 <= axis < rank_of(array.type):
            raise IllTyped(f"axis {axis} of a {array.type!r}")
        self.array = array
        self.axis = axis
        self._typed(INT)


class MakeTuple(Term):
    """A tuple, or with `like` a record of that type."""

    __slots__ = ("items",)
    __match_args__ = ("items",)

    def __init__(self, items: tuple[Term, ...], like: Type | None = None) -> None:
        types = tuple(item.type for item in items)
        self.items = items
        if isinstance(like, Tuple):
            if len(like.items) != len(items):
                raise IllTyped(f"{len(items)} items for {like!r}")
            self._typed(Tuple(types, like.names, like.record))
        else:
            self._typed(Tuple(types))


class Proj(Term):
    """Component number `position` of a tuple (fst and snd of the paper are positions 0 and 1)."""

    __slots__ = ("position", "tuple")
    __match_args__ = ("tuple", "position")

    def __init__(self, tuple_: Term, position: int) -> None:
        if not isinstance(tuple_.type, Tuple) or not 0 <= position < len(tuple_.type.items):
            raise IllTyped(f"component {position} of a {tuple_.type!r}")
        self.tuple = tuple_
        self.position = position
        self._typed(tuple_.type.items[position])


class Prim(Term):
    """A primitive operation on scalars.  All arguments are evaluated."""

    __slots__ = ("arguments", "primitive")
    __match_args__ = ("primitive", "arguments")

    def __init__(self, primitive: Primitive, arguments: tuple[Term, ...]) -> None:
        types = tuple([a.type for a in arguments])
        result = primitive.signature(types) if len(types) == primitive.arity else None
        if result is None:
            raise IllTyped(f"{primitive.name} wants {primitive.constraint}, not ({', '.join(map(repr, types))})")
        self.primitive = primitive
        self.arguments = arguments
        self._typed(result)


class Zero(Term):
    """The structural zero of shape `sizes` (outermost first) and scalar type `leaf`.

    The laws on it are exact: zero + e = e and zero * e = zero whatever e is.  `Zero((), F64)` is a number.
    """

    __slots__ = ("leaf", "sizes")
    __match_args__ = ("sizes", "leaf")

    def __init__(self, sizes: tuple[Term, ...], leaf: Type = F64) -> None:
        for size in sizes:
            _want_int(size, "a size")
        if not is_numeric(leaf):
            raise IllTyped(f"zero of {leaf!r}")
        self.sizes = sizes
        self.leaf = leaf
        self._typed(array_of(leaf, len(sizes)))


class Delta(Term):
    """`delta n i v`: the array of n elements that is v at i and zero elsewhere.  The index is in bounds."""

    __slots__ = ("index", "size", "value")
    __match_args__ = ("size", "index", "value")

    def __init__(self, size: Term, index: Term, value: Term) -> None:
        _want_int(size, "a size")
        _want_int(index, "an index")
        if not is_additive(value.type):
            raise IllTyped(f"delta of {value.type!r}")
        self.size = size
        self.index = index
        self.value = value
        self._typed(Array(value.type))


class Update(Term):
    """`update a i v`: the array a with v at i.  The index is in bounds."""

    __slots__ = ("array", "index", "value")
    __match_args__ = ("array", "index", "value")

    def __init__(self, array: Term, index: Term, value: Term) -> None:
        if not isinstance(array.type, Array) or array.type.element != value.type:
            raise IllTyped(f"a {value.type!r} into a {array.type!r}")
        _want_int(index, "an index")
        self.array = array
        self.index = index
        self.value = value
        self._typed(array.type)


class Check(Term):
    """`check i n`: i if 0 <= i < n, else an error that names `site`.  Evaluated only if its value is needed."""

    __slots__ = ("index", "site", "size")
    __match_args__ = ("index", "size")

    def __init__(self, index: Term, size: Term, site: Site = NOWHERE) -> None:
        _want_int(index, "an index")
        _want_int(size, "a size")
        self.index = index
        self.size = size
        self.site = site
        self._typed(INT)


class Failure(Enum):
    """What a `Require` reports when its condition is false."""

    SIZE = "sizes differ"
    EMPTY = "empty reduction"
    DIVISION = "integer division by zero"
    STEP = "step of zero"


class Require(Term):
    """`require c in e`: e if c, else an error.  `numbers` (Ints) are shown in the message: the sizes that differ."""

    __slots__ = ("body", "condition", "failure", "numbers", "site")
    __match_args__ = ("condition", "body")

    def __init__(
        self,
        condition: Term,
        body: Term,
        failure: Failure = Failure.SIZE,
        numbers: tuple[Term, ...] = (),
        site: Site = NOWHERE,
    ) -> None:
        if not isinstance(condition.type, Bool):
            raise IllTyped(f"a requirement is a Bool, not a {condition.type!r}")
        for number in numbers:
            _want_int(number, "a number in a message")
        self.condition = condition
        self.body = body
        self.failure = failure
        self.numbers = numbers
        self.site = site
        self._typed(body.type)


class Verb(Enum):
    """What a `Deriv` asks of its function f.  `wrt` are positions of parameters of f.

    DUAL            D⟦f⟧ of Fig. 7: takes and gives dual numbers; `wrt` is not used
    JVP             takes the arguments, then one tangent for each `wrt`; gives (value, tangent of the value)
    GRAD            for a real-valued f: the gradient, a tuple of them unless `wrt` has one member
    VALUE_AND_GRAD  (value, gradient)
    JACOBIAN        see `core.types.jacobian`
    """

    DUAL = "dual"
    JVP = "jvp"
    GRAD = "grad"
    VALUE_AND_GRAD = "value_and_grad"
    JACOBIAN = "jacobian"


class Method(Enum):
    """How a `Deriv` is to be removed."""

    AUTO = "auto"
    FORWARD = "forward"


class Deriv(Term):
    """A derivative of `function`, removed by `differentiate`, innermost first.  `single`: wrt one argument, not a tuple."""

    __slots__ = ("function", "method", "single", "verb", "wrt")
    __match_args__ = ("function", "wrt", "verb")

    def __init__(
        self,
        function: Term,
        wrt: tuple[int, ...],
        verb: Verb,
        method: Method = Method.AUTO,
        single: bool = False,
    ) -> None:
        f = function.type
        if not isinstance(f, Function):
            raise IllTyped(f"the derivative of a {f!r}")
        if any(not 0 <= k < len(f.parameters) for k in wrt) or (single and len(wrt) != 1):
            raise IllTyped(f"wrt {wrt} of {f!r}")
        if any(not has_float(f.parameters[k]) for k in wrt):
            raise IllTyped("a derivative with respect to something without real numbers")
        chosen = tuple(f.parameters[k] for k in wrt)
        along = chosen[0] if single else Tuple(chosen)
        result = f.result
        match verb:
            case Verb.DUAL:
                type_: Type = dual(f)
            case Verb.JVP:
                type_ = Function((*f.parameters, *map(tangent, chosen)), Tuple((result, tangent(result))))
            case Verb.GRAD | Verb.VALUE_AND_GRAD:
                if not isinstance(result, Float):
                    raise IllTyped(f"the gradient of a function that gives a {result!r}")
                gradient = tangent(along)
                type_ = Function(f.parameters, gradient if verb is Verb.GRAD else Tuple((result, gradient)))
            case Verb.JACOBIAN:
                type_ = Function(f.parameters, jacobian(tangent(result), tangent(along)))
        self.function = function
        self.wrt = wrt
        self.verb = verb
        self.method = method
        self.single = single
        self._typed(type_)


def _want_int(term: Term, what: str) -> None:
    if not isinstance(term.type, Int):
        raise IllTyped(f"{what} is an Int, not a {term.type!r}")


AnyTerm = (
    Const
    | Var
    | Let
    | Lam
    | App
    | If
    | Build
    | Vector
    | IFold
    | Reduce
    | Collect
    | Get
    | Length
    | MakeTuple
    | Proj
    | Prim
    | Zero
    | Delta
    | Update
    | Check
    | Require
    | Deriv
)


def scalar_constant(value: float, like: Type) -> Const:
    """The number `value` as a constant of the scalar type `like`.

    >>> scalar_constant(1, F64).value
    1.0
    """
    if not is_scalar(like):
        raise IllTyped(f"no constant of type {like!r}")
    if isinstance(like, Float):
        return Const(float(value), like)
    return Const(bool(value)) if isinstance(like, Bool) else Const(int(value))


def let(
    bindings: Iterator[tuple[Var, Term]] | tuple[tuple[Var, Term], ...] | list[tuple[Var, Term]], body: Term
) -> Term:
    """A `Let`, or just the body if there is nothing to bind; a `Let` directly inside is merged into the scope."""
    bound = tuple(bindings)
    if isinstance(body, Let):
        bound, body = bound + body.bindings, body.body
    return Let(bound, body) if bound else body
