"""Are names bound, types right, sizes equal, and is nothing read that was consumed? (Size Types, In-place Updates.)"""

from __future__ import annotations

from dataclasses import dataclass, field

from lark import Token, Tree

from tests.futhark.reader import functions
from tests.futhark.reader.parsing import RESERVED
from tests.futhark.reader.types import (
    BOOL,
    F32,
    F64,
    I64,
    SCALARS,
    Array,
    Function,
    FutharkError,
    Scalar,
    Tuple,
    Type,
    demand,
    has_array,
    joined,
    sizes_in,
    substituted,
    unknown_size,
)

NOTHING: frozenset[str] = frozenset()


@dataclass
class Scope:
    """Types of names, which other names they may share memory with, and what may be consumed: not what is outside of a
    function or a loop.
    """

    types: dict[str, Type] = field(default_factory=dict)
    aliases: dict[str, frozenset[str]] = field(default_factory=dict)
    consumable: set[str] = field(default_factory=set)
    consumed: set[str] = field(default_factory=set)

    def inner(self) -> Scope:
        """A scope that runs where this one does."""
        return Scope(dict(self.types), dict(self.aliases), set(self.consumable), self.consumed)

    def repeated(self) -> Scope:
        """A scope that may run often."""
        return Scope(dict(self.types), dict(self.aliases), set(), self.consumed)


@dataclass(frozen=True)
class Value:
    """What is known of an expression: its type, and the names that its memory may belong to."""

    type: Type
    aliases: frozenset[str] = NOTHING
    parts: tuple[Value, ...] = ()
    """Of a tuple that is written out, its components."""

    def components(self) -> tuple[Value, ...]:
        """What is known of each component of a tuple."""
        assert isinstance(self.type, Tuple)
        return self.parts or tuple([Value(t, self.aliases) for t in self.type.items])


def check(program: Tree) -> dict[str, Function]:
    """The types of all that a program defines.

    Raises:
        FutharkError: for a program that Futhark would refuse, or of which this reader does not know that it would not.

    """
    defined: dict[str, Type] = {}
    for declaration in program.children:
        name, function = _declaration(declaration, defined)
        if name in defined:
            raise FutharkError(f"{name} is defined twice")
        defined[name] = function
    return {name: f for name, f in defined.items() if isinstance(f, Function)}


def _declaration(tree: Tree, defined: dict[str, Type]) -> tuple[str, Function]:
    name, *rest = tree.children
    *parts, result_tree, body = rest
    sizes = tuple([_new_name(t.children[0]) for t in parts if t.data == "size"])
    scope = Scope(dict(defined))
    scope.types.update(dict.fromkeys(sizes, I64))
    parameters = []
    for part in parts:
        if part.data == "parameter":
            own = read_type(part.children[1], scope)
            _bind(scope, _new_name(part.children[0]), Value(own))
            parameters.append(own)
    scope.consumable.clear()
    unused = set(sizes) - {s for t in parameters for s in sizes_in(t)}
    if unused:
        raise FutharkError(f"the sizes {sorted(unused)} of {name} are those of no parameter")
    found = expression(body, scope).type
    wanted = read_type(result_tree, scope)
    demand(_anonymous_as(found, wanted), wanted, f"the result of {name}")
    return _new_name(name), Function(sizes, tuple(parameters), wanted)


def _anonymous_as(found: Type, wanted: Type) -> Type:
    """`[]` in a result is any size."""
    if isinstance(found, Array) and isinstance(wanted, Array):
        size = "" if wanted.size == "" else found.size
        return Array(size, _anonymous_as(found.element, wanted.element))
    if isinstance(found, Tuple) and isinstance(wanted, Tuple) and len(found.items) == len(wanted.items):
        return Tuple(tuple([_anonymous_as(a, b) for a, b in zip(found.items, wanted.items, strict=True)]))
    return found


def read_type(tree: Tree, scope: Scope) -> Type:
    """A type as it is written; its sizes are numbers or names that are bound to integers."""
    if tree.data == "scalar_type":
        name = str(tree.children[0])
        if name not in SCALARS:
            raise FutharkError(f"there is no type {name}")
        return SCALARS[name]
    if tree.data == "tuple_type":
        return Tuple(tuple([read_type(t, scope) for t in tree.children]))
    dimension, element = tree.children
    if dimension is None:
        return Array("", read_type(element, scope))
    size = str(dimension.children[0])
    if not size.isdigit():
        demand(_looked_up(size, scope).type, I64, f"the size {size}")
    return Array(size, read_type(element, scope))


# -- names -----------------------------------------------------------------------------------------------------------


def _new_name(token: Token) -> str:
    if str(token) in RESERVED:
        raise FutharkError(f"{token} is reserved")
    return str(token)


def _bind(scope: Scope, name: str, value: Value) -> None:
    scope.types[name] = value.type
    shared = value.aliases if has_array(value.type) else NOTHING
    scope.aliases[name] = shared | {name}
    for other in shared:
        scope.aliases[other] = scope.aliases.get(other, NOTHING) | {name}
    scope.consumed.discard(name)
    if not shared or all(other in scope.consumable for other in shared):
        scope.consumable.add(name)


def bind_pattern(scope: Scope, pattern: Tree, value: Value) -> set[str]:
    """The names that a pattern binds."""
    if pattern.data == "name_pattern":
        name = _new_name(pattern.children[0])
        _bind(scope, name, value)
        return {name}
    if not isinstance(value.type, Tuple) or len(value.type.items) != len(pattern.children):
        raise FutharkError(f"a pattern of {len(pattern.children)} for a {value.type}")
    names = [bind_pattern(scope, p, part) for p, part in zip(pattern.children, value.components(), strict=True)]
    found = set().union(*names)
    if len(found) != sum(map(len, names)):
        raise FutharkError("a pattern binds a name twice")
    return found


def _looked_up(name: str, scope: Scope) -> Value:
    if name not in scope.types:
        raise FutharkError(f"{name} is not bound")
    if name in scope.consumed:
        raise FutharkError(f"{name} is used after it was consumed")
    type_ = scope.types[name]
    return Value(type_, scope.aliases.get(name, NOTHING) if has_array(type_) else NOTHING)


def consume(value: Value, scope: Scope) -> None:
    """An update in place: nobody may read the array from here on, by whatever name."""
    for name in value.aliases:
        if name not in scope.consumable:
            raise FutharkError(
                f"{name} is consumed, but is outside of the function or loop, or a parameter that is not unique"
            )
    scope.consumed |= value.aliases


# -- expressions -------------------------------------------------------------------------------------------------------


def expression(tree: Tree, scope: Scope) -> Value:
    """The type of an expression."""
    rule = _RULES.get(tree.data)
    if rule is None:
        raise FutharkError(f"{tree.data} is not known to this reader")
    return rule(tree, scope)


def _let(tree: Tree, scope: Scope) -> Value:
    pattern, value_tree, body = tree.children
    value = expression(value_tree, scope)
    if value_tree.data == "int" and not str(value_tree.children[0]).endswith("i64"):
        raise FutharkError("a number without a type, to which a let gives i32")
    inner = scope.inner()
    names = bind_pattern(inner, pattern, value)
    result = expression(body, inner)
    scope.consumed |= inner.consumed - names
    written = functions.size_text(value_tree) if value.type == I64 else None
    lost = {n: written or unknown_size() for n in names & sizes_in(result.type)}
    return _left(result, lost, names, inner)


def _left(value: Value, lost: dict[str, str], names: set[str], inner: Scope) -> Value:
    """A value where `names` are not bound, nor the sizes that are `lost`."""
    parts = tuple([_left(part, lost, names, inner) for part in value.parts])
    return Value(substituted(value.type, lost), _outside(value.aliases, names, inner), parts)


def _outside(aliases: frozenset[str], names: set[str], inner: Scope) -> frozenset[str]:
    """What a value may share memory with, where `names` are not bound."""
    return frozenset().union(*[inner.aliases.get(a, NOTHING) | {a} for a in aliases]) - names if aliases else NOTHING


def _if(tree: Tree, scope: Scope) -> Value:
    condition, then, otherwise = tree.children
    demand(expression(condition, scope).type, BOOL, "a condition")
    before = set(scope.consumed)
    one = expression(then, scope)
    after_one = set(scope.consumed)
    scope.consumed.clear()
    scope.consumed |= before
    other = expression(otherwise, scope)
    scope.consumed |= after_one
    return _either(one, other)


def _either(one: Value, other: Value) -> Value:
    parts: tuple[Value, ...] = ()
    if isinstance(one.type, Tuple) and (one.parts or other.parts):
        parts = tuple([_either(a, b) for a, b in zip(one.components(), other.components(), strict=True)])
    return Value(joined(one.type, other.type), one.aliases | other.aliases, parts)


def _loop(tree: Tree, scope: Scope) -> Value:
    pattern, init, form, body = tree.children
    start = expression(init, scope) if init is not None else _of_pattern(pattern, scope)
    inner = scope.repeated()
    if form.data == "for_":
        index, _, bound = form.children
        demand(expression(bound, scope).type, I64, "the bound of a loop")
    names = bind_pattern(inner, pattern, Value(start.type))
    if form.data == "for_":
        names |= {_new_name(index)}
        _bind(inner, str(index), Value(I64))
    else:
        demand(expression(form.children[0], inner).type, BOOL, "the condition of a loop")
    result = expression(body, inner)
    demand(result.type, start.type, "the state of a loop after a step")
    consumed = inner.consumed & names
    scope.consumed -= names
    return _after_loop(pattern, start, result, consumed, names, scope)


def _after_loop(pattern: Tree, start: Value, result: Value, consumed: set[str], names: set[str], scope: Scope) -> Value:
    """The value of a loop: where it consumes its state, the array at first is gone, and the next is none from outside."""
    if pattern.data == "tuple_pattern" and pattern.children:
        parts = zip(pattern.children, start.components(), result.components(), strict=True)
        found = tuple([_after_loop(p, a, b, consumed, names, scope) for p, a, b in parts])
        return Value(start.type, frozenset().union(*[part.aliases for part in found]), found)
    if pattern.children and str(pattern.children[0]) in consumed:
        foreign = result.aliases & set(scope.types) - names
        if foreign:
            raise FutharkError(f"a loop consumes its state, but gives {sorted(foreign)} as the next")
        consume(start, scope)
        return Value(start.type)
    return Value(start.type, start.aliases | (result.aliases - names))


def _of_pattern(pattern: Tree, scope: Scope) -> Value:
    if pattern.data == "name_pattern":
        return _looked_up(str(pattern.children[0]), scope)
    parts = [_of_pattern(p, scope) for p in pattern.children]
    aliases = frozenset().union(*[p.aliases for p in parts])
    return Value(Tuple(tuple([p.type for p in parts])), aliases, tuple(parts))


def _unsafe(tree: Tree, scope: Scope) -> Value:
    return expression(tree.children[1], scope)


def _assert(tree: Tree, scope: Scope) -> Value:
    demand(expression(tree.children[0], scope).type, BOOL, "what is asserted")
    return expression(tree.children[1], scope)


def _with(tree: Tree, scope: Scope) -> Value:
    array, *indices, value = tree.children
    whole = expression(array, scope)
    element = _element(whole.type, indices, scope)
    new = expression(value, scope)
    demand(new.type, element, "an element that is replaced")
    if new.aliases & whole.aliases:
        raise FutharkError("an array is updated with a part of itself")
    consume(whole, scope)
    return Value(whole.type)


def _coerce(tree: Tree, scope: Scope) -> Value:
    value = expression(tree.children[0], scope)
    wanted = read_type(tree.children[1], scope)
    demand(_same_sizes(value.type), _same_sizes(wanted), "a change of sizes")
    return Value(wanted, value.aliases)


def _same_sizes(type_: Type) -> Type:
    if isinstance(type_, Array):
        return Array("", _same_sizes(type_.element))
    if isinstance(type_, Tuple):
        return Tuple(tuple(map(_same_sizes, type_.items)))
    return type_


def _logical(tree: Tree, scope: Scope) -> Value:
    for part in tree.children:
        demand(expression(part, scope).type, BOOL, "an operand of && or ||")
    return Value(BOOL)


def _not(tree: Tree, scope: Scope) -> Value:
    demand(expression(tree.children[0], scope).type, BOOL, "an operand of !")
    return Value(BOOL)


def _negate(tree: Tree, scope: Scope) -> Value:
    found = expression(tree.children[-1], scope).type
    if found not in (F64, F32, I64):
        raise FutharkError(f"- of a {found}")
    return Value(found)


def _infix(tree: Tree, scope: Scope) -> Value:
    left, symbol, right = tree.children
    one, other = expression(left, scope).type, expression(right, scope).type
    demand(other, one, f"the right operand of {symbol}")
    allowed = (F64, F32, I64, BOOL) if symbol in ("==", "!=") else (F64, F32, I64)
    if one not in allowed:
        raise FutharkError(f"{symbol} of a {one}")
    return Value(BOOL if symbol in ("==", "!=", "<", "<=", ">", ">=") else one)


def _apply(tree: Tree, scope: Scope) -> Value:
    function, *arguments = tree.children
    if function.data == "name" and isinstance(scope.types.get(str(function.children[0])), Function):
        return functions.of_defined(scope.types[str(function.children[0])], arguments, scope, expression)
    if function.data in ("name", "qualified"):
        name = str(function.children[0])
        if name not in scope.types:
            return functions.of_prelude(name, arguments, scope)
    if function.data == "lambda":
        raise FutharkError("a function that is applied where it is written")
    raise FutharkError(f"{functions.size_text(function) or function.data} is not a function")


def _name(tree: Tree, scope: Scope) -> Value:
    value = _looked_up(str(tree.children[0]), scope)
    if isinstance(value.type, Function):
        raise FutharkError("a function where a value is expected")
    return value


def _qualified(tree: Tree, scope: Scope) -> Value:
    module, _, name = str(tree.children[0]).partition(".")
    if name in ("inf", "nan", "pi") and module in ("f64", "f32"):
        return Value(Scalar(module))
    if name in ("lowest", "highest"):
        return Value(Scalar(module))
    raise FutharkError(f"{module}.{name} is no value")


def _tuple(tree: Tree, scope: Scope) -> Value:
    parts = [expression(t, scope) for t in tree.children]
    aliases = frozenset().union(*[p.aliases for p in parts])
    return Value(Tuple(tuple([p.type for p in parts])), aliases, tuple(parts))


def _display(tree: Tree, scope: Scope) -> Value:
    types = [expression(t, scope).type for t in tree.children]
    for type_ in types[1:]:
        demand(type_, types[0], "an element of an array")
    return Value(Array(str(len(types)), types[0]))


def _element(array: Type, indices: list[Tree], scope: Scope) -> Type:
    for index in indices:
        demand(expression(index, scope).type, I64, "an index")
        if not isinstance(array, Array):
            raise FutharkError(f"a {array} is indexed")
        array = array.element
    return array


def _part(type_: Type, whole: Value) -> Value:
    """An element: a row is in the memory of its array, a number is not."""
    return Value(type_, whole.aliases if has_array(type_) else NOTHING)


def _name_index(tree: Tree, scope: Scope) -> Value:
    name, _, *indices = tree.children
    whole = _looked_up(str(name), scope)
    return _part(_element(whole.type, indices, scope), whole)


def _index(tree: Tree, scope: Scope) -> Value:
    array, _, *indices = tree.children
    whole = expression(array, scope)
    return _part(_element(whole.type, indices, scope), whole)


def _field(tree: Tree, scope: Scope) -> Value:
    operand, place = tree.children
    whole = _looked_up(str(operand), scope) if isinstance(operand, Token) else expression(operand, scope)
    position = int(place[1:])
    if not isinstance(whole.type, Tuple) or position >= len(whole.type.items):
        raise FutharkError(f"component {position} of a {whole.type}")
    return whole.components()[position]


_RULES = {
    "let": _let,
    "if_": _if,
    "loop": _loop,
    "unsafe": _unsafe,
    "assert_": _assert,
    "with_": _with,
    "coerce": _coerce,
    "or_": _logical,
    "and_": _logical,
    "not_": _not,
    "negate": _negate,
    "infix": _infix,
    "apply": _apply,
    "name": _name,
    "qualified": _qualified,
    "float": lambda tree, scope: Value(SCALARS[str(tree.children[0])[-3:]]),
    "int": lambda tree, scope: Value(I64),
    "true": lambda tree, scope: Value(BOOL),
    "false": lambda tree, scope: Value(BOOL),
    "tuple": _tuple,
    "display": _display,
    "name_index": _name_index,
    "index": _index,
    "name_field": _field,
    "field": _field,
}
