"""Nodes that programs make: a data type of the core for each declaration, with a constructor for each class.

What a class holds that is not in it, as the list in a queue, is of a data type of its own, which is the same wherever it is held.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from fsmooth.core.alternatives import is_one_of, kinds_of
from fsmooth.core.nodes.declaration import Declaration, Field, Kind, Nodes
from fsmooth.core.nodes.reading import declaration_of, declared
from fsmooth.core.trees import Constant, class_of
from fsmooth.core.types import BOOL, F64, INT, Array, Data, Tuple, Type, array_of

_LEAVES: dict[type | None, Type] = {float: F64, int: INT, bool: BOOL, None: F64}


class Built(Data):
    """What the constructors of a declaration make inside a program."""

    __slots__ = ("declaration",)

    def __init__(self, declaration: Declaration) -> None:
        super().__init__("_or_".join([c.name for c in declaration.constructors]))
        self.declaration = declaration
        for c in declaration.constructors:
            self.add(tuple([self.type_of(field) for field in c.fields]))

    @property
    def is_remade(self) -> bool:
        """It is the program's own."""
        return True

    def type_of(self, field: Field) -> Type:
        """The type of a field."""
        match field.kind:
            case Kind.NODE:
                return self.held(field)
            case Kind.CHILDREN:
                return Array(self.held(field))
            case Kind.TEXT:
                return INT
            case Kind.NUMBER:
                return _LEAVES[field.leaf]
            case _:
                return array_of(_LEAVES[field.leaf], field.rank)

    def held(self, field: Field) -> Built:
        """The data type of the nodes in a field: that of the classes that are reached from it, if it is recursive."""
        classes = [self.declaration.constructors[tag].cls for tag in sorted(field.tags)]
        if not any([cls is not type(None) and declaration_of(cls) is not None for cls in classes]):
            return self
        own = declared(classes)
        return self if own is self.declaration else built(own)


_BUILT: WeakKeyDictionary[Declaration, Built] = WeakKeyDictionary()


def built(declaration: Declaration) -> Built:
    """The data type of a declaration: always the same."""
    found = _BUILT.get(declaration)
    if found is None:
        found = _BUILT[declaration] = Built(declaration)
    return found


def tag_of(type_: Type, wanted: Built) -> int | None:
    """The tag of a record, or of None, among the classes of a data type; None if it is not among them."""
    if not isinstance(type_, Tuple):
        return None
    if isinstance(type_.record, Constant):
        return wanted.declaration.tags.get(type(None)) if type_.record.value is None else None
    cls = class_of(type_.record)
    return None if cls is None else wanted.declaration.tags.get(cls)


def is_like_built(type_: Type, wanted: Built) -> bool:
    """Can a value be one that the program makes: a node of a tree that is given, a record of one of the classes, None, or one
    of several of these?  A node of a data type with more classes is asked for its class.
    """
    if is_one_of(type_):
        return all([is_like_built(kind, wanted) for kind in kinds_of(type_)])
    if isinstance(type_, Tuple) and isinstance(type_.record, Nodes):
        return not type_.record.is_forest and larger_of(type_.record.declaration, wanted.declaration) is not None
    if isinstance(type_, Built):
        return larger_of(type_.declaration, wanted.declaration) is not None
    return tag_of(type_, wanted) is not None


def larger_of(one: Declaration, other: Declaration) -> Declaration | None:
    """The one that has all classes of the other; None if neither has."""
    if one.tags.keys() >= other.tags.keys():
        return one
    return other if other.tags.keys() >= one.tags.keys() else None
