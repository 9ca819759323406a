"""The forms of CL that Fig. 9 leaves out, in its manner: reductions, folds, filtered arrays, requirements."""

from __future__ import annotations

from fsmooth.core.term import Failure, IllTyped, Reduction, Site
from fsmooth.core.types import BOOL, INT, Array, Type, is_additive, is_numeric
from fsmooth.differentiate.categorical.arrows import Arrow, expect, extended


class Fold(Arrow):
    """`ifold`: S ⇒ A for a size S ⇒ ℕ, an initial state S ⇒ A, and a step (S ▷ A ▷ ℕ) ⇒ A."""

    __slots__ = ("body", "init", "names", "size")
    __match_args__ = ("size", "init", "names", "body")

    def __init__(self, size: Arrow, init: Arrow, names: tuple[str, str], body: Arrow) -> None:
        expect(size, init.source, INT)
        expect(body, extended(init.source, init.target, INT), init.target)
        self.size = size
        self.init = init
        self.names = names
        self.body = body
        self.source, self.target = init.source, init.target

    @property
    def parts(self) -> tuple[Arrow, ...]:
        return (self.size, self.init, self.body)

    def text(self) -> str:
        state, index = self.names
        return f"fold({self.size.text()}, {self.init.text()}, {state} {index}, {self.body.text()})"


class Repeat(Arrow):
    """`while`: S ⇒ A for an initial state S ⇒ A, a condition (S ▷ A) ⇒ 𝔹 and a step (S ▷ A) ⇒ A."""

    __slots__ = ("body", "condition", "init", "name")
    __match_args__ = ("init", "name", "condition", "body")

    def __init__(self, init: Arrow, name: str, condition: Arrow, body: Arrow) -> None:
        inside = extended(init.source, init.target)
        expect(condition, inside, BOOL)
        expect(body, inside, init.target)
        self.init = init
        self.name = name
        self.condition = condition
        self.body = body
        self.source, self.target = init.source, init.target

    @property
    def parts(self) -> tuple[Arrow, ...]:
        return (self.init, self.condition, self.body)

    def text(self) -> str:
        return f"while({self.init.text()}, {self.name}, {self.condition.text()}, {self.body.text()})"


class Total(Arrow):
    """`sum` and its siblings: S ⇒ T for a size S ⇒ ℕ and an element (S ▷ ℕ) ⇒ T."""

    __slots__ = ("body", "name", "reduction", "size")
    __match_args__ = ("reduction", "size", "name", "body")

    def __init__(self, reduction: Reduction, size: Arrow, name: str, body: Arrow) -> None:
        expect(size, size.source, INT)
        expect(body, extended(size.source, INT))
        element = body.target
        if not _reducible(reduction, element):
            raise IllTyped(f"{reduction.value} of {element!r}")
        self.reduction = reduction
        self.size = size
        self.name = name
        self.body = body
        self.source = size.source
        self.target = INT if reduction in (Reduction.ARGMAX, Reduction.ARGMIN) else element

    @property
    def parts(self) -> tuple[Arrow, ...]:
        return (self.size, self.body)

    def text(self) -> str:
        return f"{self.reduction.value}({self.size.text()}, {self.name}, {self.body.text()})"


def _reducible(reduction: Reduction, element: Type) -> bool:
    match reduction:
        case Reduction.SUM:
            return is_additive(element)
        case Reduction.ALL | Reduction.ANY:
            return element == BOOL
        case _:
            return is_numeric(element)


class Filter(Arrow):
    """`collect`: S ⇒ Vec T; sizes, guard and element see the indices before them, the count sees S."""

    __slots__ = ("body", "count", "guard", "names", "sizes")
    __match_args__ = ("count", "sizes", "names", "guard", "body")

    def __init__(
        self, count: Arrow, sizes: tuple[Arrow, ...], names: tuple[str, ...], guard: Arrow, body: Arrow
    ) -> None:
        expect(count, count.source, INT)
        for k, size in enumerate(sizes):
            expect(size, extended(count.source, *[INT] * k), INT)
        inside = extended(count.source, *[INT] * len(sizes))
        expect(guard, inside, BOOL)
        expect(body, inside)
        self.count = count
        self.sizes = sizes
        self.names = names
        self.guard = guard
        self.body = body
        self.source, self.target = count.source, Array(body.target)

    @property
    def parts(self) -> tuple[Arrow, ...]:
        return (self.count, *self.sizes, self.guard, self.body)

    def text(self) -> str:
        made = ", ".join([f"{name} in {size.text()}" for name, size in zip(self.names, self.sizes, strict=True)])
        return f"collect({self.count.text()}, [{made}], {self.guard.text()}, {self.body.text()})"


class Demand(Arrow):
    """`require c in e`: S ⇒ T for c : S ⇒ 𝔹 and e : S ⇒ T; `numbers` : S ⇒ ℕ are for the message."""

    __slots__ = ("body", "condition", "failure", "numbers", "site")
    __match_args__ = ("condition", "body")

    def __init__(self, condition: Arrow, body: Arrow, numbers: tuple[Arrow, ...], failure: Failure, site: Site) -> None:
        expect(condition, body.source, BOOL)
        for number in numbers:
            expect(number, body.source, INT)
        self.condition = condition
        self.body = body
        self.numbers = numbers
        self.failure = failure
        self.site = site
        self.source, self.target = body.source, body.target

    @property
    def parts(self) -> tuple[Arrow, ...]:
        return (self.condition, *self.numbers, self.body)

    def text(self) -> str:
        return f"require({', '.join([part.text() for part in self.parts])})"
