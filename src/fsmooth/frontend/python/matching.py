"""What patterns ask of values: a class, the part at a position, a length; and the end of a match that no case fits."""

from __future__ import annotations

import ast

from fsmooth.core import primitives as p
from fsmooth.core.build import project
from fsmooth.core.nodes.declaration import Declaration
from fsmooth.core.signs import at_least_zero
from fsmooth.core.term import Const, Prim, Term
from fsmooth.core.trees import class_of
from fsmooth.core.types import Array, Tuple
from fsmooth.errors import ArgumentMismatchError, TypeMismatchError
from fsmooth.frontend.lookup import ClassAttribute, Lookup
from fsmooth.frontend.python.alternatives import asked, is_of_kinds
from fsmooth.frontend.python.claims import Raised
from fsmooth.frontend.python.frame import Frame
from fsmooth.frontend.python.kinds import describe
from fsmooth.frontend.python.nodes import declaration_of_node, possible_tags, require_no_node
from fsmooth.frontend.python.syntax import OfLength, Positional, Unmatched
from fsmooth.frontend.python.values import Growing, Listed, Sequence, Static, Unrolled, Value


def part_at(frame: Frame, node: Positional) -> Value:
    """What `C(p0, p1, …)` takes for the pattern at a position: the field of that place, by `__match_args__`."""
    cls = frame.expression(node.cls)
    assert isinstance(cls, Static)
    assert isinstance(cls.value, type)
    if cls.value in (int, float, bool, str):
        return frame.expression(node.owner)
    fetch = Lookup(cls.value, ClassAttribute("__match_args__"))
    declared = fetch()
    frame.shared.readings.found(fetch, declared)
    names: tuple[str, ...] = declared if isinstance(declared, tuple) else getattr(cls.value, "_fields", ())
    if node.position >= len(names):
        what = f"{cls.value.__name__} has {len(names)} positional patterns, not {node.position + 1}"
        frame.fail(ArgumentMismatchError, node, what, f"its fields are {', '.join(names)}")
    return frame.expression(ast.copy_location(ast.Attribute(node.owner, names[node.position], ast.Load()), node))


def has_length(frame: Frame, node: OfLength) -> Term:
    """Is it a tuple or list of so many elements?  That is known while compiling, but of the children of a node."""
    value = frame.expression(node.owner)
    require_no_node(frame, value, node)
    if isinstance(value, Term) and is_of_kinds(value):
        return asked(frame, value, lambda one: _is_of_length(frame, one, node), node)
    return _is_of_length(frame, value, node)


def _is_of_length(frame: Frame, value: Value, node: OfLength) -> Term:
    match value:
        case Sequence(size):
            return Prim(p.greater_equal if node.or_more else p.equal, (at_least_zero(size), Const(node.count)))
        case Unrolled(items):
            count = len(items)
        case Static(tuple() | list() as inner):
            count = len(inner)
        case Term(type=Tuple(items, _, record)) if record is None or (
            isinstance(record, type) and issubclass(record, tuple | list)
        ):
            count = len(items)
        case Growing() | Listed() | Term(type=Array()):
            frame.unsupported(node, "a pattern of the elements of an array", "match a tuple of them: (x[0], x[1])")
        case _:
            return Const(False)
    return Const(count >= node.count if node.or_more else count == node.count)


def unmatched(frame: Frame, node: Unmatched) -> None:
    """No case fits, and nothing follows: as in Python nothing happens, unless the function would return nothing then."""
    if not node.returned:
        return
    value = frame.expression(node.subject)
    parts = parts_of_tuple(value)
    if any([declaration_of_node(part) is not None for part in parts]):
        raise _nothing_fits(node, f"({', '.join([_said(frame, part) for part in parts])})")
    if declaration_of_node(value) is None:
        cls = class_of(value.type.record) if isinstance(value, Term) and isinstance(value.type, Tuple) else None
        if cls is not None and issubclass(cls, _tried(frame, node)):
            raise _nothing_fits(node, f"this {cls.__name__}")
        if cls is not None:
            hint = "add a case for it, or case _"
            frame.fail(TypeMismatchError, node, f"match has no case for {cls.__name__}", hint)
        return
    assert isinstance(value, Term)
    declaration = declaration_of_node(value)
    assert declaration is not None
    left = possible_tags(frame, value)
    tried = _tried(frame, node)
    without = frozenset([tag for tag in left if not issubclass(declaration.constructors[tag].cls, tried)])
    if without and _may_be(declaration, without):
        hint = "add a case for it, or case _"
        frame.fail(TypeMismatchError, node, f"match has no case for {declaration.named(without)}", hint)
    raise _nothing_fits(node, declaration.named(without) if without else f"this {declaration.named(left)}")


def _tried(frame: Frame, node: Unmatched) -> tuple[type, ...]:
    """The classes that have cases, with conditions that do not hold here."""
    found = [frame.expression(cls) for cls in node.tried]
    return tuple([cls.value for cls in found if isinstance(cls, Static) and isinstance(cls.value, type)])


def _nothing_fits(node: Unmatched, what: str) -> Raised:
    """What is raised at run time where no case fits."""
    text = f"match has no case for {what}"
    made = ast.Raise(ast.Call(ast.Name("TypeError", ast.Load()), [ast.Constant(text)], []))
    return Raised(ast.fix_missing_locations(ast.copy_location(made, node)))


def parts_of_tuple(value: Value) -> list[Value]:
    """The parts of a tuple that is matched; none of anything else."""
    match value:
        case Unrolled(items):
            return list(items)
        case Term(type=Tuple(items, _, None)):
            return [project(value, k) for k in range(len(items))]
        case _:
            return []


def _said(frame: Frame, value: Value) -> str:
    """What a part of a tuple may be where no case fits."""
    declaration = declaration_of_node(value)
    if declaration is not None and isinstance(value, Term):
        return declaration.named(possible_tags(frame, value))
    cls = class_of(value.type.record) if isinstance(value, Term) and isinstance(value.type, Tuple) else None
    if cls is not None:
        return cls.__name__
    return describe(value.type) if isinstance(value, Term) else "a value"


def _may_be(declaration: Declaration, left: frozenset[int]) -> bool:
    """May a field hold a node of the classes that are left as well as one of those that have a case?

    Not if the cases are for all that some field may hold: then the match is of the nodes of such a field.  None is often
    asked for before the match.
    """
    if all([declaration.constructors[tag].cls is type(None) for tag in left]):
        return False
    covered = declaration.all_tags - left
    fields = [f.tags for c in declaration.constructors for f in c.fields if f.tags]
    return any([tags & left and tags & covered for tags in fields]) and not any([tags <= covered for tags in fields])
