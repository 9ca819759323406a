"""Types as they are written in text, under our names and the papers'."""

from __future__ import annotations

from fsmooth.core.types import BOOL, F32, F64, INT, UNIT, Array, Function, Linear, Tuple, Type
from fsmooth.frontend.text import tree
from fsmooth.frontend.text.mistakes import TextError

NAMES: dict[str, Type] = {
    "Float": F64,
    "Float32": F32,
    "Int": INT,
    "Bool": BOOL,
    "Double": F64,
    "Index": INT,
    "Card": INT,
    "Num": F64,
    "Vector": Array(F64),
    "Matrix": Array(Array(F64)),
    "DoubleD": Tuple((F64, F64)),
    "VectorD": Array(Tuple((F64, F64))),
    "MatrixD": Array(Array(Tuple((F64, F64)))),
}


def a(type_: Type) -> str:
    """The type with its article, for messages: `an Int`."""
    return f"{'an' if repr(type_)[0] in 'AI' else 'a'} {type_!r}"


def type_of(node: tree.Node, text: str) -> Type:
    """The type that `node` writes.

    Raises:
        TextError: for a name that is no type.

    """
    match node:
        case tree.NamedType(name=name, element=None) if name in NAMES:
            return NAMES[name]
        case tree.NamedType(name="Array", element=element) if element is not None:
            return Array(type_of(element, text))
        case tree.TupleType(items=()):
            return UNIT
        case tree.TupleType(items=items, names=names):
            return Tuple(tuple([type_of(item, text) for item in items]), names)
        case tree.GroupType(inner=inner):
            return type_of(inner, text)
        case tree.FunctionType(parameters=parameters, result=result):
            return Function(tuple([type_of(q, text) for q in parameters]), type_of(result, text))
        case tree.LinearType(source=source, target=target):
            return Linear(type_of(source, text), type_of(target, text))
        case tree.NamedType(name=name):
            raise TextError(f"`{name}` is no type; there are Float, Int, Bool, Array<…>", text, node.start, node.end)
        case _:
            raise AssertionError(node)
