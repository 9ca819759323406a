"""The tape of paper 003, §8.3: a scope that has one, entries, and the way back through them.

    taped n (start. e)             e, where the ids start … start+n-1 stand for n inputs; entries made in it end with it
    record (d1, s1) (d2, s2) …     the id of an entry: an operation on numbers of these ids, with these slopes
    recordsum n (i. x, d, s, …)    the sum of the x, and the id of one entry for all of it
    recordregion k m (d, …) (s, …) the id of the first of m numbers that a part of the program gave as a whole: region k, which
                                   adds to the cotangents of the numbers d, and reads s on its way back
    swept n start d                the cotangents of the n inputs from `start` on, if that of the number d is 1; with the ways
                                   back of the regions
    retained n (start. e)          taped n (start. e), and the tape itself, by a number, which is kept for `pulled`
    pulled n t (d, c) …            the cotangents of the n inputs of the tape t, if those of the numbers d are c

An id is an Int; 0 is that of all numbers that depend on no input.  Each id that is not 0 comes from a `start`, so no entry
leaves its scope.  Operands exist before their entry, whatever is done when: so an entry that is made twice, once for two, or
earlier than it was written, stands for the same linear map, and the optimiser may treat it as the value of its parts (§4).
"""

from __future__ import annotations

from fsmooth.core.term.base import IllTyped, Term, want_int
from fsmooth.core.term.calculus import Var
from fsmooth.core.term.fields import Data, Failing, Index, Parameters, Part, Parts, Runs
from fsmooth.core.types import F64, INT, Array, Float, Int, Tuple, has_function, leaf_of, rank_of


class Record(Term):
    """`record (d1, s1) …`: the id of a new entry with these operands and slopes."""

    __slots__ = ("ids", "slopes")
    __match_args__ = ("ids", "slopes")
    fields = (Parts("ids"), Parts("slopes"))
    failing = Failing.NEVER

    def __init__(self, ids: tuple[Term, ...], slopes: tuple[Term, ...]) -> None:
        if len(ids) != len(slopes):
            raise IllTyped(f"{len(ids)} operands with {len(slopes)} slopes")
        for id_ in ids:
            want_int(id_, "the id of an operand")
        for slope in slopes:
            _want_float(slope.type)
        self.ids = ids
        self.slopes = slopes
        self._typed(INT)


class RecordSum(Term):
    """`recordsum n (i. x, d1, s1, …)`: the sum of x, and the id of one entry with the operands of all of them."""

    __slots__ = ("body", "index", "size")
    __match_args__ = ("size", "index", "body")
    fields = (Part("size"), Index("index", below="size"), Part("body", Runs.MANY))
    failing = Failing.NEVER

    def __init__(self, size: Term, index: Var, body: Term) -> None:
        want_int(size, "a size")
        want_int(index, "an index")
        if not isinstance(body.type, Tuple) or len(body.type.items) % 2 != 1:
            raise IllTyped(f"a summand of a recorded sum is no {body.type!r}")
        summand, *pairs = body.type.items
        _want_float(summand)
        for id_, slope in zip(pairs[::2], pairs[1::2], strict=True):
            if not isinstance(id_, Int):
                raise IllTyped(f"an id is no {id_!r}")
            _want_float(slope)
        self.size = size
        self.index = index
        self.body = body
        self._typed(Tuple((summand, INT)))


class RecordRegion(Term):
    """`recordregion k m (d, …) (s, …)`: the id of the first of the m numbers of a region, whose way back is the k-th of `swept`.

    A place is the id of a number, or of the first of an array of them, or an array of ids.
    """

    __slots__ = ("number", "places", "saved", "size")
    __match_args__ = ("number", "size", "places", "saved")
    fields = (Data("number"), Part("size"), Parts("places"), Parts("saved"))
    failing = Failing.NEVER

    def __init__(self, number: int, size: Term, places: tuple[Term, ...], saved: tuple[Term, ...]) -> None:
        want_int(size, "how many numbers a region gives")
        for place in places:
            if not isinstance(leaf_of(place.type), Int):
                raise IllTyped(f"an id is no {place.type!r}")
        if any(has_function(s.type) for s in saved):
            raise IllTyped("a region saves a function")
        self.number = number
        self.size = size
        self.places = places
        self.saved = saved
        self._typed(INT)


class Taped(Term):
    """`taped n (start. e)`: e with a tape of n inputs."""

    __slots__ = ("body", "parameters", "size")
    __match_args__ = ("size", "parameters", "body")
    fields = (
        Part("size"),
        Parameters("parameters"),
        Part("body", Runs.PERHAPS),
    )  # a region of its own: nothing leaves it
    failing = Failing.NEVER

    def __init__(self, size: Term, parameters: tuple[Var, ...], body: Term) -> None:
        want_int(size, "the number of inputs")
        if len(parameters) != 1:
            raise IllTyped("a tape has one start")
        want_int(parameters[0], "an id")
        if has_function(body.type):
            raise IllTyped("a tape around a function")
        self.size = size
        self.parameters = parameters
        self.body = body
        self._typed(body.type)

    @property
    def start(self) -> Var:
        """The id of the first input."""
        return self.parameters[0]


class Swept(Term):
    """`swept n start d (f, g) …`: the slopes of the number with id d with respect to n inputs.

    Of each region: `back` gives, of what was saved and the cotangents of its numbers, a tuple of what is added to the cotangents
    at its places, and then at those that `where` gives, a tuple of ids that are the same for all regions of that number.
    """

    __slots__ = ("back", "id", "size", "start", "where")
    __match_args__ = ("size", "start", "id", "where", "back")
    fields = (Part("size"), Part("start"), Part("id"), Parts("where"), Parts("back"))
    failing = Failing.NEVER

    def __init__(
        self, size: Term, start: Term, id_: Term, where: tuple[Term, ...] = (), back: tuple[Term, ...] = ()
    ) -> None:
        want_int(size, "the number of inputs")
        want_int(start, "an id")
        want_int(id_, "an id")
        self.size = size
        self.start = start
        self.id = id_
        self.where = where
        self.back = back
        self._typed(Array(F64))


class Retained(Term):
    """`retained n (start. e)`: e with a tape of n inputs, and a number that stands for the tape."""

    __slots__ = ("body", "parameters", "size")
    __match_args__ = ("size", "parameters", "body")
    fields = (Part("size"), Parameters("parameters"), Part("body", Runs.PERHAPS))
    failing = Failing.NEVER

    def __init__(self, size: Term, parameters: tuple[Var, ...], body: Term) -> None:
        self._typed(Tuple((Taped(size, parameters, body).type, INT)))
        self.size = size
        self.parameters = parameters
        self.body = body


class Pulled(Term):
    """`pulled n t (d1, c1) …`: cotangents of the inputs of a tape, from ids and cotangents of equal shapes."""

    __slots__ = ("cotangents", "ids", "size", "tape")
    __match_args__ = ("size", "tape", "ids", "cotangents")
    fields = (Part("size"), Part("tape"), Parts("ids"), Parts("cotangents"))
    failing = Failing.NEVER

    def __init__(self, size: Term, tape: Term, ids: tuple[Term, ...], cotangents: tuple[Term, ...]) -> None:
        want_int(size, "the number of inputs")
        want_int(tape, "a tape")
        if len(ids) != len(cotangents):
            raise IllTyped(f"{len(ids)} numbers with {len(cotangents)} cotangents")
        for id_, cotangent in zip(ids, cotangents, strict=True):
            _want_float(leaf_of(cotangent.type))
            if not isinstance(leaf_of(id_.type), Int) or rank_of(id_.type) != rank_of(cotangent.type):
                raise IllTyped(f"ids {id_.type!r} for cotangents {cotangent.type!r}")
        self.size = size
        self.tape = tape
        self.ids = ids
        self.cotangents = cotangents
        self._typed(Array(F64))


def _want_float(type_: object) -> None:
    if not isinstance(type_, Float):
        raise IllTyped(f"a slope is a number, not a {type_!r}")
