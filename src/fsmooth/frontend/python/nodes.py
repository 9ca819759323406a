"""Nodes of the user's data types: which class they are of, their fields, `isinstance`, `is None`, methods.

A node is a number and the columns of its type (fsmooth.core.nodes.declaration).  Columns that say which nodes there are were
checked when they were made, so a field is read without a check, where the node is known to be of a class that has it: by a
condition that holds there, or else by one that is required.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from fsmooth.core import primitives as p
from fsmooth.core.build import build, equals, minus, plus, project
from fsmooth.core.nodes.built import Built
from fsmooth.core.nodes.declaration import Declaration, Kind, Nodes
from fsmooth.core.nodes.declaration import Field as FieldOfClass
from fsmooth.core.term import (
    Const,
    Failure,
    Field,
    Get,
    Inject,
    Length,
    MakeTuple,
    Prim,
    Require,
    Tag,
    Term,
    Var,
)
from fsmooth.core.types import Tuple
from fsmooth.errors import TypeMismatchError, UndefinedNameError
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.joins import branch, either_way
from fsmooth.frontend.python.narrowing import definition_of, has_one_of, is_possible, is_same
from fsmooth.frontend.python.references import asked_for, has_this_tag, row_of
from fsmooth.frontend.python.sizes import length_of
from fsmooth.frontend.python.values import NodeList, Sequence, Text, Value

Tags = frozenset[int]


def record_of_nodes(value: Value) -> Nodes | None:
    """What a value is a node of, or a forest; None for everything else."""
    if isinstance(value, Term) and isinstance(value.type, Tuple) and isinstance(value.type.record, Nodes):
        return value.type.record
    return None


def declaration_of_node(value: Value) -> Declaration | None:
    """The data type of a node, of a tree that is given or one that the program makes; None for everything else."""
    if isinstance(value, Term) and isinstance(value.type, Built):
        return value.type.declaration
    record = record_of_nodes(value)
    return None if record is None or record.is_forest else record.declaration


def require_no_node(frame: Frame, value: Value, place: ast.AST) -> None:
    """A node has no elements here: those of a NamedTuple would be its fields, but its parts are columns."""
    declaration = declaration_of_node(value)
    if declaration is not None:
        hint = "name its fields: t.left, or case Node(left, right)"
        frame.unsupported(place, f"{declaration.name} as a tuple of fields", hint)


def is_built(node: Term) -> bool:
    """Does the program make the node?"""
    return isinstance(node.type, Built)


def place_of(node: Term) -> Term:
    """What tells one node from another: its number, or what was made."""
    return node if is_built(node) else project(node, 0)


# -- classes ---------------------------------------------------------------------------------------------------------


def is_of_classes(frame: Frame, node: Term, wanted: Iterable[type]) -> Term:
    """Is a node of one of these classes, or of a class that is derived from one?"""
    declaration = declaration_of_node(node)
    assert declaration is not None
    classes = tuple(wanted)
    tags = frozenset([k for k, c in enumerate(declaration.constructors) if issubclass(c.cls, classes)])
    return has_tag(frame, node, tags)


def is_nothing(frame: Frame, node: Term) -> Term:
    """Is a node None?"""
    return is_of_classes(frame, node, (type(None),))


def is_true(frame: Frame, node: Term, place: ast.AST) -> Term:
    """The truth of a node: None does not hold, nor does a NamedTuple without fields, which is an empty tuple."""
    declaration = declaration_of_node(node)
    assert declaration is not None
    empty = set()
    for tag in possible_tags(frame, node):
        cls = declaration.constructors[tag].cls
        if hasattr(cls, "__len__") and cls.__len__ is tuple.__len__:
            if not declaration.constructors[tag].fields:
                empty.add(tag)
        elif cls is type(None):
            empty.add(tag)
        elif hasattr(cls, "__len__"):
            frame.unsupported(place, f"the truth of a {cls.__name__}, which defines __len__,", "ask `is not None`")
        if cls is not type(None) and hasattr(cls, "__bool__"):
            frame.unsupported(place, f"the truth of a {cls.__name__}, which defines __bool__,", "ask `is not None`")
    fails = has_tag(frame, node, frozenset(empty))
    return Const(not fails.value) if isinstance(fails, Const) else Prim(p.logical_not, (fails,))


def has_tag(frame: Frame, node: Term, tags: Tags) -> Term:
    """Is a node of a class with one of these tags?  Known while compiling where what holds there says it."""
    declaration = declaration_of_node(node)
    assert declaration is not None
    return has_one_of(lambda tag: _has(declaration, node, tag), possible_tags(frame, node), tags)


def _has(declaration: Declaration, node: Term, tag: int) -> Term:
    return equals(Tag(node), Const(tag)) if is_built(node) else has_this_tag(declaration, project(node, 0), tag)


def _row(declaration: Declaration, node: Term) -> Term:
    return row_of(declaration, project(node, 0))


def possible_tags(frame: Frame, node: Term) -> Tags:
    """The classes that a node may be of here: those of the field that it was read from, less what is known not to hold."""
    declaration = declaration_of_node(node)
    assert declaration is not None
    at = place_of(node)
    return frozenset(
        [
            tag
            for tag in _tags_of_field(frame, declaration, node)
            if is_possible(frame, lambda test: _asked(frame, declaration, test, at), tag)
        ]
    )


def _asked(frame: Frame, declaration: Declaration, test: Term, at: Term) -> int | None:
    match test:
        case Prim(p.equal, (Tag(other), Const(tag))):
            found: tuple[Term, int] | None = (other, int(tag))
        case _:
            found = asked_for(declaration, test)
    return found[1] if found is not None and is_same(frame, found[0], at) else None


def _tags_of_field(frame: Frame, declaration: Declaration, node: Term) -> Tags:
    match definition_of(frame, place_of(node)):
        case Inject(_, tag, _):
            return frozenset([tag])
        case Field(Term(type=Built() as holder), tag, position):
            return _tags_in_field(declaration, holder.declaration, tag, position)
        case Get(Field(Term(type=Built() as holder), tag, position), _):
            return _tags_in_field(declaration, holder.declaration, tag, position)
        case Get(column, _) if not is_built(node):
            for tag, c in enumerate(declaration.constructors):
                for f in c.fields:
                    if f.kind in (Kind.NODE, Kind.CHILDREN):
                        own = project(node, declaration.place(tag, f.name) + f.width)
                        if is_same(frame, column, own):
                            return f.tags
    return declaration.all_tags


def _tags_in_field(declaration: Declaration, holder: Declaration, tag: int, position: int) -> Tags:
    """The tags that the classes which a field of a node may hold have in their own data type."""
    held = holder.constructors[tag].fields[position].tags
    return frozenset([declaration.tags[holder.constructors[k].cls] for k in held])


# -- fields ----------------------------------------------------------------------------------------------------------


def field_of_node(frame: Frame, node: Term, name: str, place: ast.AST) -> Value | None:
    """node.name, where a class of its type has a field of that name; None if none has."""
    declaration = declaration_of_node(node)
    assert declaration is not None
    having = frozenset([k for k, c in enumerate(declaration.constructors) if c.field(name) is not None])
    if not having:
        return None
    possible = possible_tags(frame, node)
    found = possible & having
    if not found:
        here, those = declaration.named(possible), declaration.named(having)
        frame.fail(UndefinedNameError, place, f"{here} has no {name}", f"only {those} has it: ask isinstance before")
    node = named(frame, node)
    if possible - having:
        node = required(frame, declaration, node, having, name, place)

    fields = {tag: f for tag in sorted(found) if (f := declaration.constructors[tag].field(name)) is not None}
    return _of_classes(frame, declaration, node, fields, place)


_ALIKE = ({Kind.NUMBER}, {Kind.NODE}, {Kind.TEXT}, {Kind.CHILDREN}, {Kind.EQUAL}, {Kind.RAGGED, Kind.EQUAL})
"""The kinds of fields of one name that a program may read without asking for the class."""


def _of_classes(
    frame: Frame, declaration: Declaration, node: Term, fields: dict[int, FieldOfClass], place: ast.AST
) -> Value:
    """A field of a node that may be of any of these classes, each of which has it."""
    tags = list(fields)
    if len(tags) == 1:
        return read_field(frame, declaration, node, tags[0], fields[tags[0]])
    kinds = {field.kind for field in fields.values()}
    if not any([kinds <= alike for alike in _ALIKE]):
        said = [f"{field.kind.value} in {declaration.constructors[tag].name}" for tag, field in fields.items()]
        what = f"{fields[tags[0]].name} is {', '.join(said[:-1])} and {said[-1]}"
        frame.fail(TypeMismatchError, place, what, "ask which class it is before: isinstance, or match")

    def either(read: Callable[[int], Term]) -> Term:
        return frame.term(each_class(frame, node, tags, read, place), place)

    if is_built(node):
        return _of_classes_built(frame, declaration, node, fields, kinds, either, place)

    def column(tag: int, k: int = 0) -> Term:
        return project(node, declaration.place(tag, fields[tag].name) + 1 + k)

    row = frame.bind(_row(declaration, node), "row")
    if kinds == {Kind.TEXT}:
        return Text(frame.bind(either(lambda tag: Get(column(tag), row)), "text"))
    if kinds == {
        Kind.NODE
    }:  # which child it is depends on the class, not the columns: branches that gave both would copy these
        return with_node(node, either(lambda tag: Get(column(tag), row)))
    if not kinds & {Kind.CHILDREN, Kind.RAGGED}:
        return each_class(frame, node, tags, lambda tag: read_field(frame, declaration, node, tag, fields[tag]), place)

    def start_of(tag: int) -> Term:
        return Get(column(tag), row) if fields[tag].width == 2 else Const(0)

    def count_of(tag: int) -> Term:
        if fields[tag].width == 2:
            return minus(Get(column(tag), plus(row, Const(1))), start)
        return length_of(frame, column(tag), place, 1)

    def element(tag: int, i: Term) -> Term:
        return Get(column(tag, 1), plus(start, i)) if fields[tag].width == 2 else Get(Get(column(tag), row), i)

    start = frame.bind(either(start_of), "start")
    count = frame.bind(either(count_of), "count")
    if kinds == {Kind.CHILDREN}:
        return NodeList(count, lambda i: with_node(node, either(lambda tag: element(tag, i))))
    return build(count, lambda i: either(lambda tag: element(tag, i)))


def _of_classes_built(
    frame: Frame,
    declaration: Declaration,
    node: Term,
    fields: dict[int, FieldOfClass],
    kinds: set[Kind],
    either: Callable[[Callable[[int], Term]], Term],
    place: ast.AST,
) -> Value:
    """Likewise, of a node that the program makes."""

    def own(tag: int) -> Term:
        return Field(node, tag, declaration.constructors[tag].fields.index(fields[tag]))

    if kinds == {Kind.TEXT}:
        return Text(frame.bind(either(own), "text"))
    if not kinds & {Kind.CHILDREN, Kind.RAGGED}:
        return either(own)
    count = frame.bind(either(lambda tag: length_of(frame, own(tag), place)), "count")
    if kinds == {Kind.CHILDREN}:
        return NodeList(count, lambda i: either(lambda tag: Get(own(tag), i)))
    return build(count, lambda i: either(lambda tag: Get(own(tag), i)))


def each_class(frame: Frame, node: Term, tags: list[int], read: Callable[[int], Value], place: ast.AST) -> Value:
    """What `read` gives for the class that a node is of, which is one of these."""
    first, *rest = tags
    if not rest:
        return read(first)
    test = has_tag(frame, node, frozenset([first]))
    then = frame.inside(lambda: frame.term(read(first), place), conditional=True)
    otherwise = frame.inside(lambda: frame.term(each_class(frame, node, rest, read, place), place), conditional=True)
    return branch(frame, test, then, otherwise, place)


def named(frame: Frame, node: Term) -> Term:
    """The node under a name.  Its columns keep theirs, so that it is seen which of them calls hand on as they are."""
    if isinstance(node, MakeTuple):
        return with_node(node, frame.bind(node.items[0], "node"))
    return frame.bind(node, "node")


def required(frame: Frame, declaration: Declaration, node: Term, having: Tags, name: str, place: ast.AST) -> Term:
    """The node, if it is of a class that has a field."""
    test = has_tag(frame, node, having)
    missing = declaration.named(possible_tags(frame, node) - having)
    site = frame.site(place, f"AttributeError: this is {missing}, which has no {name}")
    own = place_of(node)
    at = Var("node", own.type)
    frame.scope.append((at, Require(test, own, Failure.RAISED, (), site)))
    return at if is_built(node) else with_node(node, at)


def with_node(node: Term, at: Term) -> Term:
    """Another node of the same tree."""
    assert isinstance(node.type, Tuple)
    record = node.type.record
    assert isinstance(record, Nodes)
    single = record.declaration.record(record.make)
    items = (at, *[project(node, k) for k in range(1, len(node.type.items))])
    return MakeTuple(items, Tuple(tuple([item.type for item in items]), single.names, single))


def read_field(frame: Frame, declaration: Declaration, node: Term, tag: int, field: FieldOfClass) -> Value:
    """A field of a node that is of the class with this tag."""
    if is_built(node):
        return _field_of_built(declaration, node, tag, field)
    place = declaration.place(tag, field.name) + 1
    column = project(node, place)
    row = frame.bind(_row(declaration, node), "row")
    match field.kind:
        case Kind.NODE:
            return with_node(node, Get(column, row))
        case Kind.TEXT:
            return Text(Get(column, row))
        case Kind.CHILDREN:
            start = frame.bind(Get(column, row), "start")
            children = project(node, place + 1)
            count = frame.bind(minus(Get(column, plus(row, Const(1))), start), "count")
            return NodeList(count, lambda i: with_node(node, Get(children, plus(start, i))))
        case Kind.RAGGED:
            start = frame.bind(Get(column, row), "start")
            count = minus(Get(column, plus(row, Const(1))), start)
            elements = project(node, place + 1)
            return build(count, lambda i: Get(elements, plus(start, i)))
        case _:
            return Get(column, row)


def _field_of_built(declaration: Declaration, node: Term, tag: int, field: FieldOfClass) -> Value:
    position = declaration.constructors[tag].fields.index(field)
    found = Field(node, tag, position)
    match field.kind:
        case Kind.TEXT:
            return Text(found)
        case Kind.CHILDREN:
            return NodeList(Length(found), lambda i: Get(found, i))
        case _:
            return found


def is_forest(value: Value) -> bool:
    """Is it a forest?"""
    record = record_of_nodes(value)
    return record is not None and record.is_forest


def trees_of_forest(frame: Frame, forest: Term, place: ast.AST) -> Sequence:
    """The trees of a forest, one after the other."""
    forest = frame.bind(forest, "forest")
    roots = project(forest, 0)
    return Sequence(length_of(frame, roots, place), lambda i: with_node(forest, Get(roots, i)))


# -- what classes define ---------------------------------------------------------------------------------------------


def by_definition(
    frame: Frame,
    node: Term,
    name: str,
    find: Callable[[type], object],
    use: Callable[[object, Term], Value],
    place: ast.AST,
) -> Value | None:
    """What `use` makes of what the class of a node defines under a name; None if no class defines it.

    Classes that define the same, since they have it from one base, are asked for once.
    """
    declaration = declaration_of_node(node)
    assert declaration is not None
    possible = possible_tags(frame, node)
    found: dict[int, tuple[object, list[int]]] = {}
    for tag in sorted(possible):
        definition = find(declaration.constructors[tag].cls)
        if definition is not None:
            found.setdefault(id(definition), (definition, []))[1].append(tag)
    if not found:
        return None
    node = named(frame, node)
    having = frozenset([tag for _, tags in found.values() for tag in tags])
    if possible - having:
        node = required(frame, declaration, node, having, name, place)
    return _one_of(frame, node, list(found.values()), use, place)


def _one_of(
    frame: Frame,
    node: Term,
    found: list[tuple[object, list[int]]],
    use: Callable[[object, Term], Value],
    place: ast.AST,
) -> Value:
    (definition, tags), *rest = found
    if not rest:
        return use(definition, node)
    test = has_tag(frame, node, frozenset(tags))
    return either_way(frame, test, lambda: use(definition, node), lambda: _one_of(frame, node, rest, use, place), place)
