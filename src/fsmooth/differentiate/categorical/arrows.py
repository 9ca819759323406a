"""The syntax of CL (paper 001, Fig. 9), each form beside its typing rule (Fig. 11).

A form c : S ⇒ T is a function from values of type S; S is an environment, a tuple of the values of the variables in
scope, wherever variables are added to it (S ▷ R).  A constant is from (), as Fig. 11 says; Fig. 10 uses it from any
environment, which is to say after a pruning to nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from fsmooth.core.term import Const, IllTyped, Lam, Zero
from fsmooth.core.types import BOOL, INT, UNIT, Array, Function, Tuple, Type


class Arrow(ABC):
    """c : source ⇒ target."""

    __slots__ = ("source", "target")
    source: Type
    target: Type

    @property
    def parts(self) -> tuple[Arrow, ...]:
        """The forms inside."""
        return ()

    def __repr__(self) -> str:
        return self.text()

    @abstractmethod
    def text(self) -> str:
        """The form as the paper writes it."""


def environment(type_: Type) -> Tuple:
    """`type_`, a tuple.

    Raises:
        IllTyped: for anything else.

    """
    if not isinstance(type_, Tuple):
        raise IllTyped(f"a {type_!r} is no environment")
    return type_


def extended(source: Type, *added: Type) -> Tuple:
    """S ▷ R."""
    return Tuple((*environment(source).items, *added))


def expect(arrow: Arrow, source: Type, target: Type | None = None) -> None:
    """Refuse a part of another type."""
    if arrow.source != source:
        raise IllTyped(f"from {arrow.source!r} where {source!r} is given")
    if target is not None and arrow.target != target:
        raise IllTyped(f"to {arrow.target!r} where {target!r} is wanted")


class Identity(Arrow):
    """I : S ⇒ S."""

    __slots__ = ()

    def __init__(self, type_: Type) -> None:
        self.source = self.target = type_

    def text(self) -> str:
        return "I"


class Constant(Arrow):
    """𝒦(k) : () ⇒ ℝ."""

    __slots__ = ("value",)
    __match_args__ = ("value",)

    def __init__(self, value: Const | Zero) -> None:
        if value.free:
            raise IllTyped(f"{value!r} is no constant")
        self.value = value
        self.source, self.target = UNIT, value.type

    def text(self) -> str:
        return f"𝒦({self.value!r})"


class Prune(Arrow):
    """𝒫[i₁, …, iₘ/n] : (s₁, …, sₙ) ⇒ (s_i₁, …, s_iₘ); counted from 0."""

    __slots__ = ("positions",)
    __match_args__ = ("positions",)

    def __init__(self, source: Type, positions: Sequence[int]) -> None:
        items = environment(source).items
        if any(not 0 <= k < len(items) for k in positions):
            raise IllTyped(f"components {', '.join(map(str, positions))} of a {source!r}")
        self.positions = tuple(positions)
        self.source, self.target = source, Tuple(tuple([items[k] for k in positions]))

    def text(self) -> str:
        return f"𝒫[{', '.join(map(str, self.positions))}/{len(environment(self.source).items)}]"


class Call(Arrow):
    """ℱ(f) : S ⇒ T for a closed function f of the components of S."""

    __slots__ = ("function", "name")
    __match_args__ = ("function",)

    def __init__(self, function: Lam, name: str = "f") -> None:
        if function.free:
            raise IllTyped(f"{name} mentions {', '.join(sorted([v.name for v in function.free]))}")
        type_ = function.type
        assert isinstance(type_, Function)
        self.function = function
        self.name = name
        self.source, self.target = Tuple(type_.parameters), type_.result

    def text(self) -> str:
        return f"ℱ({self.name})"


class Then(Arrow):
    """c₁ ; c₂ : S ⇒ T, first c₁ : S ⇒ R, then c₂ : R ⇒ T."""

    __slots__ = ("after", "first")
    __match_args__ = ("first", "after")

    def __init__(self, first: Arrow, after: Arrow) -> None:
        expect(after, first.target)
        self.first = first
        self.after = after
        self.source, self.target = first.source, after.target

    @property
    def parts(self) -> tuple[Arrow, ...]:
        return (self.first, self.after)

    def text(self) -> str:
        return f"{self.first.text()} ; {self.after.text()}"


class Together(Arrow):
    """(c₁, …, cₙ) : S ⇒ (T₁, …, Tₙ); with `like` to a record."""

    __slots__ = ("items",)
    __match_args__ = ("items",)

    def __init__(self, source: Type, items: Sequence[Arrow], like: Type | None = None) -> None:
        for item in items:
            expect(item, source)
        self.items = tuple(items)
        self.source = source
        self.target = Tuple(tuple([item.target for item in items]))
        if isinstance(like, Tuple):
            if like.items != self.target.items:
                raise IllTyped(f"to {self.target!r} where {like!r} is wanted")
            self.target = like

    @property
    def parts(self) -> tuple[Arrow, ...]:
        return self.items

    def text(self) -> str:
        return "(" + ", ".join([item.text() for item in self.items]) + ("," if len(self.items) == 1 else "") + ")"


class Choose(Arrow):
    """ℐℱ(c₁, c₂, c₃) : S ⇒ T for c₁ : S ⇒ 𝔹 and c₂, c₃ : S ⇒ T."""

    __slots__ = ("condition", "otherwise", "then")
    __match_args__ = ("condition", "then", "otherwise")

    def __init__(self, condition: Arrow, then: Arrow, otherwise: Arrow) -> None:
        expect(condition, then.source, BOOL)
        expect(otherwise, then.source, then.target)
        self.condition = condition
        self.then = then
        self.otherwise = otherwise
        self.source, self.target = then.source, then.target

    @property
    def parts(self) -> tuple[Arrow, ...]:
        return (self.condition, self.then, self.otherwise)

    def text(self) -> str:
        return f"ℐℱ({', '.join([part.text() for part in self.parts])})"


class Bind(Arrow):
    """ℒ(x, c_r, c_b) : S ⇒ T for c_r : S ⇒ R and c_b : (S ▷ R) ⇒ T.  The name means nothing."""

    __slots__ = ("body", "name", "value")
    __match_args__ = ("name", "value", "body")

    def __init__(self, name: str, value: Arrow, body: Arrow) -> None:
        expect(body, extended(value.source, value.target))
        self.name = name
        self.value = value
        self.body = body
        self.source, self.target = value.source, body.target

    @property
    def parts(self) -> tuple[Arrow, ...]:
        return (self.value, self.body)

    def text(self) -> str:
        return f"ℒ({self.name}, {self.value.text()}, {self.body.text()})"


class Tabulate(Arrow):
    """ℬ(c_s, i, c_e) : S ⇒ Vec T for c_s : S ⇒ ℕ and c_e : (S ▷ ℕ) ⇒ T."""

    __slots__ = ("body", "name", "size")
    __match_args__ = ("size", "name", "body")

    def __init__(self, size: Arrow, name: str, body: Arrow) -> None:
        expect(size, size.source, INT)
        expect(body, extended(size.source, INT))
        self.size = size
        self.name = name
        self.body = body
        self.source, self.target = size.source, Array(body.target)

    @property
    def parts(self) -> tuple[Arrow, ...]:
        return (self.size, self.body)

    def text(self) -> str:
        return f"ℬ({self.size.text()}, {self.name}, {self.body.text()})"


def subarrows(arrow: Arrow) -> list[Arrow]:
    """Every form in a form, itself first."""
    found, stack = list[Arrow](), [arrow]
    while stack:
        here = stack.pop()
        found.append(here)
        stack.extend(reversed(here.parts))
    return found
