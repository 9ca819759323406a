"""Laws of users: rules made of text, or of Python functions, and tested before they are used (paper 002, §5).

>>> import fsmooth as fs
>>> fs.law("x / y + z / y ~> (x + z) / y where z : Float", real=True)
law('x / y + z / y ~> (x + z) / y where z : Float', keeps='value')
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import overload

from fsmooth.core.primitives import Primitive
from fsmooth.core.term import Prim, Term
from fsmooth.errors import LawError
from fsmooth.laws.equations import UNSAID, read
from fsmooth.laws.hints import hint_for
from fsmooth.laws.instances import Instance
from fsmooth.laws.meaning import Keeps, Meaning
from fsmooth.laws.pattern import Pattern
from fsmooth.laws.testing import Counterexample, Result, verdict
from fsmooth.rewrite.content import content_of
from fsmooth.rewrite.facts import Facts
from fsmooth.rewrite.strategy import Apply, Rule

INSTANCES = 200
"""So many instances of a law are tried before it is used."""

Heads = type[Term] | tuple[type[Term], ...]
_EXACT = Meaning()


@dataclass(frozen=True, eq=False, repr=False)
class Law(Rule):
    """A rule of a user's.  `meaning` is what it promises to keep."""

    meaning: Meaning = _EXACT
    written_in_python: str = ""
    """The name of the function that it is, if it is one."""

    def __repr__(self) -> str:
        if self.written_in_python:
            return self.name
        return f"law({self.law!r}{_flags(self.meaning)})"

    def __reduce__(self) -> str | tuple[object, ...]:
        """A law of text is its text, one of Python its name where it is defined."""
        if self.written_in_python:
            return self.written_in_python
        return _again, (self.law, self.meaning, self.name)

    def check(self, instances: int = INSTANCES) -> Result:
        """Try so many instances of the law; it holds in as many environments as the result says.

        Raises:
            LawError: with the smallest counterexample that was found.

        """
        written = read(self.law)
        change = partial(_fired, self) if self.written_in_python else _as_written
        result = verdict(self.name, self.heads, written, self.meaning, instances, change)
        if result.counterexample is not None:
            raise LawError(_refusal(self, result.counterexample))
        if not result.environments:
            raise LawError(f"no values were found for which {self.law!r} means anything\n  hint: {_NO_VALUES}")
        return result


@overload
def law(
    text: str,
    *,
    real: bool = ...,
    keeps: str = ...,
    discards: bool = ...,
    source: str = ...,
    name: str = ...,
    heads: None = None,
    check: bool = ...,
) -> Law: ...
@overload
def law(
    text: str,
    *,
    real: bool = ...,
    keeps: str = ...,
    discards: bool = ...,
    source: str = ...,
    name: str = ...,
    heads: Heads,
    check: bool = ...,
) -> Callable[[Apply], Law]: ...
def law(
    text: str,
    *,
    real: bool = False,
    keeps: str = "exact",
    discards: bool = False,
    source: str = "",
    name: str = "",
    heads: Heads | None = None,
    check: bool = True,
) -> Law | Callable[[Apply], Law]:
    """A law `left ~> right where conditions`, as a rule that schedules can run (paper 002, §5).

    In F̃ text, where a name of one letter that nothing binds is a metavariable: i to n stand for Ints, c and d for Bools, x and y
    for real numbers, v for a vector, others for any term; `e i` may mention the variable i that is bound around it.  Conditions
    are joined by `and`: what is known at the place (`0 <= k`), types (`z : Float`), `a is a variable`, `k is total`.

    With `heads`, the constructors that its left side can have, it is a decorator for a Python function from a term and what is
    known there to another term, or None: for what text cannot say.  The text says then what it does, and is tested all the same.

    A law is tested when it is made, on 200 instances; a result of no errors is kept on disk.

    Args:
        text: The law, or several, separated by `;`.
        real: It holds for real numbers only: the same as `keeps="value"`.
        keeps: What it leaves as it is: "exact", each bit; "rounding", all but the last digits; "order", the same but for the
            order of sums; "value", the value as a real number, where that is finite.
        discards: What is not evaluated any more may have failed.
        source: Where it comes from.
        name: What reports call it; its text, or the function's name, if this is left out.
        heads: The constructors of its left side, if it is written in Python.
        check: Is it tested?

    Raises:
        LawError: for a text that is no law, and for a law that changes what a term means.

    >>> law("x + 0.0 ~> x")
    Traceback (most recent call last):
    fsmooth.errors.LawError: refused: x + 0.0 is 0.0 where x = -0.0; the right side, x, is -0.0
      hint: it is so but for -0.0: keeps="rounding"

    """
    if not isinstance(text, str):
        raise LawError(f"fs.law({text!r})\n  hint: give the text of a law, `left ~> right where conditions`")
    if real and keeps not in ("exact", "value"):
        raise LawError(
            f"real=True and keeps={keeps!r} are two promises\n  hint: real=True is keeps='value'; leave one out"
        )
    if keeps not in [k.value for k in Keeps]:
        known = ", ".join([repr(k.value) for k in Keeps])
        raise LawError(f"keeps={keeps!r}\n  hint: use one of {known}")
    meaning = Meaning(Keeps.VALUE if real else Keeps(keeps), discards)
    if heads is None:
        return _of_text(text, meaning, source, name, check)
    constructors = heads if isinstance(heads, tuple) else (heads,)
    if not all([isinstance(head, type) and issubclass(head, Term) for head in constructors]):
        hint = "give constructors of terms, as fsmooth.core.term has them: Prim, Build, Reduce, …"
        raise LawError(f"heads={heads!r}\n  hint: {hint}")
    return partial(_of_function, text, meaning, source, name, constructors, check)


def _of_text(text: str, meaning: Meaning, source: str, name: str, check: bool) -> Law:
    """A law that its text is run of."""
    text = " ".join(text.split())
    if UNSAID in text:
        raise LawError(f"{text!r} does not say what it makes\n  hint: write the right side, or a function, with heads=")
    patterns = [Pattern(equation) for equation in read(text)]

    def apply(term: Term, facts: Facts) -> Term | None:
        for pattern in patterns:
            result = pattern(term, facts)
            if result is not None:
                return result
        return None

    heads = tuple({head for pattern in patterns for head in pattern.heads})
    primitives = [t.primitive for pattern in patterns for t in pattern.patterns if isinstance(t, Prim)]
    on = frozenset(primitives) if heads == (Prim,) else frozenset()
    return _ready(_made(name or _name(text), apply, text, source, heads, meaning, on=on), check, "")


def _of_function(
    text: str, meaning: Meaning, source: str, name: str, heads: tuple[type, ...], check: bool, function: Apply
) -> Law:
    """A law that a function runs."""
    made = _made(
        name or function.__name__,
        function,
        " ".join(text.split()),
        source,
        heads,
        meaning,
        written_in_python=function.__name__,
    )
    object.__setattr__(made, "__module__", function.__module__)
    object.__setattr__(made, "__doc__", function.__doc__)
    return _ready(made, check, content_of(function))


def _made(
    name: str,
    apply: Apply,
    text: str,
    source: str,
    heads: tuple[type, ...],
    meaning: Meaning,
    *,
    on: frozenset[Primitive] = frozenset(),
    written_in_python: str = "",
) -> Law:
    return Law(
        name,
        apply,
        law=text,
        source=source or "a law of the user's",
        heads=heads,
        real=meaning.keeps is Keeps.VALUE,
        on=on,
        meaning=meaning,
        written_in_python=written_in_python,
    )


def _ready(made: Law, check: bool, does: str) -> Law:
    """The law, tested; `does` is what a function of Python's does."""
    object.__setattr__(made, "rules", (made,))
    object.__setattr__(made, "content", f"{made!r} {made.law} {made.meaning} {does}")
    if check:
        _remembered(made)
    return made


def _remembered(made: Law) -> None:
    """Test a law, unless that was done before and it held."""
    from fsmooth.runtime import cache  # noqa: PLC0415  (only those who write laws keep what was found)
    from fsmooth.runtime.manifest import own_sources  # noqa: PLC0415

    path = cache.directory() / f"{cache.key('law', made.content, own_sources())}.law"
    if cache.read(path) is None:
        made.check()
        cache.write(path, b"holds")


def _again(text: str, meaning: Meaning, name: str) -> Law:
    """A law that was tested where it was made."""
    return _of_text(text, meaning, "", name, check=False)


def _fired(made: Law, instance: Instance) -> Instance | None:
    """The instance, with what a law in Python makes of its left side."""
    facts = Facts()
    facts.scope.update(instance.left.free)
    for condition in instance.known:
        facts.assume(condition, True)
    result = made.apply(instance.left, facts)
    if result is None:
        return None
    if result.type != instance.left.type:
        raise LawError(f"refused: {instance.left}, {_of(instance.left)}, becomes {result}, {_of(result)}")
    return Instance(instance.left, result, instance.known)


def _as_written(instance: Instance) -> Instance:
    return instance


def _of(term: Term) -> str:
    return f"of type {term.type}"


def _refusal(made: Law, found: Counterexample) -> str:
    hint = hint_for(made.meaning, found)
    return f"refused: {found}" + (f"\n  hint: {hint}" if hint else "")


def _flags(meaning: Meaning) -> str:
    keeps = "" if meaning.is_exact else f", keeps={meaning.keeps.value!r}"
    return f"{keeps}{', discards=True' if meaning.discards else ''}"


def _name(text: str) -> str:
    """What reports call a law of text."""
    return text if len(text) <= 60 else f"{text[:57]}..."


_NO_VALUES = "its conditions exclude each other, or its left side is always out of bounds"
