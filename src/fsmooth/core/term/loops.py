"""Loops: arrays by index, folds, reductions, filtered comprehensions."""

from __future__ import annotations

from enum import Enum

from fsmooth.core.term.base import IllTyped, Term, want_int
from fsmooth.core.term.calculus import Var
from fsmooth.core.term.fields import Data, Failing, Generators, Index, Part, Runs, State
from fsmooth.core.types import INT, Array, Bool, has_function, is_additive, is_numeric


class Build(Term):
    """`build n (i. e)`: the array of e for i = 0 … n-1.  A negative n counts as 0."""

    __slots__ = ("body", "index", "size")
    __match_args__ = ("size", "index", "body")
    fields = (Part("size"), Index("index", below="size"), Part("body", Runs.MANY))
    failing = Failing.NEVER

    def __init__(self, size: Term, index: Var, body: Term) -> None:
        want_int(size, "a size")
        want_int(index, "an index")
        if has_function(body.type):
            raise IllTyped("an array of functions")
        self.size = size
        self.index = index
        self.body = body
        self._typed(Array(body.type))


class Carrying(Term, abstract=True):
    """A loop that carries a state: `init` at first, then what `body` makes of `state`."""

    __slots__ = ()
    init: Term
    state: Var
    body: Term


class IFold(Carrying):
    """`ifold (fun state i -> body) init n`: n steps in order, each making the next state."""

    __slots__ = ("body", "index", "init", "size", "state")
    __match_args__ = ("size", "init", "state", "index", "body")
    fields = (
        Part("size"),
        Part("init"),
        State("state", initial="init"),
        Index("index", below="size"),
        Part("body", Runs.MANY),
    )
    failing = Failing.NEVER

    def __init__(self, size: Term, init: Term, state: Var, index: Var, body: Term) -> None:
        want_int(size, "a trip count")
        want_int(index, "an index")
        if not (state.type == init.type == body.type):
            raise IllTyped(f"fold state {state.type!r}, initially {init.type!r}, then {body.type!r}")
        self.size = size
        self.init = init
        self.state = state
        self.index = index
        self.body = body
        self._typed(body.type)


class While(Carrying):
    """`while (fun state -> condition) (fun state -> body) init`: the state after as many steps as the condition holds.

    The condition is evaluated before each step and once more at the end; the number of steps depends on the data.
    """

    __slots__ = ("body", "condition", "init", "state")
    __match_args__ = ("init", "state", "condition", "body")
    fields = (
        Part("init"),
        State("state", initial="init"),
        Part("condition", Runs.MANY),
        Part("body", Runs.MANY, where="condition"),
    )
    failing = Failing.ALWAYS

    def __init__(self, init: Term, state: Var, condition: Term, body: Term) -> None:
        if not isinstance(condition.type, Bool):
            raise IllTyped(f"a condition is a Bool, not a {condition.type!r}")
        if not (state.type == init.type == body.type):
            raise IllTyped(f"loop state {state.type!r}, initially {init.type!r}, then {body.type!r}")
        self.init = init
        self.state = state
        self.condition = condition
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
    fields = (Data("reduction"), Part("size"), Index("index", below="size"), Part("body", Runs.MANY))
    failing = Failing.EMPTY

    def __init__(self, reduction: Reduction, size: Term, index: Var, body: Term) -> None:
        want_int(size, "a size")
        want_int(index, "an index")
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
    fields = (
        Part("count"),
        Generators("generators"),
        Part("guard", Runs.MANY),
        Part("body", Runs.MANY, where="guard"),
    )
    failing = Failing.NEVER

    def __init__(self, count: Term, generators: tuple[tuple[Term, Var], ...], guard: Term, body: Term) -> None:
        want_int(count, "a count")
        for size, index in generators:
            want_int(size, "a size")
            want_int(index, "an index")
        if not isinstance(guard.type, Bool):
            raise IllTyped(f"a guard is a Bool, not a {guard.type!r}")
        if has_function(body.type):
            raise IllTyped("an array of functions")
        self.count = count
        self.generators = generators
        self.guard = guard
        self.body = body
        self._typed(Array(body.type))
