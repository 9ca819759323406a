"""`schedule mine = normalise(hoist | fusion) >> differentiate forward >> share` in a text.

    schedule = choice            choice = sequence { "|" sequence }         sequence = applied { ">>" applied }
    applied  = name { argument } argument = name | number | "text" | "(" choice { "," choice } ")"
             | "mu" "(" name "." choice ")"    | "at" "(" choice "," ( "loop" "=" "text" | "line" "=" number ) ")"

As in Python, `>>` binds tighter than `|`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, NoReturn

from msgspec import Struct

from fsmooth import strategies
from fsmooth.core.term import Method, Term
from fsmooth.errors import Error
from fsmooth.frontend.text.mistakes import TextError
from fsmooth.optimise.schedule import Schedule
from fsmooth.rewrite.strategy import Rule, Strategy
from fsmooth.texts.pieces import Piece

_HEAD = re.compile(r"schedule\b\s*(?P<name>[^\W\d]\w*)\s*=")
_TOKEN = re.compile(
    r'\s*(?:(?P<name>[^\W\d]\w*)|(?P<number>\d+)|"(?P<text>[^"\n]*)"|(?P<mark>>>|[|(),.=])|(?P<end>\Z))'
)
_OF_STRATEGIES = (
    "attempt",
    "repeat",
    "not_",
    "one",
    "some",
    "all_",
    "top_down",
    "bottom_up",
    "everywhere",
    "normalise",
)
_SCHEDULES = ("NONE", "LF", "LN", "LICM", "DPS", "DEFAULT", "REAL")

Part = Strategy | Schedule


def schedule_of(text: str, piece: Piece, known: Mapping[str, Part]) -> tuple[str, Part]:
    """The name of a schedule, and what it is; `known` are the laws and schedules before it.

    Raises:
        TextError: at what cannot stand there.

    """
    found = _HEAD.match(text, piece.start, piece.end)
    if found is None:
        message = "a schedule is `schedule name = strategy >> strategy …`"
        raise TextError(message, text, piece.start, piece.start + len("schedule"))
    return found["name"], _Reader(text, found.end(), piece.end, known).all()


class _Reader:
    """Reads one schedule; `word` is what comes next, of a `kind`, from `start` to `end`."""

    def __init__(self, text: str, position: int, last: int, known: Mapping[str, Part]) -> None:
        self.text, self.last, self.known = text, last, known
        self.end = position
        self._next()

    def all(self) -> Part:
        """The whole schedule."""
        made = self._choice()
        if self.kind != "end":
            self._fail(f"`{self.word}` cannot stand here; `>>`, `|` or the end was expected")
        return made

    # -- words -------------------------------------------------------------------------------------------------------

    def _next(self) -> None:
        found = _TOKEN.match(self.text[: self.last].rstrip(), self.end)
        if found is None:
            place = self.end + len(self.text[self.end :]) - len(self.text[self.end :].lstrip())
            raise TextError("this character has no meaning here", self.text, place, place + 1)
        self.kind = found.lastgroup or "end"
        self.word = found[self.kind]
        self.start, self.end = found.start(self.kind), found.end()

    def _fail(self, message: str, place: tuple[int, int] | None = None) -> NoReturn:
        start, end = place or (self.start, self.end)
        raise TextError(message, self.text, start, end)

    def _is(self, mark: str) -> bool:
        if self.kind != "mark" or self.word != mark:
            return False
        self._next()
        return True

    # -- strategies --------------------------------------------------------------------------------------------------

    def _choice(self) -> Part:
        place, made = (self.start, self.end), self._sequence()
        while self._is("|"):
            other = self._sequence()
            if isinstance(made, Schedule) or isinstance(other, Schedule):
                self._fail("a schedule is no alternative; `|` stands between strategies", place)
            made = made | other
        return made

    def _sequence(self) -> Part:
        made = self._applied()
        while self._is(">>"):
            place, other = (self.start, self.end), self._applied()
            if isinstance(other, Schedule):
                self._fail("a schedule stands first; strategies follow it with `>>`", place)
            made = made >> other
        return made

    def _applied(self) -> Part:
        if self._is("("):
            made = self._choice()
            self._close()
            return made
        if self.kind != "name":
            self._fail("a strategy was expected")
        name, place = self.word, (self.start, self.end)
        self._next()
        make = self._function(name)
        if name in self.known or make is None:
            return self._named(name, place)
        try:
            return make()
        except Error as error:
            if isinstance(error, TextError):
                raise
            self._fail(str(error), place)

    def _function(self, name: str) -> Callable[[], Part] | None:
        """What reads the arguments of a function of strategies; None for a name of no function."""
        if name in _OF_STRATEGIES:
            return lambda: getattr(strategies, name)(*self._arguments(self._strategy))
        others: dict[str, Callable[[], Part]] = {
            "try_until": lambda: strategies.try_until(*self._arguments(self._strategy, self._number)),
            "let_subst": lambda: strategies.let_subst(*self._arguments(self._number)),
            "differentiate": lambda: strategies.differentiate(*self._arguments(self._method)),
            "where": lambda: strategies.where(*self._arguments(self._pattern)),
            "is_a": lambda: strategies.is_a(*self._arguments(self._constructor)),
            "at": self._at,
            "mu": self._mu,
            "debug": lambda: strategies.debug(*self._arguments(self._quoted)),
            "with_rules": lambda: _with_rules(*self._arguments(self._schedule, self._rules)),
        }
        return others.get(name)

    def _named(self, name: str, place: tuple[int, int]) -> Part:
        """A law or schedule of the text, one of fsmooth's rules, families, passes and schedules."""
        if name in self.known:
            return self.known[name]
        for spelled in (name, name.upper()):
            found = getattr(strategies, spelled, None)
            if isinstance(found, Strategy | Schedule):
                return found
        close = get_close_matches(name, [*self.known, *dir(strategies)], 1)
        hint = f"; did you mean {close[0]}?" if close else "; `fsmooth rules` lists the rules"
        self._fail(f"there is no law, rule or strategy `{name}`{hint}", place)

    # -- arguments ---------------------------------------------------------------------------------------------------

    def _arguments(self, *readers: Callable[[], Any]) -> list[Any]:
        """One argument for each reader: `f(a, b)`, or `f a` if it is one."""
        if not self._is("("):
            if len(readers) > 1:
                self._fail(f"{len(readers)} arguments in parentheses were expected")
            return [readers[0]()] if self.kind != "name" or readers[0] != self._strategy else [self._atom()]
        found = [readers[0]()]
        for reader in readers[1:]:
            if not self._is(","):
                self._fail(f"{len(readers)} arguments were expected, with a comma between them")
            found.append(reader())
        self._close()
        return found

    def _atom(self) -> Part:
        """A strategy of one word."""
        name, place = self.word, (self.start, self.end)
        self._next()
        return self._named(name, place)

    def _strategy(self) -> Strategy:
        place, made = (self.start, self.end), self._choice()
        if isinstance(made, Schedule):
            self._fail("a strategy was expected, not a schedule", place)
        return made

    def _schedule(self) -> Schedule:
        place, made = (self.start, self.end), self._choice()
        if not isinstance(made, Schedule):
            self._fail(f"a schedule was expected: {', '.join(_SCHEDULES)}, or one of this text made of these", place)
        return made

    def _rules(self) -> tuple[Rule, ...]:
        place, made = (self.start, self.end), self._strategy()
        if not made.rules:
            self._fail("laws, rules or families were expected", place)
        return made.rules

    def _at(self) -> Strategy:
        """`(strategy, loop="i")`, or `line=3`."""
        self._open('at(strategy, loop="i")` or `at(strategy, line=3)')
        strategy = self._strategy()
        if not self._is(","):
            self._fail('`, loop="i"` or `, line=3` was expected')
        kind = self.word
        if self.kind != "name" or kind not in ("loop", "line"):
            self._fail('`loop="i"` or `line=3` was expected')
        self._next()
        if not self._is("="):
            self._fail(f"`=` was expected after `{kind}`")
        loop, line = (self._quoted(), None) if kind == "loop" else (None, self._number())
        self._close()
        return strategies.at(strategy, loop=loop, line=line)

    def _mu(self) -> Strategy:
        """`(x. strategy)`, in which x is the whole."""
        self._open("mu(x. strategy)")
        name = self._word("name", "the name of what is defined")
        if not self._is("."):
            self._fail(f"`.` was expected after `{name}`")
        start = self.start
        self.known = {**(outside := self.known), name: strategies.fail}
        self._strategy()
        self.known = outside
        body = _Body(self.text, start, self.start, dict(outside), name)
        self._close()
        return strategies.mu(body)

    def _open(self, form: str) -> None:
        if not self._is("("):
            self._fail(f"`{form}` was expected")

    def _pattern(self) -> str:
        return self._word("text", "the left side of a law, in quotes,")

    def _constructor(self) -> type[Term]:
        """A constructor of terms by its name."""
        known = strategies.known_constructors()
        if self.kind != "name" or self.word not in known:
            self._fail(f"a constructor of terms was expected: {', '.join(sorted(known))}")
        return known[self._word("name", "a constructor")]

    def _number(self) -> int:
        return int(self._word("number", "a number"))

    def _quoted(self) -> str:
        return self._word("text", "a text in quotes")

    def _method(self) -> str:
        """The name of a method of differentiation."""
        known = [m.value for m in Method]
        if self.kind != "name" or self.word not in known:
            self._fail(f"a method was expected: {', '.join(known)}")
        return self._word("name", "a method")

    def _word(self, kind: str, what: str) -> str:
        if self.kind != kind:
            self._fail(f"{what} was expected")
        word = self.word
        self._next()
        return word

    def _close(self) -> None:
        if not self._is(")"):
            self._fail("`)` was expected")


class _Body(Struct, frozen=True):
    """The body of a `mu` in a text, as a function of what its name stands for."""

    text: str
    start: int
    end: int
    known: dict[str, Any]
    name: str

    def __call__(self, itself: Strategy) -> Strategy:
        made = _Reader(self.text, self.start, self.end, {**self.known, self.name: itself}).all()
        assert isinstance(made, Strategy)
        return made


def _with_rules(schedule: Schedule, rules: tuple[Rule, ...]) -> Schedule:
    return schedule.with_rules(*rules)
