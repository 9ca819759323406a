"""Terms as F̃ text (paper 000, Fig. 3), which `fsmooth.frontend.text` parses back.

Different variables of one name are told apart by suffixes: `x`, `x_1`, `x_2`.  Parameters of functions carry
their types, other binders need none.  Long terms are laid out over several lines.

>>> from fsmooth.core.types import Array, F64
>>> from fsmooth.core import build as b
>>> v = Var("v", Array(F64))
>>> b.sum_(Length(v), lambda i: Get(v, i))
sum (length v) (fun i -> v[i])
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from fsmooth.core import primitives as p
from fsmooth.core.definitions import reachable
from fsmooth.core.term import (
    App,
    Call,
    Collect,
    Const,
    Custom,
    Deriv,
    Failure,
    Field,
    Get,
    Header,
    If,
    IFold,
    Inject,
    Lam,
    Length,
    Let,
    MakeTuple,
    Prim,
    Proj,
    Pulled,
    Record,
    RecordRegion,
    Reduce,
    Reduction,
    Require,
    Term,
    Unread,
    Var,
    Vector,
    Verb,
    While,
    Zero,
)
from fsmooth.core.term.linear_maps import MAP_NAMES
from fsmooth.core.traverse import bound_in, children, steps
from fsmooth.core.types import F32, Float, Tuple

_WIDTH = 100
_LOW, _OR, _AND, _COMPARE, _ADD, _MULTIPLY, _NEGATE, _POWER, _APPLY, _ATOM = range(10)
_LEVELS = {
    p.less: _COMPARE,
    p.less_equal: _COMPARE,
    p.greater: _COMPARE,
    p.greater_equal: _COMPARE,
    p.equal: _COMPARE,
    p.not_equal: _COMPARE,
    p.add: _ADD,
    p.subtract: _ADD,
    p.multiply: _MULTIPLY,
    p.divide: _MULTIPLY,
    p.floor_divide: _MULTIPLY,
    p.modulo: _MULTIPLY,
    p.power: _POWER,
}


_RESERVED = frozenset(
    {"let", "in", "fun", "if", "then", "else", "require", "collect", "true", "false", "inf", "nan", "inff", "nanf"}
    | {"build", "ifold", "while", "length", "get", "pair", "fst", "snd", "delta", "zero", "update", "check", "deriv"}
    | {"letrec", "and", "unread"}
    | {word.value for word in Reduction}
    | {word.value for word in Verb}
    | set(p.TABLE)
    | set(MAP_NAMES.values())
)
"""Names that text gives a meaning of its own; a variable called so is printed with a suffix."""


def show(term: Term) -> str:
    """The text of a term, after the definitions that it calls: `letrec f (x : Float) : Float = … and … in …`."""
    headers = reachable(term)
    names = _names_of(headers)
    text = _Printer(term, names).text(term, _LOW, 0)
    if not headers:
        return text
    return "letrec " + "\nand ".join([_definition(h, names) for h in headers]) + f"\nin\n{text}"


def names_in(term: Term) -> dict[str, Var]:
    """The variables of a term by the names in its text; none, if it calls definitions, which have names of their own."""
    if reachable(term):
        return {}
    return {name: var for var, name in _Printer(term, {}).names.items()}


def _names_of(headers: list[Header]) -> dict[Header, str]:
    """The text of each header: its name, with a suffix if another has it."""
    found: dict[Header, str] = {}
    for header in headers:
        name, suffix = header.name, 0
        while name in _RESERVED or name in found.values():
            suffix += 1
            name = f"{header.name}_{suffix}"
        found[header] = name
    return found


def _definition(header: Header, names: Mapping[Header, str]) -> str:
    try:
        function = header.definition
    except LookupError:
        return f"{names[header]} : {header.result!r} = …"
    printer = _Printer(function, names)
    parameters = " ".join([f"({printer.name(q)} : {q.type!r})" for q in function.parameters] or ["()"])
    head = f"{names[header]} {parameters} : {header.result!r} ="
    return f"{head}\n  {printer.text(function.body, _LOW, 2)}"


class _Printer:
    def __init__(self, root: Term, headers: Mapping[Header, str]) -> None:
        self.headers = headers
        self.names: dict[Var, str] = {}
        self.taken: set[str] = {*_RESERVED, *headers.values()}
        self.suffixes: dict[str, int] = {}
        for var in sorted(root.free, key=lambda v: v.id):
            self.name(var)
        self._collect(root)

    def _collect(self, root: Term) -> None:
        stack = [root]
        seen: set[Term] = set()
        while stack:
            term = stack.pop()
            if term in seen:
                continue
            seen.add(term)
            parts = children(term)
            if isinstance(term, Let):
                for var, _ in term.bindings:
                    self.name(var)
            else:
                for k in range(len(parts)):
                    for var in bound_in(term, k):
                        self.name(var)
            stack.extend(reversed(parts))

    def name(self, var: Var) -> str:
        """The text of a variable: its name, with a suffix if another variable has it."""
        found = self.names.get(var)
        if found is None:
            found, suffix = var.name, self.suffixes.get(var.name, 0)
            while found in self.taken:
                suffix += 1
                found = f"{var.name}_{suffix}"
            self.suffixes[var.name] = suffix
            self.names[var] = found
            self.taken.add(found)
        return found

    def text(self, term: Term, level: int, indent: int) -> str:
        """The text of `term` where the context binds as tightly as `level`."""
        own, result = self.form(term, indent)
        return f"({result})" if own < level else result

    def atom(self, term: Term, indent: int) -> str:
        """As an argument of an application."""
        return self.text(term, _ATOM, indent)

    def form(self, term: Term, indent: int) -> tuple[int, str]:
        """The text of `term`, and how tightly it binds."""
        match term:
            case Const():
                return _constant(term)
            case Var():
                return _ATOM, self.name(term)
            case Prim():
                return self.primitive(term, indent)
            case If(a, b, Const(False)):
                return _AND, f"{self.text(a, _COMPARE, indent)} && {self.text(b, _AND, indent)}"
            case If(a, Const(True), b):
                return _OR, f"{self.text(a, _AND, indent)} || {self.text(b, _OR, indent)}"
            case If(c, a, b):
                parts = [self.text(t, _LOW, indent + 2) for t in (c, a, b)]
                line = f"if {parts[0]} then {parts[1]} else {parts[2]}"
                if len(line) + indent <= _WIDTH and "\n" not in line:
                    return _LOW, line
                gap = "\n" + " " * (indent + 2)
                return _LOW, f"if {parts[0]} then{gap}{parts[1]}\n{' ' * indent}else{gap}{parts[2]}"
            case Let(bindings, body):
                lines = [f"let {self.name(x)} = {self.text(e, _LOW, indent + 2)} in" for x, e in bindings]
                gap = "\n" + " " * indent
                return _LOW, gap.join([*lines, self.text(body, _LOW, indent)])
            case Lam(parameters, body):
                head = "fun " + " ".join([f"({self.name(q)} : {q.type!r})" for q in parameters] or ["()"])
                return _LOW, self.arrow(head, body, indent)
            case IFold(size, init, state, index, body):
                function = self.arrow(f"fun {self.name(state)} {self.name(index)}", body, indent)
                return _APPLY, f"ifold ({function}) {self.atom(init, indent)} {self.atom(size, indent)}"
            case Get(array, index):
                return _ATOM, f"{self.atom(array, indent)}[{self.text(index, _LOW, indent)}]"
            case Proj(tuple_, position):
                if isinstance(tuple_.type, Tuple) and tuple_.type.names is not None:
                    return _ATOM, f"{self.atom(tuple_, indent)}.{tuple_.type.names[position]}"
                return _ATOM, f"{self.atom(tuple_, indent)}.{position}"
            case While(init, state, condition, body):
                head = f"fun {self.name(state)}"
                functions = f"({self.arrow(head, condition, indent)}) ({self.arrow(head, body, indent)})"
                return _APPLY, f"while {functions} {self.atom(init, indent)}"
            case MakeTuple(items):
                return _ATOM, self.tuple_text(term, items, indent)
            case Vector(items):
                return _ATOM, "[" + self.listed(items, indent) + "]"
            case Length(array, axis):
                return _APPLY, f"length {self.atom(array, indent)}" + (f" {axis}" if axis else "")
            case Require(condition, body):
                shown = ", ".join([self.text(t, _OR, indent) for t in (condition, *term.numbers)])
                kind = "" if term.failure is Failure.SIZE else f" {term.failure.name.lower()}"
                return _LOW, f"require{kind} {shown} in {self.text(body, _LOW, indent)}"
            case Collect(count, generators, guard, body):
                made = ", ".join([f"{self.name(i)} in {self.text(n, _OR, indent)}" for n, i in generators])
                rest = f"{self.atom(guard, indent)} {self.atom(body, indent)}"
                return _APPLY, f"collect {self.atom(count, indent)} [{made}] {rest}"
            case Zero(sizes, leaf):
                word = "unread" if isinstance(term, Unread) else "zero"
                return _APPLY, " ".join([word, repr(leaf), *[self.atom(s, indent) for s in sizes]])
            case Deriv(function, wrt, verb):
                several = "," if len(wrt) == 1 and not term.single else ""
                method = f"{verb.value}[{', '.join(map(str, wrt))}{several}]"
                return _APPLY, f"{method} ({self.text(function, _LOW, indent)})"
            case Custom(function, jvp, vjp):
                given = ["()" if rule is None else self.atom(rule, indent) for rule in (jvp, vjp)]
                return _APPLY, " ".join(["custom", self.atom(function, indent), *given])
            case Call(header, arguments):
                given = [self.atom(t, indent) for t in arguments]
                return _APPLY, " ".join([self.headers[header], *(given or ["()"])])
            case Inject(data, constructor, items):
                return _APPLY, " ".join([f"{data.name}.{constructor}", *[self.atom(x, indent) for x in items]])
            case Field(operand, constructor, position):
                return _ATOM, f"{self.atom(operand, indent)}.{constructor}.{position}"
            case Record(ids, slopes):
                pairs = [self.listed(pair, indent) for pair in zip(ids, slopes, strict=True)]
                return _APPLY, " ".join(["record", *[f"({pair})" for pair in pairs]])
            case RecordRegion(number, size, places, saved):
                listed = [f"({self.listed(part, indent)})" for part in (places, saved)]
                return _APPLY, " ".join(["recordregion", str(number), self.atom(size, indent), *listed])
            case Pulled(size, tape, ids, cotangents):
                pairs = [self.listed(pair, indent) for pair in zip(ids, cotangents, strict=True)]
                begin = ["pulled", self.atom(size, indent), self.atom(tape, indent)]
                return _APPLY, " ".join([*begin, *[f"({pair})" for pair in pairs]])
            case App(function, arguments):
                called = [self.atom(t, indent) for t in (function, *arguments)]
                return _APPLY, " ".join(called if arguments else [*called, "()"])
            case _:
                return _APPLY, " ".join([_word(term), *self.operands(term, indent)])

    def operands(self, term: Term, indent: int) -> list[str]:
        """The general form: the parts in their order, those in the scope of variables as functions of these."""
        found: list[str] = []
        binders: list[str] = []
        for step in steps(term):
            if step.var is not None:
                binders.append(self.name(step.var))
            elif binders:
                found.append(f"({self.arrow('fun ' + ' '.join(binders), step.term, indent)})")
            else:
                found.append(self.atom(step.term, indent))
        return found

    def arrow(self, head: str, body: Term, indent: int) -> str:
        inner = self.text(body, _LOW, indent + 2)
        line = f"{head} -> {inner}"
        if "\n" not in inner and len(line) + indent <= _WIDTH:
            return line
        return f"{head} ->\n{' ' * (indent + 2)}{inner}"

    def listed(self, items: tuple[Term, ...], indent: int) -> str:
        shown = [self.text(t, _OR, indent + 1) for t in items]
        line = ", ".join(shown)
        if len(line) + indent <= _WIDTH and "\n" not in line:
            return line
        return (",\n" + " " * (indent + 1)).join(shown)

    def tuple_text(self, term: MakeTuple, items: tuple[Term, ...], indent: int) -> str:
        assert isinstance(term.type, Tuple)
        if term.type.names is not None:
            fields = zip(term.type.names, items, strict=True)
            return "{" + ", ".join([f"{n} = {self.text(t, _OR, indent)}" for n, t in fields]) + "}"
        return "(" + self.listed(items, indent) + ("," if len(items) == 1 else "") + ")"

    def primitive(self, term: Prim, indent: int) -> tuple[int, str]:
        operation, arguments = term.primitive, term.arguments
        level = _LEVELS.get(operation)
        if level is not None:
            left = level + 1 if level in (_COMPARE, _POWER) else level
            right = level if level == _POWER else level + 1
            a, b = self.text(arguments[0], left, indent), self.text(arguments[1], right, indent)
            return level, f"{a} {operation.symbol} {b}"
        if operation is p.negate:
            if isinstance(arguments[0], Const):
                return _NEGATE, f"-({self.text(arguments[0], _LOW, indent)})"
            return _NEGATE, f"-{self.text(arguments[0], _POWER, indent)}"
        if operation is p.logical_not:
            return _APPLY, f"!{self.atom(arguments[0], indent)}"
        return _APPLY, " ".join([operation.name, *[self.atom(a, indent) for a in arguments]])


def _word(term: Term) -> str:
    """What the general form begins with."""
    return term.reduction.value if isinstance(term, Reduce) else MAP_NAMES.get(type(term), type(term).__name__.lower())


def _constant(term: Const) -> tuple[int, str]:
    value = term.value
    if isinstance(value, bool):
        return _ATOM, "true" if value else "false"
    text = repr(value)
    if isinstance(term.type, Float):
        text += "f" if term.type == F32 else ""
    negative = value < 0 or (isinstance(value, float) and math.copysign(1.0, value) < 0)
    return (_NEGATE if negative else _ATOM), text
