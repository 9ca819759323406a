"""What may fail at run time: indices out of bounds, requirements that do not hold."""

from __future__ import annotations

from enum import Enum

from fsmooth.core.term.base import NOWHERE, IllTyped, Site, Term, want_int
from fsmooth.core.term.fields import Data, Failing, Label, Part, Parts, Runs
from fsmooth.core.types import INT, Bool


class Check(Term):
    """`check i n`: i if 0 <= i < n, else an error that names `site`.  Evaluated only if its value is needed."""

    __slots__ = ("index", "site", "size")
    __match_args__ = ("index", "size")
    fields = (Part("index"), Part("size"), Label("site"))
    failing = Failing.ALWAYS

    def __init__(self, index: Term, size: Term, site: Site = NOWHERE) -> None:
        want_int(index, "an index")
        want_int(size, "a size")
        self.index = index
        self.size = size
        self.site = site
        self._typed(INT)


class Failure(Enum):
    """What a `Require` reports when its condition is false."""

    SIZE = "sizes differ"
    INDEX = "index out of bounds"
    EMPTY = "empty reduction"
    DIVISION = "integer division by zero"
    STEP = "step of zero"
    ASSERTION = "assertion failed"
    """The site says what the user asserts."""
    RAISED = "raised"
    """The site says the name of the exception, a colon, and its text."""
    DEPTH = "a function calls itself too often, one call in the other"
    SINGULAR = "the matrix is singular"
    SQUARE = "these columns are not determined"
    INDEFINITE = "the matrix is not positive definite"
    ELEMENT = "an argument is no index, or has an element that is none"
    """The site is the annotation; the number is what indices are below, after an argument that is a number by itself."""
    DECREASING = "an element of an argument is less than the one before it"
    NO_PLACE = "an element is no index"
    """The site says which array is annotated so; the number is what its elements are to be below."""
    NOT_SORTED = "an element is less than the one before it"
    """The site says which array is annotated so."""


class Require(Term):
    """`require c in e`: e if c, else an error.  `numbers` (Ints) are shown in the message: the sizes that differ."""

    __slots__ = ("body", "condition", "failure", "numbers", "site")
    __match_args__ = ("condition", "body")
    fields = (
        Part("condition"),
        Parts("numbers"),
        Part("body", Runs.PERHAPS, where="condition"),
        Data("failure"),
        Label("site"),
    )
    failing = Failing.ALWAYS

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
            want_int(number, "a number in a message")
        self.condition = condition
        self.body = body
        self.failure = failure
        self.numbers = numbers
        self.site = site
        self._typed(body.type)
